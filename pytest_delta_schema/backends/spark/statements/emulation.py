"""Emulate what open-source Delta lacks: keys, tags and properties become ``pytest_delta_schema.*`` properties."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names.folded_names import NameSet, folded
from pytest_delta_schema.delta.reserved_properties import CHECK_PREFIX
from pytest_delta_schema.execute.protocols.catalog import Refusal
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
from pytest_delta_schema.sql.aspects.layout import change_clustering
from pytest_delta_schema.sql.aspects.properties import set_keys, set_properties, unset_properties
from pytest_delta_schema.sql.compiler import statements
from pytest_delta_schema.sql.statement import CATALOG_ONLY, Statement, StatementKind
from pytest_delta_schema.state.delta_log import emulated_property, tag_property
from pytest_delta_schema.state.keys import key_property

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_delta_schema.state.states import TableState

BY_COMMIT = frozenset({StatementKind.TIGHTEN_COLUMNS, StatementKind.REWRITE_LAYOUT, StatementKind.ADD_CHECK})
"""Statements that open-source Delta 4.4.0 lacks, or does not run exactly; a metadata transaction does them."""

BY_PROPERTY = CATALOG_ONLY
"""Statements for features that open-source Delta lacks; ``pytest_delta_schema.*`` table properties store it."""


def on_delta(statement: Statement, emulates_property: Callable[[str], bool]) -> tuple[Statement, ...]:
    """Return the statements with which open-source Delta does the same; each is one commit."""
    if statement.kind is StatementKind.CREATE_TABLE:
        return tuple(_created(statement, emulates_property))
    emulated = tuple(
        replacement for change in statement.changes for replacement in _emulated(statement, change, emulates_property)
    )
    return emulated or (statement,)


def without_stored_keys(
    emulates_property: Callable[[str], bool],
) -> Callable[[Statement, TableState | None], Refusal | None]:
    """Return a function that refuses to change properties which a table holds, and this Delta does not know.

    Databricks has written them. Delta's SQL removes such a property, and does not set it (Delta 4.4.0).
    """

    def refuses_for_table(statement: Statement, observed: TableState | None) -> Refusal | None:
        if observed is None:
            return None
        stored = NameSet(observed.table_properties) - NameSet(observed.emulated_properties)
        keys = [key for key in set_keys(statement) if emulates_property(key) and folded(key) in stored]
        if not keys:
            return None
        reason = f"the table holds {', '.join(keys)} as Databricks has written it, and open-source Delta cannot set it"
        return Refusal(reason, "set it on Databricks, or declare the value that the table holds")

    return refuses_for_table


def _emulated(statement: Statement, change: Any, emulates_property: Callable[[str], bool]) -> Iterator[Statement]:
    kind = KINDS.get(type(change))
    if kind is not None and kind.key is not None:
        key = key_property(change.key)
        yield from _set(statement, key) if kind.key == "add" else _unset(statement, *key)
    match change:
        case SetTags():
            yield from _set(statement, {tag_property(change.path, key): value for key, value in change.tags.items()})
        case UnsetTags():
            yield from _unset(statement, *(tag_property(change.path, key) for key in change.keys))
        case SetTableProperties() if any(map(emulates_property, change.properties)):
            yield from _set(statement, _stored(change.properties, emulates_property))
        case UnsetTableProperties() if any(map(emulates_property, change.keys)):
            # Databricks may have written the key itself.
            yield from _unset(statement, *change.keys, *map(emulated_property, filter(emulates_property, change.keys)))
        case CheckDrop() if change.name != folded(change.name):
            # Delta finds constraints by lower-case names only; the property of any other is removed directly.
            yield from _unset(statement, f"{CHECK_PREFIX}{change.name}")


def _created(statement: Statement, emulates_property: Callable[[str], bool]) -> Iterator[Statement]:
    """Create a table in one statement; where Delta would misplace CLUSTER BY, cluster the table in a second one."""
    for change in statement.changes:
        if not isinstance(change, CreateTable):
            yield statement
            continue
        action = change
        if any(map(emulates_property, change.table_properties)):
            properties = _stored(change.table_properties, emulates_property)
            action = replace(action, table_properties=MappingProxyType(properties))
        if change.clustering and _is_misplaced(statement.sql):
            action = replace(action, clustering=())
        yield statement if action is change else _creation(action)
        if action.clustering != change.clustering:
            yield from change_clustering(statement.table, [ClusteringChange(before=(), after=change.clustering)])


def _creation(action: CreateTable) -> Statement:
    parts = statements(replace(action, creates_schema=False))
    return next(part for part in parts if part.kind is StatementKind.CREATE_TABLE)


def _stored(properties: Mapping[str, str], emulates_property: Callable[[str], bool]) -> dict[str, str]:
    """Return properties under the keys by which this Delta stores them."""
    return {emulated_property(key) if emulates_property(key) else key: value for key, value in properties.items()}


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
