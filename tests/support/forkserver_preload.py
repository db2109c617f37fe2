"""Loads what runs of pytest and workers of xdist need, by a run of pytest: plugins that anything else loads make it warn."""

from __future__ import annotations

import contextlib
import gc
import io
import sys
import tempfile
from pathlib import Path

import pytest

from support.own_plugins import ALONE

MODEL = """
from pyspark.sql.types import LongType
from pytest_delta_schema import Column, Table
orders = Table("dev", "silver", "orders", [Column("id", LongType())])
"""

with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
    Path(folder, "pytest.ini").write_text("[pytest]\npythonpath = .\ndelta_models = preloaded_orders\n")
    Path(folder, "preloaded_orders.py").write_text(MODEL)
    gates = ("--delta-drift", "--delta-backend=memory")
    code = pytest.main([*ALONE, "--rootdir", folder, *gates, folder])
    if code != pytest.ExitCode.TESTS_FAILED:
        msg = f"a gate whose table does not exist ended with {code!r}"
        raise RuntimeError(msg)
    del sys.modules["preloaded_orders"]

import sqlglot  # noqa: E402, F401
import xdist.remote  # type: ignore[import-untyped]  # noqa: E402, F401

import pytest_delta_schema.engine.orchestrator  # noqa: E402, F401

# Forks share what is never looked at again.
gc.collect()
gc.freeze()
