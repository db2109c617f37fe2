"""A sample of the fault-injection suite, of which ``make test-faults`` runs all, and what its harness calls survived."""

from __future__ import annotations

import json

import pytest

from faults.__main__ import AREAS, read_journal
from faults.bench import Bench
from faults.cases import (
    FAILED,
    SECRET,
    SECRET_VARIABLE,
    SKIPPED,
    SURVIVED,
    Area,
    BrokenInvariantError,
    NotTriedError,
    Outcome,
    run_case,
    selection,
)
from faults.commands import AREA as COMMANDS
from faults.commands import RUNS, require_no_command
from support.covering import ALL
from support.runs import ci_commands

SEED = 1
# Half a minute a disk.
SAMPLED = [(area, number) for area in AREAS if area.name != "disks" or ALL for number in range(area.sample)]


@pytest.fixture(scope="module")
def local_bench(spark_catalog, tmp_path_factory):
    bench = Bench(tmp_path_factory.mktemp("faults"), SEED, spark_catalog)
    # An archive of classes takes its own JVM, which two kills do not make up for.
    bench.once("archive", lambda: True)
    yield bench
    spark_catalog.drop_schema("dev", "silver")


@pytest.mark.parametrize(
    ("area", "number"),
    [
        pytest.param(area, number, id=f"{area.name}-{number}", marks=pytest.mark.spark if area.needs_jvm else ())
        for area, number in SAMPLED
    ],
)
def test_survives(area, number, tmp_path, monkeypatch, request):
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    bench = request.getfixturevalue("local_bench") if area.needs_jvm else Bench(tmp_path, SEED)

    outcome = run_case(area, selection(area, SEED)[number], bench)

    assert (outcome.status, outcome.reason) == (SURVIVED, ""), outcome.case


@pytest.mark.parametrize("run", RUNS)
def test_no_output_is_a_command_for_all_hostile_texts_at_once(run, tmp_path):
    outcome = run_case(COMMANDS, f"{run}/all", Bench(tmp_path, SEED))

    assert (outcome.status, outcome.reason) == (SURVIVED, "")


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (None, SURVIVED, ""),
        (BrokenInvariantError("rows differ"), FAILED, "rows differ"),
        (NotTriedError("no tmpfs here"), SKIPPED, "no tmpfs here"),
        (ValueError("five"), FAILED, "ValueError: five (raised at test_sample.py:"),
    ],
    ids=["survived", "broken", "skipped", "crashed"],
)
def test_a_case_survives_only_if_it_was_tried_and_nothing_is_broken(error, status, reason):
    def run(_):
        if error is not None:
            raise error

    outcome = run_case(Area(name="a", title="A", cases=lambda: {"1": run}, sample=1), "1", None)

    assert outcome.status == status
    assert outcome.reason.startswith(reason)


def test_a_run_goes_on_where_a_kill_has_cut_off_the_journal(tmp_path):
    outcome = Outcome("a", "1", FAILED, "x\ud800", 1.0)
    journal = tmp_path / "journal.jsonl"
    journal.write_text(json.dumps(outcome) + '\n["a", "2", "sur')

    assert read_journal(journal) == {("a", "1"): outcome}


def test_each_case_has_its_own_moments():
    moments = {Bench(None, seed).moment(case, 1, 4) for case in "ab" for seed in (1, 2)}

    assert Bench(None, 1).moment("a", 1, 4) == Bench(None, 1).moment("a", 1, 4)
    assert len(moments) == 4
    assert all(0.25 <= moment < 0.5 for moment in moments)


@pytest.mark.parametrize(
    ("log", "commands"),
    [
        ("a ::error::b\n:: c\n##vso task.x]", []),
        ("::error file=a.py,line=1::b", [("::", "error")]),
        ("a\r \u00a0\t::add-mask::b", [("::", "add-mask")]),
        ("\u200d:\u034f:stop-commands::b", [("::", "stop-commands")]),
        ("a ##[group]b ##[add-mask x=y]c", [("##[", "group"), ("##[", "add-mask")]),
        ("a #\u200c#vs\ufe0fo[task.setvariable variable=PATH;]b", [("##vso[", "task.setvariable")]),
        ("##[a\n]", []),
    ],
)
def test_commands_are_found_as_the_services_find_them(log, commands):
    assert [(command.form, command.name) for command in ci_commands(log)] == commands


@pytest.mark.parametrize(
    ("text", "is_clean"),
    [
        ("::error::owned", False),
        ("::error file=a::b ##[add-mask]c", False),
        ("##vso[task.logissue type=error]b ##vso[task.complete]", False),
        ("\x1b[m", False),
        ("::error file=a.py,line=1::b\n##vso[task.logissue type=error;code=DS201]b", True),
        ("::warning::delta schema: and 2 more", True),
    ],
)
def test_only_annotations_of_this_package_pass(text, is_clean):
    def run(_):
        require_no_command(text, "it", has_reports=True)

    outcome = run_case(Area(name="a", title="A", cases=lambda: {"1": run}, sample=1), "1", None)

    assert (outcome.status == SURVIVED) is is_clean
