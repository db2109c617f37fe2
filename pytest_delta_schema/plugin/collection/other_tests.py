"""The tests of a project that are not contracts: a gate or an apply on the command line runs none of them."""

from __future__ import annotations

import os

import pytest

from pytest_delta_schema.plugin.collection.selection import is_check


def deselect_other_tests(config: pytest.Config, items: list[pytest.Item]) -> int:
    """Deselect the items that are not checks of a contract, and that no node id names; return how many there are."""
    node_ids = [argument for argument in config.args if "::" in argument]
    others = {item for item in items if not (is_check(item) or any(_names(config, item, id_) for id_ in node_ids))}
    if others:
        config.hook.pytest_deselected(items=[item for item in items if item in others])
        items[:] = [item for item in items if item not in others]
    return len(others)


def _names(config: pytest.Config, item: pytest.Item, node_id: str) -> bool:
    """Whether a node id names an item: as a part of a class, as a test, or as a test with its parameters."""
    path, *names = _parts(node_id)
    if os.path.abspath(config.invocation_params.dir / path) != str(item.path):  # noqa: PTH100 - links stay
        return False
    own = [node.name for node in item.listchain() if not isinstance(node, (pytest.Session, pytest.Dir, pytest.File))]
    last = own[len(names) - 1].partition("[")[0] if len(own) == len(names) else ""
    return own[: len(names)] == names or [*own[: len(names) - 1], last] == names


def _parts(node_id: str) -> list[str]:
    """Split a node id at its colons; those of parameters are part of the last name."""
    names, bracket, parameters = node_id.partition("[")
    *parts, last = names.split("::")
    return [*parts, last + bracket + parameters]
