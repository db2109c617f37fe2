"""The newest version of a Delta log, from which the state of a table and its catalog entry follow."""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.state.catalog_entry import LogState
from pytest_delta_schema.state.delta_log import columns_of_schema, state_from_metadata

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.delta.clustering import Paths
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


@dataclass(frozen=True, slots=True)
class LogFacts:
    """The newest version of a log.

    Args:
        metadata: Its ``metaData`` action.
        protocol: Its ``protocol`` action.
        clustering: Its clustering columns, by their physical names.
        version: Its number; ``None`` if it is not known.
    """

    metadata: Mapping[str, Any]
    protocol: Mapping[str, Any]
    clustering: Paths = ()
    version: int | None = None

    def state(self, name: QualifiedName) -> TableState:
        """Return the state of the table."""
        return state_from_metadata(
            name,
            metadata=self.metadata,
            protocol=self.protocol,
            clustering=self.clustering,
            version=self.version,
        )

    def shown(self, columns: tuple[ColumnState, ...] | None = None) -> LogState:
        """Return what the catalog entry of the table should show.

        Args:
            columns: Those of the state, if it has been read already.
        """
        schema = self.metadata["schemaString"]
        return LogState(
            schema=schema,
            columns=columns_of_schema(json.loads(schema)) if columns is None else columns,
            comment=self.metadata.get("description") or "",
            partitioning=tuple(self.metadata.get("partitionColumns") or ()),
            configuration=MappingProxyType(dict(self.metadata.get("configuration") or {})),
            version=-1 if self.version is None else self.version,
        )
