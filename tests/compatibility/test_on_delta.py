"""Verdicts are what Delta was recorded to do, and a random part of the record is what it does now."""

from __future__ import annotations

import random
import time
from functools import cache

import pytest

from pytest_delta_schema.compatibility import judge_change, worst_verdict
from support.covering import ALL
from support.jobs import ROLE_OF, ROLES, Players, jobs_of
from support.pairs import BASES, EDITS, Pair, all_pairs
from support.record import PAIRS, VERSIONS, recorded, versions

RECORD = recorded(PAIRS)
ANSWERED = tuple(pair for pair in all_pairs() if pair.name in RECORD)
"""The pairs that are recorded."""

SECONDS = 10
"""How long the record is repeated."""


STAY = {"g id + 2", "h generated", "z generated", "n always", "z numbered always"}
"""Edits of which the page says that the rows of a table stay as they are; the copies of the record compute them anew."""


def met(pair, role):
    """Return what the jobs of a role met on the table of the next contract."""
    if role.startswith("readers") and pair.edit in STAY:
        return {}
    return {job: what for job, what in RECORD[pair.name]["meets"].items() if ROLE_OF[job] == role}


def is_asked(pair, role):
    """Whether a job of a role works on the released table, so that the record can show what breaks it."""
    return any(ROLE_OF[job] == role and job not in RECORD[pair.base]["fails"] for job in jobs_of(pair))


@cache
def is_shown(edit, role):
    """Whether a job of a role met something after an edit, of any contract."""
    return any(met(pair, role) for pair in ANSWERED if pair.edit == edit)


@cache
def verdicts_of(pair):
    """Return the worst verdict on each role, and all findings."""
    findings = judge_change(pair.old, pair.new, roles=ROLES)
    return {role: worst_verdict(finding for finding in findings if finding.role == role) for role in ROLES}, findings


def test_what_is_recorded_is_what_is_asked():
    made = {**{base: Pair(base).digest for base in BASES}, **{pair.name: pair.digest for pair in all_pairs()}}

    assert {name: line["of"] for name, line in RECORD.items() if made.get(name) != line["of"]} == {}
    assert {pair.base for pair in ANSWERED} <= RECORD.keys()
    assert [pair.name for pair in ANSWERED if "CREATE" in RECORD[pair.name]["meets"]] == []


def test_the_verdicts_are_what_delta_did():
    disagreements = []
    judged = [(pair, role, verdict) for pair in ANSWERED for role, verdict in verdicts_of(pair)[0].items()]
    for pair, role, verdict in judged:
        differences = met(pair, role)
        is_wrong = {
            "safe": bool(differences),
            "dangerous": role.startswith("writers")
            and any(not what.startswith("other ") for what in differences.values()),
            "breaking": not differences and is_asked(pair, role) and not is_shown(pair.edit, role),
            "not judged": False,
        }[verdict]
        if is_wrong:
            findings = [each for each in verdicts_of(pair)[1] if (each.role, each.verdict) == (role, verdict)]
            disagreements.append((pair.name, role, verdict, differences, [str(finding) for finding in findings]))
    assert disagreements == []


def test_every_edit_is_recorded():
    assert {pair.edit for pair in ANSWERED} == EDITS.keys()
    assert all_pairs() == ANSWERED


def randomly_chosen():
    """Yield pairs of one contract in a random order; all of them if everything is tested."""
    pairs = [*ANSWERED]
    if not ALL:
        random.shuffle(pairs)
        pairs = [pair for pair in pairs if pair.base == pairs[0].base]
    begun = time.monotonic()
    for pair in pairs:
        if not ALL and time.monotonic() - begun > SECONDS:
            return
        yield pair


@pytest.mark.spark
@pytest.mark.skipif(versions(PAIRS) != VERSIONS, reason="the record is that of other versions")
def test_the_record_is_what_delta_does(spark_catalog):
    players, others = Players(spark_catalog), {}
    for pair in randomly_chosen():
        now = players.failures(pair.base), players.differences(pair)
        before = RECORD[pair.base]["fails"], RECORD[pair.name]["meets"]
        if now != before:
            others[pair.name] = (now, before)
    players.close()

    assert others == {}
