"""The effect of each change on a role: from the table of verdicts, or predicted for streams, clients and writes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.compatibility.roles import GROUPS, ROLE_WORDS, worse
from pytest_delta_schema.compatibility.verdict_table import VERDICT_TABLE, cell_of
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.delta.protocol import APPEND_ONLY, FEATURE_PREFIX, is_on, loss
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.rules.clients import client_gaps
from pytest_delta_schema.state.features import RequiredFeature
from pytest_delta_schema.write_check.prediction import frame_columns, predict
from pytest_delta_schema.write_check.schemas import may_fail
from pytest_delta_schema.write_check.streams import stream_ends, unrecorded
from pytest_delta_schema.write_check.values import CHANGE_FEED
from pytest_delta_schema.write_check.verdict import Merge, WriteOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.compatibility.changes import ContractChange, StatePair
    from pytest_delta_schema.compatibility.roles import CompatibilityVerdict
    from pytest_delta_schema.compatibility.verdict_table import UpgradeTime
    from pytest_delta_schema.delta.clients import ClientFeatures
    from pytest_delta_schema.delta.names import Aspect
    from pytest_delta_schema.settings.table import Role
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnGeneration, ColumnState
    from pytest_delta_schema.write_check.streams import StreamAnswer, StreamKind


class RoleEffect(NamedTuple):
    """The effect of a change on a role."""

    verdict: CompatibilityVerdict
    reason: str = "are not affected"
    upgrade_first: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The changes of a contract, and in what they are judged."""

    changes: Sequence[ContractChange]
    others: Sequence[ContractChange]
    """Those that the contract does not own; what they do is nobody's finding."""
    reasons: Sequence[str]
    """Why each change is not judged; ``""`` if it is."""
    states: StatePair
    clients: Sequence[str]
    client_features: ClientFeatures
    version: tuple[int, int]


def effects_on(role: Role, judged: Judged) -> list[RoleEffect]:
    """Return the effect of each change on a role."""
    if GROUPS[role] == "streams" and not has_streams(role, judged.states):
        return [RoleEffect("safe") for _ in judged.changes]
    predicted = _predicted(role, judged)
    effects = [predicted.get(at) or _fixed(change, role) for at, change in enumerate(judged.changes)]
    return [
        RoleEffect("not judged", f"are not judged, because {reason}") if reason and effect.verdict != "safe" else effect
        for effect, reason in zip(effects, judged.reasons, strict=True)
    ]


def _fixed(change: ContractChange, role: Role) -> RoleEffect:
    """Return the effect that the table of verdicts has; what is predicted and without an effect is safe."""
    cell = cell_of(change.row, role)
    if cell not in {"breaking", "dangerous"}:
        return RoleEffect("safe")
    row, group = VERDICT_TABLE[change.row], GROUPS[role]
    verdict: CompatibilityVerdict = "breaking" if cell == "breaking" else "dangerous"
    when: UpgradeTime = row.readers_upgrade if group == "readers" else "before"
    return RoleEffect(verdict, row.reasons[group], _order(verdict, role, when), change.remark)


def _order(verdict: CompatibilityVerdict, role: Role, when: UpgradeTime) -> str:
    """Return who is upgraded, and when."""
    verb = "upgrade" if verdict == "breaking" else "check"
    return f"{verb} {ROLE_WORDS[role]} {when} this release"


def _predicted(role: Role, judged: Judged) -> Mapping[int, RoleEffect]:
    """Return the effects that are predicted, by the position of the change."""
    wanted = [at for at, change in enumerate(judged.changes) if cell_of(change.row, role) in {"predicted", "computed"}]
    if not wanted:
        return {}
    group = GROUPS[role]
    if group == "streams":
        streams = stream_effects(role, judged.changes, judged.states, judged.version)
        return {at: _of_stream(role, *streams[at]) for at in wanted if at in streams}
    if group == "clients":
        return {
            at: RoleEffect(
                effect.verdict,
                effect.reason,
                "" if effect.verdict == "not judged" else _order(effect.verdict, role, "before"),
                effect.remedy,
            )
            for at in wanted
            if (effect := client_effect(judged.changes[at], judged.clients, judged.client_features)) is not None
        }
    refused = refusals(role, (*judged.changes, *judged.others), judged.states, judged.version)
    return {
        at: RoleEffect("breaking", refusal.reason(role), _order("breaking", role, refusal.upgrade))
        for at, refusal in refused.items()
        if at < len(judged.changes)
    }


