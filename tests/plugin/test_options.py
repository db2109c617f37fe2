"""Options, those of backends, and every command line and section that is a usage error."""

from __future__ import annotations

import sys

import pytest

from support.plugin_project import MODELS, ORDERS
from support.snapshots import TextSnapshot

DRIFT, APPLY, SYNC, ENFORCE = "--delta-drift", "--delta-apply", "--delta-sync-metadata", "--delta-enforce"
AGAINST, ADOPT, IMPORT = "--delta-against=main", "--delta-adopt=write", "--delta-import=dev.silver"
MEMORY, UNITY = "--delta-backend=memory", "--delta-backend=unity"
ALLOW, PREFLIGHT, RISK = (
    "--delta-allow=drop-column dev.silver.orders.x",
    "--delta-preflight=count",
    "--delta-max-risk=scan",
)
ORDERS_CHECKS = "models.py::dev.silver.orders"
CONSENTS = """
allowed = 1
[[tool.pytest_delta_schema.allow]]
action = "drop-column"
path = "dev.silver.orders.x"
by = "me"
[[tool.pytest_delta_schema.allow]]
action = "drop-table"
path = "dev.silver.orders"
reason = " "
expires = "soon"
[[tool.pytest_delta_schema.allow]]
action = "rewrite"
path = "orders"
reason = "x"
expires = 2999-01-01
"""
STORES = """
[[tool.pytest_delta_schema.storage]]
endpoint = "x"
[[tool.pytest_delta_schema.storage]]
prefix = "s3://x"
path_style = "yes"
[[tool.pytest_delta_schema.storage]]
prefix = "s3://x"
secret = "y"
"""
PATHS = ["src/shop/models.py", "shop/models.py", "shop\\tables.py", "models.py", "src/plain/tables.py", "src/shop/"]
NAMES = [
    *("no.such", "pack.modles", "pakc.models", "model", "pack.silver.order", "broken.models", "ending.models", "json"),
    *("shop.models", "shop", "shop.model"),
]
CASES = [
    # lines of the section, and the command line
    # several modes
    ("", [DRIFT, APPLY]),
    ('unity_uri = "http://x"', [APPLY, SYNC, UNITY]),
    ("", [AGAINST, APPLY]),
    ("", [AGAINST, ENFORCE]),
    ("", [AGAINST, IMPORT]),
    ("", [IMPORT, DRIFT]),
    ("", [ADOPT, DRIFT]),
    ("", [ADOPT, IMPORT]),
    ("bakend = 1\nmodels = ['no.such']", [DRIFT, APPLY, "--delta-set=colour=1", "--delta-backend=oracle"]),
    # options without effect
    ("", [ALLOW]),
    ("", [PREFLIGHT]),
    ("", [RISK]),
    ("", [AGAINST, PREFLIGHT]),
    ("", [ADOPT, ALLOW]),
    ("", [DRIFT, "--delta-witness=seen"]),
    ("", ["--delta-import-owns=columns"]),
    ("", [IMPORT, "--delta-report=json"]),
    ("", [ADOPT, "--delta-report=report.html"]),
    # what to import
    ("", [IMPORT, "--delta-import=x", "--delta-import=dev.si*", "--delta-import-owns=x"]),
    # checks that a mode lacks
    ("", [f"{ORDERS_CHECKS}::drift", f"{ORDERS_CHECKS}::apply[1]", f"{ORDERS_CHECKS}::adopt", f"{ORDERS_CHECKS}::enforces"]),
    ("", ["models.py::dev.silver::unmanaged", "-m", "delta_metadata"]),
    ("", ["-m", "delta_drift"]),
    ("", ["-m", "delta_compat"]),
    ("", [DRIFT, "-m", "delta_apply and delta"]),
    ("", ["-m", "not delta_drift"]),
    ("", ["-m", "delta_rules or delta_drift"]),
    ("", ["test_it.py::Testing::drift"]),
    # backends and their settings
    ("", [DRIFT, UNITY]),
    ("", [DRIFT, SYNC, MEMORY]),
    ("", [SYNC, MEMORY]),
    ("", [ENFORCE, "--delta-backend=session"]),
    ("", [ENFORCE, "--delta-backend=databricks"]),
    ("", [DRIFT, "--delta-warehouse", "{elsewhere}"]),
    (STORES, []),
    (CONSENTS, []),
    # bindings, data contracts and reports
    ("", ["--delta-bind=dev.silver", "--delta-bind=a.b=c"]),
    ('odcs = ["agreed/*.yml"]', []),
    ('report = ["xml", "json:out", "sarif:same"]', ["--delta-report=gitlab:same", "--delta-report=azure:x", "--delta-report=jsn"]),
    ('report = ["json:out", "sarif:same"]', ["--delta-report=gitlab:same", "--delta-report=azure:x"]),
    # modules
    (f"models = {NAMES}", []),
    (f"models = {PATHS}", []),
    (f"models = {[*PATHS, 'src/shop/__init__.py']}", ["-o", "pythonpath=. src"]),
]  # fmt: skip
FILES = {
    "pack/models.py": "",
    "broken/__init__.py": "raise RuntimeError('no database')\n",
    "ending/__init__.py": "import sys\nsys.exit(3)\n",
    **dict.fromkeys(("src/shop/__init__.py", "src/shop/models.py", "src/plain/tables.py"), ""),
}


def write_files(project, files):
    for name, text in files.items():
        (project.path / name).parent.mkdir(parents=True, exist_ok=True)
        (project.path / name).write_text(text)


