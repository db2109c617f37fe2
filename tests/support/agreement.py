"""What Delta was recorded to do when a frame and a table differ, and whether a prediction agrees."""

from __future__ import annotations

import re
import shutil
import tempfile
import uuid
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from pyspark.sql.types import StructField, StructType

from pytest_delta_schema import Merge, QualifiedName, WriteOptions, check_write
from pytest_delta_schema.backends.local.probes import AUTO_MERGE, merge_sql, write, write_frame
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.spark.errors import translate_errors
from pytest_delta_schema.backends.spark.sessions import setting
from pytest_delta_schema.delta.char_varchar import without_lengths
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.sql import dotted, statements
from pytest_delta_schema.sql.quoting import insert_sql
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.write_check.verdict import takes_frame
from support.cells import FIRST_GIVEN, FIRST_STORED, Cell, leaves, numbered
from support.cells import PAIRS as CELL_PAIRS
from support.jobs import CONDITION, failure_of, frame_of, is_filled, literal
from support.pages import markdown_table
from support.writes import MODES, PAIRS, agree, recorded, recorded_statements, shown, statement_ways, ways

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyspark.sql import DataFrame

    from pytest_delta_schema import LocalCatalog
    from pytest_delta_schema.write_check import WriteVerdict
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


_TIMES = re.compile(r"\b(date|timestamp)\b(?!:)")
"""Types, not names of fields, that are read as text, because times of Python end with the year 9999."""

_ALONE = Lock()
"""Held by overwrites, because a setting of the session says which rows they replace."""


class RowStage(Stage):
    """A schema with the table of one pair and a row in it, to which a row is written."""

    def __init__(self, catalog: LocalCatalog, pair: Pair) -> None:
        super().__init__(catalog, pair)
        given = [column for column in pair.table.columns if not is_filled(column)]
        schema = StructType([StructField(c.name, without_lengths(c.data_type)) for c in given])
        frame_of([numbered(schema, FIRST_STORED)], schema, catalog.spark).writeTo(dotted(self._base)).append()
        self.before = catalog.read_tables([self._base]).tables[self._base]
        self._folder = Path(tempfile.mkdtemp(dir=catalog.warehouse.parent))

    def close(self) -> None:
        super().close()
        shutil.rmtree(self._folder)

    def run(self, options: WriteOptions | Merge) -> str:
        """Write a row to a copy of the table, and return the columns and the rows of the table, or the condition."""
        self._current = None
        name, folder = self._copy()
        spark = self._catalog.spark
        try:
            overwrites = isinstance(options, WriteOptions) and options.mode == "overwrite"
            with translate_errors(self._catalog.bridge.with_logical_names), _ALONE if overwrites else nullcontext():
                self._write(name, folder, options)
        except StatementError as error:
            return failure_of(error)
        state = self._catalog.read_tables([name]).tables[name]
        columns = "" if state.columns == self.before.columns else f"{shown(state.columns)} | "
        stored = spark.table(dotted(name))
        as_text = {part.name: _TIMES.sub("string", part.dataType.simpleString()) for part in stored.schema}
        rows = [
            " ".join(f"{path}={value}" for path, value in leaves(one.asDict(recursive=True)))
            for one in stored.select([stored[part].cast(kind).alias(part) for part, kind in as_text.items()]).collect()
        ]
        return columns + " / ".join(sorted(rows))

    def _write(self, name: QualifiedName, folder: Path, options: WriteOptions | Merge) -> None:
        spark, schema = self._catalog.spark, self._pair.frame
        given = numbered(schema, FIRST_GIVEN)
        method = options.method if isinstance(options, WriteOptions) else "merge"
        if method == "delete":
            spark.sql(f"DELETE FROM {dotted(name)}")  # noqa: S608 - our own names
            return
        if isinstance(options, WriteOptions) and method == "update":
            values = (f"{part.name} = {literal(given[part.name], part.dataType)}" for part in schema.fields)
            spark.sql(f"UPDATE {dotted(name)} SET {', '.join(values)}")  # noqa: S608 - our own names
            return
        has_void = "void" in schema.simpleString()
        frame = spark.createDataFrame([given], schema) if has_void else frame_of([given], schema, spark)
        if method == "write_stream":
            self._stream(frame, folder, merges=isinstance(options, WriteOptions) and options.merge_schema)
        elif isinstance(options, Merge) or method == "sql_insert":
            view = f"row_for_{name.table}_{name.schema}"
            frame.createOrReplaceTempView(view)
            dynamic = isinstance(options, WriteOptions) and options.dynamic_partitions
            mode = setting(spark, "spark.sql.sources.partitionOverwriteMode", "dynamic")
            with mode if dynamic else nullcontext():
                spark.sql(_row_sql(options, dotted(name), view))
        else:
            write_frame(frame, name, folder, options)

    def _stream(self, frame: DataFrame, folder: Path, *, merges: bool) -> None:
        source, spark = str(self._folder / "source"), self._catalog.spark
        frame.write.format("parquet").mode("overwrite").save(source)
        stream = spark.readStream.schema(frame.schema).parquet(source).writeStream.format("delta")
        started = stream.option("checkpointLocation", tempfile.mkdtemp(dir=self._folder)).option("mergeSchema", merges)
        started.trigger(availableNow=True).start(str(folder)).awaitTermination()


