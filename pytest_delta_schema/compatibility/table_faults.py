"""The changes of a contract that are judged, other than those of columns: as classes of the same form."""

from __future__ import annotations

from pytest_delta_schema.compatibility.roles import ContractFault, row


class CheckAdded(ContractFault):
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
    cells = row("safe", "predicted", "computed", "computed")
    to_writers = "are refused where they violate it"


class CheckDropped(ContractFault):
    """A CHECK constraint is no longer in the contract, or has a different condition.

    Rows that it refused may come, if the new contract does not imply it as with a new check.

    Remedy: Let the readers expect such rows before the release.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns, checks=[Check("positive", "id > 0")])
        new = Table("dev", "silver", "orders", columns)
    """

    code = "DC121"
    cells = row("computed", "safe predicted predicted", "safe")
    to_readers = "may have rows that it refused before"


class ConstraintKeyAdded(ContractFault):
    """A primary key, a UNIQUE constraint or a foreign key is new, or has other columns.

    Delta enforces no keys, so nothing refuses duplicates or rows without a parent; the next apply finds them.

    Remedy: Let the writers satisfy it before the release.

    Example:
        columns = [Column("id", "bigint", is_nullable=False)]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, primary_key=["id"])
    """

    code = "DC122"
    cells = row("safe", "safe", "dangerous")
    to_writers = "may violate it, and nothing refuses the rows"


class RelyKeyAdded(ContractFault):
    """A key with RELY is new, or has other columns.

    Databricks optimizes queries on the assumption that the key holds, so results are wrong where rows violate it.
    Nothing refuses such rows.

    Remedy: Declare the key without ``rely`` first, and add it in a later release.

    Example:
        columns = [Column("id", "bigint", is_nullable=False)]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, primary_key=PrimaryKey(["id"], rely=True))
    """

    code = "DC123"
    cells = row("dangerous", "safe", "dangerous")
    to_readers = "have wrong results where rows violate it"
    to_writers = "may violate it, and nothing refuses the rows"


class ConstraintKeyDropped(ContractFault):
    """A primary key, a UNIQUE constraint or a foreign key is no longer in the contract.

    Duplicates, or rows without a parent, may come, and joins multiply rows.

    Remedy: Let the readers expect such rows before the release.

    Example:
        columns = [Column("id", "bigint", is_nullable=False)]
        old = Table("dev", "silver", "orders", columns, primary_key=["id"])
        new = Table("dev", "silver", "orders", columns)
    """

    code = "DC124"
    cells = row("dangerous", "safe", "safe")
    to_readers = "may have rows that violate it"


class RelyAdded(ContractFault):
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
    cells = row("dangerous", "safe", "safe")
    to_readers = "have wrong results where rows violate it"


class PartitioningChanged(ContractFault):
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
    cells = row("computed", "predicted", "computed", "computed")


class ClusteringChanged(ContractFault):
    """The table is clustered by other columns.

    New rows are written in another layout; results stay the same.

    Remedy: Nothing has to be upgraded if the clients know the table feature ``clustering``.

    Example:
        columns = [Column("id", "bigint"), Column("day", "date")]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, clustered_by=["day"])
    """

    code = "DC131"
    cells = row("safe", "predicted", "computed", "computed")


class ChangeFeedDisabled(ContractFault):
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
    cells = row("safe", "safe predicted breaking", "safe")
    to_streams = "cannot read later changes from the feed"


class AppendOnlyDisabled(ContractFault):
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
    cells = row("dangerous", "dangerous", "safe")
    to_readers = "may have rows that change and disappear"
    to_streams = "fail at the first commit that changes or removes rows, or read it from the feed"


class RetentionShortened(ContractFault):
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
    cells = row("dangerous", "dangerous", "safe")
    to_readers = "travel back less far in time"
    to_streams = "cannot continue after they were stopped for longer than that"


class PropertyChanged(ContractFault):
    """A table property has a different value, and none of the other codes is about it.

    Remedy: Try the change on a copy of the table if streams over it were not recorded.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns, table_properties={"team": "sales"})
        new = Table("dev", "silver", "orders", columns, table_properties={"team": "finance"})
    """

    code = "DC135"
    cells = row("safe", "predicted", "computed")


