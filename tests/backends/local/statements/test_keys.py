"""Keys and NOT NULL of fields on real Delta: where they are kept, what they cost, what they refuse."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, Orchestrator, QualifiedName, Settings, UnsafePlanError
from pytest_delta_schema.assertions.contracts import raises_constraint
from pytest_delta_schema.backends import constraint_error
from pytest_delta_schema.backends.spark.statements import setting
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.execute import RowCounts
from pytest_delta_schema.plan import NotNull
from pytest_delta_schema.sql.data_check_queries import count_rows, select_rows
from pytest_delta_schema.sql.quoting import dotted
from pytest_delta_schema.state import CheckState, ForeignKeyState, KeyState
from pytest_delta_schema.testing.scenario import PLACE, PLACE_STRICT
from support.tables import NAME, TEXT, column, operations, table

pytestmark = pytest.mark.spark

PARENT = QualifiedName("dev", "silver", "parents")
TO_PARENT = ForeignKeyState("fk", ("parent",), PARENT, ("id",))


def parents(*key: str):
    return table(column(is_nullable=False), Column("b", TEXT, is_nullable=False), name=str(PARENT), primary_key=key)


def child(*keys: ForeignKey, **options):
    return table(column(), column("parent"), Column("b", TEXT), foreign_keys=keys, **options)


def asked_by(catalog, monkeypatch) -> list[str]:
    statements_run: list[str] = []
    ask = catalog._session.sql
    monkeypatch.setattr(catalog._session, "sql", lambda text: (statements_run.append(text), ask(text))[1])
    return statements_run


def with_not_null(model, index):
    columns = list(model.columns)
    columns[index] = replace(columns[index], is_nullable=False)
    return replace(model, columns=columns)


def test_foreign_keys_are_kept_in_properties_that_are_hidden(local):
    model = child(ForeignKey(["parent"], parents("id")), primary_key=["b"])
    model = with_not_null(model, 2)
    Orchestrator.over(local).sync_tables([parents("id"), model])

    properties = dict(local.spark.sql("SHOW TBLPROPERTIES dev.silver.orders").collect())
    state = local.snapshot([model]).tables[NAME]

    assert json.loads(properties["pytest_delta_schema.foreignKey.fk_dev_silver_orders__parent"]) == {
        "name": "fk_dev_silver_orders__parent",
        "columns": ["parent"],
        "parent": ["dev", "silver", "parents"],
        "parentColumns": ["id"],
    }
    assert [name for name in state.table_properties if "ytest" in name] == []
    assert operations(local) == ["CREATE TABLE", "SET TBLPROPERTIES", "SET TBLPROPERTIES"]


def test_a_parent_is_read_along_with_its_child_also_outside_of_the_run(local):
    Orchestrator.over(local).sync_tables([parents("id")])

    state = local.snapshot([child(ForeignKey(["parent"], str(PARENT)))])

    assert state.tables[PARENT].primary_key == KeyState("pk_dev_silver_parents__id", ("id",))


def test_a_changed_key_and_what_points_at_it_cost_one_commit_each(local):
    wide = child(ForeignKey(["parent", "b"], parents("id", "b")))
    Orchestrator.over(local).sync_tables([parents("id"), child(ForeignKey(["parent"], parents("id")))])

    Orchestrator.over(local).sync_tables([parents("id", "b"), wide])

    assert operations(local, PARENT) == [
        "CREATE TABLE",
        "SET TBLPROPERTIES",
        "UNSET TBLPROPERTIES",
        "SET TBLPROPERTIES",
    ]
    assert operations(local) == ["CREATE TABLE", "SET TBLPROPERTIES", "UNSET TBLPROPERTIES", "SET TBLPROPERTIES"]


def test_all_demands_of_a_table_cost_one_scan_of_it(local):
    Orchestrator.over(local).sync_tables([child(), parents()])
    data_checks = [
        NotNull(ColumnPath("id")),
        *(CheckState(f"c{number}", f"id > {number}") for number in range(10)),
        KeyState("pk", ("id", "b")),
        TO_PARENT,
    ]

    # Spark shortens long folders in a plan.
    with setting(local.spark, "spark.sql.maxMetadataStringLength", "1000"):
        frame = local.spark.sql(count_rows(select_rows(NAME, data_checks), data_checks))
        plan = frame._jdf.queryExecution().executedPlan().toString()

    scans = [line for line in plan.splitlines() if "FileScan" in line]
    assert [sum(f"silver/{name}]" in line for line in scans) for name in ("orders", "parents")] == [1, 1]


def test_one_query_counts_and_one_more_names_the_rows(local, monkeypatch):
    Orchestrator.over(local).sync_tables([child(), parents("id")])
    local.insert(PARENT, [{"id": 1, "b": "x"}])
    local.insert(NAME, [{"id": number, "parent": 1 + number // 6, "b": "y\n" * 30} for number in range(12)])
    statements_run = asked_by(local, monkeypatch)
    model = child(ForeignKey(["parent"], parents("id")), checks=[Check("small", "id < 9"), Check("long", "b = ''")])

    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(local).sync_tables([model])

    assert [str(violation).partition(";")[0] for violation in caught.value.diagnostics] == [
        (
            "dev.silver.orders: check long (b = '') cannot be added, because 12 rows break it, of 12,"
            " such as b = y?y?y?y?y?y?y?y?y?y?y?y?y?y?y?y?y?y?y..."
        ),
        "dev.silver.orders: check small (id < 9) cannot be added, because 3 rows break it, of 12, such as id = 10, 11, 9",
        (
            "dev.silver.orders: foreign key fk_dev_silver_orders__parent (parent) cannot be added, because 6 rows have no"
            " parent in dev.silver.parents, of 12, such as parent = 2"
        ),
    ]
    assert len(statements_run) == 2


def test_the_queries_that_list_rows_list_them(local):
    Orchestrator.over(local).sync_tables([child(), parents("id")])
    local.insert(PARENT, [{"id": 1, "b": "x"}])
    local.insert(NAME, [{"id": 1, "parent": 1}, {"id": 1, "parent": 2}, {"parent": 3, "b": "x"}])
    model = child(ForeignKey(["parent"], parents("id")), checks=[Check("small", "id < 0")], primary_key=["id"])
    model = with_not_null(model, 0)

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


@pytest.mark.parametrize(
    ("rows", "queries", "broken"),
    [
        pytest.param([{"id": 1, "parent": 9}, {"id": -1}], 1, "dev.silver.orders: ", id="a row"),
        pytest.param([{"id": 1}, {"id": 1}], 2, "dev.silver.orders: primary key", id="a key"),
        pytest.param([{"id": 1, "parent": 1}, {"id": 2}], 2, None, id="nothing"),
    ],
)
def test_limit_stops_at_the_first_row_that_breaks_something(local, monkeypatch, rows, queries, broken):
    Orchestrator.over(local).sync_tables([table(column(is_nullable=False), column("parent")), parents("id")])
    local.insert(PARENT, [{"id": 1, "b": "x"}])
    local.insert(NAME, rows)
    model = table(
        column(is_nullable=False),
        column("parent"),
        primary_key=["id"],
        checks=[Check("positive", "id > 0")],
        foreign_keys=[ForeignKey(["parent"], parents("id"))],
    )
    line = Orchestrator.over(local, settings=Settings(preflight="limit", preflight_samples=0))
    (action,) = line.plan_tables([model]).actions
    statements_run = asked_by(local, monkeypatch)

    try:
        line.runner._align_executor.start(action)
        text = ""
    except UnsafePlanError as error:
        text = str(error)

    assert len(statements_run) == queries
    assert (text == "") if broken is None else (text.startswith(broken) and "at least 1 row" in text)


def test_limit_without_anything_to_ask_of_a_single_row_asks_for_the_key(local):
    Orchestrator.over(local).sync_tables([child()])
    local.insert(NAME, [{"id": 1}, {"id": 1}])

    counts = local.data_checks(NAME).count_rows([KeyState("pk", ("id",))], stop_early=True)

    assert counts == RowCounts(rows=None, broken=(1,))


@pytest.mark.parametrize(
    "there", [pytest.param([], id="no parent"), pytest.param([table(column("x"), name=str(PARENT))], id="no column")]
)
def test_a_parent_that_is_still_to_come_has_no_rows(local, there):
    Orchestrator.over(local).sync_tables([child(), *there])
    local.insert(NAME, [{"parent": 1}, {"parent": None}])

    assert local.data_checks(NAME).count_rows([TO_PARENT]) == RowCounts(rows=2, broken=(1,))
    assert local.data_checks(NAME).sample_rows([TO_PARENT], [["parent"]], number=5) == ((("1",),),)


def test_samples_are_texts_of_any_type(local):
    kinds = [spark.BooleanType(), spark.DateType(), spark.DecimalType(5, 2), TEXT, spark.ArrayType(spark.LongType())]
    names = [f"c{number}" for number in range(len(kinds))]
    Orchestrator.over(local).sync_tables([table(*map(Column, names, kinds))])
    local._session.sql(f"INSERT INTO {dotted(NAME)} VALUES (true, DATE'2026-01-02', 1.50, NULL, array(1, NULL))")  # noqa: S608 - our own text

    assert local.data_checks(NAME).sample_rows([CheckState("x", "c0 = false")], [names], number=5) == (
        (("true", "2026-01-02", "1.50", None, "[1, null]"),),
    )


def test_a_field_that_was_tightened_holds_no_null(local):
    Orchestrator.over(local).sync_tables([table(column(), Column("s", PLACE))])
    strict = table(column(), Column("s", PLACE_STRICT))
    Orchestrator.over(local).sync_tables([strict])

    for value in ("NULL", "named_struct('name', 'x', 'geo', NULL)"):
        with pytest.raises(Exception, match="NOT NULL constraint violated") as caught:
            local._session.sql(f"INSERT INTO {dotted(NAME)} VALUES (1, {value})")  # noqa: S608 - our own text
        assert constraint_error(caught.value, models=[strict]).model is strict
    with raises_constraint(strict, not_null="s.geo.lat"):
        local.insert(NAME, [{"id": 1, "s": {"name": "x", "geo": {"lat": None, "lon": 1.0}}}])
    assert operations(local) == ["CREATE TABLE", "SET NOT NULL"]
    assert local.data_checks(NAME).count_rows().rows == 0
