"""Restore points: a table that stops midway is brought back, unless somebody else has committed since."""

from __future__ import annotations

import pytest

from pytest_delta_schema import (
    ActionRunner,
    ApplyError,
    BackendFailure,
    Orchestrator,
    SetTableComment,
    Statement,
    StatementKind,
)
from support.recording import Recording
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
            theirs = Statement(
                table=NAME, kind=StatementKind.COMMENT_TABLE, sql="", changes=(SetTableComment(comment="theirs"),)
            )
            super().run(theirs)
        super().run(statement)


def failing(*fail, rows=({"id": 1},), **options):
    return Busy([orders_before()], {NAME: rows}, fail=(StatementKind.ADD_PRIMARY_KEY, *fail), **options)


def way_back(catalog, restores=True) -> str:
    line = Orchestrator(catalog, ActionRunner.over(catalog, restores=restores))
    with pytest.raises(ApplyError) as caught:
        line.sync_tables([orders()])
    (text,) = [each for each in str(caught.value).splitlines() if "way back" in each]
    return text.removeprefix("  way back: ")


def state(catalog):
    return catalog.snapshot([orders()]).tables[NAME]


def test_a_table_that_stops_midway_is_brought_back():
    catalog = failing()

    assert way_back(catalog) == f"restored to version 0: {RESTORE}"

    assert state(catalog) == orders_before()
    assert catalog.version(NAME) == 3
    assert catalog.ran == ["add columns", "set not null", "restore table"]
    assert catalog.count_rows(NAME).rows == 1


def test_nothing_is_brought_back_unless_that_is_wanted():
    catalog = failing()

    assert way_back(catalog, restores=False) == RESTORE
    assert catalog.ran == ["add columns", "set not null"]


def test_nothing_is_brought_back_if_nothing_was_done():
    catalog = failing(StatementKind.ADD_COLUMNS)

    assert way_back(catalog) == "nothing was changed"
    assert catalog.ran == []


@pytest.mark.parametrize("kind", [StatementKind.ADD_COLUMNS, StatementKind.TIGHTEN_COLUMNS])
def test_nothing_is_brought_back_if_somebody_else_has_committed_since(kind):
    catalog = failing(beside=kind)

    expected = f"not restored, because somebody else has committed since; look at their changes, and then: {RESTORE}"
    assert way_back(catalog) == expected

    assert state(catalog).table_comment == "theirs"
    assert "restore table" not in catalog.ran


def test_somebody_who_is_faster_by_a_moment_loses_nothing():
    catalog = failing(beside=StatementKind.RESTORE_TABLE)

    expected = (
        f"not restored, because somebody else committed at that moment; look at their changes, and then: {RESTORE}"
    )
    assert way_back(catalog) == expected

    assert state(catalog).table_comment == "theirs"
    assert [each.name for each in state(catalog).columns] == ["id", "created_ts", "amount"]


def test_a_way_back_that_fails_is_told():
    catalog = failing(StatementKind.RESTORE_TABLE)

    assert way_back(catalog) == f"{RESTORE}, which failed: the disk is full"


def test_a_new_table_is_not_brought_back():
    catalog = Recording(fail=[StatementKind.ADD_PRIMARY_KEY])

    assert way_back(catalog).startswith("the table was new: DROP TABLE")


def test_the_memory_catalog_has_no_table_to_restore():
    with pytest.raises(BackendFailure, match=r"there is no table dev\.silver\.orders"):
        Recording().run(Statement(table=table(column()).name, kind=StatementKind.RESTORE_TABLE, sql=""))