def _row_sql(options: WriteOptions | Merge, table: str, view: str) -> str:
    if isinstance(options, WriteOptions):
        return insert_sql(options, table, view)
    met = "true" if options.matched is not None and options.not_matched is None else "false"
    return merge_sql(options, table, view).replace(" ON true", f" ON {met}", 1)


BY_VALUE = (
    "CAST_INVALID_INPUT",
    "CAST_OVERFLOW",
    "CAST_OVERFLOW_IN_TABLE_INSERT",
    "DELTA_EXCEED_CHAR_VARCHAR_LIMIT",
    "EXCEED_LIMIT_LENGTH",
    "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
)
"""Conditions that depend on the values of a row, so a note announces them."""

MOVED = " gets the value of the field "


def disagreements(name: str, line: dict[str, dict[str, str]]) -> Iterator[str]:
    """Yield how predictions for the ways to write a pair differ from what has become of a row."""
    for outcome_of_rows, listed in line["outcomes"].items():
        for way in listed.split(", "):
            verdict = predicted(Cell(name, way))
            wrong = disagreement(verdict, name, way, outcome_of_rows)
            if wrong:
                yield f"{way}: Delta {outcome_of_rows}, predicted {verdict}: {wrong}"


def predicted(cell: Cell) -> WriteVerdict:
    """Return what is predicted for a write."""
    model, given = CELL_PAIRS[cell.pair]
    return check_write(model, None if cell.way == "DELETE" else given, cell.options)


def disagreement(verdict: WriteVerdict, name: str, way: str, real: str) -> str:
    """Return how a prediction and the outcome differ; ``""`` if they do not."""
    notes = [(note.path, note.message) for note in verdict.notes]
    if CONDITION.fullmatch(f"[{real}]"):
        if not verdict.accepted:
            return "" if agree(verdict.findings[0].code, real) else "another condition"
        is_announced = real in BY_VALUE and any(text.endswith(" fails") for _, text in notes)
        return "" if is_announced else "it is refused"
    if not verdict.accepted:
        return "it is accepted"
    columns, _, rows = real.rpartition(" | ")
    if (columns or shown(desired_state(CELL_PAIRS[name].table).columns)) != shown(verdict.columns):
        return "other columns"
    return wrong_values(way, name, rows, notes)


def _split(given: dict[str, str]) -> Iterator[tuple[list[str], str]]:
    return ((path.split("."), value) for path, value in given.items())


def _as_leaves(paths: Iterable[str]) -> set[str]:
    """Return paths as leaves have them, in which the key of a map is ``k``."""
    return {leaf for path in paths for leaf in (path, path.replace(".value", ".k"))}


def wrong_values(way: str, name: str, rows: str, notes: list[tuple[str, str]]) -> str:
    """Return the leaves that have other values than those of their names, and no note, or a note without such values."""
    given = dict(leaves(numbered(CELL_PAIRS[name].frame, FIRST_GIVEN)))
    if way.startswith(("insertInto", "INSERT")) and "BY NAME" not in way and "columns" not in way:
        names = dict(zip(CELL_PAIRS[name].frame.names, [c.name for c in CELL_PAIRS[name].table.columns], strict=False))
        given = {".".join((names.get(root, root), *rest)): value for (root, *rest), value in _split(given)}
    written = [
        dict(part.split("=", 1) for part in re.split(r" (?=[\w.]+ *=)", row))
        for row in rows.split(" / ")
        if "1234" in row
    ]
    others = {path for row in written for path, value in given.items() if row.get(path, value) != value}
    swapped = {path for row in written for path in others if row.get(path) in {*given.values()} - {"NULL"}}
    noted = _as_leaves(path for path, _ in notes)
    moved = _as_leaves(path for path, text in notes if MOVED in text)
    unannounced = {path for path in others if not any(path == n or path.startswith(f"{n}.") for n in noted)}
    unmoved = {path for path in swapped if path not in moved}
    vain = {path for path in moved if written and path in given and path not in others}
    return "; ".join(
        f"{word}: {', '.join(sorted(paths))}"
        for word, paths in (("no note", unannounced), ("swapped", unmoved), ("not swapped", vain))
        if paths
    )
