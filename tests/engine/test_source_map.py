"""The locations of declarations and of their parts, in real modules and in generated ones."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema import Table
from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.engine.source_map import Listing, SourceLocations
from pytest_delta_schema.models.declared_at import FileVersion
from support.plugin_project import unmarked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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


def forms(file):
    """Return the modules of a file by what they show; in marks are a path, and the code of a change behind a bar."""
    text = Path(__file__).with_name("source_map").joinpath(file).read_text("utf-8")
    parts = [part.partition("\n") for part in text.split("#### ")[1:]]
    assert len(parts) > 12
    return {name: module.rstrip("\n") + "\n" for name, _, module in parts}


ODD_CHARACTERS = {
    "characters of several bytes, and tabs": """\
class Größe:
\t"\N{GRINNING FACE}"; orders = «»Table("dev", "silver", "orders", [Column("größe", "int"), «columns.名»Column("名", "int")])
""",
    "a form feed": 'x = 1\n\f\norders = «»Table("dev", "silver", "orders", [«columns.id»Column("id", "int")])\n\f',
    "line separators of Unicode": 'x = "\u2028\x0b\x85"\norders = «»Table("dev", "silver", "orders", [«columns.id»Column("id", "int")])\n',
}


@pytest.mark.parametrize("encode", [str.encode, lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()])
def test_every_part_is_found_where_it_is_written(imported: Import, encode: Callable[[str], bytes]):
    for form, text in {**forms("found.txt"), **ODD_CHARACTERS}.items():
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


def test_what_is_not_written_out_has_the_line_of_the_table(imported: Import):
    paths = ("", "columns.id", "columns.id.comment", "comment")
    for form, text in forms("line_alone.txt").items():
        lines = (IMPORTS + text).split("\n")
        module = imported((IMPORTS + text).encode())
        table = next(orders([*vars(module).values()]))
        locations = SourceLocations({})

        line = 1 + next(number for number, line in enumerate(lines) if line.endswith("# here"))
        expected = {Location(str(module.__file__), line)}
        assert (form, {locations.location(table, path) for path in paths}) == (form, expected)


TEXT = IMPORTS + 'orders = Table("dev", "silver", "orders", [Column("id", "int")])\n'


def keep_size_and_time(path: Path) -> None:
    status = path.stat()
    path.write_text(TEXT.replace('Table("dev"', 'Table(("de'))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("edit", [os.remove, keep_size_and_time, lambda path: os.utime(path, (1, 1))])
def test_a_file_that_is_not_the_imported_one_gives_only_the_line(imported: Import, edit: Callable[[Path], None]):
    module = imported(TEXT.encode())
    assert SourceLocations({}).location(module.orders, "columns.id").column is not None

    edit(Path(str(module.__file__)))

    assert SourceLocations({}).location(module.orders, "columns.id") == module.orders.origin.location


def test_code_without_a_file_gives_only_the_line(monkeypatch: pytest.MonkeyPatch):
    module = ModuleType("notebook")
    monkeypatch.setitem(sys.modules, "notebook", module)
    for space in ({}, vars(module)):
        exec(compile(TEXT, "<string>", "exec"), space)  # noqa: S102 - as notebooks do

        assert SourceLocations({}).location(space["orders"], "columns.id") == space["orders"].origin.location


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


def test_what_is_declared_in_a_loop_hides_no_other_declaration(imported: Import):
    loop = 'for name in ("a", "b"):\n    Table("dev", "silver", name, [Column("id", "int")])\n'
    source, marks = unmarked(IMPORTS + UNDECLARED + loop)
    module = imported(source.encode())

    assert SourceLocations({}).location(module.orders, "columns.id") == Location(
        str(module.__file__), *marks["columns.id"]
    )