def _of_stream(role: Role, verdict: CompatibilityVerdict, reason: str, remedy: str) -> RoleEffect:
    if verdict == "dangerous":
        return RoleEffect(verdict, reason, f"restart {ROLE_WORDS[role]} with this release")
    return RoleEffect(verdict, reason, _order(verdict, role, "with") if verdict == "breaking" else "", remedy)


class Effect(NamedTuple):
    """The effect of a change on clients or streams."""

    verdict: CompatibilityVerdict
    reason: str
    remedy: str


def client_effect(change: ContractChange, clients: Sequence[str], client_features: ClientFeatures) -> Effect | None:
    """Return the effect of a change on the clients; ``None`` if all of them can use the table after it."""
    if change.remark:
        return Effect("breaking", f"cannot have it, because {change.remark}", "leave the type as it is")
    if not change.features:
        return None
    if not clients:
        return Effect(
            "dangerous", loss(change.features).removeprefix("clients "), "list the clients of the table in clients"
        )
    needs = [
        RequiredFeature(name=name.removeprefix(FEATURE_PREFIX), path=change.path, causes=(change.subject,))
        for name in change.features
    ]
    gaps = [*client_gaps(needs, clients, client_features)]
    certain = [gap for gap in gaps if gap.is_certain]
    if certain:
        remedies = dict.fromkeys(f"use {gap.client.name}>={gap.support.since}" for gap in certain if gap.support.since)
        return Effect("breaking", "; ".join(gap.message for gap in certain), ", ".join(remedies))
    if gaps:
        names = ", ".join(dict.fromkeys(str(gap.client) for gap in gaps))
        what = ", ".join(dict.fromkeys(need.name for gap in gaps for need in gap.needs))
        return Effect(
            "not judged", f"may fail, because it is not known whether {names} can use {what}", "set client_features"
        )
    return None


STREAM_KINDS_OF: dict[Role, tuple[StreamKind, ...]] = {
    "streams": ("plain", "lagging"),
    "tracked-streams": ("tracked",),
    "change-feed": ("change-feed",),
}
"""The kinds of streams of each role; the worse answer counts."""

STREAM_VERDICTS: dict[StreamAnswer, CompatibilityVerdict] = {
    "continues": "safe",
    "restarts": "dangerous",
    "blocked": "breaking",
    "not judged": "not judged",
}

_STREAM_REASONS: dict[CompatibilityVerdict, str] = {
    "dangerous": "end once, and continue when they are started again",
    "breaking": "fail again after every start",
    "not judged": "were not recorded over such a change",
}


def has_streams(role: Role, states: StatePair) -> bool:
    """Whether streams of a role can read the released table; without a change data feed nobody reads one."""
    return role != "change-feed" or is_on(CHANGE_FEED, states.old.table_properties)


def stream_effects(
    role: Role, changes: Iterable[ContractChange], states: StatePair, version: tuple[int, int]
) -> Mapping[int, Effect]:
    """Return the effects on streams by the position of the change; one without an effect lets them continue."""
    positions = {id(change.change): at for at, change in enumerate(changes) if change.change is not None}
    listed = [change.change for change in changes if change.change is not None]
    if not listed:
        return {}
    action = AlignTable(table=states.new.name, changes=tuple(listed), desired=states.new, observed=states.old)
    effects: dict[int, Effect] = {}
    for kind in STREAM_KINDS_OF[role]:
        unknown = unrecorded(*states, kind, version)
        if unknown is not None:
            (finding,) = unknown.findings
            return dict.fromkeys(positions.values(), Effect("not judged", finding.message, finding.remedy))
        for end in stream_ends(action, kind):
            at = positions[id(end.change)]
            verdict = STREAM_VERDICTS[end.answer.answer]
            known = effects.get(at)
            if known is None or worse(known.verdict, verdict) != known.verdict:
                condition = f" [{end.answer.condition}]" if end.answer.condition else ""
                name = f" [{end.finding.rule}]" if verdict == "not judged" else condition
                effects[at] = Effect(verdict, f"{_STREAM_REASONS[verdict]}{name}", end.finding.remedy)
    return effects


