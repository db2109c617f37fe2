"""When the answers of a script confirm a finding, and how they are shown."""

from __future__ import annotations

import pytest

from pytest_delta_schema.diagnostics.faults import Witness
from pytest_delta_schema.witness.runner import ScriptAnswer, is_confirmed, other_delta

SCRIPT = "# what it shows\nmake()\n\nread()\n"
WORKS, OTHER = ScriptAnswer(text="1"), ScriptAnswer(text="2")
FAILS = ScriptAnswer(text="[GONE] it is gone", failed=True, line=4)
NOT_MADE = ScriptAnswer(text="[REFUSED] no table", failed=True, line=2)
HANGS = ScriptAnswer(text="no answer within 60 s", failed=True)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (WORKS, FAILS, True),
        (WORKS, OTHER, True),
        (ScriptAnswer(text="x" * 999 + "1"), ScriptAnswer(text="x" * 999 + "2"), True),
        (WORKS, WORKS, False),
        (FAILS, OTHER, False),
        (WORKS, NOT_MADE, False),
        (WORKS, HANGS, False),
    ],
    ids=["fails", "answers otherwise", "differs at the end", "answers the same", "failed before", "no table", "hangs"],
)
def test_what_confirms_a_finding(before, after, expected):
    assert is_confirmed(SCRIPT, before, after) is expected


def test_a_script_of_somebody_else_has_no_lines_that_make_its_table():
    assert is_confirmed("make()\nread()\n", WORKS, NOT_MADE)


@pytest.mark.parametrize(
    ("answer", "text"),
    [(WORKS, "1"), (FAILS, "fails: [GONE] it is gone"), (ScriptAnswer(text=""), "prints nothing")],
)
def test_an_answer_as_text(answer, text):
    assert str(answer) == text


def test_a_long_answer_is_cut():
    assert len(str(ScriptAnswer(text="x" * 10_000))) < 400


def test_verdicts_are_those_of_the_pinned_delta():
    assert other_delta("4.4.0") == ""


@pytest.mark.parametrize(
    ("witness", "text"),
    [
        (Witness(result="confirmed", file="w/t/a.py", before="1", after="2"), "witness w/t/a.py: confirmed"),
        (
            Witness(result="not confirmed", file="w/t/a.py", before="1", after="1"),
            "witness w/t/a.py: not confirmed, a defect of pytest-delta-schema that can be reported: before: 1; after: 1",
        ),
        (
            Witness(result="not confirmed", file="w/t/a.py", before="1", after="1", reason=other_delta("3.3.3")),
            "witness w/t/a.py: not confirmed, as verdicts are those of Delta 4.4, and not of 3.3.3: before: 1; after: 1",
        ),
        (Witness(result="not run", file="w/t/a.py", reason="no Java"), "witness w/t/a.py: not run: no Java"),
        (Witness(result="no witness", reason="no key is enforced"), "no witness: no key is enforced"),
    ],
    ids=["confirmed", "not confirmed", "another Delta", "not run", "no witness"],
)
def test_a_witness_in_one_line(witness, text):
    assert witness.fact == text