def test_what_can_never_be_meant_is_a_usage_error_with_all_faults(project, tmp_path_factory, snapshot):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    project.models(ORDERS)
    write_files(project, FILES)
    (project.path / "out").mkdir()
    lines = []
    for section, args in CASES:
        project.settings(*([] if "models = " in section else [MODELS]), section)
        faults = project.faults(*(argument.replace("{elsewhere}", str(elsewhere)) for argument in args))
        lines += [f"==== {section.strip()} {' '.join(args)}", *(faults or ["nothing"])]

    text = "\n".join([*lines, ""]).replace(str(project.path), "PROJECT").replace(str(elsewhere), "ELSEWHERE")
    assert text == snapshot(extension_class=TextSnapshot)


def test_a_usage_error_ends_the_run_and_does_not_stop_the_help(project):
    (project.path / "tox.ini").unlink()
    project.settings("models = ['no.such']", "backend = 'x'", "rules = ['no.such:Rule']")

    result = project.run(DRIFT)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    faults = [
        "there is no delta backend 'x'; choose one of local, memory, session, unity, locations, databricks",
        (
            "models: there is no module no.such; name it as in an import statement, and see that the ini key pythonpath has"
            " its folder"
        ),
    ]
    assert result.errlines == [f"ERROR: {faults[0]}", faults[1], ""]
    for showing in ("--version", "--version --version", "--fixtures-per-test", "--delta-drift --fixtures"):
        assert project.faults(*showing.split()) == []
    shown = {option: project.run(option) for option in ("--help", "--markers", "--fixtures")}
    assert {option: result.stderr.str() for option, result in shown.items() if result.ret} == {}
    shown["--fixtures"].stdout.fnmatch_lines(["delta_catalog*"])
    marks = [f"@pytest.mark.{name}: *" for name in ("delta", "delta_rules", "delta_ddl", "delta_drift", "delta_apply")]
    shown["--markers"].stdout.fnmatch_lines(marks)
    require_short_help(shown["--help"].outlines)


def require_short_help(lines):
    start = lines.index("contracts of Delta Lake tables:")
    settings = lines.index("settings for contracts of Delta Lake tables:")
    end = lines.index("", settings)
    ours = [*lines[start:settings], *lines[settings:end]]
    assert len(ours) <= 80
    options = [line.split("=")[0].split()[0] for line in ours if line.startswith("  --delta-")]
    assert options == [
        *("--delta-drift", "--delta-apply", "--delta-sync-metadata", "--delta-enforce", "--delta-import"),
        *("--delta-import-owns", "--delta-adopt", "--delta-against", "--delta-witness", "--delta-plan-out"),
        "--delta-plan",
        *("--delta-set", "--delta-backend", "--delta-warehouse", "--delta-bind", "--delta-allow", "--delta-max-risk"),
        *("--delta-preflight", "--delta-report"),
    ]
    assert [line for line in lines[:start] + lines[end:] if "delta_" in line or "--delta" in line] == []


def test_a_test_and_the_header_have_the_warehouse_of_the_run(project):
    project.pytester.makepyfile(test_x="def test_it(delta_warehouse): print('WAREHOUSE', delta_warehouse)")
    project.settings('warehouse = "here"')

    section = project.run("-s", "-o", "addopts=--delta-drift")
    option = project.run("-s", "--delta-warehouse", "there/{worker}")

    section.stdout.fnmatch_lines(
        [f"delta schema: drift on local, warehouse {project.path}/here", f"*WAREHOUSE {project.path}/here*"]
    )
    option.stdout.fnmatch_lines([f"*WAREHOUSE {project.path}/there/main*"])


LOST = """
import pytest
from types import SimpleNamespace
from pytest_delta_schema.backends.databricks import DatabricksCatalog
from pytest_delta_schema.backends.databricks.connection import WarehouseConnection

class RequestError(Exception):
    pass

class SessionAlreadyClosedError(RequestError):
    pass

class Cursor:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def execute(self, sql):
        raise {raises}

@pytest.fixture(scope="session")
def delta_catalog():
    return DatabricksCatalog(WarehouseConnection(SimpleNamespace(cursor=Cursor)))
"""


@pytest.fixture
def lost(project):
    """Run the gate over 20 tables, whose catalog has a connection that fails."""
    project.models("".join(f"t{i} = table('dev.silver.t{i}', Column('id', LongType()))\n" for i in range(20)))

    def run(raises):
        project.pytester.makeconftest(LOST.replace("{raises}", raises))
        return project.run(DRIFT, "-k", "drift")

    return run


def test_a_lost_connection_is_reported_once(lost):
    result = lost("SessionAlreadyClosedError('Invalid access token.')")

    reason = (
        "the SQL warehouse does not answer (Invalid access token.); check that it exists and that the token is valid"
    )
    result.assert_outcomes(errors=1, skipped=19, deselected=40)
    assert [line.strip() for line in result.outlines if reason in line] == [reason, f"unreadable  {reason}"]
    (summary,) = [line for line in result.outlines if line.startswith("ERROR models.py")]
    assert summary.count("dev.silver.t") == 1


def test_a_refused_statement_concerns_its_table_only(lost):
    lost("PermissionError('[INSUFFICIENT_PERMISSIONS] no SELECT')").assert_outcomes(errors=20, deselected=40)


def test_a_backend_that_cannot_be_opened_says_why(project, monkeypatch):
    monkeypatch.delenv("DATABRICKS_RUNTIME_VERSION", raising=False)
    monkeypatch.setitem(sys.modules, "databricks", None)
    project.models(ORDERS)

    result = project.run(DRIFT, "--delta-backend=databricks", "-m", "delta_drift")

    result.assert_outcomes(errors=1)
    text = "the databricks backend needs databricks-connect here, which cannot be imported *"
    result.stdout.fnmatch_lines([f"  unreadable  *{text}"])
