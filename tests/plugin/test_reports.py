"""``--delta-report``: which files a run writes, and what is in them."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from support.json_schemas import report_schema, strict
from support.plugin_project import ORDERS, consent

VALIDATOR = Draft202012Validator(strict(report_schema()))
TWO = """
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False))
parents = table("dev.silver.parents", Column("id", LongType(), comment="new"))
"""
DRIFTED = 'MemoryCatalog([stored("dev.silver.orders", ID), stored("dev.silver.parents", OLD)])'


def _report(project, name="delta-report.json") -> Any:
    """Return the report of a run, without what differs between two runs."""
    report = json.loads((project.path / name).read_text())
    assert list(VALIDATOR.iter_errors(report)) == []
    for run in report["runs"]:
        assert run.pop("created").endswith("Z")
        assert run.pop("seconds") > 0
    assert all(table.pop("created").endswith("Z") for table in report["tables"])
    return report


def _outcomes(report) -> dict[str, str]:
    return {table["name"]: table["outcome"] for table in report["tables"]}


def _checks(report) -> dict[str, dict[str, str]]:
    return {
        table["name"]: {check["check"]: check["outcome"] for check in table["checks"]} for table in report["tables"]
    }


@pytest.fixture
def drifted(project):
    project.models(TWO)
    project.catalog(DRIFTED)
    return project


def test_tables_of_two_warehouses_have_two_targets(project):
    project.models(TWO)
    for name in ("prod", "staging"):
        report = f"--delta-report=json:{name}.json"
        project.run("--delta-drift", f"--delta-warehouse={name}", report, "-k", "drift", "-p", "no:syrupy")

    targets = [
        {table["target"] for table in _report(project, f"{name}.json")["tables"]} for name in ("prod", "staging")
    ]

    [[prod], [staging]] = targets
    assert prod != staging
    assert [len(bytes.fromhex(target)) for target in (prod, staging)] == [8, 8]


def test_a_gate_writes_a_report(drifted):
    result = drifted.run("--delta-drift", "--delta-bind=dev.silver=dev.silver", "--delta-report=json:gate.json")

    result.stdout.fnmatch_lines(["delta schema: report written to gate.json"])
    report = _report(drifted, "gate.json")
    assert report["summary"] == {"tables": 2, "outcomes": {"failed": 1, "drifted": 1}, "risks": {"metadata": 1}}
    assert (report["mode"], report["backend"], report["complete"]) == ("drift", "local", True)
    assert report["bindings"] == {"dev.silver": "dev.silver"}
    orders, parents = report["tables"]
    assert [check["outcome"] for check in orders["checks"]] == ["passed", "failed", "passed"]
    assert [diagnostic["message"] for diagnostic in orders["diagnostics"]] == ["there is no snapshot yet"]
    assert (parents["name"], parents["bound_name"]) == ("dev.silver.parents", "dev.silver.parents")
    [change] = parents["changes"]
    assert (change["operation"], change["path"], change["after"]) == ("change", "columns.id.comment", "'new'")
    assert change["location"]["file"] == "models.py"
    assert parents["observed_version"] == 0
    assert parents["declared"]["columns"] == [{"name": "id", "type": "bigint", "comment": "new"}]
    assert parents["observed"]["columns"] == [{"name": "id", "type": "bigint"}]
    assert [(statement["kind"], statement["ran"]) for statement in parents["statements"]] == [
        ("comment on columns", False),
    ]


HOOK = """

def pytest_delta_schema_report(config, report):
    import json
    (config.rootpath / "hook.json").write_text(json.dumps(report))
"""


def test_a_run_without_a_catalog(project):
    project.ini("python_files = models.py")
    project.settings()
    project.models("bad = table('dev.silver.bad', Column('id', LongType()), primary_key=['nope'])\n" + ORDERS)
    project.run("--snapshot-update")
    project.run("--delta-report=json")
    report = _report(project)
    (project.path / "delta-report.json").unlink()
    project.pytester.makeconftest(HOOK)

    project.run()

    assert _report(project, "hook.json") == report
    assert not (project.path / "delta-report.json").exists()
    assert (report["mode"], report["backend"]) == ("check", "")
    assert _outcomes(report) == {"dev.silver.bad": "blocked", "dev.silver.orders": "valid"}
    assert _checks(report) == {
        "dev.silver.bad": {"rules": "failed", "ddl": "skipped"},
        "dev.silver.orders": {"rules": "passed", "ddl": "passed"},
    }
    bad, orders = report["tables"]
    assert len(bad["diagnostics"]) == 1
    assert (bad["declared"], bad["observed"], orders["observed"]) == (None, None, None)
    assert orders["declared"]["name"] == "dev.silver.orders"


def test_an_apply_says_what_ran_and_what_it_lost(drifted):
    drifted.run("--delta-apply", "--snapshot-update", "--delta-report=json")

    report = _report(drifted)
    assert _outcomes(report) == {"dev.silver.orders": "in sync", "dev.silver.parents": "applied"}
    parents = report["tables"][1]
    assert (parents["restore_version"], parents["observed_version"]) == (0, 0)
    assert parents["observed"]["columns"] == [{"name": "id", "type": "bigint"}]  # as it was before the apply
    assert parents["restore_sql"] == "RESTORE TABLE `dev`.`silver`.`parents` TO VERSION AS OF 0"
    assert [statement["ran"] for statement in parents["statements"]] == [True]


def test_rows_are_left_out_of_reports(project):
    project.models(
        "from pytest_delta_schema import Check\n"
        "orders = table('dev.silver.orders', Column('id', LongType()), checks=[Check('positive', 'id > 0')])\n",
    )
    project.catalog(
        'MemoryCatalog([stored("dev.silver.orders", OLD)], rows={QualifiedName("dev", "silver", "orders"): [{"id": 0}]})',
    )

    result = project.run("--delta-drift", "--delta-preflight=count", "--delta-report=json")

    result.stdout.fnmatch_lines(["*of 1, such as id = 0; *"])
    [table] = _report(project)["tables"]
    [diagnostic] = [diagnostic for diagnostic in table["diagnostics"] if diagnostic["code"] == "DS302"]
    assert diagnostic["message"].endswith("because 1 row breaks it, of 1")
    assert "id = 0" not in json.dumps(table)
    assert project.options("--delta-drift", "--delta-set=report_samples=true").report_samples


def test_errors_in_set_up(drifted):
    drifted.pytester.makeconftest(
        """
