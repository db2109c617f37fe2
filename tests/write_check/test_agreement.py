"""Predictions of writes agree with the recorded results of Delta 4.4.0; older versions differ where their code does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema import WriteOptions, check_write
from pytest_delta_schema.testing.scenario import INT, LONG, WIDENS, field
from support.tables import table
from support.values.writes import BY_ROWS, DOUBLE, MODES, PAIRS, SHORT, A, agree, cells, frame, outcome, recorded, two

ANSWERS = list(recorded())


@pytest.mark.parametrize("name", PAIRS)
def test_predictions_are_the_recorded_results(name):
    wrong = []
    for pair, method, mode, real in ANSWERS:
        if pair == name:
            predicted = outcome(check_write(*PAIRS[name], replace(MODES[mode], method=method)))
            if not agree(predicted, real) and not (
                name == BY_ROWS and predicted == "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"
            ):
                wrong.append(f"{method}, {mode}: Delta {real}, predicted {predicted}")

    assert wrong == []


def test_every_method_and_mode_was_recorded():
    assert sorted((pair, method, mode) for pair, method, mode, _ in ANSWERS) == sorted(
        (pair, method, mode) for pair in PAIRS for method, mode in cells(pair, MODES)
    )


@pytest.mark.parametrize(
    ("version", "method", "expected"),
    [
        ((3, 3), "save_as_table", "DELTA_FAILED_TO_MERGE_FIELDS"),
        ((4, 2), "save_as_table", "DELTA_FAILED_TO_MERGE_FIELDS"),
        ((4, 3), "save_as_table", "a int, v int"),
        ((4, 2), "write_to", "DELTA_FAILED_TO_MERGE_FIELDS"),
        ((4, 3), "write_to", "a int, v int"),
        ((3, 3), "insert_into", "a int, v int"),
        ((4, 4), "save", "DELTA_FAILED_TO_MERGE_FIELDS"),
        ((3, 3), "write_stream", "a int, v int"),
    ],
)
def test_frames_by_name_are_cast_since_delta_4_3(version, method, expected):
    assert (
        outcome(check_write(two(INT), frame(a=INT, v=LONG), WriteOptions(method=method), version=version)) == expected
    )


@pytest.mark.parametrize(
    ("version", "given", "stored", "expected"),
    [
        ((3, 3), SHORT, INT, "a int, v int"),
        ((3, 3), INT, SHORT, "a int, v int"),
        ((3, 3), LONG, INT, "DELTA_FAILED_TO_MERGE_FIELDS"),
        ((4, 0), LONG, INT, "a int, v bigint"),
        ((4, 0), DOUBLE, INT, "DELTA_FAILED_TO_MERGE_FIELDS"),
        ((4, 4), DOUBLE, INT, "a int, v double"),
    ],
)
def test_writes_widen_by_the_rules_of_the_version(version, given, stored, expected):
    target = two(stored, table_properties=WIDENS)

    assert (
        outcome(check_write(target, frame(a=INT, v=given), WriteOptions(merge_schema=True), version=version))
        == expected
    )


@pytest.mark.parametrize(
    ("version", "condition"), [((4, 0), "_LEGACY_ERROR_TEMP_DELTA_0007"), ((4, 1), "DELTA_METADATA_MISMATCH")]
)
def test_the_condition_of_a_mismatch_has_a_name_since_delta_4_1(version, condition):
    verdict = check_write(table(A), frame(field("a", INT), field("c", INT)), version=version)

    assert [finding.code for finding in verdict.findings] == [condition]
