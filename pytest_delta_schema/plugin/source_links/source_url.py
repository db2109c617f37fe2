"""Find the address at which a service shows the sources of a run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_delta_schema.history.git_commands import git_top
from pytest_delta_schema.plugin.source_links.ci_services import service_of

if TYPE_CHECKING:
    from pathlib import Path


def source_url(root: Path, commit: str) -> str:
    """Return where GitHub, GitLab or Azure Repos shows the files of a commit; ``""`` if that is not known."""
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
