"""Collect what the statements of a script declare of one table, and make its model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.features import ONE_WAY, PROTOCOL_VERSIONS
from pytest_delta_schema.delta.names.folded_names import NameMap, NameSet, folded, same_name
from pytest_delta_schema.delta.reserved_properties import CHECK_PREFIX
from pytest_delta_schema.models.names import QualifiedName, key_name
from pytest_delta_schema.plan.aspects.types import DEFAULTS_FEATURE
from pytest_delta_schema.rules.aspects.properties import is_declarable
from pytest_delta_schema.state.adopting import declared_table
from pytest_delta_schema.state.delta_log import decode_owned
from pytest_delta_schema.state.keys import state_keys
from pytest_delta_schema.state.states import (
    OWNED_PROPERTIES,
    PRIMARY_KEY,
    UNIQUE,
    CheckState,
    ForeignKeyState,
    KeyState,
    TableState,
    by_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.delta.names.column_path import ColumnPath
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.types import ColumnState

_OF_CATALOGS = ("transient_lastddltime", "type")
"""Keys of properties, in lower case, that Spark and its catalogs show in CREATE statements (Spark 4.2.0)."""

_OPTION = "option."
"""The prefix of properties in which Spark shows the options of a table."""

NO_PARENT = QualifiedName("", "", "")

_PREFIXES = {PRIMARY_KEY: "pk", UNIQUE: "uq"}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDraft:
    """A key, whose name may still have to be derived."""

    kind: str
    """``primary key``, ``unique constraint`` or ``foreign key``."""
    name: str | None
    """As it is written; ``None`` without one."""
    columns: tuple[str, ...]
    parent: QualifiedName = NO_PARENT
    """The parent of a foreign key; ``NO_PARENT`` for others."""
    parent_columns: tuple[str, ...] = ()
    """The columns of the parent, if they are written."""
    rely: bool = False


@dataclass(slots=True)
class TableDraft:
    """A table, as declared by the statements so far."""

    name: QualifiedName
    columns: tuple[ColumnState, ...] = ()
    comment: str = ""
    properties: dict[str, str] = field(default_factory=dict)
    """Its properties, checks included."""
    keys: list[KeyDraft] = field(default_factory=list)
    checks: list[CheckState] = field(default_factory=list)
    """Its checks that are constraints."""
    partitioning: tuple[str, ...] = ()
    clustering: tuple[ColumnPath, ...] = ()
    tags: dict[ColumnPath, dict[str, str]] = field(default_factory=dict)
    """Its tags, by the empty path, and those of its columns."""

    def model(self) -> Table:
        """Return the model.

        Raises:
            DeclarationError: If something in it can never be valid.
        """
        stored = {key[len(CHECK_PREFIX) :]: value for key, value in self.properties.items() if _is_check(key)}
        checks = NameMap.of(self.checks)
        for name, expression in stored.items():
            checks[name] = CheckState(name, expression)
        state = TableState(
            name=self.name,
            columns=self.columns,
            table_comment=self.comment,
            checks=tuple(sorted(checks.values(), key=by_name)),
            partitioning=self.partitioning,
            clustering=self.clustering,
            tags={path: tags for path, tags in self.tags.items() if tags},
            **state_keys(map(self._key, self.keys)),
        )
        return replace(declared_table(state), table_properties={key: self.properties[key] for key in self._declared()})

    def remarks(self) -> Iterator[str]:
        """Yield what the model does not declare."""
        declared = self._declared()
        others = [key for key in self.properties if key not in declared and not _is_check(key)]
        left = sorted(key for key in others if key != OWNED_PROPERTIES and not same_name(key, DEFAULTS_FEATURE))
        if left:
            yield f"its properties {', '.join(left)} are not declared: the platform writes them"

    def _declared(self) -> list[str]:
        """Return the keys of the properties that the model declares."""
        owned = self._owned()
        return [key for key in self.properties if (self._is_declared(key) if owned is None else key in owned)]

    def _is_declared(self, key: str) -> bool:
        name = folded(key)
        if name.startswith(ONE_WAY):
            # Only SHOW CREATE TABLE shows both versions of the protocol, with all features of the table.
            is_shown = NameSet(PROTOCOL_VERSIONS) <= NameSet(self.properties)
            return not is_shown and not (name == folded(DEFAULTS_FEATURE) and self._has_default())
        return is_declarable(key) and name not in _OF_CATALOGS and not name.startswith(_OPTION)

    def _has_default(self) -> bool:
        return any(column.value is not None and column.value.default is not None for column in self.columns)

    def _owned(self) -> frozenset[str] | None:
        """Return the keys that the model had from which this package has made the statement, if it has."""
        record = decode_owned(self.properties.get(OWNED_PROPERTIES))
        return None if record is None else frozenset(record)

    def _derived(self, key: KeyDraft) -> str:
        prefix = _PREFIXES.get(key.kind, "fk")
        return key_name(prefix, self.name, key.columns, [column.name for column in self.columns])

    def _key(self, key: KeyDraft) -> KeyState | ForeignKeyState:
        name = key.name or self._derived(key)
        if key.kind == PRIMARY_KEY:
            return KeyState(name, key.columns, key.rely)
        if key.kind == UNIQUE:
            return KeyState(name, key.columns, kind=UNIQUE)
        return ForeignKeyState(name, key.columns, key.parent, key.parent_columns, key.rely)


def _is_check(key: str) -> bool:
    return folded(key).startswith(CHECK_PREFIX)
