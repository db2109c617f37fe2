"""The changes of columns that are judged: each is a class with its code, its verdicts, and a docstring for users."""

from __future__ import annotations

from pytest_delta_schema.compatibility.roles import ContractFault, row

_BY_POSITION = "meet another number of columns"
_MIXED_UP = "have values in the wrong columns"


class ColumnRemoved(ContractFault):
    """A column, or a field of a struct, is no longer in the contract.

    Queries that name it fail, and writes that hold it are refused. A column that leaves a contract with
    ``evolution="additive"`` stays in the table, and nobody promises it any more, so it is judged alike.

    Remedy: Upgrade the readers before the release. Keep the column for one more release, or consent to the break.

    Example:
        note = Column("note", "string")
        old = Table("dev", "silver", "orders", [Column("id", "bigint"), note])
        new = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DC101"
    cells = row("breaking", "predicted", "computed", "computed")
    to_readers = "do not find it"


class ColumnRenamed(ContractFault):
    """A column, or a field of a struct, has a different name.

    The data stays. Until column mapping is enabled, Delta renames nothing, and clients have to know that table
    feature.

    Remedy: Add a column with the new name, fill both for one release, and drop the old one later; or release with the
    readers.

    Example:
        number = Column("number", "int", renamed_from="nr")
        old = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("nr", "int")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint"), number])
    """

    code = "DC102"
    cells = row("breaking safe breaking", "predicted", "computed", "computed")
    to_readers = "do not find the old name"
    readers_upgrade = "with"


class TypeChanged(ContractFault):
    """A column, a field or an element has a different type, to which Delta does not widen the old one.

    Writers that Spark casts for are refused where a value does not fit (``CAST_OVERFLOW``, ``CAST_INVALID_INPUT``,
    ``DELTA_EXCEED_CHAR_VARCHAR_LIMIT``), or store what is left of it: a ``float`` for a ``double``, the day of a
    ``timestamp``, a text that ``char`` has padded.

    Remedy: Add a column of the new type, and remove the old one in a later release.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("v", "string")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("v", "int")])
    """

    code = "DC103"
    cells = row("breaking", "predicted", "computed", "computed")
    to_readers = "have values of another type"


class TypeWidened(ContractFault):
    """A column, a field or an element has a wider type.

    Values may come that the old type cannot hold. Clients have to know the table feature ``typeWidening``, except for
    longer texts, and a table that Iceberg clients read is widened only as Iceberg does it.

    Remedy: Let the readers take the wider type before the release.

    Example:
        widens = {"delta.enableTypeWidening": "true"}
        old = Table("dev", "silver", "orders", [Column("v", "int")], table_properties=widens)
        new = Table("dev", "silver", "orders", [Column("v", "bigint")], table_properties=widens)
    """

    code = "DC104"
    cells = row("dangerous", "predicted", "computed", "computed")
    to_readers = "may have values that the old type cannot hold"


class NullableColumnAdded(ContractFault):
    """A column that may be NULL is new.

    Who uses columns by position, as ``INSERT INTO ... SELECT *`` and ``insertInto`` do, meets one more. Delta adds
    generated columns and identities with a table only, so streams over them are not judged (Delta 4.4.0).

    Remedy: Name the columns in jobs that use positions.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("note", "string")])
    """

    code = "DC105"
    cells = row("safe breaking computed", "predicted", "computed breaking computed", "computed")
    to_readers = to_writers = _BY_POSITION


class RequiredColumnAdded(ContractFault):
    """A column that is NOT NULL is new.

    Writes that do not hold it are refused if it has no default.

    Remedy: Add the column as nullable, upgrade the writers, and forbid NULL in a later release.

    Example:
        note = Column("note", "string", is_nullable=False)
        old = Table("dev", "silver", "orders", [Column("id", "bigint")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint"), note])
    """

    code = "DC106"
    cells = NullableColumnAdded.cells
    to_readers = to_writers = _BY_POSITION


class FieldAdded(ContractFault):
    """A struct has a new field.

    Queries that put the struct next to one without the field, by UNION, COALESCE, a cast or a comparison, fail or
    have NULL.

    Remedy: Name the fields in such queries before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("place", "struct<x: int>")])
        new = Table("dev", "silver", "orders", [Column("place", "struct<x: int, y: int>")])
    """

    code = "DC107"
    cells = row("dangerous", "predicted", "computed", "computed")
    to_readers = "put a struct of other fields into UNION, COALESCE, casts and comparisons"


class NullAllowed(ContractFault):
    """A column, a field or an element may be NULL, and could not before.

    Joins, comparisons and counts have other results where NULL comes. Nothing changes if a check of the new contract
    forbids NULL.

    Remedy: Let the readers expect NULL before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
        new = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DC108"
    cells = row("computed", "predicted", "safe")
    to_readers = "may have NULL"


