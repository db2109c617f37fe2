"""Record how the tutorial went on a pair, and write the table of the documentation from the records."""

from __future__ import annotations

import json
import platform
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema import delta

if TYPE_CHECKING:
    from pytest_delta_schema.delta import Pair
    from tutorial.journey import Journey

FOLDER = Path(__file__).parent


def record(pair: Pair, journey: Journey) -> None:
    """Write the record of a pair."""
    quietest, drift = journey.quietest, journey.first_green_drift
    facts = {
        "pyspark": pair.pyspark,
        "delta_spark": pair.delta_spark,
        "python": platform.python_version(),
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "command": f"make test-tutorial PAIRS={pair.extra}",
        "commands": len(journey.commands),
        "failed": [command.ran.command for command in journey.commands if command.fault],
        "stopped": bool(journey.stop),
        "silence": None if quietest is None else round(quietest.silence.seconds, 1),
        "silent_command": "" if quietest is None else quietest.command,
        "first_green_drift": None if drift is None else round(drift),
    }
    (FOLDER / f"{pair.extra}.json").write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", "utf-8")


def records() -> dict[str, Any]:
    """Return the records of the pairs that were run, the newest pair first."""
    paths = {pair.extra: FOLDER / f"{pair.extra}.json" for pair in reversed(delta.PAIRS)}
    return {extra: json.loads(path.read_text("utf-8")) for extra, path in paths.items() if path.exists()}


def table() -> str:
    """Return the table of the pairs: the commands that ran, those that failed, the longest silence, and the first gate."""
    lines = [
        "| extra | commands run | failed | longest silence | first green drift | last run | command |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for extra, facts in records().items():
        failed = ", ".join(f"`{command}`" for command in facts["failed"]) or "none"
        silence = "-" if facts["silence"] is None else f"{facts['silence']} s (`{facts['silent_command']}`)"
        drift = "-" if facts["first_green_drift"] is None else f"{facts['first_green_drift']} s"
        run = f"{facts['commands']}{', then stopped' * facts['stopped']}"
        lines.append(f"| `{extra}` | {run} | {failed} | {silence} | {drift} | {facts['date']} | `{facts['command']}` |")
    return "\n".join(lines)
