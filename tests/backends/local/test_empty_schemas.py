"""Why a schema of a warehouse holds no table: what Spark has elsewhere, and how the local backend finds it there."""

from __future__ import annotations

from pytest_delta_schema.backends.local.warehouse import why_empty
from support.logs import delta_log, field

LINK = "mkdir -p {folder}/{to} && ln -s {folder}/{source} {folder}/{to}/{schema}"
SPARK = "spark-warehouse/silver.db"
CASES = [
    # folders with a table, the warehouse, the schema, and parts of the answer
    (
        [SPARK],
        "w",
        "dev.silver",
        [f"{SPARK} holds ", LINK.format(folder="{0}", to="w/dev", source=SPARK, schema="silver")],
    ),
    ([SPARK], "w", "spark_catalog.silver", [f"ln -s {{0}}/{SPARK} ", ", and import dev.silver; "]),
    (["w/spark_catalog/silver.db"], "w", "dev.silver", ["ln -s {0}/w/spark_catalog/silver.db {0}/w/dev/silver"]),
    (["spark-warehouse"], "w", "dev.default", ["ln -s {0}/spark-warehouse {0}/w/dev/default, "]),
    (["a/silver"], "b", "dev.x", ["there is no warehouse folder {0}/b; ", "=FOLDER"]),
    (["a/test/x", "a/it/x", "a/y.db"], "a", "dev.x", ["{0}/a has no catalog dev; its catalogs: it, test"]),
    (["a/dev/silver"], "a", "dev.gold", []),
]


def test_why_a_schema_is_empty(tmp_path, monkeypatch):
    wrong = []
    for number, (folders, warehouse, schema, parts) in enumerate(CASES):
        root = tmp_path / str(number)
        for folder in folders:
            delta_log(root / folder / "orders", field("id"))
        monkeypatch.chdir(root)

        answer = why_empty(root / warehouse, *schema.split("."))

        missing = [part.replace("{0}", str(root)) for part in parts if part.replace("{0}", str(root)) not in answer]
        wrong += [(schema, warehouse, missing, answer)] if missing or bool(answer) != bool(parts) else []
    assert wrong == []
