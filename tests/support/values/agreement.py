"""One pair on real Delta: its table is created once, and every write gets a copy of the folder."""

from __future__ import annotations

import shutil
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.backends.local.warehouse.physical_names import table_folder
from pytest_delta_schema.backends.local.write_probe.empty_writes import write
from pytest_delta_schema.backends.spark.errors.spark_errors import translate_errors
from pytest_delta_schema.backends.spark.session_settings import setting
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import statements
from pytest_delta_schema.state.desired import desired_state
from support.values.writes import MODES, shown

if TYPE_CHECKING:
    from pytest_delta_schema import LocalCatalog
    from pytest_delta_schema.write_check.options import WriteMethod
    from support.values.writes import Pair

_AUTO_MERGE = "spark.databricks.delta.schema.autoMerge.enabled"


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

    def play(self, method: WriteMethod, mode: str) -> str:
        """Write an empty frame to a new copy of the table, and return the outcome in one line."""
        self._number += 1
        name = self._name(f"copy_{self._number}")
        folder = table_folder(self._catalog.warehouse, name)
        shutil.copytree(table_folder(self._catalog.warehouse, self._base), folder)
        options = replace(MODES[mode], method=method)
        spark, bridge = self._catalog.spark, self._catalog.bridge
        try:
            with (
                translate_errors(bridge.with_logical_names),
                setting(spark, _AUTO_MERGE, str(options.auto_merge).lower()),
            ):
                bridge.register(["dev"])
                write(spark, self._pair.frame, name, folder, options)
        except StatementError as error:
            return error.condition
        state = self._catalog.read_tables([name]).tables[name]
        return shown(state.columns)

    def close(self) -> None:
        """Drop the schema with everything in it."""
        self._catalog.drop_schema("dev", self._schema)

    def _name(self, table: str) -> QualifiedName:
        return QualifiedName("dev", self._schema, table)
