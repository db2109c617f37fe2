"""Preflight: run all data checks of a plan before any statement."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names import PartPath, part_path
from pytest_delta_schema.diagnostics.errors import StatementError, first_line
from pytest_delta_schema.diagnostics.text import escaped, shortened
from pytest_delta_schema.execute.protocols import LIMIT, OFF, AnalysesDefaults, Preflight
from pytest_delta_schema.plan.changes import ColumnAdd, ColumnDefaultChange, ConvertTable
from pytest_delta_schema.plan.data_checks import NotNull, PartitionValue, data_checks_of, shown_columns
from pytest_delta_schema.progress import step
from pytest_delta_schema.rules.reported_rules import (
    DuplicateKeyValues,
    NullsInColumn,
    PartitionValueNotPreserved,
    RowsViolateCheck,
    RowsWithoutParent,
)
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.rules.types import InvalidColumnGeneration
from pytest_delta_schema.sql.data_check_queries import select_violations
from pytest_delta_schema.state.states import NULL_PARTITION, CheckState, KeyState
from pytest_delta_schema.state.types import ColumnGeneration, find

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.execute.protocols import DeltaDDL, RowCounts, Samples
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.plan.data_checks import DataCheck

_LONGEST = 40
_FILE_CONDITIONS = ("FAILED_READ_FILE",)
"""The error condition of Spark 4 for a missing or damaged data file."""

_NO_FILE = "restore the data files of its newest version, or restore a version whose files exist"

_TEXTS = f"'' and {NULL_PARTITION!r} as NULL"
_NOT_KEPT = {
    "timestamp": "years before 0001 as later ones",
    "binary": f"{_TEXTS}, bytes that are not UTF-8 as others",
}
"""How a partition reads back values that it cannot store, by their type."""


def preflight(
    action: AlignTable,
    ddl: DeltaDDL,
    how: Preflight = Preflight(),  # noqa: B008 - a frozen value
) -> tuple[Diagnostic, ...]:
    """Analyse defaults, run the data checks of an action in one scan, and return a violation for each that fails."""
    refused = tuple(_refused_defaults(action, ddl))
    data_checks = data_checks_of(action) if how.mode != OFF and not refused else ()
    if not data_checks:
        return refused
    added = [change.column for change in action.all(ColumnAdd)]
    conversion = action.one(ConvertTable)
    files = None if conversion is None else conversion.source.path
    with _reading(action.table), step(escaped(f"{action.table}: running its data checks")):
        counts = ddl.data_checks(action.table).count_rows(
            data_checks, added=added, stop_early=how.mode == LIMIT, files=files
        )
    broken = [data_check for data_check, count in zip(data_checks, counts.broken, strict=True) if count]
    shown = [shown_columns(data_check, action) for data_check in broken]
    number = min(how.samples, 1) if how.mode == LIMIT else how.samples
    samples: Samples = ()
    if number and any(shown):
        with _reading(action.table), step(escaped(f"{action.table}: finding rows that fail its data checks")):
            samples = ddl.data_checks(action.table).sample_rows(broken, shown, number=number, added=added, files=files)
    named = dict(zip(broken, map(_named, shown, samples), strict=False))
    return tuple(violations_of(action.table, data_checks, counts, named, files))


def _refused_defaults(action: AlignTable, ddl: DeltaDDL) -> Iterator[Diagnostic]:
    """Yield a violation for every default that the catalog's engine refuses to analyse."""
    for change in action.all(ColumnDefaultChange):
        column = find(action.desired.columns, change.path)
        runner = ddl.data_checks(action.table)
        if change.after is None or column is None or not isinstance(runner, AnalysesDefaults):
            continue
        try:
            runner.analyse_default(column._replace(value=ColumnGeneration(default=change.after)))
        except StatementError as error:
            message = f"column {change.path} has the default {change.after}, which Spark refuses: {first_line(error)}"
            path = part_path("columns", change.path)
            yield violation(
                InvalidColumnGeneration(), action.table, path, message, "write an expression that it accepts"
            )


