"""Values in rows by their paths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names.folded_names import folded

if TYPE_CHECKING:
    from pytest_delta_schema.delta.names.column_path import ColumnPath


def value_at(row: Mapping[str, Any], path: ColumnPath) -> Any:
    """Return the value at a path in a row; ``None`` below a value that is NULL.

    The row has values by column in lower case.
    """
    value: Any = row.get(path.folded[0])
    for name in path.folded[1:]:
        if not isinstance(value, Mapping):
            return None
        value = next((part for key, part in value.items() if folded(key) == name), None)
    return value
