"""Colours on a terminal, and what -q leaves out."""

from __future__ import annotations

import re
from io import StringIO
from types import SimpleNamespace

import pytest
from _pytest._io import TerminalWriter

from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.plugin.compat import failure_at, show_lines_with
from pytest_delta_schema.plugin.terminal import markup_of
from support.plugin_project import ORDERS

BEFORE = "MemoryCatalog([stored('dev.silver.orders', OLD, ColumnState('created_ts', 'timestamp', True, ''))])"
GREEN, RED, YELLOW = "\x1b[32m", "\x1b[31m", "\x1b[33m"


@pytest.mark.parametrize(
    ("line", "markup"),
    [
        ("  + columns.a  (absent) -> int", {"green": True}),
        ("  - columns.a  int -> (absent)", {"red": True}),
        ("  ~ columns.a.type  int -> bigint", {"yellow": True}),
        ("    ~ columns.a.type  int -> bigint", {"yellow": True}),
        ("  ! dev.silver.orders: it is wrong", {"red": True}),
        ("  drifted     dev.silver.orders has drifted", {"red": True}),
        ("  unreadable  dev.silver.orders: no log", {"red": True}),
        ("  applied     dev.silver.orders, 1 change", {"green": True}),
        ("  unused      the consent", {"red": True}),
        ("  note        a note", {}),
        ("  -- scan", {}),
        ("  ALTER TABLE `a`", {}),
        ("drift: 1 drifted", {}),
        ("  +", {}),
        ("", {}),
    ],
)
def test_lines(line, markup):
    assert markup_of(line) == markup


@pytest.mark.parametrize("status", Status, ids=str)
def test_every_status_has_a_colour(status):
    colour = "green" if status.passes else "red" if status.fails else "yellow"
    assert markup_of(f"  {status.value:<10}  dev.silver.orders") == {colour: True}


@pytest.mark.parametrize(
    "text",
    [
        "  + a\n  - b\n",
        "  + a\n\n  - b",
        "  + `a\r\n::error::x`\n",
        "  + `a\r::error::x`\n",
        "  + `a\x85::error::x`\n",
        "  + `a\u2028::error::x\x0b`\n",
        "",
    ],
)
def test_colours_add_no_line_end(text):
    report = SimpleNamespace(longrepr=failure_at("shop/models.py", 3, "headline", text))
    plain, coloured = StringIO(), StringIO()
    writer = TerminalWriter(coloured)
    writer.hasmarkup = True

    report.longrepr.toterminal(TerminalWriter(plain))
    show_lines_with(report, markup_of)
    report.longrepr.toterminal(writer)

    assert ("\x1b[32m  + " in coloured.getvalue()) is bool(text)
    assert re.sub("\x1b\\[\\d*m", "", coloured.getvalue()) == plain.getvalue()


@pytest.fixture
def drifted(project):
    project.models(ORDERS)
    project.catalog(BEFORE)
    return project


def test_a_terminal_shows_changes_with_colours(drifted):
    result = drifted.run("--delta-drift", "-m", "delta_drift", "--color=yes")

    lines = result.stdout.str().splitlines()
    assert any(line.startswith(f"{GREEN}  + columns.") for line in lines)
    assert any(line.startswith(f"{YELLOW}  ~ columns.") for line in lines)
    assert any(line.startswith(f"{RED}  drifted     dev.silver.orders has drifted") for line in lines)


@pytest.mark.parametrize("option", ["--color=no", "--junitxml=junit.xml"])
def test_other_texts_have_none(drifted, option):
    result = drifted.run("--delta-drift", "-m", "delta_drift", option)

    assert "\x1b" not in result.stdout.str()
    assert "  + columns." in result.stdout.str()
    junit = drifted.path / "junit.xml"
    assert option == "--color=no" or "#x1B" not in junit.read_text("utf-8")


def test_a_quiet_run_leaves_out_sql(drifted):
    result = drifted.run("--delta-drift", "-m", "delta_drift", "-q")

    shown = result.stdout.str()
    assert "  + columns." in shown
    assert "ALTER TABLE" not in shown
    assert "to align the catalog: pytest --delta-apply" in shown


def test_a_quiet_apply_lists_tables_without_their_changes(drifted):
    result = drifted.run("--delta-apply", "-m", "delta_apply", "-q")

    result.stdout.fnmatch_lines(["  applied     dev.silver.orders, *"])
    assert "columns.amount" not in result.stdout.str()
