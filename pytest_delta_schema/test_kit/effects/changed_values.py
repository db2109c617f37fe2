"""Change a part of a value of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names.folded_names import same_name
from pytest_delta_schema.state.types import ArrayState, MapState, StructState
from pytest_delta_schema.test_kit.plain_values import maker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_delta_schema.state.types import DataTypeState

_LONGER = "x"


def lengthened(text: str | None, length: int) -> str:
    """Return a text with one character more than a length."""
    return (text or "").ljust(length + 1, _LONGER)


def changed(value: Any, data_type: DataTypeState, parts: Sequence[str], change: Callable[[Any], Any]) -> Any:
    """Return a value with a change at a path: in the first element of an array, and the first entry of a map."""
    if not parts:
        return change(value)
    if not value:
        # What is NULL, or empty, has no parts.
        value = maker(data_type, parts[0])(1)
    if isinstance(data_type, ArrayState):
        return [changed(value[0], data_type.element, parts[1:], change), *value[1:]]
    if isinstance(data_type, MapState):
        ((key, item), *others) = value.items()
        if parts[0] == "key":
            key = changed(key, data_type.key, parts[1:], change)
        else:
            item = changed(item, data_type.value, parts[1:], change)
        return dict([(key, item), *others])
    assert isinstance(data_type, StructState)  # noqa: S101 - a path leads through these types only
    made = []
    # A struct that is the key of a map is a tuple.
    items = value if isinstance(value, tuple) else [value.get(field.name) for field in data_type.fields]
    for field, item in zip(data_type.fields, items, strict=True):
        is_changed = same_name(field.name, parts[0])
        made.append(changed(item, field.data_type, parts[1:], change) if is_changed else item)
    if isinstance(value, tuple):
        return tuple(made)
    return dict(zip([field.name for field in data_type.fields], made, strict=True))
