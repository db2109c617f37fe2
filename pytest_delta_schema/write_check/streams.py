"""Predict what a stream that reads a table does after a change of the table, from recorded answers of Delta."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from pytest_delta_schema.delta import NEWEST
from pytest_delta_schema.delta.fields import Widening, widening
from pytest_delta_schema.delta.names import folded, part_path
from pytest_delta_schema.delta.protocol import FEATURE_PREFIX, is_on, supported_features
from pytest_delta_schema.diagnostics.errors import DeclarationError, Diagnostic
from pytest_delta_schema.models.arguments import kind_fault, refuse
from pytest_delta_schema.models.ownership import MANAGE
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plan import changes as kinds
from pytest_delta_schema.plan.comparison import as_created
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.states import CatalogState, TableState
from pytest_delta_schema.state.types import is_generated, moved_fields, not_null_paths
from pytest_delta_schema.write_check.values import CHANGE_FEED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.plan.kinds import Change


StreamKind = Literal["plain", "lagging", "starting-version", "tracked", "change-feed"]
"""How a stream reads the table: it runs and has read everything; it was stopped with unread commits before the change;
it is started after the change with ``startingVersion`` before it; it runs with ``schemaTrackingLocation``; it runs with
``readChangeFeed``."""

StreamAnswer = Literal["continues", "restarts", "blocked", "not judged"]
STREAM_KINDS: tuple[StreamKind, ...] = get_args(StreamKind)

ANSWERS: tuple[StreamAnswer, ...] = ("continues", "restarts", "not judged", "blocked")
"""From the best to the worst: of several changes the worst answer counts."""

Remedy = tuple[str, ...]
"""Options of the reader and settings of the session with their values; settings begin with ``spark.``."""

NEW_CHECKPOINT: Remedy = ("a new checkpoint",)
"""The remedy for a stream with which no option and no setting helps."""

NOTHING_HELPS: Remedy = ("nothing",)
"""The remedy of a stream that fails whatever is tried, a new checkpoint included."""

TRACKED = "schemaTrackingLocation=<folder>"
"""The part of a remedy that lets a stream track schemas, in a folder below its checkpoint."""

MEANINGS: dict[StreamAnswer, str] = {
    "continues": "continues",
    "restarts": "ends once, and continues when it is started again",
    "blocked": "fails again after every start",
    "not judged": "is not judged",
}
"""What the answers say of a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamVerdict:
    """The behaviour of a stream that reads a table, after a change of the table.

    Args:
        table: Dotted name of the table.
        kind: How the stream reads it: ``plain``, ``lagging``, ``starting-version``, ``tracked`` or ``change-feed``.
        answer: ``continues``; ``restarts``, if it ends once and continues when it is started again; ``blocked``, if it
            fails again after every start; or ``not judged``.
        condition: The error condition of Delta with which it ends, such as ``DELTA_SCHEMA_CHANGED_WITH_VERSION``;
            ``""`` for none.
        remedy: What lets a blocked stream continue, all of it together: options of the reader such as
            ``skipChangeCommits=true``, settings of the session, which begin with ``spark.``, ``a new checkpoint``, or
            ``nothing``.
        findings: Why, one for each change that ends the stream or is not judged; in each, ``rule`` is the name of the
            change in the table of stream rules.
    """

    table: str
    kind: StreamKind
    answer: StreamAnswer
    condition: str = ""
    remedy: Remedy = ()
    findings: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        head = f"{self.table}: a {self.kind} stream {MEANINGS[self.answer]}"
        if self.condition:
            head = f"{head} [{self.condition}]"
        if self.remedy:
            head = f"{head}; {remedy_text(self.remedy)}"
        return "\n".join([head, *(f"  ! {_reason(finding)}" for finding in self.findings)])


def _reason(finding: Diagnostic) -> str:
    return f"{finding.fact} [{' '.join(part for part in (finding.code, finding.rule) if part)}]"


def remedy_text(remedy: Remedy) -> str:
    """Return a remedy as an instruction; without one the stream is started again."""
    if not remedy:
        return "start it again"
    if remedy == NEW_CHECKPOINT:
        return "start it with a new checkpoint"
    if remedy == NOTHING_HELPS:
        return "nothing that was tried lets it continue"
    parts = (part.partition("=") for part in remedy)
    named = [f"the {'setting' if key.startswith('spark.') else 'option'} {key} to {value}" for key, _, value in parts]
    return f"set {' and '.join(named)}"


RECORD = Path(__file__).parent / "delta-4.4.0.json"
"""The answers, as the tests of this package record them."""

VERSION = (4, 4)
"""The version of Delta, major and minor, that gave them."""


class Answer(NamedTuple):
    """The answer of a stream to one change."""

    answer: StreamAnswer
    condition: str
    remedy: Remedy


