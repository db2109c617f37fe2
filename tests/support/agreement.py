"""What Delta was recorded to do when a frame and a table differ, and whether a prediction agrees."""

from __future__ import annotations

import shutil
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_delta_schema import Merge, QualifiedName, WriteOptions, check_write
from pytest_delta_schema.backends.local.probes import AUTO_MERGE, write
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.backends.spark.sessions import setting
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import statements
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.write_check.verdict import takes_frame
from support.pages import markdown_table
from support.writes import MODES, PAIRS, recorded, recorded_statements, shown, statement_ways, ways

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from pytest_delta_schema import LocalCatalog
    from pytest_delta_schema.write_check.verdict import WriteMethod
    from support.writes import Pair


WAYS: dict[str, tuple[WriteMethod, str]] = {
    "`save`": ("save", "plain"),
    "`writeTo`, `saveAsTable`": ("write_to", "plain"),
    "`insertInto`": ("insert_into", "plain"),
    "`writeStream`": ("write_stream", "plain"),
    "with `mergeSchema`": ("save", "mergeSchema"),
    "with `overwriteSchema`": ("save", "overwriteSchema"),
}
SITUATIONS = {
    "has its columns in another order": "other order",
    "spells names in another case": "other case",
    "has names that are equal without case": "duplicate by case",
    "has another column": "extra column",
    "has another field in a struct, also inside of arrays and maps": "extra field in array",
    "lacks a nullable column": "missing column",
    "lacks a NOT NULL column": "missing NOT NULL",
    "lacks a column with a default": "missing default",
    "lacks a generated column": "missing generated",
    "lacks the column that the table is partitioned by": "missing partition",
    "lacks a field of a struct": "missing field",
    "has int for bigint, or any other type that Spark can cast": "int into bigint",
    "has string for int": "string into int",
    "has int for date, or any other type that Spark cannot cast": "int into date",
    "has int for smallint": "wider int",
    "has bigint for int, and the table has type widening": "wider int, widening",
    "has a column without a type (void)": "void into int",
    "has a type, and the table's column is void": "int into void",
    "has a column whose values the table numbers (identity)": "given identity",
    "has another type for a column that a check uses": "wider checked",
}


STATEMENTS = {
    "`INSERT BY NAME`": ("sql_insert", "name"),
    "`INSERT (columns)`": ("sql_insert", "columns"),
    "`UPDATE SET`": ("update", "plain"),
    "`MERGE`: `UPDATE SET *`": ("merge", "update all"),
    "`INSERT *`": ("merge", "insert all"),
    "`UPDATE SET *`, evolving": ("merge", "update all evolving"),
    "`INSERT *`, evolving": ("merge", "insert all evolving"),
}


def table() -> str:
    """Return the table of frames."""
    return _answers_table("the frame", WAYS, ways, recorded())


def statement_table() -> str:
    """Return the table of statements."""
    return _answers_table("the source", STATEMENTS, statement_ways, recorded_statements())


def _answers_table(
    subject: str,
    shown_ways: Mapping[str, tuple[str, str]],
    ways_of: Callable[[str], Iterable[tuple[str, str, WriteOptions | Merge]]],
    outcomes: Iterable[tuple[str, str, str, str]],
) -> str:
    real = {(pair, method, mode): outcome for pair, method, mode, outcome in outcomes}
    rows = []
    for situation, pair in SITUATIONS.items():
        options = {(method, mode): way for method, mode, way in ways_of(pair)}
        answers = (
            _answer(pair, options[way], real[(pair, *way)]) if way in options else "-" for way in shown_ways.values()
        )
        rows.append([situation.replace("the frame", subject), *answers])
    return markdown_table([f"{subject} ...", *shown_ways], rows)


def _answer(pair: str, options: WriteOptions | Merge, outcome: str) -> str:
    verdict = check_write(*PAIRS[pair], options)
    if not verdict.accepted:
        return f"`{verdict.findings[0].rule}`"
    if isinstance(options, WriteOptions) and options.mode == "overwrite":
        return "replaced"
    if outcome != shown(desired_state(PAIRS[pair].table).columns):
        return "evolves"
    return "cast" if any(" is cast " in note.message for note in verdict.notes) else "accepted"


class Stage:
    """A schema with the table of one pair."""

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
        self.before = catalog.read_tables([self._base]).tables[self._base]
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
        if replace(state, name=self._base) != self.before:
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
