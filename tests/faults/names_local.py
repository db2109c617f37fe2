"""Hostile texts as every kind of name on the local backend, each in few tables that have it in every place at once."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType, StructType

from faults.bench import require, require_clean
from faults.cases import Area, Case
from faults.names import ADDED, OTHER, PARENT, REFUSALS, expected_text
from faults.scenarios import digest, require_rows, rows_in
from faults.texts import PLACES, TEXTS
from pytest_delta_schema import Column, Orchestrator, Table
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.rules import PlanValidator

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from faults.bench import Bench

LONGEST = 240
"""Bytes of a partition column's name with which a folder name=value has a name that file systems take."""

GROUPS = (
    ("table", "partition column", "key column", "tag key", "property value", "name of a foreign key"),
    ("schema", "clustering column", "table comment", "property key", "tag of a column", "name of a check"),
    (
        "column",
        "field",
        "column of a check",
        "literal in a check",
        "column comment",
        "field comment",
        "tag value",
        "default",
    ),
)
"""Places that one table of the local catalog can have at once."""

_NOT_IN_LOG = (
    "table",
    "schema",
    "name of a check",
    "name of a foreign key",
    "tag key",
    "tag value",
    "tag of a column",
    "clustering column",
    "key column",
    "literal in a check",
    "default",
)
"""Kept elsewhere, inside of another text, or in Spark's own spelling."""


def _run_local(case: Case, bench: Bench) -> None:
    """Put one text into every place that takes it, in few tables, beside tables that must not change."""
    text = TEXTS[case.values["text"]]
    _prepare(bench)
    taken = [kind for kind in PLACES if _is_taken(kind, text)]
    for group in GROUPS:
        kinds = [kind for kind in group if kind in taken]
        if kinds:
            _try_locally(bench, kinds, text)
    for what, there in _neighbours(bench).items():
        before = bench.shared["names"][what]
        require(there == before, f"{what} is {there}, and was {before}")


def _is_taken(kind: str, text: str) -> bool:
    """Whether no rule refuses it, which depends on no backend."""
    try:
        PlanValidator().validate_models([PLACES[kind](text)])
    except REFUSALS:
        return False
    return True


def _prepare(bench: Bench) -> None:
    with bench.lock:
        if "names" not in bench.shared:
            Orchestrator.over(bench.local).sync_tables([PARENT, OTHER])
            bench.local.insert(OTHER.name, [{"id": 1}])
            bench.shared["names"] = _neighbours(bench)


def _is_own(path: Path) -> bool:
    """Whether a file is one of the suite, or a lock under which a table is created."""
    return path.name == "cases" or (path.name.startswith(".creating-") and path.suffix == ".lock")


def _neighbours(bench: Bench) -> dict[str, object]:
    """Return what a name that escapes from its place would change: the tables beside it, and the folders around."""
    folders = {"the warehouse": bench.warehouse, "the folder of the warehouse": bench.warehouse.parent}
    tables = {f"the table {model.name}": table_folder(bench.warehouse, model.name) for model in (PARENT, OTHER)}
    return {
        **{
            what: sorted(path.name for path in folder.iterdir() if not _is_own(path))
            for what, folder in folders.items()
        },
        **{what: digest(folder) for what, folder in tables.items()},
    }


def _try_locally(bench: Bench, kinds: list[str], text: str) -> None:
    model = merged([PLACES[kind](text) for kind in kinds])
    if "table" not in kinds:
        model = replace(model, table_name=bench.schema("n"))
    if "schema" not in kinds:
        model = replace(model, schema_name=bench.schema("n"))
    folder = table_folder(bench.warehouse, model.name)
    line = Orchestrator.over(bench.local)
    try:
        line.sync_tables([model])
    except REFUSALS as error:
        if not {"table", "schema"} & set(kinds):
            raise
        require_clean(str(error), "the refusal")
        made = {path.name for path in (bench.warehouse / "dev").glob("*/*")}
        require(folder.name not in made, "a refused table is there")
        _try_locally(bench, [kind for kind in kinds if kind not in {"table", "schema"}], text)
        return
    expected = _written(bench, model)
    model = replace(model, columns=[*model.columns, ADDED])
    line.sync_tables([model])
    require(line.plan_tables([model]).is_empty, f"{', '.join(kinds)}: the plan is not empty")
    require_rows(rows_in(bench, folder)[0], [{**row, ADDED.name: None} for row in expected], ", ".join(kinds))
    stored = list(_leaves(_metadata(folder)))
    for kind in kinds:
        wanted = expected_text(kind, text, PLACES[kind](text))
        require(kind in _NOT_IN_LOG or not wanted or wanted in stored, f"{kind}: the log holds no {wanted!r}")
    bench.clean(folder.parent)


def _written(bench: Bench, model: Table) -> list[dict[str, Any]]:
    """Write a row, unless its folder would have a name that no file system takes; return all rows."""
    if any(len(name.encode()) > LONGEST for name in model.partitioned_by):
        return []
    row = {column.name: _value(column) for column in model.columns if column.default is None}
    bench.local.insert(model.name, [row])
    rows = rows_in(bench, table_folder(bench.warehouse, model.name))[0]
    require(len(rows) == 1, f"{len(rows)} rows were written, and not 1")
    return rows


def merged(models: list[Table]) -> Table:
    """Return one table with everything that some tables have."""
    first = models[0]
    columns: dict[str, Column] = {}
    for item in (column for model in models for column in model.columns):
        known = columns.setdefault(item.name, item)
        data_type = known.data_type
        if isinstance(item.data_type, StructType) and isinstance(data_type, StructType) and data_type != item.data_type:
            data_type = StructType([*data_type.fields, *item.data_type.fields])
        columns[item.name] = replace(
            known,
            is_nullable=known.is_nullable and item.is_nullable,
            comment=known.comment or item.comment,
            tags=known.tags or item.tags,
            data_type=data_type,
        )
    first = replace(first, columns=list(columns.values()))
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


def _value(column: Column) -> Any:
    if isinstance(column.data_type, StructType):
        return dict.fromkeys(column.data_type.names, 7)
    return 7 if isinstance(column.data_type, LongType) else "seven"


def _metadata(folder: Path) -> list[Any]:
    """Return everything that the log holds about a table, as JSON."""
    texts = []
    for commit in sorted(folder.glob("_delta_log/*.json")):
        actions = [json.loads(line) for line in commit.read_text("utf-8").split("\n") if line]
        for action in actions:
            inner = action.get("metaData")
            if inner:
                texts += [inner, json.loads(inner["schemaString"])]
            if "domainMetadata" in action:
                texts.append(action["domainMetadata"])
    return texts


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _leaves(part)
    if isinstance(value, str):
        yield value


def _local_cases(_: int) -> list[Case]:
    return [Case(area="names-local", name=text, values={"text": text}) for text in TEXTS]


AREA = Area(
    name="names-local",
    title="hostile texts, each as every kind of name, local",
    cases=_local_cases,
    run=_run_local,
    needs_jvm=True,
    sample=1,
)
