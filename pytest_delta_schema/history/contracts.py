"""Read the contracts that the tables of a project had from the snapshots in a commit or a folder."""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import unquote

from pytest_delta_schema.diagnostics.errors import (
    ConfigurationError,
    DeclarationError,
    DeltaSchemaError,
    first_line,
    os_error_text,
)
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.exchange.ddl import read_scripts
from pytest_delta_schema.history.git import SUBMODULE, SYMBOLIC_LINK, HistoryError, Repository, short_id
from pytest_delta_schema.history.refs import UNSHALLOW, is_folder, resolved, shown
from pytest_delta_schema.models.names import parse_name
from pytest_delta_schema.settings.table import project_file_of
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.json_shapes import SQL_FILE, STATE_FILE
from pytest_delta_schema.state.json_state import state_from_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.delta.names import ColumnPath
    from pytest_delta_schema.history.git import FileVersion, ReachableTag, TreeFile
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.state.states import TableState


@dataclass(frozen=True, slots=True, kw_only=True)
class PastContract:
    """The contract that a table had: what its model wanted."""

    state: TableState
    file: str
    """The snapshot that holds it, from the folder of the project."""
    from_sql: bool
    """Whether it lacks what SQL does not hold, such as ``owns``, ``evolution`` and ``clients``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastFault:
    """Why the contract that a table had cannot be judged."""

    table: QualifiedName | None
    """``None`` if the name of its file does not tell it."""
    files: tuple[str, ...]
    """Its snapshots, from the folder of the project."""
    message: str
    remedy: str

    def __str__(self) -> str:
        subject = escaped(", ".join(self.files) if self.table is None else self.table)
        return f"{subject}: {self.message}; {self.remedy}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcements:
    """What the releases before a commit say is deprecated."""

    repository: Repository
    commit: str
    release_tags: Sequence[str] | None
    """Patterns of the tags that are releases; ``None`` if each commit of a branch is one."""

    @property
    def released_on(self) -> date:
        """The day on which the commit was made."""
        return _day(self.repository.seconds(self.commit))

    def of(self, file: str, path: ColumnPath) -> date | str:
        """Return the day of the first release that has announced a deprecation, or why that is not known."""
        try:
            first = self._first(file, path)
            if first is None:
                return f"it is not known since when it is announced; fetch the whole history: {UNSHALLOW}"
            if self.release_tags is None:
                return _day(first.seconds)
            tags = (tag.seconds for tag in self._tags() if self.repository.contains(tag.commit, first.commit))
            return _day(min(tags, default=self.repository.seconds(self.commit)))
        except HistoryError as error:
            return f"it is not known since when it is announced: {error}"

    def _tags(self) -> Sequence[ReachableTag]:
        patterns = self.release_tags or ()
        tags = self.repository.reachable_tags()
        return [tag for tag in tags if any(fnmatchcase(tag.name, pattern) for pattern in patterns)]

    def _first(self, file: str, path: ColumnPath) -> FileVersion | None:
        first = None
        for version in self.repository.versions(self.commit, file):
            if not self._announces(version, file, path):
                return first
            first = version
        # The oldest commit of a shallow clone may have the file from before.
        return None if self.repository.is_shallow else first

    def _announces(self, version: FileVersion, file: str, path: ColumnPath) -> bool:
        content = self.repository.content(version.commit, file)
        try:
            return content is not None and path in _contracts(file, _text(content))[0].state.deprecated
        except (DeltaSchemaError, ValueError, RecursionError):
            return False


def _day(seconds: int) -> date:
    return datetime.fromtimestamp(seconds, timezone.utc).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class PastContracts:
    """The contracts that the tables of a project had."""

    ref: str
    commit: str | None
    """The full id of the commit; ``None`` for a folder."""
    label: str
    """The ``ref`` and what it means: ``main: merge base 1a2b3c4d5e6f, 3 commits before HEAD``."""
    tables: Mapping[QualifiedName, PastContract]
    """The contracts by the names of their tables, wherever their files are."""
    faults: tuple[PastFault, ...]
    """Why the contracts of the other tables cannot be judged."""
    notes: tuple[str, ...]
    """What else the output has to tell, a line for each."""
    moved: Mapping[QualifiedName, PastContract] = field(default_factory=dict)
    """Contracts from outside of the project, whose snapshots are no longer there: a table may have come from there."""
    moved_faults: tuple[PastFault, ...] = ()
    """Why other contracts from there cannot be judged."""
    announcements: Announcements | None = None
    """Since when its deprecations are released; ``None`` for a folder, which does not tell."""


class UnreadableContract:
    """The released contract of a table cannot be read, so nobody knows whom its change breaks.

    Its snapshot has the marks of a merge conflict or another fault, or there are several.

    Remedy: Compare with a commit or a folder that has one readable snapshot of the table.

    Example:
        dev.silver.orders: __snapshots__/models/dev.silver.orders.state.json cannot be read: it has the
        marks of a merge conflict; compare with a commit or a folder that has one readable snapshot of
        the table
    """

    code = "DS514"


def contracts_at(
    ref: str,
    *,
    project: Path,
    release_tags: Sequence[str] = ("v*",),
    environment: Mapping[str, str] = os.environ,
) -> PastContracts:
    """Return the contracts that the tables of a project had at a commit, or in a folder."""
    try:
        folder = _folder(ref)
        if folder is not None:
            return _contracts_of_folder(ref, folder)
        repository = Repository.around(_project_folder(project))
        return _contracts_of_commit(repository, ref, release_tags, environment)
    except HistoryError as error:
        msg = f"{shown(ref) or repr(ref)}: {error}"
        raise ConfigurationError(msg) from None


def _project_folder(folder: Path) -> Path:
    file = project_file_of(folder.absolute())
    return folder.absolute() if file is None else file.parent


def _folder(ref: str) -> Path | None:
    """Return the folder that a ``REF`` names: no name of git begins or ends like this."""
    if ref in {".", ".."} or ref.startswith(("./", "../", "/")) or ref.endswith("/"):
        return Path(ref)
    return None


def _contracts_of_commit(
    repository: Repository, ref: str, release_tags: Sequence[str], environment: Mapping[str, str]
) -> PastContracts:
    past = resolved(repository, ref, release_tags, environment)
    work_tree = repository.work_tree()
    if past.commit == repository.head and not any(work_tree):
        msg = (
            f"{past.label}: it is HEAD, and no source is changed, so nothing was compared;"
            " compare with an earlier commit, such as HEAD~1 or last-release"
        )
        raise HistoryError(msg)
    entries = repository.files(past.commit)
    own, notes = _own_snapshots(entries)
    files = {file.path: file for file in own}
    paths = snapshots_to_read(files)
    regular = {path: files[path].oid for path in paths if files[path].mode != SYMBOLIC_LINK}
    contents = repository.contents(regular.values())
    contracts, faults = read_snapshots({path: contents[oid] for path, oid in regular.items()})
    faults += [file_fault(path, b"", "is a symbolic link") for path in paths if path not in regular]
    moved, moved_faults = single_contracts(*_moved_snapshots(repository, past.commit, own))
    if not paths and not moved and not moved_faults:
        notes.append(f"nothing to compare: commit {short_id(past.commit)} has no snapshot of the project")
    if work_tree.changed:
        notes.append(f"the work tree has uncommitted changes: {_listed(work_tree.changed)}")
    if work_tree.maybe_changed:
        notes.append(
            "the work tree may have uncommitted changes in files that git converts, whose filters are not run:"
            f" {_listed(work_tree.maybe_changed)}"
        )
    tables, every_fault = single_contracts(contracts, faults)
    return PastContracts(
        ref=ref,
        commit=past.commit,
        label=f"{shown(ref)}: {past.label}",
        tables=tables,
        faults=every_fault,
        notes=(*past.notes, *notes, *_notes_on_sql(contracts)),
        moved=moved,
        moved_faults=moved_faults,
        announcements=Announcements(
            repository=repository,
            commit=past.commit,
            release_tags=(*release_tags, ref) if past.is_tag else None,
        ),
    )


_PROJECT_FILE = "pyproject.toml"
_SNAPSHOTS = (f"*{STATE_FILE}", f"*{SQL_FILE}")
_SNAPSHOT_FOLDER = "__snapshots__"


def _own_snapshots(entries: Iterable[TreeFile]) -> tuple[list[TreeFile], list[str]]:
    """Return the snapshots of a project, and notes on what is below its folder and not part of it."""
    suffix = f"/{_PROJECT_FILE}"
    projects = {entry.path.removesuffix(suffix) for entry in entries if entry.path.endswith(suffix)}
    own: list[TreeFile] = []
    others = set()
    for file in filter(_is_snapshot_file, entries):
        project = next((str(folder) for folder in PurePosixPath(file.path).parents if str(folder) in projects), None)
        if project is None:
            own.append(file)
        else:
            others.add(project)
    submodules = [entry.path for entry in entries if entry.mode == SUBMODULE]
    notes = []
    if others:
        notes.append(f"projects with a {_PROJECT_FILE} of their own are not read: {_listed(sorted(others))}")
    if submodules:
        notes.append(f"submodules are not read: {_listed(submodules)}")
    return own, notes


def _is_snapshot_file(file: TreeFile) -> bool:
    return file.mode != SUBMODULE and is_snapshot(file.path) and _SNAPSHOT_FOLDER in file.path.split("/")


def _moved_snapshots(
    repository: Repository, commit: str, own: Iterable[TreeFile]
) -> tuple[list[PastContract], list[PastFault]]:
    """Return what the snapshots outside of a project hold that are no longer there, by their paths from its folder."""
    top, prefix = repository.at_top(), repository.prefix()
    known = {f"{prefix}{file.path}" for file in own}
    gone = [file for file in top.gone(commit, *_SNAPSHOTS) if _is_snapshot_file(file) and file.path not in known]
    files = {os.path.relpath(file.path, prefix or "."): file for file in gone if file.mode != SYMBOLIC_LINK}
    read = {path: files[path].oid for path in snapshots_to_read(files)}
    contents = top.contents(read.values())
    return read_snapshots({path: contents[oid] for path, oid in read.items()})


_OTHER_FOLDER = "give a folder with state files, such as that of an earlier checkout"


def _contracts_of_folder(ref: str, folder: Path) -> PastContracts:
    """Return the contracts in a folder, or one below it."""
    contents: dict[str, bytes] = {}
    faults = []
    if not is_folder(str(folder)):
        msg = f"is not a directory; {_OTHER_FOLDER}"
        raise HistoryError(msg)
    for path in snapshots_to_read(_snapshots_below(folder)):
        try:
            contents[path] = (folder / path).read_bytes()
        except OSError as error:
            faults.append(file_fault(path, b"", f"cannot be read: {error.strerror}"))
    contracts, unreadable = read_snapshots(contents)
    if not contents and not faults:
        msg = f"has no snapshot of a table; {_OTHER_FOLDER}"
        raise HistoryError(msg)
    tables, every_fault = single_contracts(contracts, [*faults, *unreadable])
    return PastContracts(
        ref=ref,
        commit=None,
        label=f"{shown(ref)}: a folder",
        tables=tables,
        faults=every_fault,
        notes=_notes_on_sql(contracts),
    )


def _snapshots_below(folder: Path) -> Iterator[str]:
    """Yield the snapshots in a folder, or below it, but not in hidden folders."""
    for parent, folders, files in os.walk(folder, onerror=_refuse_folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from ((Path(parent) / name).relative_to(folder).as_posix() for name in files if is_snapshot(name))


def _refuse_folder(error: OSError) -> NoReturn:
    msg = f"cannot be read: {os_error_text(error)}; {_OTHER_FOLDER}"
    raise HistoryError(msg) from None


def _notes_on_sql(contracts: Sequence[PastContract]) -> tuple[str, ...]:
    files = [contract.file for contract in contracts if contract.from_sql]
    if not files:
        return ()
    return (f"read from SQL, without state files: {_listed(files)}; what SQL does not hold is not judged",)


_NAMED = 3


def _listed(paths: Iterable[str]) -> str:
    names = [shown(path) for path in paths]
    more = len(names) - _NAMED
    return f"{', '.join(names[:_NAMED])} and {more} more" if more > 0 else ", ".join(names)


def is_snapshot(path: str) -> bool:
    """Whether a file is the state or the SQL of a table, by its name."""
    return path.endswith((STATE_FILE, SQL_FILE))


def snapshots_to_read(paths: Iterable[str]) -> list[str]:
    """Return the state files among some paths, and the SQL files without a state file next to them, sorted."""
    present = set(paths)
    return sorted(
        path
        for path in present
        if path.endswith(STATE_FILE)
        or (path.endswith(SQL_FILE) and f"{path.removesuffix(SQL_FILE)}{STATE_FILE}" not in present)
    )


_REMEDY = "compare with a commit or a folder that has one readable snapshot of the table"


def read_snapshots(contents: Mapping[str, bytes]) -> tuple[list[PastContract], list[PastFault]]:
    """Return the contracts in some snapshots, which are by their paths, and the faults of those without one."""
    contracts: list[PastContract] = []
    faults = []
    for path, content in contents.items():
        try:
            contracts += _contracts(path, _text(content))
        except (DeltaSchemaError, ValueError, RecursionError) as error:
            faults.append(file_fault(path, content, f"cannot be read: {first_line(error)}"))
    return contracts, faults


def _contracts(path: str, text: str) -> list[PastContract]:
    if path.endswith(STATE_FILE):
        return [PastContract(state=state_from_json(json.loads(text)), file=path, from_sql=False)]
    models, _ = read_scripts({"": text}, "", "")
    return [PastContract(state=desired_state(model), file=path, from_sql=True) for model in models]


_CONFLICT = re.compile(rb"(?m)^(?:<{7}|>{7}) ")


def _text(content: bytes) -> str:
    """Return the text of a snapshot."""
    if _CONFLICT.search(content):
        msg = "it has the marks of a merge conflict"
        raise ValueError(msg)
    try:
        return content.decode()
    except UnicodeDecodeError:
        msg = "it is not UTF-8"
        raise ValueError(msg) from None


def file_fault(path: str, content: bytes, fact: str) -> PastFault:
    """Return the fault of a snapshot that cannot be read."""
    return PastFault(table=_table_of(path, content), files=(path,), message=f"{escaped(path)} {fact}", remedy=_REMEDY)


_CUT = re.compile("~[0-9a-f]{12}$")


def _table_of(path: str, content: bytes) -> QualifiedName | None:
    """Return the table that a snapshot with a fault is about, as its content or else its name tells."""
    stem = PurePosixPath(path).name.removesuffix(STATE_FILE).removesuffix(SQL_FILE)
    # A very long name is cut, and has a hash.
    names = [] if _CUT.search(stem) else [unquote(stem)]
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        names.insert(0, str(json.loads(content)["name"]))
    for name in names:
        with suppress(DeclarationError):
            return parse_name(name)
    return None


def single_contracts(
    contracts: Iterable[PastContract], faults: Iterable[PastFault]
) -> tuple[Mapping[QualifiedName, PastContract], tuple[PastFault, ...]]:
    """Return the contracts by the names of their tables, and all faults, also of tables with several contracts."""
    by_table: dict[QualifiedName, list[PastContract]] = defaultdict(list)
    for contract in contracts:
        by_table[contract.state.name].append(contract)
    repeated = [
        PastFault(
            table=name,
            files=files,
            message=f"has {len(files)} contracts, in {escaped(' and '.join(files))}",
            remedy=_REMEDY,
        )
        for name, several in by_table.items()
        if len(files := tuple(contract.file for contract in several)) > 1
    ]
    every = (*faults, *repeated)
    faulty = {fault.table for fault in every}
    return MappingProxyType({name: by_table[name][0] for name in sorted(by_table) if name not in faulty}), every
