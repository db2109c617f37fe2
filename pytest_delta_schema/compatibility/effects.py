"""The effect of each change on a role: from the table of verdicts, or predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.compatibility.client_verdicts import client_effect
from pytest_delta_schema.compatibility.roles import GROUPS, ROLE_WORDS
from pytest_delta_schema.compatibility.stream_verdicts import has_streams, stream_effects
from pytest_delta_schema.compatibility.verdict_table import VERDICT_TABLE, cell_of
from pytest_delta_schema.compatibility.write_verdicts import refusals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_delta_schema.compatibility.contract_change import ContractChange, StatePair
    from pytest_delta_schema.compatibility.roles import CompatibilityVerdict
    from pytest_delta_schema.compatibility.verdict_table import UpgradeTime
    from pytest_delta_schema.delta.clients.client_features import ClientFeatures
    from pytest_delta_schema.settings.compatibility_roles import Role


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
            at: RoleEffect(effect.verdict, effect.reason, _of_client(effect.verdict, role), effect.remedy)
            for at in wanted
            if (effect := client_effect(judged.changes[at], judged.clients, judged.client_features)) is not None
        }
    refused = refusals(role, (*judged.changes, *judged.others), judged.states, judged.version)
    return {
        at: RoleEffect("breaking", refusal.reason(role), _order("breaking", role, refusal.upgrade))
        for at, refusal in refused.items()
        if at < len(judged.changes)
    }


def _of_client(verdict: CompatibilityVerdict, role: Role) -> str:
    return "" if verdict == "not judged" else _order(verdict, role, "before")


def _of_stream(role: Role, verdict: CompatibilityVerdict, reason: str, remedy: str) -> RoleEffect:
    if verdict == "dangerous":
        return RoleEffect(verdict, reason, f"restart {ROLE_WORDS[role]} with this release")
    return RoleEffect(verdict, reason, _order(verdict, role, "with") if verdict == "breaking" else "", remedy)
