"""Rewrite the rows of a table in another layout, in one commit that keeps everything else about the table.

A replacing CREATE TABLE AS would lose NOT NULL, comments, properties, constraints and the table's id. So the rows of
one version are written again under the table's own metadata with another layout, and replace the old files
(Delta 4.4.0: with deletion vectors, column mapping, row tracking, generated and identity columns). As in OPTIMIZE, the
commit says that no data has changed, so streams and the change data feed do not show the rows again.

Before the commit the written files are read back as the new version will read them, and their fingerprint is compared
with that of the old rows: a value that a partition cannot keep, or that is lost in any other way, stops the rewrite.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.spark.compat.delta_compat import Transaction, labelled
from pytest_delta_schema.backends.spark.compat.pyspark_compat import java_frame
from pytest_delta_schema.backends.spark.fingerprints import (
    SUBSTITUTE,
    TIME_ZONE,
    relation_of,
    settings,
    table_fingerprint,
)
from pytest_delta_schema.backends.spark.session_settings import UTC_PARTITION_VALUES
from pytest_delta_schema.delta.clustering import CLUSTERING_DOMAIN, may_be_clustered
from pytest_delta_schema.delta.column_mapping import physical_path
from pytest_delta_schema.delta.features import CLUSTERED
from pytest_delta_schema.delta.names.column_path import ColumnPath
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.progress import step
from pytest_delta_schema.sql.aspects.layout import texts_without_zone
from pytest_delta_schema.sql.data_check_queries import select_rows
from pytest_delta_schema.sql.fingerprint import difference
from pytest_delta_schema.sql.schemas_and_restores import select_all
from pytest_delta_schema.state.delta_log import columns_of_schema
from pytest_delta_schema.state.types import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import SparkSession

    from pytest_delta_schema.backends.spark.compat.gateway import Gateway
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.changes import LayoutRewrite
    from pytest_delta_schema.state.types import ColumnState


def rewrite_table_layout(gateway: Gateway, name: QualifiedName, change: LayoutRewrite) -> None:
    """Write all rows of a table again in another layout, if that changes no value.

    A concurrent write makes the commit fail, because the whole table counts as read. The rows are scanned
    three times: for the fingerprint before, for the write, and for the fingerprint of what was written.

    Raises:
        StatementError: If the written rows differ from those of the table; nothing was changed.
    """
    spark = gateway.spark
    transaction = Transaction(gateway, name)
    metadata = transaction.metadata()
    columns = columns_of_schema(json.loads(metadata["metaData"]["schemaString"]))
    paths = [physical_path(metadata["metaData"], path) for path in change.clustering]
    was_clustered = may_be_clustered(transaction.protocol()["protocol"])
    reading = _zone_of_reading(spark, transaction, metadata["metaData"], columns)
    transaction.update_metadata(_laid_out(metadata, change))
    source = select_rows(name, version=transaction.version)
    with step(escaped(f"{name}: reading all rows before the rewrite")):
        before = table_fingerprint(spark, source, columns, reading)
    zoned = {TIME_ZONE: reading, UTC_PARTITION_VALUES: "true"} if _names_instants(change, columns) else {}
    with settings(spark, {SUBSTITUTE: "false", **zoned}), step(escaped(f"{name}: writing all rows in the new layout")):
        written = transaction.write(java_frame(spark.sql(select_all(source))))
    with (
        relation_of(spark, written.rows()) as relation,
        step(escaped(f"{name}: reading back the rows that were written")),
    ):
        after = table_fingerprint(spark, relation, columns, reading)
    changed = difference(columns, before, after)
    if changed:
        written.remove()
        msg = f"{name}: the rewrite would change data: {changed}; nothing was changed, keep the layout and report this"
        raise StatementError(msg)
    added = written.actions()
    for action in added:
        action["add"]["dataChange"] = False
    domains = [_domain(paths)] if paths or was_clustered else []
    removals = transaction.removals(int(time.time() * 1000))
    transaction.commit(labelled(gateway, "REPLACE LAYOUT"), [*added, *domains], removals)


def _laid_out(metadata: dict[str, Any], change: LayoutRewrite) -> dict[str, Any]:
    inner = metadata["metaData"]
    configuration = {**inner["configuration"], **(CLUSTERED if change.clustering else {})}
    return {"metaData": {**inner, "partitionColumns": list(change.partitioning), "configuration": configuration}}


def _domain(paths: list[list[str]]) -> dict[str, Any]:
    configuration = json.dumps({"clusteringColumns": paths, "domainName": CLUSTERING_DOMAIN})
    return {"domainMetadata": {"domain": CLUSTERING_DOMAIN, "configuration": configuration, "removed": False}}


def _names_instants(change: LayoutRewrite, columns: Sequence[ColumnState]) -> bool:
    """Whether rows are written in UTC: timestamps are partition columns, and nothing else depends on a time zone.

    Spark names the folder of a timestamp by its local time, which is ambiguous when clocks are set back. Generated
    columns are computed again and may depend on the session's zone; the fingerprint finds timestamps that change then.
    """
    generates = any(column.value is not None and column.value.generated is not None for column in columns)
    return bool(_timestamps(change.partitioning, columns)) and not generates


def _timestamps(names: Iterable[str], columns: Sequence[ColumnState]) -> list[str]:
    """Return those of some columns that hold instants."""
    stored = [(name, find(columns, (name,))) for name in names]
    return [name for name, column in stored if column is not None and column.data_type == "timestamp"]


def _zone_of_reading(
    spark: SparkSession, transaction: Transaction, metadata: dict[str, Any], columns: Sequence[ColumnState]
) -> str:
    """Return the time zone in which the partition values of a table are read: UTC, if it makes no difference.

    Delta before 3.2, or with a setting, wrote timestamps of partitions without a zone; readers use the zone of their
    session for them.
    """
    zone = str(spark.conf.get(TIME_ZONE))
    timestamps = _timestamps(metadata["partitionColumns"], columns)
    if not timestamps or zone == "UTC":
        return "UTC"
    texts = [physical_path(metadata, ColumnPath(name))[0] for name in timestamps]
    return zone if transaction.files_match(texts_without_zone(texts)) else "UTC"
