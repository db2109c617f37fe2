"""The locations of declarations and of their parts, in real modules and in generated ones."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema import Check, Table
from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.engine.source_map import Listing, SourceLocations
from pytest_delta_schema.models.declared_at import FileVersion
from pytest_delta_schema.models.table import derived
from support.plugin_project import unmarked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

    Import = Callable[[bytes], ModuleType]

IMPORTS = """\
import pytest_delta_schema as pds
from pyspark.sql.types import *
from datetime import date
from pytest_delta_schema import Check, Column, Deprecated, ForeignKey, PrimaryKey, Table, Unique
from pytest_delta_schema.models.table import Table as T

"""


@pytest.fixture
def imported(tmp_path: Path) -> Iterator[Import]:
    """Return a function that imports a module with a source."""
    names: list[str] = []

    def run(source: bytes) -> ModuleType:
        path = tmp_path / f"models_{len(names)}.py"
        path.write_bytes(source)
        spec = importlib.util.spec_from_file_location(f"located_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        names.append(spec.name)
        spec.loader.exec_module(module)
        return module

    yield run
    for name in names:
        del sys.modules[name]


def orders(value: object) -> Iterator[Table]:
    """Yield the tables ``dev.silver.orders`` of a module: of its variables, lists, dictionaries and classes."""
    if isinstance(value, Table) and value.qualified_name == "dev.silver.orders":
        yield value
    parts: Iterable[object] = (
        value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    )
    if isinstance(value, type) and value.__module__.startswith("located_"):
        parts = vars(value).values()
    for part in parts:
        yield from orders(part)


FORMS = {
    "every part": """\
orders = «»Table(
    "dev",
    "silver",
    "orders",
    [
        «columns.id»«columns.ID»Column("id", «columns.id|DD104»LongType(), «columns.id|DD105»False),
        «columns.total»Column(
            "total",
            «columns.total.type»"decimal(18,2)",
            «columns.total.comment»comment="in"
            " euros",«/columns.total.comment»
            «columns.total.default»default=0,
            tags={«columns.total.tags.pii»"pii": "no"},
        ),«/columns.total»
        «columns.twice»Column("twice", "bigint", «columns.twice|DD109»generated_as="id * 2"),
        «columns.nr»«columns.nr|DD109»Column("nr", "bigint", «columns.nr.nullability»is_nullable=True, «columns.nr.deprecated»deprecated=Deprecated(date(2026, 1, 31))),
    ],
    «comment»comment="Orders",
    table_properties={
        «properties.delta.appendOnly»"delta.appendOnly": True,
        «properties.team»"team":
            "sales",«/properties.team»
    },
    «primary_key»primary_key=["id"],
    checks=[«checks.positive»Check("Positive", "total >= 0"), «checks.nr»Check(name="nr", expression="nr > 0")],
    foreign_keys=[
        «foreign_keys.fk_dev_silver_orders__nr»ForeignKey(["nr"], "dev.silver.numbers"),
        «foreign_keys.named»ForeignKey(columns=("nr",), references="dev.silver.others", name="Named"),
    ],
    «layout»clustered_by=["id"],
    tags={«tags.domain»"domain": "sales"},
    unique=[«unique.uq_dev_silver_orders__nr»Unique(["nr"])],
    «clients»clients=["trino>=470"],
    «format»convert_from="parquet",
    «deprecated»deprecated=Deprecated(date(2026, 1, 31)),
)«/»
""",
    "fields of structs": """\
orders = Table(
    "dev",
    "silver",
    "orders",
    columns=[
        «columns.a»«columns.a.b»«columns.a.b.comment»«columns.a.tags»Column("a", "struct<b: int, tags: int>"),
        «columns.list.element»«columns.list.element.x.default»Column("list", ArrayType(StructType([StructField("x", LongType())]))),
        «columns.comments»«columns.comments.default»Column("comments", StructType([StructField("comment", LongType())]), «columns.comments.nullability»True),
    ],
)
""",
    "names with dots": """\
orders = Table("dev", "silver", "orders", [
    «columns.a»«columns.a.b»Column("a", "struct<b: int>"),
    «columns.`a.b`»Column("a.b", "int", «columns.`a.b`.comment»comment="x", tags={«columns.`a.b`.tags.x.y»"x.y": "z"}),
    «columns.`comment`»Column("comment", "int"),
], checks=[«checks.a.b»Check("a.b", "true")])
""",
    "another case, another order": """\
