"""Exclude models from garbage collection (``gc.freeze``) in large runs."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from pytest_delta_schema.plugin.collection.model_collection import ContractItem
from pytest_delta_schema.plugin.items.unmanaged_items import SchemaItem

if TYPE_CHECKING:
    import pytest

MANY = 100
"""The least number of checks; a run of fewer ones saves less than a tenth of a second."""


def freeze_after_collection(session: pytest.Session) -> None:
    """Freeze every object that exists after test collection until the run ends.

    They take a quarter of the time of a run of a thousand tables. A run that has other tests as well is left alone,
    because these may look at what Python collects, and so is one in which something else has frozen objects.
    """
    items = session.items
    has_others = not all(isinstance(item, (ContractItem, SchemaItem)) for item in items)
    if len(items) < MANY or has_others or gc.get_freeze_count():
        return
    gc.freeze()
    session.config.add_cleanup(gc.unfreeze)
