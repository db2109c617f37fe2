"""A run without Delta tables costs next to nothing and needs no pyspark; one run does not affect the next."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema import Settings
from pytest_delta_schema.engine import current_settings
from pytest_delta_schema.plugin.collection import freeze_after_collection
from pytest_delta_schema.plugin.items import ContractItem
from support.plugin_project import ORDERS

if TYPE_CHECKING:
    from collections.abc import Callable

HEAVY = (
    "pyspark",
    "delta",
    "py4j",
    "sqlglot",
)
LOADED = [
    "pytest_delta_schema",
    "pytest_delta_schema.plugin",
    "pytest_delta_schema.plugin.fixtures",
    "pytest_delta_schema.plugin.hookspecs",
    "pytest_delta_schema.plugin.registration",
    "pytest_delta_schema.settings",
    "pytest_delta_schema.settings.table",
]


@pytest.mark.parametrize(
    ("version", "args"),
    [(pytest.version_tuple, ("-p", "no:syrupy")), ((8, 4, 2), ())],
    ids=["the installed pytest", "the oldest pytest"],
)
def test_an_unrelated_run_imports_only_what_every_run_needs(project, version, args):
    project.settings()
    project.pytester.makeconftest(f"import pytest\npytest.version_tuple = {version!r}\n")
    heavy = (*HEAVY, "syrupy") if args else HEAVY
    project.pytester.makepyfile(
        test_x=f"""
        import sys
        def test_it():
            assert sorted(name for name in sys.modules if name.startswith("pytest_delta_schema")) == {LOADED!r}
            assert [name for name in {heavy!r} if name in sys.modules] == []
        """,
    )

    project.run(*args, subprocess=True).assert_outcomes(passed=1)


def test_a_root_conftest_or_an_argument_may_name_the_plugin(project, monkeypatch):
    project.settings()
    project.pytester.makepyfile(test_x="def test_it(delta_worker_id): assert delta_worker_id == 'main'\n")
    conftest = project.pytester.makeconftest("pytest_plugins = ['pytest_delta_schema.plugin']")

    project.run().assert_outcomes(passed=1)
    conftest.unlink()
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    project.run("-p", "pytest_delta_schema.plugin").assert_outcomes(passed=1)


def test_defaults_of_one_run_do_not_reach_the_next_and_other_tests_are_not_touched(project):
    project.settings('default_properties = { "team" = "sales" }')
    project.pytester.makepyfile(
        test_x="""
        from pytest_delta_schema.engine import current_settings
        def test_it(): assert current_settings().default_properties == (("team", "sales"),)
        """,
    )

    project.run().assert_outcomes(passed=1)

    assert current_settings() == Settings()
    project.settings()
    project.pytester.makepyfile(test_x="def test_it(): pass\n")
    project.run().stdout.no_fnmatch_line("*delta schema*")


BLOCKER = "import sys\nsys.modules.update(dict.fromkeys(['pyspark', 'delta', 'py4j']))\n"
"""A plugin that makes imports fail as they do where nothing of Spark is installed."""
FACT = (
    "declared tables need pyspark, which is not installed; run: pip install 'pytest-delta-schema[spark]',"
    " or where no Spark is started: pip install --no-deps pyspark-client"
)


@pytest.fixture
def bare(project):
    project.pytester.makepyfile(no_spark=BLOCKER)
    project.models(ORDERS)
    (project.path / "shop").mkdir()
    (project.path / "shop" / "__init__.py").write_text("from pytest_delta_schema import Table\n")
    (project.path / "shop" / "models.py").write_text("from shop import Table\n")
    return project


def run(project, *args):
    return project.run("-p", "no_spark", *args, subprocess=True)


@pytest.mark.parametrize(
    ("models", "args"),
    [
        pytest.param("shop.models", ["--delta-drift", "--delta-backend=memory"], id="gate of a package"),
        pytest.param("", ["--delta-drift", "--delta-allow=drop-column dev.silver.orders.legacy"], id="consent"),
    ],
)
def test_a_run_with_tables_is_one_line_that_names_the_extra(bare, models, args):
    bare.settings(*([f'models = ["{models}"]'] if models else []))

    result = run(bare, *args)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines == [f"ERROR: {FACT}", ""]
    assert result.outlines == []


def test_the_help_is_shown_and_ends_with_this_line(bare):
    result = run(bare, "--help")

    assert result.ret == pytest.ExitCode.OK
    assert "  --delta-drift " in result.stdout.str()
    assert result.outlines[-1] == f"delta schema: {FACT}"
    assert result.errlines == []


def test_a_test_module_that_imports_this_package_is_an_error_that_names_the_extra(bare):
    bare.settings()
    bare.pytester.makepyfile(test_x="from pytest_delta_schema import Table\n")

    result = run(bare)

    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"E   ModuleNotFoundError: {FACT.replace('[', '[[]')}"])


def test_a_run_without_models_is_not_affected(bare):
    bare.settings()
    (bare.path / "pyproject.toml").write_text("[tool.pytest_delta_schema]\nbackend = 'memory'\nmax_risk = 'scan'\n")
    bare.pytester.makepyfile(test_x="def test_it(delta_worker_id): pass\ndef test_fails(): raise KeyError\n")

    run(bare).assert_outcomes(passed=1, failed=1)


CHECK, TEST = object.__new__(ContractItem), object.__new__(pytest.Function)


@pytest.mark.parametrize(
    ("items", "frozen", "calls"),
    [
        pytest.param([CHECK] * 100, 0, ["freeze", "unfreeze"], id="many checks"),
        pytest.param([CHECK] * 99, 0, [], id="few checks"),
        pytest.param([*[CHECK] * 100, TEST], 0, [], id="another test"),
        pytest.param([CHECK] * 100, 7, [], id="frozen by something else"),
    ],
)
def test_which_runs_leave_their_models_out(monkeypatch, items, frozen, calls):
    called: list[str] = []
    cleanups: list[Callable[[], None]] = []
    monkeypatch.setattr(gc, "get_freeze_count", lambda: frozen)
    for name in ("freeze", "unfreeze"):
        monkeypatch.setattr(gc, name, lambda name=name: called.append(name))
    session = SimpleNamespace(items=items, config=SimpleNamespace(add_cleanup=cleanups.append))

    freeze_after_collection(session)

    assert called == calls[:1]
    for cleanup in cleanups:
        cleanup()
    assert called == calls


def test_a_process_that_runs_pytest_gets_its_objects_back(project):
    project.models("tables = [table(f'dev.silver.t{number}', Column('id', LongType())) for number in range(50)]\n")
    project.pytester.makeconftest(
        """
        import gc

        def pytest_runtestloop(session):
            print("\\nFROZEN", gc.get_freeze_count() > 1000)
        """,
    )
    arguments = ["-q", "-s", "-m", "delta_rules or delta_ddl", "--snapshot-update"]

    result = project.pytester.runpython_c(
        f"import gc, pytest; code = pytest.main({arguments!r}); print('LEFT', gc.get_freeze_count()); exit(code)",
    )

    result.stdout.fnmatch_lines(["FROZEN True", "*100 passed*", "LEFT 0"])


COUNTING = """
import sys
import pytest

