"""Primary keys and UNIQUE constraints, also with RELY."""

from __future__ import annotations

from pyspark.sql.types import MapType

from pytest_delta_schema import Check, PrimaryKey, Unique
from pytest_delta_schema.testing.scenario import DROP, ID, INT, LONG, MAPPED, TEXT, WIDENS, Scenario, column, columns

PRIMARY_KEYS: tuple[Scenario, ...] = (
    Scenario(
        name="primary_keys/created_with_a_key",
        before=None,
        after=columns(ID, column("b", is_nullable=False), primary_key=["b", "id"]),
        commits=2,
    ),
    Scenario(
        name="primary_keys/key_on_columns_set_not_null_that_hold_null",
        before=columns(column(), column("b")),
        after=columns(ID, column("b"), primary_key=["id"]),
        rows=({"id": 1}, {"id": None}, {"id": None}),
        refused_by=("DS301",),
        commits=0,
    ),
    Scenario(
        name="primary_keys/key_on_a_not_null_column",
        before=columns(ID),
        after=columns(ID, primary_key=["id"]),
        commits=1,
    ),
    Scenario(
        name="primary_keys/key_added_over_duplicates",
        before=columns(ID, column("b", is_nullable=False)),
        after=columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        rows=({"id": 1, "b": 1}, {"id": 1, "b": 1}, {"id": 1, "b": 2}),
        refused_by=("DS303",),
        commits=0,
    ),
    Scenario(
        name="primary_keys/key_added_over_unique_rows",
        before=columns(ID, column("b", is_nullable=False)),
        after=columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        rows=({"id": 1, "b": 1}, {"id": 1, "b": 2}),
        commits=1,
    ),
    Scenario(
        name="primary_keys/key_added_over_duplicates_with_other_violations",
        before=columns(ID, column("b"), column("c", is_nullable=False)),
        after=columns(
            ID,
            column("b", is_nullable=False),
            column("c", is_nullable=False),
            primary_key=["id", "c"],
            checks=[Check("small", "c < 2")],
        ),
        rows=({"id": 1, "b": 1, "c": 1}, {"id": 1, "c": 1}, {"id": 1, "b": 1, "c": 1}, {"id": 1, "b": 1, "c": 2}),
        refused_by=("DS301", "DS302", "DS303"),
        commits=0,
    ),
    Scenario(
        name="primary_keys/key_changed",
        before=columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        after=columns(ID, column("b", is_nullable=False), primary_key=["b", "id"]),
        commits=2,
    ),
    Scenario(
        name="primary_keys/key_changed_over_unique_rows",
        before=columns(ID, column("b", is_nullable=False), primary_key=["id"]),
        after=columns(ID, column("b", is_nullable=False), primary_key=["b"]),
        rows=({"id": 1, "b": 1}, {"id": 2, "b": 2}),
        commits=2,
    ),
    Scenario(
        name="primary_keys/key_changed_over_duplicates_of_the_new_one",
        before=columns(ID, column("b", is_nullable=False), primary_key=["id"]),
        after=columns(ID, column("b", is_nullable=False), primary_key=["b"]),
        rows=({"id": 1, "b": 2}, {"id": 2, "b": 2}),
        refused_by=("DS303",),
        commits=0,
    ),
    Scenario(
        name="primary_keys/key_dropped",
        before=columns(ID, primary_key=["id"]),
        after=columns(ID),
        commits=1,
    ),
    Scenario(
        name="primary_keys/key_and_not_null_dropped_over_rows",
        before=columns(ID, primary_key=["id"]),
        after=columns(column()),
        rows=({"id": 1},),
        commits=2,
    ),
    Scenario(
        name="primary_keys/key_on_a_new_column",
        before=columns(ID),
        after=columns(ID, column("b", is_nullable=False), primary_key=["id", "b"]),
        refused_by=("DS201",),
        commits=0,
    ),
    Scenario(
        name="primary_keys/key_on_a_name_with_special_characters",
        before=columns(column("${x}`'", is_nullable=False), table_properties=MAPPED),
        after=columns(column("${x}`'", is_nullable=False), table_properties=MAPPED, primary_key=["${X}`'"]),
        commits=1,
    ),
    Scenario(
        name="primary_keys/key_on_a_nullable_column",
        before=columns(column()),
        after=columns(column(), primary_key=["id"]),
        refused_by=("DS104",),
        commits=0,
    ),
)


_MAIL, _REGION = column("mail", TEXT), column("region", TEXT)

