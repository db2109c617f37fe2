"""The applies of a run, by the catalogs that they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.engine.batched_applies import BatchedApplies
from pytest_delta_schema.plugin.compat.xdist_compat import is_worker
from pytest_delta_schema.plugin.items.joint_items import note_unreported, share_a_catalog
from pytest_delta_schema.plugin.run.stash_keys import RUN

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome
    from pytest_delta_schema.models.table import Table


class JointApplies:
    """The applies of a run, by the catalogs that they change.

    Items that a mark may skip are not among them.
    """

    def __init__(self, config: pytest.Config, items: Sequence[pytest.Function]) -> None:
        self._config = config
        self._items = items
        self._node_ids = {item.cls.table.name: item.nodeid for item in items}
        self._applies: dict[int, BatchedApplies] = {}

    def apply(self, item: pytest.Function, gate: Gate) -> TableOutcome:
        """Return the outcome of the apply of an item."""
        # A worker of xdist does not know which items it is going to run, and reports no other table than theirs.
        knows_items = not is_worker(self._config)
        if id(gate) not in self._applies:
            tables = [other.cls.table for other in self._items if knows_items and share_a_catalog(item, other)]
            note = self._note if knows_items else lambda *_: None
            self._applies[id(gate)] = BatchedApplies(gate, tables, self._config.stash[RUN].progress, note)
        applies = self._applies[id(gate)]
        return applies.apply(item.cls.table) if knows_items else applies.apply_with_parents(item.cls.table)

    def _note(self, table: Table, outcome: TableOutcome) -> None:
        note_unreported(self._config, self._node_ids[table.name], outcome)
