"""What is read of a Databricks table: by queries, from its CREATE statement, its collations and its location."""

from __future__ import annotations

from dataclasses import replace

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


def collated(*, of_table="", of_schema="", **refused):
    """Return a workspace with default collations, and with queries that are refused."""
    workspace = Workspace(MemoryCatalog())
    for name, collation in ((str(NAME), of_table), ("dev.silver", of_schema)):
        if collation:
            workspace.collations[name] = collation
    workspace.refused |= refused
    return workspace


def questions(workspace):
    """Return the queries about collations, apart from those that read the table."""
    return [sql for sql in workspace.asked if sql.startswith("DESCRIBE SCHEMA EXTENDED")]


def existing(workspace):
    Orchestrator.over(workspace.backend).sync_tables([table(*PLAIN)])
    return Doubled(workspace)


def new(workspace):
    workspace.backend.create_schema("dev", "silver")
    return Doubled(workspace)


OF_TABLE = (
    "the databricks backend cannot add check: the default collation of the table is UTF8_LCASE, and Databricks takes"
    " a CHECK under UTF8_BINARY only; leave the checks out, or run ALTER TABLE `dev`.`silver`.`orders` DEFAULT"
    " COLLATION UTF8_BINARY, which changes columns that are added later only"
)
OF_SCHEMA = (
    "the databricks backend cannot add check: the default collation of the schema is UNICODE_CI, and Databricks"
    " takes a CHECK under UTF8_BINARY only; leave the checks out, or run ALTER SCHEMA `dev`.`silver` DEFAULT"
    " COLLATION UTF8_BINARY, which changes columns that are added later only"
)
REFUSED = [
    (existing, collated(of_table="utf8_lcase"), OF_TABLE),
    (new, collated(of_schema="UNICODE_CI"), OF_SCHEMA),
]


@pytest.mark.parametrize(("catalog_of", "workspace", "message"), REFUSED, ids=["table", "schema"])
def test_a_check_is_refused_before_anything_runs(catalog_of, workspace, message):
    catalog, model = catalog_of(workspace), table(*PLAIN, checks=CHECKS, comment="Orders")
    before = catalog.snapshot([model])

    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(catalog).sync_tables([model])
    outcome = Gate(catalog, [model]).drift(model)

    assert {diagnostic.fact for diagnostic in caught.value.diagnostics} == {message}
    assert outcome.status is Status.BLOCKED
    assert {diagnostic.fact for diagnostic in outcome.diagnostics} == {message}
    assert catalog.snapshot([model]) == before
    assert len(questions(workspace)) == (catalog_of is new)


GONE = StatementError("no permission", condition="PERMISSION_DENIED")


@pytest.mark.parametrize(
    ("catalog_of", "workspace"),
    [
        (existing, collated()),
        (existing, collated(of_table="UTF8_BINARY")),
        (existing, collated(**{"DESCRIBE TABLE": GONE})),
        (new, collated()),
        (new, collated(of_schema="UTF8_BINARY")),
        (new, collated(**{"DESCRIBE SCHEMA EXTENDED": GONE})),
    ],
)
def test_a_check_runs_where_no_other_collation_is_shown(catalog_of, workspace):
    catalog, model = catalog_of(workspace), table(*PLAIN, checks=CHECKS)

    Orchestrator.over(catalog).sync_tables([model])

    assert len(workspace.states()[NAME].checks) == 2
    assert len(questions(workspace)) == (catalog_of is new)


@pytest.mark.parametrize("catalog_of", [existing, new])
def test_plans_without_checks_read_no_collation(catalog_of):
    workspace = collated(of_table="UNICODE", of_schema="UNICODE")

    Orchestrator.over(catalog_of(workspace)).sync_tables([table(*PLAIN, comment="Orders")])

    assert questions(workspace) == []


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


