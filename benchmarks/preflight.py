"""The preflight: one scan for all new constraints of a table, against one for each."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from measure import Row
from processes import program

if TYPE_CHECKING:
    from collections.abc import Iterator


def run() -> Iterator[Row]:
    """Yield the cost of ten checks over a million rows, in one query and in one each."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = program("data_checks", folder)
    name = "ten data checks over a million rows, in one query"
    yield Row(name=name, reference_name="one by one", pairs=pairs, limit=0.25)
