"""Tables that the local backend does not clone."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends.local import table_clone
from pytest_delta_schema.errors import StatementError
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
    monkeypatch.setattr(table_clone, "located", lambda *_: (state, location))
    bridge = SimpleNamespace(warehouse=tmp_path, spark=None, is_warehouse=lambda _: is_warehouse)

    with pytest.raises(StatementError) as caught:
        table_clone.clone(bridge, ORDERS, CLONE)

    assert str(caught.value) == message
