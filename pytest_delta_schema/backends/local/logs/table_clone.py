"""Clone tables of the local backend."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.clone_refusal import cannot_clone, require_commits_in_log
from pytest_delta_schema.backends.local.logs.checkpoint_copy import copy_checkpoint
from pytest_delta_schema.backends.local.logs.folder_clone import ChangingTableError, clone_folder
from pytest_delta_schema.backends.local.logs.reader import located
from pytest_delta_schema.backends.local.warehouse.physical_names import table_folder
from pytest_delta_schema.diagnostics.errors import first_line

if TYPE_CHECKING:
    from pytest_delta_schema.backends.local.session.bridge import Bridge
    from pytest_delta_schema.models.names import QualifiedName


def clone(bridge: Bridge, source: QualifiedName, target: QualifiedName) -> None:
    """Clone a table into the warehouse folder, where it is found by its name.

    Raises:
        CatalogReadError: If the table does not exist, or cannot be read.
        StatementError: If it cannot be cloned.
    """
    state, location = located(bridge, source)
    require_commits_in_log(state)
    if not location.startswith("/"):
        raise cannot_clone(source, f"its files are in {location}, and only those of a local folder are cloned")
    if not bridge.is_warehouse(target.catalog):
        fact = f"the catalog {target.catalog} is not one of the warehouse folder"
        raise cannot_clone(source, fact, "clone tables of catalogs that the session does not configure")
    try:
        clone_folder(Path(location), table_folder(bridge.warehouse, target), partial(copy_checkpoint, bridge.spark))
    except ChangingTableError as error:
        fact = "other writers have changed it during each of 3 attempts"
        raise cannot_clone(source, fact, "clone it when they have ended") from error
    except FileNotFoundError as error:
        fact = f"a file of its log is not there ({first_line(error)})"
        raise cannot_clone(source, fact, "restore the log") from error
    except OSError as error:
        raise cannot_clone(source, first_line(error), "free space, or give the permission") from error
