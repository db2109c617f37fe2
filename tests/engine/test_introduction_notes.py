"""The notes that name the commit which added a column."""

from __future__ import annotations

import pytest

from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.engine.plan_outcomes import introduction_note
from pytest_delta_schema.state.states import IntroducedBy
from support.tables import NAME

TIME = "2026-11-21 03:00:00"


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (
            IntroducedBy(
                path=ColumnPath("discount"), version=3, operation="WRITE", time=TIME, user_metadata="nightly load"
            ),
            (
                "column discount was appended by a writer, in version 3, WRITE of 2026-11-21 03:00:00 UTC ('nightly load'):"
                ' declare it, drop it, or accept such columns with Table(evolution="additive")'
            ),
        ),
        (
            IntroducedBy(
                path=ColumnPath("lines", "element", "sku"), version=12, operation="STREAMING UPDATE", time=TIME
            ),
            (
                "column lines.element.sku was appended by a writer, in version 12, STREAMING UPDATE of 2026-11-21 03:00:00"
                ' UTC: declare it, drop it, or accept such columns with Table(evolution="additive")'
            ),
        ),
        (
            IntroducedBy(path=ColumnPath("note"), version=1, operation="ADD COLUMNS", time=TIME),
            "column note came with version 1, ADD COLUMNS of 2026-11-21 03:00:00 UTC",
        ),
    ],
)
def test_a_column_that_a_write_added_differs_from_one_that_a_statement_added(origin, text):
    note = introduction_note(NAME, origin)

    assert (note.table, note.path, note.message) == (str(NAME), ".".join(origin.path), text)
