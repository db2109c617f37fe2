"""One pair on real Delta: its table is created once, and writes get copies of the folder."""

from __future__ import annotations

import shutil
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema import QualifiedName, WriteOptions
from pytest_delta_schema.backends.local.probes import AUTO_MERGE, write
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.backends.spark.statements import setting
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import statements
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.write_check.verdict import takes_frame
from support.values.writes import MODES, shown

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_delta_schema import LocalCatalog
    from pytest_delta_schema.write_check.verdict import Merge, WriteMethod
    from support.values.writes import Pair


class Stage:
    """A schema with the table of one pair.

    Args:
        catalog: The local catalog.
        pair: The table and the frame.
    """

    def __init__(self, catalog: LocalCatalog, pair: Pair) -> None:
        self._catalog = catalog
        self._pair = pair
        self._schema = f"writes_{uuid.uuid4().hex[:8]}"
        self._number = 0
        catalog.create_schema("dev", self._schema)
        self._base = self._name("base")
        wanted = replace(desired_state(pair.table), name=self._base)
        for statement in statements(TablePlanner().creation(wanted, creates_schema=False)):
            catalog.run(statement)
        self._before = catalog.read_tables([self._base]).tables[self._base]
        self._current: QualifiedName | None = None

    def play(self, method: WriteMethod, mode: str) -> str:
        """Write an empty frame to a copy of the table, and return the outcome in one line."""
        return self.run(replace(MODES[mode], method=method))

    def run(self, options: WriteOptions | Merge) -> str:
        """Write an empty frame to a copy of the table, which is a new one unless the last write left it as it was."""
        name, folder = self._copy()
        auto_merge = isinstance(options, WriteOptions) and options.auto_merge
        frame = self._pair.frame if takes_frame(options, None) else None
        spark, bridge = self._catalog.spark, self._catalog.bridge
        try:
            with translate_errors(bridge.with_logical_names), setting(spark, AUTO_MERGE, str(auto_merge).lower()):
                write(spark, frame, name, folder, options)
        except StatementError as error:
            return error.condition
        state = self._catalog.read_tables([name]).tables[name]
        if replace(state, name=self._base) != self._before:
            self._current = None
        return shown(state.columns)

    def _copy(self) -> tuple[QualifiedName, Path]:
        if self._current is None:
            self._number += 1
            self._current = self._name(f"copy_{self._number}")
            folder = table_folder(self._catalog.warehouse, self._current)
            shutil.copytree(table_folder(self._catalog.warehouse, self._base), folder)
            self._catalog.bridge.register(["dev"])
        return self._current, table_folder(self._catalog.warehouse, self._current)

    def close(self) -> None:
        """Drop the schema with everything in it."""
        self._catalog.drop_schema("dev", self._schema)

    def _name(self, table: str) -> QualifiedName:
        return QualifiedName("dev", self._schema, table)
