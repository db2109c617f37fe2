"""Every report of ten thousand changes over a thousand tables: seconds, and how much more memory than the run has."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from measure import ROUNDS, Row
from planning import PARSING
from processes import program

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES, CHANGES = 1000, 10


def run() -> Iterator[Row]:
    """Yield the cost of all reports together in time and in memory."""
    measured = program("write_reports", TABLES, CHANGES, ROUNDS)
    shares = {name: statistics.median(rounds) for name, rounds in measured["reports"].items()}
    written = [sum(one_round) for one_round in zip(*measured["reports"].values(), strict=True)]
    yield Row(
        name=f"all reports of {TABLES * CHANGES:,} changes over {TABLES:,} tables",
        reference_name=PARSING,
        pairs=list(zip(written, measured["parsing"], strict=True)),
        limit=22.0,
    )
    print("  of which " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in shares.items()))
    name = "memory for them, besides that of the run"
    yield Row(name=name, reference_name=PARSING, pairs=measured["peaks"], limit=1.17, unit="KiB")