@pytest.mark.parametrize(
    ("runtime", "refused", "not_shown"),
    [
        (None, [], ()),
        ("16.2.x-scala2.12", [], ()),
        ("15.4.x-scala2.12", [], ()),
        (None, [JSON], ()),
        (None, [CREATED], ("generated columns",)),
        (None, [JSON, CREATED], HIDDEN),
        ("15.4.x-scala2.12", [CREATED], HIDDEN),
    ],
    ids=["warehouse", "16.2", "15.4", "no JSON", "no statement", "neither", "15.4 without statement"],
)
def test_what_no_answer_shows_is_neither_drift_nor_equal(runtime, refused, not_shown):
    workspace = Workspace(MemoryCatalog(), runtime=runtime)
    workspace.refused = dict.fromkeys(refused, GONE)
    Orchestrator.over(workspace.backend).sync_tables([EVERYTHING])
    catalog = Doubled(workspace)

    observed = catalog.snapshot([EVERYTHING]).tables[NAME]
    plan = Orchestrator.over(catalog).plan_tables([EVERYTHING])
    outcome = Gate(catalog, [EVERYTHING]).drift(EVERYTHING)

    assert observed.not_shown == not_shown
    assert plan.is_empty
    assert outcome.label == ("in sync" if not not_shown else f"in sync (not compared: {', '.join(not_shown)})")
    if not not_shown:
        assert comparable(observed) == comparable(workspace.states()[NAME])


CHANGES = [
    (Column("from", TEXT, default="'other'", comment="A word"), "defaults"),
    (Column("from", TEXT, comment="A word"), "defaults"),
    (Column("deep", struct(*DEEP.fields[:2], field("m", DEEP["m"].dataType, comment="New"))), "comments in structs"),
    (Column("deep", struct(field("select", TEXT, comment="it's"), *DEEP.fields[1:])), "NOT NULL in structs"),
]


@pytest.mark.parametrize(("changed", "part"), CHANGES)
@pytest.mark.parametrize("is_shown", [True, False], ids=["shown", "hidden"])
def test_a_change_of_what_is_not_shown_is_a_drift_only_where_it_is_shown(changed, part, is_shown):
    workspace = Workspace(MemoryCatalog())
    workspace.refused = {} if is_shown else dict.fromkeys([JSON, CREATED], GONE)
    Orchestrator.over(workspace.backend).sync_tables([EVERYTHING])
    columns = [changed if column.name == changed.name else column for column in EVERYTHING.columns]
    model = replace(EVERYTHING, columns=columns)

    outcome = Gate(Doubled(workspace), [model]).drift(model)

    assert outcome.status is (Status.DRIFTED if is_shown else Status.IN_SYNC)
    assert (part in outcome.label) is not is_shown


NEW = Column("new", TEXT, default="'n'")
PLAIN_NEW = Column("new", TEXT)
DEFAULTED = [column(), Column("d", LONG, default="1"), Column("s", struct(field("x", INT)))]


@pytest.mark.parametrize(
    ("before", "after", "label"),
    [
        (None, [column()], "applied"),
        (None, DEFAULTED, "not proven (not compared: defaults)"),
        (
            None,
            [column(), Column("s", struct(field("x", INT, comment="c", nullable=False)))],
            "not proven (not compared: NOT NULL in structs, comments in structs)",
        ),
        (None, [column(), Column("i", LONG, identity=Identity())], "not proven (not compared: generated columns)"),
        (
            DEFAULTED,
            [*DEFAULTED, PLAIN_NEW],
            "applied (not compared: defaults, NOT NULL in structs, comments in structs)",
        ),
        (DEFAULTED, [*DEFAULTED, NEW], "not proven (not compared: defaults)"),
        (
            DEFAULTED,
            [*DEFAULTED[:2], Column("s", struct(field("x", INT), field("y", INT, comment="c")))],
            "not proven (not compared: comments in structs)",
        ),
    ],
)
@pytest.mark.parametrize("is_shown", [True, False], ids=["shown", "hidden"])
def test_an_apply_of_what_is_not_shown_is_not_proven(before, after, label, is_shown):
    workspace = Workspace(MemoryCatalog())
    workspace.refused = {} if is_shown else dict.fromkeys([JSON, CREATED], GONE)
    workspace.backend.create_schema("dev", "silver")
    if before is not None:
        Orchestrator.over(workspace.backend).sync_tables([table(*before)])
    model = table(*after)

    outcome = Gate(Doubled(workspace), [model]).apply(model)

    assert outcome.label == ("applied" if is_shown else label)
    assert outcome.status.fails is False
    assert outcome.status.passes is not outcome.label.startswith("not proven")


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"columns": null}',
        '{"columns": [{"name": "id"}]}',
        '{"columns": [{"name": "id", "type": "bigint"}]}',
        '{"columns": [{"name": "id", "type": {}}]}',
        '{"columns": [{"name": "id", "type": {"name": "struct"}}]}',
        '{"columns": [{"name": "id", "type": {"name": "decimal", "precision": "x", "scale": 1}}]}',
        '{"columns": [{"name": 5, "type": {"name": "bigint"}}]}',
        '{"columns": ' + "[" * 2000 + "]" * 2000 + "}",
        None,
        5,
    ],
)
def test_an_answer_of_another_form_is_read_in_another_way(monkeypatch, answer):
    workspace = Workspace(MemoryCatalog())
    monkeypatch.setattr(workspace, "json_of", lambda _: None)
    ask = workspace.values
    monkeypatch.setattr(workspace, "values", lambda sql: [(answer,)] if sql.endswith("AS JSON") else ask(sql))
    Orchestrator.over(workspace.backend).sync_tables([EVERYTHING])

    observed = Doubled(workspace).snapshot([EVERYTHING]).tables[NAME]

    assert comparable(observed) == comparable(workspace.states()[NAME])
    assert observed.not_shown == ()


