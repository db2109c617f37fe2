"""Share what the items of a run do together: the first of them does it, and the others report how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from pytest_delta_schema.plugin.compat.pytest_compat import shared_fixture
from pytest_delta_schema.plugin.run.stash_keys import REPORTS, RUN, SUMMARY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome

    _T = TypeVar("_T")

_CATALOG = "delta_catalog"

_JOINT: pytest.StashKey[dict[object, Any]] = pytest.StashKey()
"""Key of what the items of a run share, by its class."""


def joint(config: pytest.Config, class_: Callable[[pytest.Config, Sequence[pytest.Function]], _T]) -> _T:
    """Return the object of a class that the items of a run share, made of all items that change a catalog."""
    shared = config.stash.setdefault(_JOINT, {})
    if class_ not in shared:
        shared[class_] = class_(config, config.stash[RUN].changing)
    made: _T = shared[class_]
    return made


def note_unreported(config: pytest.Config, node_id: str, outcome: TableOutcome) -> None:
    """Give the outcome of a table whose item has not run to what reports it, because that item may never run."""
    for name in (SUMMARY, REPORTS):
        collector: Any = config.pluginmanager.getplugin(name)
        if collector is not None:
            collector.note_unreported(node_id, outcome)


def share_a_catalog(item: pytest.Function, other: pytest.Function) -> bool:
    """Whether two items get one catalog; a fixture of a folder, module or test may give others."""
    fixture = shared_fixture(item, _CATALOG)
    return fixture is not None and shared_fixture(other, _CATALOG) is fixture
