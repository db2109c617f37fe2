"""The orchestrator: what a caller of the engine gets, in success and in failure, and how a table is restored."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from pytest_delta_schema import (
    ApplyError,
    Check,
    DeltaSchemaError,
    InvalidModelError,
    MemoryCatalog,
    Orchestrator,
    Parquet,
    Settings,
    UnsafePlanError,
)
from pytest_delta_schema.diagnostics.errors import (
    ApplyErrors,
    CatalogReadError,
    MetadataSyncError,
    StatementError,
    diagnostic_of,
)
from pytest_delta_schema.diagnostics.faults import FailedMetadataSync, UnreadableTable
from pytest_delta_schema.engine import orchestrator
from pytest_delta_schema.plan import SetTableComment
from pytest_delta_schema.sql import Statement, StatementKind
from pytest_delta_schema.state import CatalogState, SourceState
from support.catalogs import Recording
from support.models import NAME, column, orders, orders_before, state, stored, table
from support.snapshots import TextSnapshot

OTHER = NAME._replace(table="other")


def test_creations_run_before_alignments_and_tables_by_name():
    catalog = Recording([orders_before()])
    models = [orders(), table(column(), name="dev.silver.z"), table(column(), name="dev.gold.a")]

    result = Orchestrator.over(catalog).sync_tables(models)

    tables = list(dict.fromkeys(str(statement.table) for statement in result.statements))
    assert tables == ["dev.gold.a", "dev.silver.z", "dev.silver.orders"]


def test_faults_in_models_and_a_refused_plan_run_nothing_at_all():
    class Unread(MemoryCatalog):
        def snapshot(self, models):  # noqa: ARG002 - the port's signature
            raise AssertionError("read")

    catalog = Recording([orders_before(), state(stored(), stored("old"), name=OTHER)])

    with pytest.raises(InvalidModelError):
        Orchestrator.over(Unread()).sync_tables([table()])
    with pytest.raises(UnsafePlanError):
        Orchestrator.over(catalog).sync_tables([orders(), table(column(), name=str(OTHER))])
    assert catalog.ran == []


def test_an_apply_returns_one_result_a_table():
    """What failed does not hide what ran for the others, which are read back and synchronised."""
    unchanged, new, failing = (table(column(), name=f"dev.silver.{name}") for name in ("other", "new", "failing"))
    catalog = Recording([orders_before(), state(stored(), name=OTHER)], fail=[(StatementKind.CREATE_TABLE, "failing")])

    result = Orchestrator.over(catalog).apply([orders(), unchanged, new, failing])

    ended = {tables.table.table: (len(tables.statements), tables.is_complete) for tables in result.tables}
    assert ended == {"orders": (6, True), "other": (0, False), "new": (1, True), "failing": (0, False)}
    assert [tables.table.table for tables in result.tables if tables.error is not None] == ["failing"]
    assert isinstance(result.error, ApplyError)


@pytest.mark.parametrize("call", ["plan_tables", "sync_tables", "apply"])
def test_tables_that_cannot_be_read_are_all_named_and_nothing_runs(call):
    class Damaged(Recording):
        def snapshot(self, models):
            problems = {model.name: diagnostic_of(UnreadableTable, model.name, "is damaged") for model in models}
            return CatalogState(tables={}, problems=problems)

    catalog = Damaged()

    with pytest.raises(CatalogReadError) as caught:
        getattr(Orchestrator.over(catalog), call)([orders(), table(column(), name="dev.silver.a")])

    assert [fault.table for fault in caught.value.diagnostics] == ["dev.silver.a", "dev.silver.orders"]
    assert catalog.ran == []


class Busy(Recording):
    """A catalog in which somebody else sets the comment, once, beside a statement of the given kind."""

    def __init__(self, *args, beside=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.beside = beside

    def run(self, statement):
        if statement.kind is self.beside:
            self.beside = None
            foreign = Statement(
                table=NAME,
                kind=StatementKind.COMMENT_TABLE,
                sql="",
                changes=(SetTableComment(comment="theirs"),),
            )
            super().run(foreign)
        super().run(statement)


class Lost(Recording):
    """A catalog to which the connection is lost in a statement; whether that has committed is known later, if ever.

    Args:
        commits: Whether the statement has run all the same.
        comes_back: Whether the catalog can be asked again afterwards.
    """

    def __init__(self, *args, commits, comes_back, **kwargs):
        super().__init__(*args, **kwargs)
        self.commits, self.comes_back = commits, comes_back
        self.is_lost = False

    def run(self, statement):
        if self.commits:
            super().run(statement)
        self.is_lost = True
        msg = "connection lost"
        raise StatementError(msg)

    def version(self, table):
        if self.is_lost and not self.comes_back:
            msg = "connection refused"
            raise StatementError(msg)
        return super().version(table)


class NotReadBack(Recording):
    """Cannot be read after a statement."""

    def snapshot(self, models):
        if self.ran:
            raise StatementError("no route")
        return super().snapshot(models)


class Moving(Recording):
    """Gets a row without an id after the data checks."""

    def run(self, statement):
        super().run(statement)
        if statement.kind is StatementKind.ADD_COLUMNS:
            self.insert(NAME, [{"id": None}])


class UnreadableRows(Recording):
    """Refuses to read rows.

    Args:
        call: The call that it refuses; all of them if it is empty.
        error: What it raises.
    """

    def __init__(self, *args, call="", error, **kwargs):
        super().__init__(*args, **kwargs)
        self.call, self.error = call, error

    def data_checks(self, table):
        if not self.call:
            raise self.error

        def refuse(*_, **__):
            raise self.error

        runner = super().data_checks(table)
        calls = {"count_rows": runner.count_rows, "sample_rows": runner.sample_rows}
        return SimpleNamespace(**calls | {self.call: refuse})


NO_FILE = StatementError("File file:/x.parquet does not exist.\nmore", condition="FAILED_READ_FILE.FILE_NOT_EXIST")
KINDS = StatementKind


def failures():
    """Yield names, catalogs, models and settings of applies that fail; without models, the one of the orders."""
    restores = Settings(on_failure="restore")
    rows, key = {"rows": {NAME: [{"id": 1}]}}, [KINDS.ADD_PRIMARY_KEY]
    noted = table(column(), comment="Orders", table_properties={"note": "x"})
    new, other = (table(column(), name=f"dev.silver.{name}") for name in ("new", "other"))
    registered = table(column(), comment="Orders", convert_from=Parquet("/lake/orders"))
    source = SourceState(provider="delta", path="/lake/orders", files=1)
    two = [table(column(is_nullable=False), name=f"dev.silver.{name}") for name in "ab"]
    there = [state(stored(), name=model.name) for model in two]
    checked = [table(column(), checks=[Check("positive", "id > 0")])]

    def before(*fail, of=Recording, **options):
        return of([orders_before()], fail=fail, **options)

    yield "a statement midway", before(*key), {}
    yield "the last statement", before(KINDS.SET_PROPERTIES), {}
    for kind in (KINDS.CREATE_SCHEMA, KINDS.CREATE_TABLE, KINDS.ADD_PRIMARY_KEY):
        yield f"a new table, {kind.value}", Recording(fail=[kind]), {}
        yield f"a new table, {kind.value}, to restore", Recording(fail=[kind]), {"settings": restores}
    old = state(stored(), source=source, version=17)
    yield "a registered table", Recording([old], fail=[KINDS.COMMENT_TABLE]), {"models": [registered]}
    yield "rows that refuse", before(rows={NAME: [{"id": None}, {"id": 1}]}), {"models": [orders(), new]}
    yield "rows that refuse later", before(of=Moving), {}
    yield "is not as it should be", before(ignore=[KINDS.COMMENT_TABLE, KINDS.ADD_PRIMARY_KEY]), {}
    yield "is not read back", NotReadBack([state(stored(), version=4)]), {"models": [noted]}
    yield "two are not read back", NotReadBack(), {"models": [new, other]}
    gone = StatementError("the session is gone")
    yield "rows of several tables", UnreadableRows(there, error=gone), {"models": two}
    for call, error in (("count_rows", NO_FILE), ("sample_rows", NO_FILE), ("sample_rows", gone)):
        catalog = UnreadableRows([state(stored())], call=call, error=error, rows={NAME: [{"id": 0}]})
        yield f"{call}: {str(error).splitlines()[0]}", catalog, {"models": checked}
    named = UnreadableRows([state(stored())], call="count_rows", error=StatementError(f"{NAME}: no"))
    yield "rows of a named table", named, {"models": checked}
    several = [orders_before(), state(stored(), name=other.name)]
    fails = Recording(several, rows={NAME: [{}]}, fail=[(KINDS.CREATE_TABLE, "new")], ignore=[KINDS.COMMENT_TABLE])
    yield "all of them", fails, {"models": [orders(), replace(other, comment="Left"), new]}

    yield "is restored", before(*key, **rows), {"settings": restores}
    yield "nothing to restore", before(KINDS.ADD_COLUMNS), {"settings": restores}
    yield "the restore fails", before(*key, KINDS.RESTORE_TABLE), {"settings": restores}
    for kind in (KINDS.ADD_COLUMNS, KINDS.TIGHTEN_COLUMNS, KINDS.RESTORE_TABLE):
        yield f"somebody commits beside {kind.value}", before(*key, of=Busy, beside=kind), {"settings": restores}
    for commits, comes_back in ((False, True), (True, True), (True, False)):
        for settings in (Settings(), restores):
            case = f"lost, commits: {commits}, comes back: {comes_back}, {settings.on_failure}"
            catalog = before(of=Lost, commits=commits, comes_back=comes_back, **rows)
            yield case, catalog, {"settings": settings}


def told(name, catalog, models=(), settings=None):
    """Return the error of an apply, what ran, and what there is afterwards."""
    with pytest.raises((DeltaSchemaError, ApplyErrors)) as caught:
        Orchestrator.over(catalog, settings=settings).sync_tables(models or [orders()])
    error = caught.value
    lines = [f"==== {name}", f"{type(error).__name__}: {error}"]
    for part in getattr(error, "exceptions", [error]):
        parts = {key: getattr(part, key) for key in ("version", "condition") if hasattr(part, key)}
        if isinstance(part, ApplyError):
            parts |= {"code": part.fault.code, "done": len(part.done), "not run": len(part.not_run)}
        lines.append(f"-- {type(part).__name__}: {parts}")
    lines.append(f"-- ran: {', '.join(catalog.ran) or 'nothing'}")
    state = catalog._tables.get(NAME)
    if state is not None:
        names = ", ".join(column.name for column in state.columns)
        rows = len(catalog._rows.get(NAME, ()))
        version = MemoryCatalog.version(catalog, NAME)
        lines.append(f"-- there: {names}; comment {state.table_comment!r}; version {version}; {rows} rows")
    return "\n".join(lines)


def test_what_a_failed_apply_says(snapshot):
    texts = [told(name, catalog, **how) for name, catalog, how in failures()]

    assert "\n\n".join(texts) + "\n" == snapshot(extension_class=TextSnapshot)


def test_an_entry_that_is_not_synchronised_fails_its_own_table_only(monkeypatch):
    def refused(*_):
        raise MetadataSyncError([diagnostic_of(FailedMetadataSync, OTHER, "the server is gone")])

    monkeypatch.setattr(orchestrator, "sync_stale_entries", refused)
    models = [table(column(), comment="Orders"), table(column(), name=str(OTHER))]

    result = Orchestrator.over(Recording([state(stored()), state(stored(), name=OTHER)])).apply(models)

    errors = {tables.table: tables.error for tables in result.tables if tables.error is not None}
    assert {name: type(error) for name, error in errors.items()} == {OTHER: MetadataSyncError}
