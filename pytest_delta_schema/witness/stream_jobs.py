"""The jobs of streams: they read the table, meet the change, and read on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.compatibility.classification import CHANGE_FEED
from pytest_delta_schema.compatibility.faults.table_faults import (
    AdditiveEvolution,
    AppendOnlyDisabled,
    ChangeFeedDisabled,
)
from pytest_delta_schema.compatibility.stream_verdicts import KINDS_OF, MEANT
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.sql.quoting import literal
from pytest_delta_schema.state.states import CatalogState
from pytest_delta_schema.witness.job import Job
from pytest_delta_schema.witness.reader_jobs import UNDECLARED, made
from pytest_delta_schema.witness.rows import rows_of_sides, rows_of_state
from pytest_delta_schema.witness.table_sql import SCRIPT_TABLE, changes_in_place, insertion
from pytest_delta_schema.write_check.streams.prediction import stream_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_delta_schema.compatibility.contract_change import StatePair
    from pytest_delta_schema.compatibility.finding import CompatibilityFinding
    from pytest_delta_schema.write_check.streams.verdict import StreamKind

_OPTIONS: Mapping[StreamKind, str] = {
    "tracked": '.option("schemaTrackingLocation", f"{path}-checkpoint/_schema")',
    "change-feed": '.option("readChangeFeed", "true")',
}
_CAUSE = 'str(error).split("exception: ")[-1][:80]'
_CONTINUES = "prints that it reads on"
_ENDS: Mapping[str, str] = {
    "breaking": "fails, and fails again when it is started again",
    "dangerous": "ends once, and reads on when it is started again",
}


def stream_jobs(finding: CompatibilityFinding, pair: StatePair, *, is_gone: bool) -> Iterator[Job]:
    """Yield what shows the effect of a finding on streams, by each kind of stream that meets it."""
    if finding.rule == AppendOnlyDisabled.__name__ and finding.role == "change-feed":
        yield _feed_job(finding, pair)
        return
    for kind in _kinds(finding, pair):
        yield _stream_job(finding, pair, kind, is_gone=is_gone)


def _feed_job(finding: CompatibilityFinding, pair: StatePair) -> Job:
    """Return a job that reads changes of a kind that the table never had; a stream does not fail over them."""
    first = made(pair.old, rows_of_state(pair.old))
    feed = 'spark.read.format("delta").option("readChangeFeed", "true").option("startingVersion", 0).load(path)'
    lines = [f'print(sorted(row[0] for row in {feed}.select("_change_type").distinct().collect()))']
    shows = ("prints insert", "prints delete, too")
    return Job(before=first, after=[*first, *_changes(finding, pair)], lines=lines, shows=shows)


def _stream_job(finding: CompatibilityFinding, pair: StatePair, kind: StreamKind, *, is_gone: bool) -> Job:
    read = f'spark.readStream.format("delta"){_OPTIONS.get(kind, "")}.load(path).writeStream.format("noop")'
    stream = f'{read}.option("checkpointLocation", f"{{path}}-checkpoint")'
    first = made(pair.old, rows_of_state(pair.old))
    if is_gone:
        lines = [f"{stream}.start().processAllAvailable()", 'print("reads on")']
        return Job(before=first, after=[], lines=lines, shows=(_CONTINUES, "fails"))
    if kind == "lagging":
        # It was stopped with a row that it has not read.
        opening = [f"read = lambda: {stream}.trigger(availableNow=True).start().awaitTermination()", "read()"]
        unread, reads, again = [insertion(pair.old.columns, rows_of_state(pair.old, 1))], "read()", "read()"
    else:
        opening = [f"start = lambda: {stream}.start()", "stream = start(); stream.processAllAvailable()"]
        unread, reads, again = [], "stream.processAllAvailable()", "start().processAllAvailable()"
    last = rows_of_sides(pair, 2)
    is_restarted = finding.rule != AppendOnlyDisabled.__name__
    return Job(
        first=first,
        opening=opening,
        before=[*unread, insertion(pair.old.columns, last.before)],
        after=[*unread, *_changes(finding, pair), insertion(pair.new.columns, last.after)],
        lines=[
            f'try: {reads}; print("reads on")',
            f'except Exception as error: print("ends:", {_CAUSE}); {again}; print("reads on")',
        ],
        shows=(_CONTINUES, _ENDS.get(finding.verdict, _CONTINUES) if is_restarted else _ENDS["breaking"]),
    )


def _kinds(finding: CompatibilityFinding, pair: StatePair) -> Sequence[StreamKind]:
    """Return the kinds of streams of a role on which a change has the effect that was found."""
    kinds = KINDS_OF[finding.role]
    if finding.verdict == "safe":
        return kinds
    plan = TablePlanner().plan_states([pair.new], CatalogState.of({pair.old.name: pair.old}))
    ends = {
        kind: {MEANT[end.answer.answer] for action in plan.align_tables for end in stream_ends(action, kind)}
        for kind in kinds
    }
    return [kind for kind in kinds if finding.verdict in ends[kind]] or kinds[:1]


def _changes(finding: CompatibilityFinding, pair: StatePair) -> list[str]:
    changes = changes_in_place(pair)
    if finding.rule == AdditiveEvolution.__name__:
        return [*changes, f"ALTER TABLE {SCRIPT_TABLE} ADD COLUMNS ({UNDECLARED} INT)"]
    if finding.rule == AppendOnlyDisabled.__name__:
        return [*changes, f"DELETE FROM {SCRIPT_TABLE}"]  # noqa: S608 - no name
    if finding.rule == ChangeFeedDisabled.__name__ and finding.role == "change-feed" and not changes:
        # The contract does not declare it any more, so the next table has none.
        return [f"ALTER TABLE {SCRIPT_TABLE} SET TBLPROPERTIES ({literal(CHANGE_FEED)} = 'false')"]
    return changes