@cache
def answers() -> Mapping[tuple[str, StreamKind], Answer]:
    """Return the answers by the name of the change, in lower case, and the kind of stream."""
    recorded = json.loads(RECORD.read_text("utf-8"))["answers"]
    return {
        (folded(name), kind): Answer(answer, condition, tuple(remedy))
        for name, kinds in recorded.items()
        for kind, (answer, condition, remedy) in kinds.items()
    }


_MANAGED = "catalogManaged"
_NOT_RECORDED = Answer("not judged", "", ())

_LAG_WHEN_RESTARTED: tuple[StreamKind, ...] = ("plain", "change-feed")
"""The kinds of streams that have commits left to read, like lagging ones, if one change of several ends them."""

_PROBE = "try the change on a copy of the table"


def check_stream(
    old: Table | TableState,
    new: Table | TableState,
    kind: StreamKind = "plain",
    *,
    version: tuple[int, int] = NEWEST,
) -> StreamVerdict:
    """Predict what a stream that reads a table does after a change of the table, without a JVM.

    The change is planned, and each part of it is looked up in what Delta 4.4.0 with Spark 4.2.0 was recorded to do; of
    several parts the worst answer counts. A running stream that one of them ends has commits left to read when it is
    started again, so it is judged as a lagging one as well. Nothing that was not recorded is said to continue.

    No plan moves fields of structs, and few move columns, so another order counts where ``new`` is a state.

    Args:
        old: The table before the change: a model, or an observed state.
        new: The same table after the change.
        kind: How the stream reads it: ``plain``, it runs and has read everything; ``lagging``, it was stopped with
            unread commits before the change; ``starting-version``, it is started after the change with
            ``startingVersion`` before it; ``tracked``, it runs with ``schemaTrackingLocation``; or ``change-feed``, it
            runs with ``readChangeFeed``.
        version: Delta's version, major and minor.

    Returns:
        The verdict; its findings are in the order of the plan, and those of the new start follow.

    Raises:
        DeclarationError: If an argument has no possible meaning.
    """
    require_kind(kind)
    before, after = _pair(old, new)
    given_version: object = version
    if not (isinstance(given_version, tuple) and given_version and all(isinstance(part, int) for part in version)):
        msg = f"version is {version!r}; write the major and minor version of Delta, such as (4, 4)"
        raise DeclarationError(msg)
    unknown = without_feed(before, kind) or unrecorded(before, after, kind, version)
    if unknown is not None:
        return unknown
    if isinstance(new, TableState):
        after = replace(after, column_order=MANAGE)
    plan = TablePlanner().plan_states([after], CatalogState.of({before.name: before}))
    ends = [end for action in plan.align_tables for end in stream_ends(action, kind)]
    if isinstance(new, TableState):
        ends += _field_ends(before, after, kind)
    worst = _worst(ends)
    deciding = [end.answer for end in ends if end.answer.answer == worst]
    return StreamVerdict(
        table=str(before.name),
        kind=kind,
        answer=worst,
        condition=deciding[0].condition if deciding else "",
        remedy=_together([answer.remedy for answer in deciding]),
        findings=tuple(end.finding for end in ends),
    )


def require_kind(kind: object) -> None:
    """Raise unless an argument is a kind of stream."""
    if kind not in STREAM_KINDS:
        msg = f"kind is {kind!r}; write one of {', '.join(STREAM_KINDS)}"
        raise DeclarationError(msg)


def _pair(old: Table | TableState, new: Table | TableState) -> tuple[TableState, TableState]:
    """Return the states of a table before and after a change, which models or states give."""
    given: dict[str, object] = {"old": old, "new": new}
    refuse(
        *(
            kind_fault("check_stream", "a Table or a TableState", table, f"give a model or a state as {which}")
            for which, table in given.items()
            if not isinstance(table, (Table, TableState))
        )
    )
    before, after = (desired_state(table) if isinstance(table, Table) else table for table in (old, new))
    if isinstance(old, Table):
        before = as_created(before)
    if before.name != after.name:
        fact = f"check_stream: old is {before.name}, and new is {after.name}"
        msg = f"{fact}; give one table before and after its change"
        raise DeclarationError(msg)
    return before, after


def without_feed(old: TableState, kind: StreamKind) -> StreamVerdict | None:
    """Return the verdict on a stream of changes from a table that has no change data feed; ``None`` for all others."""
    if kind != "change-feed" or is_on(CHANGE_FEED, old.table_properties):
        return None
    message = "the table has no change data feed before the change, so no stream reads it"
    return not_judged(old, kind, "no-change-feed", message, f"declare {CHANGE_FEED} = 'true' in the old model")


