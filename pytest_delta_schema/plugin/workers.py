"""Whether a process is a worker of xdist, and which one."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