class Write(NamedTuple):
    """A way to write a table."""

    name: str
    options: WriteOptions | Merge


WRITES_BY_ROLE: Mapping[Role, tuple[Write, ...]] = {
    "writers": (
        Write("save", WriteOptions()),
        Write("save in mode overwrite", WriteOptions(mode="overwrite")),
        Write("saveAsTable", WriteOptions(method="save_as_table")),
        Write("saveAsTable in mode overwrite", WriteOptions(method="save_as_table", mode="overwrite")),
        Write("writeTo", WriteOptions(method="write_to")),
        Write("writeStream", WriteOptions(method="write_stream")),
        Write("INSERT BY NAME", WriteOptions(method="sql_insert", by="name")),
        Write("INSERT OVERWRITE BY NAME", WriteOptions(method="sql_insert", by="name", mode="overwrite")),
        Write("UPDATE", WriteOptions(method="update")),
        Write("DELETE", WriteOptions(method="delete")),
    ),
    "writers-by-position": (
        Write("insertInto", WriteOptions(method="insert_into")),
        Write("insertInto in mode overwrite", WriteOptions(method="insert_into", mode="overwrite")),
        Write("INSERT", WriteOptions(method="sql_insert")),
        Write("INSERT OVERWRITE", WriteOptions(method="sql_insert", mode="overwrite")),
    ),
    "writers-by-merge": (
        Write("UPDATE SET *", Merge(matched="all")),
        Write("INSERT *", Merge(not_matched="all")),
    ),
}
"""How the writers of each role write."""

_OF_PARTITIONS: Mapping[Role, Write] = {
    "writers": Write("overwrites of partitions", WriteOptions(mode="overwrite", dynamic_partitions=True)),
    "writers-by-position": Write(
        "insertInto that overwrites partitions",
        WriteOptions(method="insert_into", mode="overwrite", dynamic_partitions=True),
    ),
}
"""How partitioned tables are written besides."""

REPLACES = "replaces-other-rows"
"""The fault of an overwrite that replaces other rows than before."""

UNFIT = "values-that-do-not-fit"
"""The fault of a write that Spark casts, and that fails for some values."""

_ABOUT: Mapping[str, tuple[Aspect, str]] = {
    REPLACES: ("layout", ""),
    "partitioning": ("layout", ""),
    "append-only": ("properties", folded(APPEND_ONLY)),
}
"""The aspect that faults are about, with the end of its path, where their own path does not say it."""

_REFUSED = "are refused"

_VERBS = {REPLACES: "replace other rows", UNFIT: "are refused where a value does not fit"}
"""What writers meet, if it is not that each of their rows is refused."""


@dataclass(slots=True, kw_only=True)
class Refusals:
    """The writes that are refused because of one change, or replace other rows."""

    writes: dict[str, None] = field(default_factory=dict)
    faults: dict[str, None] = field(default_factory=dict)
    upgrade: UpgradeTime = "before"

    def reason(self, role: Role) -> str:
        """Return what the writers of a role meet."""
        verb = _VERBS.get(next(iter(self.faults)), _REFUSED) if len(self.faults) == 1 else _REFUSED
        word = "by" if role == "writers" else "with"
        return f"{word} {', '.join(self.writes)} {verb} [{', '.join(self.faults)}]"


def refusals(
    role: Role, changes: Sequence[ContractChange], states: StatePair, version: tuple[int, int]
) -> Mapping[int, Refusals]:
    """Return the writes that the new table refuses and the released one accepts, by the position of the change."""
    refused: dict[int, Refusals] = {}
    for refusal in refused_writes(role, states, version):
        at = _position(refusal, changes, role)
        known = refused.setdefault(at, Refusals())
        known.writes[refusal.write.name] = None
        known.faults[refusal.fault] = None
        if refusal.upgrade == "after":
            known.upgrade = "after"
    return refused