UNIQUE: tuple[Scenario, ...] = (
    Scenario(
        name="unique/created_with_two",
        before=None,
        after=columns(
            ID,
            _MAIL,
            _REGION,
            primary_key=["id"],
            unique=[Unique(["Region", "mail"], name="Mail_in_region"), Unique(["mail"])],
        ),
        commits=4,
    ),
    Scenario(
        name="unique/added_over_unique_rows",
        description="Rows with NULL in one of the columns do not count.",
        before=columns(ID, _MAIL, _REGION),
        after=columns(ID, _MAIL, _REGION, unique=[Unique(["mail", "region"])]),
        rows=(
            {"id": 1, "mail": "a", "region": None},
            {"id": 2, "mail": "a", "region": None},
            {"id": 3, "mail": None, "region": None},
            {"id": 4, "mail": "a", "region": "EU"},
            {"id": 5, "mail": "a", "region": "US"},
        ),
        commits=1,
    ),
    Scenario(
        name="unique/added_over_duplicates",
        before=columns(ID, _MAIL),
        after=columns(ID, _MAIL, unique=[Unique(["mail"])]),
        rows=({"id": 1, "mail": "a"}, {"id": 2, "mail": "a"}, {"id": 3, "mail": None}),
        refused_by=("DS303",),
        commits=0,
    ),
    Scenario(
        name="unique/added_on_a_new_column",
        before=columns(ID),
        after=columns(ID, _MAIL, unique=[Unique(["mail"])]),
        rows=({"id": 1}, {"id": 2}),
        commits=2,
    ),
    Scenario(
        name="unique/other_columns",
        before=columns(ID, _MAIL, _REGION, unique=[Unique(["mail", "region"], name="u"), Unique(["mail"])]),
        after=columns(ID, _MAIL, _REGION, unique=[Unique(["region", "mail"], name="U"), Unique(["MAIL"])]),
        rows=({"id": 1, "mail": "a", "region": "EU"},),
        commits=2,
    ),
    Scenario(
        name="unique/becomes_the_primary_key",
        before=columns(ID, unique=[Unique(["id"])]),
        after=columns(ID, primary_key=["id"]),
        commits=2,
    ),
    Scenario(
        name="unique/dropped",
        before=columns(ID, _MAIL, unique=[Unique(["mail"]), Unique(["id"])]),
        after=columns(ID, _MAIL, unique=[Unique(["id"])]),
        commits=1,
    ),
    Scenario(
        name="unique/column_renamed",
        before=columns(ID, _MAIL, unique=[Unique(["mail"], name="one_account")], table_properties=MAPPED),
        after=columns(
            ID,
            column("address", TEXT, renamed_from="mail"),
            unique=[Unique(["address"], name="one_account")],
            table_properties=MAPPED,
        ),
        rows=({"id": 1, "mail": "a"}, {"id": 2, "mail": "b"}),
        rows_after=({"id": 1, "address": "a"}, {"id": 2, "address": "b"}),
        commits=3,
    ),
    Scenario(
        name="unique/dropped_with_its_column",
        before=columns(ID, column("legacy"), unique=[Unique(["legacy"])], table_properties=MAPPED),
        after=columns(ID, table_properties=MAPPED),
        rows=({"id": 1, "legacy": 5},),
        consents=(DROP,),
        commits=2,
    ),
    Scenario(
        name="unique/type_of_its_column_widened",
        before=columns(ID, column("number", INT), unique=[Unique(["number"])], table_properties=WIDENS),
        after=columns(ID, column("number"), unique=[Unique(["number"])], table_properties=WIDENS),
        rows=({"id": 1, "number": 5},),
        commits=1,
    ),
    Scenario(
        name="unique/names_with_special_characters",
        before=columns(column("${x}`'"), table_properties=MAPPED),
        after=columns(column("${x}`'"), table_properties=MAPPED, unique=[Unique(["${X}`'"], name="u`'é")]),
        commits=1,
    ),
    Scenario(
        name="unique/only_reported",
        before=columns(ID, _MAIL, unique=[Unique(["id"])]),
        after=columns(ID, _MAIL, unique=[Unique(["mail"])], owns={"unique": "report"}),
        commits=0,
    ),
    Scenario(
        name="unique/invalid",
        before=columns(ID, _MAIL),
        after=columns(
            ID,
            column("map", MapType(LONG, LONG)),
            _MAIL,
            primary_key=["id"],
            checks=[Check("taken", "id > 0")],
            unique=[Unique(["gone"]), Unique(["map"]), Unique(["ID"]), Unique(["mail"], name="Taken")],
        ),
        refused_by=("DS123", "DS123", "DS124", "DS124"),
        commits=0,
    ),
)


RELY: tuple[Scenario, ...] = (
    Scenario(
        name="primary_keys/created_with_rely",
        before=None,
        after=columns(ID, primary_key=PrimaryKey(["id"], rely=True)),
        commits=2,
    ),
    Scenario(
        name="primary_keys/rely_added_over_unique_rows",
        before=columns(ID, primary_key=["id"]),
        after=columns(ID, primary_key=PrimaryKey(["id"], rely=True)),
        rows=({"id": 1}, {"id": 2}),
        commits=2,
    ),
    Scenario(
        name="primary_keys/rely_added_over_repeated_values",
        before=columns(ID, primary_key=["id"]),
        after=columns(ID, primary_key=PrimaryKey(["id"], rely=True)),
        rows=({"id": 1}, {"id": 1}),
        refused_by=("DS303",),
        commits=0,
    ),
    Scenario(
        name="primary_keys/rely_removed",
        before=columns(ID, primary_key=PrimaryKey(["id"], rely=True)),
        after=columns(ID, primary_key=["id"]),
        commits=2,
    ),
)
