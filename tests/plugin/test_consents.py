"""Consents in the project's file and on the command line, which have to be of use; see ``engine/test_checks.py``."""

from __future__ import annotations

import pytest

from support.plugin_project import MODELS, consent

WANTED = """
def wanted(name):
    return table(name, Column("id", LongType(), is_nullable=False), table_properties={"delta.columnMapping.mode": "name"})

orders = wanted("dev.silver.orders")
lines = wanted("dev.silver.lines")
"""
HELD = """MemoryCatalog([
    stored(name, ID, OLD._replace(name="legacy"), table_properties={"delta.columnMapping.mode": "name"})
    for name in ("dev.silver.orders", "dev.silver.lines")
])"""
ANY = "dev.silver.*.LEGACY"
UNUSED = "  unused      consent 'drop-column dev.silver.[*].gone' (moved to payments) was needed by no table of this run; remove it"
APPLY = ("--delta-apply", "-m", "delta_apply")
DRIFT = ("--delta-drift", "-m", "delta_drift")


@pytest.fixture
def held(project):
    project.models(WANTED)
    project.catalog(HELD)
    return project


def test_an_entry_that_nothing_needs_fails_a_run_that_looked_at_everything(held):
    held.settings(MODELS, consent(ANY))
    needed = held.run(*APPLY)
    held.settings(MODELS, consent(ANY), consent("dev.silver.*.gone"))
    result = held.run(*APPLY)
    part = held.run(*APPLY, "-k", "orders")

    needed.assert_outcomes(passed=2)
    assert needed.ret == 0
    assert result.ret == 1
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([UNUSED])
    assert "LEGACY" not in result.stdout.str()
    assert part.ret == 0
    assert "was needed by no table" not in part.stdout.str()


def test_an_expired_entry_stops_a_run_with_a_catalog(project):
    project.settings(consent(ANY, expires="2001-01-01"))
    text = "consent 'drop-column dev.silver.*{}' expired at the end of 2001-01-01 in UTC ({}); remove it, or renew it"
    of_run = (
        "--delta-set=allow=[{ action = 'drop-column', path = 'dev.silver.**', reason = 'x', expires = 2001-01-01 }]"
    )

    assert project.faults("-m", "delta_rules") == project.faults("--delta-against=main") == []
    assert project.faults("--delta-apply") == [text.format(".legacy", "moved to payments")]
    assert project.faults("--delta-drift", of_run) == [text.format("*", "x")]


def test_consents_to_break_contracts_are_of_no_concern_to_plans(held):
    held.settings(
        MODELS,
        consent(ANY),
        consent("dev.silver.**", action="break", expires="2001-01-01"),
        consent("dev.gold.**", action="break"),
    )
    options = held.options()

    result = held.run(*DRIFT, "--delta-allow=break no.such.table")

    assert options.expired_consents == ("break dev.silver.**",)
    assert [str(one) for one in options.settings.project_consents] == [
        "drop-column dev.silver.*.legacy",
        "break dev.gold.**",
    ]
    assert result.parseoutcomes() == {"failed": 2}
    for text in ("unused", "consent 'break", "expired at the end"):
        assert text not in result.stdout.str()


NEVER = (
    "consent 'drop-column dev.silver.orders.legcy' names no column of dev.silver.orders, and none of its older versions has"
    " one; fix or remove it"
)


@pytest.mark.parametrize(
    ("mode", "workers"),
    [("--delta-apply", []), ("--delta-drift", ["-n2", "--delta-backend=memory"])],
    ids=["apply", "drift with xdist"],
)
def test_a_column_that_never_existed_is_a_usage_error(held, mode, workers):
    never = "--delta-allow=drop-column dev.silver.orders.legcy"
    allowed = [f"--delta-allow=drop-column dev.silver.{table}.legacy" for table in ("orders", "lines")]

    result = held.run(mode, never, *allowed, "-m", "delta_drift or delta_apply", *workers)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    # Once as the error of a check, and once in the summary, for whichever worker was first.
    assert result.outlines.count(NEVER) == 2
    assert result.parseoutcomes()["errors"] == 1
    assert "statements run" not in result.stdout.str()
    assert result.parseoutcomes().get("passed", 0) == 0


def test_a_name_without_a_table_is_a_usage_error_before_anything_is_read(held):
    result = held.run("--delta-apply", "--delta-allow=drop-column dev.silver.order.x")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    fact = "names no table of this run; collected are dev.silver.lines, dev.silver.orders"
    assert result.stderr.str().strip() == f"ERROR: consent 'drop-column dev.silver.order.x' {fact}"
