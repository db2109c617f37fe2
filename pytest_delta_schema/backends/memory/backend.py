"""The backend ``memory``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.backend import Backend
from pytest_delta_schema.backends.memory.catalog import MemoryCatalog

if TYPE_CHECKING:
    from pytest_delta_schema.backends.backend import BackendContext


def _open(_: BackendContext) -> MemoryCatalog:
    return MemoryCatalog()


BACKEND = Backend(open=_open, scratch_tables="anywhere")
"""An empty catalog in this process."""
