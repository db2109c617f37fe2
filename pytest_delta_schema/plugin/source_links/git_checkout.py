"""Read the commit and the top folder of a git repository from its files, without starting git."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def git_top(folder: Path) -> Path | None:
    """Return the top folder of the working tree that a folder is in; ``None`` outside of one."""
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)


def git_commit(folder: Path) -> str:
    """Return the commit that is checked out in the working tree that a folder is in; ``""`` if it is not known."""
    top = git_top(folder)
    if top is None:
        return ""
    try:
        return _commit(top / ".git")
    except (OSError, UnicodeDecodeError):
        return ""


def _commit(git: Path) -> str:
    if git.is_file():
        # A further working tree, and a submodule, have a file that names the folder.
        git = git.parent / _line(git).removeprefix("gitdir: ")
    head = _line(git / "HEAD")
    if not head.startswith("ref: "):
        return _checked(head)
    name = head.removeprefix("ref: ")
    common = git / _line(git / "commondir") if (git / "commondir").is_file() else git
    for file in (git / name, common / name):
        if file.is_file():
            return _checked(_line(file))
    packed = (common / "packed-refs").read_text("utf-8").splitlines()
    return next((_checked(line[: -len(name) - 1]) for line in packed if line.endswith(f" {name}")), "")


def _line(file: Path) -> str:
    return file.read_text("utf-8").strip()


def _checked(text: str) -> str:
    return text if _COMMIT.fullmatch(text) else ""
