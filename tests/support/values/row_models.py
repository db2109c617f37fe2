"""Short declarations of tables for tests that make rows of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

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


COMPARISONS = st.sampled_from(
    [
        "a > 3",
        "a <= b",
        "a <> 4",
        "b BETWEEN -5 AND 1000",
        "s LIKE 'x%' OR a > 10",
        "s IN ('x', 'y', 'xy')",
        "length(s) < 4",
        "d > '2024-02-01'",
        "d IS NULL OR a < 100",
        "f OR b > 0",
        "p < 2.5",
        "NOT (a > 50 AND b < 0)",
        "t.x >= a",
    ]
)
CHECKED_COLUMNS = "a int; b bigint not null; s varchar(5); d date; f boolean; p decimal(4,2); t struct<x: int>"
