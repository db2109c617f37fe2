"""CHECK constraints: created, added to tables with rows, equal in another form, and changed."""

from __future__ import annotations

from pyspark.sql.types import StringType

from pytest_delta_schema import Check, Column
from pytest_delta_schema.testing.scenario import DROP, ID, MAPPED, PLACE, Scenario, column, columns

CHECKS_ADDED: tuple[Scenario, ...] = (
    Scenario(
        name="checks/check_added_to_an_empty_table",
        before=columns(ID),
        after=columns(ID, checks=[Check("positive", "id > 0")]),
        commits=1,
    ),
    Scenario(
        name="checks/check_on_a_field_added_over_valid_rows",
        before=columns(ID, Column("s", PLACE)),
        after=columns(ID, Column("s", PLACE), checks=[Check("north", "s.geo.lat > 0 OR s.geo.lat IS NULL")]),
        rows=(),
        commits=1,
    ),
    Scenario(
        name="checks/check_on_a_new_column_of_an_empty_table",
        before=columns(ID),
        after=columns(ID, column("b"), checks=[Check("small", "b < 10")]),
        commits=2,
    ),
    Scenario(
        name="checks/check_on_a_new_column_that_accepts_nulls",
        before=columns(ID),
        after=columns(ID, column("b"), checks=[Check("small", "b is null or b < 10")]),
        rows=({"id": 1}, {"id": 2}),
        commits=2,
    ),
    Scenario(
        name="checks/check_on_a_new_column_whose_nulls_violate_it",
        before=columns(ID),
        after=columns(ID, column("b"), checks=[Check("small", "b < 10")]),
        rows=({"id": 1}, {"id": 2}),
        refused_by=("DS302",),
        commits=0,
    ),
    Scenario(
        name="checks/check_renamed_over_many_rows_and_another_added",
        before=columns(ID, column("b"), checks=[Check("positive", "id > 0")]),
        after=columns(ID, column("b"), checks=[Check("above_zero", "id > 0"), Check("small", "id < 10")]),
        rows=({"id": 1}, {"id": 2}),
        commits=3,
    ),
    Scenario(
        name="checks/checks_added_over_valid_rows",
        before=columns(ID, column("b")),
        after=columns(ID, column("b"), checks=[Check("positive", "id > 0"), Check("small", "coalesce(b, 0) < 10")]),
        rows=({"id": 1, "b": None}, {"id": 2, "b": 9}),
        commits=2,
    ),
    Scenario(
        name="checks/checks_and_not_null_added_over_rows_that_violate_them",
        before=columns(column(), column("b")),
        after=columns(ID, column("b"), checks=[Check("positive", "id > 0"), Check("small", "b < 10")]),
        rows=({"id": None, "b": 1}, {"id": 2, "b": None}, {"id": -3, "b": 10}),
        refused_by=("DS301", "DS302", "DS302"),
        commits=0,
    ),
    Scenario(
        name="checks/equivalent_expressions_are_equal",
        before=columns(ID, checks=[Check("range", "id between 1 and 9"), Check("flipped", "0 < id")]),
        after=columns(ID, checks=[Check("range", "id >= 1 and id <= 9"), Check("flipped", "id > 0")]),
        commits=0,
    ),
    Scenario(
        name="checks/names_and_expressions_in_another_spelling",
        before=columns(ID, column("b"), checks=[Check("POSITIVE", "id > 0 and (b is null or b<10)")]),
        after=columns(ID, column("b"), checks=[Check("positive", "`ID` > 0 AND (b IS NULL OR (B < 10))")]),
        commits=0,
    ),
    Scenario(
        name="checks/invalid_expressions",
        description="A CHECK must be deterministic and may use declared columns only.",
        before=columns(ID),
        after=columns(ID, checks=[Check("now", "id < unix_timestamp(current_timestamp())"), Check("gone", "b > 0")]),
        refused_by=("DS111", "DS111"),
        commits=0,
    ),
    Scenario(
        name="checks/special_characters_in_names_and_expressions",
        before=columns(ID, Column("name", StringType())),
        after=columns(
            ID,
            Column("name", StringType()),
            checks=[
                Check("it's `odd`", "name <> 'a\\'b;--' OR id = 1"),
                Check("spaced name.dotted", "name LIKE '%😀%' OR id > 0"),
            ],
        ),
        rows=({"id": 1, "name": "x"},),
        commits=2,
    ),
    Scenario(
        name="checks/created_with_checks",
        before=None,
        after=columns(ID, column("b"), checks=[Check("Positive", "id > 0"), Check("small", "b < 10 -- of course")]),
        rows=(),
        commits=1,
    ),
)


CHECKS_CHANGED: tuple[Scenario, ...] = (
    Scenario(
        name="checks/check_dropped",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID),
        rows=({"id": 1},),
        commits=1,
    ),
    Scenario(
        name="checks/check_dropped_from_an_empty_table",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID),
        commits=1,
    ),
    Scenario(
        name="checks/check_dropped_with_its_column",
        before=columns(ID, column("legacy"), table_properties=MAPPED, checks=[Check("old", "legacy > 0")]),
        after=columns(ID, table_properties=MAPPED),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        commits=2,
    ),
    Scenario(
        name="checks/check_renamed",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID, checks=[Check("above_zero", "ID > 0")]),
        rows=({"id": 1},),
        commits=2,
    ),
    Scenario(
        name="checks/check_replaced",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID, checks=[Check("positive", "id > 1")]),
        rows=({"id": 2},),
        commits=2,
    ),
    Scenario(
        name="checks/check_replaced_on_an_empty_table_to_use_a_new_column",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID, column("b"), checks=[Check("positive", "b > 0")]),
        commits=3,
    ),
    Scenario(
        name="checks/check_replaced_over_rows_that_violate_the_new_one",
        before=columns(ID, checks=[Check("positive", "id > 0")]),
        after=columns(ID, checks=[Check("positive", "id > 1")]),
        rows=({"id": 1},),
        refused_by=("DS302",),
        commits=0,
    ),
    Scenario(
        name="checks/check_kept_while_another_column_is_dropped",
        before=columns(ID, column("legacy"), table_properties=MAPPED, checks=[Check("positive", "id > 0")]),
        after=columns(ID, table_properties=MAPPED, checks=[Check("positive", "id > 0")]),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        commits=1,
    ),
    Scenario(
        name="checks/undeclared_check_dropped",
        before=columns(ID, column("b"), checks=[Check("theirs", "b IS NOT NULL"), Check("ours", "id > 0")]),
        after=columns(ID, column("b"), checks=[Check("ours", "id > 0")]),
        rows=({"id": 1, "b": 1},),
        commits=1,
    ),
)
