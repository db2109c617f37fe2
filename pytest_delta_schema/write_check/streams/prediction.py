"""Predicts what a stream does over a change of its table, from what Delta was recorded to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.delta.protocol import supported_features
from pytest_delta_schema.delta.spark_pairs import NEWEST
from pytest_delta_schema.diagnostics.errors import DeclarationError, Diagnostic
from pytest_delta_schema.plan.changes.kind import kind_of
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.state.states import CatalogState
from pytest_delta_schema.write_check.streams.change_names import names_of
from pytest_delta_schema.write_check.streams.pair import not_judged, stream_pair, without_feed
from pytest_delta_schema.write_check.streams.recorded import VERSION, Answer, answers
from pytest_delta_schema.write_check.streams.verdict import (
    ANSWERS,
    MEANINGS,
    NEW_CHECKPOINT,
    NOTHING_HELPS,
    StreamVerdict,
    remedy_text,
    require_kind,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import AlignTable
    from pytest_delta_schema.plan.changes import Change
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.write_check.streams.verdict import Remedy, StreamAnswer, StreamKind

_MANAGED = "catalogManaged"
_NOT_RECORDED = Answer("not judged", "", ())
_LAG_WHEN_RESTARTED: tuple[StreamKind, ...] = ("plain", "change-feed")
"""The kinds of streams that have commits left to read, like lagging ones, if one change of several ends them."""

_PROBE = "try it with the fixture delta_stream_probe"


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
    before, after = stream_pair("check_stream", old, new)
    given_version: object = version
    if not (isinstance(given_version, tuple) and given_version and all(isinstance(part, int) for part in version)):
        msg = f"version is {version!r}; write the major and minor version of Delta, such as (4, 4)"
        raise DeclarationError(msg)
    unknown = without_feed(before, kind) or unrecorded(before, after, kind, version)
    if unknown is not None:
        return unknown
    plan = TablePlanner().plan_states([after], CatalogState.of({before.name: before}))
    ends = [end for action in plan.align_tables for end in stream_ends(action, kind)]
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


class StreamEnd(NamedTuple):
    """An answer that is not that the stream continues."""

    change: Change
    """The change that ends it, or is not judged."""
    answer: Answer
    finding: Diagnostic


def stream_ends(action: AlignTable, kind: StreamKind) -> list[StreamEnd]:
    """Return what ends a stream over the changes of a table, or is not judged, in their order."""
    ends = [*_ends(action, kind)]
    if _worst(ends) == "restarts" and kind in _LAG_WHEN_RESTARTED:
        ends += [end for end in _ends(action, "lagging") if end.answer.answer == "blocked"]
    return ends


def _worst(ends: Iterable[StreamEnd]) -> StreamAnswer:
    """Return the worst of some answers; none is that the stream continues."""
    return max((end.answer.answer for end in ends), key=ANSWERS.index, default="continues")


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


def _ends(action: AlignTable, kind: StreamKind) -> Iterator[StreamEnd]:
    for change in action.changes:
        for name in names_of(change, action.observed):
            answer = answers().get((folded(name), kind), _NOT_RECORDED)
            if answer.answer == "continues":
                continue
            line = next(iter(kind_of(change).describe(change, action.observed)))
            finding = Diagnostic(
                code=answer.condition,
                rule=name,
                severity="note" if answer.answer == "restarts" else "error",
                table=str(action.table),
                path=line.path,
                message=f"{line.path}: {line.before} -> {line.after}: the stream {MEANINGS[answer.answer]}",
                remedy=_PROBE if answer.answer == "not judged" else remedy_text(answer.remedy),
            )
            yield StreamEnd(change, answer, finding)


def _together(remedies: list[Remedy]) -> Remedy:
    """Return what lets a stream continue over several changes."""
    for alone in (NOTHING_HELPS, NEW_CHECKPOINT):
        if alone in remedies:
            return alone
    return tuple(dict.fromkeys(part for remedy in remedies for part in remedy))
