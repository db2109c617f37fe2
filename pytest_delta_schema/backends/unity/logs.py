"""Read the Delta log of an external table with deltalake: no JVM, no Spark, checkpoints included."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.local_log import LocalLog, local_folder
from pytest_delta_schema.backends.log_damage import damage_of
from pytest_delta_schema.backends.unity.log_folder import LogFolder
from pytest_delta_schema.errors import BackendUnavailableError, StatementError, because
from pytest_delta_schema.redaction import HiddenValues, redacted_uri
from pytest_delta_schema.state.delta_log import columns_of_schema
from pytest_delta_schema.state.log_facts import LogFacts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.state.catalog_entry import LogState
    from pytest_delta_schema.state.delta_log import Paths
    from pytest_delta_schema.state.types import ColumnState

_PANIC = "PanicException"

_CLUSTERING = "clustering"
"""The feature of tables whose clustering columns stand in a domain of the log."""


class Log:
    """The newest version of one log.

    Args:
        location: Where the table lies.
        options: How deltalake gets there.
        hidden: Takes secrets out of a text.

    Raises:
        BackendUnavailableError: If the extra is not installed.
        StatementError: If there is no log, or it cannot be read.
    """

    def __init__(self, location: str, options: Mapping[str, str], hidden: Any = str) -> None:
        try:
            from deltalake import DeltaTable
            from deltalake.exceptions import DeltaError, TableNotFoundError
        except ImportError as error:
            msg = "the unity backend needs deltalake, which is not installed; pip install 'pytest-delta-schema[unity]'"
            raise BackendUnavailableError(msg) from error
        self._location = location
        self._options = HiddenValues(options)
        said = ""
        try:
            self._table = DeltaTable(location, storage_options=self._options or None)
            self._metadata = _metadata(self._table)
            self._protocol = _protocol(self._table.protocol())
            self.version = self._table.version()
        except TableNotFoundError as error:
            place = redacted_uri(location)
            msg = f"there is no Delta log at {place}; restore the files, or drop the table from the catalog"
            raise StatementError(msg, condition="NO_LOG") from error
        except BaseException as error:
            # A panic of deltalake's inside is no Exception, and has no class that could be imported.
            if not isinstance(error, (DeltaError, OSError, ValueError, TypeError)) and type(error).__name__ != _PANIC:
                raise
            said = hidden(because(error))
        # Not chained: what deltalake says may hold what it was given.
        folder = local_folder(location)
        damage = damage_of(LogFolder(location, self._options) if folder is None else LocalLog(folder))
        if damage is not None and (damage.is_seen or not said):
            msg = f"{hidden(damage.message)}; {damage.remedy}"
            raise StatementError(msg, condition="DAMAGED_LOG")
        if said:
            place = redacted_uri(location)
            msg = f"its Delta log at {place} cannot be read ({said}); restore it, or the permission to read it"
            raise StatementError(msg, condition="UNREADABLE_LOG")

    def facts(self) -> LogFacts:
        """Return what it says."""
        return LogFacts(self._metadata, self._protocol, self._clustering(), self.version)

    def shown(self) -> LogState:
        """Return what a record should show, for which nobody has to look for the clustering columns."""
        return LogFacts(self._metadata, self._protocol, version=self.version).shown()

    def timestamp(self) -> int:
        """Return when the newest version was committed, in milliseconds since 1970."""
        return int(self._table.history(1)[0]["timestamp"])

    def schemas(self) -> list[tuple[ColumnState, ...]]:
        """Return the columns of all versions that commits and checkpoints of the log still tell of.

        Raises:
            StatementError: If one of them cannot be read.
        """
        folder = LogFolder(self._table.table_uri, self._options)
        try:
            return [columns_of_schema(json.loads(metadata["schemaString"])) for metadata in folder.metadata()]
        except (AttributeError, KeyError, OSError, TypeError, ValueError) as error:
            place = redacted_uri(self._location)
            msg = f"older commits of its Delta log at {place} cannot be read ({type(error).__name__})"
            raise StatementError(msg, condition="UNREADABLE_LOG") from None

    def _clustering(self) -> Paths:
        """Return the clustering columns, by physical names: deltalake shows no domains, so that the log is read."""
        if _CLUSTERING not in self._protocol["writerFeatures"]:
            return ()
        folder = LogFolder(self._table.table_uri, self._options)
        for version in range(self.version, -1, -1):
            found = folder.clustering(version)
            if found is not None:
                return found
        return ()


def _metadata(table: Any) -> dict[str, Any]:
    said = table.metadata()
    return {
        "schemaString": table.schema().to_json(),
        "description": said.description or "",
        "configuration": dict(said.configuration),
        "partitionColumns": list(said.partition_columns),
    }


def _protocol(said: Any) -> dict[str, Any]:
    return {
        "minReaderVersion": said.min_reader_version,
        "minWriterVersion": said.min_writer_version,
        "readerFeatures": sorted(said.reader_features or ()),
        "writerFeatures": sorted(said.writer_features or ()),
    }
