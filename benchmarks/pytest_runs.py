"""Runs of pytest whose time is measured: with the plugins that a project needs, and what Python has compiled before."""

from __future__ import annotations

import os

PLUGINS = ("-p", "syrupy", "-p", "pytest_delta_schema.plugin", "-p", "no:cacheprovider")
"""The options for :func:`environment`, in which pytest loads no plugin because it is installed."""


def environment(**more: str) -> dict[str, str]:
    """Return the variables of a run in which only the plugins in ``PLUGINS`` are loaded.

    Without files of bytecode, pytest would compile all modules of its plugins in each run; CI keeps no JVM.
    """
    names = os.environ.keys() - {"CI", "PYTHONDONTWRITEBYTECODE"}
    return {**{name: os.environ[name] for name in names}, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **more}
