"""What `make test-versions` installs and runs, and what it records of its runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from pytest_delta_schema import delta
from pytest_delta_schema.delta import PAIRS
from versions import __main__ as target
from versions import environments, record
from versions.__main__ import main
from versions.environments import BY_PAIR, BY_TOOL, ENVIRONMENTS, Environment, EnvironmentMissingError

OLDEST = PAIRS[0]
RESULTS = """<testsuites><testsuite>
<testcase classname="tests.x.TestLocal" name="test_scenario[a/b[0]]"/>
<testcase classname="tests.x.TestLocal" name="test_reading_by_name"/>
<testcase classname="tests.x.TestLocal" name="test_scenario[a/c]"><skipped message="Delta 3.3 has no SQL"/></testcase>
<testcase classname="tests.x.TestLocal" name="test_scenario[a/d]"><failure message="no"/></testcase>
<testcase classname="tests.x.TestConnect" name="test_scenario[a/e]"><error message="no"/></testcase>
<testcase classname="tests.write_check.test_statements_on_delta" name="test_it[extra column]"/>
</testsuite></testsuites>"""
OUTCOMES = {
    "local": {"ran": 2, "skipped": {"Delta 3.3 has no SQL": ["a/c"]}, "failed": ["a/d"]},
    "session, Spark Connect": {"ran": 0, "skipped": {}, "failed": ["a/e"]},
    "writes by statements": {"ran": 1, "skipped": {}, "failed": []},
}
VERSIONS = {"python": "3.11.7", "pyspark": "3.5.9", "delta-spark": "3.3.3", "pytest": "9.2.0", "syrupy": "7.0.2"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "FOLDER", tmp_path)
    monkeypatch.setattr(record, "versions_in", lambda _: VERSIONS)
    (tmp_path / "results.xml").write_text(RESULTS)
    return tmp_path


def recorded(name, folder, **options):
    return record.record(ENVIRONMENTS[name], folder / "python", folder / "results.xml", "2026-11-22", **options)


def test_a_run_is_recorded_by_backend(folder):
    assert recorded("spark35", folder, covering=True) == OUTCOMES
    assert json.loads((folder / "spark35.json").read_text()) == {
        "versions": VERSIONS,
        "date": "2026-11-22",
        "command": "make test-versions VERSIONS=spark35 COVERING=1",
        "outcomes": OUTCOMES,
    }


def test_a_run_of_other_tests_is_recorded_as_one(folder):
    (folder / "results.xml").write_text(
        '<testsuites><testsuite><testcase classname="tests.plan.test_order" name="test_it[a]"/>'
        '<testcase classname="tests.plan.test_order.TestIt" name="test_it[b]"><failure message="no"/></testcase>'
        "</testsuite></testsuites>",
    )

    assert recorded("python312", folder) == {
        "tests without a JVM": {"ran": 1, "skipped": {}, "failed": ["test_order.TestIt.test_it[b]"]},
    }


def test_the_tables_show_the_records(folder, monkeypatch):
    newest = replace(OLDEST, extra="spark99", pyspark="9.9.0")
    monkeypatch.setattr(delta, "PAIRS", [OLDEST, newest])
    recorded("spark35", folder)
    recorded("pytest84", folder)

    assert record.pairs_table().splitlines()[2:] == [
        "| 9.9.0 | 3.3.3 | `spark99`, `spark` | not yet | | |",
        (
            "| 3.5.x | 3.3.3 | `spark35` | 2026-11-22 | pyspark 3.5.9, delta-spark 3.3.3, Python 3.11.7 |"
            " `make test-versions VERSIONS=spark35` |"
        ),
    ]
    assert record.tools_table().splitlines()[2:] == [
        "| `python310` | not yet | | |",
        "| `python311` | not yet | | |",
        "| `python312` | not yet | | |",
        "| `python313` | not yet | | |",
        (
            "| `pytest84` | 2026-11-22 | Python 3.11.7, pytest 9.2.0, syrupy 7.0.2 |"
            " `make test-versions VERSIONS=pytest84` |"
        ),
        "| `client40` | not yet | | |",
        "| `client41` | not yet | | |",
        "| `client42` | not yet | | |",
    ]
    assert record.matrix().splitlines()[2:] == [
        "| `spark35` | local | 2 | 1: Delta 3.3 has no SQL | `a/d` |",
        "| `spark35` | session, Spark Connect | 0 | none | `a/e` |",
        "| `spark35` | writes by statements | 1 | none | none |",
        (
            "| `pytest84` | tests without a JVM | 3 | 1: Delta 3.3 has no SQL |"
            " `x.TestLocal.test_scenario[a/d]`, `x.TestConnect.test_scenario[a/e]` |"
        ),
    ]


def test_no_recorded_run_has_a_failure():
    failed = {
        (name, tests): outcome["failed"]
        for name, facts in record.records().items()
        for tests, outcome in facts["outcomes"].items()
        if outcome["failed"]
    }

    assert failed == {}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.extra)
def test_the_pins_of_a_pair_have_one_version_for_each_package_and_python(pair):
    pins = re.findall(r"^([\w.-]+)==([^\s;]+)(.*)$", environments.pins_of(BY_PAIR[pair.extra]), re.MULTILINE)
    markers = {(name.lower(), marker) for name, _, marker in pins}

    assert len(markers) == len(pins)
    assert {("pyspark", pair.pyspark), ("delta-spark", pair.delta_spark)} <= {
        (name, version) for name, version, _ in pins
    }


def test_every_supported_version_of_other_tools_is_an_environment():
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", environments.pins_of(BY_TOOL["pytest84"]), re.MULTILINE))

    assert [environment.python for environment in BY_TOOL.values()] == ["3.10", "3.11", "3.12", "3.13", "", "", "", ""]
    assert (pins["pytest"], pins["syrupy"], pins["sqlglot"]) == ("8.4.2", "5.5.3", "30.23.0")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with Python 3.11")
def test_every_environment_has_what_the_tests_import():
    import tomllib  # noqa: PLC0415 - Python 3.10 has none

    dev = tomllib.loads((environments.ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"][
        "dev"
    ]
    names = {re.split(r"[^\w-]", requirement, maxsplit=1)[0] for requirement in dev}
    tools = {"check-jsonschema", "coverage", "import-linter", "mypy", "pre-commit", "ruff"}

    assert names - tools <= {re.split(r"[^\w-]", name, maxsplit=1)[0] for name in environments.PACKAGES}


@pytest.mark.parametrize("name", ["client40", "client41", "client42"])
def test_a_client_has_the_version_of_its_line_and_no_spark(name):
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", environments.pins_of(BY_TOOL[name]), re.MULTILINE))

    assert pins["pyspark-client"].startswith(f"4.{name[-1]}.")
    assert set(environments.SPARK) < set(environments.PACKAGES)


def test_an_older_pytest_gets_the_settings_of_the_project():
    settings = {
        "strict": True,
        "minversion": "9.0",
        "testpaths": ["tests"],
        "addopts": ["--import-mode=importlib"],
        "pythonpath": ["tests"],
        "markers": ["spark: needs a JVM"],
    }

    assert environments.ini_of(settings).splitlines() == [
        "[pytest]",
        "xfail_strict = true",
        "testpaths =",
        "  tests",
        "addopts = --import-mode=importlib --strict-markers --strict-config",
        f"pythonpath = {environments.ROOT}/tests",
        "markers =",
        "  spark: needs a JVM",
    ]


def test_an_environment_without_its_python_is_not_made(monkeypatch):
    monkeypatch.setenv("PATH", "")

    with pytest.raises(
        EnvironmentMissingError,
        match=r"^there is no python3\.9 on the path; install it, or activate it",
    ):
        environments.interpreter("3.9")
    assert environments.interpreter(f"{sys.version_info.major}.{sys.version_info.minor}") == sys.executable


@pytest.fixture
def runs(folder, monkeypatch):
    """Environments of which one cannot be made, one is interrupted, one fails, and one passes."""
    names = ("missing", "stopped", "failing", "green")
    monkeypatch.setattr(target, "ENVIRONMENTS", {name: Environment(name=name, options=(name,)) for name in names})

    def prepared(environment):
        if environment.name == "missing":
            raise EnvironmentMissingError("pip has failed")
        return folder / "bin" / "python"

    def run(command, **_):
        name = next(name for name in names if name in command)
        if name == "green":
            text = RESULTS.replace('<failure message="no"/>', "").replace('<error message="no"/>', "")
            (folder / "results.xml").write_text(text)
        if name == "failing":
            (folder / "results.xml").write_text(RESULTS)
        return subprocess.CompletedProcess(command, {"stopped": 2, "failing": 1, "green": 0}[name])

    monkeypatch.setattr(target, "prepared", prepared)
    monkeypatch.setattr(subprocess, "run", run)
    return folder


def test_a_failure_does_not_keep_other_environments_from_running(runs, capsys):
    assert main([]) == 1
    assert capsys.readouterr().out == (
        "\nmissing: 1 of 4\n\nstopped: 2 of 4\n\nfailing: 3 of 4\n\ngreen: 4 of 4\n"
        "\nsummary\n"
        "  missing     not run: pip has failed\n"
        "  stopped     not complete: pytest ended with exit code 2\n"
        "  failing     3 ran, 1 skipped, 2 failed, 0 min\n"
        "  green       5 ran, 1 skipped, 0 failed, 0 min\n"
    )
    assert sorted(path.name for path in runs.glob("*.json")) == ["failing.json", "green.json"]


@pytest.mark.usefixtures("runs")
def test_a_green_run_ends_with_success():
    assert main(["green"]) == 0


@pytest.mark.usefixtures("runs")
def test_an_interrupted_run_shows_what_ran(monkeypatch, capsys):
    run = target._run
    monkeypatch.setattr(
        target,
        "_run",
        lambda environment: run(environment) if environment.name == "missing" else _interrupt(),
    )

    assert main(["missing", "green"]) == 130
    assert capsys.readouterr().out.endswith("summary\n  missing     not run: pip has failed\n  green       not run\n")


def _interrupt():
    raise KeyboardInterrupt


def test_an_unknown_environment_is_named(capsys):
    assert main(["spark36"]) == 2
    assert capsys.readouterr().err == (
        "there is no environment spark36; name some of spark35, spark40, spark41, spark42, python310, python311,"
        " python312, python313, pytest84, client40, client41, client42\n"
    )
