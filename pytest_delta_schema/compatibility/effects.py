"""The effect of each change on a role: the verdict of its class, or a prediction for streams, clients and writes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.compatibility.changes import names_after
from pytest_delta_schema.compatibility.column_faults import (
    NullableColumnAdded,
    NullAllowed,
    NullForbidden,
    RequiredColumnAdded,
)
from pytest_delta_schema.compatibility.implication import (
    implied_check,
    implied_not_null,
    new_promises,
    released_promises,
)
from pytest_delta_schema.compatibility.roles import GROUPS, worse
from pytest_delta_schema.compatibility.table_faults import FeatureEnabled, PartitioningChanged
from pytest_delta_schema.compatibility.writers import EMPTIED, emptied, writer_effects
from pytest_delta_schema.delta.names import NameSet
from pytest_delta_schema.delta.protocol import (
    FEATURE_PREFIX,
    NAMED_FEATURES,
    PROTOCOL_VERSIONS,
    is_on,
    is_read_by_clients,
    loss,
)
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.plan.changes import CheckAdd, CheckDrop
from pytest_delta_schema.plan.comparison import renamed_expression
from pytest_delta_schema.rules.clients import client_gaps
from pytest_delta_schema.settings.table import ROLE_WORDS
from pytest_delta_schema.state.features import RequiredFeature
from pytest_delta_schema.write_check.streams import stream_ends, unrecorded
from pytest_delta_schema.write_check.values import CHANGE_FEED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_delta_schema.compatibility.changes import ContractChange, StatePair
    from pytest_delta_schema.compatibility.roles import CompatibilityVerdict, UpgradeTime
    from pytest_delta_schema.delta.clients import ClientFeatures
    from pytest_delta_schema.settings.table import Role
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
    states: StatePair
    clients: Sequence[str]
    client_features: ClientFeatures
    version: tuple[int, int]


def effects_on(role: Role, judged: Judged) -> list[RoleEffect]:
    """Return the effect of each change on a role."""
    # Without a change data feed nobody reads one.
    if role == "change-feed" and not is_on(CHANGE_FEED, judged.states.old.table_properties):
        return [RoleEffect("safe") for _ in judged.changes]
    predicted = _predicted(role, judged)
    effects = [predicted.get(at) or _fixed(change, role) for at, change in enumerate(judged.changes)]
    return [
        RoleEffect("not judged", f"are not judged, because {change.why_not_judged}")
        if change.why_not_judged and effect.verdict != "safe"
        else effect
        for change, effect in zip(judged.changes, effects, strict=True)
    ]


def _fixed(change: ContractChange, role: Role) -> RoleEffect:
    """Return the effect that the class of a change has; what is predicted and without an effect is safe."""
    cell = change.row.cells[role]
    if cell not in {"breaking", "dangerous"}:
        return RoleEffect("safe")
    verdict: CompatibilityVerdict = "breaking" if cell == "breaking" else "dangerous"
    when: UpgradeTime = change.row.readers_upgrade if GROUPS[role] == "readers" else "before"
    return _effect(role, verdict, change.row.reason(role), when, change.remark)


def _effect(
    role: Role, verdict: CompatibilityVerdict, reason: str, when: UpgradeTime = "before", remedy: str = ""
) -> RoleEffect:
    """Return an effect, with who is upgraded, and when."""
    verb = "upgrade" if verdict == "breaking" else "check"
    first = "" if verdict == "not judged" else f"{verb} {ROLE_WORDS[role]} {when} this release"
    return RoleEffect(verdict, reason, first, remedy)


def _predicted(role: Role, judged: Judged) -> Mapping[int, RoleEffect]:
    """Return the effects that are predicted, by the position of the change."""
    wanted = [at for at, change in enumerate(judged.changes) if change.row.cells[role] in {"predicted", "computed"}]
    if not wanted:
        return {}
    group = GROUPS[role]
    if group == "streams":
        streams = _stream_effects(role, judged.changes, judged.states, judged.version)
        return {at: streams[at] for at in wanted if at in streams}
    if group == "readers":
        effects = {at: _of_readers(judged.changes[at], role, judged.states) for at in wanted}
    elif group == "clients":
        effects = {at: _of_clients(judged.changes[at], judged.clients, judged.client_features) for at in wanted}
    else:
        effects = {at: _of_promises(judged.changes[at], role, judged.states) for at in wanted}
        changes = (*judged.changes, *judged.others)
        for at, writes in writer_effects(role, changes, judged.states, judged.version).items():
            effects[at] = _effect(role, writes.verdict, writes.reason(role), writes.upgrade)
    return {at: effect for at, effect in effects.items() if effect is not None}


def _of_readers(change: ContractChange, role: Role, states: StatePair) -> RoleEffect | None:
    """Return the computed effect of a change on readers; ``None`` for none."""
    features = [name.removeprefix(FEATURE_PREFIX) for name in change.features]
    read = [name for name in features if is_read_by_clients(name) and name != _WRITER_VERSION]
    if change.row is PartitioningChanged:
        written = NameSet(states.new.partitioning)
        names = [path for path, fault in emptied(written, states) if fault == EMPTIED]
        reason = f"have NULL instead of empty texts in {', '.join(names)}" if names else ""
    elif change.row in {NullableColumnAdded, RequiredColumnAdded, FeatureEnabled}:
        reason = f"cannot read the table if they do not know {', '.join(read)}, as delta-rs, pandas and polars may not"
        reason = reason if read else ""
    else:
        return _of_promises(change, role, states)
    return _effect(role, "dangerous", reason) if reason else None


_WRITER_VERSION = "delta.minwriterversion"
_PERHAPS = "may be refused, as it is not known whether the released contract allows rows that violate it"


def _of_promises(change: ContractChange, role: Role, states: StatePair) -> RoleEffect | None:
    """Return the effect of a constraint that is new for writers, or gone for readers; ``None`` for none."""
    is_for_writers = GROUPS[role] == "writers"
    promises = released_promises(states) if is_for_writers else new_promises(states.new)
    if change.row in {NullForbidden, NullAllowed}:
        answer = implied_not_null(change.column, promises)
    elif isinstance(change.change, (CheckAdd, CheckDrop)):
        names = names_after(states) if isinstance(change.change, CheckDrop) else {}
        answer = implied_check(renamed_expression(change.change.expression, names), promises)
    else:
        return None
    if answer == "implied":
        return None
    verdict: CompatibilityVerdict = "breaking" if is_for_writers and answer == "violated" else "dangerous"
    is_unknown = is_for_writers and answer == "unknown"
    reason = _PERHAPS if is_unknown else change.row.reason(role)
    return _effect(role, verdict, reason)


def _of_clients(change: ContractChange, clients: Sequence[str], client_features: ClientFeatures) -> RoleEffect | None:
    """Return the effect of a change on the clients; ``None`` if all of them can use the table after it."""
    if change.remark:
        reason = f"cannot have it, because {change.remark}"
        return _effect("clients", "breaking", reason, remedy="leave the type as it is")
    if not change.features:
        return None
    if not clients:
        reason = loss(change.features).removeprefix("clients ")
        return _effect("clients", "dangerous", reason, remedy="list the clients of the table in clients")
    needs = [
        RequiredFeature(name=name.removeprefix(FEATURE_PREFIX), path=change.path, causes=(change.subject,))
        for name in change.features
    ]
    gaps = [*client_gaps(needs, _in_question(needs, clients, client_features), client_features)]
    certain = [gap for gap in gaps if gap.is_certain]
    if certain:
        remedies = dict.fromkeys(f"use {gap.client.name}>={gap.support.since}" for gap in certain if gap.support.since)
        reason = "; ".join(gap.message for gap in certain)
        return _effect("clients", "breaking", reason, remedy=", ".join(remedies))
    if gaps:
        names = ", ".join(dict.fromkeys(str(gap.client) for gap in gaps))
        what = ", ".join(dict.fromkeys(need.name for gap in gaps for need in gap.needs))
        reason = f"may fail, because it is not known whether {names} can use {what}"
        return _effect("clients", "not judged", reason, remedy="set client_features")
    return None


def _in_question(
    needs: Sequence[RequiredFeature], clients: Sequence[str], client_features: ClientFeatures
) -> list[str]:
    """Return the clients that may lack features; all that know one that is named read protocols that name them."""
    if any(need.name not in PROTOCOL_VERSIONS for need in needs):
        return [*clients]
    named = [replace(needs[0], name=name) for name in NAMED_FEATURES]
    return [client for client in clients if all(any(client_gaps([need], [client], client_features)) for need in named)]


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


def _stream_effects(
    role: Role, changes: Iterable[ContractChange], states: StatePair, version: tuple[int, int]
) -> Mapping[int, RoleEffect]:
    """Return the effects on streams by the position of the change; one without an effect lets them continue."""
    positions = {id(change.change): at for at, change in enumerate(changes) if change.change is not None}
    listed = [change.change for change in changes if change.change is not None]
    if not listed:
        return {}
    action = AlignTable(table=states.new.name, changes=tuple(listed), desired=states.new, observed=states.old)
    effects: dict[int, RoleEffect] = {}
    for kind in STREAM_KINDS_OF[role]:
        unknown = unrecorded(*states, kind, version)
        if unknown is not None:
            (finding,) = unknown.findings
            return dict.fromkeys(
                positions.values(), _effect(role, "not judged", finding.message, remedy=finding.remedy)
            )
        for end in stream_ends(action, kind):
            at = positions[id(end.change)]
            verdict = STREAM_VERDICTS[end.answer.answer]
            known = effects.get(at)
            if known is None or worse(known.verdict, verdict) != known.verdict:
                condition = f" [{end.answer.condition}]" if end.answer.condition else ""
                name = f" [{end.finding.rule}]" if verdict == "not judged" else condition
                reason = f"{_STREAM_REASONS[verdict]}{name}"
                effects[at] = _effect(role, verdict, reason, "with", end.finding.remedy)
                if verdict == "dangerous":
                    effects[at] = RoleEffect(verdict, reason, f"restart {ROLE_WORDS[role]} with this release")
    return effects
