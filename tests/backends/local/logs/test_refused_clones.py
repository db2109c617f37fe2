"""Tables that the local backend does not clone."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends.local import clones
from pytest_delta_schema.backends.local.clones import ChangingTableError
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.state import TableState

ORDERS, CLONE = QualifiedName("dev", "silver", "orders"), QualifiedName("dev", "test_main", "orders")
REMOTE = "its files are in s3://bucket/orders, and only those of a local folder are cloned"
FOREIGN = (
    "the catalog dev is not one of the warehouse folder; clone tables of catalogs that the session does not configure"
)
INSERT = "create the table with make_delta_table, and insert its rows"


@pytest.mark.parametrize(
    ("properties", "location", "is_warehouse", "message"),
    [
        (
            {"delta.feature.catalogmanaged": "supported"},
            "/x",
            True,
            f"dev.silver.orders cannot be cloned: its newest commits are in a catalog, and not in its log; {INSERT}",
        ),
        ({}, "s3://bucket/orders", True, f"dev.silver.orders cannot be cloned: {REMOTE}; {INSERT}"),
        ({}, "/x", False, f"dev.silver.orders cannot be cloned: {FOREIGN}"),
    ],
)
def test_the_error_says_why(monkeypatch, tmp_path, properties, location, is_warehouse, message):
    state = TableState(name=ORDERS, table_properties=properties)
    monkeypatch.setattr(clones, "located", lambda *_: (state, location))
    bridge = SimpleNamespace(warehouse=tmp_path, spark=None, is_warehouse=lambda _: is_warehouse)

    with pytest.raises(StatementError) as caught:
        clones.clone(bridge, ORDERS, CLONE)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            ChangingTableError(),
            "other writers have changed it during each of 3 attempts; clone it when they have ended",
        ),
        (
            FileNotFoundError(2, "No such file or directory", "/x/_delta_log/0.json"),
            "a file of its log is not there ([Errno 2] No such file or directory: '/x/_delta_log/0.json'); restore the log",
        ),
        (
            OSError(28, "No space left on device"),
            "[Errno 28] No space left on device; free space, or give the permission",
        ),
    ],
)
def test_the_error_of_a_failed_clone_says_what_to_do(monkeypatch, tmp_path, error, message):
    def failing(*_):
        raise error

    monkeypatch.setattr(clones, "located", lambda *_: (TableState(name=ORDERS), "/x"))
    monkeypatch.setattr(clones, "clone_folder", failing)
    bridge = SimpleNamespace(warehouse=tmp_path, spark=None, is_warehouse=lambda _: True)

    with pytest.raises(StatementError) as caught:
        clones.clone(bridge, ORDERS, CLONE)

    assert str(caught.value) == f"dev.silver.orders cannot be cloned: {message}"
