"""Changes of layout, properties and the contract itself, as a contract over time judges them."""

from __future__ import annotations


class PartitioningChanged:
    """The table is partitioned by other columns.

    All data is written again. Overwrites of partitions replace other rows, and ``partitionBy`` of the old columns is
    refused.

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

    Remedy: Try the change with the fixture ``delta_stream_probe`` if streams over it were not recorded.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns, table_properties={"team": "sales"})
        new = Table("dev", "silver", "orders", columns, table_properties={"team": "finance"})
    """

    code = "DC135"


class FeatureEnabled:
    """A property enables a table feature, or raises a version of the protocol.

    Clients that do not know the feature can no longer write the table, or not even read it.

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
