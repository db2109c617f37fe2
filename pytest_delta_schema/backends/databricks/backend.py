"""The backend ``databricks``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.backend import Backend
from pytest_delta_schema.progress import step

if TYPE_CHECKING:
    from pytest_delta_schema.backends.backend import BackendContext
    from pytest_delta_schema.backends.databricks.catalog import DatabricksCatalog


def _open(context: BackendContext) -> DatabricksCatalog:
    from pytest_delta_schema.backends.databricks.catalog import DatabricksCatalog
    from pytest_delta_schema.backends.databricks.connection import connect_databricks

    values = context.settings.values
    with step("connecting to Databricks"):
        connection = connect_databricks(values["databricks_warehouse"])
    context.call_at_end(connection.close)
    return DatabricksCatalog(connection, values["read_threads"])


BACKEND = Backend(open=_open)
"""Delta tables of Unity Catalog on Databricks."""
