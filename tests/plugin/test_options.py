"""Options, those of backends, and everything that is a usage error."""

from __future__ import annotations

import sys

import pytest

from support.plugin_project import ORDERS


@pytest.mark.parametrize(
    ("args", "settings", "message"),
    [
        pytest.param(
            ["--delta-drift", "--delta-apply"],
            [],
            "--delta-drift only compares, --delta-apply changes the catalog, --delta-sync-metadata only its entries; give"
            " one of them, or --delta-drift --delta-sync-metadata to synchronise the entries of what is read first",
            id="both",
        ),
        pytest.param(
            ["--delta-drift", "--delta-backend", "oracle"],
            [],
            "there is no delta backend 'oracle'; choose one of local, memory, session, unity, databricks",
            id="unknown backend",
        ),
        pytest.param(
            [], ["backend = 'x'"], "there is no delta backend 'x'; choose one of local, memory, session, unity, databricks", id="in the section",
        ),
        pytest.param(
            ["--delta-allow", "drop-column dev.silver.orders.x"],
            [],
            "--delta-allow has no effect without --delta-drift or --delta-apply; give one of them, too",
            id="consent for nothing",
        ),
        pytest.param(
            [], ['models = ["no.such", "models"]'], "models: there is no module no.such; name it as in an import"
            " statement, and see that the ini key pythonpath has its folder", id="unknown module",
        ),
        pytest.param(
            [],
            ['models = ["broken.models"]'],
            "models: broken.models cannot be imported, broken/__init__.py:1: RuntimeError: no database",
            id="module in a package that cannot be imported",
        ),
        pytest.param(
            [],
            ['models = ["ending.models"]'],
            "models: ending.models cannot be imported, ending/__init__.py:2: SystemExit: 3",
            id="module in a package that ends Python",
        ),
        pytest.param(
            [],
            ['models = ["json"]'],
            "models: json is outside of the project; import its tables in a test module and list them there:"
            " delta_tables = [...]",
            id="module from elsewhere",
        ),
    ],
)  # fmt: skip
def test_usage_errors(project, args, settings, message):
    project.settings(*(settings or ['models = ["models"]']))
    project.models(ORDERS)
    project.pytester.mkpydir("broken").joinpath("__init__.py").write_text("raise RuntimeError('no database')\n")
    project.pytester.mkpydir("ending").joinpath("__init__.py").write_text("import sys\nsys.exit(3)\n")

    result = project.run(*args)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: {message}\n" in result.stderr.str()


@pytest.mark.parametrize(
    ("consent", "message"),
    [
        (
            "drop-column dev.silver.orderz.x",
            "consent 'drop-column dev.silver.orderz.x' names no table of this run; collected are dev.silver.orders",
        ),
        (
            "drop-column dev.silver.orders.Amount",
            (
                "consent 'drop-column dev.silver.orders.amount' names a column that the model declares;"
                " remove it from the model"
            ),
        ),
    ],
)
def test_consent_that_names_nothing_is_a_usage_error(project, consent, message):
    project.settings('models = ["models"]', 'backend = "memory"')
    project.models(ORDERS)

    result = project.run("--delta-apply", "--delta-allow", consent)

    assert message in result.stderr.str() + result.stdout.str()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.no_fnmatch_line("*passed*")


@pytest.mark.parametrize(
    "settings",
    [
        ["models = ['no.such']"],
        ["models = ['broken.models']"],
        ["models = ['models']", "rules = ['no.such:Rule']"],
        ["models = ['broken']", "backend = 'x'"],
    ],
)
def test_what_shows_help_does_so_whatever_the_settings_are(project, settings):
    project.settings(*settings)
    project.models(ORDERS)
    project.pytester.mkpydir("broken").joinpath("__init__.py").write_text("raise RuntimeError('no database')\n")

    shown = {
        args: project.run(*args.split())
        for args in (
            "--help",
            "--version",
            "--version --version",
            "--markers",
            "--fixtures",
            "--fixtures-per-test",
            "--delta-drift --fixtures",
        )
    }

    assert {args: (result.ret, result.stderr.str()) for args, result in shown.items() if result.ret} == {}
    shown["--help"].stdout.fnmatch_lines(["contracts of Delta Lake tables:"])
    shown["--markers"].stdout.fnmatch_lines(["@pytest.mark.delta_drift:*"])
    shown["--fixtures"].stdout.fnmatch_lines(["delta_catalog*"])
    assert project.run().ret == pytest.ExitCode.USAGE_ERROR


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
        *("--delta-import-owns", "--delta-adopt", "--delta-against", "--delta-witness"),
        *("--delta-set", "--delta-backend", "--delta-warehouse", "--delta-bind", "--delta-allow", "--delta-max-risk"),
        *("--delta-preflight", "--delta-report"),
    ]
    assert [line for line in lines[:start] + lines[end:] if "delta_" in line or "--delta" in line] == []


def test_the_marks_are_registered(project):
    project.settings()

    project.run("--markers").stdout.fnmatch_lines([f"@pytest.mark.{name}: *" for name in (
        "delta", "delta_rules", "delta_ddl", "delta_drift", "delta_apply",
    )])  # fmt: skip


@pytest.mark.parametrize(
    ("args", "settings", "expected"),
    [
        ([], [], "{root}/.delta-warehouse"),
        ([], ['warehouse = "here"'], "{root}/here"),
        (["--delta-warehouse", "there/{worker}"], ['warehouse = "here"'], "{root}/there/main"),
    ],
)
def test_a_test_has_the_warehouse_of_the_run(project, args, settings, expected):
    project.settings(*settings)
    project.pytester.makepyfile(test_x="def test_it(delta_warehouse): print('WAREHOUSE', delta_warehouse)")

    result = project.run("-s", *args)

    result.stdout.fnmatch_lines([f"*WAREHOUSE {expected.format(root=project.path)}*"])


