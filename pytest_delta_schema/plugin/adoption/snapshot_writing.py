"""Write the snapshots of a table, as ``pytest --snapshot-update`` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.plugin.adoption.model_files import write_whole
from pytest_delta_schema.plugin.collection.model_collection import node_name
from pytest_delta_schema.plugin.items.snapshots import snapshot_text
from pytest_delta_schema.state.json_format.snapshot_names import SQL_FILE, STATE_FILE

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_delta_schema.engine.declarations import Declarations
    from pytest_delta_schema.models.table import Table


def write_snapshots(module: Path, model: Table, declarations: Declarations) -> None:
    """Write the snapshots of a model, which breaks no rule, next to the module that declares it.

    Raises:
        UnwritableFileError: If one cannot be written.
    """
    folder, table = module.parent / "__snapshots__" / module.stem, node_name(model.qualified_name)
    texts = declarations.reviewed_texts(model)
    write_whole(folder / f"{table}{SQL_FILE}", snapshot_text(texts.sql).encode())
    write_whole(folder / f"{table}{STATE_FILE}", texts.state.encode())
