"""The witnesses of all cases of the table of verdicts: what breaks somebody, and the jobs that nothing happens to."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.compatibility import judge_change, worst_verdict
from pytest_delta_schema.compatibility.effects import WRITES_BY_ROLE
from pytest_delta_schema.delta.protocol import is_on
from pytest_delta_schema.settings.table import ROLES
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.witness.script import NoScript, Script, scripts_of, witness_of
from pytest_delta_schema.write_check.values import CHANGE_FEED
from support.compatibility.cases import CASES
from support.compatibility.pairs import all_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema import Table
    from pytest_delta_schema.compatibility import CompatibilityFinding

NOT_IN_PLACE = ("NullForbidden", "change-feed")
"""Open-source Delta has no statement for SET NOT NULL, so only a new table shows it, which ends the stream."""

EVERY_METHOD = "RequiredColumnAdded"
"""A change that writers meet by every method with which they add rows."""


class Played(NamedTuple):
    """A finding, and the script that shows it, or why there is none."""

    name: str
    finding: CompatibilityFinding
    script: Script | NoScript


def witnesses_of(name: str, old: Table, new: Table | None) -> Iterator[Played]:
    """Yield the scripts of each finding; of what is safe, if nothing else happens to that role."""
    states = desired_state(old), None if new is None else desired_state(new)
    findings = judge_change(*states, roles=ROLES)
    worst = {role: worst_verdict(finding for finding in findings if finding.role == role) for role in ROLES}
    for finding in findings:
        if finding.role == "change-feed" and not is_on(CHANGE_FEED, states[0].table_properties):
            continue  # nobody reads a feed that is not there
        if finding.verdict != "safe" or worst[finding.role] == "safe":
            first = witness_of(finding, *states)
            made: Iterable[Script | NoScript] = [first] if isinstance(first, NoScript) else scripts_of(finding, *states)
            for number, script in enumerate(made, 1):
                yield Played(f"{name} {finding.rule} {finding.role} {number}", finding, script)


@cache
def all_played() -> list[Played]:
    """Return the witnesses of all cases."""
    return [
        played
        for number, case in enumerate(CASES)
        if case.old is not None
        for played in witnesses_of(str(number), case.old, case.new)
    ]


def scripts() -> list[Played]:
    """Return those that can be run, once each."""
    return _once(all_played())


def scripts_of_pairs() -> list[Played]:
    """Return those of the random pairs of contracts, once each: many pairs have the same script."""
    return _once(played for pair in all_pairs() for played in witnesses_of(pair.name, pair.old, pair.new))


def _once(played: Iterable[Played]) -> list[Played]:
    chosen: dict[tuple[bool, str], Played] = {}
    for one in played:
        is_safe = one.finding.verdict == "safe"
        if isinstance(one.script, Script) and not (is_safe and (one.finding.rule, one.finding.role) == NOT_IN_PLACE):
            chosen.setdefault((is_safe, one.script.text.partition("import sys")[2]), one)
    return list(chosen.values())


def sample() -> list[Played]:
    """Return one witness for each kind of change, of roles in turn, and for one of them those of every method."""
    chosen: dict[str, Played] = {}
    counts = dict.fromkeys(ROLES, 0)
    for one in scripts():
        rule, role = one.finding.rule, one.finding.role
        if one.finding.verdict == "safe":
            continue
        known = chosen.get(rule)
        if known is None or counts[role] + 1 < counts[known.finding.role]:
            if known is not None:
                counts[known.finding.role] -= 1
            chosen[rule] = one
            counts[role] += 1
    of_writers = [one for one in scripts() if one.finding.rule == EVERY_METHOD and one.finding.role in WRITES_BY_ROLE]
    case = of_writers[0].name.partition(" ")[0]
    every = [one for one in of_writers if one.name.partition(" ")[0] == case and one not in chosen.values()]
    return [*chosen.values(), *every]
