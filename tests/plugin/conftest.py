"""A project to run pytest in, serial and parallel."""

from __future__ import annotations

import pytest

from support.plugin_project import Project


@pytest.fixture
def project(pytester, monkeypatch):
    # An inner run is no worker, even if the outer one is.
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "CI"):
        monkeypatch.delenv(name, raising=False)
    return Project(pytester)


@pytest.fixture(params=[(), ("-n2",)], ids=["serial", "xdist"])
def workers(request):
    """Arguments that run the inner pytest in one process, and in two."""
    return request.param
