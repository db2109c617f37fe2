"""Changes of columns, as a contract over time judges them."""

from __future__ import annotations


class ColumnRemoved:
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


class ColumnRenamed:
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


class TypeChanged:
    """A column, a field or an element has a different type, to which Delta does not widen the old one.

    Writers that Spark casts for are refused where a value does not fit (``CAST_OVERFLOW``, ``CAST_INVALID_INPUT``).

    Remedy: Add a column of the new type, and remove the old one in a later release.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("v", "string")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("v", "int")])
    """

    code = "DC103"


class TypeWidened:
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


class NullableColumnAdded:
    """A column that may be NULL is new.

    Who uses columns by position, as ``INSERT INTO ... SELECT *`` and ``insertInto`` do, meets one more. Delta adds
    generated columns and identities with a table only, so streams over them are not judged (Delta 4.4.0).

    Remedy: Name the columns in jobs that use positions.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("note", "string")])
    """

    code = "DC105"


class RequiredColumnAdded:
    """A column that is NOT NULL is new.

    Writes that do not hold it are refused if it has no default.

    Remedy: Add the column as nullable, upgrade the writers, and forbid NULL in a later release.

    Example:
        note = Column("note", "string", is_nullable=False)
        old = Table("dev", "silver", "orders", [Column("id", "bigint")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint"), note])
    """

    code = "DC106"


class FieldAdded:
    """A struct has a new field.

    Queries that put the struct next to one without the field, by UNION, COALESCE, a cast or a comparison, fail or
    have NULL.

    Remedy: Name the fields in such queries before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("place", "struct<x: int>")])
        new = Table("dev", "silver", "orders", [Column("place", "struct<x: int, y: int>")])
    """

    code = "DC107"


class NullAllowed:
    """A column, a field or an element may be NULL, and could not before.

    Joins, comparisons and counts have other results where NULL comes.

    Remedy: Let the readers expect NULL before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
        new = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DC108"


class NullForbidden:
    """A column, a field or an element is NOT NULL, and could be NULL before.

    Writes that leave it NULL are refused.

    Remedy: Let the writers fill it before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
    """

    code = "DC109"


class LengthShortened:
    """A text has a shorter length, or one where it had none.

    Writes of longer values are refused. Delta changes no table so (Delta 4.4.0).

    Remedy: Let the writers shorten their values before the release, or declare a check instead.

    Example:
        old = Table("dev", "silver", "orders", [Column("name", "string")])
        new = Table("dev", "silver", "orders", [Column("name", "varchar(20)")])
    """

    code = "DC110"


class CollationChanged:
    """A text has a different collation.

    Comparisons, joins, sorting and grouping have other results, and clients that do not know collations, such as
    pandas, polars and readers of Parquet files, compare in a different way than the table.

    Remedy: Compare the results of the readers with both collations before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("name", "string")])
        new = Table("dev", "silver", "orders", [Column("name", "string collate UTF8_LCASE")])
    """

    code = "DC111"


class ColumnRespelled:
    """The name of a column or a field is written in another case.

    Spark matches names without case. Clients that do not, such as pandas, polars and readers of Parquet files, do not
    find it. An existing table keeps its spelling, and a table that is created has the new one.

    Remedy: Keep the spelling, or let such clients take both before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint")])
        new = Table("dev", "silver", "orders", [Column("ID", "bigint")])
    """

    code = "DC112"


class ColumnMoved:
    """A column has a different position, and the contract manages the order.

    Remedy: Name the columns in jobs that use positions, before the release.

    Example:
        id, day = Column("id", "bigint"), Column("day", "date")
        old = Table("dev", "silver", "orders", [id, day])
        new = Table("dev", "silver", "orders", [day, id], column_order="manage")
    """

    code = "DC113"


class ColumnOrderNotKept:
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


class DefaultChanged:
    """A column has a different default, gets one, or loses it.

    Existing rows keep their values. Writes that leave the column out have the new default, or are refused if the
    column is NOT NULL and has none.

    Remedy: Let the writers give the value before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("v", "int", default=1)])
        new = Table("dev", "silver", "orders", [Column("v", "int", default=2)])
    """

    code = "DC115"


class GenerationChanged:
    """A column is generated or an identity in a different way.

    Writes of an own value to an identity that is always generated are refused, and a generated column refuses all but
    its expression. Delta changes no table so (Delta 4.4.0).

    Remedy: Declare what the table has, or release a new table under a new name.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint", identity=True)])
    """

    code = "DC116"
