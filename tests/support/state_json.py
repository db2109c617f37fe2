"""The written-out example of the JSON form of a state, and an exact comparison of states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_delta_schema import Deprecated, Parquet, QualifiedName
from pytest_delta_schema.delta.names import TABLE, ColumnPath
from pytest_delta_schema.models.names import StoredName
from pytest_delta_schema.state import (
    ArrayState,
    CheckState,
    ColumnGeneration,
    ColumnState,
    ForeignKeyState,
    IdentityState,
    KeyState,
    MapState,
    RenameState,
    SourceState,
    StructState,
    TableState,
)

EXAMPLE_TEXT = Path(__file__).with_name("state_example.json").read_text("utf-8")

EXAMPLE = TableState(
    name=StoredName.of(QualifiedName("dev", "silver", "Orders")),
    logical_name=QualifiedName("prod", "silver", "odd.name"),
    exists=False,
    schema_exists=False,
    version=7,
    table_comment="Orders of the shop",
    columns=(
        ColumnState("id", "bigint", False, "", ColumnGeneration(identity=IdentityState(1, 1, True))),
        ColumnState("status", "varchar(10)", True, "As shown to customers", ColumnGeneration(default="'open'")),
        ColumnState("created", "timestamp", True, ""),
        ColumnState("day", "date", True, "", ColumnGeneration(generated="CAST(created AS DATE)")),
        ColumnState(
            "address",
            StructState(
                (
                    ColumnState("street", "string", False, ""),
                    ColumnState("lines", ArrayState("string", contains_null=False), True, ""),
                )
            ),
            True,
            "",
        ),
        ColumnState("extras", MapState("string", "geometry(4326)", value_contains_null=False), True, ""),
    ),
    primary_key=KeyState("pk_orders", ("id",), rely=True),
    unique=(KeyState("uq_orders", ("status", "created"), kind="unique constraint"),),
    checks=(CheckState("is_known", "status <> ''"),),
    foreign_keys=(
        ForeignKeyState("fk_orders", ("id",), QualifiedName("dev", "silver", "parents"), ("key",), rely=True),
    ),
    partitioning=("day",),
    clustering=(ColumnPath("id"), ColumnPath("address", "street")),
    table_properties=MappingProxyType({"delta.appendOnly": "true", "team": None}),
    owned_properties=("delta.appendOnly",),
    emulated_properties=("delta.parquet.vorder.enabled",),
    tags=MappingProxyType(
        {
            TABLE: MappingProxyType({"owner": "sales"}),
            ColumnPath("address", "street"): MappingProxyType({"pii": "high", "old": None}),
        }
    ),
    source=SourceState(
        "parquet",
        "/lake/orders",
        is_registered=True,
        is_in_place=True,
        folders=((), ("day=2026-01-31",)),
        files=12,
        conflict="b.parquet has another type",
        sign="deletion_vector.bin",
    ),
    convert_from=Parquet("/lake/orders", statistics=False),
    renames=(RenameState(ColumnPath("address", "street"), "str"),),
    column_order="report",
    ownership=MappingProxyType({"comments": "ignore"}),
    evolution="additive",
    clients=("trino>=470",),
    deprecated=MappingProxyType(
        {
            TABLE: Deprecated(date(2026, 1, 31), use="dev.gold.orders"),
            ColumnPath("status"): Deprecated(date(2026, 1, 31), use="state", sunset=date(2026, 7, 31)),
        }
    ),
)
"""The state of :data:`EXAMPLE_TEXT`; none of its fields is at its default."""


def exact(value: Any) -> Any:
    """Return a value in which everything counts, with what ``==`` of a state leaves out: types, spellings, all fields."""
    kind = type(value).__name__
    if isinstance(value, StoredName):
        return (kind, *value.written)
    if isinstance(value, ColumnPath):
        return (kind, *value.parts)
    if isinstance(value, Mapping):
        return ("mapping", *((exact(key), exact(item)) for key, item in value.items()))
    if isinstance(value, tuple):
        return (kind, *map(exact, value))
    if is_dataclass(value):
        return (kind, *((field.name, exact(getattr(value, field.name))) for field in fields(value)))
    return (kind, value)
