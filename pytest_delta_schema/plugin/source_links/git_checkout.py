"""The commit and the top folder of the working tree that a folder is in."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

from pytest_delta_schema.plugin.source_links.ci_services import service_of

if TYPE_CHECKING:
    from pathlib import Path

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SECONDS = 5


def git_top(folder: Path) -> Path | None:
    """Return the top folder of the working tree that a folder is in; ``None`` outside of one."""
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)


def git_commit(folder: Path) -> str:
    """Return the commit of the sources in a folder, as a CI service or git names it; ``""`` if it is not known."""
    top = git_top(folder)
    service = service_of(top or folder)
    given = os.environ.get(service.commit_variable, "") if service is not None else ""
    if _COMMIT.fullmatch(given):
        return given
    return "" if top is None else _head(top)


def _head(top: Path) -> str:
    command = ["git", "rev-parse", "--verify", "--quiet", "HEAD"]
    try:
        answer = subprocess.run(  # noqa: S603 - no argument comes from outside
            command, cwd=top, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    commit = answer.stdout.strip()
    return commit if _COMMIT.fullmatch(commit) else ""
