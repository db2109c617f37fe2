"""The Databricks backend: whole schemas by information_schema, and the suite of all backends."""

from __future__ import annotations

import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from types import SimpleNamespace

import pytest
import sqlglot
from pyspark.sql import types as spark
from sqlglot import exp

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
    UnsafePlanError,
    assert_table_equals,
    state_text,
)
from pytest_delta_schema.backends.databricks import connect_databricks
from pytest_delta_schema.backends.databricks.connection import SparkConnection, WarehouseConnection
from pytest_delta_schema.backends.databricks.descriptions import _path
from pytest_delta_schema.backends.databricks.reading import RUNTIME
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import (
    BackendUnavailableError,
    ConvergenceError,
    DeclarationError,
    InvalidModelError,
    StatementError,
)
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.apply_progress import ApplyProgress
from pytest_delta_schema.engine.gate import BatchedApplies
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.exchange.statements import parse_databricks_type
from pytest_delta_schema.execute import ABSENT, RowCounts
from pytest_delta_schema.execute.interruption import ApplyInterrupted
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules.consent import parse_consent
from pytest_delta_schema.sql import Statement, StatementKind, dotted, statements
from pytest_delta_schema.sql.data_check_queries import count_rows, first_broken, first_repeated, samples
from pytest_delta_schema.state import (
    ArrayState,
    CheckState,
    ColumnState,
    KeyState,
    MapState,
    StructState,
    state_from_json,
    state_json,
)
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.test_kit.effects import effect_on, versions_of
from pytest_delta_schema.testing.data_access import MemoryDataAccess
from pytest_delta_schema.testing.databricks import OtherObject
from pytest_delta_schema.testing.scenario import BOTH, LONG, TEXT, field, struct
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

    @pytest.fixture
    def catalog(self):
        return Doubled(Workspace(MemoryCatalog()))


ID = column(is_nullable=False)
PARENT, CHILD = "dev.silver.parents", "dev.silver.children"


@pytest.fixture
def workspace():
    return Workspace(MemoryCatalog())


def made(workspace, *models):
    Orchestrator.over(workspace.backend).sync_tables(models)
    return Doubled(workspace)


def test_a_property_that_open_source_delta_holds_under_another_key_is_not_set_on_databricks():
    own = {"pytest_delta_schema.property.delta.targetFileSize": "64mb"}
    catalog = Doubled(Workspace(MemoryCatalog([state(stored("id"), table_properties=own)])))

    observed = catalog.snapshot([table(column())]).tables[NAME]

    assert "delta.targetFileSize" not in observed.table_properties


KEYED: tuple[dict[str, list[str]], ...] = ({}, {"primary_key": ["id"]})


@pytest.mark.parametrize("number", [1, 10, 200])
def test_reading_takes_one_query_a_table_and_seven_more(workspace, number):
    """Of the seven, six are about the schema, and one is about the runtime."""
    models = [table(ID, name=f"dev.silver.t{index}", **KEYED[index % 2]) for index in range(number)]
    catalog = made(workspace, *models)
    workspace.asked.clear()

    state = catalog.snapshot(models)

    assert len(state.tables) == number
    assert len(workspace.asked) == 7 + number


def test_hidden_values_take_one_more(workspace):
    wanted = table(
        ID,
        Column("twice", LONG, generated_as="id * 2"),
        Column("n", LONG, identity=Identity(start=5, step=2)),
        Column("m", LONG, identity=Identity(always=False)),
        Column("s", TEXT, default="'x'"),
    )
    catalog = made(workspace, wanted)

    observed = catalog.snapshot([wanted]).tables[NAME]

    assert workspace.asked[-1].startswith("SHOW CREATE TABLE")
    assert Orchestrator.over(catalog).plan_tables([wanted]).is_empty
    assert [column.value and column.value[1:] for column in observed.columns] == [
        None,
        ("id * 2", None),
        (None, (5, 2, True)),
        (None, (1, 1, False)),
        (None, None),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        StatementError("[DELTA_OPERATION_NOT_ALLOWED] not supported", condition="DELTA_OPERATION_NOT_ALLOWED"),
        [{"createtab_stmt": "CREATE TABLE (("}],
        [],
    ],
    ids=["refused", "of another grammar", "no row"],
)
@pytest.mark.parametrize("rely", [True, False])
def test_what_a_create_statement_would_show_of_keys_is_not_compared(workspace, monkeypatch, answer, rely):
    parent = table(ID, name="dev.silver.parents", primary_key=["id"])
    wanted = table(
        ID,
        primary_key=PrimaryKey(["id"], rely=rely),
        foreign_keys=[ForeignKey(["id"], parent, name="fk", rely=rely)],
    )
    catalog, ask = made(workspace, parent, wanted), workspace.rows

    def rows(sql):
        if not sql.startswith("SHOW CREATE TABLE"):
            return ask(sql)
        if isinstance(answer, StatementError):
            raise answer
        return answer

    monkeypatch.setattr(workspace, "rows", rows)
    plan = Orchestrator.over(catalog).plan_tables([wanted])

    assert plan.is_empty
    text = "the catalog does not show whether queries may rely on key {}, which is not compared"
    assert [note.message for note in plan.notes] == [text.format("pk_dev_silver_orders__id"), text.format("fk")]
    observed = catalog.snapshot([wanted]).tables[NAME]
    assert [key.rely for key in (*observed.keys, *observed.foreign_keys)] == [None, None]
    assert state_from_json(state_json(observed)) == observed


