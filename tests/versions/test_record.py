"""What `make test-versions` installs and runs, and what it records of its runs."""

from __future__ import annotations

import re

from pytest_delta_schema.delta import PAIRS
from versions import environments, record
from versions.environments import BY_PAIR


def test_no_recorded_run_has_a_failure():
    outcomes = {name: facts["outcomes"].values() for name, facts in record.records().items()}

    assert [name for name, counted in outcomes.items() if any(outcome["failed"] for outcome in counted)] == []


def test_every_environment_has_the_versions_that_it_is_named_after():
    for pair in PAIRS:
        pins = re.findall(r"^([\w.-]+)==([^\s;]+)(.*)$", environments.pins_of(BY_PAIR[pair.extra]), re.MULTILINE)
        assert len({(name.lower(), marker) for name, _, marker in pins}) == len(pins)
        known = {name: version for name, version, _ in pins}
        assert (known["pyspark"], known["delta-spark"]) == (pair.pyspark, pair.delta_spark)
