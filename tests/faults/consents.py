"""Misleading consents, and what they agree to at most, through the whole plugin."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from faults.bench import require, require_clean, run_pytest, write_settings
from faults.cases import Area, Case

if TYPE_CHECKING:
    from collections.abc import Mapping

    from faults.bench import Bench


Thing = tuple[str, ...]

LEGACY: Thing = ("dev", "silver", "orders", "legacy")
ELSEWHERE: Thing = ("prod", "silver", "orders", "legacy")
ZIP: Thing = ("dev", "silver", "lines", "addr", "zip")
FIELD_Y: Thing = ("dev", "silver", "items", "x", "y")
COLUMN_Y: Thing = ("dev", "silver", "items.x", "y")
DOTTED: Thing = ("dev", "silver", "dots", "a.b")
FIELD_B: Thing = ("dev", "silver", "fields", "a", "b")
BRACKETS: Thing = ("dev", "silver", "o[1]", "legacy")
LIKE_BRACKETS: Thing = ("dev", "silver", "o1", "legacy")
STAR: Thing = ("dev", "silver", "*", "legacy")
PARTS: Thing = ("dev", "silver", "parts", "partitioned by", "q")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentCase:
    """One way to say something like a consent.

    Args:
        allow: Values of ``--delta-allow``.
        entries: Lines of ``pyproject.toml``.
        settings: Lines of the section.
        args: Other arguments of pytest.
        environment: Variables.
        agreed: What may go.
        is_plain: Whether it has to go, because the consent is as it should be.
    """

    allow: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    agreed: tuple[Thing, ...] = ()
    is_plain: bool = False


def _entry(path: str, action: str = "drop-column", expires: str = "2999-12-31", reason: str = "x") -> tuple[str, ...]:
    return (
        "[[tool.pytest_delta_schema.allow]]",
        f"action = '{action}'",
        f"path = '{path}'",
        f"reason = '{reason}'",
        f"expires = {expires}",
    )


def _plain(*consents: str, agreed: tuple[Thing, ...]) -> ConsentCase:
    return ConsentCase(allow=consents, agreed=agreed, is_plain=True)


def _nothing(*consents: str) -> ConsentCase:
    return ConsentCase(allow=consents)


_DROP = "drop-column dev.silver"

PLAIN = {
    "a column": _plain(f"{_DROP}.orders.legacy", agreed=(LEGACY,)),
    "a column in capitals": _plain("drop-column DEV.Silver.ORDERS.Legacy", agreed=(LEGACY,)),
    "blanks around": _plain(f"  {_DROP}.orders.legacy  ", agreed=(LEGACY,)),
    "a field": _plain(f"{_DROP}.lines.addr.zip", agreed=(ZIP,)),
    "a rewrite": _plain("rewrite dev.silver.parts", agreed=(PARTS,)),
    "two": _plain(f"{_DROP}.orders.legacy", f"{_DROP}.lines.addr.zip", agreed=(LEGACY, ZIP)),
    "a field of a struct beside a table with a dot": _plain(f"{_DROP}.items.`x`.`y`", agreed=(FIELD_Y,)),
    "a column with a dot": _plain(f"{_DROP}.dots.`a.b`", agreed=(DOTTED,)),
    "a table with a dot": _plain(f"{_DROP}.`items.x`.y", agreed=(COLUMN_Y,)),
    "an entry": ConsentCase(entries=_entry("dev.silver.orders.legacy"), agreed=(LEGACY,), is_plain=True),
    "a setting of one run": ConsentCase(
        args=(
            "--delta-set=allow=[{ action = 'drop-column', path = 'dev.silver.orders.legacy', reason = 'x', expires = 2999-12-31 }]",
        ),
        agreed=(LEGACY,),
        is_plain=True,
    ),
    "a pattern for a field": ConsentCase(entries=_entry("dev.silver.lines.*.zip"), agreed=(ZIP,), is_plain=True),
    "a pattern over parts": ConsentCase(entries=_entry("dev.silver.**.zip"), agreed=(ZIP,), is_plain=True),
}
"""Consents as they should be; without them the others would prove nothing."""

ON_THE_COMMAND_LINE = {
    "none": ConsentCase(),
    "a pattern for the column": _nothing(f"{_DROP}.orders.*"),
    "the table of the name *": ConsentCase(allow=(f"{_DROP}.*.legacy",), agreed=(STAR,)),
    "a pattern for all": _nothing("drop-column *"),
    "a pattern of four": _nothing("drop-column *.*.*.*"),
    "a question mark": _nothing(f"{_DROP}.orders.legac?"),
    "a class of characters": _nothing(f"{_DROP}.orders.[l]egacy"),
    "two asterisks": _nothing("drop-column dev.**"),
    "a table": _nothing(f"{_DROP}.orders"),
    "a schema": _nothing("drop-column dev.silver"),
    "a catalog": _nothing("drop-column dev"),
    "nothing behind the action": _nothing("drop-column"),
    "an empty text": _nothing(""),
    "a blank": _nothing(" "),
    "another action": _nothing("drop-table dev.silver.orders"),
    "the action of a rewrite": _nothing("rewrite dev.silver.orders"),
    "a rewrite of a column": _nothing("rewrite dev.silver.orders.legacy"),
    "an action in capitals": ConsentCase(allow=("DROP-COLUMN dev.silver.orders.legacy",), agreed=(LEGACY,)),
    "an action with an underscore": _nothing("drop_column dev.silver.orders.legacy"),
    "no action": _nothing("dev.silver.orders.legacy"),
    "the beginning of a name": _nothing(f"{_DROP}.orders.leg"),
    "more than a name": _nothing(f"{_DROP}.orders.legacy2"),
    "a field of the column": _nothing(f"{_DROP}.orders.legacy.x"),
    "two consents in one": _nothing(f"{_DROP}.orders.legacy,dev.silver.lines.addr.zip"),
    "two consents by a semicolon": _nothing(f"{_DROP}.orders.legacy; {_DROP}.lines.addr.zip"),
    "two lines": _nothing(f"{_DROP}.orders.legacy\n{_DROP}.lines.addr.zip"),
    "a comment behind": _nothing(f"{_DROP}.orders.legacy # all"),
    "an empty part": _nothing(f"{_DROP}..legacy"),
    "a dot behind": _nothing(f"{_DROP}.orders.legacy."),
    "a dot in front": _nothing("drop-column .dev.silver.orders.legacy"),
    "quotes around all": _nothing("drop-column `dev.silver.orders.legacy`"),
    "quotes around table and column": _nothing("drop-column dev.silver.`orders.legacy`"),
    "a quote that is not closed": _nothing("drop-column dev.silver.orders.`legacy"),
    "quotes around every part": ConsentCase(allow=("drop-column `dev`.`silver`.`orders`.`legacy`",), agreed=(LEGACY,)),
    "a quote that is doubled": _nothing("drop-column dev.silver.orders.`legacy```"),
    "double quotes": _nothing('drop-column dev.silver.orders."legacy"'),
    "wide letters": _nothing(f"{_DROP}.orders.\uff4cegacy"),
    "a letter of another script": _nothing(f"{_DROP}.orders.leg\u0430cy"),
    "a character without width": _nothing(f"{_DROP}.orders.legacy\u200b"),
    "a null character's escape": _nothing(f"{_DROP}.orders.legacy%00"),
    "a path up": _nothing(f"{_DROP}.orders.../orders.legacy"),
    "a tabulator for the blank": ConsentCase(allow=("drop-column\tdev.silver.orders.legacy",), agreed=(LEGACY,)),
    "blanks in the path": _nothing("drop-column dev . silver . orders . legacy"),
    "another catalog": _nothing("drop-column test.silver.orders.legacy"),
    "ambiguous: a table with a dot, or a field": _nothing(f"{_DROP}.items.x.y"),
    "a column with a dot, without quotes": _nothing(f"{_DROP}.dots.a.b.c"),
    "the struct around a field": _nothing(f"{_DROP}.lines.addr"),
    "a field by its own name": _nothing(f"{_DROP}.lines.zip"),
    "brackets as a class": _nothing(f"{_DROP}.o[1].legacy1"),
    "brackets": ConsentCase(allow=(f"{_DROP}.o[1].legacy",), agreed=(BRACKETS,)),
    "an asterisk that is a name": ConsentCase(allow=(f"{_DROP}.`*`.legacy",), agreed=(STAR,)),
    "a rewrite of all": _nothing("rewrite dev.silver.*"),
    "a rewrite of a schema": _nothing("rewrite dev.silver"),
    "a rewrite by the beginning": _nothing("rewrite dev.silver.part"),
    "the other one of two catalogs": ConsentCase(allow=("drop-column prod.silver.orders.legacy",), agreed=(ELSEWHERE,)),
    "a column that never was": _nothing(f"{_DROP}.orders.never_there"),
}

IN_FILES = {
    "an entry that has expired": ConsentCase(entries=_entry("dev.silver.orders.legacy", expires="2001-01-01")),
    "an entry that expires at no time": ConsentCase(entries=_entry("dev.silver.orders.legacy")[:-1]),
    "an entry without a reason": ConsentCase(entries=_entry("dev.silver.orders.legacy", reason="")),
    "an entry with a blank reason": ConsentCase(entries=_entry("dev.silver.orders.legacy", reason="  ")),
    "an entry of another action": ConsentCase(entries=_entry("dev.silver.orders.legacy", action="rewrite")),
    "a pattern that would cross dots": ConsentCase(entries=_entry("dev.silver.*.zip")),
    "a pattern for a catalog": ConsentCase(entries=_entry("dev.*.legacy")),
    "a pattern for a table of three parts": ConsentCase(entries=_entry("dev.*")),
    "a pattern for rewrites that would cross dots": ConsentCase(entries=_entry("dev.*", action="rewrite")),
    "a pattern of question marks": ConsentCase(entries=_entry("dev.silver.??????.leg???"), agreed=(LEGACY,)),
    "a pattern for columns": ConsentCase(
        entries=_entry("dev.silver.*.legacy"),
        agreed=(LEGACY, BRACKETS, LIKE_BRACKETS, STAR),
    ),
    "brackets in an entry": ConsentCase(entries=_entry("dev.silver.o[1].legacy"), agreed=(BRACKETS, LIKE_BRACKETS)),
    "a pattern under a binding": ConsentCase(
        entries=_entry("prod.silver.*.legacy"),
        args=("--delta-bind=dev.silver=ci.x",),
        agreed=(ELSEWHERE,),
    ),
    "a list of texts": ConsentCase(
        settings=("allow = ['drop-column dev.silver.orders.legacy']",),
    ),
    "an entry in another place": ConsentCase(
        entries=("[tool.pytest-delta-schema]", *_entry("dev.silver.orders.legacy")[1:]),
    ),
    "a setting of one run that is a text": ConsentCase(args=(f"--delta-set=allow={_DROP}.orders.legacy",)),
    "a consent for a protected table": ConsentCase(
        allow=(f"{_DROP}.orders.legacy",),
        settings=("protected = ['dev.silver.orders']",),
    ),
    "a consent for a table protected by a pattern": ConsentCase(
        allow=(f"{_DROP}.orders.legacy",),
        settings=("protected = ['dev.*']",),
    ),
    "a consent for a table with brackets, protected": ConsentCase(
        allow=(f"{_DROP}.o[1].legacy",),
        settings=("protected = ['dev.silver.o[1]']",),
    ),
    "a consent beyond the highest risk": ConsentCase(
        allow=(f"{_DROP}.orders.legacy",),
        args=("--delta-max-risk=metadata",),
    ),
    "a consent by an abbreviated option": ConsentCase(args=(f"--delta-al={_DROP}.orders.legacy",)),
    "a consent for the name in the catalog": ConsentCase(
        allow=("drop-column dev.silver.orders.legacy",),
        args=("--delta-bind=dev.silver.orders=prod.silver.orders", "-k", "not prod"),
        agreed=(ELSEWHERE,),
    ),
    "a consent in a variable of the environment": ConsentCase(
        environment={"DELTA_ALLOW": f"{_DROP}.orders.legacy", "DELTA_SCHEMA_ALLOW": f"{_DROP}.orders.legacy"},
    ),
    "no preflight": ConsentCase(args=("--delta-preflight=off",)),
    "restored on failure": ConsentCase(args=("--delta-set=on_failure=restore",)),
}

CONSENT_CASES: Mapping[str, ConsentCase] = {**PLAIN, **ON_THE_COMMAND_LINE, **IN_FILES}
"""All of them by name."""


GONE = "gone.json"

MODELS = """
from pyspark.sql.types import LongType, StructField, StructType
from pytest_delta_schema import Column, Table

