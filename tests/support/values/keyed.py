"""Tables with keys, which take several statements to create."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema import ForeignKey
from pytest_delta_schema.testing.scenario import column, table

if TYPE_CHECKING:
    from pytest_delta_schema import Table

ALL_STATEMENTS = ["create schema", "create table", "add primary key", "add foreign key"]
"""The kinds of statements that create such a table and its schema."""


def keyed(number: int, schema: str = "dev.silver") -> Table:
    """Return a table with a primary key, and a foreign key to itself."""
    name = f"{schema}.keyed_{number}"
    key = ForeignKey(["parent"], name)
    return table(column(is_nullable=False), column("parent"), name=name, primary_key=["id"], foreign_keys=[key])
