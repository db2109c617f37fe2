"""The ports to catalogs that copy tables for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pytest_delta_schema.execute.protocols.catalog import Refusal

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pytest_delta_schema.execute.protocols.catalog import DeltaDDL
    from pytest_delta_schema.models.names import QualifiedName


@runtime_checkable
class ReusesCreations(Protocol):
    """A catalog that can create a table by copying what an equal creation has written."""

    def reuse_creations(self) -> AbstractContextManager[None]:
        """Copy the new tables of the block from those of earlier blocks, where one was created by the same statements.

        A copy is a separate table, and has the state that the statements would have given it.
        """
        ...


@runtime_checkable
class ClonesTables(Protocol):
    """A catalog that can clone tables; the fixture ``delta_clone`` uses it."""

    def clone_table(self, source: QualifiedName, target: QualifiedName) -> None:
        """Clone a table with its rows; no change of the clone reaches the table.

        Args:
            source: An existing table.
            target: The clone, in an existing schema that has no table of this name.

        Raises:
            StatementError: If the table cannot be cloned.
        """
        ...


def clone_refusal(catalog: DeltaDDL) -> Refusal | None:
    """Return why a catalog can clone no table, ``None`` if it can clone tables."""
    refusal = catalog.capabilities.refuses_clones
    if refusal is None and not isinstance(catalog, ClonesTables):
        return Refusal("it has no method clone_table", "use make_delta_table, or the local backend")
    return refusal
