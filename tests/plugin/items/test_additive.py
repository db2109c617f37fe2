"""Undeclared columns in the gate: reported with the commit that introduced them, or accepted with a note."""

from __future__ import annotations

import pytest

CATALOG = """
from pytest_delta_schema import MemoryCatalog
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.state.states import IntroducedBy

EXTRA = ColumnState("extra", "double", True, "")

class Told(MemoryCatalog):
    def introduced_by(self, table, paths):
        {origins}
"""
TOLD = (
    'return tuple(IntroducedBy(path=path, version=3, operation="WRITE", time="2026-11-21 03:00:00",'
    ' user_metadata="nightly load") for path in paths)'
)
NOTE = (
    "*note: column extra was appended by a writer, in version 3, WRITE of 2026-11-21 03:00:00 UTC ('nightly load'):"
    ' declare it, drop it, or accept such columns with Table(evolution="additive")*'
)


def conftest(project, origins=TOLD):
    project.catalog('Told([stored("dev.silver.t", ID, EXTRA)])')
    project.extend_conftest(CATALOG.format(origins=origins))


def test_the_gate_names_the_commit_that_introduced_a_column(project):
    conftest(project)
    project.models('t = table("dev.silver.t", Column("id", LongType(), is_nullable=False))')

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*columns.extra*double -> (not in the model)*", NOTE])


def test_it_is_reported_where_the_contract_only_reports(project):
    conftest(project)
    project.models('t = table("dev.silver.t", Column("id", LongType(), is_nullable=False), owns=["types"])')

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([NOTE])


def test_a_history_that_cannot_be_read_never_hides_the_drift(project):
    conftest(project, 'raise StatementError("the log is gone")')
    project.models('t = table("dev.silver.t", Column("id", LongType(), is_nullable=False))')

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*columns.extra*", "*note: the commit that added extra is not known: the log is gone*"]
    )


@pytest.mark.parametrize("option", ["--delta-drift", "--delta-apply"])
def test_an_additive_contract_accepts_it_with_a_note(project, option):
    conftest(project)
    project.models('t = table("dev.silver.t", Column("id", LongType(), is_nullable=False), evolution="additive")')

    result = project.run(option, "-m", "delta_drift or delta_apply")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*column extra (double) is not in the model, and stays because the contract is addi*"])


def test_an_unknown_evolution_is_refused_where_it_is_written(project):
    project.models('t = table("dev.silver.t", Column("id", LongType()), evolution="open")')

    result = project.run()

    result.stdout.fnmatch_lines(["*dev.silver.t: evolution is 'open'; write one of strict, additive*"])
