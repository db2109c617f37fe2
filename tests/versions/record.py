"""Record what ran on a pair, and write the tables of the documentation from the records."""

from __future__ import annotations

import json
import platform
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local import pairs

if TYPE_CHECKING:
    from pytest_delta_schema.backends.local.pairs import Pair

FOLDER = Path(__file__).parent
BACKENDS = {"TestLocal": "local", "TestClassic": "session, classic", "TestConnect": "session, Spark Connect"}
"""The backend that each test class runs."""


def record(pair: Pair, results: Path, date: str, *, covering: bool = False) -> None:
    """Write the record of a pair.

    Args:
        pair: The pair.
        results: The JUnit report of its run.
        date: The day of the run.
        covering: Whether a covering set of the local scenarios ran, and not all of them.
    """
    facts = {
        "pyspark": pair.pyspark,
        "delta_spark": pair.delta_spark,
        "python": platform.python_version(),
        "date": date,
        "command": f"make test-versions PAIRS={pair.extra}{' COVERING=1' * covering}",
        "backends": outcomes(results),
    }
    path_of(pair).write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", "utf-8")


def outcomes(results: Path) -> dict[str, Any]:
    """Read a JUnit report: for each backend the number of scenarios that ran, those skipped by reason, and failures."""
    by_backend: dict[str, Any] = {}
    for case in ET.parse(results).getroot().iter("testcase"):
        backend = BACKENDS[case.get("classname", "").rpartition(".")[2]]
        outcome = by_backend.setdefault(backend, {"ran": 0, "skipped": {}, "failed": []})
        name = case.get("name", "").partition("[")[2].rstrip("]") or case.get("name", "")
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            outcome["failed"].append(name)
        elif skipped is not None:
            outcome["skipped"].setdefault(skipped.get("message", ""), []).append(name)
        else:
            outcome["ran"] += 1
    return by_backend


def path_of(pair: Pair) -> Path:
    """Return where the record of a pair is."""
    return FOLDER / f"{pair.extra}.json"


def records() -> dict[Pair, Any]:
    """Return the records of the pairs that were run, the newest pair first."""
    run = [pair for pair in reversed(pairs.PAIRS) if path_of(pair).exists()]
    return {pair: json.loads(path_of(pair).read_text("utf-8")) for pair in run}


def pairs_table() -> str:
    """Return the table of the pairs, with their last runs."""
    known = records()
    lines = ["| pyspark | delta-spark | extra | last run | with | command |", "| --- | --- | --- | --- | --- | --- |"]
    for pair in reversed(pairs.PAIRS):
        facts = known.get(pair)
        run = "not yet | |" if facts is None else f"{facts['date']} | {_with(facts)} | `{facts['command']}`"
        is_newest = pair is pairs.PAIRS[-1]
        pyspark, extras = (pair.pyspark, ", `spark`") if is_newest else (f"{pair.pyspark.rpartition('.')[0]}.x", "")
        lines.append(f"| {pyspark} | {pair.delta_spark} | `{pair.extra}`{extras} | {run} |")
    return "\n".join(lines)


def matrix() -> str:
    """Return the table of the scenarios that ran, were skipped and failed, by pair and backend."""
    if not records():
        return "No run is recorded yet."
    lines = ["| extra | backend | ran | skipped | failed |", "| --- | --- | --- | --- | --- |"]
    for pair, facts in records().items():
        for backend, outcome in facts["backends"].items():
            skipped = "<br>".join(f"{len(names)}: {reason}" for reason, names in outcome["skipped"].items())
            failed = ", ".join(f"`{name}`" for name in outcome["failed"])
            lines.append(
                f"| `{pair.extra}` | {backend} | {outcome['ran']} | {skipped or 'none'} | {failed or 'none'} |"
            )
    return "\n".join(lines)


def _with(facts: dict[str, Any]) -> str:
    return f"pyspark {facts['pyspark']}, delta-spark {facts['delta_spark']}, Python {facts['python']}"
