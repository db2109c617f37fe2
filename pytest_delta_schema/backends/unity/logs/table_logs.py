"""Read the Delta log of a table, without a JVM: file by file, or with deltalake."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_delta_schema.backends.logs.local_log import LocalLog, local_folder
from pytest_delta_schema.backends.logs.log_damage import check_log, damage_of
from pytest_delta_schema.backends.logs.log_findings import CheckedLog, Doubt
from pytest_delta_schema.backends.logs.newest_version import newest_version
from pytest_delta_schema.backends.unity.logs.deltalake_compat import is_panic
from pytest_delta_schema.backends.unity.logs.log_folder import LogFolder, committed_at
from pytest_delta_schema.backends.unity.logs.repeated_reads import read_repeatedly
from pytest_delta_schema.backends.unity.problems import DAMAGED_LOG, NO_LOG
from pytest_delta_schema.delta.clustering import may_be_clustered
from pytest_delta_schema.delta.logs.well_formed import MalformedLog, fault_in_protocol
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, StatementError, first_line
from pytest_delta_schema.diagnostics.redaction import HiddenValues, redacted_uri
from pytest_delta_schema.state.delta_log import columns_of_schema
from pytest_delta_schema.state.log_facts import LogFacts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.backends.logs.log_files import LogFiles
    from pytest_delta_schema.delta.clustering import Paths
    from pytest_delta_schema.state.catalog_entry import LogState
    from pytest_delta_schema.state.types import ColumnState

_STATED = frozenset({"metaData", "protocol"})
_MALFORMED = (AttributeError, KeyError, OSError, TypeError, ValueError)
"""What reading a file of a log raises if it cannot be read or understood."""


class Log:
    """The newest version of one log.

    Local files are read as the local backend reads them. Others, and logs that only their checkpoint explains, are
    opened with deltalake. It opens no table with a type or a feature that it does not know; the files of such a log are
    parsed here.

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
        self._hidden = hidden
        self._folder = LogFolder(location, self._options)
        self._local: LogFacts | None = None
        folder = local_folder(location)
        self._files: LogFiles = self._folder if folder is None else LocalLog(folder)
        if folder is not None and self._read_local(folder):
            return
        reason = ""
        try:
            table = DeltaTable(location, storage_options=self._options or None)
            self._metadata: Mapping[str, Any] = _metadata(table)
            self._protocol: Mapping[str, Any] = _protocol(table.protocol())
            self.version = table.version()
            reason = fault_in_protocol(self._protocol)
        except TableNotFoundError as error:
            folder_uri = redacted_uri(location)
            msg = f"there is no Delta log at {folder_uri}; restore the files, or drop the table from the catalog"
            raise StatementError(msg, condition=NO_LOG) from error
        except BaseException as error:
            if not isinstance(error, (DeltaError, OSError, ValueError, TypeError)) and not is_panic(error):
                raise
            reason = hidden(first_line(error))
        # Not chained: messages of deltalake may repeat the options.
        damage = damage_of(self._files)
        if damage is not None and (damage.is_seen or not reason):
            msg = f"{hidden(damage.message)}; {damage.remedy}"
            raise StatementError(msg, condition=DAMAGED_LOG)
        if reason and not self._read_files():
            self._refuse(reason, "restore it, or the permission to read it")
        if self._folder.misnamed:
            self._refuse(*Doubt.of_name(self._folder.misnamed[0]))

    def _refuse(self, fact: str, remedy: str) -> NoReturn:
        msg = f"its Delta log at {redacted_uri(self._location)} cannot be read ({fact}); {remedy}"
        raise StatementError(msg, condition="UNREADABLE_LOG")

    def _read_local(self, folder: str) -> bool:
        """Read the newest version from the commits and the checksum in a local folder; return whether they suffice."""
        try:
            checked = check_log(LocalLog(folder))
            if isinstance(checked, Doubt):
                self._refuse(*checked)
            if not isinstance(checked, CheckedLog):
                return False
            facts = newest_version(checked)
            facts = None if facts is None else self._well_formed(facts, checked)
        except _MALFORMED:
            return False
        if facts is None or facts.version is None:
            return False
        self._local, self._metadata, self._protocol = facts, facts.metadata, facts.protocol
        self.version = facts.version
        return True

    def _well_formed(self, facts: LogFacts, checked: CheckedLog) -> LogFacts | None:
        """Return well-formed facts; ``None`` if only a checksum is malformed, which is ignored."""
        try:
            return facts.well_formed()
        except MalformedLog as error:
            name = _stating(checked)
            if name is None:
                return None
            self._refuse(f"{name} holds {error}, which Delta's protocol does not allow", "restore it from a backup")

    def _read_files(self) -> bool:
        """Read the newest version from the files; return whether that is possible."""
        try:
            self.version, metadata, protocol = self._folder.newest()
            facts = LogFacts(metadata, protocol).well_formed()
        except FileNotFoundError as error:
            self._refuse(self._hidden(first_line(error)), "read it again when the jobs that change it have ended")
        except _MALFORMED:
            return False
        self._metadata, self._protocol = facts.metadata, facts.protocol
        return True

    def facts(self) -> LogFacts:
        """Return the facts of the log.

        Raises:
            StatementError: If the files that hold its clustering columns cannot be read, or are those of another table.
        """
        return self._local or replace(self._unclustered, clustering=self._clustering)

    def shown(self) -> LogState:
        """Return the metadata that a catalog entry should have; it needs no clustering columns."""
        return self._unclustered.shown()

    @property
    def is_catalog_managed(self) -> bool:
        """Whether the catalog commits to the log, so its files may lack the newest commits."""
        return self._unclustered.is_catalog_managed

    @property
    def _unclustered(self) -> LogFacts:
        return self._local or LogFacts(self._metadata, self._protocol, version=self.version)

    def timestamp(self) -> int:
        """Return when the newest version was committed, in milliseconds since 1970; 0 if the log does not say so.

        Raises:
            StatementError: If its commit cannot be read.
        """
        return read_repeatedly(self._timestamp)

    def _timestamp(self) -> int:
        try:
            return committed_at(self._files, self.version)
        except _MALFORMED as error:
            self._refuse(f"the time of version {self.version}: {type(error).__name__}", "restore it from a backup")

    def schemas(self) -> list[tuple[ColumnState, ...]]:
        """Return the columns of all versions that the commits and checkpoints of the log still hold.

        Raises:
            StatementError: If one of the files cannot be read.
        """
        try:
            return [columns_of_schema(json.loads(metadata["schemaString"])) for metadata in self._folder.metadata()]
        except _MALFORMED as error:
            folder_uri = redacted_uri(self._location)
            msg = f"older commits of its Delta log at {folder_uri} cannot be read ({type(error).__name__})"
            raise StatementError(msg, condition="UNREADABLE_LOG") from None

    @cached_property
    def _clustering(self) -> Paths:
        """Return the physical names of clustering columns from the log, because deltalake does not return domains."""
        if not may_be_clustered(self._protocol):
            return ()
        try:
            result = (self._folder.clustering(version) for version in range(self.version, -1, -1))
            clustering = next((paths for paths in result if paths is not None), ())
        except FileNotFoundError:
            fact = f"commits up to version {self.version} are gone since it was opened"
            self._refuse(fact, "read it again when the jobs that change it have ended")
        except _MALFORMED as error:
            fact = f"the clustering columns of version {self.version}: {type(error).__name__}"
            self._refuse(fact, "restore it, or the permission to read it")
        # They are in other files than the metadata, which may be those of another table by now.
        again = Log(self._location, self._options, self._hidden)
        if again._metadata.get("id") != self._metadata.get("id"):
            self._refuse("the table was replaced while it was read", "read it again when that has ended")
        return clustering


def _stating(checked: CheckedLog) -> str | None:
    """Return the name of the newest commit that holds the metadata or the protocol; ``None`` if there is none."""
    commits = reversed(tuple(checked.commits.items()))
    return next((name for name, actions in commits if any(map(_STATED.intersection, actions))), None)


def _metadata(table: Any) -> dict[str, Any]:
    metadata = table.metadata()
    return {
        "id": str(metadata.id),
        "schemaString": table.schema().to_json(),
        "description": metadata.description or "",
        "configuration": dict(metadata.configuration),
        "partitionColumns": list(metadata.partition_columns),
    }


def _protocol(protocol: Any) -> dict[str, Any]:
    return {
        "minReaderVersion": protocol.min_reader_version,
        "minWriterVersion": protocol.min_writer_version,
        **({"readerFeatures": sorted(protocol.reader_features)} if protocol.reader_features is not None else {}),
        **({"writerFeatures": sorted(protocol.writer_features)} if protocol.writer_features is not None else {}),
    }
