"""One Delta log: its newest version, an older one, its commits, and what is wrong with it; no JVM is needed."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_delta_schema.backends.concurrency import read_until_settled
from pytest_delta_schema.backends.logs.checks import CheckedLog, check_checksum, checked_log, lacking, of_kind
from pytest_delta_schema.backends.logs.files import (
    BACKUP,
    ChangingLog,
    DamagedLog,
    DoubtfulLog,
    LogFault,
    LostLog,
    MalformedActions,
    MissingVersion,
    UnreadCheckpoint,
    UnreadLog,
    actions_in,
    cause_of,
    content_of,
)
from pytest_delta_schema.backends.problems import MALFORMED, WRITE_AGAIN, is_damaged
from pytest_delta_schema.delta.fields import with_names_of
from pytest_delta_schema.delta.log_files import LogListing, checksum_name, commit_name, gaps
from pytest_delta_schema.delta.protocol import clustering_in, may_be_clustered, protocol_properties
from pytest_delta_schema.delta.well_formed import TOO_DEEP, MalformedLog
from pytest_delta_schema.diagnostics.errors import CatalogReadError
from pytest_delta_schema.state.delta_log import LogFacts, columns_of_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.backends.logs.checks import Commit as Actions
    from pytest_delta_schema.backends.logs.files import LogFiles
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.commits import Commit
    from pytest_delta_schema.state.states import TableState
    from pytest_delta_schema.state.types import ColumnState


_T = TypeVar("_T")

_METADATA, _PROTOCOL, _DOMAINS = "metaData", "protocol", "domainMetadata"
_KINDS = (_METADATA, _PROTOCOL, _DOMAINS)

_MOST_OLDER = 100
"""How many versions a checksum may be older than the newest checkpoint, so few commits are read again."""

_PART_0 = ".checkpoint.0000000000."
"""In the name of the part of a checkpoint before the first one."""


@dataclass(frozen=True, slots=True)
class DeltaLog:
    """One Delta log, listed again for each question.

    A log is what its files were at one moment. A fault that somebody who writes meanwhile could explain is read again,
    until it is gone or the same twice; it is raised as a :class:`LogFault`.
    """

    files: LogFiles

    def newest(self) -> CheckedLog:
        """Read and check what a reader of the newest version needs.

        These are the commits since the newest checkpoint, that checkpoint, ``_last_checkpoint``, and the checksum. Of a
        checkpoint in parquet only the first and last bytes are read.
        """
        return self._checked(lambda checked: checked)

    def newest_facts(self) -> tuple[CheckedLog, LogFacts | LogFault]:
        """Check the newest version like :meth:`newest`, and return what it holds, or why the files do not show it."""
        return self._checked(lambda checked: _facts_of_newest(self.files, checked))

    def facts(self, version: int | None = None) -> LogFacts:
        """Return the newest version, or an older one; the metadata of the newest is well-formed."""
        if version is not None:
            return self._settled(lambda: self._facts_at(version))
        checked, facts = self.newest_facts()
        if isinstance(facts, LogFault):
            raise facts
        try:
            return facts.well_formed()
        except MalformedLog as error:
            reason = "is more than this package reads" if str(error) == TOO_DEEP else "Delta's protocol does not allow"
            fact = f"{_stating(checked) or 'its checkpoint'} holds {error}, which {reason}"
            raise LogFault(fact, WRITE_AGAIN) from None

    def columns_before(self, version: int) -> tuple[ColumnState, ...]:
        """Return the columns of one version, under the names that they had in the version before."""
        now, before = self._settled(lambda: [self._facts_at(number) for number in (version, version - 1)])
        return columns_of_schema(with_names_of(now.schema, before.schema))

    def commits(self, first: int = 0) -> tuple[Commit, ...]:
        """Return the commits from one version on, the oldest first."""

        def read() -> tuple[Commit, ...]:
            from pytest_delta_schema.state.commits import commit_of  # noqa: PLC0415 - no gate needs it

            versions = sorted(self._listing().commits)
            start = max(first, *versions[:1], 0)
            missing = gaps(versions, start)
            if missing:
                remedy = "restore them from a backup, or read newer versions only"
                raise DamagedLog(lacking(self.files, missing), remedy)
            with self._unreplaced([commit_name(version) for version in versions[-1:]]):
                return tuple(commit_of(version, self._actions(version)) for version in versions if version >= start)

        return self._settled(read)

    def schemas(self) -> list[tuple[ColumnState, ...]]:
        """Return the columns of all versions that the commits and checkpoints of the log still hold."""

        def read() -> list[tuple[ColumnState, ...]]:
            listing = self._listing()
            checkpoints = [name for _, names in sorted(listing.checkpoints.items()) for name in names]
            parts = chain(
                map(self._actions, sorted(listing.commits)),
                (_checkpoint_actions(self.files, name) for name in checkpoints),
            )
            stated = chain.from_iterable(of_kind(actions, _METADATA) for actions in parts)
            return [columns_of_schema(json.loads(metadata["schemaString"])) for metadata in stated]

        return self._settled(read)

    def _listing(self) -> LogListing:
        return LogListing.of(self._names())

    def _names(self) -> frozenset[str]:
        try:
            return frozenset(self.files.names())
        except (FileNotFoundError, NotADirectoryError) as error:
            raise LostLog(self.files.path) from error

    def _checked(self, read: Callable[[CheckedLog], _T]) -> _T:
        """Return what is read of the newest version, whose files are those of one moment."""

        def look() -> _T:
            names = self._names()
            listing = LogListing.of(names)
            with self._unreplaced(listing.needed[:1]):
                checked = checked_log(self.files, names, listing)
                if listing.newest < 0:
                    raise LostLog(self.files.path)
                return read(checked)

        return self._settled(look)

    def _settled(self, read: Callable[[], _T]) -> _T:
        """Return what is read; a fault only if two reads in a row have it."""

        def once() -> _T | LogFault:
            try:
                return read()
            except LogFault as fault:
                return fault
            except (FileNotFoundError, NotADirectoryError):
                return ChangingLog()
            except OSError as error:
                fact = f"{self.files.path}: {cause_of(error)}"
                return UnreadLog(fact, "give the permission to read it, or restore it from a backup")
            except MALFORMED as error:
                return MalformedActions(error)

        results = read_until_settled(once, lambda result: isinstance(result, LogFault))
        last = results[-1]
        if isinstance(last, LogFault):
            raise last if last == results[-2] else ChangingLog()
        return last

    @contextmanager
    def _unreplaced(self, names: Sequence[str]) -> Iterator[None]:
        """Require files to be the same after the block, which reads several files of one table."""
        before = [self.files.stamp(name) for name in names]
        yield
        if before != [self.files.stamp(name) for name in names]:
            raise ChangingLog

    def _actions(self, version: int) -> list[dict[str, Any]]:
        name = commit_name(version)
        return actions_in(content_of(self.files, name), f"{self.files.path}/{name}")

    def _facts_at(self, version: int) -> LogFacts:
        """Return an older version: from its checksum, else from the commits up to it."""
        listing = self._listing()
        versions = sorted(listing.commits)
        if version not in listing.commits:
            known = f"from {versions[0]} to {versions[-1]}" if versions else "of which none is left"
            fact = f"its log has no commit of version {version}; it has those {known}"
            raise MissingVersion(fact, "give one of them")
        with self._unreplaced([commit_name(version)]):
            if version in listing.checksums:
                facts = _in_checksum(self.files, version)
                if facts is not None:
                    return facts
            return self._in_commits(version, listing)

    def _in_commits(self, version: int, listing: LogListing) -> LogFacts:
        """Return the newest metadata in the commits up to a version, or in a checkpoint where some are gone."""
        checkpoint = max((number for number in listing.checkpoints if number <= version), default=-1)
        actions: list[Mapping[str, Any]] = []
        for number in range(version, -1, -1):
            if number in listing.commits:
                actions[:0] = [action for action in self._actions(number) if not action.keys().isdisjoint(_KINDS)]
                facts = _facts_in(actions, version, are_all=number == 0)
            elif number <= checkpoint:
                before = [_checkpoint_actions(self.files, name) for name in listing.checkpoints[checkpoint]]
                facts = _facts_in([*chain.from_iterable(before), *actions], version, are_all=True)
            else:
                fact = f"the metadata of version {version} is in commit {number}, which its log does not hold any more"
                raise MissingVersion(fact, "read a newer version")
            if facts is not None:
                return facts
        fact = f"no commit in {self.files.path} holds the metadata and the protocol"
        raise DamagedLog(fact, BACKUP)


@contextmanager
def reading_log(table: QualifiedName, files: LogFiles) -> Iterator[DeltaLog]:
    """Read the log of a table in the block, whose faults are then those of the table.

    Args:
        table: The table.
        files: The files of its log, such as :class:`LocalFiles`.

    Raises:
        CatalogReadError: If the log cannot be read, or lacks what is asked for.
    """
    try:
        yield DeltaLog(files)
    except LogFault as fault:
        raise CatalogReadError([fault.of(table)]) from None
    except MALFORMED as error:
        raise CatalogReadError([is_damaged(table, error)]) from error


def inspected(table: QualifiedName, files: LogFiles) -> CheckedLog | LogFault | Diagnostic:
    """Return the checked files of the newest version of a log, what may be wrong with it, or its certain damage."""
    try:
        return DeltaLog(files).newest()
    except LogFault as fault:
        return fault.of(table) if fault.is_certain else fault


def state_of_log(table: QualifiedName, files: LogFiles) -> TableState | Diagnostic:
    """Return the state of a table from its log, or why the log does not show it.

    Args:
        table: The table, which its catalog lists.
        files: The files of its log, such as :class:`LocalFiles`.
    """
    try:
        with reading_log(table, files) as log:
            return log.facts().state(table)
    except CatalogReadError as error:
        return error.diagnostics[0]


def _facts_in(actions: Iterable[Mapping[str, Any]], version: int, *, are_all: bool) -> LogFacts | None:
    """Return what actions, the oldest first, say of a version; ``None`` if older ones may say more."""
    actions = list(actions)
    metadata, protocol = of_kind(actions, _METADATA), of_kind(actions, _PROTOCOL)
    if not metadata or not protocol:
        return None
    clustering = clustering_in(of_kind(actions, _DOMAINS)) if may_be_clustered(protocol[-1]) else ()
    if clustering is None and not are_all:
        return None
    return LogFacts(metadata[-1], protocol[-1], clustering or (), version)


def _as_actions(checksum: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the actions whose content a checksum holds (source: Delta's protocol, "Version Checksum File")."""
    domains = checksum.get(_DOMAINS)
    stated = {_METADATA: checksum.get("metadata"), _PROTOCOL: checksum.get("protocol")}
    return [stated, *({_DOMAINS: domain} for domain in (domains if isinstance(domains, list) else ()))]


