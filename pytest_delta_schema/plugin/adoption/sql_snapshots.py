"""Write the snapshot of a table's SQL, as ``pytest --snapshot-update`` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plugin.adoption.model_files import write_whole
from pytest_delta_schema.plugin.collection.model_collection import node_name
from pytest_delta_schema.plugin.items.snapshots import snapshot_text

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_delta_schema.engine.declarations import Declarations
    from pytest_delta_schema.models.table import Table


def write_snapshot(module: Path, model: Table, declarations: Declarations) -> None:
    """Write the snapshot of a model, which breaks no rule, next to the module that declares it.

    Raises:
        UnwritableFileError: If it cannot be written.
    """
    path = module.parent / "__snapshots__" / module.stem / f"{node_name(model.qualified_name)}.ddl.sql"
    write_whole(path, snapshot_text(declarations.snapshot_sql(model)).encode())
