"""A witness: the text of a script that shows a finding, and where it is written."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.spark.sessions import CATALOG, CATALOG_OF_DELTA, EXTENSION, EXTENSIONS
from pytest_delta_schema.compatibility.changes import StatePair, comparable_states
from pytest_delta_schema.compatibility.column_faults import ColumnOrderNotKept
from pytest_delta_schema.compatibility.roles import GROUPS
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, first_line
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.witness.jobs import not_played, python_text, reader_jobs, sql_call, stream_jobs, writer_jobs
from pytest_delta_schema.witness.rows import narrowed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.compatibility.judging import CompatibilityFinding
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.witness.jobs import Job

_JOBS = {"readers": reader_jobs, "streams": stream_jobs, "writers": writer_jobs}
_START = f"""\
import sys
from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession
when, folder = sys.argv[1:]; path = folder + "/table"
delta = {{"{EXTENSIONS}": "{EXTENSION}", "{CATALOG}": "{CATALOG_OF_DELTA}"}}
spark = configure_spark_with_delta_pip(SparkSession.builder.config(map=delta)).getOrCreate()
"""
"""How each script begins; it needs nothing but pyspark, delta-spark and a folder."""

FIRST_LINE = "# A witness of delta schema: "
"""How the first line of each script begins."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST = 60
_NEXT = ",\n    "


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A script that shows a finding."""

    file: str
    """Where it belongs below the folder of witnesses, such as ``dev.silver.orders/DC101-note-readers.py``."""
    text: str
    """A line that is empty ends what is about the table, and what the role does with it follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoScript:
    """Why no script shows a finding."""

    reason: str


def witness_of(finding: CompatibilityFinding, old: TableState, new: TableState | None) -> Script | NoScript:
    """Return the script that shows a finding on two contracts; of a safe one, the job that is not affected."""
    reason = not_played(finding)
    if reason:
        return NoScript(reason=reason)
    try:
        script = next(scripts_of(finding, old, new), None)
    except DeltaSchemaError as error:
        return NoScript(reason=f"no rows were made: {first_line(error)}")
    return script or NoScript(reason="no row is known that shows it")


def scripts_of(finding: CompatibilityFinding, old: TableState, new: TableState | None) -> Iterator[Script]:
    """Yield a script for each method of a role that shows a finding, the plainest one first."""
    file = f"{file_name(str(finding.table))}/{_name(finding)}.py"
    for job in _jobs(finding, old, new):
        yield Script(file=file, text="\n".join([*_lines(finding, job, file.rpartition("/")[2]), job.text.lines, ""]))


def _jobs(finding: CompatibilityFinding, old: TableState, new: TableState | None) -> Iterable[Job]:
    # Before and after are one table, so a table that is gone is its own partner.
    states = StatePair(old, old) if new is None else comparable_states(old, new)
    pair = narrowed(*states, finding)
    if finding.rule == ColumnOrderNotKept.__name__ and _names(pair.old) == _names(pair.new):
        # The order is declared as before, and is not kept any more.
        first, *others = pair.new.columns
        pair = StatePair(pair.old, replace(pair.new, columns=(*others, first)))
    return _JOBS[GROUPS[finding.role]](finding, pair, is_gone=new is None)


def _names(state: TableState) -> list[str]:
    return [folded(column.name) for column in state.columns]


def file_name(text: str) -> str:
    """Return a text as the name of a file: other characters, and what is too long, are replaced by a number."""
    plain = _UNSAFE.sub("_", text)
    if plain == text and len(text) <= _LONGEST and text.strip("."):
        return text
    return f"{plain[:_LONGEST].strip('.')}-{sha256(text.encode()).hexdigest()[:8]}"


def _name(finding: CompatibilityFinding) -> str:
    part = finding.path.removeprefix("columns.") or "table"
    return f"{finding.code}-{file_name(part)}-{finding.role}"


def _lines(finding: CompatibilityFinding, job: Job, file: str) -> list[str]:
    """Return the lines of a script before those of the role."""
    comments = [
        f"{FIRST_LINE}{finding.table}: {finding.verdict}: {finding.message} [{finding.code} {finding.rule}]",
        f"# before: {job.text.before}",
        f"# after:  {job.text.after}",
        f"# run:    python {file} before|after NEW_FOLDER",
    ]
    lines = [_START.rstrip(), *map(sql_call, job.first), *filter(None, [job.opening])]
    if job.before == job.after:
        lines += map(sql_call, job.before)
    else:
        lines += [f"before = {_listed(job.before)}", f"after = {_listed(job.after)}"]
        lines.append('for statement in before if when == "before" else after: spark.sql(statement)')
    return [*map(escaped, comments), *lines, ""]


def _listed(statements: Sequence[str]) -> str:
    return f"[\n    {_NEXT.join(map(python_text, statements))}]" if statements else "[]"
