"""A project to run pytest in, serial and parallel."""

from __future__ import annotations

import pytest

from support.plugin_project import Project


@pytest.fixture
def project(pytester):
    return Project(pytester)


@pytest.fixture(params=[(), ("-n2",)], ids=["serial", "xdist"])
def workers(request):
    """Arguments that run the inner pytest in one process, and in two."""
    return request.param
