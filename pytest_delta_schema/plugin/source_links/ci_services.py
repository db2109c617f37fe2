"""The variables in which GitHub Actions, GitLab CI and Azure Pipelines describe the sources of a job."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple


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
    """Return the service whose sources are in a folder.

    The commit and address of a service do not hold for another repository inside of its folder.
    """
    for service in SERVICES:
        named = os.environ.get(service.folder_variable)
        if named and Path(named).resolve() == folder.resolve():
            return service
    return None
