"""Another layout for the same rows, in one commit that keeps everything else about the table.

A replacing CREATE TABLE AS would lose NOT NULL, comments, properties, constraints and the table's id. So the rows of
one version are written anew under the table's own metadata with another layout, and take the place of the old files
(run on the released jars, with deletion vectors, column mapping, generated and identity columns). As in OPTIMIZE, the
commit says that no data has changed, so streams do not read the rows again.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.catalogs.spark.scala import action_of, commit, relabelled
from pytest_delta_schema.errors import BackendFailure
from pytest_delta_schema.plan.layout import CLUSTERING_FEATURE
from pytest_delta_schema.sql.demands import count_rows, rows_of
from pytest_delta_schema.sql.queries import select_all
from pytest_delta_schema.state.delta_log import CLUSTERING_DOMAIN, physical_path

if TYPE_CHECKING:
    from pytest_delta_schema.catalogs.spark.gateway import Gateway
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plan.changes import LayoutRewrite


_FEATURE = CLUSTERING_FEATURE.rpartition(".")[2]


def rewrite_layout(gateway: Gateway, name: QualifiedName, change: LayoutRewrite) -> None:
    """Write all rows of a table anew, laid out otherwise, and count them before and after.

    Whoever writes at the same time makes the commit fail, because the whole table counts as read.

    Args:
        gateway: To the session.
        name: The table.
        change: The new layout.

    Raises:
        BackendFailure: If not every row was written; nothing was changed.
    """
    transaction = gateway.load(name).startTransactionWithInitialSnapshot()
    rows = rows_of(name, version=transaction.snapshot().version())
    metadata = json.loads(transaction.metadata().json())
    paths = [physical_path(metadata["metaData"], path) for path in change.clustering]
    was_clustered = _FEATURE in transaction.protocol().json()
    transaction.updateMetadata(action_of(gateway, _laid_out(metadata, change)), False)  # noqa: FBT003 - Java has no names for arguments
    ((expected,),) = gateway.spark.sql(count_rows(rows, ())).collect()
    written = transaction.writeFiles(gateway.spark.sql(select_all(rows))._jdf)
    added = [json.loads(written.apply(index).json()) for index in range(written.size())]
    found = sum(json.loads(each["add"].get("stats") or "{}").get("numRecords", 0) for each in added)
    if found != expected:
        msg = f"{name}: {found} of {expected} rows would be written, so nothing was; report this"
        raise BackendFailure(msg)
    for each in added:
        each["add"]["dataChange"] = False
    replaced, now = transaction.filterFiles(), int(time.time() * 1000)
    removed = [replaced.apply(index).removeWithTimestamp(now, False) for index in range(replaced.size())]  # noqa: FBT003 - likewise
    domains = [_domain(paths)] if paths or was_clustered else []
    actions = [*(action_of(gateway, each) for each in (*added, *domains)), *removed]
    commit(gateway, transaction, actions, relabelled(gateway, "REPLACE LAYOUT"))


def _laid_out(metadata: dict[str, Any], change: LayoutRewrite) -> dict[str, Any]:
    inner = metadata["metaData"]
    features = dict.fromkeys((CLUSTERING_FEATURE, "delta.feature.domainMetadata"), "supported")
    configuration = {**inner["configuration"], **(features if change.clustering else {})}
    return {"metaData": {**inner, "partitionColumns": list(change.partitioning), "configuration": configuration}}


def _domain(paths: list[list[str]]) -> dict[str, Any]:
    configuration = json.dumps({"clusteringColumns": paths, "domainName": CLUSTERING_DOMAIN})
    return {"domainMetadata": {"domain": CLUSTERING_DOMAIN, "configuration": configuration, "removed": False}}
