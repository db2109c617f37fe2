"""Delta accepts the other ways to write a value, and such a value is no drift."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Orchestrator
from support.tables import NAME, column, table

pytestmark = pytest.mark.spark

DECLARED = {
    "delta.checkpointInterval": "10",
    "delta.dataSkippingStatsColumns": "a,b",
    "delta.isolationLevel": "Serializable",
    "delta.logRetentionDuration": "interval 30 days",
    "delta.enableExpiredLogCleanup": "true",
}
STORED = {
    "delta.checkpointInterval": "010",
    "delta.dataSkippingStatsColumns": "A, b",
    "delta.isolationLevel": "serializable",
    "delta.logRetentionDuration": "INTERVAL 30 DAY",
    "delta.enableExpiredLogCleanup": "TRUE",
}


def test_values_that_delta_reads_alike_are_no_drift(local):
    model = table(column("a"), column("b"), table_properties=DECLARED)
    orchestrator = Orchestrator.over(local)
    orchestrator.sync_tables([model])
    pairs = ", ".join(f"'{key}' = \"{value}\"" for key, value in STORED.items())
    local.spark.sql(f"ALTER TABLE {NAME} SET TBLPROPERTIES ({pairs})")

    state = local.snapshot([model]).tables[NAME]

    assert {key: state.table_properties[key] for key in STORED} == STORED
    assert orchestrator.plan_tables([model]).actions == ()