@pytest.mark.parametrize("owns", ["manage", "report", "ignore"])
@pytest.mark.parametrize("is_shown", [True, False], ids=["shown", "hidden"])
def test_a_foreign_key_is_not_added_again_without_its_rely(workspace, monkeypatch, is_shown, owns):
    columns = (column(is_nullable=False), column("other", is_nullable=False))
    parent = table(*columns, name=PARENT, primary_key=["id", "other"])
    key = ForeignKey(["id", "other"], parent, name="fk", rely=True)
    catalog, ask = made(workspace, parent, table(*columns, name=CHILD, foreign_keys=[key])), workspace.rows
    child = table(*columns, name=CHILD, foreign_keys=[key], owns={"foreign_keys": owns})
    if not is_shown:
        hidden = StatementError("[PERMISSION_DENIED] no", condition="PERMISSION_DENIED")
        statement = f"SHOW CREATE TABLE {dotted(child.name)}"
        monkeypatch.setattr(workspace, "rows", lambda sql: refuse(hidden) if sql == statement else ask(sql))
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


def test_an_apply_reads_again_what_it_has_changed_alone(workspace):
    models = [table(ID, name=f"dev.silver.t{number}") for number in range(5)]
    catalog = made(workspace, *models)
    changed = [replace(models[0], comment="New"), *models[1:]]
    workspace.asked.clear()

    Orchestrator.over(catalog).sync_tables(changed)

    described = [sql for sql in workspace.asked if sql.startswith("DESCRIBE TABLE")]
    assert described[5:] == ["DESCRIBE TABLE EXTENDED `dev`.`silver`.`t0` AS JSON"]


def test_several_threads_ask_for_the_version_once(workspace, monkeypatch):
    models = [table(ID, name=f"dev.silver.t{number}") for number in range(20)]
    made(workspace, *models)
    ask = workspace.rows

    def slowly(sql):
        if sql == RUNTIME:
            time.sleep(0.05)
        return ask(sql)

    monkeypatch.setattr(workspace, "rows", slowly)
    workspace.asked.clear()

    DatabricksCatalog(workspace, read_threads=8).snapshot(models)

    assert len(workspace.asked) == 7 + 20


def test_an_interruption_begins_no_further_read_and_cancels_those_that_run(workspace, monkeypatch):
    models = [table(ID, name=f"dev.silver.t{number}") for number in range(50)]
    made(workspace, *models)
    cancelled, begun, ask = Event(), [], workspace.values

    def values(sql):
        begun.append(sql)
        if len(begun) == 1:
            raise KeyboardInterrupt
        assert cancelled.wait(10)
        return ask(sql)

    monkeypatch.setattr(workspace, "values", values)
    monkeypatch.setattr(workspace, "cancel", cancelled.set)

    with pytest.raises(KeyboardInterrupt):
        DatabricksCatalog(workspace, read_threads=2).snapshot(models)

    assert cancelled.is_set()
    assert len(begun) <= 4


def refuse(error):
    raise error


def late(workspace, monkeypatch, catalog, waits):
    """Let information_schema show what it showed now, until somebody has waited some times."""
    before, relations = workspace.relations(), workspace.relations
    monkeypatch.setattr(workspace, "relations", lambda: before if len(catalog.waited) < waits else relations())


@pytest.mark.parametrize("is_new", [True, False], ids=["table", "key"])
def test_an_apply_waits_until_information_schema_shows_it(workspace, monkeypatch, is_new):
    catalog = made(workspace, *([] if is_new else [table(ID)]))
    late(workspace, monkeypatch, catalog, 4)

    result = Orchestrator.over(catalog).sync_tables([table(ID, primary_key=["id"])])

    assert len(result.statements) == 1 + 2 * is_new
    assert catalog.waited == [1, 2, 4, 8]


def test_columns_are_not_waited_for(workspace, monkeypatch):
    catalog = made(workspace, table(ID))
    late(workspace, monkeypatch, catalog, 99)

    Orchestrator.over(catalog).sync_tables([table(ID, column("new"))])

    assert catalog.waited == []


@pytest.mark.parametrize(
    ("is_new", "error", "text"),
    [
        (
            True,
            ApplyError,
            "information_schema does not show it to this principal; give the principal SELECT or BROWSE",
        ),
        (False, ConvergenceError, r"\+ primary_key: \(absent\) -> pk_dev_silver_orders__id \(id\)"),
    ],
    ids=["table", "key"],
)
def test_an_apply_waits_for_a_minute_at_most(workspace, monkeypatch, is_new, error, text):
    catalog = made(workspace, *([] if is_new else [table(ID)]))
    late(workspace, monkeypatch, catalog, 99)

    with pytest.raises(error, match=text):
        Orchestrator.over(catalog).sync_tables([table(ID, primary_key=["id"])])

    assert sum(catalog.waited) == 60


@pytest.mark.parametrize(("waits", "status"), [(4, Status.APPLIED), (99, Status.FAILED)], ids=["late", "too late"])
def test_tables_that_are_created_at_once_are_waited_for(workspace, monkeypatch, waits, status):
    models = [table(ID, name=f"dev.silver.{name}") for name in "ab"]
    catalog = made(workspace)
    late(workspace, monkeypatch, catalog, waits)
    joint = BatchedApplies(Gate(catalog, models), models, ApplyProgress(), lambda *_: None)

    assert [joint.apply(model).status for model in models] == [status, status]
    assert sum(catalog.waited) == (15 if waits == 4 else 60)


