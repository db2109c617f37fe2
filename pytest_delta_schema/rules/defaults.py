"""Rules about defaults, generated columns and identities: what may be declared, and what Delta changes later."""

from __future__ import annotations

from operator import eq
from typing import TYPE_CHECKING

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
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.desired import value_state
from pytest_delta_schema.state.types import canonical_type, describe_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.errors import Diagnostic
    from pytest_delta_schema.models.column import Column
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.state.types import ColumnGeneration

_CONSTANT = "write an expression without columns; a text has quotes of its own, as in \"'open'\""
_REBUILD = (
    "keep what the table has, or build a new table with it beside this one, fill it by INSERT ... SELECT, and let"
    " readers move over"
)


class InvalidColumnGeneration:
    """A default, generation expression or identity of a column is one that Delta refuses.

    A column has one of the three at most. A default names no columns. A generation expression names columns of the
    row that are not generated themselves, and calls no function whose value changes. An identity is a bigint whose
    step is not 0.
    """

    code = "DS118"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every fault that can be known without Spark."""
        valued = [(column, value_state(column)) for column in table.columns if column_has_value(column)]
        generated = {column.name.lower() for column, value in valued if value and value.generated is not None}
        names = {column.name.lower() for column in table.columns}
        for column, value in valued:
            if value is None:
                continue
            for fact, remedy in _faults(column, value, names, generated):
                message = f"column {column.name} {fact}"
                yield violation(self, table.qualified_name, column.name, message, remedy)


def column_has_value(column: Column) -> bool:
    """Whether a column declares where its values come from."""
    return column.default is not None or column.generated_as is not None or column.identity is not None


def _faults(column: Column, value: ColumnGeneration, names: set[str], generated: set[str]) -> Iterator[tuple[str, str]]:
    names_of_parts = ("default", "generated_as", "identity")
    declared = [name for name, part in zip(names_of_parts, value, strict=True) if part is not None]
    if len(declared) > 1:
        yield f"declares {' and '.join(declared)}, which exclude each other", "keep one of them"
    if value.identity is not None:
        data_type = describe_type(canonical_type(column.data_type))
        if data_type != "bigint":
            yield f"is an identity column of type {data_type}, but Delta counts in bigint only", "use LongType()"
        if value.identity.step == 0:
            yield "is an identity column that never counts on, with a step of 0", "use another step"
    if value.default is not None:
        from pytest_delta_schema.state.expressions import default_faults

        for fault in default_faults(value.default):
            yield f"has the default {value.default}, which {fault}", _CONSTANT
    if value.generated is not None:
        from pytest_delta_schema.state.expressions import columns_in, row_faults

        subject = f"is generated as {value.generated}, which"
        for fault in row_faults(value.generated, names):
            yield f"{subject} {fault}", "write an expression over the other columns of the row"
        circular = [name for name in columns_in(value.generated) if name in generated]
        if circular:
            fact = f"{subject} names {', '.join(circular)}, and generated columns look at plain ones only"
            yield fact, "write the other expression in its place"


class UnsupportedGenerationChange:
    """A generated or identity column is added to, changed on or removed from an existing table.

    Delta creates them with their table only (Delta 4.4.0). Keep what the table has, or build a new table and copy the
    rows.
    """

    code = "DS214"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every generated or identity column that would come, change or go."""
        if isinstance(action, CreateTable):
            return
        for added in action.all(ColumnAdd):
            if added.bare.value is not None:
                path = ".".join(added.path)
                fact = (
                    f"column {path} is {describe_generation(added.bare.value)}, which Delta makes with a new table only"
                )
                remedy = "add it as a plain column that writers fill, or build a new table"
                yield violation(self, action.table, path, fact, remedy)
        for change in action.all(ColumnGenerationChange):
            before, after = describe_generation(change.before) or "plain", describe_generation(change.after) or "plain"
            fact = f"column {change.name} is {before} on the table and {after} in the model, which Delta never changes"
            yield violation(self, action.table, change.name, fact, _REBUILD)


class GeneratedColumnDependency:
    """A column is renamed, retyped or dropped that a generated column needs, or an identity column is changed.

    Delta refuses this (``DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE``,
    ``DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED``, Delta 4.4.0). Leave the column, or drop the generated
    column in an apply before.
    """

    code = "DS215"

    def check(self, action: CreateTable | AlignTable) -> Iterator[Diagnostic]:
        """Yield a violation for every renamed, retyped or dropped part of a stored generation expression."""
        if isinstance(action, CreateTable) or not any(column.value for column in action.observed.columns):
            return
        touched = _touched(action)
        for column in action.observed.columns:
            if column.value is not None and column.value.generated is not None:
                for path, verb in _shaken(column.value.generated, touched):
                    fact = f"column {path} cannot be {verb}, because the generated column {column.name} is made from it"
                    remedy = f"leave it, or drop {column.name} first, in an apply of its own"
                    yield violation(self, action.table, path, fact, remedy)
            if column.value is not None and column.value.identity is not None:
                yield from self._identity(action, column.name)

    def _identity(self, action: AlignTable, name: str) -> Iterator[Diagnostic]:
        paths = [change.path for change in action.all(ColumnTypeChange)]
        paths += [change.path for change in action.all(ColumnNullabilityChange) if change.is_nullable]
        if (name,) in paths:
            fact = f"column {name} is an identity column, of which Delta changes nothing but name and comment"
            yield violation(self, action.table, name, fact, _REBUILD)


def _shaken(expression: str, touched: list[tuple[tuple[str, ...], str]]) -> Iterator[tuple[str, str]]:
    """Yield the touched paths that an expression stands on, above or below them, each with its verb."""
    from pytest_delta_schema.state.expressions import paths_in

    sources = paths_in(expression)
    for path, verb in touched:
        folded = tuple(part.lower() for part in path)
        if any(all(map(eq, source, folded)) for source in sources):
            yield ".".join(path), verb


def _touched(action: AlignTable) -> list[tuple[tuple[str, ...], str]]:
    """Return the stored paths that are renamed, retyped or dropped, each with the word for it."""
    names = old_names(action.all(ColumnRename))
    return [
        *((change.path, "renamed") for change in action.all(ColumnRename)),
        *((with_names(change.path, names), "retyped") for change in action.all(ColumnTypeChange)),
        *((with_names(change.path, names), "dropped") for change in action.all(ColumnDrop)),
    ]