x = «»Table(table_name="Orders", schema_name="SILVER", catalog_name="Dev", columns=(«columns.id»Column(data_type="int", name="Id"),))
orders = pds.Table("dev", "gold", "x", [Column("id", "int")])
""",
    "columns renamed": """\
orders = Table("dev", "silver", "orders", [
    «columns.number»«columns.nr»«columns.nr.comment»Column("number", "int", renamed_from="nr"),
])
""",
    "an alias": 'orders = «»T("dev", "silver", "orders", [«columns.id»Column("id", "int")])',
    "a module": 'orders = «»pds.Table("dev", "silver", "orders", [«columns.id»pds.Column("id", "int")])',
    "a schema of Spark": """\
orders = «»Table.from_struct_type("dev", "silver", "orders", StructType([StructField("id", LongType())]), «comment»comment="x")
""",
    "names of which some are variables": """\
CATALOG = "dev"
orders = «»Table(CATALOG, f"{'silver'}", "orders", [«columns.id»Column("id", "int")])
""",
    "two in a line": """\
other = Table("dev", "silver", "other", [Column("id", "int")]); orders = «»Table("dev", "silver", "orders", [«columns.id»Column("id", "int")])
""",
    "one name in two schemas": """\
silver = Table("dev", "gold", "orders", [Column("id", "int")])
orders = «»Table("dev", "silver", "orders", [«columns.id»Column("id", "int")])
""",
    "a list": """\
orders = [
    Table("dev", "silver", "other", [Column("id", "int")]),
    «»Table("dev", "silver", "orders", [«columns.id»Column("id", "int")]),
]
""",
    "an attempt, and a comment that is no end": """\
try:
    orders, other = «»T("DEV", "Silver", table_name="orders",  # Table("dev"
        columns=(«columns.id»pds.Column(comment="Table(Column(\\"id\\", 1)) größe", data_type="int", name="id"),),
    )«/», 1
finally:
    pass
""",
    "a dictionary": 'orders = {"orders": «»Table("dev", "silver", "orders", [«columns.id»Column("id", "int")])}',
    "a class": """\
class Silver:
    if True:
        orders = «»Table("dev", "silver", "orders", [
            «columns.id»Column("id", "int"),
        ])«/»
""",
    "a call around it": """\
tables = []
tables.append(«»Table("dev", "silver", "orders", [«columns.id»Column("id", "int")]))
orders = tables
""",
    "a branch": """\
if True:
    orders = «»Table("dev", "silver", "orders", [«columns.id»Column("id", "int")])
else:
    orders = Table("dev", "silver", "orders", [Column("id", "int")])
""",
    "lists that are used once": """\
COLUMNS = [
    «columns.id»Column("id", "int"),
]
PROPERTIES: dict = {«properties.team»"team": "sales"}
orders = «»Table("dev", "silver", "orders", COLUMNS, table_properties=PROPERTIES)
""",
    "other columns beside it": """\
BASE = [Column("loaded", "timestamp")]
NOTE = Column("note", "string")
orders = «»«columns.loaded»«columns.note»Table("dev", "silver", "orders", [*BASE, «columns.id»Column("id", "int"), NOTE])
""",
    "an item that comes after others": """\
COMMON = {"team": "sales"}
orders = «»«properties.early»«properties.team»Table("dev", "silver", "orders", [Column("id", "int")], table_properties={
    "early": "x", **COMMON, «properties.late»"late": "y",
})«/»«/properties.early»«/properties.team»
""",
    "characters of several bytes, and tabs": """\
