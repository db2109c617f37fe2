"""Diagnostics as text."""

from __future__ import annotations

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location


def test_a_diagnostic_shows_the_parts_that_it_has():
    parts = [{"code": "DS103", "rule": "EmptyTable", "remedy": "declare one"}, {"remedy": "declare one"}]
    parts += [{"rule": "EmptyTable"}, {}]

    assert [str(Diagnostic(table="dev.a.b", message="has no columns", **part)) for part in parts] == [
        "dev.a.b: has no columns; declare one [DS103 EmptyTable]",
        "dev.a.b: has no columns; declare one",
        "dev.a.b: has no columns [EmptyTable]",
        "dev.a.b: has no columns",
    ]


def test_a_diagnostic_escapes_what_a_terminal_would_interpret():
    assert str(Diagnostic(table="dev.a.b", message="has \x1b[31m")) == "dev.a.b: has \\u001b[31m"


def test_a_location_reads_as_editors_take_it():
    assert str(Location("shop/models.py", 7)) == "shop/models.py:7"
    assert str(Location("shop/models.py", 7, column=5, end_line=9)) == "shop/models.py:7:5"
