"""Properties of Databricks on open-source Delta: how they are stored, shown, removed and refused."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Orchestrator, UnsafePlanError
from pytest_delta_schema.backends.memory.catalog import MemoryCatalog
from pytest_delta_schema.backends.spark.sessions import OPEN_SOURCE_DELTA as LOCAL
from pytest_delta_schema.backends.spark.sessions import SparkVersions
from pytest_delta_schema.backends.spark.statements import on_delta
from pytest_delta_schema.backends.spark_session.catalog import CLASSIC, REMOTE
from pytest_delta_schema.backends.unity.catalog import CAPABILITIES as UNITY
from pytest_delta_schema.delta.properties import REGISTRY
from pytest_delta_schema.engine.plan_outcomes import planned_statements
from pytest_delta_schema.execute.protocols import unsupported_statements
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import statements
from pytest_delta_schema.state import TableState
from support.tables import NAME, catalog, column, state, stored, table

KEY, OWN = "delta.tuneFileSizesForRewrites", "pytest_delta_schema.property.delta.tuneFileSizesForRewrites"
ABSENT = TableState(name=NAME, exists=False)
BACKENDS = {"local": LOCAL, "session": CLASSIC, "connect": REMOTE, "unity": UNITY}


class Backend:
    name = "local"

    def __init__(self, capabilities):
        self.capabilities = capabilities


def planned(model, there):
    (action,) = TablePlanner().plan([model], catalog(there)).actions
    return action


def run_on_delta(model, there):
    parts = statements(planned(model, there))
    return [part.sql for statement in parts for part in on_delta(statement, LOCAL.emulates_property)]


def holding(value, *, emulated=()):
    return state(stored("id"), table_properties={KEY: value}, emulated_properties=emulated)


def test_a_table_is_created_with_the_properties_under_another_key():
    model = table(column(), table_properties={KEY: "true", "team": "core"}, primary_key=["id"])

    create = next(sql for sql in run_on_delta(model, ABSENT) if sql.startswith("CREATE TABLE"))

    assert create.endswith(f"TBLPROPERTIES (\n  '{OWN}' = 'true',\n  'team' = 'core'\n)")


def test_a_table_is_created_and_clustered_in_two_statements_where_delta_misplaces_it():
    model = table(column("😀" * 3), table_properties={KEY: "true"}, clustered_by=["😀" * 3])

    *_, create, cluster = run_on_delta(model, ABSENT)

    assert f"'{OWN}' = 'true'" in create
    assert "CLUSTER BY" not in create
    assert cluster.endswith(f"CLUSTER BY (`{'😀' * 3}`)")


def test_properties_are_set_under_another_key():
    model = table(column(), table_properties={KEY: "true", "team": "core"})

    assert run_on_delta(model, state(stored("id"))) == [
        f"ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (\n  '{OWN}' = 'true',\n  'team' = 'core'\n)"
    ]


def test_both_keys_are_removed():
    model = table(column(), table_properties={KEY: None})

    assert run_on_delta(model, holding("true")) == [
        f"ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('{KEY}', '{OWN}')"
    ]


@pytest.mark.parametrize("capabilities", BACKENDS.values(), ids=BACKENDS)
@pytest.mark.parametrize(
    ("properties", "there", "is_emulated"),
    [
        ({KEY: "true"}, ABSENT, True),
        ({KEY: "true"}, state(stored("id")), True),
        ({KEY: None}, holding("true", emulated=(KEY,)), True),
        ({"team": "core"}, ABSENT, False),
        ({"delta.appendOnly": "true"}, state(stored("id")), False),
    ],
    ids=["create", "set", "unset", "own key", "key of open-source Delta"],
)
def test_a_plan_marks_the_statements_that_store_them(capabilities, properties, there, is_emulated):
    parts = statements(planned(table(column(), table_properties=properties), there))

    assert planned_statements(parts, capabilities)[-1].is_emulated is is_emulated
    assert planned_statements(parts, MemoryCatalog.capabilities)[-1].is_emulated is False


@pytest.mark.parametrize("capabilities", BACKENDS.values(), ids=BACKENDS)
def test_a_key_that_databricks_has_written_is_not_overwritten(capabilities):
    model = table(column(), table_properties={KEY: "false"})

    refused = list(unsupported_statements(planned(model, holding("true")), Backend(capabilities)))

    assert [str(violation) for violation in refused] == [
        (
            "dev.silver.orders: the local backend cannot set properties: the table holds delta.tuneFileSizesForRewrites"
            " as Databricks has written it, and open-source Delta cannot set it; set it on Databricks, or declare the"
            " value that the table holds [DS218 UnsupportedStatement]"
        )
    ]
    assert not list(unsupported_statements(planned(model, holding("true", emulated=(KEY,))), Backend(capabilities)))


def test_what_is_stored_depends_on_the_registry_of_delta():
    later = SparkVersions(spark=(4, 2), properties=REGISTRY | {KEY.lower()}).limit(LOCAL)
    older = SparkVersions(spark=(4, 2), delta=(3, 3), properties=REGISTRY - {"delta.parquet.format.version"})
    (statement,) = statements(planned(table(column(), table_properties={KEY: "false"}), holding("true")))
    (newer,) = statements(
        planned(table(column(), table_properties={"delta.parquet.format.version": "2"}), state(stored("id")))
    )
    (unknown,) = statements(planned(table(column(), table_properties={"delta.foo": "2"}), state(stored("id"))))

    assert on_delta(statement, later.emulates_property) == (statement,)
    assert later.refuses_for_table(statement, holding("true")) is None
    assert older.limit(LOCAL).refuses(newer) == (
        "Delta 3.3 does not know the properties delta.parquet.format.version",
        "install delta-spark 4.4.0 and a pyspark that it is built for, such as 4.2.0",
    )
    assert later.refuses(unknown) == (
        "Delta 4.4 does not know the properties delta.foo",
        "leave out what only another catalog knows",
    )


@pytest.mark.spark
class TestOnDelta:
    """A property of Databricks in the log of a table."""

    def test_the_property_of_this_package_holds_it(self, local):
        model = table(column(), table_properties={KEY: True})

        Orchestrator.over(local).sync_tables([model])

        rows = {row.key: row.value for row in local.spark.sql("SHOW TBLPROPERTIES dev.silver.orders").collect()}
        assert rows[OWN] == "true"
        assert KEY not in rows

    def test_the_key_of_databricks_comes_first(self, local):
        arbitrary = "spark.databricks.delta.allowArbitraryProperties.enabled"
        orchestrator = Orchestrator.over(local)
        orchestrator.sync_tables([table(column(), table_properties={KEY: True})])
        local.spark.conf.set(arbitrary, "true")
        try:
            local.spark.sql(f"ALTER TABLE dev.silver.orders SET TBLPROPERTIES ('{KEY}' = 'false')")
        finally:
            local.spark.conf.unset(arbitrary)

        assert orchestrator.plan_tables([table(column(), table_properties={KEY: False})]).is_empty
        with pytest.raises(UnsafePlanError, match="as Databricks has written it"):
            orchestrator.sync_tables([table(column(), table_properties={KEY: True})])
        orchestrator.sync_tables([table(column(), table_properties={KEY: None})])
        rows = {row.key for row in local.spark.sql("SHOW TBLPROPERTIES dev.silver.orders").collect()}
        assert rows.isdisjoint({KEY, OWN})
