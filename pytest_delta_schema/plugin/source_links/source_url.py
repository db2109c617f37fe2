"""Find the address at which a service shows the sources of a run."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from pytest_delta_schema.plugin.source_links.git_checkout import git_top

_SERVICES = (
    ("GITHUB_WORKSPACE", "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/blob/{commit}"),
    ("CI_PROJECT_DIR", "{CI_PROJECT_URL}/-/blob/{commit}"),
    ("BUILD_SOURCESDIRECTORY", "{azure_repository}?version=GC{commit}&path="),
)
"""The variables in which GitHub, GitLab and Azure name the folder of a repository, and where they show its files."""


def source_url(root: Path, commit: str) -> str:
    """Return the address at which GitHub, GitLab or Azure Repos shows the files of a commit; ``""`` if it is not known.

    Args:
        root: The root folder of the run.
        commit: The commit that is checked out; ``""`` if it is not known.
    """
    top = git_top(root)
    if top is None or not commit:
        return ""
    for folder, address in _SERVICES:
        # The files of another repository inside of the folder have other addresses.
        if os.environ.get(folder) and Path(os.environ[folder]).resolve() == top.resolve():
            try:
                return address.format_map({**os.environ, "commit": commit, **_azure_repository()})
            except (KeyError, ValueError):
                return ""
    return ""


def _azure_repository() -> dict[str, str]:
    """Return the address of a repository in Azure Repos, without its user; nothing for repositories elsewhere."""
    address = urlsplit(os.environ.get("BUILD_REPOSITORY_URI", ""))
    if "/_git/" not in address.path:
        return {}
    return {"azure_repository": f"{address.scheme}://{address.netloc.rpartition('@')[2]}{address.path}"}