def test_another_layout_is_refused_by_name(workspace):
    catalog = made(workspace, table(ID, column("day")))
    agreed = Settings(consents=(parse_consent("rewrite dev.silver.orders"),))

    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(catalog, settings=agreed).sync_tables([table(ID, column("day"), partitioned_by=["day"])])

    assert [(violation.code, violation.message) for violation in caught.value.diagnostics] == [
        (
            "DS218",
            (
                "the databricks backend cannot rewrite layout: no statement for it keeps the table's constraints"
                " and comments, and a transaction cannot be reached"
            ),
        ),
    ]


ROWS = "reads the rows of tables, which the databricks backend cannot; the backends that can are local, session, unity and memory"
COMMITS = "reads the commits of tables, which the databricks backend cannot; the backends that can are local, session and unity"


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda model, catalog: assert_table_equals(model, [], catalog=catalog), f"assert_table_equals {ROWS}"),
        (lambda model, catalog: state_text(model, version=0, catalog=catalog), f"state_text {COMMITS}"),
        (effect_on, f"delta_effect {COMMITS}"),
        (versions_of, f"delta_versions {COMMITS}"),
    ],
    ids=["assert_table_equals", "state_text", "delta_effect", "delta_versions"],
)
def test_rows_and_commits_are_refused_in_one_line(workspace, use, text):
    with pytest.raises(DeclarationError) as caught:
        use(table(column()), DatabricksCatalog(workspace))

    assert str(caught.value) == text


def test_older_versions_are_not_read(workspace):
    catalog = made(workspace, table(ID))

    assert catalog.introduced_by(NAME, [ColumnPath("id")]) == ()
    with pytest.raises(StatementError, match=r"^dev\.silver\.orders: this backend reads no schemas of older versions$"):
        catalog.past_columns(NAME, [ColumnPath("gone")])


class TestPermissionAndAbsence:
    """Rows of information_schema are limited to what a principal may see."""

    def test_a_table_that_is_not_shown_and_is_there_is_not_absent(self, workspace):
        catalog = made(workspace, table(ID))
        workspace.hidden.add(str(NAME))

        assert str(catalog.snapshot([table(ID)]).problems[NAME]) == (
            "dev.silver.orders: exists, and information_schema does not show it to this principal; give the principal"
            " SELECT or BROWSE on it [DS502 UnreadableTable]"
        )

    @pytest.mark.parametrize("where", ["information_schema.tables", "`orders`", "information_schema.schemata"])
    def test_a_refusal_is_never_an_absence(self, workspace, monkeypatch, where):
        catalog, ask = made(workspace, table(ID, name="dev.silver.other")), workspace.rows

        def deny(sql):
            if where in sql:
                msg = "[INSUFFICIENT_PERMISSIONS] User does not have USE SCHEMA"
                raise StatementError(msg, condition="INSUFFICIENT_PERMISSIONS")
            return ask(sql)

        monkeypatch.setattr(workspace, "rows", deny)

        assert str(catalog.snapshot([table(ID)]).problems[NAME]) == (
            "dev.silver.orders: cannot be read ([INSUFFICIENT_PERMISSIONS] User does not have USE SCHEMA); give the"
            " principal the permission, or repair the workspace [DS502 UnreadableTable]"
        )

    def test_a_version_that_cannot_be_read_is_no_absent_table(self, workspace, monkeypatch):
        catalog, ask = made(workspace, table(ID)), workspace.rows
        assert catalog.version(NAME) == 0
        assert catalog.version(NAME._replace(table="nope")) is ABSENT

        def deny(sql):
            if "HISTORY" in sql:
                msg = "[INSUFFICIENT_PERMISSIONS] User does not have SELECT"
                raise StatementError(msg, condition="INSUFFICIENT_PERMISSIONS")
            return ask(sql)

        monkeypatch.setattr(workspace, "rows", deny)

        assert str(catalog.version(NAME)) == (
            "dev.silver.orders: cannot be read ([INSUFFICIENT_PERMISSIONS] User does not have SELECT); give the principal"
            " the permission, or repair the workspace [DS502 UnreadableTable]"
        )

    def test_a_schema_that_is_not_shown_is_looked_at_by_itself(self, workspace, monkeypatch):
        catalog, ask = made(workspace, table(ID, name="dev.silver.other")), workspace.rows
        monkeypatch.setattr(workspace, "rows", lambda sql: [] if "schemata" in sql else ask(sql))

        observed = catalog.snapshot([table(ID), table(ID, name="dev.gold.orders")]).tables

        assert {(name.schema, table.exists, table.schema_exists) for name, table in observed.items()} == {
            ("silver", False, True),
            ("gold", False, False),
        }

    def test_a_parent_that_is_hidden(self, workspace):
        parent = table(ID, name=PARENT, primary_key=["id"])
        child = table(ID, column("parent"), name=CHILD, foreign_keys=[ForeignKey(["parent"], parent)])
        catalog = made(workspace, parent, child)
        workspace.hidden.add(PARENT)

        assert str(catalog.snapshot([child]).problems[child.name]).startswith(
            f"{CHILD}: foreign key fk_dev_silver_children__parent references a table that the principal cannot see",
        )


OTHERS = [
    ("v", "VIEW", None, "is a view, not a table; drop it"),
    ("mv", "MATERIALIZED_VIEW", None, "is a materialized view, not a table; drop it"),
    ("st", "STREAMING_TABLE", None, "is a streaming table, not a Delta table; declare the table under"),
    ("csv", "EXTERNAL", "CSV", "is a csv table, not a Delta table; convert it by CONVERT TO DELTA if it is parquet"),
]


