"""The backend ``unity``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.backend import Backend

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.backends.backend import BackendContext, BackendSettings
    from pytest_delta_schema.backends.unity.catalog import UnityCatalog


def _open(context: BackendContext) -> UnityCatalog:
    from pytest_delta_schema.backends.secret import Secret
    from pytest_delta_schema.backends.unity.catalog import UnityCatalog
    from pytest_delta_schema.backends.unity.client import UnityClient
    from pytest_delta_schema.backends.unity.storage import Storage

    values = context.settings.values
    # Local variables are shown in tracebacks, so that the token is only ever in one as a Secret.
    token = Secret(os.environ.get(values["unity_token_variable"], ""))
    client = UnityClient(values["unity_uri"] or "", token, values["unity_timeout"])
    context.call_at_end(client.close)
    return UnityCatalog(
        client,
        context.spark,
        stores=[Storage(**store) for store in values["storage"]],
        read_threads=values["read_threads"],
        sync_on_read=values["sync_on_read"],
        sync_recreate=values["sync_recreate"],
    )


def _faults(settings: BackendSettings) -> Iterator[str]:
    if not settings.values["unity_uri"]:
        yield "the unity backend needs the address of its server; set unity_uri, or give --delta-unity-uri"


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