CALLED = set()

def note(frame, event, _):
    code = frame.f_code
    _, package, module = code.co_filename.rpartition("/pytest_delta_schema/")
    if event == "call" and package and code.co_flags & 1 and "<" not in code.co_name:  # no bodies of classes
        CALLED.add((module, code.co_name, code.co_firstlineno))

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    sys.setprofile(note)
    try:
        return (yield)
    finally:
        sys.setprofile(None)

def pytest_sessionfinish(session):
    manager = session.config.pluginmanager
    plugins = [plugin for _, plugin in manager.list_name_plugin() if plugin is not None]
    names = [getattr(plugin, "__name__", type(plugin).__module__) for plugin in plugins]
    own = [plugin for plugin, name in zip(plugins, names) if name.startswith("pytest_delta_schema")]
    print("\\nPLUGINS", len(own), sum(len(manager.get_hookcallers(plugin)) for plugin in own))
    for name, prefix in (("OF THE PLUGIN", "plugin/"), ("OF THE PACKAGE", "")):
        called = [call for call in CALLED if call[0].startswith(prefix)]
        print(name, len({module for module, *_ in called}), len(called))
"""


def test_a_red_dot_runs_few_modules_and_functions(project):
    project.models('orders = table("dev.silver.orders", Column("id", LongType()), Column("a", LongType()))\n')
    project.catalog("CATALOG")
    conftest = project.path / "conftest.py"
    conftest.write_text(
        f"{conftest.read_text()}\nCATALOG = MemoryCatalog([stored('dev.silver.orders', OLD)])\n{COUNTING}"
    )

    result = project.run("--delta-drift", "-m", "delta_drift", subprocess=True)

    result.assert_outcomes(failed=1)
    counts = {
        name: tuple(map(int, line.removeprefix(name).split()))
        for line in result.outlines
        for name in ("PLUGINS", "OF THE PLUGIN", "OF THE PACKAGE")
        if line.startswith(f"{name} ")
    }
    assert counts["PLUGINS"] <= (4, 30), counts
    for name, (modules, functions) in {"OF THE PLUGIN": (12, 80), "OF THE PACKAGE": (75, 400)}.items():
        assert counts[name][0] <= modules, counts
        assert counts[name][1] <= functions, counts