def test_what_is_no_delta_table(workspace):
    catalog = made(workspace, table(ID))
    columns = (ColumnState("id", "bigint", is_nullable=False, comment=""),)
    rows = [NAME._replace(table=f"__materialization_mat_0f_{name}_1") for name in ("mv", "st")]
    workspace.objects += [
        OtherObject(NAME._replace(table=name), kind, data_format, columns) for name, kind, data_format, _ in OTHERS
    ]
    workspace.objects += [OtherObject(name, "MANAGED", "DELTA", columns) for name in rows]
    models = [table(ID, name=f"dev.silver.{name}") for name, *_ in OTHERS]
    readers = [replace(model, read_only=True) for model in models]

    state = catalog.snapshot(models)

    assert {name.table: other.kind for name, other in state.others.items()} == {
        "v": "view",
        "mv": "materialized view",
        "st": "streaming table",
        "csv": "csv table",
    }
    assert {other.columns for other in state.others.values()} == {columns}
    assert [name.table for name in catalog.table_names("dev", "silver")] == ["csv", "orders"]
    assert [name.table for name in catalog.view_names("dev", "silver")] == ["mv", "st", "v"]
    for (name, *_, message), reader in zip(OTHERS, readers, strict=True):
        problem = state.problems[NAME._replace(table=name)]
        assert str(problem).startswith(f"dev.silver.{name}: {message}")
        assert Gate(catalog, [reader]).drift(reader).status is Status.IN_SYNC


NO_JSON = {"DESCRIBE TABLE EXTENDED": StatementError("[PARSE_SYNTAX_ERROR] at 'AS'", condition="PARSE_SYNTAX_ERROR")}
NO_ANSWER = {
    **NO_JSON,
    "SHOW CREATE TABLE": StatementError("[PERMISSION_DENIED] no", condition="PERMISSION_DENIED"),
}
"""What a workspace refuses, so that only DESCRIBE DETAIL and information_schema are left."""


def test_a_type_that_is_malformed_is_a_damaged_table(workspace, monkeypatch):
    workspace.refused |= NO_ANSWER
    catalog, ask = made(workspace, table(ID)), workspace.rows
    monkeypatch.setattr(
        workspace,
        "rows",
        lambda sql: [{**row, **({"full_data_type": "array<>"} if "full_data_type" in row else {})} for row in ask(sql)],
    )

    assert "type array<> cannot be understood" in str(catalog.snapshot([table(ID)]).problems[NAME])


WRONG = [None, 5, -1.5, True, "x", [], [None], {}, {"a": None}, object()]


@pytest.mark.parametrize(
    ("where", "refused"),
    [
        ("information_schema.tables", {}),
        ("information_schema.columns", NO_ANSWER),
        ("key_column_usage", {}),
        ("_tags", {}),
        ("DETAIL", NO_ANSWER),
    ],
)
def test_rows_of_another_form_are_one_line_of_their_tables(workspace, monkeypatch, where, refused):
    """Every field of every kind of row, with every wrong value: no other error, no second line, and no absence."""
    workspace.refused |= refused
    parent = table(ID, name=PARENT, primary_key=["id"])
    model = table(
        ID,
        column("parent"),
        Column("n", LONG, identity=Identity()),
        foreign_keys=[ForeignKey(["parent"], parent)],
        tags={"a": "b"},
    )
    catalog, ask = made(workspace, parent, model), workspace.rows
    keys = {key for sql in _asked(workspace, catalog, model) if where in sql for row in ask(sql) for key in row}
    assert keys
    unreadable = 0
    for key, wrong in [(key, wrong) for key in sorted(keys) for wrong in [*WRONG, KeyError]]:

        def answer(sql, key=key, wrong=wrong):
            rows = ask(sql)
            if where not in sql:
                return rows
            return [
                {**row, key: wrong} if wrong is not KeyError else {k: v for k, v in row.items() if k != key}
                for row in rows
            ]

        monkeypatch.setattr(workspace, "rows", answer)
        state = catalog.snapshot([model])

        problem = state.problems.get(NAME)
        assert problem is not None or state.tables[NAME].exists, (key, wrong)
        assert "\n" not in str(problem), (key, wrong)
        unreadable += problem is not None
    assert unreadable > 5


def _asked(workspace, catalog, model):
    workspace.asked.clear()
    catalog.snapshot([model])
    return list(workspace.asked)


@pytest.mark.parametrize("rows", [[], [{}], [{"version": "x"}], [{"version": None}]])
def test_a_history_of_another_form_is_no_absent_table(workspace, monkeypatch, rows):
    catalog = made(workspace, table(ID))
    monkeypatch.setattr(workspace, "rows", lambda _: rows)

    assert str(catalog.version(NAME)).startswith("dev.silver.orders: cannot be read (the workspace returned")


@pytest.mark.parametrize("rows", [[{}], [{"table_name": 5, "table_type": "TABLE", "data_source_format": None}]])
def test_a_listing_of_another_form_is_no_empty_one(workspace, monkeypatch, rows):
    catalog = made(workspace, table(ID))
    monkeypatch.setattr(workspace, "rows", lambda _: rows)

    with pytest.raises(StatementError, match="the workspace returned rows of another form"):
        catalog.table_names("dev", "silver")