TYPES = [
    ({"name": "bigint"}, "bigint", "bigint"),
    ({"name": "timestamp_ltz"}, "timestamp", "timestamp"),
    ({"name": "integer"}, "int", "int"),
    ({"name": "string"}, "string", "string"),
    ({"name": "string", "collation": "UTF8_BINARY"}, "string", "string"),
    ({"name": "string", "collation": "UTF8_LCASE"}, "string", "string collate UTF8_LCASE"),
    ({"name": "string", "collation": "UTF8_BINARY"}, "varchar(5)", "varchar(5)"),
    ({"name": "varchar", "length": 7}, "string", "varchar(7)"),
    ({"name": "char", "length": 7}, "char(7)", "char(7)"),
    ({"name": "decimal", "precision": 9, "scale": 3}, "decimal(9,3)", "decimal(9,3)"),
    (
        {"name": "interval", "start_unit": "day", "end_unit": "second"},
        "interval day to second",
        "interval day to second",
    ),
    ({"name": "variant"}, "variant", "variant"),
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
    ({"name": "struct", "fields": []}, "string", StructState(())),
]


@pytest.mark.parametrize(("shown", "listed", "expected"), TYPES)
def test_types_are_read_from_json(shown, listed, expected):
    columns = [ColumnState("A", listed, True, "")]
    read = description_of_json({"columns": [{"name": "a", "type": shown}]}, columns)

    assert read.columns == (ColumnState("a", expected, True, ""),)
    assert not read.is_whole


@pytest.mark.parametrize(
    "properties", [{}, {"delta.minReaderVersion": "3"}, {"password": "*********(redacted)", **BOTH}]
)
def test_properties_that_json_does_not_show_are_those_of_the_detail(monkeypatch, properties):
    workspace = Workspace(MemoryCatalog())
    model = table(column(), table_properties={"password": "x", **BOTH})
    Orchestrator.over(workspace.backend).sync_tables([model])
    json_of = workspace.json_of
    monkeypatch.setattr(workspace, "json_of", lambda state: {**json_of(state), "table_properties": properties})

    observed = Doubled(workspace).snapshot([model]).tables[NAME]

    assert observed.table_properties["password"] == "x"  # noqa: S105 - of nobody
    assert any(sql.startswith("DESCRIBE DETAIL") for sql in workspace.asked)


def test_what_databricks_shows_of_its_own_clustering_is_no_property():
    workspace = Workspace(MemoryCatalog())
    Orchestrator.over(workspace.backend).sync_tables([EVERYTHING])

    observed = Doubled(workspace).snapshot([EVERYTHING]).tables[NAME]

    assert not {"clusteringColumns", "clusterByAuto"} & observed.table_properties.keys()


@pytest.mark.parametrize("refused", [[], [JSON], [JSON, CREATED]], ids=["JSON", "statement", "detail"])
def test_the_keys_that_databricks_chooses_are_kept_unless_a_model_names_others(refused):
    workspace = Workspace(MemoryCatalog())
    workspace.refused = dict.fromkeys(refused, GONE)
    workspace.auto.add(str(NAME))
    Orchestrator.over(workspace.backend).sync_tables([table(column())])
    line = Orchestrator.over(Doubled(workspace))

    assert line.plan_tables([table(column())]).is_empty
    (action,) = line.plan_tables([table(column(), clustered_by=["id"])]).actions
    assert [statement.sql for statement in statements(action)] == [
        "ALTER TABLE `dev`.`silver`.`orders` CLUSTER BY (`id`)"
    ]


