"""Whether a process is a worker of xdist, and which one."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest


def worker_id(config: pytest.Config) -> str:
    """Return the name of the xdist worker, ``main`` without xdist."""
    return str(getattr(config, "workerinput", {}).get("workerid", "main"))


def is_distributed(config: pytest.Config) -> bool:
    """Whether this process is a worker of xdist or controls workers; a run that only collects starts none."""
    option = config.getoption
    return is_worker(config) or (
        option("dist", "no") != "no" and bool(option("tx", None)) and not option("collectonly", default=False)
    )


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is an xdist worker."""
    return hasattr(config, "workerinput")


def share_folder(node: Any, key: str, folder: str | None) -> str | None:
    """Give a worker that is about to start the folder that workers of this machine share, and return the folder.

    The node is what xdist's hook ``pytest_configure_node`` gets. Without a folder a temporary one is made. The result
    is ``None`` if all workers so far are on other machines.
    """
    spec = node.gateway.spec
    if spec.popen and not spec.via:
        folder = folder or tempfile.mkdtemp(prefix="pytest-delta-schema-")
        node.workerinput[key] = folder
    return folder
