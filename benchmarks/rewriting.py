"""A layout rewrite: three scans at most, and what they take against a copy that compares nothing."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from measure import Row
from processes import program

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 300_000


def run() -> Iterator[Row]:
    """Yield the cost of a rewrite that compares fingerprints before it commits; more than three scans are an error."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = program("rewrite", folder, ROWS)
    name = f"rewriting {ROWS:,} rows in three scans, compared before the commit"
    yield Row(name=name, reference_name="a copy without comparison", pairs=pairs, limit=3.5)
