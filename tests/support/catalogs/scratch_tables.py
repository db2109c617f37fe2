"""Scratch tables without the plugin's fixtures."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_delta_schema.plugin.scratch import Scratch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.execute.protocols import ScratchCatalog


@contextmanager
def scratch(catalog: ScratchCatalog) -> Iterator[Scratch]:
    """Make scratch tables in a block, and drop them at its end."""
    made = Scratch(catalog, "main")
    try:
        yield made
    finally:
        made.clean_up()
