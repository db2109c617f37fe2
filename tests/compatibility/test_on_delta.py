"""Verdicts are what Delta was recorded to do, and a random part of the record is what it does now."""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_delta_schema.compatibility import judge_change, worst_verdict
from pytest_delta_schema.compatibility.roles import VERDICTS
from pytest_delta_schema.models.ownership import ASPECTS
from pytest_delta_schema.settings.table import ROLES as EVERY_ROLE
from support.covering import ALL
from support.jobs import ROLE_OF, ROLES, Players, jobs_of
from support.pairs import BASES, EDITS, ONLY, Pair, all_pairs, fit
from support.record import EVOLVED, PAIRS, VERSIONS, recorded, versions
from support.streams import STREAM_JOBS, StreamPlayers, streamed

RECORD, EVOLVED_RECORD = recorded(PAIRS), recorded(EVOLVED)
ANSWERED = tuple(pair for pair in all_pairs() if pair.name in RECORD)
"""The pairs that are recorded."""

SECONDS = 10
"""How long each of the two records is repeated; the writes of rows take twice as long."""


STAY = {"g id + 2", "h generated", "z generated", "n always", "z numbered always"}
"""Edits of which the page says that the rows of a table stay as they are; the copies of the record compute them anew."""


def met(pair, role):
    """Return what the jobs of a role met on the table of the next contract."""
    if role.startswith("readers") and STAY.intersection(pair.edits):
        return {}
    return {job: what for job, what in RECORD[pair.name]["meets"].items() if ROLE_OF[job] == role}


def is_asked(pair, role):
    """Whether a job of a role works on the released table, so that the record can show what breaks it."""
    return any(ROLE_OF[job] == role and job not in RECORD[pair.base]["fails"] for job in jobs_of(pair))


@cache
def is_shown(edit, role):
    """Whether a job of a role met something after an edit that came alone, to any contract."""
    return any(met(pair, role) for pair in ANSWERED if pair.edits == (edit,))


@cache
def verdicts_of(pair):
    """Return the worst verdict on each role, and all findings."""
    findings = judge_change(pair.old, pair.new, roles=ROLES)
    return {role: worst_verdict(finding for finding in findings if finding.role == role) for role in ROLES}, findings


def test_what_is_recorded_is_what_is_asked():
    made = {**{base: Pair(base, ()).digest for base in BASES}, **{pair.name: pair.digest for pair in all_pairs()}}

    assert {name: line["of"] for name, line in RECORD.items() if made.get(name) != line["of"]} == {}
    assert {pair.base for pair in ANSWERED} <= RECORD.keys()
    assert [pair.name for pair in ANSWERED if "CREATE" in RECORD[pair.name]["meets"]] == []
    assert {pair.name: EVOLVED_RECORD[pair.name]["of"] for pair in all_pairs()} == {
        pair.name: pair.digest for pair in all_pairs()
    }
    assert versions(PAIRS) == versions(EVOLVED) == {"delta": "4.4.0", "spark": "4.2.0", "delta-rs": "1.6.6"}


def test_the_verdicts_are_what_delta_did():
    disagreements = []
    judged = [(pair, role, verdict) for pair in ANSWERED for role, verdict in verdicts_of(pair)[0].items()]
    for pair, role, verdict in judged:
        differences = met(pair, role)
        is_wrong = {
            "safe": bool(differences),
            "dangerous": role.startswith("writers")
            and any(not what.startswith("other ") for what in differences.values()),
            "breaking": not differences
            and is_asked(pair, role)
            and not any(is_shown(edit, role) for edit in pair.edits),
            "not judged": False,
        }[verdict]
        if is_wrong:
            findings = [each for each in verdicts_of(pair)[1] if (each.role, each.verdict) == (role, verdict)]
            disagreements.append((pair.name, role, verdict, differences, [str(finding) for finding in findings]))
    assert disagreements == []


STREAM_ROLES = tuple(dict.fromkeys(job.role for job in STREAM_JOBS.values()))
RETENTION = "RetentionShortened"
"""A change that ends only streams that are stopped for longer than any job is."""


def worst_of_streams(line, role):
    """Return the worst that the streams of a role did over a change in place; ``None`` if none of them was there."""
    played = [answer.partition(" ")[0] for job, answer in line["streams"].items() if STREAM_JOBS[job].role == role]
    return max(played, key=("continues", "restarts", "blocked").index, default=None)


