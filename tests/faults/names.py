"""Hostile texts as every kind of name: stored and read back equal, or refused by a rule with nothing changed.

On the memory backend each text is tried in each place. On the local backend each is in few tables that have it in many
places at once.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType, StructType

from faults.cases import Area, require, require_clean
from faults.scenarios import digest, require_rows, rows_in
from faults.texts import PLACES, TEXTS
from pytest_delta_schema import Column, InvalidModelError, MemoryCatalog, Orchestrator, Table, UnsafePlanError
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.diagnostics.errors import CatalogReadError, DeclarationError
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.rules import PlanValidator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from faults.bench import Bench

PARENT = Table("dev", "silver", "parent", [Column("id", LongType(), is_nullable=False)], primary_key=["id"])
OTHER = Table("dev", "silver", "bystander", [Column("id", LongType())], comment="nobody touches it")
ADDED = Column("added_later", LongType())
REFUSALS = (CatalogReadError, DeclarationError, InvalidModelError, UnsafePlanError)

SEEN: dict[str, Callable[[Any], str]] = {
    "table": lambda state: state.name.table,
    "schema": lambda state: state.name.schema,
    "column": lambda state: state.columns[-1].name,
    "field": lambda state: state.columns[1].data_type.fields[0].name,
    "clustering column": lambda state: state.clustering[0].root,
    "partition column": lambda state: state.partitioning[0],
    "key column": lambda state: state.primary_key.columns[0],
    "column of a check": lambda state: state.columns[-1].name,
    "name of a check": lambda state: state.checks[0].name,
    "literal in a check": lambda state: state.checks[0].expression,
    "name of a foreign key": lambda state: state.foreign_keys[0].name,
    "property key": lambda state: next(key for key, value in state.table_properties.items() if value == "x"),
    "property value": lambda state: state.table_properties["team"],
    "table comment": lambda state: state.table_comment,
    "column comment": lambda state: state.columns[0].comment,
    "field comment": lambda state: state.columns[1].data_type.fields[0].comment,
    "tag key": lambda state: next(iter(next(iter(state.tags.values())))),
    "tag value": lambda state: next(iter(state.tags.values()))["team"],
    "tag of a column": lambda state: next(iter(next(iter(state.tags.values())).values())),
    "default": lambda state: state.columns[-1].value.default,
}
"""The text as a catalog shows it."""

WITH_ROWS = ("column", "clustering column", "partition column", "key column", "table", "schema")
"""Places for which the memory catalog takes a row: its evaluation of conditions knows fewer names than Spark."""


def _expected(kind: str, text: str) -> str:
    """Return the text that is read back."""
    if kind == "literal in a check":
        return PLACES[kind](text).checks[0].expression
    if kind == "default":
        return str(PLACES[kind](text).columns[-1].default)
    return text.lower() if kind in ("table", "schema", "name of a check") else text


def _on_memory(kind: str, text: str, _: Bench) -> None:
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables([PARENT, OTHER])
    before, tables = catalog.snapshot([PARENT, OTHER]).tables, set(catalog._tables)
    try:
        is_made = _is_stored(catalog, PLACES[kind](text), kind, text)
    except DeclarationError as error:
        require_clean(str(error), "the refusal")
        is_made = False
    now = catalog.snapshot([PARENT, OTHER]).tables
    require(all(now[name] == state for name, state in before.items()), "the table of somebody else has changed")
    require(len(catalog._tables) == len(tables) + is_made, "tables have come or gone")


def _is_stored(catalog: MemoryCatalog, model: Table, kind: str, text: str) -> bool:
    """Create the table, look at it, write to it, change it once more; return whether it was made and not refused."""
    engine = Orchestrator.over(catalog)
    try:
        engine.sync_tables([model])
    except REFUSALS as error:
        require_clean(str(error), "the refusal")
        return False
    seen, expected = SEEN[kind](catalog.snapshot([model]).tables[model.name]), _expected(kind, text)
    require(seen == expected, f"read back {seen!r}, and not {expected!r}")
    if kind in WITH_ROWS:
        catalog.insert(model.name, [{column.name: 7 for column in model.columns}])
    model = replace(model, columns=[*model.columns, ADDED])
    engine.sync_tables([model])
    left = [str(line) for action in engine.plan_tables([model]).actions for line in change_lines(action)]
    require(not left, f"the plan is not empty: {'; '.join(left)}")
    return True


LONGEST = 240
"""Bytes of a partition column's name with which a folder name=value has a name that file systems take."""

IN_LOG = (
    *("column", "field", "partition column", "column of a check", "property key", "property value"),
    *("table comment", "column comment", "field comment"),
)
"""Kept as they are in the log; others are kept elsewhere, inside of another text, or in Spark's own spelling."""

GROUPS = (
    ("table", "partition column", "key column", "tag key", "property value", "name of a foreign key"),
    ("schema", "clustering column", "table comment", "property key", "tag of a column", "name of a check"),
    (
        *("column", "field", "column of a check", "literal in a check"),
        *("column comment", "field comment", "tag value", "default"),
    ),
)
"""Places that one table of the local catalog can have at once."""


def _on_local(text: str, bench: Bench) -> None:
    """Put one text into every place that takes it, in few tables, next to tables that must not change."""
    before = bench.once("neighbours", lambda: _create_neighbours(bench))
    for group in GROUPS:
        kinds = [kind for kind in group if _is_taken(kind, text)]
        if kinds:
            _try_locally(bench, kinds, text)
    for what, now in _neighbours(bench).items():
        require(now == before[what], f"{what} is {now}, and was {before[what]}")


