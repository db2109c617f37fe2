"""Predict what Delta does with a write: its schema enforcement and schema evolution, without a JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.write_check.options import WriteOptions as WriteOptions
    from pytest_delta_schema.write_check.prediction import predict_write as predict_write
    from pytest_delta_schema.write_check.verdict import WriteVerdict as WriteVerdict

__getattr__, __dir__ = lazy_exports(__name__)