def test_a_warehouse_that_pytest_takes_for_the_project_is_a_usage_error(project, tmp_path_factory):
    project.models(ORDERS)
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    result = project.run("--delta-drift", "--delta-warehouse", str(elsewhere))

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            f"ERROR: pytest took the warehouse for the project; write it with an equals sign: --delta-warehouse={elsewhere}",
        ],
    )
    assert project.run("--collect-only", "--delta-drift", f"--delta-warehouse={elsewhere}").ret == 0


def test_the_header_names_the_backend_of_the_run(project):
    project.models(ORDERS)

    plain = project.run("--collect-only")
    local = project.run("--collect-only", "--delta-drift")
    memory = project.run("--collect-only", "--delta-apply", "--delta-backend", "memory")

    plain.stdout.no_fnmatch_line("delta schema: * on *")
    local.stdout.fnmatch_lines([f"delta schema: drift on local, warehouse {project.path}/.delta-warehouse"])
    memory.stdout.fnmatch_lines(["delta schema: apply on memory"])


@pytest.mark.parametrize(
    ("folders", "faults"),
    [
        (
            ".",
            {
                "src/shop/models.py": (
                    "write the name of its module: shop.models, and add the folder from which it can be imported:"
                    ' pythonpath = ["src"]'
                ),
                "shop/models.py": "there is no such file; name the module as in an import statement",
                "shop\\tables.py": "there is no such file; name the module as in an import statement",
                "models.py": "write the name of its module: models",
                "src/plain/tables.py": (
                    "write the name of its module: plain.tables, and add the folder from which it can be imported:"
                    ' pythonpath = ["src"]'
                ),
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
    ],
)
def test_a_path_is_answered_with_the_name_of_its_module(project, folders, faults):
    project.pytester.makeini(f"[pytest]\npythonpath = {folders}\n")
    modules = ", ".join(f"'{path}'" for path in faults)
    (project.path / "pyproject.toml").write_text(f"[tool.pytest_delta_schema]\nmodels = [{modules}]\n")
    project.models(ORDERS)
    (project.path / "src" / "shop").mkdir(parents=True)
    for name in ("__init__", "models"):
        (project.path / "src" / "shop" / f"{name}.py").touch()
    (project.path / "src" / "plain").mkdir()
    (project.path / "src" / "plain" / "tables.py").touch()

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


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("shop.modles", "shop.models"), ("shpo.models", "shop.models"), ("model", "models"), ("shop.silver.order", "")],
)
def test_a_mistyped_module_is_answered_with_the_nearest_one(project, name, nearest):
    project.settings(f'models = ["{name}"]')
    project.models(ORDERS)
    (project.path / "shop").mkdir()
    (project.path / "shop" / "models.py").touch()

    result = project.run()

    remedy = f"did you mean {nearest}[?]" if nearest else "name it as in an import statement, and see that *"
    result.stderr.fnmatch_lines([f"ERROR: models: there is no module {name}; {remedy}"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        (
            ["models.py::dev.silver.orders::drift", "models.py::dev.silver.orders::apply[1]"],
            [
                ("models.py::dev.silver.orders::drift: the check drift exists with --delta-drift only; give that, too"),
                (
                    "models.py::dev.silver.orders::apply[1]: the check apply exists with --delta-apply only;"
                    " give that, too"
                ),
            ],
        ),
        (["-m", "delta_drift"], ["-m delta_drift selects nothing without --delta-drift; give that, too"]),
        (
            ["--delta-drift", "-m", "delta_apply and delta"],
            ["-m delta_apply selects nothing without --delta-apply; give that instead of --delta-drift"],
        ),
        (
            ["models.py::dev.silver::unmanaged", "-m", "delta_metadata"],
            [
                (
                    "models.py::dev.silver::unmanaged: the check unmanaged exists with --delta-drift only; give that,"
                    " too"
                ),
                "-m delta_metadata selects nothing without --delta-drift; give that, too",
            ],
        ),
    ],
)
def test_a_check_that_needs_an_option_names_it(project, arguments, faults):
    project.models(ORDERS)

    result = project.run(*arguments)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.str().strip().removeprefix("ERROR: ").splitlines() == faults


@pytest.mark.parametrize("expression", ["not delta_drift", "delta_rules or delta_drift"])
def test_marks_of_other_modes_may_be_left_out(project, expression):
    project.models(ORDERS)

    assert project.run("--collect-only", "-q", "-m", expression).ret == 0


def test_tests_may_be_called_like_checks(project):
    project.pytester.makepyfile(test_it="class Testing:\n    def drift(self): pass\n")
    project.ini("python_functions = drift")
    project.settings()

    assert project.run("test_it.py::Testing::drift").ret == 0


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

    result = project.run("--delta-drift", "--delta-backend=databricks", "--snapshot-update")

    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(
        ["  unreadable  *the databricks backend needs databricks-connect here, which cannot be imported *"],
    )


def test_databricks_is_entered_through_the_warehouse_that_was_chosen(project, monkeypatch):
    monkeypatch.setitem(sys.modules, "databricks", None)
    project.settings('models = ["models"]', 'backend = "databricks"', 'databricks_warehouse = "abc"')
    project.models(MODEL)

    result = project.run("--delta-drift", "--snapshot-update")

    result.stdout.fnmatch_lines(
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
