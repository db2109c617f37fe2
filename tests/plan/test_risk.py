"""Classes of risk: of each change, and of all of them."""

from __future__ import annotations

import pytest

from pytest_delta_schema import (
    CheckAdd,
    CheckDrop,
    CheckReplace,
    CheckState,
    ClusteringChange,
    ColumnAdd,
    ColumnDefaultChange,
    ColumnDrop,
    ColumnGeneration,
    ColumnGenerationChange,
    ColumnMove,
    ColumnNullabilityChange,
    ColumnRename,
    ColumnTypeChange,
    ConvertTable,
    ForeignKeyAdd,
    ForeignKeyDrop,
    ForeignKeyState,
    LayoutRewrite,
    PrimaryKeyAdd,
    PrimaryKeyDrop,
    Risk,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    SetTags,
    SourceState,
    TablePlanner,
    UnsetTableProperties,
    UnsetTags,
)
from pytest_delta_schema.plan.changes import ALIGNMENT_ORDER
from pytest_delta_schema.plan.risk import highest_risk, risk_of
from pytest_delta_schema.state.desired import desired_state
from support.tables import NAME, orders, stored

CHECK = CheckState("c", "id > 0")
KEY = ForeignKeyState("fk", ("id",), NAME, ("id",))
CASES = [
    (ColumnAdd(column=stored()), Risk.METADATA),
    (ColumnRename(name="a", to="b"), Risk.METADATA),
    (ColumnTypeChange(name="a", before="int", after="bigint"), Risk.METADATA),
    (ColumnNullabilityChange(name="a", is_nullable=True), Risk.METADATA),
    (ColumnNullabilityChange(name="a", is_nullable=False), Risk.SCAN),
    (ColumnDrop(column=stored()), Risk.DESTRUCTIVE),
    (ConvertTable(source=SourceState("parquet", "/lake")), Risk.FEATURE),
    (ClusteringChange(before=(), after=(("a",),)), Risk.METADATA),
    (ClusteringChange(before=(), after=(("a",),), raises_protocol=True), Risk.FEATURE),
    (LayoutRewrite(partitioning=("a",)), Risk.REWRITE),
    (ColumnMove(name="a", after=None), Risk.METADATA),
    (ColumnDefaultChange(name="a", before=None, after="1"), Risk.METADATA),
    (ColumnGenerationChange(name="a", before=ColumnGeneration(), after=ColumnGeneration(generated="b")), Risk.REWRITE),
    (CheckAdd(name="c", expression="id > 0"), Risk.SCAN),
    (CheckReplace(before=CHECK, after=CHECK), Risk.SCAN),
    (CheckDrop(name="c", expression="id > 0"), Risk.METADATA),
    (PrimaryKeyAdd(name="pk", columns=("id",)), Risk.SCAN),
    (PrimaryKeyDrop(name="pk", columns=("id",)), Risk.METADATA),
    (ForeignKeyAdd(key=KEY), Risk.SCAN),
    (ForeignKeyDrop(key=KEY), Risk.METADATA),
    (SetColumnComments(comments={"a": "b"}), Risk.METADATA),
    (SetTableComment(comment="c"), Risk.METADATA),
    (SetTableProperties(properties={"team": "x", "delta.appendOnly": "true"}), Risk.METADATA),
    (SetTableProperties(properties={"team": "x", "delta.feature.timestampNtz": "supported"}), Risk.FEATURE),
    (SetTableProperties(properties={"DELTA.columnMapping.mode": "name"}), Risk.FEATURE),
    (SetTableProperties(properties={"delta.columnMapping.mode": "none"}), Risk.METADATA),
    (SetTableProperties(properties={"delta.enableTypeWidening": "true"}), Risk.FEATURE),
    (SetTableProperties(properties={"delta.enableTypeWidening": "false"}), Risk.METADATA),
    (SetTableProperties(properties={"delta.minWriterVersion": "7"}), Risk.FEATURE),
    (UnsetTableProperties(keys=("a",)), Risk.METADATA),
    (SetTags(tags={"pii": ""}), Risk.METADATA),
    (UnsetTags(path=("a",), keys=("pii",)), Risk.METADATA),
]


@pytest.mark.parametrize(("change", "risk"), CASES)
def test_each_change_has_its_class(change, risk):
    assert risk_of(change) is risk


def test_no_kind_of_change_is_left_out():
    assert {type(change) for change, _ in CASES} == set(ALIGNMENT_ORDER)


def test_the_highest_class_counts_and_a_new_table_has_nothing_to_lose():
    changes = [change for change, _ in CASES]

    assert highest_risk(changes) is Risk.DESTRUCTIVE
    assert highest_risk(changes[:5]) is Risk.SCAN
    assert highest_risk([TablePlanner().creation(desired_state(orders()))]) is Risk.METADATA
    assert Risk.METADATA < Risk.FEATURE < Risk.SCAN < Risk.REWRITE < Risk.DESTRUCTIVE
    assert [risk.label for risk in Risk] == ["metadata", "feature", "scan", "rewrite", "destructive"]
