"""The tables of ``examples/adoption``, which Spark SQL has made, come under contract and stay there without a JVM."""

from __future__ import annotations

import difflib
import runpy
import shutil

import pytest

from support.pages import ROOT

EXAMPLE = ROOT / "examples" / "adoption"
TEAM = runpy.run_path(str(EXAMPLE / "team.py"))
EDITS = """\
-        Column("name", StringType(), comment="Shown to analysts"),
+        Column("name", StringType(), comment="Full name"),
+        Column("coupon", StringType(), comment="Code that the customer gave"),
-    table_properties={"delta.appendOnly": "true", "team": "events"},
+    table_properties={"delta.appendOnly": "true", "team": "finance"},
-    checks=[Check("not_negative", "amount >= 0")],
+    checks=[Check("not_negative", "amount >= 0"), Check("known_state", "state IN ( 'new' , 'sold out' )")],
-        Column("valid_from", TimestampType(), is_nullable=False),
+        Column("valid_from", TimestampType()),
-    comment="All versions of vouchers",
+    comment="All versions of vouchers since 2024",
""".splitlines()
CHANGED_TABLES = ("customers", "orders", "payments_events", "products", "shops_history", "vouchers_history")


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
    in_sync = project.run("--delta-drift", where, subprocess=True)
    in_sync.assert_outcomes(passed=90)
    in_sync.stdout.fnmatch_lines(["drift: 30 in sync, 0 statements run"])

    before = texts(project.path)
    team(TEAM["CHANGED"])
    drifted = project.run("--delta-drift", where, subprocess=True)

    drifted.assert_outcomes(passed=84, failed=6)
    drifted.stdout.fnmatch_lines(["drift: 24 in sync, 5 drifted, 1 blocked, 0 statements run"])
    assert texts(project.path) == before

    project.run("--delta-adopt=write", where, subprocess=True).assert_outcomes(passed=30)

    adopted = texts(project.path)
    assert [path for path in adopted if adopted[path] != before.get(path)] == ["contracts/silver.py"]
    assert changed_lines(before["contracts/silver.py"], adopted["contracts/silver.py"]) == EDITS

    project.run("--snapshot-update", subprocess=True)

    updated = texts(project.path)
    assert {path for path in updated if updated[path] != adopted.get(path)} == {
        f"contracts/__snapshots__/silver/dev.silver.{table}.{kind}"
        for table in CHANGED_TABLES
        for kind in ("ddl.sql", "state.json")
    }
    assert updated.keys() == before.keys()
    gated = project.run("--delta-drift", where, subprocess=True)
    gated.assert_outcomes(passed=90)
    gated.stdout.fnmatch_lines(["drift: 30 in sync, 0 statements run"])


def texts(folder):
    """Return the texts of the models and snapshots by their paths."""
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted((folder / "contracts").rglob("*"))
        if path.suffix in {".py", ".sql", ".json"}
    }


def changed_lines(before, after):
    """Return the lines that differ, as ``git diff`` shows them."""
    old, new = before.splitlines(), after.splitlines()
    edits = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        line
        for kind, start, end, new_start, new_end in edits
        if kind != "equal"
        for line in (*(f"-{line}" for line in old[start:end]), *(f"+{line}" for line in new[new_start:new_end]))
    ]