class Größe:
\t"\N{GRINNING FACE}"; orders = «»Table("dev", "silver", "orders", [Column("größe", "int"), «columns.名»Column("名", "int")])
""",
    "a form feed": 'x = 1\n\f\norders = «»Table("dev", "silver", "orders", [«columns.id»Column("id", "int")])\n\f',
    "line separators of Unicode": 'x = "\u2028\x0b\x85"\norders = «»Table("dev", "silver", "orders", [«columns.id»Column("id", "int")])\n',
}
"""Modules with marks: a path, and the code of a change after a space; without a path it is the whole declaration."""


@pytest.mark.parametrize("encode", [str.encode, lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()])
def test_every_part_is_found_where_it_is_written(imported: Import, encode: Callable[[str], bytes]):
    for form, text in FORMS.items():
        source, marks = unmarked(IMPORTS + text)
        module = imported(encode(source))
        table = next(orders([*vars(module).values()]))
        locations = SourceLocations({})

        located = {key: locations.location(table, *key.split("|")) for key in marks}

        assert (form, located) == (form, {key: Location(str(module.__file__), *mark) for key, mark in marks.items()})


UNDECLARED = """\
orders = «»Table(
    "dev", "silver", "orders", [«columns.id»Column("id", "int"), Column("a", "struct<x: int>"), Column("a.b", "int")]
)«/»
"""


UNCLEAR = [
    *("table", "schema dev.silver", "metadata", "primary_key", "layout", "comment", "format", "clients", "unknown"),
    *("columns", "columns.", "columns.old", "columns.old.comment", "columns.order", "columns.id.x", "columns.i"),
    *("checks", "checks.x", "unique.x", "foreign_keys.x", "properties.x", "tags.x", "properties", "tags"),
    *("columns.`a", "columns.`a.b`.c", "columns.`id.comment`"),
]


def test_what_is_not_declared_or_not_clear_is_where_the_table_is(imported: Import):
    source, marks = unmarked(IMPORTS + UNDECLARED)
    module = imported(source.encode())
    locations = SourceLocations({})

    assert {path: locations.location(module.orders, path) for path in UNCLEAR} == dict.fromkeys(
        UNCLEAR, Location(str(module.__file__), *marks[""])
    )
    assert locations.location(module.orders, "columns.id") == Location(str(module.__file__), *marks["columns.id"])


ONLY_THE_LINE = {
    "a loop": """\
for name in ["orders"]:
    orders = Table("dev", "silver", "orders", [Column("id", "int")])  # here
""",
    "a comprehension": 'orders = [Table("dev", "silver", name, [Column("id", "int")]) for name in ["orders"]]  # here',
    "a comprehension over catalogs": """\
tables = [Table(name, "silver", "orders", [Column("id", "int")]) for name in ["dev", "prod"]]  # here
""",
    "a factory": """\
def table(name, columns):
    return Table("dev", "silver", name, columns)

orders = table("orders", [  # here
    Column("id", "int"),
])
""",
    "a factory with the parameters of Table": """\
def table(catalog, schema, name, columns):
    return Table(catalog, schema, name, columns)

orders = table("dev", "silver", "orders", [Column("id", "int")])  # here
""",
    "a partial function": """\
from functools import partial
table = partial(Table, "dev", "silver")
orders = table("orders", [Column("id", "int")])  # here
""",
    "a subclass": """\
class Silver(Table):
    pass

orders = Silver("dev", "silver", "orders", [Column("id", "int")])  # here
""",
    "a lambda": 'orders = (lambda: Table("dev", "silver", "orders", [Column("id", "int")]))()  # here',
    "a choice": """\
orders = None or Table("dev", "silver", "orders", [Column("id", "int")])  # here
""",
    "a name that is a variable": """\
NAME = "orders"
orders = Table("dev", "silver", NAME, [Column("id", "int")])  # here
""",
    "a name that is put together": 'orders = Table("dev", "silver", f"{\'orders\'}", [Column("id", "int")])  # here',
    "names that are unpacked": 'orders = Table(*["dev", "silver", "orders"], columns=[Column("id", "int")])  # here',
    "options that are unpacked": """\
OPTIONS = {"table_name": "orders", "columns": [Column("id", "int")]}
orders = Table("dev", "silver", **OPTIONS)  # here
""",
    "two calls in a line that may both be meant": """\
C = "prod"; one = Table(C, "silver", "orders", [Column("id", "int")]); orders = Table("dev", "silver", "orders", [Column("id", "int")])  # here
""".replace("C, ", "C.strip(), "),
    "a name of Table that is gone": """\
orders = Table("dev", "silver", "orders", [Column("id", "int")])  # here
del Table
""",
    "a function that is not at the top": """\
def make():
    return Table("dev", "silver", "orders", [Column("id", "int")])
class Silver:
    orders = make()  # here
""",
}
"""Modules with a comment in the line of the table; nothing more is known of it."""


def test_what_is_not_written_out_has_the_line_of_the_table(imported: Import):
    paths = ("", "columns.id", "columns.id.comment", "comment")
    for form, text in ONLY_THE_LINE.items():
        lines = (IMPORTS + text).split("\n")
        module = imported((IMPORTS + text).encode())
        table = next(orders([*vars(module).values()]))
        locations = SourceLocations({})

        line = 1 + next(number for number, line in enumerate(lines) if line.endswith("# here"))
        expected = {Location(str(module.__file__), line)}
        assert (form, {locations.location(table, path) for path in paths}) == (form, expected)


NOT_IN_THE_CALL = {
    "a list that is used twice": """\