class NullForbidden(ContractFault):
    """A column, a field or an element is NOT NULL, and could be NULL before.

    Writes that leave it NULL are refused. Nothing changes if a check of the released contract forbids NULL.

    Remedy: Let the writers fill it before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
    """

    code = "DC109"
    cells = row("safe", "predicted", "computed", "computed")
    to_writers = "are refused where they write NULL"


class LengthShortened(ContractFault):
    """A text has a shorter length, or one where it had none.

    Writes of longer values are refused. Delta changes no table so (Delta 4.4.0).

    Remedy: Let the writers shorten their values before the release, or declare a check instead.

    Example:
        old = Table("dev", "silver", "orders", [Column("name", "string")])
        new = Table("dev", "silver", "orders", [Column("name", "varchar(20)")])
    """

    code = "DC110"
    cells = row("safe", "predicted", "computed")


class CollationChanged(ContractFault):
    """A text has a different collation.

    Comparisons, joins, sorting and grouping have other results, and clients that do not know collations, such as
    pandas, polars and readers of Parquet files, compare in a different way than the table.

    Remedy: Compare the results of the readers with both collations before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("name", "string")])
        new = Table("dev", "silver", "orders", [Column("name", "string collate UTF8_LCASE")])
    """

    code = "DC111"
    cells = row("dangerous", "predicted", "computed", "computed")
    to_readers = "compare and sort in another way, and pandas, polars and readers of Parquet files in the old one"


class ColumnRespelled(ContractFault):
    """The name of a column or a field is written in another case.

    Spark matches names without case. Clients that do not, such as pandas, polars and readers of Parquet files, do not
    find it. An existing table keeps its spelling, and a table that is created has the new one.

    Remedy: Keep the spelling, or let such clients take both before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint")])
        new = Table("dev", "silver", "orders", [Column("ID", "bigint")])
    """

    code = "DC112"
    cells = row("dangerous", "predicted", "computed")
    to_readers = "do not find it if they respect case, as pandas, polars and readers of Parquet files do"


class ColumnMoved(ContractFault):
    """A column has a different position, and the contract manages the order.

    Remedy: Name the columns in jobs that use positions, before the release.

    Example:
        id, day = Column("id", "bigint"), Column("day", "date")
        old = Table("dev", "silver", "orders", [id, day])
        new = Table("dev", "silver", "orders", [day, id], column_order="manage")
    """

    code = "DC113"
    cells = row("safe breaking safe", "predicted", "computed breaking computed")
    to_readers = to_writers = _MIXED_UP


class ColumnOrderNotKept(ContractFault):
    """The columns are declared in another order, or their order is no longer managed.

    The contract does not manage the order, so an existing table keeps its own, and a table that is created has the
    new one.

    Remedy: Name the columns in jobs that use positions, or declare ``column_order="manage"``.

    Example:
        id, day = Column("id", "bigint"), Column("day", "date")
        old = Table("dev", "silver", "orders", [id, day])
        new = Table("dev", "silver", "orders", [day, id])
    """

    code = "DC114"
    cells = row("safe breaking safe", "predicted", "computed breaking computed")
    to_readers = to_writers = f"{_MIXED_UP} as soon as the table is created again"


class DefaultChanged(ContractFault):
    """A column has a different default, gets one, or loses it.

    Existing rows keep their values. Writes that leave the column out store the new default, or are refused if the
    column is NOT NULL and has none.

    Remedy: Let the writers give the value before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("v", "int", default=1)])
        new = Table("dev", "silver", "orders", [Column("v", "int", default=2)])
    """

    code = "DC115"
    cells = row("safe", "predicted", "computed")


class GenerationChanged(ContractFault):
    """A column is generated or an identity in a different way.

    Writes of an own value to an identity that is always generated are refused, and a generated column refuses all but
    its expression. Writes that leave the column out store other values. Delta changes no table so (Delta 4.4.0).

    Remedy: Declare what the table has, or release a new table under a new name.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint", identity=True)])
    """

    code = "DC116"
    cells = row("safe", "predicted", "computed", "computed")


class FieldOrderChanged(ContractFault):
    """The fields of a struct are declared in another order.

    Queries that name fields have the same results. UNION ALL, ``=``, IN, ``max``, ORDER BY and casts use the order, and
    so does an INSERT that casts any column (Spark 4.2.0): it puts values into other fields. An existing table keeps its
    order, and a table that is created has the new one.

    Remedy: Keep the order, or name the fields in such queries before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("place", "struct<x: int, y: int>")])
        new = Table("dev", "silver", "orders", [Column("place", "struct<y: int, x: int>")])
    """

    code = "DC117"
    cells = row("dangerous", "predicted", "computed")
    to_readers = "have other fields in UNION ALL, comparisons, max and casts of the whole struct"
