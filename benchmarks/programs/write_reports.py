"""Write every report of a large run; print the seconds of each, and the growth of memory, with those of parsing."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from measure import seconds
from processes import peak_of
from subjects import models, parse_all, schema_string

from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.engine.outcomes import OutcomeStatement, Status, TableChange
from pytest_delta_schema.report.formats import FORMATS
from pytest_delta_schema.report.run_report import Run, RunReport, TableReport
from pytest_delta_schema.state import state_json
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_delta_schema import Table


def main(tables: int, changes: int, rounds: int) -> None:
    """Measure a report of as many tables and changes of each."""
    declared = models(tables)
    texts = [schema_string(table) for table in declared]
    entries = tuple(_entry(number, table, changes) for number, table in enumerate(declared))
    report = RunReport(runs=(Run(mode="drift", backend="memory"),), tables=entries)

    def write(name: str) -> None:
        form = FORMATS[name]
        form.write(report)
        if form.summary:
            form.write_summary(report)

    def write_all() -> None:
        for name in FORMATS:
            write(name)

    peaks = [(_growth(write_all), _growth(lambda: parse_all(texts))) for _ in range(rounds)]
    reports: dict[str, list[float]] = {name: [] for name in FORMATS}
    parsing = []
    for _ in range(rounds):
        for name, times in reports.items():
            times.append(seconds(lambda name=name: write(name)))  # type: ignore[misc]
        parsing.append(seconds(lambda: parse_all(texts)))
    print(json.dumps({"reports": reports, "parsing": parsing, "peaks": peaks}))


def _entry(number: int, table: Table, changes: int) -> TableReport:
    """Report that the comments of some columns differ."""
    state = desired_state(table)
    columns = state.columns[:20]
    changed = [column.name for column in columns[:changes]]
    wanted = replace(state, columns=columns)
    seen = replace(state, columns=tuple(column._replace(comment="") for column in columns))
    location = Location("shop/models.py", 10 + 30 * number, 1, 35 + 30 * number)
    return TableReport(
        name=table.qualified_name,
        stored_as=table.qualified_name,
        mode="drift",
        backend="memory",
        status=Status.DRIFTED,
        location=location,
        observed_version=7,
        changes=tuple(
            TableChange(
                table=table.qualified_name,
                marker="~",
                path=f"columns.{name}.comment",
                before="''",
                after=f"'Comment {index}'",
                risk="metadata",
                code="DD131",
                location=Location(location.file, location.line + index),
            )
            for index, name in enumerate(changed)
        ),
        statements=tuple(
            OutcomeStatement(sql=f"COMMENT ON COLUMN `dev`.`silver`.`table`.`{name}` IS 'Comment {index}'")
            for index, name in enumerate(changed)
        ),
        declared=state_json(wanted),
        observed=state_json(seen),
    )


def _growth(work: Callable[[], object]) -> float:
    """Return by how many KiB a fork of this process grows, at its peak, while it does the work."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        before = _peak()
        result = work()
        os.write(writing, f"{_peak() - before}".encode())
        del result
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0
    os.close(writing)
    with os.fdopen(reading) as answer:
        return float(answer.read())


def _peak() -> float:
    return peak_of(Path("/proc/self/status").read_text("utf-8"))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
