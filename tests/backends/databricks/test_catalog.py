"""The Databricks backend: whole schemas by information_schema, and the suite of all backends."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import (
    ApplyError,
    Check,
    Column,
    DatabricksCatalog,
    ForeignKey,
    Identity,
    MemoryCatalog,
    Orchestrator,
    PrimaryKey,
    Settings,
    Table,
    UnsafePlanError,
)
from pytest_delta_schema.backends.databricks.descriptions import clustering_paths
from pytest_delta_schema.backends.databricks.reading import RUNTIME
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import (
    ConvergenceError,
    InvalidModelError,
    StatementError,
)
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.execute import ABSENT
from pytest_delta_schema.rules.consent import parse_consent
from pytest_delta_schema.sql import dotted, statements
from pytest_delta_schema.state import (
    ColumnState,
    StructState,
    state_from_json,
    state_json,
)
from pytest_delta_schema.testing.data_access import MemoryDataAccess
from pytest_delta_schema.testing.databricks import OtherObject
from pytest_delta_schema.testing.scenario import BOTH, LONG, field, struct
from support.covering import played_on
from support.databricks import Doubled, Workspace
from support.models import NAME, column, state, stored, table
from support.reviewed import ReviewedSuite


class Behind(MemoryDataAccess):
    """Rows are those of the memory catalog behind the workspace."""

    converts = False
    runs_refused = False

    def read_rows(self, catalog, state):
        return super().read_rows(catalog.backend, state)


class TestDatabricks(ReviewedSuite):
    """Read by the queries that Databricks would be asked."""

    data_access = Behind()
    scenarios = played_on(DatabricksCatalog.capabilities)

    @pytest.fixture
    def catalog(self):
        return Doubled(Workspace(MemoryCatalog()))


ID = column(is_nullable=False)
T = "`dev`.`silver`.`orders`"
PARENT, CHILD = "dev.silver.parents", "dev.silver.children"


@pytest.fixture
def workspace():
    return Workspace(MemoryCatalog())


def made(workspace, *models):
    Orchestrator.over(workspace.backend).sync_tables(models)
    return Doubled(workspace)


def play(monkeypatch, workspace, text, answer):
    """Answer the queries with a text by an error, by rows, or by what a function makes of the rows."""
    ask = workspace.rows

    def rows(sql):
        if text not in sql:
            return ask(sql)
        if isinstance(answer, StatementError):
            raise answer
        return answer(ask(sql)) if callable(answer) else answer

    monkeypatch.setattr(workspace, "rows", rows)


def numbered(number):
    return [table(ID, name=f"dev.silver.t{index}") for index in range(number)]


def refusal(text):
    return StatementError(text, condition=text[1 : text.index("]")])


DENIED = refusal("[INSUFFICIENT_PERMISSIONS] User does not have USE SCHEMA")
HIDDEN = refusal("[PERMISSION_DENIED] no")


def test_a_property_that_open_source_delta_holds_under_another_key_is_not_set_on_databricks():
    own = {"pytest_delta_schema.property.delta.targetFileSize": "64mb"}
    catalog = Doubled(Workspace(MemoryCatalog([state(stored("id"), table_properties=own)])))

    observed = catalog.snapshot([table(column())]).tables[NAME]

    assert "delta.targetFileSize" not in observed.table_properties


def test_reading_takes_one_query_a_table_and_seven_more(workspace):
    """Of the seven, six are about the schema, and one is about the runtime."""
    number = 20
    models = [replace(model, primary_key=PrimaryKey(["id"])) for model in numbered(number)]
    catalog = made(workspace, *models)
    workspace.asked.clear()

    state = catalog.snapshot(models)

    assert len(state.tables) == number
    assert len(workspace.asked) == 7 + number


def test_what_a_create_statement_would_show_of_keys_is_not_compared(monkeypatch):
    refused, odd = refusal("[DELTA_OPERATION_NOT_ALLOWED] not supported"), [{"createtab_stmt": "CREATE TABLE (("}]
    for answer, rely in product((refused, odd, []), (True, False)):
        workspace = Workspace(MemoryCatalog())
        parent = table(ID, name=PARENT, primary_key=["id"])
        key = ForeignKey(["id"], parent, name="fk", rely=rely)
        wanted = table(ID, primary_key=PrimaryKey(["id"], rely=rely), foreign_keys=[key])
        catalog = made(workspace, parent, wanted)
        play(monkeypatch, workspace, "SHOW CREATE TABLE", answer)

        plan = Orchestrator.over(catalog).plan_tables([wanted])

        assert plan.is_empty
        text = "the catalog does not show whether queries may rely on key {}, which is not compared"
        assert [note.message for note in plan.notes] == [text.format("pk_dev_silver_orders__id"), text.format("fk")]
        observed = catalog.snapshot([wanted]).tables[NAME]
        assert [key.rely for key in (*observed.keys, *observed.foreign_keys)] == [None, None]
        assert state_from_json(state_json(observed)) == observed


@pytest.mark.parametrize(("is_shown", "owns"), [(True, "report"), (False, "manage"), (False, "report")])
def test_a_foreign_key_is_not_added_again_without_its_rely(workspace, is_shown, owns):
    columns = (column(is_nullable=False), column("other", is_nullable=False))
    parent = table(*columns, name=PARENT, primary_key=["id", "other"])
    key = ForeignKey(["id", "other"], parent, name="fk", rely=True)
    catalog = made(workspace, parent, table(*columns, name=CHILD, foreign_keys=[key]))
    child = table(*columns, name=CHILD, foreign_keys=[key], owns={"foreign_keys": owns})
    if not is_shown:
        workspace.refused[f"SHOW CREATE TABLE {dotted(child.name)}"] = HIDDEN
    changed = table(*columns, name=PARENT, primary_key=PrimaryKey(["id", "other"], rely=True))
    before = workspace.states()

    if is_shown or owns == "manage":
        Orchestrator.over(catalog).sync_tables([changed, child])
        assert [key.rely for key in workspace.states()[child.name].foreign_keys] == [True]
        return
    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(catalog).sync_tables([changed, child])
    assert [str(problem) for problem in caught.value.diagnostics] == [
        (
            "dev.silver.children: foreign key fk has to be dropped and added again, because the primary key of"
            " dev.silver.parents changes, and the catalog does not show whether queries may rely on it; give the principal"
            " the permission for SHOW CREATE TABLE dev.silver.children, or let its model manage it"
            " [DS225 ForeignKeyOfUnknownRely]"
        ),
    ]
    gate = Gate(catalog, [changed, child], settings=Settings())
    assert [gate.apply(model).status for model in (changed, child)] == [Status.BLOCKED, Status.IN_SYNC]
    assert workspace.states() == before


def late(workspace, monkeypatch, catalog, waits):
    """Let information_schema show what it showed now, until somebody has waited some times."""
    before, relations = workspace.relations(), workspace.relations
    monkeypatch.setattr(workspace, "relations", lambda: before if len(catalog.waited) < waits else relations())


@pytest.mark.parametrize(
    ("wanted", "statements", "waited"),
    [(table(ID, primary_key=["id"]), 1, [1, 2, 4, 8]), (table(ID, column("new")), 1, [])],
    ids=["key", "column"],
)
def test_an_apply_waits_until_information_schema_shows_keys(workspace, monkeypatch, wanted, statements, waited):
    catalog = made(workspace, table(ID))
    late(workspace, monkeypatch, catalog, 4)

    result = Orchestrator.over(catalog).sync_tables([wanted])

    assert (len(result.statements), catalog.waited) == (statements, waited)


def test_an_apply_waits_for_a_minute_at_most(monkeypatch):
    hidden = "information_schema does not show it to this principal; give the principal SELECT or BROWSE"
    for models, error, text in (
        ([], ApplyError, hidden),
        ([table(ID)], ConvergenceError, r"\+ primary_key: \(absent\) -> pk_dev_silver_orders__id \(id\)"),
    ):
        workspace = Workspace(MemoryCatalog())
        catalog = made(workspace, *models)
        late(workspace, monkeypatch, catalog, 99)

        with pytest.raises(error, match=text):
            Orchestrator.over(catalog).sync_tables([table(ID, primary_key=["id"])])

        assert sum(catalog.waited) == 60


def test_older_versions_are_not_read(workspace):
    catalog = made(workspace, table(ID))

    assert catalog.introduced_by(NAME, [ColumnPath("id")]) == ()
    with pytest.raises(StatementError, match=r"^dev\.silver\.orders: this backend reads no schemas of older versions$"):
        catalog.past_columns(NAME, [ColumnPath("gone")])


UNREADABLE = (
    "dev.silver.orders: cannot be read ([INSUFFICIENT_PERMISSIONS] User does not have USE SCHEMA); give the"
    " principal the permission, or repair the workspace [DS502 UnreadableTable]"
)


@pytest.mark.parametrize("where", ["information_schema.tables", "`orders`"])
def test_a_refusal_is_never_an_absence(workspace, monkeypatch, where):
    catalog = made(workspace, table(ID, name="dev.silver.other"))
    play(monkeypatch, workspace, where, DENIED)

    assert str(catalog.snapshot([table(ID)]).problems[NAME]) == UNREADABLE


def test_a_version_that_cannot_be_read_is_no_absent_table(workspace, monkeypatch):
    catalog = made(workspace, table(ID))
    assert catalog.version(NAME) == 0
    assert catalog.version(NAME._replace(table="nope")) is ABSENT

    play(monkeypatch, workspace, "HISTORY", DENIED)

    assert str(catalog.version(NAME)) == UNREADABLE


def test_a_table_or_a_parent_that_is_not_shown_and_is_there_is_not_absent(workspace):
    catalog = made(workspace, table(ID), *family())
    workspace.hidden |= {str(NAME), PARENT}

    problems = catalog.snapshot([table(ID), family()[1]]).problems

    assert str(problems[NAME]) == (
        "dev.silver.orders: exists, and information_schema does not show it to this principal; give the principal"
        " SELECT or BROWSE on it [DS502 UnreadableTable]"
    )
    assert str(problems[family()[1].name]).startswith(
        f"{CHILD}: foreign key fk_dev_silver_children__parent references a table that the principal cannot see",
    )


def test_a_schema_that_is_not_shown_is_looked_at_by_itself(workspace, monkeypatch):
    catalog = made(workspace, table(ID, name="dev.silver.other"))
    play(monkeypatch, workspace, "schemata", [])

    observed = catalog.snapshot([table(ID), table(ID, name="dev.gold.orders")]).tables

    there = {(name.schema, table.exists, table.schema_exists) for name, table in observed.items()}
    assert there == {("silver", False, True), ("gold", False, False)}


def family():
    parent = table(ID, name=PARENT, primary_key=["id"])
    return [parent, table(ID, column("parent"), name=CHILD, foreign_keys=[ForeignKey(["parent"], parent)])]


OTHERS = [
    ("v", "VIEW", None, "view", "is a view, not a table; drop it"),
    ("mv", "MATERIALIZED_VIEW", None, "materialized view", "is a materialized view, not a table; drop it"),
    (
        "csv",
        "EXTERNAL",
        "CSV",
        "csv table",
        "is a csv table, not a Delta table; convert it by CONVERT TO DELTA if it is",
    ),
]


def test_what_is_no_delta_table(workspace):
    catalog = made(workspace, table(ID))
    columns = (ColumnState("id", "bigint", is_nullable=False, comment=""),)
    rows = [(f"__materialization_mat_0f_{name}_1", "MANAGED", "DELTA") for name in ("mv",)]
    workspace.objects += [
        OtherObject(NAME._replace(table=name), kind, data_format, columns)
        for name, kind, data_format in [*rows, *(other[:3] for other in OTHERS)]
    ]
    models = {name: table(ID, name=f"dev.silver.{name}") for name, *_ in OTHERS}

    state = catalog.snapshot([*models.values()])

    assert {name.table: other.kind for name, other in state.others.items()} == {other[0]: other[3] for other in OTHERS}
    assert {other.columns for other in state.others.values()} == {columns}
    assert [name.table for name in catalog.table_names("dev", "silver")] == ["csv", "orders"]
    assert [name.table for name in catalog.view_names("dev", "silver")] == ["mv", "v"]
    for name, *_, message in OTHERS:
        assert str(state.problems[NAME._replace(table=name)]).startswith(f"dev.silver.{name}: {message}")
        reader = replace(models[name], read_only=True)
        assert Gate(catalog, [reader]).drift(reader).status is Status.IN_SYNC


NO_ANSWER = {
    "DESCRIBE TABLE EXTENDED": refusal("[PARSE_SYNTAX_ERROR] at 'AS'"),
    "SHOW CREATE TABLE": HIDDEN,
}
"""What a workspace refuses, so that only DESCRIBE DETAIL and information_schema are left."""


WRONG = [None, 5, -1.5, True, "x", [], [None], {}, {"a": None}, object(), KeyError]


@pytest.mark.parametrize(
    ("where", "refused"),
    [
        ("information_schema.tables", {}),
        ("information_schema.columns", NO_ANSWER),
        ("DETAIL", NO_ANSWER),
    ],
)
def test_rows_of_another_form_are_one_line_of_their_tables(workspace, monkeypatch, where, refused):
    """Every field of every kind of row, with every wrong value: no other error, no second line, and no absence."""
    workspace.refused |= refused
    parent = family()[0]
    identity, to_parent = Column("n", LONG, identity=Identity()), ForeignKey(["parent"], parent)
    model = table(ID, column("parent"), identity, foreign_keys=[to_parent], tags={"a": "b"})
    catalog = made(workspace, parent, model)
    keys: dict[str, None] = {}
    harm = None

    def changed(rows):
        keys.update(dict.fromkeys(key for row in rows for key in row))
        return [harm(row) for row in rows] if harm else rows

    play(monkeypatch, workspace, where, changed)
    catalog.snapshot([model])
    unreadable, hurt = 0, []
    for key, wrong in [(key, wrong) for key in keys for wrong in WRONG]:
        harm = partial(wrongly, key, wrong)
        state = catalog.snapshot([model])

        problem = state.problems.get(NAME)
        unreadable += problem is not None
        if "\n" in str(problem) or (problem is None and not state.tables[NAME].exists):
            hurt.append((key, wrong))
    assert unreadable > 5
    assert not hurt


def wrongly(key, wrong, row):
    """Return a row with a wrong value, or without one."""
    return {name: wrong if name == key else value for name, value in row.items() if (name, wrong) != (key, KeyError)}


RUNTIMES: dict[bool, list[Any]] = {
    True: ["16.3.x-scala2.12", "17.0", "18.x-scala2.13", None],
    False: ["15.4.x-photon-scala2.12", "custom:local", refusal("[UNRESOLVED_ROUTINE] current_version")],
}


def test_old_runtimes_alter_one_column_at_a_time():
    there = Orchestrator.over(MemoryCatalog())
    there.sync_tables([table(column("a"), Column("s", struct(field("f"))))])
    both = table(column("a", comment="x"), Column("s", struct(field("f", comment="y"))), comment="z")
    (action,) = there.plan_tables([both]).actions
    comments = ["`a` COMMENT 'x'", "`s`.`f` COMMENT 'y'"]
    for together, runtime in [(together, runtime) for together, runtimes in RUNTIMES.items() for runtime in runtimes]:
        queries: list[str] = []

        def rows(sql, queries=queries, runtime=runtime):
            queries.append(sql)
            if sql == RUNTIME and isinstance(runtime, StatementError):
                raise runtime
            return [{"runtime": runtime}] if sql == RUNTIME else []

        catalog = DatabricksCatalog(SimpleNamespace(rows=rows, values=None))
        for statement in statements(action):
            catalog.run(statement)

        altered = [",\n  ".join(comments)] if together else comments
        expected = [f"ALTER TABLE {T} ALTER COLUMN\n  {comment}" for comment in altered]
        assert queries == [RUNTIME, *expected, f"COMMENT ON TABLE {T} IS 'z'"], runtime


def test_a_clustering_text_with_two_meanings_is_an_error():
    inner = StructState((ColumnState("b", "int", is_nullable=True, comment=""),))
    a, dotted, c = (
        ColumnState(*of, is_nullable=True, comment="") for of in [("a", inner), ("a.b", "int"), ("c", "int")]
    )

    assert clustering_paths(["a.b", "c"], [dotted]) == (ColumnPath("a.b"), ColumnPath("c"))
    assert clustering_paths(["a.b"], [a, c]) == (ColumnPath("a", "b"),)
    with pytest.raises(ValueError, match=r"clustering column a\.b may be each of"):
        clustering_paths(["a.b"], [a, dotted])


@pytest.fixture
def _without_pauses(monkeypatch):
    monkeypatch.setattr("pytest_delta_schema.backends.concurrency.PAUSES", (0, 0, 0))


def gone():
    raise refusal("[TABLE_OR_VIEW_NOT_FOUND] It is dropped")


@pytest.mark.parametrize(
    ("hidden", "query", "change"),
    [(NAME, "AS JSON", gone), (PARENT, "SHOW CREATE", None)],
    ids=["replaced", "a parent gets its key"],
)
@pytest.mark.usefixtures("_without_pauses")
def test_what_changes_between_the_queries_about_a_schema_is_read_again(workspace, monkeypatch, hidden, query, change):
    models = [table(ID), *family()]
    catalog = made(workspace, *models)
    if change is None:
        workspace.hidden.add(str(hidden))
    waiting, ask = [change or workspace.hidden.clear], workspace.rows

    def rows(sql):
        if query in sql and waiting:
            waiting.pop()()
        return ask(sql)

    monkeypatch.setattr(workspace, "rows", rows)

    tables = catalog.snapshot(models).tables

    assert not waiting
    assert [tables[model.name].exists for model in models] == [True] * 3
    assert len(tables[models[2].name].foreign_keys) == 1


CHECKED, NARROW = {"checks": [Check("positive", "id > 0")]}, column("id", spark.IntegerType())
COPIED = Column("n", spark.IntegerType(), generated_as="id")
KEYED = f"ALTER TABLE {T} ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`)"
POSITIVE = f"ALTER TABLE {T} ADD CONSTRAINT `positive` CHECK (id > 0)"
FACTS: dict[str, tuple[Table | None, Table, list[str] | str]] = {
    "a check is refused in a creation": (
        None,
        table(ID, primary_key=["id"], **CHECKED),
        [f"CREATE TABLE {T} ( `id` BIGINT NOT NULL ) USING DELTA", POSITIVE, KEYED],
    ),
    "a column that a check uses changes its type without it": (
        table(NARROW, table_properties=BOTH, **CHECKED),
        table(column(), table_properties=BOTH, **CHECKED),
        [f"ALTER TABLE {T} DROP CONSTRAINT `positive`", f"ALTER TABLE {T} ALTER COLUMN `id` TYPE BIGINT", POSITIVE],
    ),
    "a column that a generation uses keeps its type": (
        table(NARROW, COPIED, table_properties=BOTH),
        table(column(), COPIED, table_properties=BOTH),
        "GeneratedColumnDependency",
    ),
    "timestamp_ntz needs its feature first": (
        table(column()),
        table(column(), column("at", spark.TimestampNTZType())),
        [
            f"ALTER TABLE {T} SET TBLPROPERTIES ( 'delta.feature.timestampNtz' = 'supported' )",
            f"ALTER TABLE {T} ADD COLUMNS ( `at` TIMESTAMP_NTZ )",
        ],
    ),
    "CREATE TABLE enables it by itself": (
        None,
        table(column("at", spark.TimestampNTZType())),
        [f"CREATE TABLE {T} ( `at` TIMESTAMP_NTZ ) USING DELTA"],
    ),
    "a clustered table is not partitioned by a statement": (
        table(column(), column("day"), clustered_by=["id"]),
        table(column(), column("day"), partitioned_by=["day"]),
        (
            "the databricks backend cannot rewrite layout: no statement for it keeps the table's constraints and comments, and"
            " a transaction cannot be reached"
        ),
    ),
}


@pytest.mark.parametrize(("before", "after", "expected"), FACTS.values(), ids=FACTS)
def test_statements_are_those_that_workspaces_take(workspace, before, after, expected):
    catalog = Doubled(workspace)
    workspace.backend.create_schema("dev", "silver")
    agreed = Settings(consents=(parse_consent("rewrite dev.silver.orders"),))
    line = Orchestrator.over(catalog, settings=agreed)
    if before is not None:
        line.sync_tables([before])

    if isinstance(expected, str):
        with pytest.raises((UnsafePlanError, InvalidModelError)) as caught:
            line.sync_tables([after])
        assert expected in {text for found in caught.value.diagnostics for text in (found.rule, found.message)}
    else:
        result = line.sync_tables([after])
        assert [" ".join(statement.sql.split()) for statement in result.statements] == expected
