"""Liquid clustering: where Delta keeps its columns, and how many there may be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Paths = Sequence[Sequence[str]]
"""Clustering columns, each as a path of physical names."""

CLUSTERING_DOMAIN = "delta.clustering"
"""The domain of a log that holds the clustering columns (Delta's protocol)."""

CLUSTERING_PROPERTY = "clusteringColumns"
"""The property in which SHOW TBLPROPERTIES lists the clustering columns, as paths in JSON; no log has it."""

_FEATURE = "clustering"


def may_be_clustered(protocol: Mapping[str, Any]) -> bool:
    """Whether a table may have clustering columns, which are then in domain metadata of its log."""
    return _FEATURE in (protocol.get("writerFeatures") or ())


def clustering_in(domains: Iterable[Mapping[str, Any]]) -> Paths | None:
    """Return the clustering columns; none if their domain was removed, ``None`` if it is not among ``domains``.

    The domains are ``domainMetadata`` actions of a log; the last one of a domain counts.
    """
    paths: Paths | None = None
    for domain in domains:
        if domain["domain"] == CLUSTERING_DOMAIN:
            paths = () if domain.get("removed") else json.loads(domain["configuration"])[CLUSTERING_PROPERTY]
    return paths
