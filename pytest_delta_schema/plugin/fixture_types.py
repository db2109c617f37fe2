"""The types of the functions that fixtures return; apart from the fixtures, which every pytest run loads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame

    from pytest_delta_schema.models.table import Table


class MakeSchema(Protocol):
    """Makes a scratch schema; see :func:`make_delta_schema`."""

    def __call__(self, catalog_name: str = "scratch") -> str:
        """Return the dotted name of a new schema."""
        ...


class CloneTable(Protocol):
    """Clones a table; see :func:`delta_clone`."""

    def __call__(self, table: Table, name: str | None = None) -> Table:
        """Return the model of the clone."""
        ...


class Raises(Protocol):
    """Expects a write to be stopped; see :func:`delta_raises`."""

    def __call__(
        self, model: Table, *, check: str | None = None, not_null: str | None = None
    ) -> AbstractContextManager[None]:
        """Return the context manager."""
        ...


class MakeTable(Protocol):
    """Makes a scratch table; see :func:`make_delta_table`."""

    def __call__(
        self,
        model: Table,
        rows: Iterable[Mapping[str, Any] | tuple[Any, ...]] | DataFrame | int | None = None,
        name: str | None = None,
        *,
        fill: bool = False,
    ) -> Table:
        """Return the model of the new table."""
        ...


class MakeTables(Protocol):
    """Makes several scratch tables; see :func:`make_delta_tables`."""

    def __call__(self, models: Iterable[Table]) -> tuple[Table, ...]:
        """Return the models of the new tables, in the order of ``models``."""
        ...