class RefusedWrite(NamedTuple):
    """A write that the new table refuses and the released one accepts, or with which it replaces other rows."""

    write: Write
    frame: tuple[ColumnState, ...]
    """The columns of what is written."""
    path: str
    """The column or field that the fault is about, with dots; ``""`` for none."""
    fault: str
    upgrade: UpgradeTime


def refused_writes(role: Role, states: StatePair, version: tuple[int, int]) -> Iterator[RefusedWrite]:
    """Yield the writes that the new table refuses and the released one accepts, or with which other rows go."""
    old, new = states
    wanted = frames_of(new)[0]
    is_cast = {folded(column.name): column.data_type for column in old.columns} != {
        folded(column.name): column.data_type for column in new.columns
    }
    for write in writes_of(role, old):
        options = write.options
        for frame in frames_of(old):
            after = predict(frame, new, options, version)
            is_of_partitions = isinstance(options, WriteOptions) and options.dynamic_partitions
            unfit = [*_unfit(frame, new.columns, role, options)] if is_cast and after.accepted else []
            if after.accepted and not is_of_partitions and not unfit:
                continue
            before = predict(frame, old, options, version)
            if not before.accepted:
                continue
            # Who can write the new frame before the release has a way through it.
            upgrade: UpgradeTime = "before" if predict(wanted, old, options, version).accepted else "after"
            if not after.accepted:
                yield from (
                    RefusedWrite(write, frame, finding.path, finding.rule, upgrade) for finding in after.findings
                )
            elif after.replaces != before.replaces:
                yield RefusedWrite(write, frame, "", REPLACES, "after")
            yield from (RefusedWrite(write, frame, name, UNFIT, upgrade) for name in unfit)


def _unfit(
    frame: Sequence[ColumnState], columns: Sequence[ColumnState], role: Role, options: WriteOptions | Merge
) -> Iterator[str]:
    """Yield the columns of a frame of which the table casts the values, and refuses some."""
    if isinstance(options, WriteOptions) and options.method == "delete":
        return
    by_name = {folded(column.name): column for column in columns}
    named = [by_name.get(folded(column.name)) for column in frame]
    for given, wanted in zip(frame, columns if role == "writers-by-position" else named, strict=False):
        if wanted is not None and may_fail(given.data_type, wanted.data_type):
            yield given.name


def writes_of(role: Role, old: TableState) -> Iterator[Write]:
    """Yield the ways in which the writers of a role write a table."""
    for write in WRITES_BY_ROLE[role]:
        options = write.options
        if old.partitioning and isinstance(options, WriteOptions) and options.method in {"save", "save_as_table"}:
            yield write._replace(options=replace(options, partition_by=old.partitioning))
        else:
            yield write
    if old.partitioning and role in _OF_PARTITIONS:
        yield _OF_PARTITIONS[role]


def frames_of(table: TableState) -> list[tuple[ColumnState, ...]]:
    """Return the frames that writers of a table have: of all columns, and without those that the table fills."""
    given = [column for column in table.columns if not (column.value and _is_always_identity(column.value))]
    frames = [given]
    if any(column.value is not None for column in given):
        frames.append([column for column in given if column.value is None])
    return [frame_columns(tuple(column._replace(value=None) for column in frame)) for frame in frames]


def _is_always_identity(value: ColumnGeneration) -> bool:
    return value.identity is not None and value.identity.is_always


def _position(refusal: RefusedWrite, changes: Sequence[ContractChange], role: Role) -> int:
    """Return the position of the change that a fault is about."""
    about = _ABOUT.get(refusal.fault)
    computed = [at for at, change in enumerate(changes) if cell_of(change.row, role) == "computed"]
    if about is not None:
        aspect, end = about
        same = (at for at, change in enumerate(changes) if change.aspect == aspect)
        return next((at for at in same if folded(changes[at].path).endswith(end)), _first(computed))
    path = folded(refusal.path)
    exact = (at for at in computed if path in changes[at].names)
    around = (at for at in computed if any(_is_inside(path, name) for name in changes[at].names))
    return next(exact, next(around, _first(computed)))


def _first(computed: Sequence[int]) -> int:
    return computed[0] if computed else 0


def _is_inside(path: str, name: str) -> bool:
    return path.startswith(f"{name}.") or bool(path and name.startswith(f"{path}."))
