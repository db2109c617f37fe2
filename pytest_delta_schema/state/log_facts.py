"""The newest version of a Delta log, from which the state of a table and its catalog entry follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta.logs.well_formed import well_formed_schema, with_texts
from pytest_delta_schema.delta.protocol import commits_are_in_catalog, protocol_properties
from pytest_delta_schema.state.catalog_entry import LogState
from pytest_delta_schema.state.delta_log import LogSchema, columns_of_schema, state_from_metadata

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.delta.clustering import Paths
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


@dataclass(frozen=True, slots=True)
class LogFacts:
    """The newest version of a log."""

    metadata: Mapping[str, Any]
    protocol: Mapping[str, Any]
    clustering: Paths = ()
    """Its clustering columns, by their physical names."""
    version: int | None = None
    """Its number; ``None`` if it is not known."""
    schema: LogSchema | None = None
    """The schema of ``metadata``, if it has been read already."""

    @property
    def is_catalog_managed(self) -> bool:
        """Whether the catalog commits to the log, so its files may lack the newest commits."""
        return commits_are_in_catalog(key for key, _ in protocol_properties(self.protocol))

    @property
    def columns(self) -> tuple[ColumnState, ...]:
        """The columns of the table."""
        return (self.schema or LogSchema.of(self.metadata)).columns

    def well_formed(self) -> LogFacts:
        """Read the schema, and require the metadata and the protocol to be well-formed.

        Numbers and booleans become texts where Spark reads texts.

        Raises:
            MalformedLog: If they are not.
        """
        metadata = with_texts(self.metadata)
        parsed = well_formed_schema(metadata, self.protocol)
        return replace(self, metadata=metadata, schema=LogSchema(parsed, columns_of_schema(parsed)))

    def state(self, name: QualifiedName) -> TableState:
        """Return the state of the table."""
        return state_from_metadata(
            name,
            metadata=self.metadata,
            protocol=self.protocol,
            clustering=self.clustering,
            version=self.version,
            schema=self.schema,
        )

    def shown(self, columns: tuple[ColumnState, ...] | None = None) -> LogState:
        """Return what the catalog entry of the table should show.

        ``columns`` are those of the state, if it has been read already.
        """
        return LogState(
            schema=self.metadata["schemaString"],
            columns=self.columns if columns is None else columns,
            comment=self.metadata.get("description") or "",
            partitioning=tuple(self.metadata.get("partitionColumns") or ()),
            configuration=MappingProxyType(dict(self.metadata.get("configuration") or {})),
            version=-1 if self.version is None else self.version,
            is_catalog_managed=self.is_catalog_managed,
        )
