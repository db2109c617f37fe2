"""For all tests: pytest's own tool for testing plugins."""

from __future__ import annotations

pytest_plugins = ["pytester"]
