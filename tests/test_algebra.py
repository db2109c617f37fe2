"""The algebra: whatever is wanted and whatever is there, an apply ends in an empty plan."""

from __future__ import annotations

from types import MappingProxyType

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, MemoryCatalog, Table
from pytest_delta_schema.execute import ActionRunner
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import script, statements
from pytest_delta_schema.state import TableState
from support.covering import ALL
from support.models import NAME
from support.strategies import models, states


def catalog_of(there: TableState) -> MemoryCatalog:
    return MemoryCatalog([there] if there.exists else [TableState(name=NAME._replace(table="neighbour"))])


@given(model=models(), there=states())
@settings(max_examples=300 if ALL else 100, suppress_health_check=[HealthCheck.too_slow])
def test_applying_a_plan_leaves_nothing_to_do(model, there):
    catalog, planner = catalog_of(there), TablePlanner()

    ActionRunner.over(catalog).apply(planner.plan([model], catalog.snapshot([model])))

    assert planner.plan([model], catalog.snapshot([model])).is_empty


@given(model=models(), there=states(), data=st.data())
def test_the_order_of_what_is_stored_does_not_matter(model, there, data):
    shuffled = TableState(
        **{
            **_parts(there),
            "columns": tuple(data.draw(st.permutations(there.columns))),
            "table_properties": MappingProxyType(
                dict(data.draw(st.permutations(list(there.table_properties.items())))),
            ),
        },
    )
    plans = [TablePlanner().plan([model], catalog_of(table).snapshot([model])) for table in (there, shuffled)]

    assert plans[0] == plans[1]
    assert [script(statements(action)) for action in plans[0].actions] == [
        script(statements(action)) for action in plans[1].actions
    ]


@given(model=models(), data=st.data())
def test_any_difference_is_seen(model, data):
    """Planning towards one model and then looking at it with another is empty only if the two want the same."""
    catalog, planner = MemoryCatalog(), TablePlanner()
    ActionRunner.over(catalog).apply(planner.plan([model], catalog.snapshot([model])))
    edited = data.draw(st.sampled_from(EDITS))(model)

    assert not planner.plan([edited], catalog.snapshot([edited])).is_empty


def _with_column(model: Table, **changes: object) -> Table:
    first, *rest = model.columns
    values = {"name": first.name, "data_type": first.data_type, "is_nullable": first.is_nullable, "tags": first.tags}
    return _copy(model, columns=[Column(**{**values, "comment": first.comment, **changes}), *rest])


def _copy(model: Table, **changes: object) -> Table:
    parts = ("columns", "comment", "table_properties", "primary_key", "unique", "checks", "tags")
    return Table(*NAME, **{**{part: getattr(model, part) for part in parts}, **changes})


EDITS = (
    lambda model: _copy(model, columns=[*model.columns, Column("quite_new", spark.LongType())]),
    lambda model: _copy(model, table_properties={**model.table_properties, "quite_new": "1"}),
    lambda model: _copy(model, checks=[Check("c", "length('y') = 4")]),
    lambda model: _with_column(model, is_nullable=not model.columns[0].is_nullable),
    lambda model: _with_column(model, comment=model.columns[0].comment + "!"),
    lambda model: _with_column(model, data_type=spark.ArrayType(model.columns[0].data_type)),
    lambda model: _copy(model, primary_key=[] if model.primary_key else [model.columns[0].name]),
    lambda model: _copy(model, tags={**model.tags, "quite_new": ""}),
    lambda model: _with_column(model, tags={**model.columns[0].tags, "quite_new": "1"}),
)


def _parts(state: TableState) -> dict[str, object]:
    return {name: getattr(state, name) for name in TableState.__dataclass_fields__}
