"""Predictions of statements and of partial overwrites agree with the recorded results of Delta 4.4.0."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Column, Merge, WriteOptions, check_write
from pytest_delta_schema.testing.scenario import INT
from support.tables import table
from support.values.statements import BY_ROWS, recorded_statements, ways
from support.values.writes import PAIRS, VOID, A, Pair, agree, frame, outcome

ANSWERS = {(pair, method, mode): real for pair, method, mode, real in recorded_statements()}
WRITTEN = [name for name in PAIRS if any(ways(name))]


@pytest.mark.parametrize("name", WRITTEN)
def test_predictions_of_statements_are_the_recorded_results(name):
    wrong = []
    for method, mode, options in ways(name):
        frame = None if method == "delete" else PAIRS[name].frame
        predicted, real = outcome(check_write(PAIRS[name].table, frame, options)), ANSWERS[name, method, mode]
        expected = BY_ROWS.get((name, method, mode), real)
        if not agree(predicted, expected):
            wrong.append(f"{method}, {mode}: Delta {expected}, predicted {predicted}")

    assert wrong == []


def test_every_way_was_recorded():
    assert ANSWERS.keys() == {(name, method, mode) for name in PAIRS for method, mode, _ in ways(name)}


def test_rows_are_refused_only_where_an_empty_frame_is_accepted():
    assert [way for way in BY_ROWS if ANSWERS[way].isupper()] == []


@pytest.mark.parametrize(
    ("version", "insert", "merge"),
    [
        ((3, 3), "PARSE_SYNTAX_ERROR", "DELTA_MERGE_UNRESOLVED_EXPRESSION"),
        ((4, 1), "PARSE_SYNTAX_ERROR", "INTERNAL_ERROR"),
        ((4, 4), "a int, b string, c double", "INTERNAL_ERROR"),
    ],
)
def test_what_an_older_version_lacks_is_said(version, insert, merge):
    model, given = PAIRS["extra column"]
    evolving = WriteOptions(method="sql_insert", evolves=True)
    naming = Merge(matched={"c": "c"})

    assert outcome(check_write(model, given, evolving, version=version)) == insert
    assert outcome(check_write(model, given, naming, version=version)) == merge


STORED_VOID = Pair(table(A, Column("v", VOID)), frame(a=INT))


@pytest.mark.parametrize(
    ("pair", "version", "evolves", "expected"),
    [
        (PAIRS["extra void"], (3, 3), True, "DELTA_MERGE_ADD_VOID_COLUMN"),
        (PAIRS["extra void"], (3, 3), False, "a int"),
        (PAIRS["extra void"], (4, 4), True, "a int, c void"),
        (PAIRS["extra column"], (3, 3), True, "a int, b string, c double"),
        (STORED_VOID, (3, 3), True, "DELTA_MERGE_ADD_VOID_COLUMN"),
        (STORED_VOID, (4, 4), True, "a int, v void"),
    ],
    ids=["new", "not evolving", "newer Delta", "no void", "stored", "stored in newer Delta"],
)
def test_an_older_merge_lets_no_schema_with_void_evolve(pair, version, evolves, expected):
    merge = Merge(matched="all", evolves=evolves)

    assert outcome(check_write(pair.table, pair.frame, merge, version=version)) == expected
