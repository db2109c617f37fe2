"""The orchestrator: what a caller of the engine gets, in success and in failure, and how a table is restored."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from pytest_delta_schema import ApplyError, Check, InvalidModelError, MemoryCatalog, Orchestrator, UnsafePlanError
from pytest_delta_schema.diagnostics.errors import (
    ApplyErrors,
    CatalogReadError,
    ConvergenceError,
    Diagnostic,
    MetadataSyncError,
    StatementError,
    diagnostic_of,
)
from pytest_delta_schema.diagnostics.faults import FailedMetadataSync, UnreadableTable
from pytest_delta_schema.engine import orchestrator
from pytest_delta_schema.execute import ABSENT, ActionRunner, AlignExecutor, CreateExecutor, version_of
from pytest_delta_schema.plan import SetTableComment, TablePlanner
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.sql import Statement, StatementKind
from pytest_delta_schema.state import CatalogState
from support.catalogs import Recording
from support.models import NAME, column, orders, orders_before, state, stored, table


def test_the_pieces_are_given_one_by_one_or_left_to_the_defaults():
    catalog = MemoryCatalog([orders_before()])
    runner = ActionRunner(CreateExecutor(catalog), AlignExecutor(catalog))

    result = Orchestrator(catalog, runner, planner=TablePlanner(), validator=PlanValidator()).sync_tables([orders()])

    assert len(result.statements) == 6
    assert Orchestrator(catalog, runner).sync_tables([orders()]).plan.is_empty


def test_creations_run_before_alignments_and_tables_by_name():
    catalog = Recording([orders_before()])
    models = [orders(), table(column(), name="dev.silver.z"), table(column(), name="dev.gold.a")]

    result = Orchestrator.over(catalog).sync_tables(models)

    tables = list(dict.fromkeys(str(statement.table) for statement in result.statements))
    assert tables == ["dev.gold.a", "dev.silver.z", "dev.silver.orders"]


def test_faults_in_models_stop_everything_before_the_catalog_is_read():
    class Unread(MemoryCatalog):
        def snapshot(self, models):  # noqa: ARG002 - the port's signature
            raise AssertionError("read")

    with pytest.raises(InvalidModelError):
        Orchestrator.over(Unread()).sync_tables([table()])


def test_a_refused_plan_runs_nothing_at_all():
    catalog = Recording([orders_before(), state(stored(), stored("old"), name=NAME._replace(table="other"))])

    with pytest.raises(UnsafePlanError):
        Orchestrator.over(catalog).sync_tables([orders(), table(column(), name="dev.silver.other")])

    assert catalog.ran == []


def test_data_that_refuses_leaves_its_table_alone_and_lets_the_others_go_on():
    catalog = Recording([orders_before()], rows={NAME: [{"id": None}, {"id": 1}]})

    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(catalog).sync_tables([orders(), table(column(), name="dev.silver.new")])

    assert str(caught.value) == (
        "dev.silver.orders: column id cannot be NOT NULL, because 1 row holds NULL in it, of 2;"
        " fill them (they are listed by SELECT * FROM `dev`.`silver`.`orders` WHERE `id` IS NULL),"
        " or declare it nullable [DS301 NullsInColumn]"
    )
    assert catalog.ran == ["create table"]
    assert catalog.snapshot([orders()]).tables[NAME] == orders_before()


def test_a_failure_midway_reports_every_statement_and_the_next_apply_continues():
    catalog = Recording([orders_before()], fail=[StatementKind.ADD_PRIMARY_KEY])

    with pytest.raises(ApplyError) as caught:
        Orchestrator.over(catalog).sync_tables([orders()])

    assert str(caught.value) == (
        "dev.silver.orders: statement 3 of 6 failed: the disk is full\n"
        "second line\n"
        "  done:\n"
        "    ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (\n"
        "      `amount` DECIMAL(18,2)\n"
        "    );\n"
        "    ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n"
        "      `id` SET NOT NULL;\n"
        "  failed:\n"
        "    ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);\n"
        "  not run:\n"
        "    ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN\n"
        "      `amount` COMMENT 'Order total',\n"
        "      `created_ts` COMMENT 'Creation time',\n"
        "      `id` COMMENT 'Order ID';\n"
        "    COMMENT ON TABLE `dev`.`silver`.`orders` IS 'Orders table';\n"
        "    ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (\n"
        "      'delta.autoOptimize.optimizeWrite' = 'true'\n"
        "    );\n"
        "  to restore:  RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0\n"
        "  to continue: fix the cause and apply again; the next plan starts from what is done"
    )
    assert (caught.value.table, caught.value.version) == ("dev.silver.orders", 0)
    assert (len(caught.value.done), len(caught.value.not_run)) == (2, 3)
    assert caught.value.failed.startswith("ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT")

    catalog.fail = ()
    assert len(Orchestrator.over(catalog).sync_tables([orders()]).statements) == 4


def test_how_to_restore_after_a_failed_creation():
    steps = {
        StatementKind.CREATE_SCHEMA: "nothing was changed",
        StatementKind.CREATE_TABLE: "the table does not exist, nothing is lost",
        StatementKind.ADD_PRIMARY_KEY: "the table was new: DROP TABLE IF EXISTS `dev`.`silver`.`orders`",
    }
    for fail, text in steps.items():
        with pytest.raises(ApplyError) as caught:
            Orchestrator.over(Recording(fail=[fail])).sync_tables([orders()])

        assert f"  to restore:  {text}\n" in str(caught.value)
        assert caught.value.version is None


def test_data_that_changes_after_its_check_is_a_failure_midway():
    class Moving(Recording):
        def run(self, statement):
            super().run(statement)
            if statement.kind is StatementKind.ADD_COLUMNS:
                self.insert(NAME, [{"id": None}])

    with pytest.raises(ApplyError, match=r"statement 2 of 6 failed: dev\.silver\.orders: column id cannot be NOT NULL"):
        Orchestrator.over(Moving([orders_before()])).sync_tables([orders()])


def test_tables_whose_rows_cannot_be_read_are_all_reported_and_nothing_runs():
    class Unreadable(Recording):
        def data_checks(self, table):
            raise StatementError(f"the files of {table.table} are gone")

    names = [NAME._replace(table=name) for name in "abc"]
    catalog = Unreadable([state(stored(), name=name) for name in names])
    models = [table(column(is_nullable=name.table == "c"), column("new"), name=str(name)) for name in names]

    with pytest.raises(ApplyErrors) as caught:
        Orchestrator.over(catalog).sync_tables(models)

    assert [(type(error), str(error).partition(";")[0]) for error in caught.value.exceptions] == [
        (StatementError, "dev.silver.a: its rows cannot be read: the files of a are gone"),
        (StatementError, "dev.silver.b: its rows cannot be read: the files of b are gone"),
    ]
    assert catalog.ran == []


def test_tightening_alone_that_the_data_refuses_in_the_end_changed_nothing():
    class Late(MemoryCatalog):
        def data_checks(self, table):
            runner = super().data_checks(table)

            def count_rows(*checks, **how):
                counts = runner.count_rows(*checks, **how)
                self.insert(NAME, [{}])
                return counts

            return SimpleNamespace(count_rows=count_rows, sample_rows=runner.sample_rows)

    with pytest.raises(UnsafePlanError):
        Orchestrator.over(Late([state(stored())])).sync_tables([table(column(is_nullable=False))])


def test_an_apply_that_does_not_converge_reports_the_remaining_changes():
    catalog = Recording([orders_before()], ignore=[StatementKind.COMMENT_TABLE, StatementKind.ADD_PRIMARY_KEY])

    with pytest.raises(ConvergenceError) as caught:
        Orchestrator.over(catalog).sync_tables([orders()])

    assert str(caught.value) == (
        "after the apply the catalog still differs, which is a defect of this tool or of the backend:\n"
        "  dev.silver.orders: + primary_key: (absent) -> pk_dev_silver_orders__id (id)\n"
        "  dev.silver.orders: ~ comment: '' -> 'Orders table'"
    )


DONE = """\
  done:
    COMMENT ON TABLE `dev`.`silver`.`orders` IS 'Orders';
    ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
      'note' = 'x'
    );
  to restore:  RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 4
  to continue: fix the cause and apply again; the next plan starts from what is done"""


def test_an_apply_that_cannot_be_read_back_reports_the_statements_that_ran():
    class NotReadBack(Recording):
        def snapshot(self, models):
            if self.ran:
                raise StatementError("no route")
            return super().snapshot(models)

    model = table(column(), comment="Orders", table_properties={"note": "x"})

    with pytest.raises(ApplyError) as caught:
        Orchestrator.over(NotReadBack([state(stored(), version=4)])).sync_tables([model])

    headline = "dev.silver.orders: all 2 statements ran, and then the table could not be read back: no route\n"
    assert str(caught.value) == headline + DONE
    assert (len(caught.value.done), caught.value.failed, caught.value.not_run) == (2, "", ())
    assert (caught.value.version, caught.value.fault.code) == (4, "DS604")


def test_an_apply_whose_entry_is_not_synchronised_reports_the_statements_that_ran(monkeypatch):
    def refused(*_):
        raise MetadataSyncError([diagnostic_of(FailedMetadataSync, NAME, "the server is gone")])

    monkeypatch.setattr(orchestrator, "sync_stale_entries", refused)
    model = table(column(), comment="Orders", table_properties={"note": "x"})

    with pytest.raises(ApplyError) as caught:
        Orchestrator.over(Recording([state(stored(), version=4)])).sync_tables([model])

    assert str(caught.value) == (
        "dev.silver.orders: all 2 statements ran, and then its catalog entry could not be synchronised:"
        f" dev.silver.orders: the server is gone [DS603 FailedMetadataSync]\n{DONE}"
    )


UNREADABLE = "dev.silver.orders: its rows cannot be read: "
ROW_FAULTS = {
    "missing": (
        "FAILED_READ_FILE.FILE_NOT_EXIST",
        "File file:/x.parquet does not exist.\nmore",
        (
            f"{UNREADABLE}File file:/x.parquet does not exist.; restore the data files of its newest version, or restore a"
            " version whose files exist"
        ),
    ),
    "other": ("", "the session is gone", f"{UNREADABLE}the session is gone; fix the cause and run again"),
    "named": ("", "dev.silver.orders: no", "dev.silver.orders: no"),
}


@pytest.mark.parametrize(
    ("call", "case"),
    [("count_rows", "missing"), ("count_rows", "named"), ("sample_rows", "missing"), ("sample_rows", "other")],
)
def test_rows_that_cannot_be_read_are_those_of_a_named_table(call, case):
    condition, fault, message = ROW_FAULTS[case]

    class Unreadable(Recording):
        def data_checks(self, table):
            runner = super().data_checks(table)
            calls = {"count_rows": runner.count_rows, "sample_rows": runner.sample_rows}
            return SimpleNamespace(**calls | {call: refuse})

    def refuse(*_, **__):
        raise StatementError(fault, condition=condition)

    catalog = Unreadable([state(stored())], rows={NAME: [{"id": 0}]})

    with pytest.raises(StatementError) as caught:
        Orchestrator.over(catalog).sync_tables([table(column(), checks=[Check("positive", "id > 0")])])

    assert (str(caught.value), caught.value.condition, catalog.ran) == (message, condition, [])


OTHER = NAME._replace(table="other")


def test_an_apply_returns_one_result_a_table():
    """What failed does not hide what ran for the others, which are read back and synchronised."""
    unchanged, new, failing = (table(column(), name=f"dev.silver.{name}") for name in ("other", "new", "failing"))
    catalog = Recording([orders_before(), state(stored(), name=OTHER)], fail=[(StatementKind.CREATE_TABLE, "failing")])

    result = Orchestrator.over(catalog).apply([orders(), unchanged, new, failing])

    ended = {tables.table.table: (len(tables.statements), tables.is_complete) for tables in result.tables}
    assert ended == {"orders": (6, True), "other": (0, False), "new": (1, True), "failing": (0, False)}
    assert [tables.table.table for tables in result.tables if tables.error is not None] == ["failing"]
    assert isinstance(result.error, ApplyError)


def test_tables_that_fail_after_each_other_are_reported_together():
    """One table is refused by its rows, one fails, one is not as it should be after its apply."""
    left = table(column(), name="dev.silver.left", comment="Left")
    failing = table(column(), name="dev.silver.failing")
    catalog = Recording(
        [orders_before(), state(stored(), name=NAME._replace(table="left"))],
        rows={NAME: [{}]},
        fail=[(StatementKind.CREATE_TABLE, "failing")],
        ignore=[StatementKind.COMMENT_TABLE],
    )

    with pytest.raises(ApplyErrors) as caught:
        Orchestrator.over(catalog).sync_tables([orders(), left, failing])

    assert [type(error) for error in caught.value.exceptions] == [ApplyError, ConvergenceError, UnsafePlanError]
    assert "dev.silver.failing: statement 1 of 1 failed: the disk is full" in str(caught.value)
    assert "dev.silver.orders: column id cannot be NOT NULL" in str(caught.value)


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


def test_an_entry_that_is_not_synchronised_fails_its_own_table_only(monkeypatch):
    def refused(*_):
        raise MetadataSyncError([diagnostic_of(FailedMetadataSync, OTHER, "the server is gone")])

    monkeypatch.setattr(orchestrator, "sync_stale_entries", refused)
    models = [table(column(), comment="Orders"), table(column(), name=str(OTHER))]

    result = Orchestrator.over(Recording([state(stored()), state(stored(), name=OTHER)])).apply(models)

    errors = {tables.table: tables.error for tables in result.tables if tables.error is not None}
    assert {name: type(error) for name, error in errors.items()} == {OTHER: MetadataSyncError}


RESTORE = "RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0"


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


def failing(*fail, rows=({"id": 1},), **options):
    return Busy([orders_before()], rows={NAME: rows}, fail=(StatementKind.ADD_PRIMARY_KEY, *fail), **options)


def to_restore(catalog, restores=True) -> str:
    line = Orchestrator(catalog, ActionRunner.over(catalog, restores=restores))
    with pytest.raises(ApplyError) as caught:
        line.sync_tables([orders()])
    (text,) = [line for line in str(caught.value).splitlines() if "to restore" in line]
    return text.removeprefix("  to restore:  ")


def orders_state(catalog):
    return catalog.snapshot([orders()]).tables[NAME]


def test_a_table_that_stops_midway_is_restored():
    catalog = failing()

    assert to_restore(catalog) == f"restored to version 0: {RESTORE}"

    assert orders_state(catalog) == orders_before()
    assert catalog.version(NAME) == 3
    assert catalog.ran == ["add columns", "set not null", "restore table"]
    assert catalog.data_checks(NAME).count_rows().rows == 1


def test_when_nothing_is_restored():
    begun = ["add columns", "set not null"]
    new = "the table was new: DROP TABLE IF EXISTS `dev`.`silver`.`orders`"
    cases = {
        "not wanted": (failing(), False, RESTORE, begun),
        "nothing was done": (failing(StatementKind.ADD_COLUMNS), True, "nothing was changed", []),
        "fails": (failing(StatementKind.RESTORE_TABLE), True, f"{RESTORE}, which failed: the disk is full", begun),
        "a new table": (Recording(fail=[StatementKind.ADD_PRIMARY_KEY]), True, new, ["create schema", "create table"]),
    }
    for case, (catalog, restores, text, ran) in cases.items():
        assert (case, to_restore(catalog, restores), catalog.ran) == (case, text, ran)


@pytest.mark.parametrize("kind", [StatementKind.ADD_COLUMNS, StatementKind.TIGHTEN_COLUMNS])
def test_nothing_is_restored_if_another_writer_has_committed_since(kind):
    catalog = failing(beside=kind)

    expected = f"not restored, because somebody else has committed since; look at their changes, and then: {RESTORE}"
    assert to_restore(catalog) == expected

    assert orders_state(catalog).table_comment == "theirs"
    assert "restore table" not in catalog.ran


def test_a_writer_who_commits_right_before_the_restore_loses_nothing():
    catalog = failing(beside=StatementKind.RESTORE_TABLE)

    expected = (
        f"not restored, because somebody else committed at that moment; look at their changes, and then: {RESTORE}"
    )
    assert to_restore(catalog) == expected

    assert orders_state(catalog).table_comment == "theirs"
    assert [column.name for column in orders_state(catalog).columns] == ["id", "created_ts", "amount"]


def test_the_memory_catalog_has_no_table_to_restore():
    with pytest.raises(StatementError, match=r"there is no table dev\.silver\.orders"):
        Recording().run(Statement(table=table(column()).name, kind=StatementKind.RESTORE_TABLE, sql=""))


class Unreachable(Recording):
    """A catalog whose table gives another answer to the question for its version from some statement on.

    Args:
        answer: What it answers then.
        after: After how many statements.
    """

    def __init__(self, *args, answer, after, **kwargs):
        super().__init__(*args, **kwargs)
        self.answer, self.after = answer, after

    def version(self, table):
        return super().version(table) if len(self.ran) < self.after else self.answer


DAMAGED = Diagnostic(table=str(NAME), message="its Delta log is damaged", remedy="restore the log")
WAYS_BACK = {
    "unreadable": (
        DAMAGED,
        f"unknown, because the table cannot be read now: its Delta log is damaged; restore the log; then: {RESTORE}",
    ),
    "gone": (
        ABSENT,
        "the table does not exist any more, although none of these statements drops it; find out who dropped it",
    ),
}


def unreachable(answer, after):
    return Unreachable(
        [orders_before()],
        rows={NAME: [{"id": 1}]},
        fail=[StatementKind.ADD_PRIMARY_KEY],
        answer=answer,
        after=after,
    )


@pytest.mark.parametrize("case", WAYS_BACK)
def test_a_table_that_cannot_be_read_after_a_statement_is_not_reported_as_absent(case):
    answer, text = WAYS_BACK[case]
    for restores in (True, False):
        catalog = unreachable(answer, after=2)

        assert to_restore(catalog, restores) == text
        assert catalog.ran == ["add columns", "set not null"]


@pytest.mark.parametrize("answer", [DAMAGED, ABSENT])
def test_a_restored_table_that_cannot_be_read_is_not_reported_as_restored(answer):
    assert to_restore(unreachable(answer, after=3)) == (
        f"unknown, because it cannot be read whether this has restored the table: {RESTORE}; see its history"
    )


def test_nothing_runs_on_a_table_that_has_become_unreadable_since_it_was_planned():
    causes = [
        (DAMAGED, "its Delta log is damaged; restore the log"),
        (ABSENT, "the table does not exist any more; find out who dropped it since the plan was made"),
    ]
    for answer, cause in causes:
        catalog = unreachable(answer, after=0)

        with pytest.raises(ApplyError) as caught:
            Orchestrator.over(catalog).sync_tables([orders()])

        head, *_, back, _ = str(caught.value).splitlines()
        assert head == f"dev.silver.orders: statement 1 of 6 failed: {cause}"
        assert back == "  to restore:  nothing was changed"
        assert catalog.ran == []


def test_a_new_table_that_cannot_be_read_is_not_reported_as_absent():
    texts = [
        (DAMAGED, "unknown, because the table cannot be read now: its Delta log is damaged; restore the log"),
        (ABSENT, "the table does not exist, nothing is lost"),
    ]
    for answer, text in texts:
        assert to_restore(Unreachable(fail=[StatementKind.ADD_PRIMARY_KEY], answer=answer, after=1)) == text


def test_a_catalog_without_versions_is_reported():
    orders_state = CatalogState(tables={NAME: replace(orders_before(), version=None)})

    assert str(version_of(orders_state, NAME)) == (
        "dev.silver.orders: its catalog does not show its version; read its history with DESCRIBE HISTORY"
        " [DS511 UnknownVersion]"
    )


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


HISTORY = "see DESCRIBE HISTORY `dev`.`silver`.`orders`"
LOST = [
    ({"commits": False, "comes_back": True}, "nothing was changed"),
    (
        {"commits": True, "comes_back": True},
        f"version 1 was committed meanwhile, by this statement or by somebody else; {HISTORY}",
    ),
    (
        {"commits": True, "comes_back": False},
        (
            "unknown, because the table cannot be read now: connection refused;"
            f" when it can be, {HISTORY}; then: {RESTORE}"
        ),
    ),
]


@pytest.mark.parametrize("restores", [True, False])
def test_a_first_statement_in_which_the_connection_is_lost_may_have_committed(restores):
    for how, expected in LOST:
        assert to_restore(Lost([orders_before()], rows={NAME: [{"id": 1}]}, **how), restores) == expected
