"""A server's double, with tables whose logs are written down, and the catalog over it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.backends.unity.catalog import UnityCatalog
from pytest_delta_schema.backends.unity.client import UnityClient
from pytest_delta_schema.plan.entry_comparison import entry_differences
from pytest_delta_schema.testing.unity import UnityDouble
from support.logs import delta_log, field
from support.tables import NAME, column, table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MODEL = table(column())
OTHER = table(column(), name="dev.silver.other")
MIXED = table(column(), name="dev.silver.mixed")


class Lake:
    """A server and its tables.

    Args:
        folder: Where the tables lie.
        server: The double.
        catalog: Over it.
    """

    def __init__(self, folder: Path, server: UnityDouble, catalog: UnityCatalog) -> None:
        self.folder = folder
        self.server = server
        self.catalog = catalog

    def table(self, name: str = "dev.silver.orders", *fields: dict[str, Any], **options: Any) -> Path:
        """Make a table of one commit, as Spark would have."""
        return delta_log(self.folder.joinpath(*name.split(".")), *(fields or (field("id"),)), **options)

    def state(self, *models: Any) -> Any:
        """Read tables."""
        return self.catalog.snapshot(models or (MODEL,))

    def differences(self, name: Any = NAME) -> list[str]:
        """Return the differences between a catalog entry and its log."""
        state = self.state(table(column(), name=str(name)))
        return list(map(str, entry_differences(state.entries[name], state.logs[name])))

    def entry(self, name: str = "dev.silver.orders") -> dict[str, Any]:
        """Return the entry as the server keeps it."""
        return self.server.metastore.tables[name]

    def calls(self, method: str) -> list[str]:
        """Return the paths that were called by one method."""
        return [path for options, path in self.server.calls if options == method]


@contextmanager
def lake(folder: Path, *, token: str | None = None, timeout: float = 60, **how: Any) -> Iterator[Lake]:
    """Start a server over a folder of tables."""
    delta_api = how.pop("delta_api", True)
    server_token = how.pop("server_token", token)
    with UnityDouble(folder, token=server_token, delta_api=delta_api) as server:
        server.metastore.create_catalog({"name": "dev"})
        client = UnityClient(server.uri, token=Secret(token) if token else None, timeout=timeout)
        try:
            yield Lake(folder, server, UnityCatalog(client, read_threads=4, **how))
        finally:
            client.close()
