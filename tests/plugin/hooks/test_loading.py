"""A run without Delta tables costs next to nothing, and two runs in one process do not affect each other."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Settings
from pytest_delta_schema.engine import current_settings

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
    "version", [pytest.version_tuple, (8, 4, 2)], ids=["the installed pytest", "the oldest pytest"]
)
def test_an_unrelated_run_imports_only_what_every_run_needs(project, version):
    project.ini("")
    project.pytester.makeconftest(f"import pytest\npytest.version_tuple = {version!r}\n")
    project.pytester.makepyfile(
        test_x=f"""
        import sys
        def test_it():
            assert sorted(name for name in sys.modules if name.startswith("pytest_delta_schema")) == {LOADED!r}
            assert [name for name in {HEAVY!r} if name in sys.modules] == []
        """
    )

    project.run(subprocess=True).assert_outcomes(passed=1)
    project.run("-p", "no:syrupy", subprocess=True).assert_outcomes(passed=1)


def test_the_plugin_itself_does_not_import_syrupy(project):
    project.ini("")
    project.pytester.makepyfile(test_x="import sys\ndef test_it(): assert 'syrupy' not in sys.modules\n")

    project.run("-p", "no:syrupy", subprocess=True).assert_outcomes(passed=1)


def test_a_root_conftest_may_name_the_plugin(project):
    project.ini("")
    project.pytester.makeconftest("pytest_plugins = ['pytest_delta_schema.plugin']")
    project.pytester.makepyfile(test_x="def test_it(delta_worker_id): assert delta_worker_id == 'main'\n")

    project.run(subprocess=True).assert_outcomes(passed=1)


def test_it_works_without_autoloading(project, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    project.ini("")
    project.pytester.makepyfile(test_x="def test_it(delta_worker_id): assert delta_worker_id == 'main'\n")

    project.run("-p", "pytest_delta_schema.plugin", subprocess=True).assert_outcomes(passed=1)


def test_defaults_of_one_run_do_not_reach_the_next(project):
    project.ini("delta_default_properties = team=sales")
    project.pytester.makepyfile(
        test_x="""
        from pytest_delta_schema.engine import current_settings
        def test_it(): assert current_settings().default_properties == (("team", "sales"),)
        """
    )

    project.run().assert_outcomes(passed=1)

    assert current_settings() == Settings()


def test_other_tests_are_not_touched_by_the_plugin(project):
    project.ini("")
    project.pytester.makepyfile(test_x="def test_it(): pass\n")

    result = project.run()

    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*delta schema*")
