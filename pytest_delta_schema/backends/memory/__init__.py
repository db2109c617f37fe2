"""A catalog in memory, without a JVM and files, to test rules, plans and contracts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.backends.memory.catalog import MemoryCatalog as MemoryCatalog

__getattr__, __dir__ = lazy_exports(__name__)