TYPES = {
    "bigint": "bigint",
    "DECIMAL(10, 2)": "decimal(10,2)",
    "timestamp_ntz": "timestamp_ntz",
    "array<varchar(5)>": ArrayState("varchar(5)", contains_null=True),
    "map<string,timestamp>": MapState("string", "timestamp", value_contains_null=True),
    "struct<a:int,`b.c`:struct<x:decimal(9,3),v:variant,n:void>>": StructState(
        (
            ColumnState("a", "int", is_nullable=True, comment=""),
            ColumnState(
                "b.c",
                StructState(
                    (
                        ColumnState("x", "decimal(9,3)", is_nullable=True, comment=""),
                        ColumnState("v", "variant", is_nullable=True, comment=""),
                        ColumnState("n", "void", is_nullable=True, comment=""),
                    ),
                ),
                is_nullable=True,
                comment="",
            ),
        ),
    ),
    "struct<a: int NOT NULL COMMENT 'it\\'s'>": StructState(
        (ColumnState("a", "int", is_nullable=False, comment="it's"),),
    ),
}


@pytest.mark.parametrize(("text", "state"), TYPES.items(), ids=TYPES)
def test_types_are_read_as_they_are_written(text, state):
    assert parse_databricks_type(text) == state


class Cursor:
    """What the connector gives, by PEP 249."""

    description: tuple[tuple[str], ...] = (("version",), ("operation",))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def execute(self, sql):
        if sql != "DESCRIBE":
            msg = "[TABLE_OR_VIEW_NOT_FOUND] The table cannot be found.\nat line 1"
            raise RuntimeError(msg)

    def fetchall(self):
        return [(3, "WRITE")]


class TestDoors:
    """The ways into a workspace; none of them has been opened to a real one."""

    def test_a_warehouse(self):
        closed = []
        connection = WarehouseConnection(SimpleNamespace(cursor=Cursor, close=lambda: closed.append(True)))

        assert connection.rows("DESCRIBE") == [{"version": 3, "operation": "WRITE"}]
        assert connection.values("DESCRIBE") == [(3, "WRITE")]
        with pytest.raises(StatementError) as caught:
            connection.rows("SELECT")
        connection.close()

        assert (str(caught.value), caught.value.condition) == (
            "[TABLE_OR_VIEW_NOT_FOUND] The table cannot be found.",
            "TABLE_OR_VIEW_NOT_FOUND",
        )
        assert closed == [True]

    def test_the_statements_of_all_threads_are_cancelled(self):
        cancelled, running = Event(), Event()

        class Waiting(Cursor):
            def execute(self, _sql):
                running.set()
                assert cancelled.wait(10)
                msg = "[OPERATION_CANCELED] cancelled"
                raise RuntimeError(msg)

            def cancel(self):
                cancelled.set()

        connection = WarehouseConnection(SimpleNamespace(cursor=Waiting))
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(connection.rows, "SELECT 1")
            assert running.wait(10)
            connection.cancel()

            with pytest.raises(StatementError, match="OPERATION_CANCELED"):
                answer.result(10)
        connection.cancel()

    @pytest.mark.parametrize("fails", [False, True])
    def test_the_operations_of_a_session_are_interrupted(self, fails):
        interrupted = []

        def interrupt():
            interrupted.append(True)
            if fails:
                raise RuntimeError

        SparkConnection(SimpleNamespace(interruptAll=interrupt)).cancel()

        assert interrupted == [True]

    def test_a_warehouse_is_entered_by_unified_authentication(self, monkeypatch):
        given, limits = {}, {}
        config = SimpleNamespace(host="https://x.cloud.example/", authenticate=lambda: {"Authorization": "Bearer t"})
        modules(
            monkeypatch,
            sql=SimpleNamespace(connect=lambda **how: given.update(how)),
            config=lambda **how: limits.update(how) or config,
        )

        connect_databricks("abc123", start_timeout=900)

        assert (given["server_hostname"], given["http_path"]) == ("x.cloud.example", "/sql/1.0/warehouses/abc123")
        assert given["credentials_provider"]()() == {"Authorization": "Bearer t"}
        assert given["_socket_timeout"] == 120
        assert given["_retry_stop_after_attempts_duration"] == 900
        assert limits == {"http_timeout_seconds": 30, "retry_timeout_seconds": 30}

    @pytest.mark.parametrize("way", ["environment", "request"])
    def test_a_token_that_the_connector_repeats_is_not_shown(self, monkeypatch, way):
        token = "dapi-0123456789-secret"  # noqa: S105 - of nobody

        class Repeating(Cursor):
            def execute(self, _sql):
                headers = given["credentials_provider"]()()
                msg = f"[X] at https://me:hunter2@x.cloud.example/?t=hunter2 with {headers} and b'{token}'"
                raise RuntimeError(msg)

        given = {}
        headers = {"Authorization": f"Bearer {token}"}
        config = SimpleNamespace(host="https://x.cloud.example", authenticate=lambda: headers)
        if way == "environment":
            monkeypatch.setenv("DATABRICKS_TOKEN", token)
            headers.clear()
        connection = SimpleNamespace(cursor=Repeating, close=lambda: None)
        modules(
            monkeypatch,
            sql=SimpleNamespace(connect=lambda **how: given.update(how) or connection),
            config=lambda **_: config,
        )

        with pytest.raises(StatementError) as caught:
            connect_databricks("abc").rows("SELECT 1")

        shown = "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
        error = shown[shown.rindex("StatementError") :]
        assert "https://***@x.cloud.example/?t=***" in error
        assert "hunter2" not in error
        assert "0123456789" not in error
        assert caught.value.__cause__ is caught.value.__context__ is None

    def test_a_secret_in_the_way_in_is_not_shown(self, monkeypatch):
        def refuse(**_):
            msg = "cannot parse https://me:hunter2@x with client-secret-qzxv"
            raise ValueError(msg)

        monkeypatch.setenv("DATABRICKS_CLIENT_SECRET", "client-secret-qzxv")
        modules(monkeypatch, sql=None, config=refuse)

        with pytest.raises(BackendUnavailableError) as caught:
            connect_databricks("abc")

        assert str(caught.value) == (
            "no credentials for Databricks were found (cannot parse https://***@x with ***); set DATABRICKS_HOST and"
            " DATABRICKS_TOKEN, or name a profile of the file .databrickscfg in DATABRICKS_CONFIG_PROFILE"
        )

    def test_a_warehouse_that_does_not_start_is_not_entered(self, monkeypatch):
        deleted = SimpleNamespace(state=SimpleNamespace(value="DELETED"), health=None)
        client = SimpleNamespace(warehouses=SimpleNamespace(get=lambda _: deleted))
        modules(monkeypatch, config=lambda **_: None, workspace=lambda config: client)  # noqa: ARG005 - as above

        with pytest.raises(
            BackendUnavailableError,
            match=r"^the SQL warehouse abc is deleted; set databricks_warehouse",
        ):
            connect_databricks("abc")

    def test_databricks_connect_where_there_is_no_runtime(self, monkeypatch):
        monkeypatch.delenv("DATABRICKS_RUNTIME_VERSION", raising=False)
        modules(monkeypatch, session=lambda: "spark")

        connection = connect_databricks()

        assert isinstance(connection, SparkConnection)
        assert connection.spark == "spark"

    @pytest.mark.parametrize(
        ("warehouse", "text"),
        [
            (
                "",
                (
                    r"^the databricks backend needs databricks-connect here, which cannot be imported \(.*\); use a SQL warehouse:"
                    r" pip install 'pytest-delta-schema\[databricks\]', and set databricks_warehouse = \"ID\"; or use a cluster:"
                    r" pip install 'databricks-connect==16\.4\.\*', with the version of its runtime$"
                ),
            ),
            (
                "abc",
                (
                    r"^the databricks backend needs databricks-sql-connector and databricks-sdk here, which cannot be imported"
                    r" \(.*\); pip install 'pytest-delta-schema\[databricks\]'$"
                ),
            ),
        ],
    )
    def test_what_is_not_installed_is_named(self, monkeypatch, warehouse, text):
        monkeypatch.delenv("DATABRICKS_RUNTIME_VERSION", raising=False)
        monkeypatch.setitem(sys.modules, "databricks", None)

        with pytest.raises(BackendUnavailableError, match=text):
            connect_databricks(warehouse)

    def test_without_credentials_their_variables_are_named(self, monkeypatch):
        def refuse(**_):
            msg = "default auth: cannot configure default credentials"
            raise ValueError(msg)

        modules(monkeypatch, sql=None, config=refuse)

        with pytest.raises(BackendUnavailableError, match=r"^no credentials .* set DATABRICKS_HOST and"):
            connect_databricks("abc")


