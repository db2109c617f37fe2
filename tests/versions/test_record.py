"""What `make test-versions` installs and runs, and what it records of its runs."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from pytest_delta_schema.delta import PAIRS
from versions import __main__ as target
from versions import environments, record
from versions.environments import BY_PAIR, BY_TOOL, ENVIRONMENTS, Environment

RESULTS = """<testsuites><testsuite>
<testcase classname="tests.x.TestLocal" name="test_scenario[a/b[0]]"/>
<testcase classname="tests.x.TestLocal" name="test_scenario[a/c]"><skipped message="Delta 3.3 has no SQL"/></testcase>
<testcase classname="tests.x.TestLocal" name="test_scenario[a/f]"><skipped message="Delta 3.3 has no SQL"/></testcase>
<testcase classname="tests.x.TestLocal" name="test_scenario[a/d]"><failure message="no"/></testcase>
<testcase classname="tests.x.TestConnect" name="test_scenario[a/e]"><error message="no"/></testcase>
<testcase classname="tests.write_check.test_on_delta" name="test_it[extra column]"/>
</testsuite></testsuites>"""


def test_tests_are_counted_by_backend_or_as_one(tmp_path):
    results = tmp_path / "results.xml"
    results.write_text(RESULTS)

    assert record.outcomes(results, record.BACKENDS) == {
        "local": {"ran": 1, "skipped": {"Delta 3.3 has no SQL": 2}, "failed": ["a/d"]},
        "session, Spark Connect": {"ran": 0, "skipped": {}, "failed": ["a/e"]},
        "writes by statements": {"ran": 1, "skipped": {}, "failed": []},
    }
    failed = ["x.TestLocal.test_scenario[a/d]", "x.TestConnect.test_scenario[a/e]"]
    assert record.outcomes(results, {}) == {
        "tests without a JVM": {"ran": 2, "skipped": {"Delta 3.3 has no SQL": 2}, "failed": failed}
    }


def test_no_recorded_run_has_a_failure():
    outcomes = {name: facts["outcomes"].values() for name, facts in record.records().items()}

    assert [name for name, counted in outcomes.items() if any(outcome["failed"] for outcome in counted)] == []


def test_every_class_and_module_of_a_pair_is_counted():
    names = set()
    for path, _, name in (scenario.partition("::") for scenario in environments.SCENARIOS):
        classes = re.findall(r"^class (Test\w+)", (environments.ROOT / path).read_text("utf-8"), re.MULTILINE)
        names |= {name} if name.startswith("Test") else {Path(path).stem, *(() if name else classes)}

    assert names == record.BACKENDS.keys()


def test_every_environment_has_the_versions_that_it_is_named_after():
    for pair in PAIRS:
        pins = re.findall(r"^([\w.-]+)==([^\s;]+)(.*)$", environments.pins_of(BY_PAIR[pair.extra]), re.MULTILINE)
        assert len({(name.lower(), marker) for name, _, marker in pins}) == len(pins)
        known = {name: version for name, version, _ in pins}
        assert (known["pyspark"], known["delta-spark"]) == (pair.pyspark, pair.delta_spark)
    pinned: dict[str, dict[str, str]] = {
        **{f"python3{minor}": {} for minor in range(10, 14)},
        "pytest84": {"pytest": "8.4.2", "syrupy": "5.5.3", "sqlglot": "30.23.0"},
        "client40": {"pyspark-client": "4.0.4"},
        "client41": {"pyspark-client": "4.1.3"},
        "client42": {"pyspark-client": "4.2.0"},
    }
    for name, wanted in pinned.items():
        known = dict(re.findall(r"^([\w.-]+)==(\S+)$", environments.pins_of(BY_TOOL[name]), re.MULTILINE))
        assert BY_TOOL[name].python == (f"3.{name[7:]}" if name.startswith("python") else "")
        assert wanted.items() <= known.items()


def test_every_environment_has_what_the_tests_import():
    wanted, installed = (
        {re.split(r"[^\w-]", requirement, maxsplit=1)[0] for requirement in requirements}
        for requirements in (
            environments.pyproject()["project"]["optional-dependencies"]["dev"],
            (*environments.PACKAGES, *environments.SPARK),
        )
    )

    assert wanted - {"check-jsonschema", "coverage", "import-linter", "mypy", "pre-commit", "ruff"} <= installed


def test_an_older_pytest_gets_the_settings_of_the_project():
    settings = {"strict": True, "testpaths": ["tests"], "addopts": ["-x"], "pythonpath": ["tests"]}

    assert environments.ini_of(settings) == (
        "[pytest]\nxfail_strict = true\ntestpaths =\n  tests\naddopts = -x --strict-markers --strict-config\n"
        f"pythonpath = {environments.ROOT}/tests\n"
    )


def test_a_failure_does_not_keep_other_environments_from_running(tmp_path, monkeypatch, capsys):
    codes = {"missing": None, "stopped": 2, "failing": 1, "green": 0}
    monkeypatch.setattr(target, "ENVIRONMENTS", {name: Environment(name=name, options=(name,)) for name in codes})
    monkeypatch.setattr(target, "record", lambda *_, **__: "5 ran")

    def prepared(environment):
        if environment.name == "missing":
            return environments.interpreter("3.9")
        return tmp_path / "bin" / "python"

    def run(command, **_):
        (tmp_path / "results.xml").write_text(RESULTS)
        return subprocess.CompletedProcess(command, next(code for name, code in codes.items() if name in command))

    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(target, "prepared", prepared)
    monkeypatch.setattr(subprocess, "run", run)

    assert target.main([]) == 1
    assert capsys.readouterr().out.partition("summary\n")[2].splitlines() == [
        "  missing     not run: there is no python3.9 on the path; install it, or activate it (pyenv: pyenv shell 3.11 3.9)",
        "  stopped     not complete: pytest ended with exit code 2",
        "  failing     5 ran, 0 min",
        "  green       5 ran, 0 min",
    ]
    assert target.main(["green"]) == 0


def test_an_unknown_environment_is_named(capsys):
    assert target.main(["spark36"]) == 2
    known = ", ".join(ENVIRONMENTS)
    assert capsys.readouterr().err == f"there is no environment spark36; name some of {known}\n"