import pytest

@pytest.fixture(scope="session")
def delta_catalog():
    raise RuntimeError("no https://user:secret@catalog.example/x today")

""",
    )
    drifted.run("--delta-drift", "--delta-report=json")

    report = _report(drifted)
    assert _outcomes(report) == dict.fromkeys(("dev.silver.orders", "dev.silver.parents"), "unreadable")
    assert _checks(report)["dev.silver.parents"] == {"rules": "passed", "ddl": "failed", "drift": "error"}
    messages = {diagnostic["message"] for table in report["tables"] for diagnostic in table["diagnostics"]}
    assert "RuntimeError: no https://***@<server>/x today" in messages
    assert report["tables"][0]["location"] == {"file": "models.py", "line": 8, "column": None, "end_line": None}


STOPPING = """
@pytest.fixture(autouse=True)
def stop(request):
    if request.node.nodeid.endswith("orders::drift"):
        raise AssertionError
"""


def test_a_run_that_stops_early_is_incomplete(drifted):
    drifted.extend_conftest(STOPPING)

    drifted.run("--delta-drift", "--snapshot-update", "--delta-report=json", "-x")

    report = _report(drifted)
    assert report["complete"] is report["runs"][0]["complete"] is False
    assert _checks(report)["dev.silver.orders"] == {"rules": "passed", "ddl": "passed", "drift": "error"}
    assert "drift" not in _checks(report)["dev.silver.parents"]


def test_sigterm_leaves_a_report(drifted):
    drifted.extend_conftest(
        """
import os, signal, time
import pytest_delta_schema.plugin.interruption

pytest_delta_schema.plugin.interruption.LIMIT = 0.5

@pytest.fixture(autouse=True)
def stop(request):
    if request.node.nodeid.endswith("orders::drift"):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(60)
        finally:
            time.sleep(60)
""",
    )

    result = drifted.run("--delta-drift", "--delta-report=json", subprocess=True)

    report = _report(drifted)
    assert result.ret == 128 + signal.SIGTERM
    assert report["complete"] is False
    assert _checks(report)["dev.silver.orders"] == {"rules": "passed", "ddl": "failed"}


def test_a_crashed_worker_leaves_a_report(drifted):
    drifted.pytester.makeconftest(
        """
import os, pytest

@pytest.fixture(autouse=True)
def crash(request):
    if request.node.nodeid.endswith("orders::ddl"):
        os._exit(1)
""",
    )

    drifted.run("--delta-report=json", "-n1", "--max-worker-restart=1", "--snapshot-update", subprocess=True)

    report = _report(drifted)
    assert report["complete"] is False
    assert _checks(report) == {
        "dev.silver.orders": {"rules": "passed", "ddl": "error"},
        "dev.silver.parents": {"rules": "passed", "ddl": "passed"},
    }
    assert report["tables"][0]["diagnostics"][0]["message"] == "the worker of xdist that ran this check has crashed"


def test_a_run_without_checks_overwrites_nothing(drifted):
    drifted.pytester.makepyfile(test_other="def test_other(): pass")
    (drifted.path / "delta-report.json").write_text("old")

    result = drifted.run("--delta-report=json", "test_other.py")

    assert (drifted.path / "delta-report.json").read_text() == "old"
    result.stdout.no_fnmatch_line("*report written*")


def test_github_gets_annotations_and_a_summary_by_itself_unless_they_are_off(project, monkeypatch):
    summary = project.path / "summary.md"
    summary.write_text("of another step\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    project.models(ORDERS)

    off = project.run("--delta-report=github:off")
    untouched = summary.read_text()
    result = project.run()

    assert [line for line in off.outlines if line.startswith("::")] == []
    assert untouched == "of another step\n"
    [annotation] = [line for line in result.outlines if line.startswith("::")]
    assert annotation.startswith("::error file=models.py,line=8,")
    assert "there is no snapshot yet" in annotation
    assert summary.read_text().startswith(untouched)
    assert "dev.silver.orders" in summary.read_text()


class pytest_github_actions_annotate_failures:  # noqa: N801 - the name of the plugin
    """The common plugin for annotations; it shows each check that fails, and no error in set-up."""


def test_github_gets_no_annotation_twice(drifted, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    drifted.extend_conftest(
        """
