"""Emulate statements that open-source Delta lacks: keys and tags become ``pytest_delta_schema.*`` properties."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.folded_names import folded
from pytest_delta_schema.delta.reserved_properties import CHECK_PREFIX
from pytest_delta_schema.plan.actions import CreateTable
from pytest_delta_schema.plan.changes import (
    CheckDrop,
    ClusteringChange,
    SetTableProperties,
    SetTags,
    UnsetTableProperties,
    UnsetTags,
)
from pytest_delta_schema.plan.changes.kind import KINDS
from pytest_delta_schema.sql.compiler import statements
from pytest_delta_schema.sql.layout import change_clustering
from pytest_delta_schema.sql.properties import set_properties, unset_properties
from pytest_delta_schema.sql.statement import CATALOG_ONLY, Statement, StatementKind
from pytest_delta_schema.state.delta_log import tag_property
from pytest_delta_schema.state.keys import key_property

if TYPE_CHECKING:
    from collections.abc import Iterator

BY_COMMIT = frozenset({StatementKind.TIGHTEN_COLUMNS, StatementKind.REWRITE_LAYOUT, StatementKind.ADD_CHECK})
"""Statements that open-source Delta 4.4.0 lacks, or does not run exactly; a metadata transaction does them."""

BY_PROPERTY = CATALOG_ONLY
"""Statements for features that open-source Delta lacks; ``pytest_delta_schema.*`` table properties store it."""


def on_delta(statement: Statement) -> tuple[Statement, ...]:
    """Return the statements with which open-source Delta does the same; each is one commit."""
    if statement.kind is StatementKind.CREATE_TABLE:
        return tuple(_created(statement))
    emulated = tuple(replacement for change in statement.changes for replacement in _emulated(statement, change))
    return emulated or (statement,)


def _emulated(statement: Statement, change: Any) -> Iterator[Statement]:
    kind = KINDS.get(type(change))
    if kind is not None and kind.key is not None:
        key = key_property(change.key)
        yield from _set(statement, key) if kind.key == "add" else _unset(statement, *key)
    match change:
        case SetTags():
            yield from _set(statement, {tag_property(change.path, key): value for key, value in change.tags.items()})
        case UnsetTags():
            yield from _unset(statement, *(tag_property(change.path, key) for key in change.keys))
        case CheckDrop() if change.name != folded(change.name):
            # Delta finds constraints by lower-case names only; the property of another one is removed directly.
            yield from _unset(statement, f"{CHECK_PREFIX}{change.name}")


def _created(statement: Statement) -> Iterator[Statement]:
    """Create a table in one statement; where Delta would misplace CLUSTER BY, cluster the table in a second one."""
    for change in statement.changes:
        if isinstance(change, CreateTable) and change.clustering and _is_misplaced(statement.sql):
            unclustered = statements(replace(change, creates_schema=False, clustering=()))
            yield next(part for part in unclustered if part.kind is StatementKind.CREATE_TABLE)
            yield from change_clustering(statement.table, [ClusteringChange(before=(), after=change.clustering)])
        else:
            yield statement


def _is_misplaced(sql: str) -> bool:
    """Whether Delta would cut a CLUSTER BY out of a CREATE TABLE at the wrong position.

    It finds the position in code points and cuts in UTF-16 units: each character beyond U+FFFF shifts the cut by one
    (Delta 4.4.0).
    """
    return any(character > "\uffff" for character in sql[: sql.index("\nCLUSTER BY")])


def _set(statement: Statement, properties: dict[str, str]) -> Iterator[Statement]:
    return set_properties(statement.table, [SetTableProperties(properties=properties)])


def _unset(statement: Statement, *keys: str) -> Iterator[Statement]:
    return unset_properties(statement.table, [UnsetTableProperties(keys=keys)])
