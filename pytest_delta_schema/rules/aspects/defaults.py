"""Rules about defaults, generated columns and identity columns: invalid declarations and unsupported changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.delta.names.folded_names import NameSet
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import (
    ColumnAdd,
    ColumnDrop,
    ColumnGenerationChange,
    ColumnNullabilityChange,
    ColumnRename,
    ColumnTypeChange,
)
from pytest_delta_schema.plan.changes.defaults import describe_generation
from pytest_delta_schema.plan.renames import old_names, with_names
from pytest_delta_schema.rules.rule import Fault, violation
from pytest_delta_schema.state.desired import value_state
from pytest_delta_schema.state.expressions import columns_in, default_faults, paths_in, row_faults
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.types import describe_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.column import Column
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.state.types import ColumnGeneration

_CONSTANT = "write an expression without columns; a string literal needs quotes inside the text, as in \"'open'\""
_REBUILD = (
    "declare what the table has, or create a new table with the change, fill it by INSERT ... SELECT, and point readers"
    " to it"
)


class InvalidColumnGeneration:
    """A default, generation expression or identity of a column is one that Delta refuses.

    A column has one of the three at most. A default names no columns. A generation expression names columns of the row
    that are not generated themselves, and calls no function whose value changes. An identity is a bigint whose step is
    not 0.

    Remedy: Leave out what Delta refuses, or write an expression that it accepts.

    Example:
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("id", "bigint"), Column("next", "bigint", default="id + 1")],
        )
    """

    code = "DS118"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every fault that can be found without Spark."""
        generations = [(column, value_state(column)) for column in table.columns if has_generation(column)]
        if not generations:
            return
        generated = NameSet.of(column for column, value in generations if value and value.generated is not None)
        names = NameSet.of(table.columns)
        for column, value in generations:
            if value is None:
                continue
            for fault in _faults(column, value, names, generated):
                message = f"column {column.name} {fault.message}"
                yield violation(self, table.qualified_name, part_path("columns", column.name), message, fault.remedy)


def has_generation(column: Column) -> bool:
    """Whether a column declares a default, a generation expression or an identity."""
    return column.default is not None or column.generated_as is not None or column.identity is not None


def _faults(column: Column, value: ColumnGeneration, names: NameSet, generated: NameSet) -> Iterator[Fault]:
    parts = {"default": value.default, "generated_as": value.generated, "identity": value.identity}
    declared = [name for name, part in parts.items() if part is not None]
    if len(declared) > 1:
        yield Fault(message=f"declares {' and '.join(declared)}, which exclude each other", remedy="keep one of them")
    if value.identity is not None:
        data_type = describe_type(canonical_type(column.data_type))
        if data_type != "bigint":
            message = f"is an identity column of type {data_type}, but Delta counts in bigint only"
            yield Fault(message=message, remedy="use LongType()")
        if value.identity.step == 0:
            yield Fault(message="is an identity column with a step of 0", remedy="use another step")
    if value.default is not None:
        for fault in default_faults(value.default):
            yield Fault(message=f"has the default {value.default}, which {fault}", remedy=_CONSTANT)
    if value.generated is not None:
        subject = f"is generated as {value.generated}, which"
        for fault in row_faults(value.generated, names):
            yield Fault(message=f"{subject} {fault}", remedy="write an expression over the other columns of the row")
        circular = [name for name in columns_in(value.generated) if name in generated]
        if circular:
            message = f"{subject} names {', '.join(circular)}, and generated columns cannot name generated columns"
            yield Fault(message=message, remedy="write the expression of that column in its place")


class UnsupportedGenerationChange:
    """A generated or identity column is added to, changed on or removed from an existing table.

    Delta creates them with their table only (Delta 4.4.0).

    Remedy: Keep what the table has, or build a new table and copy the rows.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        model = Table(
            "dev",
            "silver",
            "orders",
            [Column("id", "bigint"), Column("twice", "bigint", generated_as="id * 2")],
        )
    """

    code = "DS214"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every generated or identity column that is added, changed or removed."""
        if isinstance(action, CreateTable):
            return
        for added in action.all(ColumnAdd):
            if added.bare.value is not None:
                path = part_path("columns", added.path)
                kind = describe_generation(added.bare.value)
                fact = f"column {added.path} is {kind}, which Delta creates with a new table only"
                remedy = "add it as a plain column that writers fill, or create a new table"
                yield violation(self, action.table, path, fact, remedy)
        for change in action.all(ColumnGenerationChange):
            before, after = describe_generation(change.before) or "plain", describe_generation(change.after) or "plain"
            fact = (
                f"column {change.name} is {before} on the table and {after} in the model, which Delta does not change"
            )
            yield violation(self, action.table, part_path("columns", change.name), fact, _REBUILD)


class GeneratedColumnDependency:
    """A column is renamed, retyped or dropped that a generated column needs, or an identity column is changed.

    Delta refuses this (``DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE``,
    ``DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED``, Delta 4.4.0).

    Remedy: Leave the column, or drop the generated column in an apply before.

    Example:
        twice = Column("twice", "bigint", generated_as="id * 2")
        stored = Table("dev", "silver", "orders", [Column("id", "bigint"), twice])
        model = Table("dev", "silver", "orders", [Column("number", "bigint", renamed_from="id"), twice])
    """

    code = "DS215"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every renamed, retyped or dropped part of a stored generation expression."""
        if isinstance(action, CreateTable) or not any(column.value for column in action.observed.columns):
            return
        touched = list(_touched(action))
        for column in action.observed.columns:
            if column.value is not None and column.value.generated is not None:
                for part in _named_by(column.value.generated, touched):
                    path = part_path("columns", part.path)
                    reason = f"because the generated column {column.name} depends on it"
                    fact = f"column {part.path} cannot be {part.verb}, {reason}"
                    remedy = f"leave it, or drop {column.name} first, in a separate apply"
                    yield violation(self, action.table, path, fact, remedy)
            if column.value is not None and column.value.identity is not None:
                yield from self._identity(action, column.name)

    def _identity(self, action: AlignTable, name: str) -> Iterator[Diagnostic]:
        paths = [change.path for change in action.all(ColumnTypeChange)]
        paths += [change.path for change in action.all(ColumnNullabilityChange) if change.is_nullable]
        if ColumnPath(name) in paths:
            fact = f"column {name} is an identity column, of which Delta changes the name and the comment only"
            yield violation(self, action.table, part_path("columns", name), fact, _REBUILD)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Touched:
    """A stored column or field that a plan changes."""

    path: ColumnPath
    verb: str


def _named_by(expression: str, touched: Sequence[_Touched]) -> Iterator[_Touched]:
    """Yield the columns and fields that an expression names, and those above or below a name in it."""
    sources = paths_in(expression)
    for part in touched:
        if any(source.starts_with(part.path) or part.path.starts_with(source) for source in sources):
            yield part


def _touched(action: AlignTable) -> Iterator[_Touched]:
    names = old_names(action.all(ColumnRename))
    for rename in action.all(ColumnRename):
        yield _Touched(path=rename.path, verb="renamed")
    for change in action.all(ColumnTypeChange):
        yield _Touched(path=with_names(change.path, names), verb="retyped")
    for drop in action.all(ColumnDrop):
        yield _Touched(path=with_names(drop.path, names), verb="dropped")
