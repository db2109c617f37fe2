"""Find names without case on a server that compares them with their case."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.backends.unity.client import ServerError
from pytest_delta_schema.errors import StatementError
from pytest_delta_schema.models.names import QualifiedName, StoredName

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.backends.unity.answers import TableInfo
    from pytest_delta_schema.backends.unity.client import UnityClient


class Listing(NamedTuple):
    """What a schema shows.

    Args:
        catalog: The name of its catalog, as it is stored.
        schema: Its own name, likewise.
        tables: Its tables by their names in lower case; several only where names differ by case alone.
        fault: Why there may be others, which have to be asked for by themselves.
    """

    catalog: str
    schema: str
    tables: Mapping[str, list[TableInfo]]
    fault: ServerError | None = None

    def name(self, table: str) -> QualifiedName:
        """Return the name of a table in it, as it is stored."""
        return StoredName.of(QualifiedName(self.catalog, self.schema, table))

    def find(self, table: str) -> TableInfo | None:
        """Return the record of a table that is found without case; ``None`` if none is shown.

        Raises:
            StatementError: If several are.
        """
        found = self.tables.get(table, [])
        only_one("tables", (str(self.name(info["name"]).written) for info in found))
        return found[0] if found else None


def list_schema(client: UnityClient, catalog: str, schema: str) -> Listing:
    """List the tables of a schema that is found without case.

    Args:
        client: The server.
        catalog: In lower case.
        schema: In lower case.

    Raises:
        ServerError: If the server shows none of that name, or does not answer.
        StatementError: If it has several whose names differ by case alone.
    """
    try:
        return _listed(client, catalog, schema)
    except ServerError as error:
        if not error.is_not_found:
            raise
        stored = _stored_schema(client, catalog, schema)
        if stored == (catalog, schema):
            raise
    return _listed(client, *stored)


def only_one(kind: str, found: Iterable[str]) -> str | None:
    """Return the only one of names that are the same without case; ``None`` if there is none.

    Raises:
        StatementError: If there are several.
    """
    names = sorted(found)
    if len(names) > 1:
        msg = (
            f"the server has {len(names)} {kind} whose names differ by case only, {' and '.join(names)}, and models"
            " mean names without case; rename or drop all but one"
        )
        raise StatementError(msg, condition="AMBIGUOUS_NAME")
    return names[0] if names else None


def _listed(client: UnityClient, catalog: str, schema: str) -> Listing:
    tables: dict[str, list[TableInfo]] = {}
    fault: ServerError | None = None
    try:
        for info in client.tables(catalog, schema):
            tables.setdefault(info["name"].lower(), []).append(info)
    except ServerError as error:
        fault = error
    if fault is not None and not tables:
        raise fault
    return Listing(catalog, schema, tables, fault)


def _stored_schema(client: UnityClient, catalog: str, schema: str) -> tuple[str, str]:
    """Return the names of a schema and its catalog as they are stored, or as they were given if there are none."""
    stored = only_one("catalogs", (name for name in client.catalogs() if name.lower() == catalog))
    if stored is None:
        return catalog, schema
    inside = (name for name in client.schemas(stored) if name.lower() == schema)
    return stored, only_one("schemas", inside) or schema
