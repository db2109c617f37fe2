"""Read commits and older states of a table from the files of its Delta log, without a JVM."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.problems import is_damaged, problem
from pytest_delta_schema.delta.clustering import Paths, clustering_in, may_be_clustered
from pytest_delta_schema.delta.log_listing import LogListing, checksum_name, commit_name
from pytest_delta_schema.errors import CatalogReadError, StatementError, because
from pytest_delta_schema.faults import UnreadableTable
from pytest_delta_schema.state.commits import commit_of
from pytest_delta_schema.state.log_facts import LogFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_delta_schema.backends.log_files import LogFiles, LogReader
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.commits import Commit
    from pytest_delta_schema.state.states import TableState

_STATED = frozenset({"metaData", "protocol"})
_MALFORMED = (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError)
"""What reading a commit raises if it is not as Delta's protocol says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitLog:
    """The commits of one table.

    Args:
        table: The table.
        log: Reads the files of its log.
        versions: The versions whose commits are there, in order.
    """

    table: QualifiedName
    log: LogReader
    versions: tuple[int, ...]

    @classmethod
    def of(cls, table: QualifiedName, log: LogFiles) -> CommitLog:
        """Return the commits in a log that can be listed.

        Args:
            table: The table.
            log: Its log.

        Raises:
            CatalogReadError: If it cannot be listed.
        """
        try:
            listing = LogListing.of(log.names())
        except OSError as error:
            raise _unreadable(table, because(error)) from error
        return cls(table=table, log=log, versions=tuple(sorted(listing.commits)))

    def commits(self, first: int = 0) -> tuple[Commit, ...]:
        """Return the commits from one version on, the oldest first.

        Raises:
            CatalogReadError: If one of them cannot be read.
        """
        try:
            return tuple(commit_of(version, self._actions(version)) for version in self.versions if version >= first)
        except _MALFORMED as error:
            raise CatalogReadError([is_damaged(self.table, error)]) from error

    def state_at(self, version: int) -> TableState:
        """Return the state of the table in one version.

        Raises:
            CatalogReadError: If the version does not exist, or the commits that set its metadata are gone.
        """
        if version not in self.versions:
            known = f"from {self.versions[0]} to {self.versions[-1]}" if self.versions else "of which none is left"
            fact = f"its log has no commit of version {version}; it has those {known}"
            raise CatalogReadError([problem(UnreadableTable, self.table, fact, "give one of them")])
        try:
            return (self._in_checksum(version) or self._in_commits(version)).state(self.table)
        except _MALFORMED as error:
            raise CatalogReadError([is_damaged(self.table, error)]) from error

    def _in_checksum(self, version: int) -> LogFacts | None:
        """Return what the checksum file of a version holds; ``None`` if it has none, or one of another form."""
        try:
            checksum = json.loads(self.log.read(checksum_name(version)))
            domains = checksum.get("domainMetadata") or ()
            return LogFacts(checksum["metadata"], checksum["protocol"], clustering_in(domains) or (), version)
        except (OSError, StatementError, *_MALFORMED):
            return None

    def _in_commits(self, version: int) -> LogFacts:
        """Return the newest metadata in the commits up to a version."""
        known: dict[str, Mapping[str, Any]] = {}
        clustering: Paths | None = None
        for number in range(version, -1, -1):
            if number not in self.versions:
                fact = f"the metadata of version {version} is in commit {number}, which its log does not hold any more"
                raise CatalogReadError([problem(UnreadableTable, self.table, fact, "read a newer version")])
            actions = list(self._actions(number))
            known = {kind: value for action in actions for kind, value in action.items() if kind in _STATED} | known
            if clustering is None:
                clustering = clustering_in(action["domainMetadata"] for action in actions if "domainMetadata" in action)
            is_stated = len(known) == len(_STATED)
            if is_stated and (clustering is not None or not may_be_clustered(known["protocol"])):
                break
        return LogFacts(known["metaData"], known["protocol"], clustering or (), version)

    def _actions(self, version: int) -> Iterator[Mapping[str, Any]]:
        try:
            content = self.log.read(commit_name(version))
        except (OSError, StatementError) as error:
            raise _unreadable(self.table, because(error)) from error
        return (json.loads(line) for line in content.splitlines() if line.strip())


def _unreadable(table: QualifiedName, reason: str) -> CatalogReadError:
    fact = f"its Delta log cannot be read ({reason})"
    return CatalogReadError([problem(UnreadableTable, table, fact, "restore it, or the permission to read it")])
