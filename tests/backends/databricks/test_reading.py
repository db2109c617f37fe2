"""What is read of a Databricks table: by queries, from its CREATE statement, its collations and its location."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import (
    Check,
    Column,
    DatabricksCatalog,
    ForeignKey,
    Identity,
    MemoryCatalog,
    Orchestrator,
    UnsafePlanError,
)
from pytest_delta_schema.backends import BackendSettings
from pytest_delta_schema.backends.databricks.backend import BACKEND
from pytest_delta_schema.backends.databricks.connection import SparkConnection
from pytest_delta_schema.backends.databricks.descriptions import description_of_json
from pytest_delta_schema.backends.spark.compat import frame_of_rows
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.execute import ABSENT
from pytest_delta_schema.plan import NotNull
from pytest_delta_schema.sql import statements
from pytest_delta_schema.state import ArrayState, CheckState, ColumnState, MapState, StructState
from pytest_delta_schema.testing.databricks import RELATIONS
from pytest_delta_schema.testing.scenario import BOTH, INT, LONG, TEXT, field, struct
from pytest_delta_schema.testing.scenario_runner import comparable
from support.databricks import Doubled, Workspace
from support.models import NAME, column, table

PLAIN = [column()]
CHECKS = [Check("positive", "id > 0"), Check("small", "id < 9")]


@pytest.fixture(params=["table", "schema"])
def place(request):
    """Where a collation is a default: a table that is there, or the schema of a new one."""
    return request.param


def collated(place, collation="", *, is_hidden=False):
    """Return a workspace with a default collation, and its catalog."""
    is_table = place == "table"
    hidden = [("DESCRIBE TABLE" if is_table else "DESCRIBE SCHEMA EXTENDED")] if is_hidden else []
    workspace, catalog = over(table(*PLAIN) if is_table else None, *hidden)
    if collation:
        workspace.collations[str(NAME) if is_table else "dev.silver"] = collation
    return workspace, catalog


def over(model, *refused, **options):
    """Return a workspace with a table and refusals, and its catalog."""
    workspace = Workspace(MemoryCatalog(), **options)
    workspace.refused = dict.fromkeys(refused, GONE)
    workspace.backend.create_schema("dev", "silver")
    if model is not None:
        Orchestrator.over(workspace.backend).sync_tables([model])
    return workspace, Doubled(workspace)


def questions(workspace):
    """Return the queries about collations, apart from those that read the table."""
    return [sql for sql in workspace.asked if sql.startswith("DESCRIBE SCHEMA EXTENDED")]


GONE = StatementError("no permission", condition="PERMISSION_DENIED")
REFUSAL = (
    "the databricks backend cannot add check: the default collation of the {} is {}, and Databricks takes a CHECK under"
    " UTF8_BINARY only; leave the checks out, or run ALTER {} DEFAULT COLLATION UTF8_BINARY, which changes columns that"
    " are added later only"
)


def test_a_check_is_refused_before_anything_runs(place):
    workspace, catalog = collated(place, "utf8_lcase")
    model = table(*PLAIN, checks=CHECKS, comment="Orders")
    before = catalog.snapshot([model])

    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(catalog).sync_tables([model])
    outcome = Gate(catalog, [model]).drift(model)

    altered = {"table": "TABLE `dev`.`silver`.`orders`", "schema": "SCHEMA `dev`.`silver`"}[place]
    message = REFUSAL.format(place, "UTF8_LCASE", altered)
    assert {diagnostic.fact for diagnostic in caught.value.diagnostics} == {message}
    assert outcome.status is Status.BLOCKED
    assert {diagnostic.fact for diagnostic in outcome.diagnostics} == {message}
    assert catalog.snapshot([model]) == before
    assert len(questions(workspace)) == (place == "schema")


@pytest.mark.parametrize(("collation", "is_hidden"), [("UTF8_BINARY", False), ("", True)])
def test_a_check_runs_where_no_other_collation_is_shown(place, collation, is_hidden):
    workspace, catalog = collated(place, collation, is_hidden=is_hidden)

    Orchestrator.over(catalog).sync_tables([table(*PLAIN, checks=CHECKS)])

    assert len(workspace.states()[NAME].checks) == 2
    assert len(questions(workspace)) == (place == "schema")


DEEP = struct(
    field("select", TEXT, comment="it's", nullable=False),
    field("items", spark.ArrayType(struct(field("v", spark.VarcharType(5), comment="Inside")))),
    field("m", spark.MapType(TEXT, spark.DecimalType(9, 3))),
)
EVERYTHING = table(
    column(is_nullable=False, comment="Key"),
    Column("from", TEXT, default="'it''s'", comment="A word"),
    Column("deep", DEEP),
    Column("v", spark.VarcharType(5)),
    Column("c", spark.CharType(3)),
    Column("a.b", spark.TimestampType()),
    Column("n", spark.TimestampNTZType()),
    Column("day", spark.DateType(), generated_as="CAST(`a.b` AS DATE)"),
    Column("i", LONG, identity=Identity(start=5, step=2)),
    comment="It's all",
    checks=[Check("positive", "id > 0")],
    clustered_by=["id", "deep.select"],
    table_properties={**BOTH, "team": "x"},
)
JSON, CREATED = "DESCRIBE TABLE EXTENDED", "SHOW CREATE TABLE"
HIDDEN = ("defaults", "generated columns", "NOT NULL in structs", "comments in structs")


ANSWERS: dict[str, tuple[str | None, list[str], tuple[str, ...]]] = {
    "warehouse": (None, [], ()),
    "15.4": ("15.4.x-scala2.12", [], ()),
    "no JSON": (None, [JSON], ()),
    "no statement": (None, [CREATED], ("generated columns",)),
    "neither": (None, [JSON, CREATED], HIDDEN),
    "15.4 without statement": ("15.4.x-scala2.12", [CREATED], HIDDEN),
}


@pytest.mark.parametrize(("runtime", "refused", "not_shown"), ANSWERS.values(), ids=ANSWERS)
def test_what_no_answer_shows_is_neither_drift_nor_equal(runtime, refused, not_shown):
    workspace, catalog = over(EVERYTHING, *refused, runtime=runtime)

    observed = catalog.snapshot([EVERYTHING]).tables[NAME]
    outcome = Gate(catalog, [EVERYTHING]).drift(EVERYTHING)

    assert observed.not_shown == not_shown
    assert Orchestrator.over(catalog).plan_tables([EVERYTHING]).is_empty
    assert outcome.label == ("in sync" if not not_shown else f"in sync (not compared: {', '.join(not_shown)})")
    assert not {"clusteringColumns", "clusterByAuto"} & observed.table_properties.keys()
    if not not_shown:
        assert comparable(observed) == comparable(workspace.states()[NAME])


def test_a_change_of_what_is_not_shown_is_a_drift_only_where_it_is_shown():
    strict, last = field("select", TEXT, comment="it's"), DEEP.fields[-1]
    changes = [
        (Column("from", TEXT, comment="A word"), "defaults"),
        (Column("deep", struct(*DEEP.fields[:2], field("m", last.dataType, comment="New"))), "comments in structs"),
        (Column("deep", struct(strict, *DEEP.fields[1:])), "NOT NULL in structs"),
    ]
    for (changed, part), refused in product(changes, ([], [JSON, CREATED])):
        _, catalog = over(EVERYTHING, *refused)
        columns = [changed if column.name == changed.name else column for column in EVERYTHING.columns]
        model = replace(EVERYTHING, columns=columns)

        outcome = Gate(catalog, [model]).drift(model)

        assert outcome.status is (Status.IN_SYNC if refused else Status.DRIFTED), changed
        assert (part in outcome.label) is bool(refused), changed


def test_an_apply_of_what_is_not_shown_is_not_proven():
    new, x = Column("new", TEXT, default="'n'"), field("x", INT)
    strict = Column("s", struct(field("x", INT, comment="c", nullable=False)))
    commented = Column("s", struct(x, field("y", INT, comment="c")))
    some = [column(), Column("d", LONG, default="1"), Column("s", struct(x))]
    cases: list[tuple[list[Column] | None, list[Column], str]] = [
        (None, [column(), strict], "not proven (not compared: NOT NULL in structs, comments in structs)"),
        (None, [column(), Column("i", LONG, identity=Identity())], "not proven (not compared: generated columns)"),
        (some, [*some, Column("new", TEXT)], f"applied (not compared: defaults, {', '.join(HIDDEN[2:])})"),
        (some, [*some, new], "not proven (not compared: defaults)"),
        (some, [*some[:2], commented], "not proven (not compared: comments in structs)"),
    ]
    for before, after, label in cases:
        for refused, expected in (([], "applied"), ([JSON, CREATED], label)):
            model = table(*after)
            _, catalog = over(before and table(*before), *refused)

            outcome = Gate(catalog, [model]).apply(model)

            assert outcome.label == expected
            assert outcome.status.fails is False
            assert outcome.status.passes is not expected.startswith("not proven")


def test_an_answer_of_another_form_is_read_in_another_way(monkeypatch):
    answers = [
        *("{", "[]", "null", None),
        '{"columns": [{"name": "id", "type": "bigint"}]}',
        '{"columns": [{"name": "id", "type": {}}]}',
        '{"columns": ' + "[" * 2000 + "]" * 2000 + "}",
    ]
    workspace, catalog = over(EVERYTHING)
    ask, answer = workspace.values, None
    monkeypatch.setattr(workspace, "json_of", lambda _: None)
    monkeypatch.setattr(workspace, "values", lambda sql: [(answer,)] if sql.endswith("AS JSON") else ask(sql))
    expected = comparable(workspace.states()[NAME])

    for answer in answers:
        observed = catalog.snapshot([EVERYTHING]).tables[NAME]

        assert (comparable(observed), observed.not_shown) == (expected, ()), answer


TYPES: list[Any] = [
    ({"name": "bigint"}, "bigint", "bigint"),
    ({"name": "timestamp_ltz"}, "timestamp", "timestamp"),
    ({"name": "string", "collation": "UTF8_LCASE"}, "string", "string collate UTF8_LCASE"),
    ({"name": "string", "collation": "UTF8_BINARY"}, "varchar(5)", "varchar(5)"),
    ({"name": "varchar", "length": 7}, "string", "varchar(7)"),
    ({"name": "decimal", "precision": 9, "scale": 3}, "decimal(9,3)", "decimal(9,3)"),
    (
        {"name": "interval", "start_unit": "day", "end_unit": "second"},
        "interval day to second",
        "interval day to second",
    ),
    (
        {"name": "array", "element_type": {"name": "string"}, "element_nullable": False},
        ArrayState("char(2)", True),
        ArrayState("char(2)", False),
    ),
    (
        {"name": "map", "key_type": {"name": "string"}, "value_type": {"name": "string"}, "value_nullable": False},
        MapState("varchar(1)", "varchar(2)", True),
        MapState("varchar(1)", "varchar(2)", False),
    ),
    (
        {"name": "struct", "fields": [{"name": "X", "type": {"name": "string"}, "nullable": False, "comment": "c"}]},
        StructState((ColumnState("x", "varchar(2)", True, ""),)),
        StructState((ColumnState("X", "varchar(2)", False, "c"),)),
    ),
]


def test_types_are_read_from_json():
    for shown, listed, expected in TYPES:
        read = description_of_json({"columns": [{"name": "a", "type": shown}]}, [ColumnState("A", listed, True, "")])

        assert read.columns == (ColumnState("a", expected, True, ""),)
        assert not read.is_whole


def test_the_keys_that_databricks_chooses_are_kept_unless_a_model_names_others():
    for refused in ([], [JSON], [JSON, CREATED]):
        workspace, catalog = over(table(column()), *refused)
        workspace.auto.add(str(NAME))
        line = Orchestrator.over(catalog)

        assert line.plan_tables([table(column())]).is_empty
        (action,) = line.plan_tables([table(column(), clustered_by=["id"])]).actions
        keys = [statement.sql for statement in statements(action)]
        assert keys == ["ALTER TABLE `dev`.`silver`.`orders` CLUSTER BY (`id`)"]


NUMBERS = ("ordinal_position", "position_in_unique_constraint")


class OverSpark(SparkConnection):
    """The local session, in which the relations of information_schema are temporary views."""

    def __init__(self, local):
        super().__init__(local.spark)
        for name, rows in Workspace(local).relations().items():
            columns = RELATIONS[name]
            fields = [spark.StructField(key, INT if key in NUMBERS else TEXT) for key in columns]
            values = [tuple(row.get(key) for key in columns) for row in rows]
            frame_of_rows(local.spark, values, spark.StructType(fields)).createOrReplaceTempView(name)

    def rows(self, sql):
        return super().rows(sql.replace("`dev`.information_schema.", ""))


@pytest.mark.spark
def test_over_spark_states_data_checks_and_versions_are_those_of_the_local_backend(local):
    parent = table(column(is_nullable=False), name="dev.silver.parents", primary_key=["id"])
    model = table(
        column(is_nullable=False, comment="Key"),
        column("parent"),
        column("s", struct(field("x", INT), field("t", spark.ArrayType(spark.DecimalType(9, 3))))),
        column("v", spark.VarcharType(5)),
        column("day", TEXT, tags={"pii": "", "level": "2"}),
        comment="All",
        tags={"team": "sales"},
        primary_key=["id"],
        foreign_keys=[ForeignKey(["parent"], parent)],
        checks=[Check("positive", "id > 0")],
        clustered_by=["day", "s.x"],
        table_properties={**BOTH, "team": "x"},
    )
    nope, models = table(column(), name="dev.silver.nope"), [parent, model]
    Orchestrator.over(local).sync_tables(models)
    connection = OverSpark(local)
    try:
        catalog = DatabricksCatalog(connection, read_threads=2)

        from_queries, from_logs = (item.snapshot(models).tables for item in (catalog, local))

        # No CREATE statement is shown here, and no other query shows RELY.
        expected = {}
        for name, state in from_logs.items():
            keys = tuple(key._replace(rely=None) for key in state.foreign_keys)
            own = state.primary_key._replace(rely=None)
            expected[name] = replace(comparable(state), primary_key=own, foreign_keys=keys)
        assert {name: comparable(state) for name, state in from_queries.items()} == expected
        assert Orchestrator.over(catalog).plan_tables(models).is_empty
        assert [table.exists for table in catalog.snapshot([nope]).tables.values()] == [False]
        assert catalog.version(nope.name) is ABSENT
        assert NAME in catalog.table_names("dev", "silver")

        local.insert(NAME, [{"id": 1}, {"id": 2, "day": "x"}])
        counts = catalog.data_checks(NAME).count_rows([NotNull(ColumnPath("day")), CheckState("two", "id > 1")])
        assert (counts.rows, counts.broken, catalog.version(NAME)) == (2, (1, 1), local.version(NAME))
        assert connection.values("SELECT 1 AS n, 2 AS n") == [(1, 2)]
        with pytest.raises(StatementError, match=r"several columns of one name \(n\)"):
            connection.rows("SELECT 1 AS n, 2 AS n")
    finally:
        for name in RELATIONS:
            local.spark.catalog.dropTempView(name)


def test_the_location_of_a_workspace_names_no_secret(monkeypatch):
    host, profile = "DATABRICKS_HOST", "DATABRICKS_CONFIG_PROFILE"
    locations = [
        ({}, ""),
        ({host: "https://prod.cloud.databricks.com"}, "workspace https://prod.cloud.databricks.com"),
        ({host: "https://user:dapi-secret@a.example.com?token=x"}, "workspace https://***@a.example.com?token=***"),
        ({profile: "staging"}, "profile staging"),
        ({host: "https://prod.example.com", profile: "staging"}, "workspace https://prod.example.com"),
    ]
    for environment, location in locations:
        with monkeypatch.context() as patch:
            for name in (host, profile):
                patch.delenv(name, raising=False)
            for name, value in environment.items():
                patch.setenv(name, value)

            assert BACKEND.location(BackendSettings(values={})) == location
