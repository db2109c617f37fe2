"""Short declarations of tables for tests that make rows of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema import Check, Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence


def table(columns: str, checks: Sequence[str] = (), **options: Any) -> Table:
    """Declare ``dev.silver.orders``.

    Args:
        columns: Names and types: ``id bigint not null; tags array<string>``.
        checks: Their expressions; they are named ``c1``, ``c2`` and so on.
        **options: Other arguments of the table.
    """
    declared = []
    for text in columns.split(";"):
        name, data_type = text.strip().split(" ", 1)
        is_nullable = not data_type.endswith(" not null")
        declared.append(Column(name, data_type.removesuffix(" not null"), is_nullable))
    named = [Check(f"c{number}", expression) for number, expression in enumerate(checks, start=1)]
    return Table("dev", "silver", "orders", [*declared, *options.pop("more", ())], checks=named, **options)
