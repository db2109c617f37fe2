"""Reduce two contracts to what one finding is about, so the script that shows it is short."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.compatibility.classification import CHANGE_FEED
from pytest_delta_schema.compatibility.contract_change import StatePair
from pytest_delta_schema.compatibility.faults.column_faults import (
    ColumnMoved,
    ColumnOrderNotKept,
    ColumnRemoved,
    ColumnRenamed,
    TypeWidened,
)
from pytest_delta_schema.compatibility.faults.table_faults import ClusteringChanged, CommentChanged, PartitioningChanged
from pytest_delta_schema.compatibility.judging import judge_change
from pytest_delta_schema.compatibility.roles import GROUPS
from pytest_delta_schema.delta.features import MAPPING_PROPERTY, WIDENING_PROPERTY
from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.delta.protocol import FEATURE_PREFIX
from pytest_delta_schema.models.ownership import ALL_MANAGED
from pytest_delta_schema.state.expressions import columns_in
from pytest_delta_schema.state.states import NO_DEPRECATIONS, NO_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from pytest_delta_schema.compatibility.finding import CompatibilityFinding
    from pytest_delta_schema.state.states import TableState

_NEEDED: Mapping[str, Mapping[str, str]] = {
    ColumnRemoved.__name__: {MAPPING_PROPERTY: "name"},
    ColumnRenamed.__name__: {MAPPING_PROPERTY: "name"},
    TypeWidened.__name__: {WIDENING_PROPERTY: "true"},
}
"""The property without which Delta does not make a change in place, as a stream needs it."""


def narrowed(old: TableState, new: TableState, finding: CompatibilityFinding) -> StatePair:
    """Return the parts of two contracts that have the same finding; all columns if fewer do not have it."""
    whole = StatePair(_played(old, finding), _played(new, finding))
    alone = StatePair(whole.old, _alone(whole, finding))
    for pair in (_with_columns(alone, finding), _with_columns(whole, finding)):
        if any(_is_same(other, finding) for other in judge_change(*pair, roles=[finding.role])):
            return pair
    return whole


def _alone(pair: StatePair, finding: CompatibilityFinding) -> TableState:
    """Return the next contract with the columns of the released one, if a finding is not about columns."""
    if finding.path.startswith("columns") or finding.column:
        return pair.new
    properties = dict(pair.new.table_properties)
    part, _, key = finding.path.partition(".")
    if part == "properties" and folded(key).startswith(FEATURE_PREFIX):
        # A change of a column has enabled it.
        properties.setdefault(key, "supported")
    return replace(pair.new, columns=pair.old.columns, renames=(), table_properties=MappingProxyType(properties))


def _is_same(other: CompatibilityFinding, finding: CompatibilityFinding) -> bool:
    return (other.code, other.path, other.verdict) == (finding.code, finding.path, finding.verdict)


def _played(state: TableState, finding: CompatibilityFinding) -> TableState:
    """Return the parts of a contract that a table of open-source Delta has and that a finding is about."""
    is_of_layout = finding.rule in {PartitioningChanged.__name__, ClusteringChanged.__name__}
    properties = {
        key: value
        for key, value in state.table_properties.items()
        if (folded(key) == folded(CHANGE_FEED) and finding.role == "change-feed") or finding.path.endswith(f".{key}")
    }
    if GROUPS[finding.role] == "streams":
        properties.update(_NEEDED.get(finding.rule, {}))
    primary_key = state.primary_key
    return replace(
        state,
        table_comment="",
        table_properties=MappingProxyType(properties),
        primary_key=primary_key if primary_key is not None and primary_key.path == finding.path else None,
        unique=tuple(key for key in state.unique if key.path == finding.path),
        checks=tuple(check for check in state.checks if finding.path == f"checks.{check.name}"),
        foreign_keys=(),
        partitioning=state.partitioning if is_of_layout else (),
        clustering=state.clustering if is_of_layout else (),
        tags=NO_TAGS,
        deprecated=NO_DEPRECATIONS,
        ownership=ALL_MANAGED,
    )


def _with_columns(pair: StatePair, finding: CompatibilityFinding) -> StatePair:
    """Return two contracts with the columns that a finding is about, and some that are the same in both."""
    if finding.rule == ColumnOrderNotKept.__name__:
        return pair
    kept = {folded(finding.column.root)} if finding.column else set()
    kept |= {folded(name) for state in pair for name in _used(state)}
    kept |= {folded(rename.path.root) for rename in pair.new.renames if folded(rename.old) in kept}
    kept |= {
        folded(name)
        for state in pair
        for column in state.columns
        if folded(column.name) in kept and column.value is not None and column.value.generated
        for name in columns_in(column.value.generated)
    }
    new = {folded(column.name): column for column in pair.new.columns}
    same = (
        folded(column.name)
        for column in pair.old.columns
        if column.value is None and new.get(folded(column.name)) == column and isinstance(column.data_type, str)
    )
    # Of two columns that change places, none has moved more than the other.
    count = 2 if finding.rule == ColumnMoved.__name__ else 1
    names = kept.union(islice((name for name in same if name not in kept), count))
    with_comments = finding.rule == CommentChanged.__name__
    return StatePair(*(_of_columns(state, names, with_comments=with_comments) for state in pair))


def _used(state: TableState) -> Iterator[str]:
    """Yield the columns of the layout, the checks and the keys."""
    yield from state.partitioning
    yield from (path.root for path in state.clustering)
    for check in state.checks:
        yield from columns_in(check.expression)
    for key in state.keys:
        yield from key.columns


def _of_columns(state: TableState, names: AbstractSet[str], *, with_comments: bool) -> TableState:
    renames = tuple(rename for rename in state.renames if folded(rename.path.root) in names)
    columns = [column for column in state.columns if folded(column.name) in names]
    if not with_comments:
        columns = [column._replace(comment="") for column in columns]
    return replace(state, columns=tuple(columns), renames=renames)
