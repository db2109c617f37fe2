"""Write what was measured into the page of the documentation."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from measure import Row

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "speed.md"
_PART = re.compile(r"(<!-- measured: .*? -->\n).*(<!-- measured: end -->)", re.DOTALL)


def write(rows: Iterable[tuple[str, Row]]) -> None:
    """Write a table of rows.

    Args:
        rows: Each with the part that measures it.
    """
    machine = f"Python {platform.python_version()}, pyspark {version('pyspark')}, {os.cpu_count()} processors"
    lines = [
        f"Measured in one run with {machine}:",
        "",
        "| what | measured | reference | measured | ratio / limit | command |",
        "|---|---|---|---|---|---|",
        *(_line(part, row) for part, row in rows),
    ]
    text = PAGE.read_text("utf-8")
    table = "\n".join(lines)
    PAGE.write_text(_PART.sub(lambda match: f"{match[1]}\n{table}\n\n{match[2]}", text), "utf-8")


def _line(part: str, row: Row) -> str:
    cells = (
        row.name,
        row.shown(row.work),
        row.reference_name,
        row.shown(row.reference),
        f"{row.ratio:.3g} / {row.limit}",
        f"`python benchmarks {part}`",
    )
    return f"| {' | '.join(cells)} |"
