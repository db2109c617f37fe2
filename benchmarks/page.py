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
_ROW = re.compile(r"^(\|.*\| `python benchmarks (\w+)` \|)$", re.MULTILINE)
_PART = re.compile(r"(<!-- measured: .*? -->\n).*(<!-- measured: end -->)", re.DOTALL)


def write(rows: Iterable[tuple[str, Row]]) -> None:
    """Write a table of rows instead of what was measured of the same parts; other parts keep their rows.

    Args:
        rows: Each with the part that measures it.
    """
    text = PAGE.read_text("utf-8")
    tables: dict[str, list[str]] = {}
    for line, part in _ROW.findall(text):
        tables.setdefault(part, []).append(line)
    measured = list(rows)
    for part in dict.fromkeys(part for part, _ in measured):
        tables[part] = [_line(part, row) for name, row in measured if name == part]
    machine = f"Python {platform.python_version()}, pyspark {version('pyspark')}, {os.cpu_count()} processors"
    lines = [
        f"Measured with {machine}:",
        "",
        "| what | measured | reference | measured | ratio / limit | command |",
        "|---|---|---|---|---|---|",
        *(line for part in tables.values() for line in part),
    ]
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
