"""The table of verdicts: total over changes and roles, and every cell as it is written out."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from pytest_delta_schema import Check, Column, Table
from pytest_delta_schema.compatibility import judge_change, worst_verdict
from pytest_delta_schema.compatibility.changes import comparable_states, contract_changes, row_of
from pytest_delta_schema.compatibility.effects import STREAM_KINDS_OF, STREAM_VERDICTS
from pytest_delta_schema.compatibility.roles import GROUPS, ContractFault
from pytest_delta_schema.compatibility.writers import WRITES_BY_ROLE
from pytest_delta_schema.plan.changes import KINDS, ConvertTable
from pytest_delta_schema.plan.kinds import Change
from pytest_delta_schema.report.codes import all_codes
from pytest_delta_schema.settings.table import DEFAULT_ROLES, ROLE_WORDS, ROLES
from pytest_delta_schema.state import SourceState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.write_check.streams import ANSWERS
from support.case_tables import assert_rows, cases, named_cases
from support.compatibility import CASES
from support.models import table

NAMES = {row.__name__: row for row in ContractFault.__subclasses__()}
LETTERS = {"breaking": "b", "dangerous": "d", "safe": "-", "predicted": "p", "computed": "c"}
CELLS = {
    "ColumnRemoved": "bbb ppp ccc c",
    "ColumnRenamed": "b-b ppp ccc c",
    "TypeChanged": "bbb ppp ccc c",
    "TypeWidened": "ddd ppp ccc c",
    "NullableColumnAdded": "-bc ppp cbc c",
    "RequiredColumnAdded": "-bc ppp cbc c",
    "FieldAdded": "ddd ppp ccc c",
    "NullAllowed": "ccc ppp --- -",
    "NullForbidden": "--- ppp ccc c",
    "LengthShortened": "--- ppp ccc -",
    "CollationChanged": "ddd ppp ccc c",
    "ColumnRespelled": "ddd ppp ccc -",
    "ColumnMoved": "-b- ppp cbc -",
    "ColumnOrderNotKept": "-b- ppp cbc -",
    "DefaultChanged": "--- ppp ccc -",
    "GenerationChanged": "--- ppp ccc c",
    "FieldOrderChanged": "ddd ppp ccc -",
    "CheckAdded": "--- ppp ccc c",
    "CheckDropped": "ccc -pp --- -",
    "ConstraintKeyAdded": "--- --- ddd -",
    "RelyKeyAdded": "ddd --- ddd -",
    "ConstraintKeyDropped": "ddd --- --- -",
    "RelyAdded": "ddd --- --- -",
    "PartitioningChanged": "ccc ppp ccc c",
    "ClusteringChanged": "--- ppp ccc c",
    "ChangeFeedDisabled": "--- -pb --- -",
    "AppendOnlyDisabled": "ddd ddd --- -",
    "RetentionShortened": "ddd ddd --- -",
    "PropertyChanged": "--- ppp ccc -",
    "FeatureEnabled": "--c ppp ccc c",
    "ColumnMappingDropped": "--- ppp ccc -",
    "CommitsManagedByCatalog": "bbb bbb bbb c",
    "OtherFormatDisabled": "ddd ppp ccc d",
    "CommentChanged": "--- -p- --- -",
    "TagChanged": "--- -p- --- -",
    "ConvertedToDelta": "ddb ppp bbb -",
    "TableRemoved": "bbb bbb bbb -",
    "TableIntroduced": "--- --- --- -",
    "AspectNotOwned": "ddd ddd --- -",
    "AdditiveEvolution": "ddd ddd --- -",
    "DeprecationBackdated": "ddd ddd ddd -",
    "SunsetMovedNearer": "ddd ddd ddd -",
}
"""The table: readers by name, by position, by path; streams, tracked, of the change feed; writers by name, by position,
by MERGE; clients. What is predicted or computed is held by the cases as well."""


WRITTEN = {"breaking", "dangerous", "safe"}


def judged(case):
    findings = judge_change(case.old, case.new, roles=ROLES, released_on=date(2026, 6, 30))
    return {finding.role: finding.verdict for finding in findings if finding.rule == case.row}


def test_a_change_has_the_verdicts_that_are_written_out():
    with named_cases(judged) as case:
        for at, each in enumerate(CASES):
            case(f"{at}-{each.row}", each, each.verdicts)


def test_the_table_is_total_over_changes_and_roles():
    assert [name for name, row in NAMES.items() if tuple(row.cells) != ROLES] == []
    assert [name for name in NAMES if name not in {case.row for case in CASES}] == ["ConvertedToDelta"]
    assert {info.name: info.code for info in all_codes() if info.stage == "compatibility"} == {
        name: row.code for name, row in NAMES.items()
    }


class TableTruncate(Change):
    """A kind of change that the package does not have."""


def test_every_kind_of_change_has_a_row():
    unset = (
        table(tags={"team": "a"}, table_properties={"x": "1"}),
        table(tags={"team": None}, table_properties={"x": None}),
    )
    pairs = [unset, *((case.old, case.new) for case in CASES if case.old and case.new)]
    states = [(desired_state(old), desired_state(new)) for old, new in pairs]
    changes = [change.change for old, new in states for change in contract_changes(old, new)[1]]

    assert {type(change) for change in changes if change is not None} == {*KINDS} - {ConvertTable}
    with pytest.raises(TypeError, match="TableTruncate has no row in the table of compatibility"):
        row_of(TableTruncate(), comparable_states(*states[0]))


def test_every_role_has_words_and_a_group_and_a_prediction():
    assert tuple(GROUPS) == tuple(ROLE_WORDS) == ROLES
    assert {*STREAM_KINDS_OF, *WRITES_BY_ROLE, "clients"} == {role for role in ROLES if GROUPS[role] != "readers"}
    assert set(DEFAULT_ROLES) < set(ROLES)
    assert tuple(sorted(STREAM_VERDICTS)) == tuple(sorted(ANSWERS))


def test_a_verdict_that_is_not_safe_has_a_reason():
    assert [
        (name, role)
        for name, row in NAMES.items()
        for role, cell in row.cells.items()
        if cell in {"breaking", "dangerous"} and not row.reason(role)
    ] == []


def test_every_cell_is_as_it_is_written_out():
    cells = {name: "".join(LETTERS[cell] for cell in row.cells.values()) for name, row in NAMES.items()}

    assert cells == {name: text.replace(" ", "") for name, text in CELLS.items()}


def test_no_verdict_of_the_table_can_change_without_a_case_that_notices(monkeypatch):
    unnoticed = []
    for name, row in NAMES.items():
        cases = [case for case in CASES if case.row == name]
        fixed = {role: cell for role, cell in row.cells.items() if cell in WRITTEN and role != "clients"}
        for role, cell in fixed.items() if cases else ():
            for other in WRITTEN - {cell}:
                cells: dict[Any, Any] = {**row.cells, role: other}
                monkeypatch.setattr(row, "cells", cells)
                if all(judged(case) == case.verdicts for case in cases):
                    unnoticed.append((name, role, cell, other))
                monkeypatch.undo()

    assert unnoticed == []


def test_files_that_become_a_table_are_judged_as_the_table_says():
    columns = [Column("id", "bigint")]
    source = SourceState("parquet", "/lake/orders", is_registered=True)
    old = replace(desired_state(Table("dev", "silver", "orders", columns)), source=source)

    findings = judge_change(old, Table("dev", "silver", "orders", columns, convert_from="parquet"), roles=ROLES)

    verdicts = {finding.role: finding.verdict for finding in findings if finding.rule == "ConvertedToDelta"}
    assert [verdicts[role] for role in ("readers", "readers-by-path", "streams", "change-feed", "writers")] == [
        "dangerous",
        "breaking",
        "not judged",
        "safe",
        "breaking",
    ]
    assert {finding.path for finding in findings} == {"format"}


NULLABLE, FILLED = Column("v", "int"), Column("v", "int", is_nullable=False)


def constrained(column, *expressions, **options):
    checks = [Check(f"c{number}", expression) for number, expression in enumerate(expressions)]
    return table(Column("id", "bigint"), column, checks=checks, **options)


def of_type(data_type):
    return Column("v", data_type, is_nullable=False)


STRUCT = of_type("struct<x: int>")
COMPUTED = Column("v", "bigint", generated_as="id + 1")


def implied(old, new):
    """Return the worst verdicts on constraints for those who write and for those who read."""
    rows = {"CheckAdded", "CheckDropped", "NullAllowed", "NullForbidden"}
    findings = [one for one in judge_change(old, new, roles=["writers", "readers"]) if one.rule in rows]
    return tuple(worst_verdict(one for one in findings if one.role == role) for role in ("writers", "readers"))


def test_a_check_that_the_same_column_implies_breaks_nobody():
    rows = [
        (NULLABLE, ["v > 0"], ["v >= 0"], "safe", "dangerous"),
        (NULLABLE, ["v >= 0"], ["v > 0"], "breaking", "safe"),
        (NULLABLE, ["v > 0"], ["v >= 1"], "safe", "safe"),
        (NULLABLE, ["v > 0 AND v < 9"], ["v BETWEEN 1 AND 8"], "safe", "safe"),
        (NULLABLE, ["v BETWEEN 1 AND 8"], ["v BETWEEN 2 AND 9"], "breaking", "dangerous"),
        (NULLABLE, ["v IS NULL OR v < 9"], ["v IS NULL OR v < 10"], "safe", "dangerous"),
        (NULLABLE, ["v IS NULL OR v < 9"], ["v < 10"], "breaking", "dangerous"),
        (NULLABLE, ["v IN (1, 2)"], ["v IN (1, 2, 3)"], "safe", "dangerous"),
        (NULLABLE, ["v IN (1, 2, 3)"], ["v IN (1, 2)"], "breaking", "safe"),
        (NULLABLE, ["v IN (1, 2)"], ["v > 0"], "safe", "dangerous"),
        (NULLABLE, ["v > 0", "id > 0"], ["id > 0", "v > 0"], "safe", "safe"),
        (FILLED, [], ["v < 2147483648"], "safe", "safe"),
        (FILLED, [], ["v < 2147483647"], "breaking", "safe"),
        (of_type("tinyint"), [], ["v > -129.5"], "safe", "safe"),
        (of_type("decimal(4,1)"), ["v > 0"], ["v >= 0.1"], "safe", "safe"),
        (of_type("decimal(4,2)"), ["v > 0"], ["v >= 0.1"], "breaking", "safe"),
        (of_type("double"), ["v > 0"], ["v > -1"], "safe", "dangerous"),
        (of_type("double"), ["v > 0"], ["v > 0.5"], "breaking", "safe"),
        (of_type("double"), [], ["v <= 0 OR v > 0"], "safe", "safe"),
        (of_type("boolean"), ["v = true"], ["v <> false"], "safe", "safe"),
        (of_type("string"), ["v = 'b'"], ["v > 'a'"], "safe", "dangerous"),
        (of_type("string"), ["v > 'a'"], ["v <> ''"], "safe", "dangerous"),
        (of_type("string"), ["v > 'a'"], ["v >= 'b'"], "breaking", "safe"),
        (of_type("date"), ["v > DATE '2024-01-31'"], ["v >= DATE '2024-02-01'"], "safe", "safe"),
        (of_type("date"), [], ["v > DATE '2024-01-31'"], "breaking", "safe"),
        (of_type("date"), [], ["v > '1990-01-31'"], "dangerous", "safe"),
        (of_type("timestamp"), [], ["v > '1990-01-31'"], "dangerous", "safe"),
        (of_type("varchar(5)"), [], ["v > ''"], "dangerous", "safe"),
        (of_type("string"), [], ["length(v) < 9"], "dangerous", "safe"),
        (of_type("string"), [], ["length(v) > 0"], "breaking", "safe"),
        (of_type("string"), [], ["v LIKE '%'"], "dangerous", "safe"),
        (of_type("string"), [], ["v LIKE 'a%'"], "breaking", "safe"),
        (of_type("string"), ["v LIKE 'a%'"], ["v LIKE 'a%' AND v > ''"], "dangerous", "safe"),
        (NULLABLE, [], ["v + 1 > 0"], "dangerous", "safe"),
        (NULLABLE, ["v + 1 > 0"], ["v > 0"], "dangerous", "dangerous"),
        (NULLABLE, ["v + 1 > 0 AND id > 0"], ["v + 1 > 0"], "safe", "dangerous"),
        (NULLABLE, [], ["v < id"], "breaking", "safe"),
        (NULLABLE, [], ["v > 0 OR true"], "safe", "safe"),
        (FILLED, ["v < id"], ["v < 9"], "dangerous", "dangerous"),
        (FILLED, ["id > 0", "v < 0"], ["v < id"], "dangerous", "dangerous"),
        (FILLED, [], ["v > 'a'"], "dangerous", "safe"),
        (STRUCT, [], ["v.x > 0"], "breaking", "safe"),
        (STRUCT, ["v.x > 1"], ["v.x > 0"], "safe", "dangerous"),
        (COMPUTED, [], ["v > 0"], "dangerous", "safe"),
    ]

    assert_rows(
        ((column, before, after, (writers, readers)) for column, before, after, writers, readers in rows),
        lambda column, before, after: implied(constrained(column, *before), constrained(column, *after)),
    )


def test_a_constraint_that_a_contract_implies_breaks_nobody():
    with cases(implied) as case:
        nullable, filled, not_null = constrained(NULLABLE), constrained(FILLED), constrained(NULLABLE, "v IS NOT NULL")
        case(constrained(NULLABLE, "v > 0"), filled, ("safe", "dangerous"))
        case(filled, not_null, ("safe", "safe"))
        case(not_null, filled, ("safe", "safe"))
        case(nullable, filled, ("breaking", "safe"))
        renamed = constrained(Column("w", "int", renamed_from="v"), "w > -1")
        case(constrained(NULLABLE, "v > 0"), renamed, ("safe", "dangerous"))
        for new, writers in (
            (Column("n", "int"), "breaking"),
            (Column("n", "int", default=1), "safe"),
            (Column("n", "int", default=0), "breaking"),
            (Column("n", "int", default="=f()"), "dangerous"),
            (Column("n", "bigint", generated_as="id"), "dangerous"),
        ):
            added = table(Column("id", "bigint"), NULLABLE, new, checks=[Check("n", "n > 0")])
            case(nullable, added, (writers, "safe"))


def test_a_check_with_very_many_constants_is_not_tried_value_by_value():
    numbers = ", ".join(map(str, range(0, 4000, 2)))
    old = constrained(FILLED, f"v IN ({numbers})", f"id IN ({numbers})")

    (finding,) = judge_change(
        old, constrained(FILLED, *(c.expression for c in old.checks), "v <> id"), roles=["writers"]
    )

    assert finding.verdict == "dangerous"
