"""CHECK constraints and keys on real Delta: what they cost, what they refuse, and what Delta itself reports."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import (
    Check,
    Column,
    ForeignKey,
    Orchestrator,
    QualifiedName,
    Settings,
    UnsafePlanError,
)
from pytest_delta_schema.assertions.contracts import raises_constraint
from pytest_delta_schema.backends import constraint_error
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute import RowCounts
from pytest_delta_schema.sql import Statement, StatementKind, dotted
from pytest_delta_schema.state import ForeignKeyState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.types import ColumnGeneration
from pytest_delta_schema.testing.scenario import EVERY_TYPE, PLACE, PLACE_STRICT
from support.models import NAME, TEXT, column, operations, stored, table

pytestmark = pytest.mark.spark

POSITIVE = Check("positive", "id > 0")


def run(catalog, text):
    catalog.run(Statement(table=NAME, kind=StatementKind.SET_PROPERTIES, sql=text))


def test_checks_are_part_of_the_one_commit_that_creates_and_are_enforced(local):
    Orchestrator.over(local).sync_tables([table(column(), checks=[POSITIVE, Check("Small", "id < 9 -- really")])])

    assert local.version(NAME) == 0
    local.insert(NAME, [{"id": 5}])
    for row in ({"id": 0}, {"id": 9}, {"id": None}):
        with pytest.raises(StatementError, match=r"CHECK constraint (positive|small)"):
            local.insert(NAME, [row])


STOPPED: list[tuple[str, tuple[str, str, dict[str, str]]]] = [
    ("INSERT INTO dev.silver.orders VALUES (0, 'a', 'x', 1)", ("check", "odd `name`", {"id": "0", "name": "a"})),
    ("INSERT INTO dev.silver.orders VALUES (1, 'a', 'x', NULL)", ("not null", "w", {})),
    ("INSERT INTO dev.silver.orders VALUES (1, 'a', 'xxxx', 1)", ("length", "", {})),
    ("UPDATE dev.silver.orders SET id = -1", ("check", "odd `name`", {"id": "-1", "name": "there"})),
    (
        "MERGE INTO dev.silver.orders t USING (SELECT 5 i) s ON t.id = s.i WHEN MATCHED THEN UPDATE SET name = 'no'",
        ("check", "odd `name`", {"id": "5", "name": "no"}),
    ),
]


def test_every_write_method_names_the_constraint_that_stopped_it_over_spark_connect(remote, local):
    columns = [
        column(is_nullable=False),
        column("name", spark.StringType()),
        column("v", spark.VarcharType(3)),
        column("w", is_nullable=False),
    ]
    model = table(*columns, checks=[Check("odd `name`", "id > 0 AND name <> 'no'")])
    Orchestrator.over(local).sync_tables([model])
    local.insert(NAME, [{"id": 5, "name": "there", "w": 1}])
    for key in ("spark.sql.catalog.dev", "spark.sql.catalog.dev.warehouse"):
        remote.conf.set(key, local.spark.conf.get(key))

    for text, expected in STOPPED:
        with pytest.raises(Exception, match="DELTA_") as caught:
            remote.sql(text)

        violation = constraint_error(caught.value, models=[model])
        assert type(caught.value).__module__.startswith("pyspark.errors.exceptions.connect")
        assert (violation.kind, violation.name, dict(violation.values)) == expected
        assert violation.model is (None if expected[0] == "length" else model)


PARENT = QualifiedName("dev", "silver", "parents")
TO_PARENT = ForeignKeyState("fk", ("parent",), PARENT, ("id",))


def parents(*key: str):
    return table(column(is_nullable=False), Column("b", TEXT, is_nullable=False), name=str(PARENT), primary_key=key)


def child(*keys: ForeignKey, **options):
    return table(column(), column("parent"), Column("b", TEXT), foreign_keys=keys, **options)


def asked_by(catalog, monkeypatch) -> list[str]:
    statements_run: list[str] = []
    ask = catalog.bridge.sql
    monkeypatch.setattr(catalog.bridge, "sql", lambda text: (statements_run.append(text), ask(text))[1])
    return statements_run


def test_the_queries_that_list_rows_list_them(local):
    Orchestrator.over(local).sync_tables([child(), parents("id")])
    local.insert(PARENT, [{"id": 1, "b": "x"}])
    local.insert(NAME, [{"id": 1, "parent": 1}, {"id": 1, "parent": 2}, {"parent": 3, "b": "x"}])
    model = table(
        column(is_nullable=False),
        column("parent"),
        Column("b", TEXT),
        foreign_keys=[ForeignKey(["parent"], parents("id"))],
        checks=[Check("small", "id < 0")],
        primary_key=["id"],
    )

    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(local).sync_tables([model])

    listed = {}
    for violation in caught.value.diagnostics:
        query = violation.remedy.partition("listed by ")[2].rpartition("), or ")[0]
        listed[violation.code] = sorted(map(tuple, local.spark.sql(query).collect()), key=str)
    assert listed == {
        "DS301": [(None, 3, "x")],
        "DS302": [(1, 1, None), (1, 2, None), (None, 3, "x")],
        "DS303": [(1, 2)],
        "DS304": [(1, 2, None), (None, 3, "x")],
    }


def test_limit_stops_at_the_first_row_that_breaks_something(local, monkeypatch):
    columns = column(is_nullable=False), column("parent")
    Orchestrator.over(local).sync_tables([table(*columns), parents("id")])
    local.insert(PARENT, [{"id": 1, "b": "x"}])
    to_parent, positive = ForeignKey(["parent"], parents("id")), Check("positive", "id > 0")
    model = table(*columns, primary_key=["id"], checks=[positive], foreign_keys=[to_parent])
    line = Orchestrator.over(local, settings=Settings(preflight="limit", preflight_samples=0))
    (action,) = line.plan_tables([model]).actions
    statements_run = asked_by(local, monkeypatch)
    for rows, queries, broken in (
        ([{"id": 1, "parent": 9}, {"id": -1}], 1, "dev.silver.orders: "),
        ([{"id": 1}, {"id": 1}], 2, "dev.silver.orders: primary key"),
        ([{"id": 1, "parent": 1}, {"id": 2}], 2, None),
    ):
        local.spark.sql(f"DELETE FROM {NAME}")  # noqa: S608 - our own text
        local.insert(NAME, rows)
        statements_run.clear()

        with nullcontext() if broken is None else pytest.raises(UnsafePlanError) as caught:
            line.runner._align_executor.start(action)

        assert len(statements_run) == queries
        if broken is not None:
            assert str(caught.value).startswith(broken)
            assert "at least 1 row" in str(caught.value)


def test_a_parent_that_is_still_to_come_has_no_rows(local):
    Orchestrator.over(local).sync_tables([child()])
    local.insert(NAME, [{"parent": 1}, {"parent": None}])
    for there in ([], [table(column("x"), name=str(PARENT))]):  # no parent, and none with the column
        Orchestrator.over(local).sync_tables(there)

        assert local.data_checks(NAME).count_rows([TO_PARENT]) == RowCounts(rows=2, broken=(1,))
        assert local.data_checks(NAME).sample_rows([TO_PARENT], [["parent"]], number=5) == ((("1",),),)


def test_a_field_that_was_tightened_holds_no_null(local):
    Orchestrator.over(local).sync_tables([table(column(), Column("s", PLACE))])
    strict = table(column(), Column("s", PLACE_STRICT))
    Orchestrator.over(local).sync_tables([strict])

    for value in ("NULL", "named_struct('name', 'x', 'geo', NULL)"):
        with pytest.raises(Exception, match="NOT NULL constraint violated") as caught:
            local.bridge.sql(f"INSERT INTO {dotted(NAME)} VALUES (1, {value})")  # noqa: S608 - our own text
        assert constraint_error(caught.value, models=[strict]).model is strict
    with raises_constraint(strict, not_null="s.geo.lat"):
        local.insert(NAME, [{"id": 1, "s": {"name": "x", "geo": {"lat": None, "lon": 1.0}}}])
    assert operations(local) == ["CREATE TABLE", "SET NOT NULL"]
    assert local.data_checks(NAME).count_rows().rows == 0


def test_defaults_of_every_type_are_analysed(local):
    columns = [Column(one.name, one.data_type, default="NULL") for one in EVERY_TYPE]
    runner = local.data_checks(NAME)

    for one in desired_state(table(*columns)).columns:
        runner.analyse_default(one)
    with pytest.raises(StatementError, match="UNRESOLVED_ROUTINE"):
        runner.analyse_default(stored("n")._replace(value=ColumnGeneration(default="nofunc()")))
