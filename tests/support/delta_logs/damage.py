"""Logs that are damaged in every way: what is done to the files, and the message that reports it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NEWEST, CHECKPOINT = 4, 3
"""The versions of the newest commit, and of the checkpoint that some logs have, of those that damage is done to."""

NOISE = bytes(range(128, 256)) * 4


def commit_file(log: Path, version: int = NEWEST) -> Path:
    """Return the file of a commit."""
    return log / f"{version:020d}.json"


def checksum_file(log: Path, version: int = NEWEST) -> Path:
    """Return the checksum file of a version."""
    return log / f"{version:020d}.crc"


def checkpoint_file(log: Path) -> Path:
    """Return the file, or the upper file, of the only checkpoint."""
    (path,) = log.glob(f"{CHECKPOINT:020d}.checkpoint*")
    return path


def sidecar_file(log: Path) -> Path:
    """Return the only lower file of the checkpoint."""
    (path,) = (log / "_sidecars").glob("*.parquet")
    return path


def cut(path: Path) -> None:
    """Leave the first half of a file."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def cut_last_line(path: Path) -> None:
    """Leave all lines of a file but half of the last one."""
    *lines, last = path.read_text("utf-8").rstrip("\n").split("\n")
    path.write_text("\n".join([*lines, last[: len(last) // 2]]), "utf-8")


def _rewrite(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads(path.read_text("utf-8"))
    change(content)
    path.write_text(json.dumps(content), "utf-8")


def _cut_checkpoint_and_lose_commits(log: Path) -> None:
    cut(checkpoint_file(log))
    _lose_early_commits(log)


def _lose_checkpoint_and_commits(log: Path) -> None:
    checkpoint_file(log).unlink()
    _lose_early_commits(log)


def _lose_early_commits(log: Path) -> None:
    for version in range(CHECKPOINT):
        commit_file(log, version).unlink()


class Case(NamedTuple):
    """One kind of damage.

    Args:
        harm: What is done to the log.
        message: How it is reported, with ``{log}`` and ``{checkpoint}``; ``None`` if readers of the table are not harmed.
    """

    harm: Callable[[Path], object]
    message: str | None


_CUT = "{log}/00000000000000000004.json is cut off or damaged in line "
_BACKUP = "; restore it from a backup"
_FOOTER = " is cut off or damaged: it has no parquet footer)"
_BOTH = "; delete it and _last_checkpoint, because all commits are there"

COMMITS = {
    "last commit cut": Case(lambda log: cut(commit_file(log)), _CUT),
    "last commit cut in its last line": Case(lambda log: cut_last_line(commit_file(log)), _CUT),
    "last commit empty": Case(
        lambda log: commit_file(log).write_bytes(b""), "{log}/00000000000000000004.json is empty)" + _BACKUP
    ),
    "last commit of blanks": Case(
        lambda log: commit_file(log).write_bytes(b" \n\n"), "{log}/00000000000000000004.json is empty)" + _BACKUP
    ),
    "last commit of random bytes": Case(lambda log: commit_file(log).write_bytes(NOISE), _CUT + "1 of "),
    "last commit of other JSON": Case(lambda log: commit_file(log).write_text("[]\n"), _CUT + "1 of 1)" + _BACKUP),
    "last commit of deep JSON": Case(
        lambda log: commit_file(log).write_text("[" * 200_000), _CUT + "1 of 1)" + _BACKUP
    ),
    "last commit missing": Case(
        lambda log: commit_file(log).unlink(),
        "{log} holds 00000000000000000004.crc, the checksum of a commit, and lacks the commit 00000000000000000004.json)"
        "; restore it from a backup; to continue without that commit, delete its checksum",
    ),
    "checksum of random bytes": Case(lambda log: checksum_file(log).write_bytes(NOISE), None),
    "checksum of other JSON": Case(lambda log: checksum_file(log).write_text("[]"), None),
    "checksum missing": Case(lambda log: checksum_file(log).unlink(), None),
    "checksum of another commit": Case(
        lambda log: _rewrite(checksum_file(log), lambda checksum: checksum.update(txnId="0d7ab2b3")),
        "{log}/00000000000000000004.crc is the checksum of another commit); delete it: the commits are read then",
    ),
    "checksum of a commit that is missing": Case(
        lambda log: checksum_file(log, 5).write_bytes(checksum_file(log).read_bytes()),
        "{log} holds 00000000000000000005.crc, the checksum of a commit, and lacks the commit 00000000000000000005.json)",
    ),
    "last checkpoint of random bytes": Case(lambda log: (log / "_last_checkpoint").write_bytes(NOISE), None),
    "last checkpoint empty": Case(lambda log: (log / "_last_checkpoint").write_bytes(b""), None),
    "last checkpoint that is missing": Case(
        lambda log: (log / "_last_checkpoint").write_text('{"version":9,"size":3}'), None
    ),
}
"""Damage of any log."""

WITHOUT_CHECKPOINT = {
    "middle commit cut": Case(
        lambda log: cut(commit_file(log, 2)), "{log}/00000000000000000002.json is cut off or damaged in line "
    ),
    "middle commit empty": Case(
        lambda log: commit_file(log, 2).write_bytes(b""), "{log}/00000000000000000002.json is empty)" + _BACKUP
    ),
    "middle commit missing": Case(
        lambda log: commit_file(log, 2).unlink(),
        "{log} lacks 00000000000000000002.json, and later commits are there)" + _BACKUP,
    ),
    "first commits missing": Case(
        _lose_early_commits,
        "{log} lacks 00000000000000000000.json, 00000000000000000001.json, 00000000000000000002.json, and later commits"
        " are there); restore them from a backup",
    ),
    "first commit without its metadata": Case(
        lambda log: commit_file(log, 0).write_text(commit_file(log, 0).read_text("utf-8").split("\n")[0] + "\n"),
        "no commit in {log} holds a metaData action); restore them from a backup",
    ),
    "checksum of other metadata": Case(
        lambda log: _rewrite(checksum_file(log), lambda checksum: checksum["metadata"].update(description="other")),
        "{log}/00000000000000000004.crc and the commits of {log} hold different metadata)",
    ),
}
"""Damage of a log of which every commit is needed."""

WITH_CHECKPOINT = {
    "middle commit cut": Case(lambda log: cut(commit_file(log, 2)), None),
    "middle commit missing": Case(lambda log: commit_file(log, 2).unlink(), None),
    "first commits missing": Case(_lose_early_commits, None),
    "checkpoint missing": Case(lambda log: checkpoint_file(log).unlink(), None),
    "checkpoint and the commits before it missing": Case(
        _lose_checkpoint_and_commits,
        "{log} lacks 00000000000000000000.json, 00000000000000000001.json, 00000000000000000002.json, and later commits"
        " are there); restore them from a backup",
    ),
}
"""Damage of a log of which the commits before the checkpoint are not needed."""

CLASSIC = {
    "checkpoint cut": Case(lambda log: cut(checkpoint_file(log)), "{checkpoint}" + _FOOTER + _BOTH),
    "checkpoint of random bytes": Case(
        lambda log: checkpoint_file(log).write_bytes(NOISE), "{checkpoint}" + _FOOTER + _BOTH
    ),
    "checkpoint empty": Case(lambda log: checkpoint_file(log).write_bytes(b""), "{checkpoint}" + _FOOTER + _BOTH),
    "checkpoint with a footer that is too long": Case(
        lambda log: checkpoint_file(log).write_bytes(b"PAR1" + bytes(40) + b"\xff\xff\x00\x00PAR1"),
        "{checkpoint}" + _FOOTER + _BOTH,
    ),
    "checkpoint cut, and the commits before it missing": Case(
        _cut_checkpoint_and_lose_commits, "{checkpoint}" + _FOOTER + _BACKUP
    ),
}
"""Damage of a checkpoint in parquet."""

SECOND = {
    "checkpoint cut": Case(lambda log: cut(checkpoint_file(log)), "{checkpoint} is cut off or damaged in line "),
    "checkpoint empty": Case(lambda log: checkpoint_file(log).write_bytes(b""), "{checkpoint} is empty)" + _BOTH),
    "sidecar cut": Case(lambda log: cut(sidecar_file(log)), _FOOTER + _BOTH),
    "sidecar missing": Case(
        lambda log: sidecar_file(log).unlink(), "is not there, and 00000000000000000003.checkpoint."
    ),
}
"""Damage of a checkpoint of the second version, in JSON."""
