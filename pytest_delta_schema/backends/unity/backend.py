"""The backend ``unity``."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.backend import Backend
from pytest_delta_schema.progress import LOGGER
from pytest_delta_schema.settings.table import toml_setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.backend import BackendContext, BackendSettings
    from pytest_delta_schema.backends.unity.catalog import UnityCatalog

_NEEDED_SESSION = (
    "statements and data checks run in Spark, whose session needs the Spark connector of %s and"
    " spark.sql.catalog.NAME with its uri and token; if it has none, override the fixture delta_spark"
)


def _open(context: BackendContext) -> UnityCatalog:
    from pytest_delta_schema.backends.secret import Secret
    from pytest_delta_schema.backends.storage import Storage
    from pytest_delta_schema.backends.unity.catalog import UnityCatalog
    from pytest_delta_schema.backends.unity.connection import UnityClient

    def session() -> SparkSession:
        if context.starts_own_spark():
            logging.getLogger(LOGGER).info(_NEEDED_SESSION, client.uri)
        return context.spark()

    values = context.settings.values
    # Local variables are shown in tracebacks, so the token is only ever in one as a Secret.
    token = Secret(os.environ.get(values["unity_token_variable"], ""))
    client = UnityClient(values["unity_uri"] or "", token=token, timeout=values["unity_timeout"])
    context.call_at_end(client.close)
    return UnityCatalog(
        client,
        session=session,
        stores=[Storage(**store) for store in values["storage"]],
        storage_options=dict(values["storage_options"]),
        sync_on_read="on-read" in values["sync"],
        sync_recreate="recreate" in values["sync"],
    )


def _faults(settings: BackendSettings) -> Iterator[str]:
    if not settings.values["unity_uri"]:
        yield (
            "the unity backend needs the address of its server; set"
            f" {toml_setting('unity_uri', 'https://unity.example.com')}"
        )


def _location(settings: BackendSettings) -> str:
    return f"server {settings.values['unity_uri']}"


BACKEND = Backend(
    open=_open,
    faults=_faults,
    location=_location,
    keeps_entries=True,
    scratch_tables="in scratch catalog",
)
"""Delta tables of an open-source Unity Catalog server."""
