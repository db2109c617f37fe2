"""Render defaults, generation expressions and identities as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.escaping import escaped_literals
from pytest_delta_schema.plan.changes import ColumnDefaultChange, ColumnGenerationChange
from pytest_delta_schema.sql.batches import batches
from pytest_delta_schema.sql.quoting import condition, dotted, path_sql
from pytest_delta_schema.sql.statement import Renderers, Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import ColumnGeneration


def value_clause(value: ColumnGeneration | None) -> str:
    """Render the clause of a column definition, with a space before it."""
    if value is None:
        return ""
    if value.generated is not None:
        return f" GENERATED ALWAYS AS {condition(value.generated)}"
    if value.identity is not None:
        start, step, is_always = value.identity
        mode = "ALWAYS" if is_always else "BY DEFAULT"
        return f" GENERATED {mode} AS IDENTITY (START WITH {start:d} INCREMENT BY {step:d})"
    return "" if value.default is None else f" DEFAULT {_expression(value.default)}"


def change_defaults(table: QualifiedName, changes: Sequence[ColumnDefaultChange]) -> Iterator[Statement]:
    """Render all changes of defaults as one statement, or as few as Spark allows."""
    for group in batches(changes):
        lines = ",\n".join(f"  {path_sql(change.path)} {_clause(change)}" for change in group)
        sql = f"ALTER TABLE {dotted(table)} ALTER COLUMN\n{lines}"
        yield Statement(table=table, kind=StatementKind.CHANGE_DEFAULTS, sql=sql, changes=group)


def change_generation(_table: QualifiedName, _changes: Sequence[ColumnGenerationChange]) -> Iterator[Statement]:
    """Render nothing: Delta has no statement for it, and a rule refuses the plan."""
    yield from ()


def _clause(change: ColumnDefaultChange) -> str:
    return "DROP DEFAULT" if change.after is None else f"SET DEFAULT {_expression(change.after)}"


def _expression(text: str) -> str:
    """Add a line feed after a comment, so the comment does not hide what follows."""
    legible = escaped_literals(text)
    return f"{legible}\n" if "--" in legible else legible


RENDERERS: Renderers = {ColumnDefaultChange: change_defaults, ColumnGenerationChange: change_generation}
