"""Connect to a Databricks workspace: by the session of its runtime, Databricks Connect, or a SQL warehouse.

Credentials come only from Databricks' unified authentication (environment, profile or identity), never from a project.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from pytest_delta_schema.backends.kit import (
    NO_CONNECTION,
    Secret,
    cancel_on_interrupt,
    escaped,
    first_line,
    running_in_spark,
    step,
)
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_RUNTIME = "DATABRICKS_RUNTIME_VERSION"
_SECRETS = ("DATABRICKS_TOKEN", "DATABRICKS_CLIENT_SECRET", "DATABRICKS_PASSWORD", "ARM_CLIENT_SECRET")
"""Environment variables in which unified authentication finds secrets (source: its documentation)."""

_SOCKET_SECONDS = 120
"""How long the connector waits for a silent server; its own default is 900 seconds (source: its code)."""

_API_SECONDS = 30
"""How long a question about a warehouse may take, with its repetitions; the SDK's own default is 300 seconds."""

_REQUEST_ERROR = "RequestError"
"""The base class of the connector's errors if no answer comes or the token is refused (source: its ``exc`` module)."""

_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")

_CREDENTIALS = (
    "set DATABRICKS_HOST and DATABRICKS_TOKEN, or name a profile of the file .databrickscfg in"
    " DATABRICKS_CONFIG_PROFILE"
)


def connect_databricks(warehouse: str = "", *, start_timeout: float = 600.0) -> Connection:
    """Connect to a workspace; a SQL warehouse that does not run is started.

    Args:
        warehouse: The id of a SQL warehouse; ``""`` for the session of the runtime, or outside of one for Databricks
            Connect.
        start_timeout: How many seconds the warehouse may take to start.

    Raises:
        BackendUnavailableError: If a needed package is not installed, the workspace refuses the connection, or the
            warehouse does not start.
    """
    scrub = Scrubber()
    try:
        if warehouse:
            return WarehouseConnection(_connect(warehouse, start_timeout, scrub), scrub)
        return SparkConnection(_runtime_session() if _RUNTIME in os.environ else _connect_session())
    except ImportError as error:
        needs = "databricks-sql-connector and databricks-sdk" if warehouse else "databricks-connect"
        install = "pip install 'pytest-delta-schema[databricks]'"
        remedy = (
            install
            if warehouse
            else (
                f'use a SQL warehouse: {install}, and set databricks_warehouse = "ID"; or use a cluster:'
                " pip install 'databricks-connect==16.4.*', with the version of its runtime"
            )
        )
        msg = f"the databricks backend needs {needs} here, which cannot be imported ({error}); {remedy}"
        raise BackendUnavailableError(msg) from error
    except BackendUnavailableError:
        raise
    except Exception as error:  # noqa: BLE001 - every error is reported
        reason = scrub(first_line(error))
    msg = f"the Databricks workspace refuses the connection ({reason}); see its unified authentication"
    raise BackendUnavailableError(msg)


def _runtime_session() -> Any:
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate()


def _connect_session() -> Any:
    from databricks.connect import DatabricksSession

    return DatabricksSession.builder.getOrCreate()


def _connect(warehouse: str, start_timeout: float, scrub: Scrubber) -> Any:
    from databricks import sql
    from databricks.sdk import WorkspaceClient
    from databricks.sdk.core import Config

    try:
        config = Config(http_timeout_seconds=_API_SECONDS, retry_timeout_seconds=_API_SECONDS)
    except ValueError as error:
        msg = f"no credentials for Databricks were found ({scrub(first_line(error))}); {_CREDENTIALS}"
    else:
        start_warehouse(WorkspaceClient(config=config).warehouses, warehouse, start_timeout, scrub)
        return _warehouse(sql, config, warehouse, start_timeout, scrub)
    # Raised here, so the context does not hold frames of the package with secrets.
    raise BackendUnavailableError(msg)


