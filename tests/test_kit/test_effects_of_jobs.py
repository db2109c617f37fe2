"""The effects of real jobs, one after another on one table, as the local and the session catalog see them."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from pytest_delta_schema import SessionCatalog
from pytest_delta_schema.test_kit.effects import effect_on

pytestmark = pytest.mark.spark

ORDERS = "dev.silver.orders"


class Expected(NamedTuple):
    """What is compared after each job; the rows are those that it added, removed and updated."""

    operations: tuple[str, ...] = ()
    rows: tuple[int, int, int] = (0, 0, 0)
    files: int = 0
    table_was: str = "kept"
    schema: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    properties: dict[str, Any] = {}  # noqa: RUF012 - never changed


MERGE = """
MERGE INTO dev.silver.orders t USING (SELECT id, 'm' AS v FROM range(8, 12)) s ON t.id = s.id
WHEN MATCHED AND t.id = 9 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
"""


CREATED = (
    "table: (absent) -> 2 columns",
    "columns.id: (absent) -> bigint",
    "columns.v: (absent) -> string",
)
CREATE = "CREATE TABLE dev.silver.orders (id BIGINT, v STRING) USING DELTA TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')"
NO_VECTORS = {"delta.enableDeletionVectors": (None, "false")}
BASE = ("appendOnly", "invariants")

JOBS = {
    "create": (
        [CREATE],
        Expected(("CREATE TABLE",), table_was="created", schema=CREATED, features=BASE, properties=NO_VECTORS),
    ),
    "insert": (["INSERT INTO dev.silver.orders SELECT id, 'a' FROM range(10)"], Expected(("WRITE",), (10, 0, 0))),
    "append": (["INSERT INTO dev.silver.orders SELECT id, 'b' FROM range(5)"], Expected(("WRITE",), (5, 0, 0))),
    "optimize": (["OPTIMIZE dev.silver.orders"], Expected(("OPTIMIZE",), files=2)),
    "update": (["UPDATE dev.silver.orders SET v = 'u' WHERE id >= 8"], Expected(("UPDATE",), (0, 0, 2), 1)),
    "delete": (["DELETE FROM dev.silver.orders WHERE id = 5"], Expected(("DELETE",), (0, 1, 0), 1)),
    "merge": ([MERGE], Expected(("MERGE",), (2, 1, 1), 1)),
    "alter": (
        [
            "ALTER TABLE dev.silver.orders ADD COLUMNS (x INT)",
            "ALTER TABLE dev.silver.orders SET TBLPROPERTIES ('team' = 'shop', 'delta.enableDeletionVectors' = 'true')",
        ],
        Expected(
            ("ADD COLUMNS", "SET TBLPROPERTIES"),
            schema=("columns.x: (absent) -> int",),
            features=("deletionVectors",),
            properties={"team": (None, "shop"), "delta.enableDeletionVectors": ("false", "true")},
        ),
    ),
    "restore": (
        ["RESTORE TABLE dev.silver.orders TO VERSION AS OF 4"],
        Expected(
            ("RESTORE",),
            (3, 3, 0),
            schema=("columns.x: int -> (absent)",),
            properties={"team": ("shop", None), "delta.enableDeletionVectors": ("true", "false")},
        ),
    ),
    "truncate": (["TRUNCATE TABLE dev.silver.orders"], Expected(("TRUNCATE",), (0, 15, 0))),
    "recreate": (
        ["DROP TABLE dev.silver.orders", "CREATE TABLE dev.silver.orders USING DELTA AS SELECT id FROM range(3)"],
        Expected(
            ("CREATE TABLE AS SELECT",),
            (3, 0, 0),
            table_was="recreated",
            schema=("columns.v: string -> (absent)",),
            properties={"delta.enableDeletionVectors": ("false", None)},
        ),
    ),
    "drop": (
        ["DROP TABLE dev.silver.orders"],
        Expected(table_was="dropped", schema=("table: 1 column -> (absent)",), properties={}),
    ),
}


def test_the_effects_of_jobs(local):
    local.create_schema("dev", "silver")
    session = SessionCatalog(local.spark)
    for name, (statements, expected) in JOBS.items():
        with effect_on(ORDERS, local) as effect, effect_on(ORDERS, session) as other:
            for statement in statements:
                local.spark.sql(statement)

        for seen in (effect, other):
            made = Expected(
                seen.operations,
                (seen.rows_added, seen.rows_removed, seen.rows_updated),
                seen.files_rewritten,
                seen.table_was,
                tuple(map(str, seen.schema_changes)),
                seen.features_raised,
                dict(seen.properties_changed),
            )
            assert (name, made) == (name, expected)
        assert other.commits == effect.commits
