"""The commit of the working tree that a folder is in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pytest_delta_schema.history.git_commands import COMMIT, HistoryError, git_top, run_git
from pytest_delta_schema.plugin.source_links.ci_services import service_of

if TYPE_CHECKING:
    from pathlib import Path

_SECONDS = 5


def git_commit(folder: Path) -> str:
    """Return the commit of the sources in a folder, as a CI service or git names it; ``""`` if it is not known."""
    top = git_top(folder)
    service = service_of(top or folder)
    given = os.environ.get(service.commit_variable, "") if service is not None else ""
    if COMMIT.fullmatch(given):
        return given
    return "" if top is None else _head(top)


def _head(top: Path) -> str:
    try:
        commit = run_git(top, "rev-parse", "--verify", "--quiet", "HEAD", seconds=_SECONDS).text
    except HistoryError:
        return ""
    return commit if COMMIT.fullmatch(commit) else ""
