"""Ctrl-C and SIGTERM during ``pytest --delta-apply``: what is shown, how the process ends, and what is left alone."""

from __future__ import annotations

import signal

import pytest

from support.plugin_project import CATALOG, ORDERS, SHARED

MORE = """
later = table("dev.silver.zz_later", Column("id", LongType()))
"""
CONFTEST = """
import os
from pytest_delta_schema import MemoryCatalog
from pytest_delta_schema.execute import interruption
from pytest_delta_schema.plugin import interruption as interruption_report

# Nothing that these tests wait for has a time limit that a slow machine could exceed.
interruption.READING = interruption_report.LIMIT = 300

class Stopped(MemoryCatalog):
    number = 0

    def run(self, statement):
        self.number += 1
        if self.number == {number} and {when!r} == "before":
            os.kill(os.getpid(), {signum:d})
        super().run(statement)
        if self.number == {number} and {when!r} == "after":
            os.kill(os.getpid(), {signum:d})

@pytest.fixture(scope="session")
def delta_catalog():
    return Stopped([stored("dev.silver.orders", OLD, ColumnState("created_ts", "timestamp", True, ""))])
"""
RESTORE = "  to restore:  RESTORE TABLE `dev`.`silver`.`orders` TO VERSION AS OF 0"


@pytest.mark.parametrize(("signum", "number", "when"), [(signal.SIGINT, 1, "before"), (signal.SIGTERM, 3, "after")])
def test_what_an_interruption_shows(project, signum, number, when):
    project.models(ORDERS + MORE)
    head = CATALOG.partition("@pytest.fixture")[0]
    project.pytester.makeconftest(head + CONFTEST.format(signum=signum, number=number, when=when))

    result = project.apply_in_new_session()

    assert result.returncode == (2 if signum == signal.SIGINT else -15), result.stdout + result.stderr
    committed = when == "after"
    title = "delta schema: interrupted" if signum == signal.SIGINT else "delta schema: ended by SIGTERM"
    assert title in result.stdout
    assert f"dev.silver.orders: interrupted in statement {number} of 6\n" in result.stdout
    outcome = f"committed (the table is at version {number})" if committed else "not committed"
    at = "" if committed else f" (the table is at version {number - 1})"
    assert f"  running, {outcome}{at}:\n" in result.stdout
    assert (RESTORE if number > 1 or committed else "  to restore:  nothing was changed") in result.stdout
    assert "  to continue: apply again; the next plan starts from what is done\n" in result.stdout
    assert "not begun: dev.silver.zz_later\n" in result.stdout
    assert "Traceback" not in result.stdout + result.stderr
    assert "memory/catalog.py" not in result.stdout


def test_only_an_apply_takes_the_signal_over_and_gives_it_back(project):
    SHARED["handler"] = handler = signal.getsignal(signal.SIGTERM)
    project.models(ORDERS)
    project.catalog("MemoryCatalog()")
    project.pytester.makepyfile(
        test_signal="""
        import signal
        from support.plugin_project import SHARED
        assert signal.getsignal(signal.SIGTERM) is SHARED["handler"]
        def test_it():
            assert signal.getsignal(signal.SIGTERM) is SHARED["handler"]
        """,
    )

    for args in (["--delta-drift"], ["--delta-apply", "--collect-only"]):
        result = project.run("test_signal.py", *args)

        assert "AssertionError" not in result.stdout.str()
    project.run("--delta-apply", "-m", "delta_apply", "models.py").assert_outcomes(passed=1)
    assert signal.getsignal(signal.SIGTERM) is handler
    project.run("-o", "addopts=--delta-apply", "test_signal.py").stdout.fnmatch_lines(["*AssertionError*"])
