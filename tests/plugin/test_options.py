"""Options, those of backends, and everything that is a usage error."""

from __future__ import annotations

import sys

import pytest

from support.plugin_project import ORDERS

FAULTS = {
    "no.such": "models: there is no module no.such; name it as in an import statement, and see that *",
    "shop.modles": "models: there is no module shop.modles; did you mean shop.models[?]",
    "shpo.models": "models: there is no module shpo.models; did you mean shop.models[?]",
    "model": "models: there is no module model; did you mean models[?]",
    "shop.silver.order": "models: there is no module shop.silver.order; name it as in an import statement, and see that *",
    "broken.models": "models: broken.models cannot be imported, broken/__init__.py:1: RuntimeError: no database",
    "ending.models": "models: ending.models cannot be imported, ending/__init__.py:2: SystemExit: 3",
    "json": (
        "models: json is outside of the project; import its tables in a test module and list them there: delta_tables ="
        " [[]...]"
    ),
}
UNKNOWN_BACKEND = "there is no delta backend 'x'; choose one of local, memory, session, unity, databricks"
SHOWING = ["--help", "--version", "--version --version", "--markers", "--fixtures", "--fixtures-per-test"]


def test_every_module_that_cannot_be_meant_is_named_and_does_not_stop_the_help(project):
    names = "', '".join(["models", *FAULTS])
    project.settings(f"models = ['{names}']", "backend = 'x'", "rules = ['no.such:Rule']")
    project.models(ORDERS)
    project.pytester.mkpydir("broken").joinpath("__init__.py").write_text("raise RuntimeError('no database')\n")
    project.pytester.mkpydir("ending").joinpath("__init__.py").write_text("import sys\nsys.exit(3)\n")
    (project.path / "shop").mkdir()
    (project.path / "shop" / "models.py").touch()

    result = project.run("--delta-allow=drop-column dev.silver.orders.x")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    no_effect = "--delta-allow has no effect without --delta-drift or --delta-apply; give one of them, too"
    result.stderr.fnmatch_lines_random([f"*{line}" for line in (*FAULTS.values(), UNKNOWN_BACKEND, no_effect)])
    shown = {args: project.run(*args.split()) for args in (*SHOWING, "--delta-drift --fixtures")}
    assert {args: (result.ret, result.stderr.str()) for args, result in shown.items() if result.ret} == {}
    shown["--help"].stdout.fnmatch_lines(["contracts of Delta Lake tables:"])
    shown["--fixtures"].stdout.fnmatch_lines(["delta_catalog*"])
    marks = [f"@pytest.mark.{name}: *" for name in ("delta", "delta_rules", "delta_ddl", "delta_drift", "delta_apply")]
    shown["--markers"].stdout.fnmatch_lines(marks)


def test_help_is_short_and_names_every_option_once(project):
    (project.path / "tox.ini").unlink()
    project.settings()

    lines = project.run("--help").outlines

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


WAREHOUSES = [
    # the arguments, the settings, and the warehouse
    ([], [], "{root}/.delta-warehouse"),
    ([], ['warehouse = "here"'], "{root}/here"),
    (["--delta-warehouse", "there/{worker}"], ['warehouse = "here"'], "{root}/there/main"),
]


def test_a_test_has_the_warehouse_of_the_run(project):
    project.pytester.makepyfile(test_x="def test_it(delta_warehouse): print('WAREHOUSE', delta_warehouse)")
    for args, settings, expected in WAREHOUSES:
        project.settings(*settings)

        result = project.run("-s", *args)

        result.stdout.fnmatch_lines([f"*WAREHOUSE {expected.format(root=project.path)}*"])


def test_the_header_names_the_backend_of_the_run(project, tmp_path_factory):
    project.models(ORDERS)
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    plain = project.run("--collect-only")
    local = project.run("--collect-only", "--delta-drift")
    memory = project.run("--collect-only", "--delta-apply", "--delta-backend", "memory")
    chosen = project.run("--collect-only", "--delta-drift", f"--delta-warehouse={elsewhere}")
    taken = project.run("--delta-drift", "--delta-warehouse", str(elsewhere))

    plain.stdout.no_fnmatch_line("delta schema: * on *")
    local.stdout.fnmatch_lines([f"delta schema: drift on local, warehouse {project.path}/.delta-warehouse"])
    memory.stdout.fnmatch_lines(["delta schema: apply on memory"])
    chosen.stdout.fnmatch_lines([f"delta schema: drift on local, warehouse {elsewhere}"])
    assert taken.ret == pytest.ExitCode.USAGE_ERROR
    fault = "pytest took the warehouse for the project; write it with an equals sign: --delta-warehouse="
    taken.stderr.fnmatch_lines([f"ERROR: {fault}{elsewhere}"])


