"""Say where columns get their values from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.escaping import escaped_literals
from pytest_delta_schema.plan.changes import ColumnDefaultChange, ColumnGenerationChange
from pytest_delta_schema.sql.batches import batches
from pytest_delta_schema.sql.quoting import condition, dotted, path_sql
from pytest_delta_schema.sql.statement import Renderers, Statement, StatementKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.types import ColumnGeneration


def value_clause(value: ColumnGeneration | None) -> str:
    """Say it in the definition of a column, with a space before it."""
    if value is None:
        return ""
    if value.generated is not None:
        return f" GENERATED ALWAYS AS {condition(value.generated)}"
    if value.identity is not None:
        start, step, is_always = value.identity
        how = "ALWAYS" if is_always else "BY DEFAULT"
        return f" GENERATED {how} AS IDENTITY (START WITH {start:d} INCREMENT BY {step:d})"
    return "" if value.default is None else f" DEFAULT {_expression(value.default)}"


def change_defaults(table: QualifiedName, changes: Sequence[ColumnDefaultChange]) -> Iterator[Statement]:
    """Say all defaults that come, change and go in one statement, or in as few as Spark allows."""
    for group in batches(changes):
        lines = ",\n".join(f"  {path_sql(change.path)} {_words(change)}" for change in group)
        sql = f"ALTER TABLE {dotted(table)} ALTER COLUMN\n{lines}"
        yield Statement(table=table, kind=StatementKind.CHANGE_DEFAULTS, sql=sql, changes=group)


def change_generation(_table: QualifiedName, _changes: Sequence[ColumnGenerationChange]) -> Iterator[Statement]:
    """Say nothing: Delta has no statement for it, and a rule refuses the plan."""
    yield from ()


def _words(change: ColumnDefaultChange) -> str:
    return "DROP DEFAULT" if change.after is None else f"SET DEFAULT {_expression(change.after)}"


def _expression(text: str) -> str:
    """Put an end of line behind a comment, so that it does not swallow what follows."""
    legible = escaped_literals(text)
    return f"{legible}\n" if "--" in legible else legible


RENDERERS: Renderers = {ColumnDefaultChange: change_defaults, ColumnGenerationChange: change_generation}
