"""The recorded answers are those of Delta: a sample of streams runs again, and all of them in ``make test-all``."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.testing.scenario import LONG
from pytest_delta_schema.write_check import check_stream
from pytest_delta_schema.write_check.streams import STREAM_KINDS, answers
from support.covering import ALL
from support.streams.cases import CASES, SAMPLE, SEVERAL, V, play, states
from support.tables import table

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name in CASES for kind in STREAM_KINDS] if ALL else SAMPLE)
def test_a_stream_does_what_was_recorded(name, kind, spark_catalog):
    verdict = play(spark_catalog, CASES[name], kind)

    assert (verdict.answer, verdict.condition, verdict.remedy) == answers()[name.lower(), kind]


@pytest.mark.parametrize("name", SEVERAL if ALL else ["add + tighten, plain"])
def test_the_worst_answer_counts_on_delta(name, spark_catalog):
    case, kind = SEVERAL[name]

    verdict = play(spark_catalog, case, kind)

    assert verdict.answer == check_stream(*states(case, kind), kind).answer


def test_a_change_that_delta_refuses_is_not_judged(spark_catalog):
    old = table(replace(V, data_type=LONG))

    verdict = spark_catalog.probe_stream(old, table(V), rows=[{"v": 1}, {"v": 2}, {"v": 3}])

    (finding,) = verdict.findings
    assert (verdict.answer, finding.rule, finding.remedy) == ("not judged", "refused", "change the model")
    assert finding.message.startswith("the change is refused: ")


def test_a_probe_needs_a_feed_and_three_rows(spark_catalog):
    with pytest.raises(DeclarationError, match="probe_stream takes three rows, and was given 1; give two of the old"):
        spark_catalog.probe_stream(table(V), table(V), rows=[{"v": 1}])

    verdict = spark_catalog.probe_stream(table(V), table(V), "change-feed", rows=[{"v": 1}, {"v": 2}, {"v": 3}])
    assert [finding.rule for finding in verdict.findings] == ["no-change-feed"]