def test_streams_do_what_was_predicted():
    counts: Counter[tuple[str, str]] = Counter()
    wrong = {}
    for pair in all_pairs():
        line = EVOLVED_RECORD[pair.name]
        findings = judge_change(*streamed(pair), roles=STREAM_ROLES)
        for role in STREAM_ROLES if "streams" in line else ():
            real = worst_of_streams(line, role)
            own = [finding for finding in findings if finding.role == role]
            verdict = worst_verdict(own)
            if real is not None:
                counts[real, verdict] += 1
                possible = {"not judged", {"continues": "safe", "restarts": "dangerous", "blocked": "breaking"}[real]}
                if real == "continues" and any(finding.rule == RETENTION for finding in own):
                    possible.add("dangerous")
                if verdict not in possible:
                    wrong[pair.name, role] = (real, list(map(str, own)))

    assert wrong == {}
    assert counts == {
        ("continues", "safe"): 230,
        ("continues", "dangerous"): 7,
        ("restarts", "dangerous"): 290,
        ("blocked", "breaking"): 183,
        ("continues", "not judged"): 34,
        ("restarts", "not judged"): 14,
    }


def test_no_stream_is_promised_to_live_through_what_delta_refuses():
    """A table that cannot be changed in place is made anew; rows that break a new key are another matter."""
    lines = {pair: EVOLVED_RECORD[pair.name].get("refused", "") for pair in all_pairs()}
    refused = [pair for pair, why in lines.items() if why not in ("", "UnsafePlanError")]

    verdicts = Counter(worst_verdict(judge_change(*streamed(pair), roles=["streams"])) for pair in refused)
    assert verdicts == {"breaking": 186, "not judged": 101}


def is_warned(pair):
    """Whether a project that lists no clients is told of a new feature."""
    return worst_verdict(judge_change(*streamed(pair), roles=["clients"])) != "safe"


IGNORED = ("version 3, 7", "version 1, 4")
"""Versions of the protocol that Delta does not write, because the features of the table need others; it is a warning."""


def test_clients_are_warned_of_the_features_that_delta_enabled():
    played = [pair for pair in all_pairs() if "enables" in EVOLVED_RECORD[pair.name]]
    warned = {pair.name for pair in played if is_warned(pair)}
    needed = {pair.name for pair in played if EVOLVED_RECORD[pair.name]["enables"]}

    assert needed - warned == set()
    assert {name for name in warned - needed if not name.endswith(IGNORED)} == set()
    assert len(needed) == 72


def test_the_pairs_have_every_edit():
    assert len(all_pairs()) == len(ANSWERED) == 600
    assert {edit for pair in all_pairs() for edit in pair.edits} == EDITS.keys()


def test_most_verdicts_claim_something():
    claims = {role: Counter(verdicts_of(pair)[0][role] for pair in all_pairs()) for role in ROLES}

    assert {role: counts["safe"] + counts["breaking"] for role, counts in claims.items()} == {
        "readers": 430,
        "readers-by-path": 380,
        "readers-by-position": 452,
        "writers": 554,
        "writers-by-merge": 561,
        "writers-by-position": 563,
    }


@pytest.fixture(scope="module", params=[Players, StreamPlayers], ids=["jobs", "streams"])
def players(request, spark_catalog):
    players = request.param(spark_catalog)
    yield players
    players.close()


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
def test_the_record_is_what_delta_does(players):
    others = {}
    for pair in randomly_chosen():
        if isinstance(players, StreamPlayers):
            now, before = players.meet(pair), EVOLVED_RECORD[pair.name]
        else:
            now = {"fails": players.failures(pair.base), "meets": players.differences(pair)}
            before = RECORD[pair.base] | RECORD[pair.name]
        if any(now[part] != before.get(part) for part in now):
            others[pair.name] = (now, before)

    assert others == {}


TRIED = sorted(ONLY["plain"])


@st.composite
def edits(draw, *before):
    """Return edits of the plain contract, each of another part than those before."""
    chosen = list(before)
    for edit in draw(st.lists(st.sampled_from(TRIED), max_size=4)):
        if edit not in chosen and fit((*chosen, edit)):
            chosen.append(edit)
    return chosen


def edited(names, **parts):
    """Return the plain contract with edits, and other parts besides."""
    return replace(Pair("plain", tuple(names)).new, **parts)


def worst(names):
    """Return how bad the worst verdict on each role is."""
    findings = judge_change(BASES["plain"], edited(names), roles=EVERY_ROLE)
    return {
        role: VERDICTS.index(worst_verdict(finding for finding in findings if finding.role == role))
        for role in EVERY_ROLE
    }


@given(st.data())
def test_more_changes_are_never_better_for_anybody(data):
    some = data.draw(edits())
    fewer, more = worst(some), worst(data.draw(edits(*some)))

    assert {role: more[role] for role in EVERY_ROLE if more[role] < fewer[role]} == {}


@given(edits())
def test_a_contract_against_itself_has_no_finding(names):
    assert judge_change(edited(names), edited(names), roles=EVERY_ROLE) == ()


@given(edits(), st.sampled_from(["ignore", "report"]))
def test_what_no_contract_owns_adds_nothing(names, mode):
    owns = dict.fromkeys(ASPECTS, mode)

    assert judge_change(edited((), owns=owns), edited(names, owns=owns), roles=EVERY_ROLE) == ()
