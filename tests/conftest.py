"""A project to run pytest in, serial and parallel."""

from __future__ import annotations

import pytest
from hypothesis import settings

from pytest_delta_schema.backends.local.machine_cache import cache_folder
from support.plugin_project import Project

# How long an example takes says more about the machine than about the code, and nothing is expected of it.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# pytester gives every test a home of its own, but what is made once for a machine stays where it is.
CACHE = cache_folder().parent


@pytest.fixture
def project(pytester, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(CACHE))
    # An inner run is no worker, even if the outer one is.
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "CI"):
        monkeypatch.delenv(name, raising=False)
    return Project(pytester)


@pytest.fixture(params=[(), ("-n2",)], ids=["serial", "xdist"])
def workers(request):
    """Arguments that run the inner pytest in one process, and in two."""
    return request.param
