"""The changes of a contract that are judged: each is a class with a code, whose docstring explains it."""

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

    Writers that Spark casts for are refused where a value does not fit (``CAST_OVERFLOW``, ``CAST_INVALID_INPUT``,
    ``DELTA_EXCEED_CHAR_VARCHAR_LIMIT``), or store what is left of it: a ``float`` for a ``double``, the day of a
    ``timestamp``, a text that ``char`` has padded.

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

    Joins, comparisons and counts have other results where NULL comes. Nothing changes if a check of the new contract
    forbids NULL.

    Remedy: Let the readers expect NULL before the release.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
        new = Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DC108"


class NullForbidden:
    """A column, a field or an element is NOT NULL, and could be NULL before.

    Writes that leave it NULL are refused. Nothing changes if a check of the released contract forbids NULL.

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

    Existing rows keep their values. Writes that leave the column out store the new default, or are refused if the
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
    its expression. Writes that leave the column out store other values. Delta changes no table so (Delta 4.4.0).

    Remedy: Declare what the table has, or release a new table under a new name.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint", identity=True)])
    """

    code = "DC116"


class FieldOrderChanged:
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


class CheckAdded:
    """A CHECK constraint is new, or has a different condition.

    Writes that violate it are refused, and clients that write have to know the table feature ``checkConstraints``. No
    writer is affected if the released contract implies it: by NOT NULL, an equal check, or checks of one column against
    constants. Where that is not known, and no row either that violates it, it is ``dangerous``.

    Remedy: Let the writers satisfy it before the release.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, checks=[Check("positive", "id > 0")])
    """

    code = "DC120"


class CheckDropped:
    """A CHECK constraint is no longer in the contract, or has a different condition.

    Rows that it refused may come, if the new contract does not imply it as with a new check.

    Remedy: Let the readers expect such rows before the release.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns, checks=[Check("positive", "id > 0")])
        new = Table("dev", "silver", "orders", columns)
    """

    code = "DC121"


class ConstraintKeyAdded:
    """A primary key, a UNIQUE constraint or a foreign key is new, or has other columns.

    Delta enforces no keys, so nothing refuses duplicates or rows without a parent; the next apply finds them.

    Remedy: Let the writers satisfy it before the release.

    Example:
        columns = [Column("id", "bigint", is_nullable=False)]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, primary_key=["id"])
    """

    code = "DC122"


class RelyKeyAdded:
    """A key with RELY is new, or has other columns.

    Databricks optimizes queries on the assumption that the key holds, so results are wrong where rows violate it.
    Nothing refuses such rows.

    Remedy: Declare the key without ``rely`` first, and add it in a later release.

    Example:
        columns = [Column("id", "bigint", is_nullable=False)]
        old = Table("dev", "silver", "orders", columns)
        new = Table(
            "dev", "silver", "orders", columns, primary_key=PrimaryKey(["id"], rely=True)
        )
    """

    code = "DC123"


class ConstraintKeyDropped:
    """A primary key, a UNIQUE constraint or a foreign key is no longer in the contract.

    Duplicates, or rows without a parent, may come, and joins multiply rows.

    Remedy: Let the readers expect such rows before the release.

    Example:
        columns = [Column("id", "bigint", is_nullable=False)]
        old = Table("dev", "silver", "orders", columns, primary_key=["id"])
        new = Table("dev", "silver", "orders", columns)
    """

    code = "DC124"


class RelyAdded:
    """An existing key gets RELY.

    Databricks optimizes queries on the assumption that the key holds, so results are wrong where rows violate it.

    Remedy: Check the rows before the release.

    Example:
        columns = [Column("id", "bigint", is_nullable=False)]
        key, relied = PrimaryKey(["id"], name="pk"), PrimaryKey(["id"], name="pk", rely=True)
        old = Table("dev", "silver", "orders", columns, primary_key=key)
        new = Table("dev", "silver", "orders", columns, primary_key=relied)
    """

    code = "DC125"