def running(config):  # noqa: ARG001 - the interface of the SDK
    """Return a workspace in which each warehouse runs."""
    warehouse = SimpleNamespace(state=SimpleNamespace(value="RUNNING"), health=None)
    return SimpleNamespace(warehouses=SimpleNamespace(get=lambda _: warehouse))


def modules(monkeypatch, *, sql=None, config=None, session=None, workspace=running):
    """Put the connector's modules where they would be."""
    builder = SimpleNamespace(getOrCreate=session)
    monkeypatch.setitem(sys.modules, "databricks", SimpleNamespace(sql=sql))
    monkeypatch.setitem(sys.modules, "databricks.sdk", SimpleNamespace(WorkspaceClient=workspace))
    monkeypatch.setitem(sys.modules, "databricks.sdk.core", SimpleNamespace(Config=config))
    monkeypatch.setitem(
        sys.modules,
        "databricks.connect",
        SimpleNamespace(DatabricksSession=SimpleNamespace(builder=builder)),
    )


@pytest.mark.parametrize(
    ("runtime", "together"),
    [
        ("16.3.x-scala2.12", True),
        ("17.0", True),
        ("18.x-scala2.13", True),
        (None, True),
        ("15.4.x-photon-scala2.12", False),
        ("custom:local", False),
        ("", False),
    ],
)
def test_old_runtimes_alter_one_column_at_a_time(runtime, together):
    queries = []

    class Connection:
        values = None

        def rows(self, sql):
            queries.append(sql)
            if sql != RUNTIME:
                return []
            if runtime == "":
                raise StatementError("[UNRESOLVED_ROUTINE] current_version", condition="UNRESOLVED_ROUTINE")
            return [{"runtime": runtime}]

    both = table(column("a", comment="x"), Column("s", struct(field("f", comment="y"))), comment="z")
    there = Orchestrator.over(MemoryCatalog())
    there.sync_tables([table(column("a"), Column("s", struct(field("f"))))])
    (action,) = there.plan_tables([both]).actions
    catalog = DatabricksCatalog(Connection())
    for statement in statements(action):
        catalog.run(statement)

    name = "`dev`.`silver`.`orders`"
    comments = [
        f"ALTER TABLE {name} ALTER COLUMN\n  `a` COMMENT 'x'",
        f"ALTER TABLE {name} ALTER COLUMN\n  `s`.`f` COMMENT 'y'",
    ]
    one = f"ALTER TABLE {name} ALTER COLUMN\n  `a` COMMENT 'x',\n  `s`.`f` COMMENT 'y'"
    assert queries == [RUNTIME, *([one] if together else comments), f"COMMENT ON TABLE {name} IS 'z'"]


