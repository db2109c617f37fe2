"""A pytest plugin: coverage records which test runs a line."""

from __future__ import annotations

import coverage
import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> object:
    """Give coverage the node id of the test that runs."""
    current = coverage.Coverage.current()
    if current is not None:
        current.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        if current is not None:
            current.switch_context("")