MAPPED = {"delta.columnMapping.mode": "name"}
ID = Column("id", LongType())

def model(name, *columns, **options):
    return Table(*name, [ID, *columns], table_properties=MAPPED, **options)

def struct(name, *fields):
    return Column(name, StructType([StructField(field, LongType()) for field in fields]))

orders = model(("dev", "silver", "orders"))
elsewhere = model(("prod", "silver", "orders"))
lines = model(("dev", "silver", "lines"), struct("addr", "city"))
items = model(("dev", "silver", "items"), struct("x", "z"))
items_x = model(("dev", "silver", "items.x"))
column_with_dot = model(("dev", "silver", "dots"), struct("a", "b", "c"))
field_of_struct = model(("dev", "silver", "fields"), struct("a", "c"), Column("a.b", LongType()))
brackets = model(("dev", "silver", "o[1]"))
like_brackets = model(("dev", "silver", "o1"))
star = model(("dev", "silver", "*"))
parts = model(("dev", "silver", "parts"), Column("p", LongType()), Column("q", LongType()), partitioned_by=["p"])
"""
"""Every model lacks one thing that its table has."""

CONFTEST = """
import json
from pathlib import Path

import pytest
from pytest_delta_schema import MemoryCatalog, QualifiedName
from pytest_delta_schema.state import ColumnState, StructState, TableState

