"""The text that tells who brought a column."""

from __future__ import annotations

import pytest

from pytest_delta_schema.report.introduced_text import origin_notes
from pytest_delta_schema.state.introduced_by import IntroducedBy
from support.tables import NAME


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (
            IntroducedBy(("discount",), 3, "WRITE", "2026-11-21 03:00:00", "nightly load"),
            (
                "column discount was appended by a writer, in version 3, WRITE of 2026-11-21 03:00:00 UTC ('nightly load'):"
                ' declare it, drop it, or accept such columns with Table(evolution="additive")'
            ),
        ),
        (
            IntroducedBy(("lines", "element", "sku"), 12, "STREAMING UPDATE", "2026-11-21 03:00:00"),
            (
                "column lines.element.sku was appended by a writer, in version 12, STREAMING UPDATE of 2026-11-21 03:00:00"
                ' UTC: declare it, drop it, or accept such columns with Table(evolution="additive")'
            ),
        ),
        (
            IntroducedBy(("note",), 1, "ADD COLUMNS", "2026-11-21 03:00:00"),
            "column note came with version 1, ADD COLUMNS of 2026-11-21 03:00:00 UTC",
        ),
    ],
)
def test_a_writer_is_told_from_a_hand(origin, text):
    (note,) = origin_notes(NAME, [origin])

    assert (note.table, note.path, note.message) == (NAME, ".".join(origin.path), text)