NUMBERS = ("ordinal_position", "position_in_unique_constraint")


@pytest.fixture(scope="module")
def databricks(spark_catalog):
    """The backend over the local session, in which a schema is called as Databricks calls it."""
    local = spark_catalog
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
    Orchestrator.over(local).sync_tables([parent, model])
    local.create_schema("dev", "information_schema")
    for name, rows in Workspace(local).relations().items():
        columns = RELATIONS[name]
        fields = [spark.StructField(key, INT if key in NUMBERS else TEXT) for key in columns]
        values = [tuple(row.get(key) for key in columns) for row in rows]
        frame = local.spark.createDataFrame(values, spark.StructType(fields))
        frame.write.format("delta").saveAsTable(f"dev.information_schema.{name}")
    yield DatabricksCatalog(SparkConnection(local.spark), read_threads=2), [model, parent], local
    for schema in ("information_schema", "silver"):
        local.drop_schema("dev", schema)


@pytest.mark.spark
def test_states_are_those_of_the_log(databricks):
    catalog, models, local = databricks

    from_queries, from_logs = (item.snapshot(models).tables for item in (catalog, local))

    # No CREATE statement is shown here, and no other query shows RELY.
    assert {name: comparable(state) for name, state in from_queries.items()} == {
        name: without_rely(comparable(state)) for name, state in from_logs.items()
    }
    assert Orchestrator.over(catalog).plan_tables(models).is_empty


def without_rely(state):
    return replace(
        state,
        primary_key=state.primary_key._replace(rely=None),
        foreign_keys=tuple(key._replace(rely=None) for key in state.foreign_keys),
    )


@pytest.mark.spark
def test_data_checks_run(databricks):
    catalog, _, local = databricks
    local.insert(NAME, [{"id": 1}, {"id": 2, "day": "x"}])

    counts = catalog.data_checks(NAME).count_rows([NotNull(ColumnPath("day")), CheckState("two", "id > 1")])

    assert (counts.rows, counts.broken, catalog.version(NAME)) == (2, (1, 1), local.version(NAME))


@pytest.mark.spark
def test_what_is_not_there(databricks):
    catalog, _, _ = databricks
    nope = table(column(), name="dev.silver.nope")

    assert [table.exists for table in catalog.snapshot([nope]).tables.values()] == [False]
    assert catalog.version(nope.name) is ABSENT
    assert str(NAME) in map(str, catalog.table_names("dev", "silver"))


@pytest.mark.spark
def test_columns_of_one_name_are_read_by_position(databricks):
    connection = SparkConnection(databricks[2].spark)

    assert connection.values("SELECT 1 AS n, 2 AS n") == [(1, 2)]
    with pytest.raises(StatementError, match=r"several columns of one name \(n\)"):
        connection.rows("SELECT 1 AS n, 2 AS n")


HOST, PROFILE = "DATABRICKS_HOST", "DATABRICKS_CONFIG_PROFILE"


@pytest.mark.parametrize(
    ("environment", "location"),
    [
        ({}, ""),
        ({HOST: ""}, ""),
        ({HOST: "https://prod.cloud.databricks.com"}, "workspace https://prod.cloud.databricks.com"),
        ({HOST: "staging.cloud.databricks.com"}, "workspace staging.cloud.databricks.com"),
        (
            {HOST: "https://user:dapi-secret@prod.example.com?token=x"},
            "workspace https://***@prod.example.com?token=***",
        ),
        ({PROFILE: "staging"}, "profile staging"),
        ({HOST: "https://prod.example.com", PROFILE: "staging"}, "workspace https://prod.example.com"),
    ],
    ids=["nothing", "empty", "host", "host without scheme", "secrets", "profile", "host and profile"],
)
def test_the_location_of_a_workspace_names_no_secret(monkeypatch, environment, location):
    for name in (HOST, PROFILE):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert BACKEND.location(BackendSettings(values={})) == location
