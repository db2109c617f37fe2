"""What Spark answered for the logs that are written by hand, and in what other readers differ, with the reasons.

``python -m support.hand_made_logs.agreement`` in ``tests/`` asks Spark again and writes its answers.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from support.hand_made_logs.cases import CASES, SCHEMAS_ONLY
from support.hand_made_logs.readings import LEFT_TO_SPARK
from support.hand_made_logs.truth import REFUSED, answers_of_spark

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

_ANSWERS = Path(__file__).with_name("spark_answers.json")
_AGREED = Path(__file__).with_name("agreed_differences.json")

SHOWN, REFUSES, OTHER = "shows what Spark refuses", "refuses what Spark shows", "shows something else"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """Differences with one reason.

    Args:
        readers: The readers that differ from Spark.
        kind: What they do.
        reason: Why.
        cases: The names of the logs.
    """

    readers: tuple[str, ...]
    kind: str
    reason: str
    cases: tuple[str, ...]


def _read_answers() -> dict[str, str]:
    groups = json.loads(_ANSWERS.read_text("utf-8"))
    answers = {name: group["answer"] for group in groups for name in group["cases"]}
    return {name: answers[name] for name in CASES if name in answers}


SPARK = _read_answers()
"""The answers of Delta 4.4.0 and Spark 4.2.0, by the names of the logs."""

AGREED = tuple(
    Agreed(**{**entry, "readers": tuple(entry["readers"]), "cases": tuple(entry["cases"])})
    for entry in json.loads(_AGREED.read_text("utf-8"))
)
"""The differences that are agreed."""


def agreed_for(reader: str) -> dict[str, str]:
    """Return what is agreed for a reader: the kinds of difference by the names of the logs."""
    return {name: entry.kind for entry in AGREED if reader in entry.readers for name in entry.cases}


def differences(readings: Mapping[str, str]) -> dict[str, str]:
    """Return how readings differ from the answers of Spark, by the names of the logs; those that agree are left out."""
    kinds = {name: difference(SPARK[name], reading) for name, reading in readings.items()}
    return {name: kind for name, kind in kinds.items() if kind}


def difference(spark: str, reading: str) -> str:
    """Return how a reading differs from the answer of Spark; ``""`` if it does not."""
    if reading == LEFT_TO_SPARK:
        return ""
    if spark.startswith(REFUSED):
        return "" if reading.startswith(REFUSED) else SHOWN
    if reading.startswith(REFUSED):
        return REFUSES
    return "" if reading == spark else OTHER


def row(agreed: Agreed) -> str:
    """Return the row of differences in the table of the page."""
    return f"| {', '.join(agreed.readers)} | {agreed.kind} | {len(agreed.cases)} | {agreed.reason} |"


def record(answers: dict[str, str]) -> None:
    """Write the answers of Spark, grouped by the answer."""
    groups: dict[str, list[str]] = {}
    for name, answer in answers.items():
        groups.setdefault(answer, []).append(name)
    content = [{"answer": answer, "cases": cases} for answer, cases in groups.items()]
    _ANSWERS.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def current_answers(spark: SparkSession, root: Path) -> dict[str, str]:
    """Return what Spark answers now.

    Args:
        spark: A classic session.
        root: A folder for the tables.
    """
    folders = {}
    for number, (name, write) in enumerate(CASES.items()):
        folders[name] = root / f"t{number}"
        write(folders[name])
    return answers_of_spark(spark, folders, SCHEMAS_ONLY)


def main() -> None:
    """Ask Spark, and write its answers."""
    from pytest_delta_schema.backends.local.start import session_conf, start_session  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        session = start_session(Path(folder), session_conf(Path(folder)), archive=False)
        record(current_answers(session.spark, Path(folder)))
        session.close()


if __name__ == "__main__":
    main()
