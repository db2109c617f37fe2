"""Where the sources of a run are: in which folder, in which commit, and where a service shows them."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pytest_delta_schema.diagnostics.errors import Location


class CiService(NamedTuple):
    """The variables of one service."""

    folder_variable: str
    """Names the folder of the sources."""
    commit_variable: str
    """Names the commit in it."""
    address: str
    """Where the service shows the files of a ``{commit}``, made of its other variables."""


SERVICES = (
    CiService("GITHUB_WORKSPACE", "GITHUB_SHA", "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/blob/{commit}"),
    CiService("CI_PROJECT_DIR", "CI_COMMIT_SHA", "{CI_PROJECT_URL}/-/blob/{commit}"),
    CiService("BUILD_SOURCESDIRECTORY", "BUILD_SOURCEVERSION", "{azure_repository}?version=GC{commit}&path="),
)


def source_folders() -> list[Path]:
    """Return the folders that services name."""
    return [Path(os.environ[name]) for name, *_ in SERVICES if os.environ.get(name)]


def service_of(folder: Path) -> CiService | None:
    """Return the service whose sources are in a folder."""
    for service in SERVICES:
        named = os.environ.get(service.folder_variable)
        if named and Path(named).resolve() == folder.resolve():
            return service
    return None


class SourceRoot:
    """Writes locations relative to the first folder that holds their file, of those that services and git name."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._known: dict[str, str | None] = {}

    @cached_property
    def _folders(self) -> list[Path]:
        from pytest_delta_schema.history.git import git_top

        top = git_top(self._root)
        return [*map(Path.resolve, source_folders()), *([] if top is None else [top.resolve()]), self._root]

    def relative(self, location: Location) -> Location | None:
        """Return a location with a relative path, with slashes; ``None`` if the file is outside of all folders."""
        if location.file not in self._known:
            self._known[location.file] = self._relative(Path(location.file))
        file = self._known[location.file]
        return None if file is None else location._replace(file=file)

    def is_own(self, location: Location) -> bool:
        """Whether a file is part of the project, and not of an installed package."""
        file = Path(location.file)
        if not {"site-packages", "dist-packages"}.isdisjoint(file.parts):
            return False
        # The root is looked at first, because the other folders cost a process of git.
        is_below = file.is_absolute() and file.resolve().is_relative_to(self._root)
        return is_below or self.relative(location) is not None

    def _relative(self, file: Path) -> str | None:
        # Code that was compiled from a text has a name instead of a path.
        if not file.is_absolute():
            return None
        path = file.resolve()
        folder = next((folder for folder in self._folders if path.is_relative_to(folder)), None)
        return None if folder is None else path.relative_to(folder).as_posix()


def source_url(root: Path, commit: str) -> str:
    """Return where GitHub, GitLab or Azure Repos shows the files of a commit; ``""`` if that is not known."""
    from pytest_delta_schema.history.git import git_top

    top = git_top(root)
    service = None if top is None or not commit else service_of(top)
    if service is None:
        return ""
    try:
        return service.address.format_map({**os.environ, "commit": commit, **_azure_repository()})
    except (KeyError, ValueError):
        return ""


def _azure_repository() -> dict[str, str]:
    """Return the address of a repository in Azure Repos, without its user; nothing for repositories elsewhere."""
    address = urlsplit(os.environ.get("BUILD_REPOSITORY_URI", ""))
    if "/_git/" not in address.path:
        return {}
    return {"azure_repository": f"{address.scheme}://{address.netloc.rpartition('@')[2]}{address.path}"}


_SECONDS = 5


def git_commit(folder: Path) -> str:
    """Return the commit of the sources in a folder, as a CI service or git names it; ``""`` if it is not known."""
    from pytest_delta_schema.history.git import COMMIT, HistoryError, git_top, run_git

    top = git_top(folder)
    service = service_of(top or folder)
    commit = os.environ.get(service.commit_variable, "") if service is not None else ""
    if top is not None and not COMMIT.fullmatch(commit):
        try:
            commit = run_git(top, "rev-parse", "--verify", "--quiet", "HEAD", seconds=_SECONDS).text
        except HistoryError:
            return ""
    return commit if COMMIT.fullmatch(commit) else ""