def not_judged(old: TableState, kind: StreamKind, rule: str, message: str, remedy: str) -> StreamVerdict:
    """Return a verdict that says why a stream is not judged."""
    finding = Diagnostic(severity="note", rule=rule, table=str(old.name), message=message, remedy=remedy)
    return StreamVerdict(table=str(old.name), kind=kind, answer="not judged", findings=(finding,))


def unrecorded(
    before: TableState, after: TableState, kind: StreamKind, version: tuple[int, int]
) -> StreamVerdict | None:
    """Return the verdict on a stream of which nothing was recorded, whatever changes; ``None`` if something was."""
    if version != VERSION:
        known, wanted = (".".join(map(str, one)) for one in (VERSION, version))
        message = f"streams were recorded on Delta {known} and not on Delta {wanted}"
        return not_judged(before, kind, "version-not-recorded", message, _PROBE)
    if not before.exists:
        message = "the table does not exist before the change, so no stream reads it"
        return not_judged(before, kind, "absent-table", message, "give the table as it is before the change")
    if any(_MANAGED in supported_features(state.table_properties) for state in (before, after)):
        message = "its commits are managed by the catalog, and streams over such tables were not recorded"
        return not_judged(before, kind, "catalog-managed", message, "try the change on a copy of the table")
    return None


class StreamEnd(NamedTuple):
    """An answer that is not that the stream continues."""

    change: Change | None
    """The change that ends it, or is not judged; ``None`` for one that no plan makes."""
    answer: Answer
    finding: Diagnostic


def stream_ends(action: AlignTable, kind: StreamKind) -> list[StreamEnd]:
    """Return what ends a stream over the changes of a table, or is not judged, in their order."""
    ends = [*_ends(action, kind)]
    if _worst(ends) == "restarts" and kind in _LAG_WHEN_RESTARTED:
        ends += [end for end in _ends(action, "lagging") if end.answer.answer == "blocked"]
    return ends


def _ends(action: AlignTable, kind: StreamKind) -> Iterator[StreamEnd]:
    for change in action.changes:
        for name in names_of(change, action.observed):
            line = next(change.lines(action.observed))
            end = _end(name, kind, str(action.table), (line.path, line.before, line.after), change)
            if end is not None:
                yield end


def _field_ends(before: TableState, after: TableState, kind: StreamKind) -> Iterator[StreamEnd]:
    """Yield what ends a stream over another order of fields in a struct, which no plan makes."""
    for moved in moved_fields(before.columns, after.columns):
        line = str(part_path("columns", moved.path)), ", ".join(moved.before), ", ".join(moved.after)
        end = _end(FIELD_MOVED, kind, str(before.name), line)
        if end is not None:
            yield end


def _end(
    name: str, kind: StreamKind, table: str, line: tuple[str, str, str], change: Change | None = None
) -> StreamEnd | None:
    """Return what ends a stream over a change of a name; ``None`` if it continues."""
    answer = answers().get((folded(name), kind), _NOT_RECORDED)
    if answer.answer == "continues":
        return None
    path, before, after = line
    finding = Diagnostic(
        code=answer.condition,
        rule=name,
        severity="note" if answer.answer == "restarts" else "error",
        table=table,
        path=path,
        message=f"{path}: {before} -> {after}: the stream {MEANINGS[answer.answer]}",
        remedy=_PROBE if answer.answer == "not judged" else remedy_text(answer.remedy),
    )
    return StreamEnd(change, answer, finding)


def _worst(ends: Iterable[StreamEnd]) -> StreamAnswer:
    """Return the worst of some answers; none is that the stream continues."""
    return max((end.answer.answer for end in ends), key=ANSWERS.index, default="continues")


def _together(remedies: list[Remedy]) -> Remedy:
    """Return what lets a stream continue over several changes."""
    for alone in (NOTHING_HELPS, NEW_CHECKPOINT):
        if alone in remedies:
            return alone
    return tuple(dict.fromkeys(part for remedy in remedies for part in remedy))


FIELD_MOVED = "field-moved"
"""The name of another order of fields in a struct."""

NO_PLAN = "no-plan"
"""The name of changes that no statement of Delta makes, and no steps of a rule: nothing is recorded of them."""

_WITH_FEATURES = (kinds.CheckAdd, kinds.ClusteringChange, kinds.LayoutRewrite, kinds.SetTableProperties)
"""Changes that were recorded on tables that had not enabled the features before."""


def names_of(change: Change, observed: TableState) -> Iterator[str]:
    """Yield the names of a change: of what it does, and of the table features that it enables."""
    namer = NAMERS.get(type(change))
    yield from (type(change).__name__,) if namer is None else namer(change, observed)
    if not isinstance(change, _WITH_FEATURES):
        yield from (f"feature {feature}" for feature in change.enables)


