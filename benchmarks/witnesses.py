"""Witnesses on local Delta, against the creation of their two tables: thirty scripts in one session."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from measure import ROUNDS, Row

from pytest_delta_schema import open_session
from pytest_delta_schema.witness.child import answers_of
from pytest_delta_schema.witness.script import Script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

COUNT, MINUTE = 30, 60.0
"""How many scripts are run in at most a minute."""


def run() -> Iterator[Row]:
    """Yield the time of a witness, and that of the creation of its tables."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from support.compatibility import scripts as all_scripts  # noqa: PLC0415

    scripts = [played.script for played in all_scripts()[::50] if isinstance(played.script, Script)][:COUNT]
    with tempfile.TemporaryDirectory() as name, open_session(Path(name, "warehouse")) as session:
        whole, tables = Path(name, "whole.py"), Path(name, "tables.py")

        def seconds(file: Path, text: Callable[[str], str]) -> float:
            total = 0.0
            for script in scripts:
                file.write_text(text(script.text))
                total += _seconds(session.spark, file)
            return total / len(scripts)

        seconds(whole, str)
        pairs = [(seconds(whole, str), seconds(tables, _without_job)) for _ in range(ROUNDS)]
    name = f"a witness, before and after a change (mean of {len(scripts)})"
    yield Row(name=name, reference_name="making its two tables", pairs=pairs, limit=6.0)
    minute = [(work, MINUTE / COUNT) for work, _ in pairs]
    yield Row(name=name, reference_name="a thirtieth of a minute", pairs=minute, limit=1.0)


def _without_job(text: str) -> str:
    lines = text.partition("\n\n")[0].splitlines()
    return "\n".join(line for line in lines if not line.startswith(("read", "start", "stream")))


def _seconds(spark: SparkSession, file: Path) -> float:
    started = time.perf_counter()
    answers_of(spark, file)
    return time.perf_counter() - started
