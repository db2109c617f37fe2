"""States of tables from the commits and checksums of their Delta logs, without a JVM and without parquet."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_delta_schema.backends.concurrency import read_until_settled
from pytest_delta_schema.backends.logs.checks import check_log
from pytest_delta_schema.backends.logs.files import CheckedLog, Damage, Doubt
from pytest_delta_schema.backends.problems import MALFORMED, is_damaged, problem
from pytest_delta_schema.delta.fields import with_names_of
from pytest_delta_schema.delta.log_files import LogListing, checksum_name, commit_name, gaps
from pytest_delta_schema.delta.protocol import Paths, clustering_in, may_be_clustered, protocol_properties
from pytest_delta_schema.delta.well_formed import fault_in_protocol
from pytest_delta_schema.diagnostics.errors import CatalogReadError, Diagnostic, StatementError, first_line
from pytest_delta_schema.diagnostics.faults import DamagedTable, UnreadableTable
from pytest_delta_schema.state.delta_log import columns_of_schema
from pytest_delta_schema.state.log_facts import LogFacts, commit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_delta_schema.backends.logs.files import ListedLog, LocalFiles
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.log_facts import Commit
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


_DOMAINS = "domainMetadata"


def newest_version(checked: CheckedLog) -> LogFacts | None:
    """Return the newest version of a log; ``None`` if only its checkpoint, or another reader, can tell.

    A checksum holds the metadata, the protocol and the domains of its version, and a commit those that it changes
    (source: Delta's protocol). Delta reads the checksum and, if there is none, the log (Delta 4.4.0).
    """
    checksum = checked.checksum or {}
    known_metadata, known_protocol = checksum.get("metadata"), checksum.get("protocol")
    if contradicts_checksum(checked):
        return None
    metadata, protocol = _newest(checked, "metaData"), _newest(checked, "protocol")
    metadata = known_metadata if metadata is None else metadata
    protocol = known_protocol if protocol is None else protocol
    if not isinstance(metadata, dict) or not isinstance(protocol, dict):
        return None
    clustering = _clustering(checked, checksum) if may_be_clustered(protocol) else ()
    return None if clustering is None else LogFacts(metadata, protocol, clustering, checked.listing.newest)


def contradicts_checksum(checked: CheckedLog) -> bool:
    """Whether the newest checksum and the commits differ, so readers of either would see two different tables.

    Delta compares them when it lists the files of the table (Delta 4.4.0).
    """
    checksum = checked.checksum or {}
    known_metadata, known_protocol = checksum.get("metadata"), checksum.get("protocol")
    metadata, protocol = _newest(checked, "metaData"), _newest(checked, "protocol")
    if metadata is not None and isinstance(known_metadata, dict) and not _are_equal(metadata, known_metadata):
        return True
    if protocol is None or not isinstance(known_protocol, dict) or known_protocol == protocol:
        return False
    faults = fault_in_protocol(known_protocol)
    return bool(faults) or dict(protocol_properties(known_protocol)) != dict(protocol_properties(protocol))


def _are_equal(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two actions are equal; a key of null is one that is not there."""
    return first == second or all(first.get(key) == second.get(key) for key in first.keys() | second.keys())


def _newest(checked: CheckedLog, kind: str) -> Mapping[str, Any] | None:
    """Return the newest action of a kind among the commits since the checkpoint."""
    return next((action for actions in _commits(checked, kind) for action in reversed(actions)), None)


def _clustering(checked: CheckedLog, checksum: Mapping[str, Any]) -> Paths | None:
    """Return the clustering columns by their physical names; ``None`` if the checkpoint may hold them."""
    domains = checksum.get(_DOMAINS)
    if isinstance(domains, list):
        return clustering_in(domains) or ()
    for actions in _commits(checked, _DOMAINS):
        paths = clustering_in(actions)
        if paths is not None:
            return paths
    return () if checked.listing.checkpoint < 0 else None


def _commits(checked: CheckedLog, kind: str) -> Iterator[list[Mapping[str, Any]]]:
    """Yield the actions of a kind of each commit since the checkpoint, the newest commit first."""
    versions = sorted(version for version in checked.listing.commits if version > checked.listing.checkpoint)
    for version in reversed(versions):
        actions = checked.commits[commit_name(version)]
        yield [action[kind] for action in actions if isinstance(action.get(kind), dict)]


def state_of_log(table: QualifiedName, log: LocalFiles) -> TableState | Diagnostic:
    """Return the state of a table from the commits and the checksum of its log, or why they do not show it.

    The log is read again before a problem is reported, because writers change it meanwhile.

    Args:
        table: The table, which its catalog lists.
        log: The files of its log, such as a :class:`LocalLog`.
    """
    try:
        checked = check_log(log)
    except FileNotFoundError:
        fact = f"its Delta log is gone ({log.path})"
        return problem(DamagedTable, table, fact, "restore it from a backup, or drop the table from its catalog")
    if isinstance(checked, Damage):
        return checked.of(table)
    if isinstance(checked, Doubt):
        return problem(UnreadableTable, table, f"its Delta log may be damaged ({checked.fact})", checked.remedy)
    facts = newest_version(checked) if isinstance(checked, CheckedLog) else None
    if facts is None:
        fact = "its Delta log changes, or only a checkpoint in parquet shows its columns"
        return problem(UnreadableTable, table, fact, "read it through Spark, or write to it once more")
    try:
        return facts.well_formed().state(table)
    except MALFORMED as error:
        return is_damaged(table, error)


_T = TypeVar("_T")

_SHOWN = 5
_STATED = frozenset({"metaData", "protocol"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitLog:
    """The commits of one table, listed again for each question.

    What is missing is looked for in a new listing before it is an error, because writers add and delete files and
    listings are not atomic.

    Args:
        table: The name of the table, for messages.
        log: The files of its log, such as a :class:`LocalLog`.
    """

    table: QualifiedName
    log: ListedLog

    def commits(self, first: int = 0) -> tuple[Commit, ...]:
        """Return the commits from one version on, the oldest first.

        Raises:
            CatalogReadError: If one of them cannot be read, or is missing although a later one exists.
        """

        def read(versions: tuple[int, ...]) -> tuple[Commit, ...]:
            start = max(first, *versions[:1], 0)
            missing = gaps(versions, start)
            if missing:
                raise _Fault(self._lacks(missing))
            with self._unreplaced(versions[-1:]):
                return tuple(commit_of(version, self._actions(version)) for version in versions if version >= start)

        return self._settled(read)

    def state_at(self, version: int) -> TableState:
        """Return the state of the table in one version.

        Raises:
            CatalogReadError: If the version does not exist, or the commits that set its metadata are gone.
        """
        return self._settled(lambda versions: self._facts_at(version, versions).state(self.table))

    def columns_before(self, version: int) -> tuple[ColumnState, ...]:
        """Return the columns of the table in one version, under the names that they had in the version before.

        Raises:
            CatalogReadError: If one of the two does not exist, or the commits that set its metadata are gone.
        """

        def read(versions: tuple[int, ...]) -> tuple[ColumnState, ...]:
            facts = [self._facts_at(number, versions) for number in (version, version - 1)]
            return columns_of_schema(with_names_of(*(json.loads(part.metadata["schemaString"]) for part in facts)))

        return self._settled(read)

    def _facts_at(self, version: int, versions: tuple[int, ...]) -> LogFacts:
        """Return the metadata in one version."""
        if version not in versions:
            known = f"from {versions[0]} to {versions[-1]}" if versions else "of which none is left"
            fact = f"its log has no commit of version {version}; it has those {known}"
            raise _Fault(problem(UnreadableTable, self.table, fact, "give one of them"))
        in_checksum = self._in_checksum(version)
        if in_checksum is not None:
            return in_checksum
        with self._unreplaced([version]):
            return self._in_commits(version, versions)

    def _settled(self, read: Callable[[tuple[int, ...]], _T]) -> _T:
        """Return what is read with one listing; a fault only if no later listing explains it."""
        result = read_until_settled(lambda: self._once(read), lambda result: isinstance(result, Diagnostic))[-1]
        if isinstance(result, Diagnostic):
            raise CatalogReadError([result])
        return result

    def _once(self, read: Callable[[tuple[int, ...]], _T]) -> _T | Diagnostic:
        try:
            return read(tuple(sorted(LogListing.of(self.log.names()).commits)))
        except _Fault as fault:
            return fault.problem
        except (FileNotFoundError, NotADirectoryError) as error:
            fact = f"files of its Delta log are gone ({first_line(error)})"
            return problem(
                UnreadableTable, self.table, fact, "check whether it was dropped, or restore it from a backup"
            )
        except (OSError, StatementError) as error:
            fact = f"its Delta log cannot be read ({first_line(error)})"
            return problem(UnreadableTable, self.table, fact, "restore it, or the permission to read it")
        except MALFORMED as error:
            return is_damaged(self.table, error)

    @contextmanager
    def _unreplaced(self, versions: Sequence[int]) -> Iterator[None]:
        """Require commits to be the same after the block, which reads several files of one table."""
        before = [self.log.read(commit_name(version)) for version in versions]
        yield
        if before != [self.log.read(commit_name(version)) for version in versions]:
            fact, remedy = "was replaced while its log was read", "read it again when that has ended"
            raise _Fault(problem(UnreadableTable, self.table, fact, remedy))

    def _lacks(self, missing: Sequence[range]) -> Diagnostic:
        """Return the problem of a log with gaps."""
        names = [commit_name(version) for span in missing for version in span[:_SHOWN]][:_SHOWN]
        more = sum(map(len, missing)) - len(names)
        listed = f"{', '.join(names)}{f' and {more} more' if more else ''}"
        fact = f"its history has a gap ({self.log.path} lacks {listed}, and later commits are there)"
        return problem(DamagedTable, self.table, fact, "restore them from a backup, or read newer versions only")

    def _in_checksum(self, version: int) -> LogFacts | None:
        """Return what the checksum file of a version holds; ``None`` if it has none, or one of another form."""
        try:
            checksum = json.loads(self.log.read(checksum_name(version)))
            domains = checksum.get(_DOMAINS) or ()
            return LogFacts(checksum["metadata"], checksum["protocol"], clustering_in(domains) or (), version)
        except (OSError, StatementError, *MALFORMED):
            return None

    def _in_commits(self, version: int, versions: tuple[int, ...]) -> LogFacts:
        """Return the newest metadata in the commits up to a version."""
        known: dict[str, Mapping[str, Any]] = {}
        clustering: Paths | None = None
        for number in range(version, -1, -1):
            if number not in versions:
                fact = f"the metadata of version {version} is in commit {number}, which its log does not hold any more"
                raise _Fault(problem(UnreadableTable, self.table, fact, "read a newer version"))
            actions = list(self._actions(number))
            known = {kind: value for action in actions for kind, value in action.items() if kind in _STATED} | known
            if clustering is None:
                clustering = clustering_in(action[_DOMAINS] for action in actions if _DOMAINS in action)
            is_stated = len(known) == len(_STATED)
            if is_stated and (clustering is not None or not may_be_clustered(known["protocol"])):
                break
        return LogFacts(known["metaData"], known["protocol"], clustering or (), version)

    def _actions(self, version: int) -> Iterator[Mapping[str, Any]]:
        content = self.log.read(commit_name(version))
        return (json.loads(line) for line in content.splitlines() if line.strip())


class _Fault(Exception):  # noqa: N818 - carries a problem out of a read
    def __init__(self, problem: Diagnostic) -> None:
        self.problem = problem
        super().__init__(problem.message)