class PartitioningChanged:
    """The table is partitioned by other columns.

    All data is written again. Overwrites of partitions replace other rows, and ``partitionBy`` of the old columns is
    refused. An empty text or binary value becomes NULL in a column of the partitioning, and an empty text is refused
    if the column is NOT NULL (Delta 4.4.0).

    Remedy: Stop the writers that overwrite partitions, release, and upgrade them.

    Example:
        columns = [Column("id", "bigint"), Column("day", "date")]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, partitioned_by=["day"])
    """

    code = "DC130"


class ClusteringChanged:
    """The table is clustered by other columns.

    New rows are written in another layout; results stay the same.

    Remedy: Nothing has to be upgraded if the clients know the table feature ``clustering``.

    Example:
        columns = [Column("id", "bigint"), Column("day", "date")]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, clustered_by=["day"])
    """

    code = "DC131"


class ChangeFeedDisabled:
    """The change data feed is switched off, or no longer declared.

    Changes that are written from then on are not in the feed, and nobody can read them from it later.

    Remedy: Stop the streams of the feed before the release, or keep it.

    Example:
        columns = [Column("id", "bigint")]
        before, after = {"delta.enableChangeDataFeed": "true"}, {"delta.enableChangeDataFeed": "false"}
        old = Table("dev", "silver", "orders", columns, table_properties=before)
        new = Table("dev", "silver", "orders", columns, table_properties=after)
    """

    code = "DC132"


class AppendOnlyDisabled:
    """The table is no longer append-only, or that is no longer declared.

    Rows may change and disappear. A stream fails at the first commit that does so.

    Remedy: Let readers and streams take changed rows, such as with ``skipChangeCommits``, before the release.

    Example:
        columns = [Column("id", "bigint")]
        before, after = {"delta.appendOnly": "true"}, {"delta.appendOnly": "false"}
        old = Table("dev", "silver", "orders", columns, table_properties=before)
        new = Table("dev", "silver", "orders", columns, table_properties=after)
    """

    code = "DC133"


class RetentionShortened:
    """Old versions, or the files of removed rows, are kept for a shorter time.

    Time travel reaches less far back, and a stream that was stopped for longer cannot continue.

    Remedy: Check how far back readers and streams go, before the release.

    Example:
        columns, kept = [Column("id", "bigint")], "delta.logRetentionDuration"
        before, after = {kept: "interval 30 days"}, {kept: "interval 7 days"}
        old = Table("dev", "silver", "orders", columns, table_properties=before)
        new = Table("dev", "silver", "orders", columns, table_properties=after)
    """

    code = "DC134"


class PropertyChanged:
    """A table property has a different value, and none of the other codes is about it.

    Remedy: Try the change on a copy of the table if streams over it were not recorded.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns, table_properties={"team": "sales"})
        new = Table("dev", "silver", "orders", columns, table_properties={"team": "finance"})
    """

    code = "DC135"


class FeatureEnabled:
    """A property enables a table feature, or raises a version of the protocol.

    Clients that do not know the feature can no longer write the table, or not even read it, and neither can readers of
    its path that do not know it. A version counts as the features that it implies; the highest one names them.

    Remedy: List the clients in ``clients``, and upgrade those that do not know the feature before the release.

    Example:
        columns = [Column("id", "bigint")]
        vectors = {"delta.enableDeletionVectors": "true"}
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, table_properties=vectors)
    """

    code = "DC136"


class ColumnMappingDropped:
    """Column mapping is switched off, so all data is written again.

    Streams cannot continue over it.

    Remedy: Start the streams with a new checkpoint after the release.

    Example:
        columns = [Column("id", "bigint")]
        before, after = {"delta.columnMapping.mode": "name"}, {"delta.columnMapping.mode": "none"}
        old = Table("dev", "silver", "orders", columns, table_properties=before)
        new = Table("dev", "silver", "orders", columns, table_properties=after)
    """

    code = "DC137"