COLUMNS = [Column("id", "int")]
other = Table("dev", "silver", "other", COLUMNS)
orders = Table("dev", "silver", "orders", COLUMNS)
""",
    "a list that is assigned twice": """\
COLUMNS = [Column("other", "int")]
COLUMNS = [Column("id", "int")]
orders = Table("dev", "silver", "orders", COLUMNS)
""",
    "a list that is changed": """\
COLUMNS = [Column("id", "int")]
COLUMNS.append(Column("x", "int"))
orders = Table("dev", "silver", "orders", COLUMNS)
""",
    "a list in a branch": """\
if True:
    COLUMNS = [Column("id", "int")]
orders = Table("dev", "silver", "orders", COLUMNS)
""",
    "a list that is put together": """\
BASE = [Column("id", "int")]
orders = Table("dev", "silver", "orders", [*BASE])
""",
    "a sum of lists": 'orders = Table("dev", "silver", "orders", [Column("id", "int")] + [])',
    "a comprehension": 'orders = Table("dev", "silver", "orders", [Column(name, "int") for name in ["id"]])',
    "a variable": """\
ID = Column("id", "int")
orders = Table("dev", "silver", "orders", [ID])
""",
    "a function": """\
def key(name):
    return Column(name, "int")

orders = Table("dev", "silver", "orders", [key("id")])
""",
    "a choice": 'orders = Table("dev", "silver", "orders", [(Column("id", "int") if Column is not None else None)])',
    "a lambda": 'orders = Table("dev", "silver", "orders", [(lambda: Column("id", "int"))()])',
    "a column of options": 'orders = Table("dev", "silver", "orders", [Column(**{"name": "id", "data_type": "int"})])',
    "a call around the list": 'orders = Table("dev", "silver", "orders", list([Column("id", "int")]))',
    "a method of the list": 'orders = Table("dev", "silver", "orders", [Column("id", "int")].copy())',
    "options": """\
OPTIONS = {"columns": [Column("id", "int")]}
orders = Table("dev", "silver", "orders", **OPTIONS)
""",
    "a name that is put together": 'orders = Table("dev", "silver", "orders", [Column("i" + "d", "int")])',
    "a name twice": 'orders = Table("dev", "silver", "orders", [Column("id", "int"), Column("ID", "int")])',
    "a name twice, once in a list": """\
BASE = [Column("id", "bigint")]
orders = Table("dev", "silver", "orders", [*BASE, Column("id", "int")])
""",
    "a column that is replaced": """\
COLUMNS = [Column("id", "bigint")]
COLUMNS[0] = Column("id", "int")
orders = Table("dev", "silver", "orders", COLUMNS)
""",
    "a type that is replaced": """\
from dataclasses import replace
orders = Table("dev", "silver", "orders", [replace(Column("id", LongType()), data_type=IntegerType())])
""",
    "a comment that is replaced": """\
from dataclasses import replace
orders = Table("dev", "silver", "orders", [replace(Column("id", "int", comment="old"), comment="new")])
""",
    "a function that changes the table": """\
def changed(table):
    return Table(table.catalog_name, table.schema_name, table.table_name, [Column("id", "int", False)])

orders = changed(Table("dev", "silver", "orders", [Column("id", "int", True)]))
""",
}
"""Modules with a table that has the column ``id``, whose declaration is not certain."""


def test_a_column_that_is_not_written_out_is_where_the_table_is(imported: Import):
    for form, text in NOT_IN_THE_CALL.items():
        module = imported((IMPORTS + text).encode())
        locations = SourceLocations({})
        table = locations.location(module.orders)
        parts = {locations.location(module.orders, path, "DD104") for path in ("columns.id", "columns.id.comment")}

        assert table.column is not None, form
        assert table.line == module.orders.origin.line, form
        assert parts == {table}, form


def test_arguments_that_the_model_has_otherwise_are_where_the_table_is(imported: Import):
    text = """\