def _in_checksum(files: LogFiles, version: int) -> LogFacts | None:
    """Return what the checksum of a version holds; ``None`` if it has another form, or cannot be read."""
    try:
        return _facts_in(_as_actions(json.loads(content_of(files, checksum_name(version)))), version, are_all=True)
    except (OSError, *MALFORMED):
        return None


def _facts_of_newest(files: LogFiles, checked: CheckedLog) -> tuple[CheckedLog, LogFacts | LogFault]:
    """Return the newest version: Delta reads the checksum, or else the log (Delta 4.4.0); or why it is not shown."""
    facts = None if checked.contradicts_checksum else _without_checkpoint(files, checked)
    if facts is not None:
        return checked, facts
    listing, checked = checked.listing, replace(checked, reads_checkpoint=True)
    names = listing.checkpoints.get(listing.checkpoint, ())
    try:
        before = [_checkpoint_actions(files, name) for name in names]
        facts = _facts_in([*chain.from_iterable(before), *checked.since_checkpoint], listing.newest, are_all=True)
    except FileNotFoundError:
        raise
    except LogFault as fault:
        return checked, fault
    except (OSError, *MALFORMED) as error:
        return checked, UnreadLog(f"{files.path}/{', '.join(names)}: {cause_of(error)}", BACKUP)
    return checked, facts or UnreadLog(f"{files.path}/{', '.join(names)} holds no metadata", BACKUP)


