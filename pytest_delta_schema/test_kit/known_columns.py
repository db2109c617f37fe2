"""Look up columns of a table by the names that a test gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.names.folded_names import NameMap, folded
from pytest_delta_schema.delta.names.near_names import proposal
from pytest_delta_schema.diagnostics.errors import DeclarationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.state.states import TableState


def known_columns(state: TableState, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return given values by column in lower case; an unknown column is an error with the nearest name.

    Raises:
        DeclarationError: If a column does not exist.
    """
    columns = NameMap.of(state.columns)
    unknown = [str(name) for name in values if str(name) not in columns]
    if unknown:
        lines = []
        for name in unknown:
            spellings = [column.name for column in state.columns]
            remedy = proposal(name, spellings, f"columns are {', '.join(columns)}")
            lines.append(f"{state.name}: there is no column {name}; {remedy}")
        raise DeclarationError("\n".join(lines))
    return {folded(str(name)): value for name, value in values.items()}
