"""What `make test-versions` installs, and what it records of its runs."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from pytest_delta_schema.backends.local import pairs
from pytest_delta_schema.backends.local.pairs import PAIRS
from versions import environment, record
from versions.__main__ import main

OLDEST = PAIRS[0]
RESULTS = """<testsuites><testsuite>
<testcase classname="tests.x.TestLocal" name="test_scenario[a/b[0]]"/>
<testcase classname="tests.x.TestLocal" name="test_reading_by_name"/>
<testcase classname="tests.x.TestLocal" name="test_scenario[a/c]"><skipped message="Delta 3.3 has no SQL"/></testcase>
<testcase classname="tests.x.TestLocal" name="test_scenario[a/d]"><failure message="no"/></testcase>
<testcase classname="tests.x.TestConnect" name="test_scenario[a/e]"><error message="no"/></testcase>
</testsuite></testsuites>"""
OUTCOMES = {
    "local": {"ran": 2, "skipped": {"Delta 3.3 has no SQL": ["a/c"]}, "failed": ["a/d"]},
    "session, Spark Connect": {"ran": 0, "skipped": {}, "failed": ["a/e"]},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "FOLDER", tmp_path)
    (tmp_path / "results.xml").write_text(RESULTS)
    return tmp_path


def test_a_run_is_recorded_by_backend(folder):
    record.record(OLDEST, folder / "results.xml", "2026-11-22", covering=True)

    facts = json.loads((folder / "spark35.json").read_text())
    assert facts.pop("python")
    assert facts == {
        "pyspark": "3.5.9",
        "delta_spark": "3.3.3",
        "date": "2026-11-22",
        "command": "make test-versions PAIRS=spark35 COVERING=1",
        "backends": OUTCOMES,
    }


def test_the_tables_show_the_records(folder, monkeypatch):
    newest = replace(OLDEST, extra="spark99", pyspark="9.9.0")
    monkeypatch.setattr(pairs, "PAIRS", [OLDEST, newest])
    record.record(OLDEST, folder / "results.xml", "2026-11-22")
    python = json.loads((folder / "spark35.json").read_text())["python"]

    assert record.pairs_table().splitlines()[2:] == [
        "| 9.9.0 | 3.3.3 | `spark99`, `spark` | not yet | | |",
        (
            "| 3.5.x | 3.3.3 | `spark35` | 2026-11-22 |"
            f" pyspark 3.5.9, delta-spark 3.3.3, Python {python} | `make test-versions PAIRS=spark35` |"
        ),
    ]
    assert record.matrix().splitlines()[2:] == [
        "| `spark35` | local | 2 | 1: Delta 3.3 has no SQL | `a/d` |",
        "| `spark35` | session, Spark Connect | 0 | none | `a/e` |",
    ]


def test_no_recorded_run_has_a_failure():
    failed = {
        (pair.extra, backend): outcome["failed"]
        for pair, facts in record.records().items()
        for backend, outcome in facts["backends"].items()
        if outcome["failed"]
    }

    assert failed == {}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.extra)
def test_the_pins_of_a_pair_have_one_version_for_each_package_and_python(pair):
    pins = re.findall(r"^([\w.-]+)==([^\s;]+)(.*)$", environment.pins_of(pair), re.MULTILINE)
    markers = {(name.lower(), marker) for name, _, marker in pins}

    assert len(markers) == len(pins)
    assert {("pyspark", pair.pyspark), ("delta-spark", pair.delta_spark)} <= {
        (name, version) for name, version, _ in pins
    }


def test_an_unknown_pair_is_named(capsys):
    assert main(["spark36"]) == 2
    assert capsys.readouterr().err == "there is no pair spark36; name some of spark35, spark40, spark41, spark42\n"
