"""Check the columns of primary keys, foreign keys and UNIQUE constraints, which follow the same rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet
from pytest_delta_schema.delta.names.near_names import proposal
from pytest_delta_schema.rules.aspects.columns import repeated_names
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.keys import path_of_key
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.type_traversal import is_comparable
from pytest_delta_schema.state.types import describe_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.delta.names.part_path import PartPath
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.diagnostics.faults import HasCode
    from pytest_delta_schema.models.constraints import ForeignKey, Unique
    from pytest_delta_schema.models.table import Table


def invalid_columns(rule: HasCode, table: Table, key: ForeignKey | Unique) -> Iterator[Diagnostic]:
    """Yield a violation for every column of a constraint that is missing, repeated or not comparable."""
    declared, path = NameSet.of(table.columns), path_of_key(table, key)
    subject = _subject(key.kind, key.columns)
    for name in repeated_names(key.columns):
        yield violation(rule, table.qualified_name, path, f"{subject} names {name} twice", "name it once")
    for name in key.columns:
        if name not in declared:
            fact = f"{subject} names {name}, which is not a column of the model"
            otherwise = f"declare it, or fix the {key.kind.rpartition(' ')[2]}"
            remedy = proposal(name, [column.name for column in table.columns], otherwise)
            yield violation(rule, table.qualified_name, path, fact, remedy)
    yield from incomparable_columns(rule, table, key.kind, key.columns, path)


def incomparable_columns(
    rule: HasCode, table: Table, kind: str, columns: Iterable[str], path: PartPath
) -> Iterator[Diagnostic]:
    """Yield a violation for every column of a constraint whose type holds a map or a variant.

    The kind is what messages call the constraint. Columns that the model lacks are left out.
    """
    declared = NameMap.of(table.columns)
    for name in filter(declared.__contains__, columns):
        data_type = canonical_type(declared[name].data_type)
        if not is_comparable(data_type):
            shown = describe_type(data_type)
            fact = f"{_subject(kind, columns)} names {name}, which is {shown}, whose values cannot be compared"
            remedy = "choose columns whose types hold no map and no variant"
            yield violation(rule, table.qualified_name, path, fact, remedy)


def _subject(kind: str, columns: Iterable[str]) -> str:
    return f"{kind} ({', '.join(columns)})"
