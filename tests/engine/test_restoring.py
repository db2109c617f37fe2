"""Restore points: a table that stops midway is restored, unless another writer has committed since."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema import ApplyError, Orchestrator
from pytest_delta_schema.diagnostics.errors import Diagnostic, StatementError
from pytest_delta_schema.execute import ActionRunner
from pytest_delta_schema.execute.protocols import ABSENT, version_of
from pytest_delta_schema.plan import SetTableComment
from pytest_delta_schema.sql import Statement, StatementKind
from pytest_delta_schema.state.states import CatalogState
from support.recording_catalog import Recording
from support.tables import NAME, column, orders, orders_before, table

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
                table=NAME, kind=StatementKind.COMMENT_TABLE, sql="", changes=(SetTableComment(comment="theirs"),)
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


def state(catalog):
    return catalog.snapshot([orders()]).tables[NAME]


def test_a_table_that_stops_midway_is_restored():
    catalog = failing()

    assert to_restore(catalog) == f"restored to version 0: {RESTORE}"

    assert state(catalog) == orders_before()
    assert catalog.version(NAME) == 3
    assert catalog.ran == ["add columns", "set not null", "restore table"]
    assert catalog.data_checks(NAME).count_rows().rows == 1


def test_nothing_is_restored_unless_that_is_wanted():
    catalog = failing()

    assert to_restore(catalog, restores=False) == RESTORE
    assert catalog.ran == ["add columns", "set not null"]


def test_nothing_is_restored_if_nothing_was_done():
    catalog = failing(StatementKind.ADD_COLUMNS)

    assert to_restore(catalog) == "nothing was changed"
    assert catalog.ran == []


@pytest.mark.parametrize("kind", [StatementKind.ADD_COLUMNS, StatementKind.TIGHTEN_COLUMNS])
def test_nothing_is_restored_if_another_writer_has_committed_since(kind):
    catalog = failing(beside=kind)

    expected = f"not restored, because somebody else has committed since; look at their changes, and then: {RESTORE}"
    assert to_restore(catalog) == expected

    assert state(catalog).table_comment == "theirs"
    assert "restore table" not in catalog.ran


def test_a_writer_who_commits_right_before_the_restore_loses_nothing():
    catalog = failing(beside=StatementKind.RESTORE_TABLE)

    expected = (
        f"not restored, because somebody else committed at that moment; look at their changes, and then: {RESTORE}"
    )
    assert to_restore(catalog) == expected

    assert state(catalog).table_comment == "theirs"
    assert [column.name for column in state(catalog).columns] == ["id", "created_ts", "amount"]


def test_a_restore_that_fails_is_reported():
    catalog = failing(StatementKind.RESTORE_TABLE)

    assert to_restore(catalog) == f"{RESTORE}, which failed: the disk is full"


def test_a_new_table_is_not_restored():
    catalog = Recording(fail=[StatementKind.ADD_PRIMARY_KEY])

    assert to_restore(catalog).startswith("the table was new: DROP TABLE")


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


@pytest.mark.parametrize("restores", [True, False])
@pytest.mark.parametrize("case", WAYS_BACK)
def test_a_table_that_cannot_be_read_after_a_statement_is_not_reported_as_absent(case, restores):
    answer, text = WAYS_BACK[case]
    catalog = Unreachable(
        [orders_before()], rows={NAME: [{"id": 1}]}, fail=[StatementKind.ADD_PRIMARY_KEY], answer=answer, after=2
    )

    assert to_restore(catalog, restores) == text
    assert catalog.ran == ["add columns", "set not null"]


@pytest.mark.parametrize("answer", [DAMAGED, ABSENT])
def test_a_restored_table_that_cannot_be_read_is_not_reported_as_restored(answer):
    catalog = Unreachable(
        [orders_before()], rows={NAME: [{"id": 1}]}, fail=[StatementKind.ADD_PRIMARY_KEY], answer=answer, after=3
    )

    assert to_restore(catalog) == (
        f"unknown, because it cannot be read whether this has restored the table: {RESTORE}; see its history"
    )


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (DAMAGED, "its Delta log is damaged; restore the log"),
        (ABSENT, "the table does not exist any more; find out who dropped it since the plan was made"),
    ],
)
def test_nothing_runs_on_a_table_that_has_become_unreadable_since_it_was_planned(answer, cause):
    catalog = Unreachable([orders_before()], rows={NAME: [{"id": 1}]}, answer=answer, after=0)

    with pytest.raises(ApplyError) as caught:
        Orchestrator.over(catalog).sync_tables([orders()])

    head, *_, back, _ = str(caught.value).splitlines()
    assert head == f"dev.silver.orders: statement 1 of 6 failed: {cause}"
    assert back == "  to restore:  nothing was changed"
    assert catalog.ran == []


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (DAMAGED, "unknown, because the table cannot be read now: its Delta log is damaged; restore the log"),
        (ABSENT, "the table does not exist, nothing is lost"),
    ],
)
def test_a_new_table_that_cannot_be_read_is_not_reported_as_absent(answer, text):
    catalog = Unreachable(fail=[StatementKind.ADD_PRIMARY_KEY], answer=answer, after=1)

    assert to_restore(catalog) == text


def test_a_catalog_without_versions_is_reported():
    state = CatalogState(tables={NAME: replace(orders_before(), version=None)})

    assert str(version_of(state, NAME)) == (
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


@pytest.mark.parametrize("restores", [True, False])
@pytest.mark.parametrize(
    ("commits", "comes_back", "expected"),
    [
        (False, True, "nothing was changed"),
        (
            True,
            True,
            (
                "version 1 was committed meanwhile, by this statement or by somebody else;"
                " see DESCRIBE HISTORY `dev`.`silver`.`orders`"
            ),
        ),
        (
            True,
            False,
            (
                "unknown, because the table cannot be read now: connection refused;"
                f" when it can be, see DESCRIBE HISTORY `dev`.`silver`.`orders`; then: {RESTORE}"
            ),
        ),
    ],
)
def test_a_first_statement_in_which_the_connection_is_lost_may_have_committed(commits, comes_back, expected, restores):
    catalog = Lost([orders_before()], rows={NAME: [{"id": 1}]}, commits=commits, comes_back=comes_back)

    assert to_restore(catalog, restores) == expected
