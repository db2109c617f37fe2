"""The ports to catalogs that copy tables for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pytest_delta_schema.models.names import QualifiedName


@runtime_checkable
class RepeatsCreations(Protocol):
    """A catalog that can create a table by copying what an equal creation has written."""

    def repeating_creations(self) -> AbstractContextManager[None]:
        """Copy the new tables of the block from those of earlier blocks, where one was created by the same statements.

        A copy is a table of its own, and has the state that the statements would have given it.
        """
        ...


@runtime_checkable
class ClonesTables(Protocol):
    """A catalog that can clone tables; the fixture ``delta_clone`` uses it."""

    def clone_table(self, source: QualifiedName, target: QualifiedName) -> None:
        """Clone a table with its rows and its history; no change of one of the two reaches the other.

        Args:
            source: An existing table.
            target: The clone, in an existing schema that has no table of this name.

        Raises:
            StatementError: If the table cannot be cloned.
        """
        ...
