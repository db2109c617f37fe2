"""Who brought the columns that a model does not have: drift by a write is told from drift by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plan.table_plan import Note

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.introduced_by import IntroducedBy

WRITES = frozenset(
    {
        "COPY INTO",
        "CREATE OR REPLACE TABLE AS SELECT",
        "CREATE TABLE AS SELECT",
        "MERGE",
        "REPLACE TABLE AS SELECT",
        "STREAMING UPDATE",
        "UPDATE",
        "WRITE",
    }
)
"""What the history calls commits that bring rows, and with them columns (source: Delta's operations)."""

_WAYS = 'declare it, drop it, or accept such columns with Table(evolution="additive")'


def origin_notes(table: QualifiedName, origins: Iterable[IntroducedBy]) -> list[Note]:
    """Say where columns came from.

    Args:
        table: Where they are.
        origins: The commits that brought them.
    """
    return [Note(table=table, path=".".join(each.path), message=_told(each)) for each in origins]


def _told(origin: IntroducedBy) -> str:
    said = f" ({origin.user_metadata!r})" if origin.user_metadata else ""
    commit = f"version {origin.version}, {origin.operation} of {origin.time} UTC{said}"
    name = ".".join(origin.path)
    if origin.operation in WRITES:
        return f"column {name} was appended by a writer, in {commit}: {_WAYS}"
    return f"column {name} came with {commit}"
