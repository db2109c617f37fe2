"""Every report of ten thousand changes over a thousand tables: seconds, and how much more memory than the run has."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from local import python
from measure import ROUNDS, Ratio, of_limit
from subjects import SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES, CHANGES = 1000, 10
SECONDS, KIB = 3, 150 * 1024

WRITE = f"""
import json, re, sys, time
from dataclasses import replace
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from subjects import models
from pytest_delta_schema.engine.outcomes.outcome import OutcomeStatement, Status, TableChange
from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.report.formats.report_formats import FORMATS
from pytest_delta_schema.report.report_entries import Run, TableReport
from pytest_delta_schema.report.run_report import RunReport
from pytest_delta_schema.state import state_json
from pytest_delta_schema.state.desired import desired_state

def entry(number, table):
    state = desired_state(table)
    columns = state.columns[:20]
    changed = [column.name for column in columns[:{CHANGES}]]
    wanted = replace(state, columns=columns)
    seen = replace(state, columns=tuple(column._replace(comment="") for column in columns))
    place = Location("shop/models.py", 10 + 30 * number, 1, 35 + 30 * number)
    return TableReport(
        name=table.qualified_name, stored_as=table.qualified_name, mode="drift", backend="memory",
        status=Status.DRIFTED, location=place, observed_version=7,
        changes=tuple(
            TableChange(
                table=table.qualified_name, marker="~", path=f"columns.{{name}}.comment", before="''",
                after=f"'Comment {{index}}'", risk="metadata", code="DD131",
                location=Location(place.file, place.line + index),
            )
            for index, name in enumerate(changed)
        ),
        statements=tuple(
            OutcomeStatement(sql=f"COMMENT ON COLUMN `dev`.`silver`.`table`.`{{name}}` IS 'Comment {{index}}'")
            for index, name in enumerate(changed)
        ),
        declared=state_json(wanted), observed=state_json(seen),
    )

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])

tables = tuple(entry(number, table) for number, table in enumerate(models({TABLES})))
report = RunReport(runs=(Run(mode="drift", backend="memory"),), tables=tables)
before, shares = peak(), {{}}
for name, form in FORMATS.items():
    start = time.perf_counter()
    form.write(report)
    if form.summary:
        form.write_summary(report)
    shares[name] = time.perf_counter() - start
print(json.dumps([shares, peak() - before]))
"""


def run() -> Iterator[Ratio]:
    """Yield the seconds of all reports together, and their memory."""
    runs = [python(WRITE, SOURCE) for _ in range(ROUNDS)]
    whole = statistics.median(sum(shares.values()) for shares, _ in runs)
    shares = runs[-1][0]
    yield of_limit(f"all reports of {TABLES * CHANGES:,} changes over {TABLES:,} tables", whole, SECONDS)
    print("  of which " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in shares.items()))
    yield of_limit("memory for them, besides that of the run", statistics.median(kib for _, kib in runs), KIB, "KiB")
