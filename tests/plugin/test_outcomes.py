"""Outcomes on reports: where they point to, and texts of newer clients, hostile texts and secrets in them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.diagnostics.text import HIDDEN
from pytest_delta_schema.plugin.outcomes import result_of
from pytest_delta_schema.report import model_source
from support.damaged_logs import READABLE_LOGS
from support.hostile_project import write_hostile_project
from support.models import NAME
from support.plugin_project import HEAD, unmarked
from support.runs import ci_commands
from support.unity import lake

if TYPE_CHECKING:
    from pytest_delta_schema.engine import TableOutcome

GEOMETRY = READABLE_LOGS["geometry"]


@pytest.fixture
def unity(project, tmp_path):
    with lake(tmp_path / "store") as made:
        project.settings('models = ["models"]', 'backend = "unity"', f'unity_uri = "{made.server.uri}"')
        GEOMETRY.write(made.folder.joinpath(*NAME))
        yield made


@pytest.mark.usefixtures("unity")
def test_another_type_of_a_newer_client_is_drift_that_no_apply_changes(project):
    project.models(model_source(GEOMETRY.state(NAME)))
    imported = project.run("--delta-drift", "--delta-sync-metadata", "-m", "delta_drift")
    project.models("orders = table('dev.silver.orders', Column('id', LongType()), Column('t', StringType()))\n")

    drift = project.run("--delta-drift", "-m", "delta_drift")
    apply = project.run("--delta-apply", "-m", "delta_apply")

    imported.stdout.fnmatch_lines(["drift: 1 in sync, 0 statements run"])
    drift.assert_outcomes(failed=1)
    drift.stdout.fnmatch_lines(["*columns.t*geometry(OGC:CRS84)*string*"])
    apply.assert_outcomes(failed=1)
    apply.stdout.fnmatch_lines(
        [
            "*column t would be changed, and its type geometry(OGC:CRS84) is compared as text only;*DS220*",
            "*0 statements run*",
        ],
    )


BAD = "x\x1b[31m\x00\x07\x7f\x85\x9b\u202e\u2028\u200b\r\t\n::error::owned ##[add-mask]x ##vso[task.complete]x"


@pytest.fixture
def hostile(project):
    project.settings('models = ["models"]', 'unmanaged = "report"', "owned_properties = true")
    write_hostile_project(project.path, BAD)
    return project


def outputs(project, *args):
    """Run pytest, and return all that it has written."""
    result = project.run(*args, "-vv", "-rA", "--junitxml=report.xml", subprocess=True)
    files = ("stdout", "stderr", *(["report.xml"] if result.ret == 1 else []))
    return result, {name: project.path.joinpath(name).read_bytes().decode("utf-8", "surrogatepass") for name in files}


def check(texts):
    for name, text in texts.items():
        hidden = [
            text[max(0, match.start() - 60) : match.end() + 20]
            for match in re.finditer(HIDDEN, text.replace("\n", " "))
        ]
        assert not hidden, (name, hidden[:5])
        assert ci_commands(text) == [], name


@pytest.mark.parametrize(
    "args",
    [("--delta-apply", "--delta-set=on_failure=restore"), ("--delta-drift", "--delta-preflight=count", "-n1")],
    ids=["apply", "drift with xdist"],
)
def test_nothing_is_obeyed(hostile, args):
    result, texts = outputs(hostile, "models.py", *args, "--delta-backend=memory")

    assert result.ret == 1
    assert "INTERNALERROR" not in texts["stdout"]
    assert "Traceback" not in texts["stdout"]
    assert "x\\u001b[31m\\u0000\\u0007\\u007f\\u0085\\u009b\\u202e\\u2028\\u200b" in texts["stdout"]
    check(texts)


def test_usage_errors_are_escaped(hostile):
    bad = BAD.partition("\r")[0].replace("\x00", "").replace("\x85", "").replace("\u2028", "")
    hostile.settings('models = ["models"]', f'bind = {{ "dev.silver" = {json.dumps(f"ci.{bad}")} }}')

    given = BAD.replace("\x00", "")

    result, texts = outputs(
        hostile,
        "--delta-drift",
        f"--delta-allow=drop-column x.{given}",
        f"--delta-bind=a={given}",
        f"--delta-backend=oracle{given}",
        f"--delta-max-risk=risk{given}",
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    for start in ("drop-column x.", "a=", "oracle", "risk"):
        assert f"{start}x\\x1b[31m" in texts["stderr"]
    check(texts)


DRIFTED = """
orders = «»«columns.old»Table(
    "dev", "silver", "orders",
    [
        Column("id", LongType(), «columns.id»is_nullable=False, «columns.id.comment»comment="Order ID"),
        «columns.amount»Column("amount", DecimalType(18, 2)),
    ],
    table_properties={«properties.team»"team": "sales"},
    «primary_key»primary_key=["id"],
)«/»«/columns.old»
"""
STORED = """MemoryCatalog([stored(
    "dev.silver.orders", ColumnState("id", "bigint", True, ""), ColumnState("old", "bigint", True, "")
)])"""


class Outcomes:
    """Keeps the outcomes of a run."""

    def __init__(self) -> None:
        self.all: list[TableOutcome] = []

    def pytest_runtest_logreport(self, report):
        result = result_of(report)
        if result is not None and result.result is not None:
            self.all.append(result.result)


@pytest.fixture
def outcome_of(project):
    """Run the gate, and return the outcome of its only table."""

    def run():
        outcomes = Outcomes()
        project.run("--delta-drift", "-m", "delta_drift", plugins=[outcomes])
        (outcome,) = outcomes.all
        return outcome

    return run


def locations(outcome):
    return {"": outcome.location, **{change.path: change.location for change in outcome.changes}}


def test_every_change_of_a_drifted_table_is_where_its_part_is_declared(project, outcome_of):
    source, marks = unmarked((HEAD + DRIFTED).lstrip())
    project.pytester.makepyfile(models=source)
    project.catalog(STORED)

    outcome = outcome_of()

    file = str(project.path / "models.py")
    assert locations(outcome) == {path: Location(file, *mark) for path, mark in marks.items()}
    violation = next(item for item in outcome.diagnostics if item.rule == "DropWithoutConsent")
    assert violation.location == Location(file, *marks[""])


def test_a_table_that_passes_has_the_line_alone_and_no_file_is_read(project, monkeypatch, outcome_of):
    project.models("orders = table('dev.silver.orders', Column('id', LongType(), is_nullable=False))\n")
    project.catalog('MemoryCatalog([stored("dev.silver.orders", ID)])')

    def refuse(*_):
        pytest.fail("a source file was read")

    monkeypatch.setattr("pytest_delta_schema.engine.source_map.decode_source", refuse)

    assert outcome_of().location == Location(str(project.path / "models.py"), 7)


@pytest.mark.parametrize(
    ("folder", "is_listed"),
    [("venv/lib/site-packages", True), ("../{name}-shared", False)],
    ids=["installed", "another folder of the repository"],
)
def test_a_table_of_another_file_is_where_it_is_declared_or_where_the_project_lists_it(
    project, monkeypatch, outcome_of, folder, is_listed
):
    package = (project.path / folder.format(name=project.path.name)).resolve()
    package.mkdir(parents=True, exist_ok=True)
    source, marks = unmarked((HEAD + DRIFTED).lstrip())
    (package / "shop_tables.py").write_text(source)
    monkeypatch.syspath_prepend(package)
    if folder.endswith("-shared"):
        monkeypatch.setenv("CI_PROJECT_DIR", str(project.path.parent))
    project.settings()
    project.pytester.makepyfile(test_tables="import shop_tables\n\ndelta_tables = [\n    shop_tables.orders,\n]\n")
    project.catalog(STORED)

    outcome = outcome_of()

    if is_listed:
        assert {*locations(outcome).values()} == {Location(str(project.path / "test_tables.py"), 3)}
    else:
        assert outcome.location == Location(str(package / "shop_tables.py"), *marks[""])


SECRETS = {
    "src": "postgres://u:S3cret@h/db",
    "quoted": "postgres://u:S3cret'x@h/db",
    "sqlserver": "jdbc:sqlserver://h;user=sa;password=S3cret",
    "oracle": "jdbc:oracle:thin:scott/S3cret@//h:1521/x",
    "parameter": "https://h/x;token=S3cret",
    "settings": "host=h password=S3cret",
    "db.pwd": "S3cret",
    "db.passwd": "S3cret",
    "db.passphrase": "S3cret",
    "db.auth": "S3cret",
    "db.bearer": "S3cret",
    "api_token": "S3cret",
}
MODELS = f"""
names = {[*SECRETS]}
orders = table("dev.silver.orders", Column("id", LongType()), table_properties=dict.fromkeys(names, "other"))
gone = table("dev.silver.gone", Column("id", LongType()), table_properties=dict.fromkeys(names))
"""
CATALOG = f"""MemoryCatalog([
    stored("dev.silver.orders", OLD, table_properties={SECRETS}),
    stored("dev.silver.gone", OLD, table_properties={SECRETS}),
])"""
REPORTS = ("json", "markdown", "html", "sarif", "gitlab")
PRINTED = ("--delta-report=github",)


def test_no_output_of_a_run_shows_secrets_in_properties_of_the_catalog(project):
    project.models(MODELS)
    project.catalog(CATALOG)
    reports = [f"--delta-report={kind}:out.{kind}" for kind in REPORTS]

    result = project.run("--delta-drift", "-m", "delta_drift", "-rA", "-vv", "--junitxml=junit.xml", *reports, *PRINTED)

    result.assert_outcomes(failed=2)
    outputs = {name: (project.path / name).read_text() for name in ["junit.xml", *(f"out.{kind}" for kind in REPORTS)]}
    outputs["terminal"] = result.stdout.str() + result.stderr.str()
    assert {name for name, text in outputs.items() if "src" not in text} == set()
    assert {name for name, text in outputs.items() if "S3cret" in text} == set()
