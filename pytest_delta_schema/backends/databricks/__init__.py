"""The Databricks backend: whole schemas from information_schema, statements as they are rendered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.backends.databricks.catalog import DatabricksCatalog as DatabricksCatalog
    from pytest_delta_schema.backends.databricks.connection import connect_databricks as connect_databricks

__getattr__, __dir__ = lazy_exports(__name__)
