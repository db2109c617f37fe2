"""The changes of a table in groups, and which one creates it."""

from __future__ import annotations

import pytest

from pytest_delta_schema.engine.outcomes import TableChange
from pytest_delta_schema.report.text import change_groups, is_creation


def change(table="ci.orders", marker="+", path="columns.a", before="(absent)", aspect=""):
    return TableChange(table=table, marker=marker, path=path, before=before, after="int", aspect=aspect)


OWN, LATER = change(), change(path="columns.b")
OF_LINES, OF_ITEMS = change("ci.lines"), change("ci.items")
REPORTED = change(aspect="tags")


def test_groups_keep_the_order_of_their_changes():
    groups = change_groups((OF_LINES, OWN, REPORTED, OF_ITEMS, LATER, OF_LINES), "ci.orders")

    assert groups.own == [OWN, LATER]
    assert list(groups.others.items()) == [("ci.lines", [OF_LINES, OF_LINES]), ("ci.items", [OF_ITEMS])]
    assert groups.unmanaged == [REPORTED]


@pytest.mark.parametrize(
    ("parts", "creates"),
    [
        ({"path": "table"}, True),
        ({"path": "table", "before": "parquet"}, False),
        ({"path": "table", "marker": "~"}, False),
        ({"path": "columns.table"}, False),
    ],
)
def test_creation(parts, creates):
    assert is_creation(change(**parts)) is creates