@contextmanager
def _reading(table: QualifiedName) -> Iterator[None]:
    """Add the name of the table to errors of reading its rows, and what to do; Spark names a file at most."""
    try:
        yield
    except StatementError as error:
        if str(error).startswith(f"{table}: "):
            raise
        remedy = _NO_FILE if error.condition.startswith(_FILE_CONDITIONS) else "fix the cause and run again"
        msg = f"{table}: its rows cannot be read: {first_line(error)}; {remedy}"
        raise StatementError(msg, condition=error.condition) from error


def violations_of(
    table: QualifiedName,
    data_checks: Sequence[DataCheck],
    counts: RowCounts,
    named: dict[DataCheck, str] | None = None,
    files: str | None = None,
) -> Iterator[Diagnostic]:
    """Yield a violation for every data check that rows fail; ``named`` holds a few of these as text."""
    for data_check, count in zip(data_checks, counts.broken, strict=True):
        if count:
            sample = (named or {}).get(data_check, "")
            rule, path, message, remedies = _finding(data_check, _Rows(count, counts.rows))
            way, other = remedies
            remedy = f"{way} (they are listed by {select_violations(table, data_check, files)}), or {other}"
            yield replace(violation(rule, table, path, message, remedy), samples=sample)


class _Rows(NamedTuple):
    """The number of rows that fail a data check."""

    broken: int
    of: int | None

    def that(self, singular: str, plural: str) -> str:
        """Return them as text, with the verb for one row and for several."""
        if self.of is None:
            return f"at least 1 row {singular}"
        return f"{self.broken} {f'row {singular}' if self.broken == 1 else f'rows {plural}'}, of {self.of}"


def _finding(data_check: DataCheck, rows: _Rows) -> tuple[HasCode, PartPath, str, tuple[str, str]]:
    """Return rule, path, message and the two remedies."""
    match data_check:
        case NotNull():
            path = data_check.path
            fact = f"column {path} cannot be NOT NULL, because {rows.that('holds NULL in it', 'hold NULL in it')}"
            return NullsInColumn(), part_path("columns", path), fact, ("fill them", "declare it nullable")
        case PartitionValue():
            lost = _NOT_KEPT.get(data_check.data_type, _TEXTS)
            singular, plural = "holds a value that is read back as another", "hold values that are read back as others"
            reason = rows.that(f"{singular} ({lost})", f"{plural} ({lost})")
            fact = f"column {data_check.column} cannot become a partition column, because {reason}"
            ways = ("replace the values", "choose another layout")
            return PartitionValueNotPreserved(), part_path("columns", data_check.column), fact, ways
        case CheckState():
            subject = f"check {data_check.name} ({data_check.expression})"
            fact = f"{subject} cannot be added, because {rows.that('breaks it', 'break it')}"
            return RowsViolateCheck(), part_path("checks", data_check.name), fact, ("correct them", "change the check")
        case KeyState():
            subject = f"{data_check.kind} {data_check.name} ({', '.join(data_check.columns)})"
            repeats = rows.that("repeats the key of another", "repeat the keys of others")
            fact = f"{subject} cannot be added, because {repeats}"
            return DuplicateKeyValues(), data_check.path, fact, ("remove them", "choose another key")
    subject = f"foreign key {data_check.name} ({', '.join(data_check.columns)})"
    orphans = rows.that(f"has no parent in {data_check.parent}", f"have no parent in {data_check.parent}")
    fact = f"{subject} cannot be added, because {orphans}"
    return RowsWithoutParent(), data_check.path, fact, ("add the parents", "leave the foreign key out")


def _named(columns: Sequence[str], rows: Sequence[Sequence[str | None]]) -> str:
    """Return a few rows as text: ``id = 1, 2`` or ``(id, region) = (1, EU), (2, US)``."""
    if not rows or not columns:
        return ""
    texts = sorted(_tuple([_short(value) for value in row]) for row in rows)
    return f"{_tuple(columns)} = {', '.join(texts)}"


def _tuple(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _short(value: str | None) -> str:
    text = "NULL" if value is None else "".join(character if character.isprintable() else "?" for character in value)
    return shortened(text, _LONGEST)
