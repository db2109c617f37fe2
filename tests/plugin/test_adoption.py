"""``pytest --delta-adopt``: what it shows and edits, and which runs are refused; see ``engine/test_model_writing.py``."""

from __future__ import annotations

import pytest

MODELS = '''\
"""The shop."""

from pyspark.sql.types import LongType
from pytest_delta_schema import Column, Table

orders = Table(
    "dev", "silver", "orders",
    [
        Column("id", LongType(), is_nullable=False),  # from the till
    ],
)
items = Table("dev", "silver", "items", [Column("id", "bigint"), Column("size", "bigint")])
same = Table("dev", "silver", "same", [Column("id", "bigint")])
'''
EDITED = MODELS.replace("LongType(), is_nullable=False", "LongType()").replace(', Column("size", "bigint")', "")
DIFF_OF_ORDERS = """\
--- a/models.py
+++ b/models.py
@@ -6,7 +6,7 @@
 orders = Table(
     "dev", "silver", "orders",
     [
-        Column("id", LongType(), is_nullable=False),  # from the till
+        Column("id", LongType()),  # from the till
     ],
 )
 items = Table("dev", "silver", "items", [Column("id", "bigint"), Column("size", "bigint")])
"""
THERE = 'stored("dev.silver.orders", OLD), stored("dev.silver.items", OLD), stored("dev.silver.same", OLD)'
DIFF, WRITE = "--delta-adopt=diff", "--delta-adopt=write"


@pytest.fixture
def folder(project):
    """A project with three models, and a catalog in which two of their tables differ."""
    project.catalog(f"MemoryCatalog([{THERE}])")
    (project.path / "models.py").write_text(MODELS, "utf-8")
    return project


def content(folder):
    return (folder.path / "models.py").read_text("utf-8")


def test_the_edit_of_each_table_is_shown_and_nothing_is_written(folder):
    result = folder.run(DIFF)

    result.assert_outcomes(failed=2, passed=1)
    assert DIFF_OF_ORDERS in result.stdout.str()
    result.stdout.fnmatch_lines(
        [f"dev.silver.{name}: its table differs; --delta-adopt=write makes this edit" for name in ("orders", "items")]
    )
    result.stdout.fnmatch_lines(
        [
            "adopt: 2 tables with differences that could be accepted",
            "  would edit  models.py: dev.silver.items, dev.silver.orders",
            "next: pytest --delta-adopt=write makes these edits",
            "*FAILED models.py::dev.silver.orders::adopt - its table differs*",
        ],
    )
    assert content(folder) == MODELS


def test_the_edits_are_made_and_the_gate_is_green(folder):
    folder.accept()
    (folder.path / "test_other.py").write_text("def test_other():\n    assert False\n", "utf-8")

    result = folder.run(WRITE)

    result.assert_outcomes(passed=3, deselected=1)
    result.stdout.fnmatch_lines(
        [
            "adopt: 2 tables accepted and proven",
            "  edited      models.py: dev.silver.items, dev.silver.orders",
            "next: review git diff models.py, then pytest --snapshot-update, then commit both",
        ],
        consecutive=True,
    )
    assert "unused" not in result.stdout.str()
    assert content(folder) == EDITED
    folder.run("--delta-drift").assert_outcomes(failed=2, passed=7, deselected=1)  # the snapshots are to be reviewed


def test_what_cannot_be_accepted_is_named_and_what_may_be_secret_is_not_shown(folder):
    (folder.path / "models.py").write_text(
        MODELS
        + 'keys = Table("dev", "silver", "keys", [Column("id", "bigint")], table_properties={"api.token": "old"})\n'
        + 'looped = Table("dev", "silver", "looped", [Column(name, "bigint") for name in ("id", "size")])\n',
        "utf-8",
    )
    keys = 'stored("dev.silver.keys", OLD, table_properties={"api.token": "x7new"})'
    folder.catalog(f'MemoryCatalog([{THERE}, {keys}, stored("dev.silver.looped", OLD)])')

    result = folder.run(WRITE)

    result.assert_outcomes(failed=2, passed=3)
    result.stdout.fnmatch_lines_random(
        [
            "dev.silver.keys: accepted, but for what may be secret: api.token",
            "dev.silver.looped: its source is not edited, because line 15 has a comprehension; write by hand:",
            '*remove Column("size", *',
            "adopt: 3 tables accepted and proven, 1 failed",
        ],
    )
    assert "x7new" not in result.stdout.str()
