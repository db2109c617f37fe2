"""The ways into a workspace, none of which has been opened to a real one, and what comes back by them."""

from __future__ import annotations

import re
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_delta_schema import DatabricksCatalog
from pytest_delta_schema.backends.databricks import connect_databricks
from pytest_delta_schema.backends.databricks.connection import SparkConnection, WarehouseConnection
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError
from pytest_delta_schema.execute import RowCounts
from pytest_delta_schema.state import CheckState
from support.models import NAME


class Cursor:
    """What the connector gives, by PEP 249; a function answers its statements with rows."""

    def __init__(self, answer, *, columns=("version", "operation"), cancel=None):
        self.description = [(name,) for name in columns]
        self.answer, self.rows, self.cancel = answer, [], cancel

    def execute(self, sql):
        self.rows = self.answer(sql)

    def fetchall(self):
        return self.rows

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def warehouse(answer, **options):
    return WarehouseConnection(SimpleNamespace(cursor=lambda: Cursor(answer, **options), close=lambda: None))


def raises(error):
    def refuse(*_, **__):
        raise error

    return refuse


@pytest.fixture
def modules(monkeypatch):
    """Put the modules of the connector and of the SDK where they would be; each warehouse has one state."""
    monkeypatch.delenv("DATABRICKS_RUNTIME_VERSION", raising=False)

    def put(*, connect=None, config=None, session=None):
        shown = SimpleNamespace(state=SimpleNamespace(value="RUNNING"), health=None)
        client = SimpleNamespace(warehouses=SimpleNamespace(get=lambda _: shown))
        parts = {
            "databricks": {"sql": SimpleNamespace(connect=connect)},
            "databricks.sdk": {"WorkspaceClient": lambda **_: client},
            "databricks.sdk.core": {"Config": config},
            "databricks.connect": {"DatabricksSession": SimpleNamespace(builder=SimpleNamespace(getOrCreate=session))},
        }
        for name, values in parts.items():
            monkeypatch.setitem(sys.modules, name, SimpleNamespace(**values))

    return put


def test_answers_and_errors_of_a_warehouse():
    closed = []
    error = RuntimeError("[TABLE_OR_VIEW_NOT_FOUND] The table cannot be found.\nat line 1")
    connection = WarehouseConnection(
        SimpleNamespace(cursor=lambda: Cursor(lambda _: [(3, "WRITE")]), close=lambda: closed.append(True))
    )

    assert connection.rows("DESCRIBE") == [{"version": 3, "operation": "WRITE"}]
    assert connection.values("DESCRIBE") == [(3, "WRITE")]
    connection.close()
    assert closed == [True]
    with pytest.raises(StatementError) as caught:
        warehouse(raises(error)).rows("SELECT")
    assert str(caught.value) == "[TABLE_OR_VIEW_NOT_FOUND] The table cannot be found."
    assert caught.value.condition == "TABLE_OR_VIEW_NOT_FOUND"


def test_the_statements_of_all_threads_are_cancelled():
    cancelled, running = Event(), Event()

    def wait(_):
        running.set()
        assert cancelled.wait(10)
        raise RuntimeError("[OPERATION_CANCELED] cancelled")

    connection = warehouse(wait, cancel=cancelled.set)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(connection.rows, "SELECT 1")
        assert running.wait(10)
        connection.cancel()

        with pytest.raises(StatementError, match="OPERATION_CANCELED"):
            answer.result(10)
    connection.cancel()


def test_a_warehouse_is_entered_by_unified_authentication(modules):
    given, limits = {}, {}
    config = SimpleNamespace(host="https://x.cloud.example/", authenticate=lambda: {"Authorization": "Bearer t"})
    modules(connect=lambda **how: given.update(how), config=lambda **how: limits.update(how) or config)

    connect_databricks("abc123", start_timeout=900)

    assert (given["server_hostname"], given["http_path"]) == ("x.cloud.example", "/sql/1.0/warehouses/abc123")
    assert given["credentials_provider"]()() == {"Authorization": "Bearer t"}
    assert given["_socket_timeout"] == 120
    assert given["_retry_stop_after_attempts_duration"] == 900
    assert limits == {"http_timeout_seconds": 30, "retry_timeout_seconds": 30}


