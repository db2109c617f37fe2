"""The harness: what counts as survived, what a stopped run continues from, and the table."""

from __future__ import annotations

import pytest

from faults.cases import FAILED, SKIPPED, SURVIVED, Area, BrokenInvariantError, Case, NotTriedError, Outcome, run_case
from faults.journal import END, START, Journal, table, write_table


def area(run, name="a"):
    return Area(name=name, title=f"area {name}", cases=lambda _: [Case(area=name, name="1")], run=run, sample=1)


def raising(error):
    def run(*_):
        raise error

    return run


@pytest.mark.parametrize(
    ("run", "status", "reason"),
    [
        (lambda *_: None, SURVIVED, ""),
        (raising(BrokenInvariantError("rows differ")), FAILED, "rows differ"),
        (raising(NotTriedError("no tmpfs here")), SKIPPED, "no tmpfs here"),
        (raising(ValueError("five")), FAILED, "ValueError: five (raised at test_harness.py:"),
    ],
    ids=["survived", "broken", "skipped", "crashed"],
)
def test_a_case_survives_only_if_it_was_tried_and_nothing_is_broken(run, status, reason):
    outcome = run_case(area(run), Case(area="a", name="1"), None)

    assert outcome.status == status
    assert outcome.reason.startswith(reason)


def test_a_journal_goes_on_where_a_kill_has_cut_it_off(tmp_path):
    path, case = tmp_path / "j" / "journal.jsonl", Case(area="a", name="1")
    Journal(path).add(Outcome(case=case, status=FAILED, reason="x\ud800", seconds=1.0))
    with path.open("a") as file:
        file.write('{"area": "a", "case": "2", "st')

    known = Journal(path)

    assert known.outcome(case) == Outcome(case=case, status=FAILED, reason="x\ud800", seconds=1.0)
    assert known.outcome(Case(area="a", name="2")) is None


def test_a_skipped_case_is_not_tried():
    cases = [Outcome(case=Case(area="a", name=str(n)), status=s) for n, s in enumerate((SURVIVED, FAILED, SKIPPED))]

    assert table([area(None), area(None, "b")], {"a": cases, "b": cases[:1]}).splitlines() == [
        "| area | tried | survived |",
        "| --- | ---: | ---: |",
        "| area a | 2 (1 skipped) | 1 |",
        "| area b | 1 | 1 |",
        "| all | 3 | 2 |",
    ]


def test_the_page_keeps_everything_around_the_block(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(f"before\n{START}\nold\n{END}\nafter\n")

    write_table(path, "| new |", "abc", 7)

    lines = path.read_text().splitlines()
    assert [*lines[:3], *lines[-2:]] == ["before", START, "| new |", END, "after"]
    assert lines[4].endswith("at commit abc, seed 7.")


def test_a_case_has_random_numbers_of_its_own():
    one, two = Case(area="a", name="1"), Case(area="a", name="2")

    assert one.random(1).random() == one.random(1).random()
    assert len({process.random(seed).random() for process in (one, two) for seed in (1, 2)}) == 4
