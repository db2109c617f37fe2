"""A test that uses the fixture which the recipe of fixtures adds; ``test_recipes.py`` runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema import Column, Table
from pytest_delta_schema.plugin.fixtures import types as fixture_types

if TYPE_CHECKING:
    from collections.abc import Callable

types: Any = fixture_types
"""With a name that only the copy has."""

ORDERS = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("note", "string")])


def test_columns_are_listed(make_delta_table: Callable[[Table], Table], delta_columns: Callable[[Table], object]):
    made = make_delta_table(ORDERS)

    assert delta_columns(made) == ("id", "note")


def test_its_type_can_be_named():
    assert types.ColumnsOf.__call__.__doc__ == "Return their names, in stored order."