@pytest.mark.parametrize("way", ["environment", "request"])
def test_a_token_that_the_connector_repeats_is_not_shown(modules, monkeypatch, way):
    token, given = "dapi-0123456789-secret", dict[str, Any]()
    headers = {"Authorization": f"Bearer {token}"}
    if way == "environment":
        monkeypatch.setenv("DATABRICKS_TOKEN", token)
        headers.clear()

    def repeat(_):
        sent = given["credentials_provider"]()()
        raise RuntimeError(f"[X] at https://me:hunter2@x.cloud.example/?t=hunter2 with {sent} and b'{token}'")

    connection = SimpleNamespace(cursor=lambda: Cursor(repeat), close=lambda: None)
    config = SimpleNamespace(host="https://x.cloud.example", authenticate=lambda: headers)
    modules(connect=lambda **how: given.update(how) or connection, config=lambda **_: config)

    with pytest.raises(StatementError) as caught:
        connect_databricks("abc").rows("SELECT 1")

    shown = "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
    error = shown[shown.rindex("StatementError") :]
    assert "https://***@x.cloud.example/?t=***" in error
    assert "hunter2" not in error
    assert "0123456789" not in error
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_databricks_connect_where_there_is_no_runtime(modules):
    modules(session=lambda: "spark")

    connection = connect_databricks()

    assert isinstance(connection, SparkConnection)
    assert connection.spark == "spark"


def without_credentials(modules, monkeypatch):
    monkeypatch.setenv("DATABRICKS_CLIENT_SECRET", "client-secret-qzxv")
    modules(config=raises(ValueError("cannot parse https://me:hunter2@x with client-secret-qzxv")))


def without_modules(modules, monkeypatch):
    modules()
    for name in [name for name in sys.modules if name.startswith("databricks.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "databricks", None)


NO_CREDENTIALS = (
    "no credentials for Databricks were found (cannot parse https://***@x with ***); set DATABRICKS_HOST and"
    " DATABRICKS_TOKEN, or name a profile of the file .databrickscfg in DATABRICKS_CONFIG_PROFILE"
)
NO_CONNECT = (
    "the databricks backend needs databricks-connect here, which cannot be imported (...); use a SQL warehouse:"
    " pip install 'pytest-delta-schema[databricks]', and set databricks_warehouse = \"ID\"; or use a cluster:"
    " pip install 'databricks-connect==16.4.*', with the version of its runtime"
)
NO_CONNECTOR = (
    "the databricks backend needs databricks-sql-connector and databricks-sdk here, which cannot be imported"
    " (...); pip install 'pytest-delta-schema[databricks]'"
)


@pytest.mark.parametrize(
    ("prepare", "warehouse", "text"),
    [
        (without_credentials, "abc", NO_CREDENTIALS),
        (without_modules, "", NO_CONNECT),
        (without_modules, "abc", NO_CONNECTOR),
    ],
    ids=["no credentials", "no databricks-connect", "no connector"],
)
def test_why_a_workspace_cannot_be_entered(modules, monkeypatch, prepare, warehouse, text):
    prepare(modules, monkeypatch)

    with pytest.raises(BackendUnavailableError) as caught:
        connect_databricks(warehouse)

    assert re.sub(r"imported \(.*?\);", "imported (...);", str(caught.value)) == text


CHECKS = (CheckState("a", "code <> 1"), CheckState("b", "code <> '1'"))


def equal_names(sql):
    """Answer with columns of one name, as engines name ``code <> 1`` and ``code <> '1'``."""
    return [(0, ("a",), "x"), (1, ("b",), "y")] if "array" in sql else [(3, 1, 2)]


def test_columns_of_one_name_are_read_by_position():
    connection = warehouse(equal_names, columns="nnn")
    checks = DatabricksCatalog(connection).data_checks(NAME)

    assert checks.count_rows(CHECKS) == RowCounts(rows=3, broken=(1, 2))
    assert checks.count_rows(CHECKS, stop_early=True).broken == (3, 1)
    assert checks.sample_rows(CHECKS, [["id"], ["id"]], number=1) == ((("a",),), (("b",),))
    with pytest.raises(StatementError, match=r"^the workspace returned several columns of one name \(n\)$"):
        connection.rows("SELECT")
