"""The ways into a Databricks workspace: the session of its runtime, Databricks Connect, or a SQL warehouse.

Credentials come by Databricks' unified authentication alone: environment, profile or identity, never from a project.
"""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from pytest_delta_schema.catalogs.spark.failures import in_users_names
from pytest_delta_schema.catalogs.spark.gateway import is_remote
from pytest_delta_schema.catalogs.spark.stopping import stop_jobs, stop_operations, stopped_by
from pytest_delta_schema.errors import BackendError, BackendFailure, because

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_RUNTIME = "DATABRICKS_RUNTIME_VERSION"
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")


class Door(Protocol):
    """Runs SQL in a workspace."""

    def rows(self, sql: str) -> Sequence[Mapping[str, Any]]:
        """Run a statement and return its rows, by the names of their columns.

        Raises:
            BackendFailure: If the workspace refuses it.
        """
        ...

    def close(self) -> None:
        """Leave."""
        ...


class SparkDoor:
    """A session: of the runtime itself, or of Databricks Connect.

    Args:
        spark: The session; it is never stopped here.
    """

    def __init__(self, spark: Any) -> None:
        self.spark = spark

    def rows(self, sql: str) -> Sequence[Mapping[str, Any]]:
        """Run a statement by Spark."""
        with in_users_names(), stopped_by(self._stop):
            return [row.asDict() for row in self.spark.sql(sql).collect()]

    def close(self) -> None:
        """Leave the session to its owner."""

    def _stop(self) -> bool:
        return stop_operations(self.spark) if is_remote(self.spark) else stop_jobs(self.spark)


class WarehouseDoor:
    """A SQL warehouse.

    Args:
        connection: An open connection of the connector, by PEP 249.
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def rows(self, sql: str) -> Sequence[Mapping[str, Any]]:
        """Run a statement by a cursor of its own."""
        try:
            with self._connection.cursor() as cursor, stopped_by(partial(_cancel, cursor)):
                cursor.execute(sql)
                names = [column[0] for column in cursor.description or ()]
                return [dict(zip(names, row, strict=True)) for row in (cursor.fetchall() if names else ())]
        except Exception as error:
            # The connector has no class of its own for what a workspace refuses.
            condition = next(iter(_CONDITION.findall(str(error))), type(error).__name__)
            raise BackendFailure(because(error), condition=condition) from error

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def open_door(warehouse: str = "") -> Door:
    """Open the way that is there.

    Args:
        warehouse: The id of a SQL warehouse; ``""`` for the runtime's own session, or else Databricks Connect.

    Raises:
        BackendError: If what it takes is not installed, or nobody lets us in.
    """
    try:
        if warehouse:
            return WarehouseDoor(_connect(warehouse))
        return SparkDoor(_runtime_session() if _RUNTIME in os.environ else _connect_session())
    except ImportError as error:
        needs = "databricks-sql-connector and databricks-sdk" if warehouse else "databricks-connect"
        remedy = "pip install 'pytest-delta-schema[databricks]'" if warehouse else "install the one of your runtime"
        msg = f"the databricks backend needs {needs} here, which cannot be imported ({error}); {remedy}"
        raise BackendError(msg) from error
    except Exception as error:
        msg = f"the Databricks workspace cannot be entered ({because(error)}); see its unified authentication"
        raise BackendError(msg) from error


def _cancel(cursor: Any) -> bool:
    """Ask a warehouse to stop the statement of a cursor; nobody tells when it is over."""
    cursor.cancel()
    return False


def _runtime_session() -> Any:
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate()


def _connect_session() -> Any:
    from databricks.connect import DatabricksSession

    return DatabricksSession.builder.getOrCreate()


def _connect(warehouse: str) -> Any:
    from databricks import sql
    from databricks.sdk.core import Config

    config = Config()
    return sql.connect(
        server_hostname=config.host.removeprefix("https://").rstrip("/"),
        http_path=f"/sql/1.0/warehouses/{warehouse}",
        credentials_provider=lambda: config.authenticate,
    )
