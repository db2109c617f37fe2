"""Write what was measured into the page of the documentation."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from measure import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from measure import Ratio

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "speed.md"
_PART = re.compile(r"(<!-- measured: .*? -->\n).*(<!-- measured: end -->)", re.DOTALL)


def write(ratios: Iterable[tuple[str, Ratio]]) -> None:
    """Write a table of ratios.

    Args:
        ratios: Each with the part that measures it.
    """
    machine = f"Python {platform.python_version()}, pyspark {version('pyspark')}, {os.cpu_count()} processors"
    lines = [
        f"Measured in one run with {machine}:",
        "",
        "| what | measured | against | ratio / bound | command |",
        "|---|---|---|---|---|",
        *(_row(part, ratio) for part, ratio in ratios),
    ]
    text = PAGE.read_text("utf-8")
    table = "\n".join(lines)
    PAGE.write_text(_PART.sub(lambda match: f"{match[1]}\n{table}\n\n{match[2]}", text), "utf-8")


def _row(part: str, ratio: Ratio) -> str:
    reference = ", ".join(filter(None, (shown(ratio.reference, ratio.unit), ratio.reference_name)))
    measured = shown(ratio.work, ratio.unit)
    return (
        f"| {ratio.name} | {measured} | {reference} | {ratio.ratio:.3g} / {ratio.bound} | `python benchmarks {part}` |"
    )
