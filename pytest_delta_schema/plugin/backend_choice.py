"""From the name of a backend to its catalog."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_delta_schema.plugin.options import DATABRICKS, LOCAL, MEMORY, SESSION, UNITY
from pytest_delta_schema.plugin.run import RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pytest

    from pytest_delta_schema.execute.protocols import Catalog


def open_catalog(request: pytest.FixtureRequest) -> Catalog:
    """Return the catalog that this run has chosen; fixtures that it needs are asked for only then."""
    from pytest_delta_schema.errors import BackendUnavailableError
    from pytest_delta_schema.plugin.failures import NotOpened

    try:
        return _BACKENDS[request.config.stash[RUN].options.backend](request)
    except BackendUnavailableError as error:
        raise NotOpened(str(error)) from None


def _memory(_: pytest.FixtureRequest) -> Catalog:
    from pytest_delta_schema.backends.memory.catalog import MemoryCatalog

    return MemoryCatalog()


def _local(request: pytest.FixtureRequest) -> Catalog:
    from pytest_delta_schema.backends.local.catalog import LocalCatalog

    return LocalCatalog(request.getfixturevalue("delta_spark"), request.getfixturevalue("delta_warehouse"))


def _session(request: pytest.FixtureRequest) -> Catalog:
    from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog

    return SessionCatalog(request.getfixturevalue("delta_spark"), request.config.stash[RUN].options.read_threads)


def _unity(request: pytest.FixtureRequest) -> Catalog:
    from pytest_delta_schema.backends.unity.catalog import UnityCatalog
    from pytest_delta_schema.backends.unity.client import UnityClient
    from pytest_delta_schema.backends.unity.secret import Secret
    from pytest_delta_schema.backends.unity.storage import Storage

    options = request.config.stash[RUN].options
    # A frame holds the token as nothing but a secret: frames are shown where something fails.
    token = Secret(os.environ.get(options.unity.token_variable, ""))
    client = UnityClient(options.unity.uri or "", token, options.unity.timeout)
    request.addfinalizer(client.close)
    return UnityCatalog(
        client,
        lambda: request.getfixturevalue("delta_spark"),
        stores=[Storage(**store) for store in options.stores],
        read_threads=options.read_threads,
        sync_on_read=options.unity.sync_on_read,
        sync_recreate=options.unity.sync_recreate,
    )


def _databricks(request: pytest.FixtureRequest) -> Catalog:
    from pytest_delta_schema.backends.databricks.catalog import DatabricksCatalog
    from pytest_delta_schema.backends.databricks.connection import connect_databricks

    options = request.config.stash[RUN].options
    connection = connect_databricks(options.databricks_warehouse)
    request.addfinalizer(connection.close)
    return DatabricksCatalog(connection, options.read_threads)


_BACKENDS: Mapping[str, Callable[[pytest.FixtureRequest], Catalog]] = {
    LOCAL: _local,
    MEMORY: _memory,
    SESSION: _session,
    UNITY: _unity,
    DATABRICKS: _databricks,
}
