"""Predictions of streams over a table of fifty columns, against a millisecond."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from measure import ROUNDS, Row
from subjects import COLUMNS, model

from pytest_delta_schema import Check, Column
from pytest_delta_schema.write_check import check_stream

if TYPE_CHECKING:
    from collections.abc import Iterator

CALLS = 500


def run() -> Iterator[Row]:
    """Yield the cost of a prediction over four changes of a table."""
    old = model(0)
    columns = [replace(old.columns[0], comment="Changed"), *old.columns[1:], Column("extra", "double")]
    new = replace(old, columns=columns, comment="Changed", checks=[*old.checks, Check("added", "extra > 0")])
    rules = {finding.rule for finding in check_stream(old, new, "tracked").findings}
    assert rules == {"column-added", "column-commented", "check-added"}, f"the stream ends by {rules}"

    def seconds() -> float:
        begun = time.perf_counter()
        for _ in range(CALLS):
            check_stream(old, new, "tracked")
        return (time.perf_counter() - begun) / CALLS

    name = f"`check_stream` on {COLUMNS} columns, four changes"
    yield Row(name=name, reference_name="a millisecond", pairs=[(seconds(), 0.001) for _ in range(ROUNDS)], limit=1.0)
