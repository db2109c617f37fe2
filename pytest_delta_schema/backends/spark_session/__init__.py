"""The session backend: any Spark session, read and changed by SQL alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog as SessionCatalog

__getattr__, __dir__ = lazy_exports(__name__)
