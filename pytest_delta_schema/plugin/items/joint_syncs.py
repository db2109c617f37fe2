"""Synchronise the catalog entries of a run at once; the items report how it ended."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema.engine.entry_checks import sync_entries
from pytest_delta_schema.engine.outcomes.outcome import Status, TableOutcome
from pytest_delta_schema.plugin.compat.xdist_compat import is_worker, share_folder
from pytest_delta_schema.plugin.items.joint_items import note_unreported, share_a_catalog
from pytest_delta_schema.plugin.run.stash_keys import RUN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_delta_schema.execute.protocols.metadata_sync import SyncsEntries

_FOLDER = "delta_schema_synced"
"""The name, in the input of workers, of the folder in which they share outcomes."""


class JointSyncs:
    """The synchronisations of a run, by the catalogs that they change.

    Items that a mark may skip are not among them.
    """

    def __init__(self, config: pytest.Config, items: Sequence[pytest.Function]) -> None:
        self._config = config
        self._items = items
        self._outcomes: dict[str, TableOutcome] = {}

    def sync(self, item: pytest.Function, catalog: SyncsEntries) -> TableOutcome:
        """Return the outcome of an item; the first of a catalog synchronises the entries of all its items."""
        if item.nodeid not in self._outcomes:
            batch = [other for other in self._items if share_a_catalog(item, other)]
            if all(other.nodeid != item.nodeid for other in batch):
                batch = [item]
            self._outcomes |= self._sync(batch, catalog)
            if not is_worker(self._config):
                for other in batch:
                    outcome = self._outcomes[other.nodeid]
                    if other.nodeid != item.nodeid and outcome.status is Status.SYNCED:
                        note_unreported(self._config, other.nodeid, outcome)
        return self._outcomes[item.nodeid]

    def _sync(self, items: Sequence[pytest.Function], catalog: SyncsEntries) -> dict[str, TableOutcome]:
        """Synchronise entries, and return the outcomes by the ids of their items; workers do it once for all."""
        folder: str | None = getattr(self._config, "workerinput", {}).get(_FOLDER)
        if folder is None or items[0] not in self._items:
            return self._now(items, catalog)
        from filelock import FileLock

        path = Path(folder, f"{self._items.index(items[0])}.json")
        with FileLock(f"{path}.lock"):
            if not path.exists():
                outcomes = self._now(items, catalog)
                path.write_text(json.dumps({name: outcome.to_json() for name, outcome in outcomes.items()}), "utf-8")
        return {name: TableOutcome.from_json(values) for name, values in json.loads(path.read_text("utf-8")).items()}

    def _now(self, items: Sequence[pytest.Function], catalog: SyncsEntries) -> dict[str, TableOutcome]:
        tables = {item.nodeid: item.cls.table for item in items}
        declarations = self._config.stash[RUN].declarations
        outcomes = sync_entries(list(tables.values()), catalog, declarations, recreates=True)
        return {node_id: outcomes[table.name] for node_id, table in tables.items()}


class SharedOutcomes:
    """Gives the workers of xdist on this machine a folder in which the first one leaves its outcomes for the others."""

    def __init__(self) -> None:
        self._folder: str | None = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give a worker the folder."""
        self._folder = share_folder(node, _FOLDER, self._folder)

    def pytest_unconfigure(self) -> None:
        """Remove the folder."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
