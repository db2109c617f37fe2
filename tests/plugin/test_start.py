"""A run without Delta tables costs next to nothing and needs no pyspark; one run does not affect the next."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Settings
from pytest_delta_schema.engine import current_settings
from support.plugin_project import ORDERS

HEAVY = (
    "pyspark",
    "delta",
    "py4j",
    "sqlglot",
    "syrupy",
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


def test_an_unrelated_run_imports_only_what_every_run_needs(project):
    project.settings()
    project.pytester.makepyfile(
        test_x=f"""
        import sys
        def test_it():
            assert sorted(name for name in sys.modules if name.startswith("pytest_delta_schema")) == {LOADED!r}
            assert [name for name in {HEAVY!r} if name in sys.modules] == []
        """,
    )

    project.run("-p", "no:syrupy", subprocess=True).assert_outcomes(passed=1)


def test_an_argument_may_name_the_plugin(project, monkeypatch):
    project.settings()
    project.pytester.makepyfile(test_x="def test_it(delta_worker_id): assert delta_worker_id == 'main'\n")
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


def test_a_run_with_tables_is_one_line_that_names_the_extra(bare):
    bare.settings('models = ["shop.models"]')

    result = run(bare, "--delta-drift", "--delta-backend=memory")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines == [f"ERROR: {FACT}", ""]
    assert result.outlines == []


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