def _is_taken(kind: str, text: str) -> bool:
    """Whether no rule refuses it, which depends on no backend."""
    try:
        PlanValidator().validate_models([PLACES[kind](text)])
    except REFUSALS:
        return False
    return True


def _create_neighbours(bench: Bench) -> dict[str, object]:
    Orchestrator.over(bench.local).sync_tables([PARENT, OTHER])
    bench.local.insert(OTHER.name, [{"id": 1}])
    return _neighbours(bench)


def _neighbours(bench: Bench) -> dict[str, object]:
    """Return what a name that escapes from its place would change: the tables next to it, and the folders around."""

    def names_in(folder: Path) -> list[str]:
        names = sorted(path.name for path in folder.iterdir())
        # The folder of the suite, and locks under which a table is created.
        return [name for name in names if name != "cases" and not name.startswith(".creating-")]

    return {
        "the warehouse": names_in(bench.warehouse),
        "the folder of the warehouse": names_in(bench.warehouse.parent),
        "the parent": digest(table_folder(bench.warehouse, PARENT.name)),
        "the bystander": digest(table_folder(bench.warehouse, OTHER.name)),
    }


def _try_locally(bench: Bench, kinds: list[str], text: str) -> None:
    model = _merged([PLACES[kind](text) for kind in kinds])
    model = replace(
        model,
        table_name=model.table_name if "table" in kinds else bench.schema(),
        schema_name=model.schema_name if "schema" in kinds else bench.schema(),
    )
    folder, engine = table_folder(bench.warehouse, model.name), Orchestrator.over(bench.local)
    try:
        engine.sync_tables([model])
    except REFUSALS as error:
        others = [kind for kind in kinds if kind not in ("table", "schema")]
        if others == kinds:
            raise
        require_clean(str(error), "the refusal")
        made = {path.name for path in (bench.warehouse / "dev").glob("*/*")}
        require(folder.name not in made, "a refused table is there")
        _try_locally(bench, others, text)
        return
    expected = _written(bench, model)
    model = replace(model, columns=[*model.columns, ADDED])
    engine.sync_tables([model])
    require(engine.plan_tables([model]).is_empty, f"{', '.join(kinds)}: the plan is not empty")
    require_rows(rows_in(bench, folder)[0], [{**row, ADDED.name: None} for row in expected], ", ".join(kinds))
    stored = set(_texts_of(_metadata(folder)))
    lost = [kind for kind in kinds if kind in IN_LOG and text and text not in stored]
    require(not lost, f"{', '.join(lost)}: the log holds no {text!r}")
    bench.clean(folder.parent)


def _written(bench: Bench, model: Table) -> list[dict[str, Any]]:
    """Write a row, unless its folder would have a name that no file system takes; return all rows."""
    if any(len(name.encode()) > LONGEST for name in model.partitioned_by):
        return []

    def value(column: Column) -> Any:
        if isinstance(column.data_type, StructType):
            return dict.fromkeys(column.data_type.names, 7)
        return 7 if isinstance(column.data_type, LongType) else "seven"

    bench.local.insert(model.name, [{column.name: value(column) for column in model.columns if column.default is None}])
    rows = rows_in(bench, table_folder(bench.warehouse, model.name))[0]
    require(len(rows) == 1, f"{len(rows)} rows were written, and not 1")
    return rows


def _merged(models: list[Table]) -> Table:
    """Return one table with everything that some tables have."""
    columns: dict[str, Column] = {}
    for column in (column for model in models for column in model.columns):
        known = columns.setdefault(column.name, column)
        data_type, other = known.data_type, column.data_type
        if isinstance(other, StructType) and isinstance(data_type, StructType) and data_type != other:
            data_type = StructType([*data_type.fields, *other.fields])
        columns[column.name] = replace(
            known,
            is_nullable=known.is_nullable and column.is_nullable,
            comment=known.comment or column.comment,
            tags=known.tags or column.tags,
            data_type=data_type,
        )
    first = replace(models[0], columns=list(columns.values()))
    for model in models[1:]:
        first = replace(
            first,
            table_name=first.table_name if model.table_name == "orders" else model.table_name,
            schema_name=first.schema_name if model.schema_name == "silver" else model.schema_name,
            comment=first.comment or model.comment,
            table_properties={**model.table_properties, **first.table_properties},
            tags={**model.tags, **first.tags},
            primary_key=first.primary_key or model.primary_key,
            checks=[*first.checks, *model.checks],
            foreign_keys=[*first.foreign_keys, *model.foreign_keys],
            partitioned_by=first.partitioned_by or model.partitioned_by,
            clustered_by=first.clustered_by or model.clustered_by,
        )
    return first


def _metadata(folder: Path) -> list[Any]:
    """Return everything that the log holds about a table, as JSON."""
    texts = []
    for commit in sorted(folder.glob("_delta_log/*.json")):
        for action in (json.loads(line) for line in commit.read_text("utf-8").split("\n") if line):
            if "metaData" in action:
                texts += [action["metaData"], json.loads(action["metaData"]["schemaString"])]
            if "domainMetadata" in action:
                texts.append(action["domainMetadata"])
    return texts


def _texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for part in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts_of(part)


@cache
def _memory_cases() -> dict[str, Callable[[Bench], None]]:
    return {f"{kind}/{name}": partial(_on_memory, kind, text) for name, text in TEXTS.items() for kind in PLACES}


MEMORY_AREA = Area(
    name="names-memory", title="hostile texts as every kind of name, memory", cases=_memory_cases, sample=120
)
LOCAL_AREA = Area(
    name="names-local",
    title="hostile texts, each as every kind of name, local",
    cases=lambda: {name: partial(_on_local, text) for name, text in TEXTS.items()},
    needs_jvm=True,
    sample=1,
)
