"""Hostile texts as every kind of name: stored and read back equal, or refused by a rule with nothing changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import LongType

from faults.bench import require, require_clean
from faults.cases import Area, Case
from faults.texts import PLACES, TEXTS
from pytest_delta_schema import Column, InvalidModelError, MemoryCatalog, Orchestrator, Table, UnsafePlanError
from pytest_delta_schema.diagnostics.errors import CatalogReadError, DeclarationError
from pytest_delta_schema.plan.actions import change_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from faults.bench import Bench

PARENT = Table("dev", "silver", "parent", [Column("id", LongType(), is_nullable=False)], primary_key=["id"])
OTHER = Table("dev", "silver", "bystander", [Column("id", LongType())], comment="nobody touches it")
ADDED = Column("added_later", LongType())
REFUSALS = (CatalogReadError, DeclarationError, InvalidModelError, UnsafePlanError)


def _seen(state: Any, kind: str) -> str:
    """Return the text as the catalog shows it."""
    nested: Any = state.columns[1].data_type.fields[0] if "field" in kind else None
    tags: dict[str, str] = next(iter(state.tags.values()), {}) if "tag" in kind else {}
    shown: dict[str, Callable[[], str]] = {
        "table": lambda: state.name.table,
        "schema": lambda: state.name.schema,
        "column": lambda: state.columns[-1].name,
        "field": lambda: nested.name,
        "clustering column": lambda: state.clustering[0].root,
        "partition column": lambda: state.partitioning[0],
        "key column": lambda: state.primary_key.columns[0],
        "column of a check": lambda: state.columns[-1].name,
        "name of a check": lambda: state.checks[0].name,
        "literal in a check": lambda: state.checks[0].expression,
        "name of a foreign key": lambda: state.foreign_keys[0].name,
        "property key": lambda: next(key for key, value in state.table_properties.items() if value == "x"),
        "property value": lambda: state.table_properties["team"],
        "table comment": lambda: state.table_comment,
        "column comment": lambda: state.columns[0].comment,
        "field comment": lambda: nested.comment,
        "tag key": lambda: next(iter(tags)),
        "tag value": lambda: tags["team"],
        "tag of a column": lambda: next(iter(tags.values())),
        "default": lambda: state.columns[-1].value.default,
    }
    return shown[kind]()


_FOLDED = ("table", "schema", "name of a check")


def expected_text(kind: str, text: str, model: Table) -> str:
    if kind == "literal in a check":
        return model.checks[0].expression
    if kind == "default":
        return str(model.columns[-1].default)
    return text.lower() if kind in _FOLDED else text


WITH_ROWS = ("column", "clustering column", "partition column", "key column", "column of a check", "table", "schema")


def try_text(catalog: Any, model: Table, kind: str, text: str, with_rows: Collection[str] = WITH_ROWS) -> bool:
    """Create the table, look at it, write to it, change it once more; return whether it was made and not refused."""
    line = Orchestrator.over(catalog)
    try:
        line.sync_tables([model])
    except REFUSALS as error:
        require_clean(str(error), "the refusal")
        return False
    state = catalog.snapshot([model]).tables[model.name]
    seen, expected = _seen(state, kind), expected_text(kind, text, model)
    require(seen == expected, f"read back {seen!r}, and not {expected!r}")
    if kind in with_rows:
        catalog.insert(model.name, [{column.name: 7 for column in model.columns}])
    model = replace(model, columns=[*model.columns, ADDED])
    line.sync_tables([model])
    plan = line.plan_tables([model])
    left = [str(line) for action in plan.actions for line in change_lines(action)]
    require(not left, f"the plan is not empty: {'; '.join(left)}")
    return True


def _run_memory(case: Case, bench: Bench) -> None:
    del bench
    kind, text = case.values["place"], TEXTS[case.values["text"]]
    catalog = MemoryCatalog()
    Orchestrator.over(catalog).sync_tables([PARENT, OTHER])
    before = catalog.snapshot([PARENT, OTHER]).tables
    tables = set(catalog._tables)
    try:
        # This catalog evaluates conditions with a library that knows fewer names than Spark; it says so.
        made = try_text(catalog, PLACES[kind](text), kind, text, {*WITH_ROWS} - {"column of a check"})
    except DeclarationError as error:
        require_clean(str(error), "the refusal")
        made = False
    now = catalog.snapshot([PARENT, OTHER]).tables
    require(all(now[name] == state for name, state in before.items()), "the table of somebody else has changed")
    require(len(catalog._tables) == len(tables) + made, "tables have come or gone")


def _memory_cases(_: int) -> list[Case]:
    return [
        Case(area="names-memory", name=f"{kind}/{text}", values={"place": kind, "text": text})
        for text in TEXTS
        for kind in PLACES
    ]


AREA = Area(
    name="names-memory",
    title="hostile texts as every kind of name, memory",
    cases=_memory_cases,
    run=_run_memory,
    sample=120,
)
