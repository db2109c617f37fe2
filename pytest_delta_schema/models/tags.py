"""Tags of tables and columns: keys with or without a value."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models.names import require_name

NO_DECLARED_TAGS: Mapping[str, str | None] = MappingProxyType({})


def no_tags() -> Mapping[str, str | None]:
    """Return one shared empty mapping, because most tables and columns have no tags."""
    return NO_DECLARED_TAGS


def require_tags(value: object, subject: str) -> Mapping[str, str | None]:
    """Return declared tags as a copy; raise a ``DeclarationError`` if it is not a mapping of keys to texts."""
    if not isinstance(value, Mapping):
        msg = f"{subject}: tags must be a mapping, got {value!r}; write {{'key': 'value'}}, or {{'key': ''}}"
        raise DeclarationError(msg)
    wrong = []
    for key, item in value.items():
        require_name(key, f"{subject}: a key of tags")
        if item is not None and not isinstance(item, str):
            wrong.append(f"{key} has the value {item!r}")
    if wrong:
        msg = f"{subject}: tag {', '.join(wrong)}; write a text, '' for a tag without a value, or None for its absence"
        raise DeclarationError(msg)
    return MappingProxyType(dict(value))