SRC = ', and add the folder from which it can be imported: pythonpath = ["src"]'
PATHS = [
    # the folders on the path, and the answer to each path
    (
        ".",
        {
            "src/shop/models.py": f"write the name of its module: shop.models{SRC}",
            "shop/models.py": "there is no such file; name the module as in an import statement",
            "shop\\tables.py": "there is no such file; name the module as in an import statement",
            "models.py": "write the name of its module: models",
            "src/plain/tables.py": f"write the name of its module: plain.tables{SRC}",
        },
    ),
    (
        ". src",
        {
            "src/shop/models.py": "write the name of its module: shop.models",
            "src/shop/": "write the name of its module: shop",
            "src/shop/__init__.py": "write the name of its module: shop",
            "src/plain/tables.py": "write the name of its module: plain.tables",
        },
    ),
]


@pytest.mark.parametrize(("folders", "faults"), PATHS)
def test_a_path_is_answered_with_the_name_of_its_module(project, folders, faults):
    project.pytester.makeini(f"[pytest]\npythonpath = {folders}\n")
    modules = ", ".join(f"'{path}'" for path in faults)
    (project.path / "pyproject.toml").write_text(f"[tool.pytest_delta_schema]\nmodels = [{modules}]\n")
    project.models(ORDERS)
    for name in ("shop/__init__.py", "shop/models.py", "plain/tables.py"):
        (project.path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (project.path / "src" / name).touch()

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().strip().removeprefix("ERROR: ").splitlines() == [
        f"models: {path} is a path; {fault}" for path, fault in faults.items()
    ]


def test_a_module_that_cannot_be_imported_is_answered_with_its_folder(project):
    project.pytester.makeini("[pytest]\npythonpath =\n")
    names = ["shop.models", "shop", "shop.model"]
    (project.path / "pyproject.toml").write_text(f"[tool.pytest_delta_schema]\nmodels = {names}\n")
    (project.path / "src" / "shop").mkdir(parents=True)
    for name in ("src/shop/__init__.py", "src/shop/models.py"):
        (project.path / name).touch()

    result = project.run("-p", "no:cacheprovider", "--import-mode=importlib", subprocess=True)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    advice = "add its folder to the ini file of pytest: pythonpath ="
    assert result.stderr.str().strip().removeprefix("ERROR: ").splitlines() == [
        f'models: the module shop.models cannot be imported, but there is src/shop/models.py; {advice} ["src"]',
        f'models: the module shop cannot be imported, but there is src/shop/__init__.py; {advice} ["src"]',
        (
            "models: there is no module shop.model; name it as in an import statement, and see that the ini key"
            " pythonpath has its folder"
        ),
    ]


NEEDED = [
    # the arguments, and what is missing
    (
        ["models.py::dev.silver.orders::drift", "models.py::dev.silver.orders::apply[1]"],
        [
            "models.py::dev.silver.orders::drift: the check drift exists with --delta-drift only; give that, too",
            "models.py::dev.silver.orders::apply[1]: the check apply exists with --delta-apply only; give that, too",
        ],
    ),
    (
        ["models.py::dev.silver::unmanaged", "-m", "delta_metadata"],
        [
            "models.py::dev.silver::unmanaged: the check unmanaged exists with --delta-drift only; give that, too",
            "-m delta_metadata selects nothing without --delta-drift; give that, too",
        ],
    ),
    (
        ["models.py::dev.silver.orders::adopt"],
        ["models.py::dev.silver.orders::adopt: the check adopt exists with --delta-adopt only; give that, too"],
    ),
    (["-m", "delta_drift"], ["-m delta_drift selects nothing without --delta-drift; give that, too"]),
    (
        ["--delta-drift", "-m", "delta_apply and delta"],
        ["-m delta_apply selects nothing without --delta-apply; give that instead of --delta-drift"],
    ),
    (["--collect-only", "-m", "not delta_drift"], []),
    (["--collect-only", "-m", "delta_rules or delta_drift"], []),
    (["test_it.py::Testing::drift"], []),
]


def test_a_check_that_needs_an_option_names_it(project):
    project.models(ORDERS)
    project.pytester.makepyfile(test_it="class Testing:\n    def drift(self): pass\n")
    project.ini("python_functions = drift")

    for arguments, faults in NEEDED:
        result = project.run(*arguments)

        assert result.ret == (pytest.ExitCode.USAGE_ERROR if faults else pytest.ExitCode.OK), arguments
        assert result.stderr.str().strip().removeprefix("ERROR: ").splitlines() == faults


MODEL = "orders = table('dev.silver.orders', Column('id', LongType()))\n"
SESSION = """
import pytest
from pyspark.errors import PySparkException

class Session:
    __module__ = "pyspark.sql.connect.session"

    @property
    def conf(self):
        raise PySparkException("nobody is there")

@pytest.fixture(scope="session")
def delta_spark():
    return Session()
"""


def test_databricks_names_what_is_not_installed(project, monkeypatch):
    monkeypatch.delenv("DATABRICKS_RUNTIME_VERSION", raising=False)
    monkeypatch.setitem(sys.modules, "databricks", None)
    project.models(MODEL)

    connect = project.run("--delta-drift", "--delta-backend=databricks", "-m", "delta_drift")
    project.settings('models = ["models"]', 'backend = "databricks"', 'databricks_warehouse = "abc"')
    warehouse = project.run("--delta-drift", "-m", "delta_drift")

    connect.assert_outcomes(errors=1)
    connect.stdout.fnmatch_lines(
        ["  unreadable  *the databricks backend needs databricks-connect here, which cannot be imported *"],
    )
    warehouse.stdout.fnmatch_lines(
        ["  unreadable  *the databricks backend needs databricks-sql-connector and databricks-sdk*"],
    )


def test_session_takes_the_session_of_the_project(project):
    project.pytester.makeconftest(SESSION)
    project.models(MODEL)

    result = project.run("--delta-drift", "--delta-backend=session", "--snapshot-update")

    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(
        [
            (
                "  unreadable  *the Spark session does not answer: nobody is there; see that its server runs and can be"
                " reached"
            ),
        ],
    )


@pytest.fixture
def tables(project):
    """Declare 20 tables, whose catalog has a connection that fails."""

    def tables(catalog, raises):
        project.pytester.makeconftest(LOST.replace("{catalog}", catalog).replace("{raises}", raises))
        project.models("".join(f"t{i} = table('dev.silver.t{i}', Column('id', LongType()))\n" for i in range(20)))

    return tables


LOST = """
import pytest
from types import SimpleNamespace
from pyspark.errors import PySparkException
from pytest_delta_schema.backends.databricks import DatabricksCatalog
from pytest_delta_schema.backends.databricks.connection import SparkConnection, WarehouseConnection
from pytest_delta_schema.backends.spark_session import SessionCatalog

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

class Session:
    __module__ = "pyspark.sql.connect.session"

    def sql(self, text, *_, **__):
        raise {raises}

def rpc_error(code, details):
    text = f'terminated with:\\n\\tstatus = StatusCode.{code}\\n\\tdetails = "{details}"\\n\\tdebug_error_string = "x"'
    return PySparkException(f"<_InactiveRpcError of RPC that {text}>")

@pytest.fixture(scope="session")
def delta_catalog():
    return {catalog}
"""
WAREHOUSE = "DatabricksCatalog(WarehouseConnection(SimpleNamespace(cursor=Cursor)))"
CONNECT = "the Spark Connect server does not answer"


@pytest.mark.parametrize(
    ("catalog", "raises", "reason", "workers"),
    [
        (
            WAREHOUSE,
            "SessionAlreadyClosedError('Invalid access token.')",
            "the SQL warehouse does not answer (Invalid access token.); check that it exists and that the token is valid",
            (),
        ),
        (
            "DatabricksCatalog(SparkConnection(Session()))",
            "rpc_error('UNAUTHENTICATED', 'Token is expired; renew it')",
            f"{CONNECT} (UNAUTHENTICATED: Token is expired; renew it); check that it is running and that the token is valid",
            ("-n2",),
        ),
        (
            "SessionCatalog(Session())",
            "rpc_error('UNAVAILABLE', 'failed to connect')",
            f"{CONNECT} (UNAVAILABLE: failed to connect); check that it is running and that the token is valid",
            (),
        ),
    ],
    ids=["warehouse", "databricks connect", "session"],
)
def test_a_lost_connection_is_reported_once(project, tables, catalog, raises, reason, workers):
    tables(catalog, raises)

    result = project.run("--delta-drift", "-k", "drift", *workers)

    result.assert_outcomes(errors=1, skipped=19, deselected=0 if workers else 40)
    assert [line.strip() for line in result.outlines if reason in line] == [reason, f"unreadable  {reason}"]
    (summary,) = [line for line in result.outlines if line.startswith("ERROR models.py")]
    assert summary.count("dev.silver.t") == 1


def test_a_refused_statement_concerns_its_table_only(project, tables):
    tables(WAREHOUSE, "PermissionError('[INSUFFICIENT_PERMISSIONS] no SELECT')")

    result = project.run("--delta-drift", "-k", "drift")

    result.assert_outcomes(errors=20, deselected=40)