def _warehouse(sql: Any, config: Any, warehouse: str, start_timeout: float, scrub: Scrubber) -> Any:
    def headers() -> Mapping[str, str]:
        return scrub.watch(config.authenticate())

    return sql.connect(
        server_hostname=config.host.removeprefix("https://").rstrip("/"),
        http_path=f"/sql/1.0/warehouses/{warehouse}",
        credentials_provider=lambda: headers,
        _socket_timeout=_SOCKET_SECONDS,
        # A warehouse that starts is unavailable, and the connector repeats requests for this long (source: its code).
        _retry_stop_after_attempts_duration=max(1.0, start_timeout),
    )


class Connection(Protocol):
    """Runs SQL in a workspace."""

    def rows(self, sql: str) -> Sequence[Mapping[str, Any]]:
        """Run a statement and return its rows as mappings from column names to values."""
        ...

    def values(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Run a statement and return the values of its rows by position, whatever the names of its columns are."""
        ...

    def cancel(self) -> None:
        """End the statements that run in other threads, if possible."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class SparkConnection:
    """Connects by a Spark session, that of the runtime or of Databricks Connect, which is never stopped here."""

    def __init__(self, spark: Any) -> None:
        self.spark = spark
        self._scrub = Scrubber()

    def rows(self, sql: str) -> Sequence[Mapping[str, Any]]:
        """Run a statement in Spark, and return rows by name."""
        return [_by_name(row.__fields__, row) for row in self._collected(sql)]

    def values(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Run a statement in Spark, and return values by position."""
        return [tuple(row) for row in self._collected(sql)]

    def cancel(self) -> None:
        """Interrupt the operations of the session."""
        with suppress(Exception):
            self.spark.interruptAll()

    def close(self) -> None:
        """Do nothing: the session belongs to the caller."""

    def _collected(self, sql: str) -> Sequence[Any]:
        with running_in_spark(self.spark, self._scrub):
            return self.spark.sql(sql).collect()  # type: ignore[no-any-return]


class WarehouseConnection:
    """Connects by a SQL warehouse."""

    def __init__(self, connection: Any, scrub: Callable[[str], str] = str) -> None:
        self._connection = connection
        self._scrub = scrub
        self._cursors: set[Any] = set()

    def rows(self, sql: str) -> Sequence[Mapping[str, Any]]:
        """Run a statement with a new cursor, and return rows by name."""
        names, rows = self._answer(sql)
        return [_by_name(names, row) for row in rows]

    def values(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Run a statement with a new cursor, and return values by position."""
        return [tuple(row) for row in self._answer(sql)[1]]

    def cancel(self) -> None:
        """Cancel the statements of all cursors."""
        for cursor in tuple(self._cursors):
            with suppress(Exception):
                cursor.cancel()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _answer(self, sql: str) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        """Return the names of the columns, and the rows."""
        try:
            with self._connection.cursor() as cursor, cancel_on_interrupt(partial(_cancel, cursor)):
                self._cursors.add(cursor)
                try:
                    cursor.execute(sql)
                    names = [column[0] for column in cursor.description or ()]
                    return names, cursor.fetchall() if names else ()
                finally:
                    self._cursors.discard(cursor)
        except Exception as error:  # noqa: BLE001 - the connector documents no base class
            # The connector has no exception class for statements that a workspace refuses.
            condition = next(iter(_CONDITION.findall(str(error))), type(error).__name__)
            reason = self._scrub(first_line(error))
            failure = StatementError(reason, condition=condition)
            if any(kind.__name__ == _REQUEST_ERROR for kind in type(error).__mro__):
                msg = f"the SQL warehouse does not answer ({reason}); check that it exists and that the token is valid"
                failure = StatementError(msg, condition=NO_CONNECTION)
        # Raised here, so the context does not hold frames of the connector with the headers of its requests.
        raise failure


def _by_name(names: Sequence[str], row: Sequence[Any]) -> Mapping[str, Any]:
    values = dict(zip(names, row, strict=True))
    if len(values) < len(names):
        repeated = ", ".join(dict.fromkeys(name for name in names if names.count(name) > 1))
        msg = f"the workspace returned several columns of one name ({repeated})"
        raise StatementError(msg, condition="STRANGE_ROWS")
    return values


def _cancel(cursor: Any) -> bool:
    """Cancel the statement of a cursor; the warehouse does not report when it has ended."""
    cursor.cancel()
    return False


class Scrubber:
    """Redacts secrets in texts: those of the environment, and those in the headers of requests."""

    def __init__(self) -> None:
        self._secrets = [Secret(os.environ.get(name, "")) for name in _SECRETS]

    def __call__(self, text: str) -> str:
        """Return a text without secrets."""
        for secret in self._secrets:
            text = secret.scrub(text)
        return text

    def watch(self, headers: Mapping[str, str]) -> Mapping[str, str]:
        """Remember the secrets in the headers of a request, and return the headers."""
        self._secrets[len(_SECRETS) :] = [Secret(value.rpartition(" ")[2]) for value in headers.values()]
        return headers


_LONGEST_PAUSE = 10.0


class Warehouses(Protocol):
    """The SQL warehouses of a workspace, as ``WorkspaceClient.warehouses`` of databricks-sdk has them."""

    def get(self, id: str) -> Any:  # noqa: A002 - the name of the package
        """Return a warehouse with its ``state`` and its ``health``."""
        ...

    def start(self, id: str) -> object:  # noqa: A002 - as above
        """Begin to start a warehouse."""
        ...


def start_warehouse(warehouses: Warehouses, warehouse: str, seconds: float, scrub: Callable[[str], str] = str) -> None:
    """Start a SQL warehouse that does not run, and log the progress until it does."""
    state, summary = _warehouse_state(warehouses, warehouse)
    if state in ("", "RUNNING"):
        return
    begin, pause, was_asked, was_starting = time.monotonic(), 1.0, False, False

    def progress() -> str:
        return f"{state.lower()}, {time.monotonic() - begin:.0f} s so far"

    with step(escaped(f"starting the SQL warehouse {warehouse}"), progress):
        while state != "RUNNING":
            left = begin + seconds - time.monotonic()
            fault = _why_not_started(state, was_starting=was_starting, late=f"{seconds:g} s" if left <= 0 else "")
            if fault is not None:
                fact, remedy = fault
                reason = f" ({escaped(scrub(summary))})" if summary else ""
                msg = f"the SQL warehouse {escaped(warehouse)} {fact}{reason}; {remedy}"
                raise BackendUnavailableError(msg)
            if state == "STOPPED" and not was_asked:
                was_asked = True
                if not _begin_to_start(warehouses, warehouse):
                    return
            was_starting = was_starting or state == "STARTING"
            time.sleep(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE)
            answer, summary = _warehouse_state(warehouses, warehouse)
            # A lost answer says nothing.
            state = answer or state


def _why_not_started(state: str, *, was_starting: bool, late: str) -> tuple[str, str] | None:
    """Return why a warehouse is not waited for any longer, as a fact and a remedy."""
    if state in ("DELETING", "DELETED"):
        return "is deleted", "set databricks_warehouse to a different one"
    if state == "STOPPED" and was_starting:
        return "stopped while it started", "see its events in the workspace"
    if late:
        remedy = "raise databricks_start_timeout, or start it before the run"
        return f"does not run after {late}, it is {state.lower()}", remedy
    return None


def _warehouse_state(warehouses: Warehouses, warehouse: str) -> tuple[str, str]:
    """Return the state of a warehouse, and a summary of its problems; ``""`` for what the workspace does not tell."""
    try:
        details = warehouses.get(warehouse)
    except Exception:  # noqa: BLE001 - the connection reports its own errors
        return "", ""
    return getattr(details.state, "value", ""), getattr(details.health, "summary", None) or ""


def _begin_to_start(warehouses: Warehouses, warehouse: str) -> bool:
    """Return whether the workspace begins to start a warehouse."""
    try:
        warehouses.start(warehouse)
    except Exception:  # noqa: BLE001 - the connection starts it, or reports why not
        return False
    return True
