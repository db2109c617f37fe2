"""Without pyspark a run with models ends with one line that names the extra, and any other run is not affected."""

from __future__ import annotations

import pytest

from support.plugin_project import ORDERS

BLOCKER = "import sys\nsys.modules.update(dict.fromkeys(['pyspark', 'delta', 'py4j']))\n"
"""A plugin that makes imports fail as they do where nothing of Spark is installed."""

FACT = (
    "declared tables need pyspark, which is not installed; run: pip install 'pytest-delta-schema[spark]',"
    " or where no Spark is started: pip install --no-deps pyspark-client"
)
CONSENT = """
[tool.pytest_delta_schema]
[[tool.pytest_delta_schema.allow]]
action = "drop-column"
path = "dev.silver.orders.legacy"
reason = "agreed"
expires = 2999-12-31
"""


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
        pytest.param("models", [], id="checks"),
        pytest.param("shop.models", [], id="checks of a package"),
        pytest.param("models", ["--collect-only"], id="collection"),
        pytest.param("models", ["-n2"], id="xdist"),
        pytest.param("models", ["--delta-drift", "--delta-backend=memory"], id="gate"),
        pytest.param("", ["--delta-drift"], id="gate without models"),
        pytest.param("", ["--delta-drift", "--delta-allow=drop-column dev.silver.orders.legacy"], id="consent"),
    ],
)
def test_a_run_with_tables_is_one_line_that_names_the_extra(bare, models, args):
    bare.ini(f"delta_models = {models}")

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
    bare.ini("")
    bare.pytester.makepyfile(test_x="from pytest_delta_schema import Table\n")

    result = run(bare)

    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"E   ModuleNotFoundError: {FACT.replace('[', '[[]')}"])


def test_a_run_without_models_is_not_affected(bare, workers):
    bare.ini("")
    (bare.path / "pyproject.toml").write_text("[tool.pytest_delta_schema]\nbackend = 'memory'\nmax_risk = 'scan'\n")
    bare.pytester.makepyfile(test_x="def test_it(delta_worker_id): pass\ndef test_fails(): raise KeyError\n")

    run(bare, *workers).assert_outcomes(passed=1, failed=1)


def test_consents_of_the_project_need_the_extra(bare):
    bare.ini("")
    (bare.path / "pyproject.toml").write_text(CONSENT)

    result = run(bare)

    assert (result.ret, result.errlines) == (pytest.ExitCode.USAGE_ERROR, [f"ERROR: {FACT}", ""])


def test_a_code_is_explained(bare):
    bare.ini("delta_models = models")

    result = run(bare, "--delta-explain=ds206")

    assert (result.ret, result.errlines) == (pytest.ExitCode.OK, [])
    assert result.outlines[0] == "DS206 DropWithoutConsent: a rule for plans"
