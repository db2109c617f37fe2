"""What `make test-versions` installs and runs, and what it records of its runs."""

from __future__ import annotations

import re

from pytest_delta_schema.delta import PAIRS
from versions import environments, record
from versions.environments import BY_PAIR

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


def test_every_environment_has_the_versions_that_it_is_named_after():
    for pair in PAIRS:
        pins = re.findall(r"^([\w.-]+)==([^\s;]+)(.*)$", environments.pins_of(BY_PAIR[pair.extra]), re.MULTILINE)
        assert len({(name.lower(), marker) for name, _, marker in pins}) == len(pins)
        known = {name: version for name, version, _ in pins}
        assert (known["pyspark"], known["delta-spark"]) == (pair.pyspark, pair.delta_spark)
