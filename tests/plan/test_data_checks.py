"""Data checks of the columns by which a table is partitioned again."""

from __future__ import annotations

from pytest_delta_schema import Check
from pytest_delta_schema.plan import PartitionValue, TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.plan.data_checks import data_checks_of
from pytest_delta_schema.state import CheckState
from pytest_delta_schema.testing.scenario import MAPPED, TEXT
from support.models import catalog, column, state, stored, table
from support.snapshots import ReviewedCases


def planned(model, before):
    (action,) = TablePlanner().plan([model], catalog(before)).actions
    return action


def test_only_values_of_some_types_have_to_be_looked_at():
    looked_at = ["string", "varchar(3)", "char(3)", "timestamp", "binary"]
    for name in (*looked_at, "timestamp_ntz", "date", "double", "decimal(9,2)", "boolean", "bigint"):
        model = table(column(), column("P", name), partitioned_by=["p"])
        check = PartitionValue(column="P", data_type=name)
        assert data_checks_of(planned(model, state(stored(), stored("P", name)))) == (
            (check,) if name in looked_at else ()
        )


def test_values_that_are_in_partitions_already_or_not_there_yet_are_not_looked_at():
    parts = [column(), column("a", TEXT), column("b", TEXT)]
    action = planned(
        table(*parts, partitioned_by=["a", "b"]), state(stored(), stored("a", "string"), partitioning=("A",))
    )

    assert data_checks_of(action) == ()


def test_a_column_that_is_renamed_on_the_way_is_meant_under_its_old_name():
    before = state(stored(), stored("old", "string"), table_properties=MAPPED)
    model = table(column(), column("new", TEXT, renamed_from="old"), partitioned_by=["new"], table_properties=MAPPED)

    assert data_checks_of(planned(model, before)) == (PartitionValue(column="old", data_type="string"),)


def test_a_check_that_is_only_renamed_or_follows_a_rename_does_not_read_rows_again(reviewed):
    def checked(of, checks):
        before = state(stored(), stored("a"), checks=(CheckState("old", "a > 0"),), table_properties=MAPPED)
        action = planned(table(column(), of, checks=[*map(Check, checks, checks.values())]), before)
        return *data_checks_of(action), *(line for line in change_lines(action) if line.path.startswith("checks"))

    case, a, b = ReviewedCases(checked), column("a"), column("b", renamed_from="a")
    case("renamed", a, {"new": "a > 0"})
    case("renamed, and its column", b, {"new": "b > 0"})
    case("its column renamed", b, {"old": "b > 0"})
    case("its column renamed and its condition changed", b, {"old": "b > 1"})
    case("two for one", a, {"new": "a > 0", "more": "a > 0"})
    assert case.text == reviewed