class CommitsManagedByCatalog:
    """Commits of the table are managed by the catalog.

    Who reads or writes the path of the table sees only what the catalog has published, and engines without such
    commits fail.

    Remedy: Let everybody use the table by its name, with an engine that knows ``catalogManaged``, before the release.

    Example:
        columns = [Column("id", "bigint")]
        managed = {"delta.feature.catalogManaged": "supported"}
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, table_properties=managed)
    """

    code = "DC138"


class OtherFormatDisabled:
    """The table can no longer be read as Iceberg or Hudi: UniForm is switched off, or no longer declared.

    Who reads it in the other format sees no further commit, and nothing fails.

    Remedy: Let the readers of the other format read the Delta table before the release.

    Example:
        columns = [Column("id", "bigint")]
        formats = {"delta.universalFormat.enabledFormats": "iceberg"}
        old = Table("dev", "silver", "orders", columns, table_properties=formats)
        new = Table("dev", "silver", "orders", columns)
    """

    code = "DC147"


class DeprecationBackdated:
    """A deprecation that is announced now claims to be older than the released contract, which does not have it.

    Nobody could read it before this release, so its notice counts from then.

    Remedy: Write the day of the release as ``since``.

    Example:
        from datetime import date

        announced, released_on = Deprecated(date(2020, 1, 31)), date(2026, 1, 31)
        old = Table("dev", "silver", "orders", [Column("note", "string")])
        new = Table("dev", "silver", "orders", [Column("note", "string", deprecated=announced)])
    """

    code = "DC148"


class CommentChanged:
    """The comment of the table, or of a column, differs.

    Streams that track schemas may have to be started again.

    Remedy: Nothing has to be upgraded.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint", comment="Order ID")])
    """

    code = "DC139"


class TagChanged:
    """A tag of the table, or of a column, differs.

    Remedy: Nothing has to be upgraded.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, tags={"owner": "sales"})
    """

    code = "DC140"


class ConvertedToDelta:
    """Files that were not a Delta table become one.

    Readers and writers of the files see removed rows, or damage the table.

    Remedy: Let everybody use the table instead of the files before the release.

    Example:
        new = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], convert_from=Parquet("/lake/orders")
        )
    """

    code = "DC141"


class TableRemoved:
    """The table is no longer in the contract.

    A new table of equal columns is named, because it may be the same one under a new name.

    Remedy: Keep the table for one more release, or consent to the break.

    Example:
        old, new = Table("dev", "silver", "orders", [Column("id", "bigint")]), None
    """

    code = "DC142"


class TableIntroduced:
    """The table is new, so it can break nobody.

    Remedy: Nothing has to be upgraded.

    Example:
        old, new = None, Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DC143"


class AspectNotOwned:
    """The contract no longer manages an aspect that it has managed.

    It is no longer promised, and nobody aligns the table with it.

    Remedy: Keep the aspect in ``owns``, or let its users check it themselves.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, owns={"types": "ignore"})
    """

    code = "DC144"


class AdditiveEvolution:
    """The contract accepts undeclared columns, and did not before.

    Columns come that are not in the contract, and those that leave it are not dropped.

    Remedy: Let readers name their columns before the release.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, evolution="additive")
    """

    code = "DC145"


class SunsetMovedNearer:
    """A deprecated column or table may be gone earlier than announced.

    Its sunset is an earlier day than in the released contract, or is no longer said.

    Remedy: Keep the announced day, or tell everybody who uses it.

    Example:
        from datetime import date

        announced = Deprecated(date(2026, 1, 31), sunset=date(2026, 12, 31))
        earlier = Deprecated(date(2026, 1, 31), sunset=date(2026, 6, 30))
        old = Table("dev", "silver", "orders", [Column("note", "string", deprecated=announced)])
        new = Table("dev", "silver", "orders", [Column("note", "string", deprecated=earlier)])
    """

    code = "DC146"
