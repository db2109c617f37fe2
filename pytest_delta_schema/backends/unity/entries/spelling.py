"""Find names without regard to case on a server whose names are case-sensitive."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.backends.unity.http.client import ServerError
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.models.names import QualifiedName, StoredName

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.backends.unity.http.answer_types import TableInfo
    from pytest_delta_schema.backends.unity.http.client import UnityClient


class SchemaListing(NamedTuple):
    """The tables of a schema."""

    catalog: str
    schema: str
    tables: Mapping[str, list[TableInfo]]
    """Its tables by their lower-case names; several only if names differ by case only."""
    fault: ServerError | None = None
    """Why tables may be missing, which have to be requested one by one."""

    def name(self, table: str) -> QualifiedName:
        """Return the qualified name of a table with its stored name."""
        return StoredName.of(QualifiedName(self.catalog, self.schema, table))

    def find(self, table: str) -> TableInfo | None:
        """Return the catalog entry of a table, found without regard to case; ``None`` if it is not listed.

        Raises:
            StatementError: If several tables have that name.
        """
        entries = self.tables.get(table, [])
        only_one("tables", (str(self.name(info["name"]).written) for info in entries))
        return entries[0] if entries else None


def list_schema(client: UnityClient, catalog: str, schema: str) -> SchemaListing:
    """List the tables of a schema, which is found without regard to case.

    Raises:
        ServerError: If the server has no such schema, or does not answer.
        StatementError: If it has several schemas whose names differ by case only.
    """
    try:
        return _listed(client, catalog, schema)
    except ServerError as error:
        if not error.is_not_found:
            raise
        stored = stored_schema(client, catalog, schema)
        if stored == (catalog, schema):
            raise
    try:
        return _listed(client, *stored)
    except ServerError as error:
        if not error.is_not_found:
            raise
        return SchemaListing(*stored, {})  # the catalog has another case, and no such schema


def only_one(kind: str, candidates: Iterable[str]) -> str | None:
    """Return the only one of several names that differ by case only; ``None`` if there is none.

    ``kind`` is what has the names, for the message: ``tables``.

    Raises:
        StatementError: If there are several.
    """
    names = sorted(candidates)
    if len(names) > 1:
        msg = (
            f"the server has {len(names)} {kind} whose names differ by case only, {' and '.join(names)}, and models"
            " ignore the case of names; rename or drop all but one"
        )
        raise StatementError(msg, condition="AMBIGUOUS_NAME")
    return names[0] if names else None


def _listed(client: UnityClient, catalog: str, schema: str) -> SchemaListing:
    tables: dict[str, list[TableInfo]] = {}
    fault: ServerError | None = None
    try:
        for info in client.tables(catalog, schema):
            tables.setdefault(folded(info["name"]), []).append(info)
    except ServerError as error:
        fault = error
    if fault is not None and not tables:
        raise fault
    return SchemaListing(catalog, schema, tables, fault)


def stored_schema(client: UnityClient, catalog: str, schema: str) -> tuple[str, str]:
    """Return the stored names of a catalog and a schema; names that the server does not list are returned unchanged.

    Raises:
        ServerError: If the server does not answer.
        StatementError: If it has several catalogs, or schemas, whose names differ by case only.
    """
    stored = only_one("catalogs", (name for name in client.catalogs() if folded(name) == catalog))
    if stored is None:
        return catalog, schema
    inside = (name for name in client.schemas(stored) if folded(name) == schema)
    return stored, only_one("schemas", inside) or schema