def _without_checkpoint(files: LogFiles, checked: CheckedLog) -> LogFacts | None:
    """Return what commits and checksums say of the newest version; ``None`` if only the checkpoint can tell."""
    listing, since = checked.listing, checked.since_checkpoint
    checksum = checked.checksum or {}
    has_domains = isinstance(checksum.get(_DOMAINS), list)
    stated = [action for action in since if _DOMAINS not in action] if has_domains else since
    are_all = has_domains or listing.checkpoint < 0
    facts = _facts_in([*_as_actions(checksum), *stated], listing.newest, are_all=are_all)
    if facts is not None and _stating(checked) is None:
        try:
            facts = facts.well_formed()
        except MALFORMED:
            facts = None
    if facts is None and checked.checksum is None and listing.checkpoint >= 0:
        facts = _in_older_checksum(files, checked)
    return facts


def _in_older_checksum(files: LogFiles, checked: CheckedLog) -> LogFacts | None:
    """Return what an older checksum, which Spark does not read, and later commits say; ``None`` if they differ."""
    listing = checked.listing
    older = max((version for version in listing.checksums if version < listing.newest), default=-1)
    if older < 0 or listing.checkpoint - older > _MOST_OLDER:
        return None
    versions = range(min(older, listing.checkpoint + 1), listing.newest + 1)
    if not all(version in listing.commits for version in versions):
        return None
    try:
        commits: dict[int, Actions] = {}
        for version in versions:
            name = commit_name(version)
            commits[version] = checked.commits.get(name) or actions_in(content_of(files, name), name)
        known = {commit_name(version): actions for version, actions in commits.items() if version <= older}
        checksum = check_checksum(files, older, known) or {}
        if _differ(checksum, list(chain.from_iterable(known.values()))):
            return None
        later = [action for version, actions in commits.items() if version > older for action in actions]
        are_all = isinstance(checksum.get(_DOMAINS), list)
        return _facts_in([*_as_actions(checksum), *later], listing.newest, are_all=are_all)
    except FileNotFoundError:
        raise
    except (OSError, LogFault, *MALFORMED):
        return None


