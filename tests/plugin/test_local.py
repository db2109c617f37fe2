"""The plugin on the local backend, in its own processes: what one run leaves, the next one finds."""

from __future__ import annotations

import pytest

from support.plugin_project import ORDERS

pytestmark = [pytest.mark.spark, pytest.mark.own_jvm]

TESTS = """
import pytest
from pytest_delta_schema import ApplyError, Check, Column, Table, assert_no_drift, assert_table_equals
from pytest_delta_schema.execute.protocols import ABSENT
from pyspark.sql.types import LongType
from models import orders

def test_plain_sql_finds_the_tables_of_an_earlier_run(delta_spark):
    assert delta_spark.sql("select * from dev.silver.orders").columns == ["id", "created_ts", "amount"]
    assert [row.tableName for row in delta_spark.sql("show tables in dev.silver").collect()] == ["orders"]
    assert [row.namespace for row in delta_spark.sql("show schemas in dev").collect()] == ["gold", "silver"]

SCRATCH = []

def test_scratch_tables(make_delta_table, delta_catalog):
    table = make_delta_table(orders, rows=[{"id": 1, "amount": 5}, {"id": 2}])
    SCRATCH.append(table)
    assert_no_drift(table, catalog=delta_catalog)
    assert_table_equals(table, [{"id": 1, "amount": 5}, {"id": 2}])
    bad = Table("dev", "x", "bad", [Column("id", LongType())], checks=[Check("odd", "perhaps(id)")])
    with pytest.raises(ApplyError, match="perhaps"):
        make_delta_table(bad)

def test_equal_scratch_tables_and_clones(make_delta_table, delta_clone, delta_catalog, delta_spark):
    again, clone = make_delta_table(orders, name="again"), delta_clone(orders)
    delta_spark.sql(f"INSERT INTO {clone.qualified_name} (id) VALUES (7)")
    assert [delta_catalog.data_checks(table.name).count_rows().rows for table in (again, clone, orders)] == [0, 1, 0]
    assert_no_drift([again, clone, orders], catalog=delta_catalog)

def test_scratch_tables_are_gone(delta_warehouse, delta_catalog):
    assert delta_catalog.version(SCRATCH[0].name) is ABSENT
    assert sorted(path.name for path in (delta_warehouse / "dev").iterdir()) == ["gold", "silver"]

def test_the_header_of_the_session(delta_spark, delta_warehouse):
    assert delta_spark.conf.get("spark.sql.catalog.dev.warehouse") == str(delta_warehouse)
    assert (delta_warehouse / ".gitignore").read_text() == "*\\n"
"""


def test_what_one_run_or_a_colleague_leaves_the_next_run_finds(project, monkeypatch):
    project.models(ORDERS)

    applied = project.run("--delta-apply", "--snapshot-update", subprocess=True)

    applied.assert_outcomes(passed=3)
    applied.stdout.fnmatch_lines(["apply: 1 applied, 3 statements run"])
    # A neighbour that cannot be read disturbs nobody who does not ask for it.
    broken = project.path / ".delta-warehouse" / "dev" / "gold" / "broken" / "_delta_log"
    broken.mkdir(parents=True)
    (broken / "00000000000000000000.json").write_text("{ no log")

    with monkeypatch.context() as without_java:
        without_java.setenv("JAVA_HOME", "/nowhere")
        parallel = project.run("--delta-drift", "-n2", "-m", "delta_drift")
        again = project.run("--delta-apply", "-m", "delta_apply", subprocess=True)

    parallel.assert_outcomes(passed=1)
    parallel.stdout.fnmatch_lines(["drift: 1 in sync, 0 statements run"])

    again.assert_outcomes(passed=1)
    again.stdout.fnmatch_lines(["apply: 1 in sync, 0 statements run"])

    project.pytester.makepyfile(
        test_after=TESTS,
        test_colleague="""
        def test_it(delta_spark):
            delta_spark.sql("ALTER TABLE dev.silver.orders ADD COLUMNS (note STRING)")
            delta_spark.sql("COMMENT ON TABLE dev.silver.orders IS 'Mine'")
        """,
    )
    looked = project.run_all("--delta-drift --delta-enforce", subprocess=True)

    looked.assert_outcomes(passed=10)
    looked.stdout.fnmatch_lines(["drift: 1 in sync, 0 statements run", "enforce: 1 enforced"])

    kept = {path.name for path in project.path.iterdir()}
    assert kept.isdisjoint({"spark-warehouse", "metastore_db", "derby.log", "artifacts"})

    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    drifted = project.run("--delta-drift", "-m", "delta_drift", "models.py", subprocess=True)

    drifted.assert_outcomes(failed=1)
    drifted.stdout.fnmatch_lines(
        [
            "  - columns.note  string *-> (not in the model)  [[]destructive]",
            "  ~ comment       'Mine' -> 'Orders table'",
            "*column note came with version 2, ADD COLUMNS of *",
            "drift: 1 blocked, 0 statements run",
        ],
    )
