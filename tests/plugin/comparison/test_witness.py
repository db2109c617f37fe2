"""``--delta-witness``: scripts that show what a change breaks, and what is said if they cannot be run."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

ORDERS = 'orders = table("dev.silver.orders", Column("id", LongType()), Column("note", StringType()){})\n'
CUSTOMERS = 'customers = table("dev.silver.customers", Column("id", LongType()))\n'
WITHOUT_NOTE = 'orders = table("dev.silver.orders", Column("id", LongType()))\n'
SCRIPTS = [
    "dev.silver.orders/DC101-note-readers.py",
    "dev.silver.orders/DC101-note-streams.py",
    "dev.silver.orders/DC101-note-writers.py",
]


def scripts(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))


@pytest.fixture
def without_java(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "no-java"))


@pytest.mark.usefixtures("without_java")
def test_without_java_the_verdict_is_the_same_and_the_scripts_are_written_anew(released):
    released.project.models(WITHOUT_NOTE + CUSTOMERS)

    result = released.run("--delta-witness=seen")

    assert result.ret == 1
    assert scripts(released.path / "seen") == SCRIPTS
    text = result.stdout.str()
    assert "witness seen/dev.silver.orders/DC101-note-readers.py: not run: Spark needs Java" in text
    assert "no witness: clients are judged by the features that they know" in text
    released.project.models(f"{ORDERS.format(', comment=' + repr('All orders'))}{CUSTOMERS}")
    result = released.run("--delta-witness=seen")
    assert result.ret == 0
    assert [*(released.path / "seen").iterdir()] == []
    assert "witness" not in result.stdout.str()


WRONG_FOLDERS = {
    "models.py": "models.py is not a folder; name a new one",
    "__snapshots__": "__snapshots__ holds files other than witnesses: models/dev.silver.customers.state.json",
}


def test_a_folder_that_holds_something_else_is_a_usage_error_and_stays(released):
    released.project.models(WITHOUT_NOTE + CUSTOMERS)
    known = sorted(path for path in released.path.rglob("*") if ".git" not in path.parts)

    for folder, message in WRONG_FOLDERS.items():
        result = released.project.run("--delta-against=main", f"--delta-witness={folder}")

        assert result.ret == 4
        assert message in result.stderr.str()
        assert "Traceback" not in result.stderr.str()
        assert sorted(path for path in released.path.rglob("*") if ".git" not in path.parts) == known


@pytest.mark.spark
@pytest.mark.own_jvm
def test_witnesses_are_confirmed_and_every_report_has_them(released):
    released.project.models(WITHOUT_NOTE + CUSTOMERS)
    reports = [f"--delta-report={kind}:report.{kind}" for kind in ("json", "html", "markdown")]

    result = released.run("--delta-witness=seen", *reports)

    assert result.ret == 1
    text = result.stdout.str()
    for script in SCRIPTS:
        assert f"witness seen/{script}: confirmed" in text
    report = json.loads((released.path / "report.json").read_text("utf-8"))
    (orders,) = (entry for entry in report["tables"] if entry["name"] == "dev.silver.orders")
    witness = orders["diagnostics"][0]["witnesses"][0]
    assert witness["result"] == "confirmed"
    assert witness["file"] == f"seen/{SCRIPTS[0]}"
    assert witness["before"] == "[('id', 'bigint'), ('note', 'string')] [(1, 'note_1')]"
    assert witness["after"].startswith("fails: [UNRESOLVED_COLUMN.WITH_SUGGESTION]")
    assert witness["script"] == (released.path / "seen" / SCRIPTS[0]).read_text("utf-8")
    page = (released.path / "report.html").read_text("utf-8")
    assert f'<a href="seen/{SCRIPTS[0]}">' in page
    assert "Witness: confirmed" in page
    assert "after: fails: [UNRESOLVED_COLUMN.WITH_SUGGESTION]" in page
    assert f"witness seen/{SCRIPTS[0]}: confirmed" in (released.path / "report.markdown").read_text("utf-8")

    called = [sys.executable, "-m", "pytest_delta_schema", "witness", str(released.path / "seen" / SCRIPTS[0])]
    answer = subprocess.run(called, capture_output=True, text=True, check=False)

    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith(
        "before: [('id', 'bigint'), ('note', 'string')] [(1, 'note_1')]\nafter: fails: [UNRES",
    )