def _differ(checksum: Mapping[str, Any], known: Actions) -> bool:
    """Whether a checksum and the commits before it have two protocols, or two lists of clustering columns."""
    protocols, domains = of_kind(known, _PROTOCOL)[-1:], checksum.get(_DOMAINS)
    if any(dict(protocol_properties(one)) != dict(protocol_properties(checksum["protocol"])) for one in protocols):
        return True
    clustering = clustering_in(of_kind(known, _DOMAINS))
    return isinstance(domains, list) and clustering is not None and clustering != (clustering_in(domains) or ())


def _stating(checked: CheckedLog) -> str | None:
    """Return the name of the newest commit that holds the metadata or the protocol; ``None`` if there is none."""
    commits = reversed(tuple(checked.commits.items()))
    return next((name for name, actions in commits if any(map({_METADATA, _PROTOCOL}.intersection, actions))), None)


def _checkpoint_actions(files: LogFiles, name: str) -> list[dict[str, Any]]:
    """Return the actions in a file of a checkpoint that a state follows from; pyarrow reads parquet."""
    if name.endswith(".json"):
        return actions_in(content_of(files, name), f"{files.path}/{name}")
    try:
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415 - optional, and heavy
    except ImportError:
        fact = f"only its checkpoint {files.path}/{name} shows its columns"
        raise UnreadCheckpoint(fact, "install pyarrow, read it through Spark, or write to it once more") from None
    with files.open(name) as file:
        parquet = ParquetFile(file)
        columns = parquet.schema_arrow.names
        if "add" not in columns or _PART_0 in name:  # Spark reads neither (Delta 4.4.0)
            fact = f"{files.path}/{name} is no checkpoint as Delta writes it"
            raise DoubtfulLog(fact, BACKUP)
        kinds = [kind for kind in _KINDS if kind in columns]
        rows = parquet.read(columns=kinds).to_pylist()
    return [_as_in_json(kind, row[kind]) for row in rows for kind in kinds if row[kind] is not None]


def _as_in_json(kind: str, action: dict[str, Any]) -> dict[str, Any]:
    """Return an action in parquet, where maps are pairs and missing keys are null, as it is in JSON."""
    action = {key: value for key, value in action.items() if value is not None}
    if kind == _METADATA:
        form = action.get("format") or {}
        properties = dict(action.get("configuration") or ()).items()
        action["format"] = {**form, "options": dict(form.get("options") or ())}
        action["configuration"] = {key: value for key, value in properties if value is not None}
    return {kind: action}
