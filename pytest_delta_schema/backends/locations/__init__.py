"""The locations backend: tables in folders of stores and machines, read from their Delta logs without a JVM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.backends.locations.catalog import LocationsCatalog as LocationsCatalog
    from pytest_delta_schema.backends.storage import Storage as Storage

__getattr__, __dir__ = lazy_exports(__name__)