class FeatureEnabled(ContractFault):
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
    cells = row("safe safe computed", "predicted", "computed", "computed")


class ColumnMappingDropped(ContractFault):
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
    cells = row("safe", "predicted", "computed")


class CommitsManagedByCatalog(ContractFault):
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
    cells = row("breaking", "breaking", "breaking", "computed")
    to_readers = to_streams = to_writers = "see only what the catalog has published, or fail"


class OtherFormatDisabled(ContractFault):
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
    cells = row("dangerous", "predicted", "computed", "dangerous")
    to_readers = to_clients = "see no further commit if they read it as Iceberg or Hudi"


class CommentChanged(ContractFault):
    """The comment of the table, or of a column, differs.

    Streams that track schemas may have to be started again.

    Remedy: Nothing has to be upgraded.

    Example:
        old = Table("dev", "silver", "orders", [Column("id", "bigint")])
        new = Table("dev", "silver", "orders", [Column("id", "bigint", comment="Order ID")])
    """

    code = "DC139"
    cells = row("safe", "safe predicted safe", "safe")


class TagChanged(ContractFault):
    """A tag of the table, or of a column, differs.

    Remedy: Nothing has to be upgraded.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, tags={"owner": "sales"})
    """

    code = "DC140"
    cells = CommentChanged.cells


class ConvertedToDelta(ContractFault):
    """Files that were not a Delta table become one.

    Readers and writers of the files see removed rows, or damage the table.

    Remedy: Let everybody use the table instead of the files before the release.

    Example:
        columns = [Column("id", "bigint")]
        new = Table("dev", "silver", "orders", columns, convert_from=Parquet("/lake/orders"))
    """

    code = "DC141"
    cells = row("dangerous dangerous breaking", "predicted", "breaking")
    to_readers = "see removed rows if they read the files"
    to_writers = "damage the table if they write files"


class TableRemoved(ContractFault):
    """The table is no longer in the contract.

    A new table of equal columns is named, because it may be the same one under a new name.

    Remedy: Keep the table for one more release, or consent to the break.

    Example:
        old, new = Table("dev", "silver", "orders", [Column("id", "bigint")]), None
    """

    code = "DC142"
    cells = row("breaking", "breaking", "breaking")
    to_readers = to_streams = to_writers = "find no table"


class TableIntroduced(ContractFault):
    """The table is new, so it can break nobody.

    Remedy: Nothing has to be upgraded.

    Example:
        old, new = None, Table("dev", "silver", "orders", [Column("id", "bigint")])
    """

    code = "DC143"
    cells = row("safe", "safe", "safe")


class AspectNotOwned(ContractFault):
    """The contract no longer manages an aspect that it has managed.

    It is no longer promised, and nobody aligns the table with it.

    Remedy: Keep the aspect in ``owns``, or let its users check it themselves.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, owns={"types": "ignore"})
    """

    code = "DC144"
    cells = row("dangerous", "dangerous", "safe")
    to_readers = to_streams = "have no promise any more"


class AdditiveEvolution(ContractFault):
    """The contract accepts undeclared columns, and did not before.

    Columns come that are not in the contract, and those that leave it are not dropped.

    Remedy: Let readers name their columns before the release.

    Example:
        columns = [Column("id", "bigint")]
        old = Table("dev", "silver", "orders", columns)
        new = Table("dev", "silver", "orders", columns, evolution="additive")
    """

    code = "DC145"
    cells = row("dangerous", "dangerous", "safe")
    to_readers = to_streams = "meet columns that are not in the contract"


class DeprecationBackdated(ContractFault):
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
    cells = row("dangerous", "dangerous", "dangerous")
    to_readers = to_streams = to_writers = "are told later than it says"


class SunsetMovedNearer(ContractFault):
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
    cells = row("dangerous", "dangerous", "dangerous")
    to_readers = to_streams = to_writers = "have less time to do without it than was announced"
