"""Predict what Delta does with a write, and what a stream does after a change of its table, without a JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.write_check.prediction import predict_write as predict_write
    from pytest_delta_schema.write_check.streams import StreamVerdict as StreamVerdict
    from pytest_delta_schema.write_check.streams import check_stream as check_stream
    from pytest_delta_schema.write_check.verdict import Merge as Merge
    from pytest_delta_schema.write_check.verdict import When as When
    from pytest_delta_schema.write_check.verdict import WriteOptions as WriteOptions
    from pytest_delta_schema.write_check.verdict import WriteVerdict as WriteVerdict

__getattr__, __dir__ = lazy_exports(__name__)
