"""The files of a ``_delta_log`` folder: which ones a reader of the newest version opens, and the values in them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


LAST_CHECKPOINT = "_last_checkpoint"
"""The file that names the newest checkpoint."""

SIDECARS = "_sidecars"
"""The folder of the files that checkpoints of the second version refer to."""

_HYPHENS = 4
"""How many hyphens a UUID has; no other name in a log has one."""

_IN_CHECKPOINTS = frozenset({"metaData", "protocol"})
"""The actions that each checkpoint holds."""

_COMMIT = re.compile(r"([0-9]{20})\.json")
_NUMBERED = re.compile(r"[0-9]+\.(?:json|checkpoint(?:\..+)?\.(?:json|parquet)|[0-9]+\.compacted\.json)")
_CHECKSUM = re.compile(r"([0-9]{20})\.crc")
_CHECKPOINT = re.compile(r"([0-9]{20})\.checkpoint(?:\.([0-9]{10})\.([0-9]{10})|\.[0-9a-fA-F-]{36})?\.(?:parquet|json)")
_COMPACTED = re.compile(r"([0-9]{20})\.([0-9]{20})\.compacted\.json")


_LARGE = re.compile(
    r"(?:[0-9]{20}\.)?(?:[1-9][0-9]{19}|09(?:2[3-9]|[3-9][0-9])[0-9]{16})\.(?:json|crc|checkpoint\.|[0-9]+\.compacted\.|compacted\.)"
    r"|[0-9]{20}\.checkpoint\.(?:[3-9][0-9]{9}\.[0-9]{10}|[0-9]{10}\.[3-9][0-9]{9})\."
)
"""Names with numbers that do not fit into 64 bits, or in parts of checkpoints into 32 bits."""


def commit_name(version: int) -> str:
    """Return the name of the file of a commit."""
    return f"{version:020d}.json"


def checksum_name(version: int) -> str:
    """Return the name of the checksum file of a version."""
    return f"{version:020d}.crc"


def gaps(versions: Iterable[int], first: int) -> tuple[range, ...]:
    """Return the versions that are missing between one version and the newest; commits are contiguous by protocol."""
    missing, expected = [], first
    for version in sorted(version for version in versions if version >= first):
        if version > expected:
            missing.append(range(expected, version))
        expected = version + 1
    return tuple(missing)


@dataclass(frozen=True)
class LogListing:
    """The files of a log, by what they are (source: Delta's protocol, "File Types")."""

    commits: frozenset[int]
    """The versions whose commits are there."""
    checksums: frozenset[int]
    checkpoints: Mapping[int, tuple[str, ...]]
    """The files of complete checkpoints, by version."""
    compacted: Mapping[str, tuple[int, int]]
    """Files that hold several commits in one, with the first and the last of them."""
    misnamed: tuple[str, ...] = ()
    """Numbered files whose number does not have 20 digits, or is too large. Spark reads some of them as commits, or
    refuses the log; other readers ignore them (Delta 4.4.0, deltalake 1.6.6)."""

    @classmethod
    def of(cls, names: Iterable[str]) -> LogListing:
        """Sort the names in a ``_delta_log`` folder; names of anything else are left out."""
        names = set(names)
        large = {name for name in names if _LARGE.match(name)}
        commits, checksums, compacted, misnamed = set(), set(), {}, sorted(large)
        checkpoints: dict[int, list[str]] = defaultdict(list)
        parts: dict[tuple[int, int], list[str]] = defaultdict(list)
        for name in sorted(names - large):
            if match := _COMMIT.fullmatch(name):
                commits.add(int(match[1]))
            elif match := _CHECKSUM.fullmatch(name):
                checksums.add(int(match[1]))
            elif match := _COMPACTED.fullmatch(name):
                compacted[name] = int(match[1]), int(match[2])
            elif match := _CHECKPOINT.fullmatch(name):
                if match[3] is None:
                    checkpoints[int(match[1])].append(name)
                else:
                    parts[int(match[1]), int(match[3])].append(name)
            elif _NUMBERED.fullmatch(name):
                misnamed.append(name)
        for (version, number), present in parts.items():
            if len(present) == number:
                checkpoints[version] += present
        whole = {version: tuple(files) for version, files in checkpoints.items()}
        return cls(frozenset(commits), frozenset(checksums), whole, compacted, tuple(misnamed))

    @cached_property
    def checkpoint(self) -> int:
        """The version of the newest complete checkpoint; -1 if there is none."""
        return max(self.checkpoints, default=-1)

    @cached_property
    def newest(self) -> int:
        """The newest version that a reader finds; -1 if there is none."""
        return max(self.commits | {self.checkpoint})

    @property
    def missing(self) -> tuple[range, ...]:
        """The versions after the newest checkpoint whose commits are missing although later ones exist."""
        return gaps(self.commits, self.checkpoint + 1)

    @property
    def needed(self) -> tuple[str, ...]:
        """The files that a reader opens with the newest checkpoint: merged commits, then commits, the newest last."""
        commits = {version for version in self.commits if version > self.checkpoint or version == self.newest}
        merged = [name for name, (first, _) in self.compacted.items() if first > self.checkpoint]
        return (*merged, *map(commit_name, sorted(commits)))

    @property
    def second_checkpoints(self) -> tuple[str, ...]:
        """The files of the newest checkpoint that have names of the second version, with a UUID."""
        return tuple(name for name in self.checkpoints.get(self.checkpoint, ()) if name.count("-") == _HYPHENS)

    @property
    def orphan(self) -> int | None:
        """The version of a checksum file that is newer than every commit; ``None`` if there is none."""
        last = max(self.checksums, default=-1)
        return last if last >= self.newest and last not in self.commits and last >= 0 else None

    @property
    def has_all_commits(self) -> bool:
        """Whether the commits from the first version on are there, so no checkpoint is needed."""
        return 0 < len(self.commits) == self.newest + 1


@dataclass(frozen=True)
class CheckpointHint:
    """The content of the file ``_last_checkpoint``."""

    version: int
    """The version of the newest checkpoint."""
    sidecars: tuple[str, ...] = ()
    """The names of its files in ``_sidecars``, if it lists them."""
    lacks_actions: bool = False
    """Whether it has the schema of the checkpoint, and that lacks the metadata or the protocol. Spark reads the
    checkpoint by that schema (Delta 4.4.0)."""

    @classmethod
    def of(cls, content: bytes) -> CheckpointHint | None:
        """Read the file; ``None`` if it is malformed: readers then list the log (Delta 4.4.0, deltalake 1.6.6)."""
        try:
            hint = json.loads(content)
            version = int(hint["version"])
            sidecars = (hint.get("v2Checkpoint") or {}).get("sidecarFiles") or ()
            schema = hint.get("checkpointSchema")
            columns = {field["name"] for field in schema["fields"]} if isinstance(schema, dict) else _IN_CHECKPOINTS
            names = tuple(str(sidecar["path"]) for sidecar in sidecars)
            return cls(version, names, lacks_actions=not columns >= _IN_CHECKPOINTS)
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
            return None


_FILE: Mapping[str, type] = {"path": str, "partitionValues": dict, "size": int, "dataChange": bool, "tags": dict}
_TRACKED: Mapping[str, type] = {
    **_FILE,
    "baseRowId": int,
    "defaultRowCommitVersion": int,
    "deletionVector": dict,
}
_KINDS: Mapping[str, Mapping[str, type]] = {
    "add": {**_TRACKED, "modificationTime": int},
    "cdc": _FILE,
    "checkpointMetadata": {"version": int, "tags": dict},
    "commitInfo": {
        "inCommitTimestamp": int,
        "isBlindAppend": bool,
        "operationMetrics": dict,
        "operationParameters": dict,
        "readVersion": int,
        "tags": dict,
        "timestamp": int,
        "version": int,
    },
    "domainMetadata": {"removed": bool},
    "metaData": {},
    "protocol": {},
    "remove": {**_TRACKED, "deletionTimestamp": int, "extendedFileMetadata": bool},
    "sidecar": {"path": str, "sizeInBytes": int, "modificationTime": int, "tags": dict},
    "txn": {"version": int, "lastUpdated": int},
}


def value_of_another_kind(line: Mapping[str, Any]) -> str:
    """Return the path of a value in one line of a log that is of another kind; ``""`` if there is none.

    Of two actions in one line, Spark reads one.
    """
    actions = {kind: action for kind, action in line.items() if action is not None and kind in _KINDS}
    if len(actions) > 1:
        return " and ".join(actions)
    for kind, action in actions.items():
        if type(action) is not dict:
            return kind
        kinds = _KINDS[kind]
        for key in kinds.keys() & action.keys():
            value = action[key]
            if value is not None and (type(value) is not kinds[key] or not is_long(value)):
                return f"{kind}.{key}"
    return ""


def is_long(value: object) -> bool:
    """Whether a value, if it is an integer, fits into 64 bits."""
    return type(value) is not int or -(2**63) <= value < 2**63