def property_name(key: str, value: str | None) -> str:
    """Return the name of a property that gets a value, or is removed."""
    if not folded(key).startswith("delta."):
        return "property-unset" if value is None else "property-set"
    if folded(key).startswith(FEATURE_PREFIX) and value is not None:
        return f"feature {key[len(FEATURE_PREFIX) :]}"
    if value is None:
        return f"{key} unset"
    if is_on(key, {key: value}) or folded(value) == "true":
        return f"{key} on"
    return f"{key} {'off' if folded(value) == 'false' else 'set'}"


def _added(change: kinds.ColumnAdd, _observed: TableState) -> Iterator[str]:
    if is_generated(change.column):
        yield NO_PLAN
    elif any(not_null_paths([change.column], change.above)):
        yield NO_PLAN if len(change.above) else "not-null-column-added"
    else:
        yield "field-added" if len(change.above) else "column-added"


def _dropped(change: kinds.ColumnDrop, _observed: TableState) -> Iterator[str]:
    yield "field-dropped" if len(change.above) else "column-dropped"


def _renamed(change: kinds.ColumnRename, _observed: TableState) -> Iterator[str]:
    yield "field-renamed" if change.path.is_nested else "column-renamed"


def _nullability(change: kinds.ColumnNullabilityChange, _observed: TableState) -> Iterator[str]:
    name = "null-allowed" if change.is_nullable else "null-forbidden"
    yield f"field-{name}" if change.path.is_nested else name


def _retyped(change: kinds.ColumnTypeChange, _observed: TableState) -> Iterator[str]:
    is_nested = change.path.is_nested
    kind = widening(change.before, change.after, is_nested=is_nested)
    if kind is Widening.BY_FEATURE:
        yield "field-type-widened" if is_nested else "type-widened"
    elif kind is None:
        yield NO_PLAN if is_nested else "type-swapped"
    elif change.before == "void":
        yield "field-typed" if is_nested else "column-typed"
    else:
        is_longer = str(change.before).startswith("varchar") and str(change.after).startswith("varchar")
        yield "text-lengthened" if is_longer else "text-retyped"


def _default(change: kinds.ColumnDefaultChange, _observed: TableState) -> Iterator[str]:
    if change.before is None:
        yield "default-set"
    else:
        yield "default-dropped" if change.after is None else "default-changed"


def _clustering(change: kinds.ClusteringChange, _observed: TableState) -> Iterator[str]:
    yield f"clustering-{_become(change.before, change.after)}"


def _layout(change: kinds.LayoutRewrite, observed: TableState) -> Iterator[str]:
    if change.clustering:
        yield "partitioning-to-clustering"
    else:
        yield f"partitioning-{_become(observed.partitioning, change.partitioning)}"


def _become(before: tuple[object, ...], after: tuple[object, ...]) -> str:
    if not before:
        return "added"
    return "changed" if after else "dropped"


def _set(change: kinds.SetTableProperties, _observed: TableState) -> Iterator[str]:
    yield from (property_name(key, value) for key, value in change.properties.items())


def _unset(change: kinds.UnsetTableProperties, _observed: TableState) -> Iterator[str]:
    yield from (property_name(key, None) for key in change.keys)


def _always(name: str) -> Callable[[object, TableState], Iterator[str]]:
    return lambda _change, _observed: iter([name])


NAMERS: Mapping[type, Callable[..., Iterator[str]]] = {
    kinds.CheckAdd: _always("check-added"),
    kinds.CheckDrop: _always("check-dropped"),
    kinds.ClusteringChange: _clustering,
    kinds.ColumnAdd: _added,
    kinds.ColumnDefaultChange: _default,
    kinds.ColumnDrop: _dropped,
    kinds.ColumnGenerationChange: _always(NO_PLAN),
    kinds.ColumnMappingRemoval: _always("column-mapping-removed"),
    kinds.ColumnMove: _always("column-moved"),
    kinds.ColumnNullabilityChange: _nullability,
    kinds.ColumnRename: _renamed,
    kinds.ColumnTypeChange: _retyped,
    kinds.ConvertTable: _always(NO_PLAN),
    kinds.ForeignKeyAdd: _always("foreign-key-added"),
    kinds.ForeignKeyDrop: _always("foreign-key-dropped"),
    kinds.LayoutRewrite: _layout,
    kinds.PrimaryKeyAdd: _always("primary-key-added"),
    kinds.PrimaryKeyDrop: _always("primary-key-dropped"),
    kinds.SetColumnComments: _always("column-commented"),
    kinds.SetTableComment: _always("table-commented"),
    kinds.SetTableProperties: _set,
    kinds.SetTags: _always("tags-set"),
    kinds.UniqueAdd: _always("unique-added"),
    kinds.UniqueDrop: _always("unique-dropped"),
    kinds.UnsetTableProperties: _unset,
    kinds.UnsetTags: _always("tags-unset"),
}
"""What names each kind of change."""
