"""Witnesses and real Delta agree: each of them is confirmed, and what is safe for a role changes none of its answers."""

from __future__ import annotations

import pytest

from pytest_delta_schema.witness.answers import is_confirmed
from pytest_delta_schema.witness.running import answers_of
from pytest_delta_schema.witness.script import Script
from support.compatibility.pairs import all_pairs
from support.compatibility.witnesses import sample, scripts, witnesses_of
from support.covering import ALL

pytestmark = pytest.mark.spark


def shown(spark, tmp_path, played):
    """Return nothing if a script shows what was found, else both answers."""
    file = tmp_path / "script.py"
    file.write_text(played.script.text, "utf-8")
    before, after = answers_of(spark, file)
    if played.finding.verdict == "safe":
        is_shown = not before.failed and before == after
    else:
        is_shown = is_confirmed(before, after, played.script.job_line)
    return "" if is_shown else f"{played.finding}\nbefore: {before}\nafter: {after}\n{played.script.text}"


@pytest.mark.parametrize("played", scripts() if ALL else sample(), ids=lambda played: played.name)
def test_a_witness_shows_what_was_found(played, spark_catalog, tmp_path):
    assert shown(spark_catalog.spark, tmp_path, played) == ""


@pytest.mark.skipif(not ALL, reason="300 pairs take an hour")
@pytest.mark.parametrize("pair", all_pairs(), ids=lambda pair: pair.name)
def test_the_witnesses_of_random_changes_show_what_was_found(pair, spark_catalog, tmp_path):
    played = [one for one in witnesses_of(pair.name, pair.old, pair.new) if isinstance(one.script, Script)]

    assert [text for one in played if (text := shown(spark_catalog.spark, tmp_path, one))] == []
