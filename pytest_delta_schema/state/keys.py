"""Keys in all their forms: as declared, as states, and as the properties that hold them in open-source Delta."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypedDict

from pytest_delta_schema.delta.names import PartPath, folded, part_path, path_text
from pytest_delta_schema.models.constraints import ForeignKey, PrimaryKey, Unique
from pytest_delta_schema.models.names import QualifiedName, key_name
from pytest_delta_schema.models.table import declared_name
from pytest_delta_schema.state.states import (
    OWN_PROPERTY_PREFIX,
    PRIMARY_KEY,
    UNIQUE,
    ForeignKeyState,
    KeyState,
    by_name,
    decoded,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState

PRIMARY_KEY_PROPERTY = f"{OWN_PROPERTY_PREFIX}primaryKey"
"""The property that holds a primary key in open-source Delta, which has none: ``{"name": ..., "columns": [...]}``."""

UNIQUE_PREFIX = f"{OWN_PROPERTY_PREFIX}unique."
"""The prefix of properties that hold UNIQUE constraints in open-source Delta, which has none; the name follows."""

FOREIGN_KEY_PREFIX = f"{OWN_PROPERTY_PREFIX}foreignKey."
"""The prefix of properties that hold foreign keys in open-source Delta, which has none; the name follows."""


class StateKeys(TypedDict):
    """The fields of a table's state that hold its keys."""

    primary_key: KeyState | None
    unique: tuple[KeyState, ...]
    foreign_keys: tuple[ForeignKeyState, ...]


_NO_KEYS: StateKeys = {"primary_key": None, "unique": (), "foreign_keys": ()}


def state_keys(keys: Iterable[KeyState | ForeignKeyState]) -> StateKeys:
    """Return the keys of a table, given in any order, as fields of its state."""
    keys = tuple(keys)
    foreign_keys = [key for key in keys if isinstance(key, ForeignKeyState)]
    others = [key for key in keys if isinstance(key, KeyState)]
    return {
        "primary_key": next((key for key in others if key.kind == PRIMARY_KEY), None),
        "unique": tuple(sorted((key for key in others if key.kind == UNIQUE), key=by_name)),
        "foreign_keys": tuple(sorted(foreign_keys, key=by_name)),
    }


def desired_keys(table: Table, columns: tuple[ColumnState, ...]) -> StateKeys:
    """Return the keys that a model declares."""
    if not (table.primary_key or table.unique or table.foreign_keys):
        return _NO_KEYS
    names = [column[0] for column in columns]
    primary = [_primary_key(table, names)] if table.primary_key else []
    return state_keys((*primary, *_unique(table, names), *_foreign_keys(table, names)))


def declared_keys(state: TableState) -> dict[str, Any]:
    """Return the declaration of the keys of a table."""
    return {
        "primary_key": _declared_primary_key(state, state.primary_key),
        "unique": [Unique(list(key.columns), name=_chosen_name("uq", state, key)) for key in state.unique],
        "foreign_keys": [_declared_foreign_key(state, key) for key in state.foreign_keys],
    }


def keys_of(state: TableState) -> tuple[KeyState | ForeignKeyState, ...]:
    """Return all keys of a table."""
    return (*state.keys, *state.foreign_keys)


def path_of_key(table: Table, key: ForeignKey | Unique) -> PartPath:
    """Return the path of a declared key, with the name that it has in the catalog."""
    names = [column.name for column in table.columns]
    if isinstance(key, ForeignKey):
        return part_path("foreign_keys", key.name or key_name("fk", declared_name(table), key.columns, names))
    return part_path("unique", key.name or key_name("uq", declared_name(table), key.columns, names))


def key_property(key: KeyState | ForeignKeyState) -> dict[str, str]:
    """Return the property that holds a key."""
    value: dict[str, object] = {"name": key.name, "columns": key.columns}
    name = PRIMARY_KEY_PROPERTY
    if isinstance(key, ForeignKeyState):
        value.update(parent=key.parent, parentColumns=key.parent_columns)
        name = f"{FOREIGN_KEY_PREFIX}{folded(key.name)}"
    elif key.kind == UNIQUE:
        name = f"{UNIQUE_PREFIX}{folded(key.name)}"
    if key.rely:
        value.update(rely=True)
    return {name: json.dumps(value, ensure_ascii=False)}


def keys_in_properties(own: Mapping[str, str]) -> StateKeys:
    """Return the keys that ``pytest_delta_schema.*`` properties hold."""
    return state_keys(key for name, text in own.items() for key in _stored_key(name, text)) if own else _NO_KEYS


def _primary_key(table: Table, columns: list[str]) -> KeyState:
    key = table.primary_key
    chosen, rely = (key.name, key.rely) if isinstance(key, PrimaryKey) else (None, False)
    return KeyState(chosen or key_name("pk", declared_name(table), tuple(key), columns), tuple(key), rely)


def _unique(table: Table, columns: list[str]) -> Iterator[KeyState]:
    for unique in table.unique:
        name = unique.name or key_name("uq", declared_name(table), unique.columns, columns)
        yield KeyState(name, tuple(unique.columns), kind=UNIQUE)


def _foreign_keys(table: Table, columns: list[str]) -> Iterator[ForeignKeyState]:
    for key in table.foreign_keys:
        name = key.name or key_name("fk", declared_name(table), key.columns, columns)
        yield ForeignKeyState(name, tuple(key.columns), key.parent, key.parent_key, key.rely)


def _declared_primary_key(state: TableState, key: KeyState | None) -> Sequence[str] | PrimaryKey:
    if key is None:
        return ()
    name = _chosen_name("pk", state, key)
    return PrimaryKey(key.columns, name=name, rely=bool(key.rely)) if name or key.rely else key.columns


def _declared_foreign_key(state: TableState, key: ForeignKeyState) -> ForeignKey:
    name = _chosen_name("fk", state, key)
    return ForeignKey(
        list(key.columns), path_text(key.parent), list(key.parent_columns), name=name, rely=bool(key.rely)
    )


def _chosen_name(prefix: str, state: TableState, key: KeyState | ForeignKeyState) -> str | None:
    """Return the name of a key, ``None`` if it is the one that would be derived."""
    derived = key_name(prefix, state.name, key.columns, [column.name for column in state.columns])
    return None if key.name == derived else key.name


def _stored_key(name: str, text: str) -> Iterator[KeyState | ForeignKeyState]:
    """Yield the key that a property holds, if it holds one."""
    if name == PRIMARY_KEY_PROPERTY:
        yield decoded(name, text, _key_of)
    elif name.startswith(UNIQUE_PREFIX):
        yield decoded(name, text, _key_of)._replace(kind=UNIQUE)
    elif name.startswith(FOREIGN_KEY_PREFIX):
        yield decoded(name, text, _foreign_key_of)


def _key_of(value: Mapping[str, Any]) -> KeyState:
    return KeyState(value["name"], tuple(value["columns"]), value.get("rely", False))


def _foreign_key_of(value: Mapping[str, Any]) -> ForeignKeyState:
    columns, parent_columns = tuple(value["columns"]), tuple(value["parentColumns"])
    parent = QualifiedName(*value["parent"])
    return ForeignKeyState(value["name"], columns, parent, parent_columns, value.get("rely", False))
