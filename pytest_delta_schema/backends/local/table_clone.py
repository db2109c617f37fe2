"""Clone tables of the local backend."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.checkpoint_copy import copy_checkpoint
from pytest_delta_schema.backends.local.folder_clone import clone_folder
from pytest_delta_schema.backends.local.physical_names import table_folder
from pytest_delta_schema.backends.local.reader import location_of, read_tables
from pytest_delta_schema.delta.folded_names import NameSet
from pytest_delta_schema.errors import StatementError, because

if TYPE_CHECKING:
    from pytest_delta_schema.backends.local.bridge import Bridge
    from pytest_delta_schema.models.names import QualifiedName

_COMMITS_IN_CATALOG = ("delta.feature.catalogManaged", "delta.feature.catalogOwned-preview")


def clone(bridge: Bridge, source: QualifiedName, target: QualifiedName) -> None:
    """Clone a table into the warehouse folder, where it is found by its name.

    Args:
        bridge: The session.
        source: An existing table.
        target: The clone.

    Raises:
        CatalogReadError: If the table does not exist, or cannot be read.
        StatementError: If it cannot be cloned.
    """
    state = read_tables(bridge, [source]).existing(source)
    if not NameSet(state.table_properties).isdisjoint(NameSet(_COMMITS_IN_CATALOG)):
        fact = "its newest commits are in a catalog, and not in its log"
        raise _refused(source, fact, "create the table with make_delta_table, and insert its rows")
    location = location_of(bridge, source)
    if not location.startswith("/"):
        fact = f"its files are in {location}, and only those of a local folder are cloned"
        raise _refused(source, fact, "create the table with make_delta_table, and insert its rows")
    if not bridge.is_warehouse(target.catalog):
        fact = f"the catalog {target.catalog} is not one of the warehouse folder"
        raise _refused(source, fact, "clone tables of catalogs that the session does not configure")
    try:
        clone_folder(Path(location), table_folder(bridge.warehouse, target), partial(copy_checkpoint, bridge.spark))
    except OSError as error:
        raise _refused(source, because(error), "free space, or give the permission") from error


def _refused(table: QualifiedName, fact: str, remedy: str) -> StatementError:
    return StatementError(f"{table} cannot be cloned: {fact}; {remedy}")