LONG = ColumnState("id", "bigint", True, "")

def column(name, *fields):
    kind = StructState(tuple(LONG._replace(name=field) for field in fields)) if fields else "bigint"
    return ColumnState(name, kind, True, "")

def held(name, *columns, **options):
    mapped = {"delta.columnMapping.mode": "name"}
    return TableState(name=QualifiedName(*name), columns=(LONG, *columns), table_properties=mapped, **options)

HELD = [
    held(("dev", "silver", "orders"), column("legacy")),
    held(("prod", "silver", "orders"), column("legacy")),
    held(("dev", "silver", "lines"), column("addr", "zip", "city")),
    held(("dev", "silver", "items"), column("x", "y", "z")),
    held(("dev", "silver", "items.x"), column("y")),
    held(("dev", "silver", "dots"), column("a.b"), column("a", "b", "c")),
    held(("dev", "silver", "fields"), column("a.b"), column("a", "b", "c")),
    held(("dev", "silver", "o[1]"), column("legacy")),
    held(("dev", "silver", "o1"), column("legacy")),
    held(("dev", "silver", "*"), column("legacy")),
    held(("dev", "silver", "parts"), column("p"), column("q"), partitioning=("q",)),
]

def things(table):
    for column in table.columns:
        yield json.dumps([*table.name, column.name])
        if isinstance(column.data_type, StructState):
            yield from (json.dumps([*table.name, column.name, field.name]) for field in column.data_type.fields)
    yield json.dumps([*table.name, "partitioned by", *table.partitioning])

