"""The verdicts on streams, as the stream rules predict them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.compatibility.classification import CHANGE_FEED
from pytest_delta_schema.compatibility.roles import worse
from pytest_delta_schema.delta.features import is_on
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.write_check.streams.prediction import stream_ends, unrecorded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_delta_schema.compatibility.contract_change import ContractChange, StatePair
    from pytest_delta_schema.compatibility.roles import CompatibilityVerdict
    from pytest_delta_schema.settings.compatibility_roles import Role
    from pytest_delta_schema.write_check.streams.verdict import StreamAnswer, StreamKind

KINDS_OF: dict[Role, tuple[StreamKind, ...]] = {
    "streams": ("plain", "lagging"),
    "tracked-streams": ("tracked",),
    "change-feed": ("change-feed",),
}
"""The kinds of streams of each role; the worse answer counts."""

MEANT: dict[StreamAnswer, CompatibilityVerdict] = {
    "continues": "safe",
    "restarts": "dangerous",
    "blocked": "breaking",
    "not judged": "not judged",
}


class StreamEffect(NamedTuple):
    """The effect of a change on the streams of a role."""

    verdict: CompatibilityVerdict
    reason: str
    remedy: str


def has_streams(role: Role, states: StatePair) -> bool:
    """Whether streams of a role can read the released table; without a change data feed nobody reads one."""
    return role != "change-feed" or is_on(CHANGE_FEED, states.old.table_properties)


def stream_effects(
    role: Role, changes: Iterable[ContractChange], states: StatePair, version: tuple[int, int]
) -> Mapping[int, StreamEffect]:
    """Return the effects on streams by the position of the change; one without an effect lets them continue."""
    positions = {id(change.change): at for at, change in enumerate(changes) if change.change is not None}
    listed = [change.change for change in changes if change.change is not None]
    if not listed:
        return {}
    action = AlignTable(table=states.new.name, changes=tuple(listed), desired=states.new, observed=states.old)
    effects: dict[int, StreamEffect] = {}
    for kind in KINDS_OF[role]:
        unknown = unrecorded(*states, kind, version)
        if unknown is not None:
            (finding,) = unknown.findings
            return dict.fromkeys(positions.values(), StreamEffect("not judged", finding.message, finding.remedy))
        for end in stream_ends(action, kind):
            at = positions[id(end.change)]
            verdict = MEANT[end.answer.answer]
            known = effects.get(at)
            if known is None or worse(known.verdict, verdict) != known.verdict:
                condition = f" [{end.answer.condition}]" if end.answer.condition else ""
                name = f" [{end.finding.rule}]" if verdict == "not judged" else condition
                effects[at] = StreamEffect(verdict, f"{_MEANING[verdict]}{name}", end.finding.remedy)
    return effects


_MEANING: dict[CompatibilityVerdict, str] = {
    "dangerous": "end once, and continue when they are started again",
    "breaking": "fail again after every start",
    "not judged": "were not recorded over such a change",
}
