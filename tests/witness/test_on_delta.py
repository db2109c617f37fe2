"""Witnesses and real Delta agree: each of them is confirmed, and what is safe for a role changes none of its answers."""

from __future__ import annotations

import pytest

from pytest_delta_schema.witness.child import answers_of
from pytest_delta_schema.witness.runner import is_confirmed
from support.compatibility import sample_witnesses, scripts
from support.covering import ALL

pytestmark = pytest.mark.spark


def is_expected(script, after):
    """Whether the answer after the change is the one that the comments of a script say."""
    comment = script.splitlines()[2].removeprefix("# after:  ")
    if comment.startswith("ends once"):
        return not after.failed and after.text.startswith("ends: ")
    return ", or" in comment or after.failed == comment.startswith("fails")


def shown(spark, tmp_path, played):
    """Return nothing if a script shows what was found, else both answers."""
    file = tmp_path / "script.py"
    file.write_text(played.script.text, "utf-8")
    before, after = answers_of(spark, file)
    if played.finding.verdict == "safe":
        is_shown = not before.failed and before == after
    else:
        is_shown = is_confirmed(played.script.text, before, after) and is_expected(played.script.text, after)
    return "" if is_shown else f"{played.finding}\nbefore: {before}\nafter: {after}\n{played.script.text}"


def test_witnesses_show_what_was_found(spark_catalog, tmp_path):
    played = scripts() if ALL else sample_witnesses()

    assert [text for one in played if (text := shown(spark_catalog.spark, tmp_path, one))] == []