@pytest.fixture(scope="session")
def delta_catalog():
    catalog = MemoryCatalog(HELD, rows={table.name: [{"id": 1}] for table in HELD})
    yield catalog
    now = {thing for table in catalog._tables.values() for thing in things(table)}
    before = {thing for table in HELD for thing in things(table)}
    Path("gone.json").write_text(json.dumps(sorted(before - now)))
"""


def _cases(_: int) -> list[Case]:
    return [Case(area="consents", name=name, values={"consent_case": name}) for name in CONSENT_CASES]


def _run(case: Case, bench: Bench) -> None:
    consent_case, folder = CONSENT_CASES[case.values["consent_case"]], bench.new_folder(case.name)
    (folder / "models.py").write_text(MODELS, "utf-8")
    (folder / "conftest.py").write_text(CONFTEST, "utf-8")
    write_settings(folder, 'models = ["models"]', *consent_case.settings, *consent_case.entries)
    consents = [f"--delta-allow={consent}" for consent in consent_case.allow]
    text = run_pytest(
        folder,
        ["--delta-apply", "-m", "delta_apply", *consents, *consent_case.args],
        consent_case.environment,
    )
    require_clean(text, "the output")
    require("INTERNALERROR" not in text, f"pytest broke: {text[-600:]}")
    record = folder / GONE
    gone = set(json.loads(record.read_text("utf-8"))) if record.exists() else set()
    agreed = {json.dumps(list(thing)) for thing in consent_case.agreed}
    require(gone <= agreed, f"gone without consent: {', '.join(sorted(gone - agreed))}")
    require(
        gone == agreed or not consent_case.is_plain,
        f"agreed to and still there: {', '.join(sorted(agreed - gone))}; {text[-600:]}",
    )
    bench.clean(folder)


AREA = Area(name="consents", title="misleading consents", cases=_cases, run=_run, sample=8)
