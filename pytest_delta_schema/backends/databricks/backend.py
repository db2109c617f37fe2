"""The backend ``databricks``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_delta_schema.backends import Backend
from pytest_delta_schema.backends.kit import redacted_uri, step

if TYPE_CHECKING:
    from pytest_delta_schema.backends import BackendContext, BackendSettings
    from pytest_delta_schema.backends.databricks.catalog import DatabricksCatalog


def _open(context: BackendContext) -> DatabricksCatalog:
    from pytest_delta_schema.backends.databricks.catalog import DatabricksCatalog
    from pytest_delta_schema.backends.databricks.connection import connect_databricks

    values = context.settings.values
    with step("connecting to Databricks"):
        connection = connect_databricks(
            values["databricks_warehouse"], start_timeout=values["databricks_start_timeout"]
        )
    context.call_at_end(connection.close)
    return DatabricksCatalog(connection)


def _location(_: BackendSettings) -> str:
    host, profile = (os.environ.get(name, "") for name in ("DATABRICKS_HOST", "DATABRICKS_CONFIG_PROFILE"))
    return f"workspace {redacted_uri(host)}" if host else f"profile {profile}" if profile else ""


BACKEND = Backend(open=_open, location=_location)
"""Delta tables of Unity Catalog on Databricks."""
