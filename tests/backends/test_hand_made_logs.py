"""Logs that are written by hand, most of them odd: the readers without Spark show what Spark shows, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.hand_made_logs.agreement import AGREED, SPARK, agreed_for, by_local_files, by_unity_files, differences, row
from support.hand_made_logs.cases import CASES

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "local-backend.md"


def test_every_log_has_an_answer_of_spark():
    assert SPARK.keys() == CASES.keys()


@pytest.mark.parametrize("reader", ["`local`", "`unity`"])
def test_readers_differ_from_spark_as_agreed(tmp_path, reader):
    readings = {}
    for number, (name, write) in enumerate(CASES.items()):
        warehouse = tmp_path / str(number)
        folder = warehouse / "dev" / "silver" / "orders"
        write(folder)
        readings[name] = by_local_files(warehouse) if reader == "`local`" else by_unity_files(folder)

    assert differences(readings) == agreed_for(reader)


def test_the_page_lists_what_is_agreed():
    text = PAGE.read_text("utf-8")

    assert "\n".join(map(row, AGREED)) in text
    assert f"{len(CASES):,} logs that are written by hand" in text