NATIVE = [
    "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n  `id` SET NOT NULL",
    "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`)",
    "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`",
]


def test_statements_run_as_they_are_shown(workspace):
    line = Orchestrator.over(made(workspace, table(column())))

    up = line.sync_tables([table(ID, primary_key=["id"])]).statements
    down = line.sync_tables([table(ID)]).statements

    assert [item.sql.replace("\n  ", " ").replace("\n", " ") for item in (*up, *down)] == [
        kind.replace("\n  ", " ") for kind in NATIVE
    ]


def test_a_lost_answer_about_the_runtime_is_asked_for_again():
    answers = [StatementError("no answer", condition="NO_CONNECTION"), [{"runtime": None}]]

    class Connection:
        values = None

        def rows(self, sql):
            answer = answers.pop(0) if sql == RUNTIME else []
            if isinstance(answer, StatementError):
                raise answer
            return answer

    catalog = DatabricksCatalog(Connection())
    statement = Statement(table=NAME, kind=StatementKind.ADD_UNIQUE, sql="")

    refusal = catalog.capabilities.refuses(statement)

    assert refusal is not None
    assert "the version of its runtime cannot be read (no answer)" in refusal.reason
    assert catalog.capabilities.refuses(statement) is None


class Unnamed(Cursor):
    """A cursor whose rows have columns of one name, as engines give to ``code <> 1`` and ``code <> '1'``."""

    description = (("n",), ("n",), ("n",))

    def execute(self, sql):
        self.sql = sql

    def fetchall(self):
        return [(0, ("a",), "x"), (1, ("b",), "y")] if "array" in self.sql else [(3, 1, 2)]


class TestEqualNames:
    """Answers whose columns have one name."""

    checks = (CheckState("a", "code <> 1"), CheckState("b", "code <> '1'"))

    def test_two_checks_are_two_counts_and_two_samples(self):
        catalog = DatabricksCatalog(WarehouseConnection(SimpleNamespace(cursor=Unnamed)))

        assert catalog.data_checks(NAME).count_rows(self.checks) == RowCounts(rows=3, broken=(1, 2))
        assert catalog.data_checks(NAME).count_rows(self.checks[:2], stop_early=True).broken == (3, 1)
        assert catalog.data_checks(NAME).sample_rows(self.checks, [["id"], ["id"]], number=1) == ((("a",),), (("b",),))

    def test_every_column_of_a_query_has_its_own_name(self):
        for sql in (
            count_rows("t", self.checks),
            first_broken("t", self.checks),
            first_repeated("t", KeyState("k", ("id",))),
            samples("t", self.checks[0], 0, shown=["id"], number=1),
        ):
            names = [column.alias for column in sqlglot.parse_one(sql, dialect="databricks").find(exp.Select).selects]
            assert names == [f"value_{number}" for number in range(len(names))]

    def test_rows_by_name_are_refused(self):
        connection = WarehouseConnection(SimpleNamespace(cursor=Unnamed))

        with pytest.raises(StatementError, match=r"^the workspace returned several columns of one name \(n\)$"):
            connection.rows("SELECT")


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("a.b", ["a.b"], ("a.b",)),
        ("a.b", ["a"], ("a", "b")),
        ("a.b", ["a", "a.b"], None),
        ("c", ["a"], ("c",)),
    ],
)
def test_a_clustering_text_with_two_meanings_is_an_error(text, names, expected):
    inner = StructState((ColumnState("b", "int", is_nullable=True, comment=""),))
    columns = [ColumnState(name, inner if name == "a" else "int", is_nullable=True, comment="") for name in names]

    if expected is None:
        with pytest.raises(ValueError, match=r"clustering column a\.b may be each of"):
            _path(text, columns)
    else:
        assert _path(text, columns) == expected


class TestChangesMeanwhile:
    """The queries about a schema are not of one moment."""

    @pytest.fixture(autouse=True)
    def _without_pauses(self, monkeypatch):
        monkeypatch.setattr("pytest_delta_schema.backends.concurrency.PAUSES", (0, 0, 0))

    @staticmethod
    def before(monkeypatch, workspace, text, change):
        """Do something before the first query with a text."""
        waiting, ask = [change], workspace.rows

        def rows(sql):
            if text in sql and waiting:
                waiting.pop()()
            return ask(sql)

        monkeypatch.setattr(workspace, "rows", rows)

    @staticmethod
    def gone():
        raise StatementError("[TABLE_OR_VIEW_NOT_FOUND] It is dropped", condition="TABLE_OR_VIEW_NOT_FOUND")

    def test_a_table_that_is_created_is_not_hidden(self, workspace, monkeypatch):
        catalog = made(workspace, table(ID))
        workspace.hidden.add(str(NAME))
        self.before(monkeypatch, workspace, "AS JSON", workspace.hidden.clear)

        assert catalog.snapshot([table(ID)]).tables[NAME].exists

    def test_a_table_that_is_replaced_can_be_read(self, workspace, monkeypatch):
        catalog = made(workspace, table(ID))
        self.before(monkeypatch, workspace, "AS JSON", self.gone)

        assert catalog.snapshot([table(ID)]).tables[NAME].exists

    def test_a_parent_whose_key_is_added_is_not_hidden(self, workspace, monkeypatch):
        parent = table(ID, name=PARENT, primary_key=["id"])
        child = table(ID, column("parent"), name=CHILD, foreign_keys=[ForeignKey(["parent"], parent)])
        catalog = made(workspace, parent, child)
        workspace.hidden.add(PARENT)
        self.before(monkeypatch, workspace, "SHOW CREATE", workspace.hidden.clear)

        assert len(catalog.snapshot([child]).tables[child.name].foreign_keys) == 1


