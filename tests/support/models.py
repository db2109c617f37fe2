"""Short ways to write tables and states in tests, and models with histories."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, Orchestrator, QualifiedName, Settings, Table, UnsafePlanError
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules import Consent, PlanValidator
from pytest_delta_schema.sql import script, statements
from pytest_delta_schema.state import CatalogState, ColumnState, KeyState, TableState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import TEXT, column, orders, table
from pytest_delta_schema.testing.scenarios import SCENARIOS
from support.covering import ALL, stored_traits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_delta_schema.execute import KeepsVersions


__all__ = [
    "CHECKED",
    "KEY",
    "NAME",
    "TEXT",
    "catalog",
    "column",
    "columns_of",
    "operations",
    "orders",
    "orders_before",
    "state",
    "stored",
    "table",
]


NAME = QualifiedName("dev", "silver", "orders")


def state(*columns: ColumnState, name: QualifiedName = NAME, **options: Any) -> TableState:
    """Describe an existing table."""
    properties = MappingProxyType(options.pop("table_properties", {}))
    return TableState(name=name, columns=columns, table_properties=properties, **options)


def stored(name: str = "id", data_type: Any = "bigint", *, is_nullable: bool = True, comment: str = "") -> ColumnState:
    """Describe a stored column, a ``bigint`` unless a type is given."""
    return ColumnState(name, data_type, is_nullable, comment)


def columns_of(text: str) -> list[Column]:
    """Declare columns by their names and types: ``id bigint not null; tags array<string>``."""
    parts = [part.split(maxsplit=1) for part in text.split(";")]
    types = [(name, data_type.strip()) for name, data_type in parts]
    return [Column(name, kind.removesuffix(" not null"), not kind.endswith(" not null")) for name, kind in types]


def catalog(*tables: TableState) -> CatalogState:
    """Describe a catalog that holds ``tables``."""
    return CatalogState(tables={table.name: table for table in tables})


def orders_before() -> TableState:
    """The worked example: what the catalog holds."""
    return state(stored("id"), stored("created_ts", "timestamp"))


def operations(catalog: KeepsVersions, table: QualifiedName = NAME) -> list[str]:
    """Return the operations of the commits of a table, the oldest first."""
    return [commit.operation for commit in catalog.commits(table)]


KEY = KeyState("pk_dev_silver_orders__id", ("id",))
CHECKED = table(column(is_nullable=False), column("b"), checks=[Check("Positive", "id > 0 AND b > 1")])
"""A table with constraints; declared here, so it does not become test items where it is used."""


TYPES = [spark.ByteType(), spark.IntegerType(), spark.LongType(), spark.DecimalType(20, 0), spark.DecimalType(25, 2)]
NAMES = st.sampled_from("abcd")
PROPERTIES = {"delta.columnMapping.mode": "name", "delta.enableTypeWidening": "true"}


@dataclass
class Part:
    """A column, or a field of the column ``s``."""

    width: int = 0
    is_nullable: bool = True
    comment: str = ""
    default: int | None = None
    renamed_from: str | None = None


@dataclass
class Wish:
    """A model in the making: columns, fields of ``s``, the columns that have a check, and what else a table has."""

    columns: dict[str, Part] = field(default_factory=dict)
    fields: dict[str, Part] = field(default_factory=dict)
    checked: set[str] = field(default_factory=set)
    clustered: str | None = None
    comment: str = ""
    tag: str | None = None

    def parts(self, inside: bool) -> dict[str, Part]:
        return self.fields if inside else self.columns

    def model(self) -> Table:
        inner = [
            spark.StructField(
                name,
                TYPES[part.width],
                part.is_nullable,
                {"comment": part.comment} | ({"renamed_from": part.renamed_from} if part.renamed_from else {}),
            )
            for name, part in self.fields.items()
        ]
        columns = [
            Column(
                name,
                TYPES[part.width],
                part.is_nullable,
                comment=part.comment,
                default=part.default,
                renamed_from=part.renamed_from,
            )
            for name, part in self.columns.items()
        ]
        checks = [Check(f"check_{name}", f"{name} < 100") for name in sorted(self.checked)]
        return table(
            Column("key", spark.LongType(), is_nullable=False),
            Column("s", spark.StructType(inner), is_nullable=False),
            *columns,
            comment=self.comment,
            table_properties=PROPERTIES | ({"tag": self.tag} if self.tag else {"tag": None}),
            checks=checks,
            clustered_by=[self.clustered] if self.clustered else [],
        )


class Evolution(RuleBasedStateMachine):
    """Edits a model, applies it, and keeps account of what the rows should be."""

    catalog: Any

    def start(self) -> None:
        """Make a catalog without the table."""
        raise NotImplementedError

    def held(self) -> list[dict[str, Any]]:
        """Return the rows of the table in the order of their keys, fields and columns by their names."""
        raise NotImplementedError

    @initialize()
    def begin(self) -> None:
        self.start()
        self.live = Wish(columns={"a": Part()}, fields={"a": Part()})
        self.wish = copy.deepcopy(self.live)
        self.rows: list[dict[str, Any]] = []
        Orchestrator.over(self.catalog).sync_tables([self.live.model()])

    @rule(inside=st.booleans(), name=NAMES, width=st.integers(0, 4))
    def add(self, inside: bool, name: str, width: int) -> None:
        parts = self.wish.parts(inside)
        if name not in {self.origin(inside, part) for part in parts}:
            parts.setdefault(name, Part(width=width))

    @rule(inside=st.booleans(), name=NAMES)
    def drop(self, inside: bool, name: str) -> None:
        parts = self.wish.parts(inside)
        if name in parts and len(parts) > 1:
            del parts[name]
            if not inside:
                self.wish.checked.discard(name)
                self.wish.clustered = None if self.wish.clustered == name else self.wish.clustered

    @rule(inside=st.booleans(), name=NAMES, to=NAMES)
    def rename(self, inside: bool, name: str, to: str) -> None:
        parts, live = self.wish.parts(inside), self.live.parts(inside)
        # A hint means the name that the table has, so it is given once between two applies.
        if name in parts and name in live and to not in parts and to not in live and parts[name].renamed_from is None:
            parts[to] = parts.pop(name)
            parts[to].renamed_from = name
            if not inside and name in self.wish.checked:
                self.wish.checked = self.wish.checked - {name} | {to}
            if not inside and self.wish.clustered == name:
                self.wish.clustered = to

    @rule(inside=st.booleans(), name=NAMES, by=st.integers(1, 3))
    def widen(self, inside: bool, name: str, by: int) -> None:
        part = self.wish.parts(inside).get(name)
        if part is not None:
            part.width = min(part.width + by, len(TYPES) - 1)

    @rule(inside=st.booleans(), name=NAMES, is_nullable=st.booleans(), comment=st.sampled_from(["", "one", "it's"]))
    def describe(self, inside: bool, name: str, is_nullable: bool, comment: str) -> None:
        part = self.wish.parts(inside).get(name)
        if part is not None:
            part.comment = comment
            if self.origin(inside, name) in self.live.parts(inside):
                part.is_nullable = is_nullable

    @rule(name=NAMES)
    def check(self, name: str) -> None:
        if name in self.wish.columns:
            self.wish.checked ^= {name}

    @rule(name=NAMES, default=st.integers(0, 9) | st.none())
    def fill(self, name: str, default: int | None) -> None:
        if name in self.wish.columns:
            self.wish.columns[name].default = default

    @rule(name=NAMES | st.none(), comment=st.sampled_from(["", "a table"]), tag=st.sampled_from([None, "x", "y"]))
    def dress(self, name: str | None, comment: str, tag: str | None) -> None:
        self.wish.comment, self.wish.tag = comment, tag
        if name is None or name in self.wish.columns:
            self.wish.clustered = name

    @rule(values=st.lists(st.integers(0, 120) | st.none(), min_size=16, max_size=16))
    def insert(self, values: list[int | None]) -> None:
        supply = iter(values)
        row = {
            name: self.value(next(supply), part, name in self.live.checked) for name, part in self.live.columns.items()
        }
        inner = {name: self.value(next(supply), part) for name, part in self.live.fields.items()}
        self.catalog.insert(NAME, [{"key": len(self.rows), "s": inner, **row}])
        self.rows.append({"key": len(self.rows), "s": inner, **row})

    @precondition(lambda self: self.wish != self.live)
    @rule()
    def apply(self) -> None:
        model, before = self.wish.model(), self.catalog.snapshot([self.live.model()]).tables[NAME]
        drops = [
            Consent("drop-column", f"{NAME}.{prefix}{name}")
            for inside, prefix in ((False, ""), (True, "s."))
            for name in self.live.parts(inside).keys() - {self.origin(inside, part) for part in self.wish.parts(inside)}
        ]
        line = Orchestrator.over(self.catalog, settings=Settings(consents=tuple(drops)))
        if self.refused():
            with pytest.raises(UnsafePlanError):
                line.sync_tables([model])
            assert self.catalog.snapshot([model]).tables[NAME] == before
            assert self.catalog.version(NAME) == before.version
            self.wish = copy.deepcopy(self.live)
        else:
            line.sync_tables([model])
            assert line.plan_tables([model]).is_empty
            self.rows = [
                {"key": row["key"], "s": self.moved(row["s"], inside=True), **self.moved(row, inside=False)}
                for row in self.rows
            ]
            for part in (*self.wish.columns.values(), *self.wish.fields.values()):
                part.renamed_from = None
            self.live = copy.deepcopy(self.wish)

    def origin(self, inside: bool, name: str) -> str:
        part = self.wish.parts(inside)[name]
        return part.renamed_from or name

    def moved(self, values: Mapping[str, Any], *, inside: bool) -> dict[str, Any]:
        return {name: values.get(self.origin(inside, name)) for name in self.wish.parts(inside)}

    def refused(self) -> bool:
        """Whether the data, or a type, forbids what is wished for."""
        for inside in (False, True):
            for name, part in self.wish.parts(inside).items():
                old = self.live.parts(inside).get(self.origin(inside, name))
                held = [(row["s"] if inside else row).get(self.origin(inside, name)) for row in self.rows]
                if old is not None and part.width < old.width:
                    return True
                if not part.is_nullable and (old is None or (old.is_nullable and None in held)):
                    return True
                checked = not inside and name in self.wish.checked
                was_checked = checked and self.origin(inside, name) in self.live.checked
                if checked and not was_checked and any(value is None or value >= 100 for value in held):
                    return True
        return False

    @staticmethod
    def value(drawn: int | None, part: Part, checked: bool = False) -> int | None:
        value = 7 if drawn is None and (checked or not part.is_nullable) else drawn
        return value % 100 if checked and value is not None else value

    @invariant()
    def no_row_is_lost(self) -> None:
        if hasattr(self, "rows"):
            assert self.held() == self.rows


@cache
def prepared_models() -> dict[str, Table]:
    """Return the models of all scenarios that break no rule, each creation once; a covering set of them by default."""
    models: dict[str, Table] = {}
    known: set[object] = set()
    for scenario in SCENARIOS:
        for when, model in (("before", scenario.before), ("after", scenario.after)):
            if model is None or PlanValidator().model_violations([model]):
                continue
            action = TablePlanner().creation(desired_state(model))
            traits = {script(statements(action))} if ALL else {*stored_traits(model), len(statements(action))}
            if not traits <= known:
                known |= traits
                models[f"{scenario.name}-{when}"] = model
    return models
