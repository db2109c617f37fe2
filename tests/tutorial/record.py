"""Record how the tutorial went on a pair, and write the table of the documentation from the records."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema import delta

if TYPE_CHECKING:
    from pytest_delta_schema.delta import Pair
    from tutorial.journey import Journey

FOLDER = Path(__file__).parent


def record(pair: Pair, journey: Journey, date: str) -> None:
    """Write the record of a pair.

    Args:
        pair: The pair.
        journey: How it went.
        date: The day of the run.
    """
    silence, drift = journey.longest_silence, journey.first_green_drift
    facts = {
        "pyspark": pair.pyspark,
        "delta_spark": pair.delta_spark,
        "python": platform.python_version(),
        "date": date,
        "command": f"make test-tutorial PAIRS={pair.extra}",
        "commands": len(journey.commands),
        "failed": journey.failed,
        "stopped": bool(journey.stop),
        "silence": None if silence is None else round(silence[0].seconds, 1),
        "silent_command": "" if silence is None else silence[1],
        "first_green_drift": None if drift is None else round(drift),
    }
    path_of(pair).write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", "utf-8")


def path_of(pair: Pair) -> Path:
    """Return where the record of a pair is."""
    return FOLDER / f"{pair.extra}.json"


def records() -> dict[Pair, Any]:
    """Return the records of the pairs that were run, the newest pair first."""
    run = [pair for pair in reversed(delta.PAIRS) if path_of(pair).exists()]
    return {pair: json.loads(path_of(pair).read_text("utf-8")) for pair in run}


def table() -> str:
    """Return the table of the pairs: the commands that ran, those that failed, the longest silence, and the first gate."""
    known = records()
    if not known:
        return "No run is recorded yet."
    lines = [
        "| extra | commands run | failed | longest silence | first green drift | last run | command |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for pair, facts in known.items():
        failed = ", ".join(f"`{command}`" for command in facts["failed"]) or "none"
        silence = "-" if facts["silence"] is None else f"{facts['silence']} s (`{facts['silent_command']}`)"
        drift = "-" if facts["first_green_drift"] is None else f"{facts['first_green_drift']} s"
        run = f"{facts['commands']}{', then stopped' * facts['stopped']}"
        lines.append(
            f"| `{pair.extra}` | {run} | {failed} | {silence} | {drift} | {facts['date']} | `{facts['command']}` |",
        )
    return "\n".join(lines)