FACTS = [
    (
        "a check is refused in a creation",
        None,
        table(ID, checks=[Check("positive", "id > 0")], primary_key=["id"]),
        [
            "CREATE TABLE `dev`.`silver`.`orders` ( `id` BIGINT NOT NULL ) USING DELTA",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 0)",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`)",
        ],
    ),
    (
        "two single quotes are two literals",
        table(column()),
        table(column(comment="It's")),
        ["ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `id` COMMENT 'It\\'s'"],
    ),
    (
        "a generated column cannot be added",
        table(column()),
        table(column(), Column("twice", LONG, generated_as="id * 2")),
        "UnsupportedGenerationChange",
    ),
    (
        "an identity cannot be added",
        table(column()),
        table(column(), Column("n", LONG, identity=Identity())),
        "UnsupportedGenerationChange",
    ),
    (
        "a column that a check uses changes its type without it",
        table(column("id", spark.IntegerType()), checks=[Check("positive", "id > 0")], table_properties=BOTH),
        table(column("id", LONG), checks=[Check("positive", "id > 0")], table_properties=BOTH),
        [
            "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`",
            "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `id` TYPE BIGINT",
            "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (id > 0)",
        ],
    ),
    (
        "a column that a generation uses keeps its type",
        table(
            column("id", spark.IntegerType()),
            Column("n", spark.IntegerType(), generated_as="id"),
            table_properties=BOTH,
        ),
        table(column("id", LONG), Column("n", spark.IntegerType(), generated_as="id"), table_properties=BOTH),
        "GeneratedColumnDependency",
    ),
    (
        "timestamp_ntz needs its feature first",
        table(column()),
        table(column(), column("at", spark.TimestampNTZType())),
        [
            "ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES ( 'delta.feature.timestampNtz' = 'supported' )",
            "ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS ( `at` TIMESTAMP_NTZ )",
        ],
    ),
    (
        "CREATE TABLE enables it by itself",
        None,
        table(column("at", spark.TimestampNTZType())),
        ["CREATE TABLE `dev`.`silver`.`orders` ( `at` TIMESTAMP_NTZ ) USING DELTA"],
    ),
    (
        "nested NOT NULL is an ordinary change",
        table(Column("s", struct(field("x", LONG, nullable=False)))),
        table(Column("s", struct(field("x", LONG)))),
        ["ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `s`.`x` DROP NOT NULL"],
    ),
    (
        "the key of a map is widened",
        table(Column("m", spark.MapType(spark.IntegerType(), TEXT)), table_properties=BOTH),
        table(Column("m", spark.MapType(LONG, TEXT)), table_properties=BOTH),
        ["ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `m`.`key` TYPE BIGINT"],
    ),
    (
        "clustering and partitioning exclude each other",
        None,
        table(column(), column("day"), clustered_by=["id"], partitioned_by=["day"]),
        "InvalidLayout",
    ),
    (
        "a clustered table is not partitioned by a statement",
        table(column(), column("day"), clustered_by=["id"]),
        table(column(), column("day"), partitioned_by=["day"]),
        "UnsupportedStatement",
    ),
    (
        "at most four keys",
        None,
        table(*map(column, "abcde"), clustered_by=[*"abcde"]),
        "InvalidLayout",
    ),
]
"""What workspaces have answered to others about writing (``testing/databricks.py`` refuses the opposite)."""


@pytest.mark.parametrize(("before", "after", "expected"), [fact[1:] for fact in FACTS], ids=[fact[0] for fact in FACTS])
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
        assert expected in [violation.rule for violation in caught.value.diagnostics]
    else:
        result = line.sync_tables([after])
        assert [" ".join(statement.sql.split()) for statement in result.statements] == expected


def test_a_creation_that_was_interrupted_before_its_check_is_resumed(workspace, monkeypatch):
    model = table(column(), checks=[Check("positive", "id > 0")])
    workspace.backend.create_schema("dev", "silver")
    catalog, run = Doubled(workspace), workspace.run

    def interrupted(statement):
        if statement.kind is StatementKind.ADD_CHECK:
            raise KeyboardInterrupt
        run(statement)

    monkeypatch.setattr(workspace, "run", interrupted)
    with pytest.raises(ApplyInterrupted):
        Orchestrator.over(catalog).sync_tables([model])
    monkeypatch.setattr(workspace, "run", run)

    result = Orchestrator.over(catalog).sync_tables([model])

    assert [statement.kind for statement in result.statements] == [StatementKind.ADD_CHECK]
    assert workspace.states()[NAME].checks == (CheckState("positive", "id > 0"),)


def test_what_the_double_refuses():
    """The facts of the table above hold because the double refuses the opposite of each."""
    wanted = table(column(), checks=[Check("positive", "id > 0")])
    workspace = Workspace(MemoryCatalog())
    (creation,) = statements(TablePlanner().creation(desired_state(wanted), creates_schema=False))

    with pytest.raises(StatementError, match=r"^\[UNSUPPORTED_CONSTRAINT\] Only PRIMARY KEY and FOREIGN KEY"):
        workspace.run(creation)
