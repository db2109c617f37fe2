"""Check the columns of foreign keys and UNIQUE constraints, which follow the same rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.folded_names import NameMap
from pytest_delta_schema.rules.columns import repeated
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.type_traversal import is_comparable
from pytest_delta_schema.state.types import describe_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.errors import Diagnostic
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.rules.rule import HasCode


def invalid_columns(
    rule: HasCode, table: Table, kind: str, columns: Sequence[str], constraint: str
) -> Iterator[Diagnostic]:
    """Yield a violation for every column of a constraint that is missing, repeated or not comparable.

    Args:
        rule: The rule that reports them.
        table: The table of the constraint.
        kind: What the constraint is, before the list of its columns.
        columns: The columns as they are declared.
        constraint: What to fix where a column is not declared.
    """
    declared = NameMap((column.name, column.data_type) for column in table.columns)
    subject = f"{kind} ({', '.join(columns)})"
    for name in repeated(columns):
        yield violation(rule, table.qualified_name, name, f"{subject} names {name} twice", "name it once")
    for name in columns:
        data_type = declared.get(name)
        if data_type is None:
            fact = f"{subject} names {name}, which is not a column of the model"
            yield violation(rule, table.qualified_name, name, fact, f"declare it, or fix the {constraint}")
        elif not is_comparable(canonical_type(data_type)):
            shown = describe_type(canonical_type(data_type))
            fact = f"{subject} names {name}, which is {shown}, whose values cannot be compared"
            remedy = "choose columns whose types hold no map and no variant"
            yield violation(rule, table.qualified_name, name, fact, remedy)