@pytest.fixture(autouse=True)
def broken(request):
    if request.node.nodeid.endswith("orders::drift"):
        raise RuntimeError("no")
""",
    )
    other = pytest_github_actions_annotate_failures

    result = drifted.run("--delta-drift", "-m", "delta_drift or delta_rules", plugins=[other])

    annotations = [line for line in result.outlines if line.startswith("::")]
    assert len(annotations) == 1
    assert annotations[0].endswith("RuntimeError: no")


def test_a_file_that_cannot_be_written_fails_the_run(project):
    project.models(ORDERS)
    project.accept()
    project.pytester.makeconftest("def pytest_collection_finish(session): open('out', 'w').close()")

    result = project.run("--delta-report=json:out/x.json")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["delta schema: the json report cannot be written: *out*; make the path writable, *"])


def test_unmanaged_tables_and_consents(project):
    project.settings(
        'models = ["models"]',
        'unmanaged = "fail"',
        consent("dev.silver.orders.legacy"),
        consent("dev.silver.orders", action="rewrite"),
    )
    project.models("orders = table('dev.silver.orders', Column('id', LongType(), is_nullable=False))")
    project.catalog(
        "MemoryCatalog([stored('dev.silver.orders', ID, ColumnState('legacy', 'int', True, '')),"
        " stored('dev.silver.tmp', ID)])",
    )

    project.run("--delta-drift", "--delta-report=json")

    report = _report(project)
    assert report["consents"] == {
        "used": ["drop-column dev.silver.orders.legacy"],
        "unused": ["rewrite dev.silver.orders"],
        "expired": [],
    }
    [unmanaged] = report["unmanaged"]
    assert (unmanaged["table"], unmanaged["message"]) == (
        "dev.silver",
        "holds 1 table that no model declares: dev.silver.tmp",
    )
    assert [table["name"] for table in report["tables"]] == ["dev.silver.orders"]


def test_tokens_in_texts_of_the_catalog_are_shown_nowhere(project):
    token = "dapi0123456789abcdef0123456789abcdef"  # noqa: S105 - of nobody
    project.models(
        "orders = table('dev.silver.orders', Column('id', LongType()), Column('g', 'string', generated_as='upper(id)'))"
    )
    project.catalog("applied()")
    project.extend_conftest(f"""
from pytest_delta_schema import Check, Column, Orchestrator, Table

def applied():
    columns = [
        Column("id", "string", comment="a {token}", default="'{token}'", tags={{"t": "{token}"}}),
        Column("g", "string", generated_as="concat('{token}')"),
    ]
    orders = Table(
        "dev", "silver", "orders", columns, comment="{token}", tags={{"t": "{token}"}},
        checks=[Check("c", "g <> '{token}'")],
    )
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables([orders])
    return catalog
""")

    result = project.run("--delta-drift", "--delta-report=json", "--delta-report=html", "--junitxml=junit.xml")

    result.stdout.fnmatch_lines(
        ["  - checks.c*'[*][*][*]'*", "*column g is generated always as (concat('[*][*][*]'))*"]
    )
    shown = [(project.path / name).read_text() for name in ("delta-report.json", "delta-report.html", "junit.xml")]
    assert not [text for text in (result.stdout.str(), *shown) if token in text]


def test_reports_have_neither_the_token_nor_the_server_of_a_run(project, monkeypatch):
    monkeypatch.setenv("DATABRICKS_HOST", "https://adb-17.azuredatabricks.net")
    monkeypatch.setenv("DATABRICKS_TOKEN", "dapi0123456789abcdef")
    comment = "ask dapi0123456789abcdef at adb-17.azuredatabricks.net, or see https://wiki.example/x"
    project.models(f"orders = table('dev.silver.orders', Column('id', LongType(), comment={comment!r}))")
    project.catalog("MemoryCatalog([stored('dev.silver.orders', ID)])")

    project.run("--delta-drift", "--delta-report=json", "--delta-report=html")

    [table] = _report(project)["tables"]
    shown = "ask *** at <server>, or see https://wiki.example/x"
    assert f"'{shown}'" in [change["after"] for change in table["changes"]]
    assert any(f"'{shown}'" in statement["sql"] for statement in table["statements"])
    assert table["declared"]["columns"][0]["comment"] == shown
    for name in ("delta-report.json", "delta-report.html"):
        text = (project.path / name).read_text()
        assert "dapi0123456789abcdef" not in text
        assert "adb-17" not in text
