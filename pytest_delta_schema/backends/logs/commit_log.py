"""Read commits and older states of a table from the files of its Delta log, without a JVM."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_delta_schema.backends.logs.second_look import read_until_settled
from pytest_delta_schema.backends.problems import is_damaged, problem
from pytest_delta_schema.delta.clustering import Paths, clustering_in, may_be_clustered
from pytest_delta_schema.delta.column_mapping import with_names_of
from pytest_delta_schema.delta.logs.log_listing import LogListing, checksum_name, commit_name, gaps
from pytest_delta_schema.diagnostics.errors import CatalogReadError, Diagnostic, StatementError, first_line
from pytest_delta_schema.diagnostics.faults import DamagedTable, UnreadableTable
from pytest_delta_schema.state.commits import commit_of
from pytest_delta_schema.state.delta_log import columns_of_schema
from pytest_delta_schema.state.log_facts import LogFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_delta_schema.backends.logs.log_files import ListedLog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.commits import Commit
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState

T = TypeVar("T")

_SHOWN = 5
_STATED = frozenset({"metaData", "protocol"})
_MALFORMED = (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError)
"""What reading a commit raises if it is not as Delta's protocol says."""


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
        """Return the metadata in one version.

        Raises:
            _Fault: If it does not exist, or the commits that set its metadata are gone.
        """
        if version not in versions:
            known = f"from {versions[0]} to {versions[-1]}" if versions else "of which none is left"
            fact = f"its log has no commit of version {version}; it has those {known}"
            raise _Fault(problem(UnreadableTable, self.table, fact, "give one of them"))
        in_checksum = self._in_checksum(version)
        if in_checksum is not None:
            return in_checksum
        with self._unreplaced([version]):
            return self._in_commits(version, versions)

    def _settled(self, read: Callable[[tuple[int, ...]], T]) -> T:
        """Return what is read with one listing; a fault only if no later listing explains it."""
        result = read_until_settled(lambda: self._once(read), lambda result: isinstance(result, Diagnostic))[-1]
        if isinstance(result, Diagnostic):
            raise CatalogReadError([result])
        return result

    def _once(self, read: Callable[[tuple[int, ...]], T]) -> T | Diagnostic:
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
        except _MALFORMED as error:
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
            domains = checksum.get("domainMetadata") or ()
            return LogFacts(checksum["metadata"], checksum["protocol"], clustering_in(domains) or (), version)
        except (OSError, StatementError, *_MALFORMED):
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
                clustering = clustering_in(action["domainMetadata"] for action in actions if "domainMetadata" in action)
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
