"""The tables of ``examples/adoption``, which Spark SQL has made, come under contract and stay there without a JVM."""

from __future__ import annotations

import runpy
import shutil

import pytest

from support.pages import ROOT

EXAMPLE = ROOT / "examples" / "adoption"
TEAM = runpy.run_path(str(EXAMPLE / "team.py"))


@pytest.fixture
def team(local):
    """Run statements of the team in plain Spark SQL."""
    local.create_schema("dev", "silver")

    def run(statements):
        for statement in statements:
            local.spark.sql(statement)

    return run


@pytest.mark.spark
def test_tables_of_a_team_come_under_contract_and_drift_is_accepted(project, team, warehouse, monkeypatch):
    (project.path / "tox.ini").unlink()
    shutil.copy(EXAMPLE / "pyproject.toml", project.path)
    where = f"--delta-warehouse={warehouse}"
    team(TEAM["CREATED"])
    monkeypatch.setenv("JAVA_HOME", str(project.path / "no java"))  # a JVM cannot start in the runs below

    imported = project.run("--delta-import=dev.silver", where, subprocess=True)

    imported.assert_outcomes(passed=30)
    imported.stdout.fnmatch_lines(["import: 30 tables written and proven"])
    team(TEAM["CHANGED"])
    drifted = project.run("--delta-drift", where, subprocess=True)
    drifted.assert_outcomes(passed=84, failed=6)
    drifted.stdout.fnmatch_lines(["drift: 24 in sync, 5 drifted, 1 blocked, 0 statements run"])
    project.run("--delta-adopt=write", where, subprocess=True).assert_outcomes(passed=30)
    project.run("--snapshot-update", subprocess=True)
    gated = project.run("--delta-drift", where, subprocess=True)
    gated.assert_outcomes(passed=90)
    gated.stdout.fnmatch_lines(["drift: 30 in sync, 0 statements run"])
