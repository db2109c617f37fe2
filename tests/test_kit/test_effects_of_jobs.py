"""The effects of real jobs, one after another on one table, as the local and the session catalog see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_delta_schema import SessionCatalog
from pytest_delta_schema.diagnostics.errors import EffectError
from pytest_delta_schema.test_kit.effects import effect_on, versions_of
from support.models import column, table

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.spark

ORDERS = "dev.silver.orders"


class Expected(NamedTuple):
    """What is compared after each job.

    Args:
        operations: The operations of its commits.
        rows: The rows that it added, removed and updated.
        files: The files that it rewrote.
        table_was: What happened to the table.
        schema: The changes of its schema.
        features: The features that it raised.
        properties: The properties that it changed.
    """

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


def sql(*statements: str) -> Callable[[Any, Any], None]:
    def job(spark: Any, _: Any) -> None:
        for statement in statements:
            spark.sql(statement)

    return job


def frame(spark: Any, count: int, value: str) -> Any:
    return spark.range(count).selectExpr("id", f"'{value}' AS v")


def append(spark: Any, _: Any) -> None:
    frame(spark, 5, "b").write.mode("append").option("userMetadata", "nightly").saveAsTable(ORDERS)


def overwrite(spark: Any, _: Any) -> None:
    frame(spark, 2, "o").write.mode("overwrite").insertInto(ORDERS)


def replace_some(spark: Any, _: Any) -> None:
    frame(spark, 2, "w").where("id = 1").writeTo(ORDERS).overwrite(frame(spark, 1, "").id == 1)


def replace_where(spark: Any, _: Any) -> None:
    rows = frame(spark, 2, "w").where("id = 1")
    rows.write.mode("overwrite").option("replaceWhere", "id = 1").format("delta").saveAsTable(ORDERS)


def stream(spark: Any, folder: Any) -> None:
    source = f"{folder}/source"
    frame(spark, 3, "s").write.format("delta").save(source)
    reading = spark.readStream.format("delta").load(source)
    writing = reading.writeStream.format("delta").option("checkpointLocation", f"{folder}/checkpoint")
    writing.trigger(availableNow=True).toTable(ORDERS).awaitTermination()


CREATED = (
    "table: (absent) -> 2 columns",
    "columns.id: (absent) -> bigint",
    "columns.v: (absent) -> string",
)
CREATE = "CREATE TABLE dev.silver.orders (id BIGINT, v STRING) USING DELTA TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')"
NO_VECTORS = {"delta.enableDeletionVectors": (None, "false")}
BASE = ("appendOnly", "invariants")

JOBS = {
    "nothing, no table": (sql(), Expected(table_was="absent")),
    "create": (
        sql(CREATE),
        Expected(("CREATE TABLE",), table_was="created", schema=CREATED, features=BASE, properties=NO_VECTORS),
    ),
    "nothing": (sql("SELECT 1"), Expected()),
    "insert": (sql("INSERT INTO dev.silver.orders SELECT id, 'a' FROM range(10)"), Expected(("WRITE",), (10, 0, 0))),
    "append": (append, Expected(("WRITE",), (5, 0, 0))),
    "optimize": (sql("OPTIMIZE dev.silver.orders"), Expected(("OPTIMIZE",), files=2)),
    "update": (sql("UPDATE dev.silver.orders SET v = 'u' WHERE id >= 8"), Expected(("UPDATE",), (0, 0, 2), 1)),
    "delete": (sql("DELETE FROM dev.silver.orders WHERE id = 5"), Expected(("DELETE",), (0, 1, 0), 1)),
    "merge": (sql(MERGE), Expected(("MERGE",), (2, 1, 1), 1)),
    "alter": (
        sql(
            "ALTER TABLE dev.silver.orders ADD COLUMNS (x INT)",
            "ALTER TABLE dev.silver.orders SET TBLPROPERTIES ('team' = 'shop', 'delta.enableDeletionVectors' = 'true')",
        ),
        Expected(
            ("ADD COLUMNS", "SET TBLPROPERTIES"),
            schema=("columns.x: (absent) -> int",),
            features=("deletionVectors",),
            properties={"team": (None, "shop"), "delta.enableDeletionVectors": ("false", "true")},
        ),
    ),
    "delete by deletion vector": (sql("DELETE FROM dev.silver.orders WHERE id = 6"), Expected(("DELETE",), (0, 1, 0))),
    "restore": (
        sql("RESTORE TABLE dev.silver.orders TO VERSION AS OF 4"),
        Expected(
            ("RESTORE",),
            (4, 3, 0),
            schema=("columns.x: int -> (absent)",),
            properties={"team": ("shop", None), "delta.enableDeletionVectors": ("true", "false")},
        ),
    ),
    "overwrite": (overwrite, Expected(("WRITE",), (2, 15, 0))),
    "replace where": (replace_where, Expected(("WRITE",), (1, 1, 0), 1)),
    "stream": (stream, Expected(("STREAMING UPDATE",), (3, 0, 0))),
    "truncate": (sql("TRUNCATE TABLE dev.silver.orders"), Expected(("TRUNCATE",), (0, 5, 0))),
    "recreate": (
        sql("DROP TABLE dev.silver.orders", "CREATE TABLE dev.silver.orders USING DELTA AS SELECT id FROM range(3)"),
        Expected(
            ("CREATE TABLE AS SELECT",),
            (3, 0, 0),
            table_was="recreated",
            schema=("columns.v: string -> (absent)",),
            properties={"delta.enableDeletionVectors": ("false", None)},
        ),
    ),
    "drop": (
        sql("DROP TABLE dev.silver.orders"),
        Expected(table_was="dropped", schema=("table: 1 column -> (absent)",), properties={}),
    ),
}


def test_the_effects_of_jobs(local, tmp_path):
    local.create_schema("dev", "silver")
    session = SessionCatalog(local.spark)
    for name, (job, expected) in JOBS.items():
        with effect_on(ORDERS, local) as effect, effect_on(ORDERS, session) as other:
            job(local.spark, tmp_path)

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
        if name == "append":
            assert effect.only("WRITE")
            assert effect.kept_schema
            assert [commit.user_metadata for commit in versions_of(ORDERS, local)] == ["", "", "nightly"]
            with pytest.raises(EffectError, match=r"  version 2  .* UTC  WRITE \(Append\)  \+5 rows  \[nightly\]$"):
                effect.only("MERGE")
            with pytest.raises(EffectError, match=r"(?s)should keep the contract of dev\.gold\.orders.*columns\.v"):
                effect.kept_contract(table(column(), name="dev.gold.orders"))


CREATE_MAPPED = """
    CREATE TABLE dev.silver.renamed (id BIGINT, s STRUCT<a: INT, b: INT>) USING DELTA
    TBLPROPERTIES ('delta.columnMapping.mode' = 'name')
"""
RENAMED = (
    CREATE_MAPPED,
    "INSERT INTO dev.silver.renamed SELECT id, named_struct('a', 1, 'b', 2) FROM range(5)",
    "ALTER TABLE dev.silver.renamed RENAME COLUMN id TO number",
    "ALTER TABLE dev.silver.renamed RENAME COLUMN s.a TO c",
    "ALTER TABLE dev.silver.renamed RENAME COLUMN s.b TO a",
    "ALTER TABLE dev.silver.renamed RENAME COLUMN s TO id",
    "DELETE FROM dev.silver.renamed WHERE number = 3",
)


def test_a_restore_over_renames_changes_only_rows_that_differ(local):
    local.create_schema("dev", "silver")
    for statement in RENAMED:
        local.spark.sql(statement)

    catalogs = [local, SessionCatalog(local.spark)]
    with effect_on("dev.silver.renamed", catalogs[0]) as effect, effect_on("dev.silver.renamed", catalogs[1]) as other:
        local.spark.sql("RESTORE TABLE dev.silver.renamed TO VERSION AS OF 1")

    assert [(seen.rows_added, seen.rows_removed) for seen in (effect, other)] == [(1, 0)] * 2
