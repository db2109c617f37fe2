"""Every kind of change is declared once, and every stage knows it: aspect, order, risk, description, SQL, memory."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest
from pyspark.sql.types import StringType

from pytest_delta_schema import ForeignKey
from pytest_delta_schema.backends.memory.statements import apply_change
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.delta.protocol import FEATURES
from pytest_delta_schema.models.ownership import ASPECTS
from pytest_delta_schema.models.sets import dependency_groups
from pytest_delta_schema.plan import (
    AlignTable,
    CheckAdd,
    CheckDrop,
    ClusteringChange,
    ColumnAdd,
    ColumnDefaultChange,
    ColumnDrop,
    ColumnGenerationChange,
    ColumnMappingRemoval,
    ColumnMove,
    ColumnNullabilityChange,
    ColumnRename,
    ColumnTypeChange,
    ConvertTable,
    ForeignKeyAdd,
    ForeignKeyDrop,
    LayoutRewrite,
    PrimaryKeyAdd,
    PrimaryKeyDrop,
    Risk,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    SetTags,
    TablePlanner,
    UniqueAdd,
    UniqueDrop,
    UnsetTableProperties,
    UnsetTags,
)
from pytest_delta_schema.plan.actions import change_lines, highest_risk
from pytest_delta_schema.plan.changes import KINDS
from pytest_delta_schema.plan.data_checks import data_checks_of
from pytest_delta_schema.plan.kinds import Change, Step
from pytest_delta_schema.sql import StatementKind, statements
from pytest_delta_schema.sql.renderers import RENDERERS
from pytest_delta_schema.state import ColumnGeneration, ForeignKeyState, KeyState, SourceState
from pytest_delta_schema.state.desired import desired_state
from support.case_tables import cases, named_cases
from support.log_readers import FEATURES_BY_NAME, NOT_BY_NAME, WAYS
from support.models import NAME, catalog, column, orders, stored, table

KEY = ForeignKeyState("fk", ("id",), NAME, ("id",))
UNIQUE = KeyState("uq", ("id",), kind="unique constraint")
CASES = [
    (ColumnAdd(column=stored()), Risk.METADATA),
    (ColumnRename(path=ColumnPath("a"), to="b"), Risk.METADATA),
    (ColumnTypeChange(path=ColumnPath("a"), before="int", after="bigint"), Risk.METADATA),
    (ColumnNullabilityChange(path=ColumnPath("a"), is_nullable=True), Risk.METADATA),
    (ColumnNullabilityChange(path=ColumnPath("a"), is_nullable=False), Risk.SCAN),
    (ColumnDrop(column=stored()), Risk.DESTRUCTIVE),
    (ConvertTable(source=SourceState("parquet", "/lake")), Risk.FEATURE),
    (ClusteringChange(before=(), after=(ColumnPath("a"),)), Risk.METADATA),
    (ClusteringChange(before=(), after=(ColumnPath("a"),), enables=("clustering", "domainMetadata")), Risk.FEATURE),
    (LayoutRewrite(partitioning=("a",)), Risk.REWRITE),
    (ColumnMove(name="a", after=None), Risk.METADATA),
    (ColumnDefaultChange(path=ColumnPath("a"), before=None, after="1"), Risk.METADATA),
    (ColumnGenerationChange(name="a", before=ColumnGeneration(), after=ColumnGeneration(generated="b")), Risk.REWRITE),
    (CheckAdd(name="c", expression="id > 0"), Risk.SCAN),
    (CheckDrop(name="c", expression="id > 0"), Risk.METADATA),
    (PrimaryKeyAdd(key=KeyState("pk", ("id",))), Risk.SCAN),
    (PrimaryKeyDrop(key=KeyState("pk", ("id",))), Risk.METADATA),
    (UniqueAdd(key=UNIQUE), Risk.SCAN),
    (UniqueDrop(key=UNIQUE), Risk.METADATA),
    (ForeignKeyAdd(key=KEY), Risk.SCAN),
    (ForeignKeyDrop(key=KEY), Risk.METADATA),
    (SetColumnComments(comments={ColumnPath("a"): "b"}), Risk.METADATA),
    (SetTableComment(comment="c"), Risk.METADATA),
    (SetTableProperties(properties={"team": "x", "delta.appendOnly": "true"}), Risk.METADATA),
    (SetTableProperties(properties={"delta.enableRowTracking": "true"}, enables=("rowTracking",)), Risk.FEATURE),
    (ColumnAdd(column=stored(), enables=("variantType",)), Risk.FEATURE),
    (CheckAdd(name="c", expression="id > 0", enables=("checkConstraints",)), Risk.SCAN),
    (UnsetTableProperties(keys=("a",)), Risk.METADATA),
    (ColumnMappingRemoval(key="delta.columnMapping.mode", after="none"), Risk.REWRITE),
    (SetTags(tags={"pii": ""}), Risk.METADATA),
    (UnsetTags(path=ColumnPath("a"), keys=("pii",)), Risk.METADATA),
]


def test_every_kind_has_its_code_an_example_a_step_and_an_aspect():
    assert len({kind.code for kind in KINDS}) == len(KINDS)
    assert {type(change) for change, _ in CASES} == set(KINDS)
    assert {kind.step for kind in KINDS} == {*Step} - {Step.ENABLE_FEATURES}
    assert {kind.aspect for kind in KINDS} == {*ASPECTS, "conversion"}
    assert sorted({*FEATURES_BY_NAME, *NOT_BY_NAME}) == list(FEATURES)


def test_each_change_has_its_class():
    assert [change.risk for change, _ in CASES] == [risk for _, risk in CASES]


def test_every_stage_knows_every_kind():
    observed = desired_state(table(column("a"), column("id")))
    observed = replace(observed, tags={ColumnPath("a"): {"pii": ""}})
    for kind, change in {type(change): change for change, _ in CASES}.items():
        action = AlignTable(table=NAME, changes=(change,), desired=observed, observed=observed)

        assert {line.code for line in change_lines(action)} == {kind.code}
        assert kind in RENDERERS, f"sql/renderers.py does not render {kind.__name__}"
        assert {statement.kind for statement in statements(action)} <= {*StatementKind}
        # A rule refuses every plan that changes how a column is generated.
        is_executed = kind is not ColumnGenerationChange
        with nullcontext() if is_executed else pytest.raises(NotImplementedError, match=kind.__name__):
            apply_change(change, observed)


def test_the_kinds_that_read_all_rows_have_data_checks():
    observed = desired_state(table(column("a", StringType()), column("id")))
    reading = {type(change) for change, risk in CASES if risk in {Risk.SCAN, Risk.REWRITE}} - {ColumnGenerationChange}
    reading -= {ColumnMappingRemoval}  # no row forbids it

    checked = {
        type(change)
        for change, _ in CASES
        if data_checks_of(AlignTable(table=NAME, changes=(change,), desired=observed, observed=observed))
    }

    assert checked == reading


def test_consent_is_declared_by_the_kinds_that_lose_or_rewrite_data():
    lossy = {type(change): change for change, risk in CASES if risk >= Risk.REWRITE}
    del lossy[ColumnGenerationChange]  # never executed

    assert {kind: kind.consent for kind in KINDS if kind.consent} == {
        ColumnDrop: "drop-column",
        LayoutRewrite: "rewrite",
        ColumnMappingRemoval: "rewrite",
    }
    assert set(lossy) == {ColumnDrop, LayoutRewrite, ColumnMappingRemoval}


def test_the_highest_class_counts_and_a_new_table_has_nothing_to_lose():
    changes = [change for change, _ in CASES]

    assert highest_risk(changes) is Risk.DESTRUCTIVE
    assert highest_risk(changes[:5]) is Risk.SCAN
    assert highest_risk([TablePlanner().creation(desired_state(orders()))]) is Risk.METADATA
    assert Risk.METADATA < Risk.FEATURE < Risk.SCAN < Risk.REWRITE < Risk.DESTRUCTIVE
    assert [risk.label for risk in Risk] == ["metadata", "feature", "scan", "rewrite", "destructive"]


def pointing(edges: dict[str, str]):
    """Make one table for each key, with a foreign key to each table that its value spells."""
    return [
        table(
            column(),
            name=f"dev.silver.{name}",
            foreign_keys=[ForeignKey(["id"], f"dev.silver.{parent}", name=f"to_{parent}") for parent in parents],
        )
        for name, parents in edges.items()
    ]


def shown(models) -> str:
    return " ".join("".join(table.table_name for table in group) for group in dependency_groups(models))


def test_parents_come_first():
    with cases(lambda edges: shown(pointing(edges))) as case:
        case({}, "")
        case({"a": ""}, "a")
        case({"b": "", "a": ""}, "a b")
        case({"a": "b", "b": ""}, "b a")
        case({"a": "a"}, "a")
        case({"a": "z"}, "a")
        case({"a": "bc", "b": "c", "c": ""}, "c b a")
        case({"a": "b", "b": "a"}, "ab")
        case({"a": "b", "b": "c", "c": "a", "d": "a", "e": ""}, "abc e d")
        case({"a": "b", "b": "a", "c": "ad", "d": "c"}, "ab cd")
        case({"a": "b", "b": "ac", "c": "bd", "d": ""}, "d abc")


def planned(before, after):
    """Return what the plan of a table enables in its protocol, and the lines that show it."""
    actions = TablePlanner().plan_states([after], catalog(before)).align_tables
    enabled = {name for action in actions for change in action.changes for name in change.enables}
    return enabled, [line for action in actions for line in change_lines(action)]


def test_a_change_that_raises_the_protocol_is_a_risk_and_shows_it():
    def raised(way):
        enabled, lines = planned(*map(desired_state, way.tables(str(NAME))))
        assert all(line.risk >= Risk.FEATURE for line in lines if line.loss)
        assert any(line.loss for line in lines) is bool(enabled)
        return enabled

    with named_cases(raised) as case:
        for name, way in WAYS.items():
            case(name, way, set(way.enables))


class TableTruncate(Change):
    """A kind of change that no stage knows."""


def test_a_stage_that_does_not_know_a_kind_says_so():
    state = desired_state(orders())
    with pytest.raises(NotImplementedError):
        list(TableTruncate().lines(state))
    with pytest.raises(TypeError, match="TableTruncate has no renderer"):
        statements(AlignTable(table=NAME, changes=(TableTruncate(),), desired=state, observed=state))
