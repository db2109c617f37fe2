"""Which changes raise the protocol of a table: their risk, and what clients lose by them."""

from __future__ import annotations

import pytest
from pyspark.sql.types import StringType

from pytest_delta_schema import Check
from pytest_delta_schema.delta.protocol import FEATURES
from pytest_delta_schema.plan import Risk, TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.plan.kinds import enabled_by
from pytest_delta_schema.state.desired import desired_state
from support.delta_logs.protocol_ways import FEATURES_BY_NAME, NOT_BY_NAME, WAYS
from support.tables import NAME, catalog, column, state, stored, table


def planned(before, after):
    """Return what the plan of a table enables in its protocol, and the lines that show it."""
    actions = TablePlanner().plan_states([after], catalog(before)).align_tables
    enabled = {name for action in actions for change in action.changes for name in enabled_by(change)}
    return enabled, [line for action in actions for line in change_lines(action)]


def test_every_feature_is_enabled_by_its_name_or_cannot_be():
    assert sorted({*FEATURES_BY_NAME, *NOT_BY_NAME}) == list(FEATURES)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_change_that_raises_the_protocol_is_a_risk_and_shows_it(way):
    enabled, lines = planned(*map(desired_state, way.tables(str(NAME))))

    assert enabled == set(way.enables)
    assert any(line.loss for line in lines) is bool(way.enables)
    assert all(line.risk >= Risk.FEATURE for line in lines if line.loss)


LACKING = {"delta.minReaderVersion": "3", "delta.minWriterVersion": "7", "delta.feature.deletionVectors": "supported"}
"""The protocol of a table that another client has created, without what older versions imply."""


@pytest.mark.parametrize(
    ("after", "enables", "shown"),
    [
        (
            table(column(), table_properties={"delta.appendOnly": "true", "team": "x"}),
            {"appendOnly"},
            [
                ("properties.delta.appendOnly", "clients that do not know appendOnly can no longer write the table"),
                ("properties.team", ""),
            ],
        ),
        (
            table(column(is_nullable=False)),
            {"invariants"},
            [("columns.id", "clients that do not know invariants can no longer write the table")],
        ),
        (
            table(column(), column("v", "variant")),
            {"variantType"},
            [("columns.v", "clients that do not know variantType can neither read nor write the table")],
        ),
        (
            table(column(), column("c", StringType("UTF8_LCASE"))),
            {"collations"},
            [("columns.c", "clients that do not know collations can no longer write the table")],
        ),
        (table(column(), column("t", "timestamp_ntz")), {"timestampNtz"}, None),
        (table(column(), checks=[Check("c", "id > 0")]), {"checkConstraints"}, None),
    ],
    ids=["property", "not null", "type", "collation", "local time", "check"],
)
def test_a_protocol_that_names_its_features_has_no_others(after, enables, shown):
    enabled, lines = planned(state(stored(), table_properties=LACKING), desired_state(after))

    assert enabled == enables
    assert shown is None or [(line.path, line.loss) for line in lines] == shown
