"""Describe a plan line by line: what changes where, from what, to what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.diagnostics.redaction import redacted_uris
from pytest_delta_schema.plan.actions import AlignTable, CreateTable, RestoreTable, SchemaMissing, TableMissing
from pytest_delta_schema.plan.change_markers import ABSENT, ADD
from pytest_delta_schema.plan.changes.columns import describe_column
from pytest_delta_schema.plan.changes.kind import kind_of, risk_of
from pytest_delta_schema.plan.changes.layout import describe_layout
from pytest_delta_schema.plan.changes.lines import ChangeLine
from pytest_delta_schema.plan.changes.tags import set_tags_lines
from pytest_delta_schema.plan.risk import Risk
from pytest_delta_schema.state.states import TableState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.plan.changes import Change


_WITHOUT_RISK = (CreateTable, RestoreTable)


def change_lines(action: CreateTable | AlignTable) -> tuple[ChangeLine, ...]:
    """Describe an action, change by change.

    All parts of a new table have the code of the missing table.
    """
    if isinstance(action, CreateTable):
        missing = TableMissing.code
        return (*_schema_creation(action), *(line._replace(code=missing) for line in _creation(action)))
    return tuple(line for change in action.changes for line in lines_of(change, action))


def lines_of(change: Change, action: AlignTable) -> Iterator[ChangeLine]:
    """Describe one change of an existing table."""
    kind, risk = kind_of(change), risk_of(change)
    for line in kind.describe(change, action.observed):
        yield line._replace(risk=risk, code=kind.drift.code)


def highest_risk(changes: Iterable[Change | CreateTable | RestoreTable]) -> Risk:
    """Return the highest risk in a plan or a statement; creating a table is of the lowest."""
    risks = [risk_of(change) for change in changes if not isinstance(change, _WITHOUT_RISK)]
    return max(risks, default=Risk.METADATA)


def _schema_creation(action: CreateTable) -> Iterator[ChangeLine]:
    if action.creates_schema:
        schema = f"schema {action.table.catalog}.{action.table.schema}"
        yield ChangeLine(ADD, schema, ABSENT, "created", code=SchemaMissing.code)


def _creation(action: CreateTable) -> Iterator[ChangeLine]:
    plural = "" if len(action.columns) == 1 else "s"
    yield ChangeLine(ADD, "table", ABSENT, f"created with {len(action.columns)} column{plural}")
    for column in action.columns:
        yield ChangeLine(ADD, part_path("columns", column.name), ABSENT, describe_column(column))
    for check in action.checks:
        yield ChangeLine(ADD, part_path("checks", check.name), ABSENT, check.expression)
    for change in (*action.keys, *action.foreign_keys):
        yield from kind_of(change).describe(change, TableState(name=action.table))
    if action.partitioning or action.clustering:
        yield ChangeLine(ADD, part_path("layout"), ABSENT, describe_layout(action.partitioning, action.clustering))
    if action.table_comment:
        yield ChangeLine(ADD, part_path("comment"), ABSENT, repr(action.table_comment))
    for key, value in action.table_properties.items():
        yield ChangeLine(ADD, part_path("properties", key), ABSENT, repr(redacted_uris(value)))
    for tags in action.tags:
        yield from set_tags_lines(tags, {})