orders = Table(
    "dev", "silver", "orders", [Column("id", "int")], comment="old", primary_key=["id"], partitioned_by=["id"],
    tags={"a": "b"}, table_properties={"team": "x"}, checks=[Check("positive", "id > 0")],
    unique=[Unique(["id"], name="un" + "named")], clustered_by=(),
)
"""
    orders = imported((IMPORTS + text).encode()).orders
    checks = (Check("positive", "id > 1"),)
    orders = derived(orders, comment="new", primary_key=(), tags={}, table_properties={}, checks=checks)
    locations = SourceLocations({})

    paths = ["comment", "primary_key", "tags.a", "properties.team", "checks.positive", "unique.unnamed", "layout"]
    assert {locations.location(orders, path) for path in paths} == {locations.location(orders)}


TEXT = IMPORTS + 'orders = Table("dev", "silver", "orders", [Column("id", "int")])\n'


def change(path: Path) -> None:
    path.write_text(f"\n{TEXT}")


def keep_size_and_time(path: Path) -> None:
    status = path.stat()
    path.write_text(TEXT.replace('Table("dev"', 'Table(("de'))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("edit", [change, os.remove, keep_size_and_time, lambda path: os.utime(path, (1, 1))])
def test_a_file_that_is_not_the_imported_one_gives_only_the_line(imported: Import, edit: Callable[[Path], None]):
    module = imported(TEXT.encode())
    assert SourceLocations({}).location(module.orders, "columns.id").column is not None

    edit(Path(str(module.__file__)))

    assert SourceLocations({}).location(module.orders, "columns.id") == module.orders.origin.location


def test_another_encoding_is_read_as_python_reads_it(imported: Import):
    text = (
        "# coding: latin-1\n" + IMPORTS + 'x = "é"; orders = Table("dev", "silver", "orders", [Column("é", "int")])\n'
    )
    module = imported(text.encode("latin-1"))

    line = text.split("\n")[7]
    assert SourceLocations({}).location(module.orders, "columns.é") == Location(
        str(module.__file__),
        8,
        line.index("Column") + 1,
        8,
    )


class Lazy:
    """A callable object that is not to be evaluated, compared or put into a set."""

    __hash__ = None  # type: ignore[assignment]  # as a mutable value

    def __call__(self, *_: object) -> Lazy:
        return self

    @property  # type: ignore[misc]  # as lazy proxies do
    def __class__(self) -> type:
        pytest.fail("it was evaluated")

    def __eq__(self, _: object) -> bool:
        pytest.fail("it was compared")


def test_objects_of_the_module_are_not_evaluated(imported: Import, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("builtins.lazy", Lazy(), raising=False)
    text = """
Lazy = lazy
Lazy("dev"); Lazy.__call__("x")
orders = Table("dev", "silver", "orders", [«columns.id»Column("id", LongType()), Lazy("x") and Column("x", "int")])
"""
    source, marks = unmarked(IMPORTS + text)
    module = imported(source.encode())

    location = SourceLocations({}).location(module.orders, "columns.id")

    assert location == Location(str(module.__file__), *marks["columns.id"])


def test_code_without_a_file_of_its_own_gives_only_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with zipfile.ZipFile(tmp_path / "zipped.zip", "w") as archive:
        archive.writestr("located_zipped.py", TEXT)
    monkeypatch.syspath_prepend(tmp_path / "zipped.zip")
    zipped = importlib.import_module("located_zipped").orders
    space: dict[str, Table] = {}
    exec(compile(TEXT, "<string>", "exec"), space)  # noqa: S102 - as notebooks do

    def function() -> Table:
        return Table("dev", "silver", "orders", [])

    for table in (zipped, space["orders"], function()):
        assert SourceLocations({}).location(table, "columns.id") == table.origin.location


def test_a_table_of_a_package_is_where_the_project_lists_it(tmp_path: Path):
    texts = [
        ("import x\n\ndelta_tables = [\n    x.orders,\n]\n", 3),
        ("if True:\n    delta_tables: list = []\n", 2),
        ("from x import (\n    orders,\n    delta_tables,\n)\n", 3),
        ("from x import TABLES as delta_tables\n", 1),
        ("delta_tables = []\ndelta_tables += []\n", None),
        ("from x import *\n", None),
        ("delta_tables = (\n", None),
    ]
    table = Table("dev", "silver", "orders", [])
    file = tmp_path / "test_tables.py"
    for text, line in texts:
        file.write_text(text)
        listing = Listing(path=str(file), variable="delta_tables", version=FileVersion.of(str(file)))

        located = SourceLocations({table.name: listing}).location(table, "columns.id")

        assert located == (table.origin.location if line is None else Location(str(file), line)), text
