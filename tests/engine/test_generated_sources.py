"""The locations of columns in generated modules: the place of the column, or the line of the table, and no other."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_delta_schema.delta.names import part_path
from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.engine.source_map import SourceLocations
from pytest_delta_schema.models.declared_at import declarations_of
from support.runs.marked_source import unmarked

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

HEAD = """\
import pytest_delta_schema as pds
from pyspark.sql.types import LongType
from pytest_delta_schema import Column, Table
from pytest_delta_schema import Column as C, Table as T

TABLES = []

def keep(table):
    TABLES.append(table)
    return table

def key(name):
    return Column(name, "int")

def table(name, columns, **options):
    return Table("dev", "silver", name, columns, **options)

"""

COLUMNS = [
    '«@»Column("$", "bigint")',
    "«@»C('$', LongType(), True)",
    '«@»pds.Column(comment="Table(Column(\\"$\\", 1)) größe", data_type="int", name="$")',
    '«@»Column(\n    # Column("$")\n    "$",\n    """int""",\n    is_nullable=False,\n)«/@»',
    '«@»Column("$", "struct<a: int>", **{})',
]
"""Columns that are written out: ``$`` is the name, ``@`` the mark."""

NO_COLUMNS = [
    'key("$")',
    '*[Column(name, "int") for name in ["$"]]',
    '*[Column("$", "int")]',
    '(Column("$", "int") if TABLES is not None else None)',
    '(lambda: Column("$", "int"))()',
    'Column("".join("$"), "int")',
    'Column(**{"name": "$", "data_type": "int"})',
]
"""Columns that are not written out in the list."""

LISTS = ["[%]", "[\n%]", "(\n%)"]
"""Lists of columns, which are ``%``."""

NO_LISTS = ["list([%])", "[%] + []", "[*[%]]", "[column for column in [%]]", "[%].copy()"]

CALLS = [
    'keep(«@»Table("dev", "silver", "$", %)«/@»)',
    'keep(«@»T("DEV", "Silver", table_name="$",\n    comment="größe [" ,\n    columns=%,\n)«/@»)',
    'keep(«@»pds.Table(\n  columns=%, table_name="$",\n  schema_name=str("silver"), catalog_name="dev")«/@»)',
]
"""Tables that are written out."""

NO_CALLS = [
    'keep(table("$", %))',
    'keep((lambda columns: Table("dev", "silver", "$", columns))(%))',
    '[keep(Table("dev", "silver", name, %)) for name in ["$"]]',
    'keep(Table(*("dev", "silver", "$"), %))',
    'keep(table(columns=%, name="$", comment="x"))',
]
"""Tables whose names are not written out, or that a function or a comprehension declares."""

STATEMENTS = [
    "$ = @\n",
    "@\n",
    'x = "größe"; $ = @; y = 1\n',
    "list_$ = [\n    None, @,\n]\n",
    "dict_$ = {'a': @}\n",
    'class Class_$:\n    """Table("dev", "silver")"""\n    table = @\n',
    "if TABLES is not None:\n\n    $ = @\n",
    "try:\n    $, other = @, 1\nfinally:\n    pass\n",
]
"""Statements with a table, which is ``@``."""

LOOPS = ["for _ in range(1):\n    $ = @\n", "def make_$():\n    return @\n\nmake_$()\n", "$ = None or @\n"]

DECOYS = [
    "",
    "\n",
    '# Table("dev", "silver", "t0", [Column("id", "int")])\n',
    'unused = """\nTable("dev", "silver", "t0", [\n    Column("id", "int"),\n])\n"""\n',
    "\f\n",
]


@st.composite
def modules(draw: st.DrawFn) -> str:
    """Draw the source of a module; each column and each table that is written out has a mark."""
    text = HEAD
    for number in range(draw(st.integers(1, 3))):
        table = f"t{number}"
        is_list, is_call, is_statement = (draw(st.integers(0, 4)) > 0 for _ in range(3))
        is_found = is_call and is_statement
        display = draw(st.sampled_from(LISTS if is_list else NO_LISTS))
        columns = ""
        for name in draw(
            st.lists(st.sampled_from(["id", "größe", "a", "a.b", "order id", "名"]), unique=True, min_size=1)
        ):
            column = draw(st.sampled_from([*COLUMNS, *NO_COLUMNS]))
            column = column if is_list and is_found else without_marks(column)
            columns += column.replace("@", f"{table} {name}").replace("$", name) + draw(st.sampled_from([", ", ",\n"]))
        display = display.replace("%", columns)
        text += draw(st.sampled_from(DECOYS))
        if draw(st.integers(0, 3)) == 0:
            text += f"COLUMNS_{number} = {display}\n"
            display = f"COLUMNS_{number}"
        call = draw(st.sampled_from(CALLS if is_call else NO_CALLS))
        call = (call if is_found else without_marks(call)).replace("@", table).replace("$", table)
        statement = draw(st.sampled_from(STATEMENTS if is_statement else LOOPS)).replace("$", table)
        text += statement.replace("@", call.replace("%", display))
    return text


def without_marks(form: str) -> str:
    return form.replace("«@»", "").replace("«/@»", "")


@settings(max_examples=150)
@given(modules(), st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["utf-8", "utf-8-sig"]))
def test_a_column_is_found_where_it_is_written_or_where_its_table_is(folder: Path, text: str, ends: str, encoding: str):
    source, marks = unmarked(text)
    path = folder / "generated.py"
    path.write_bytes(source.replace("\n", ends).encode(encoding))
    module = load(path)
    locations = SourceLocations({})

    for name, origin in declarations_of(module).items():
        table = next(table for table in module.TABLES if table.name == name)
        whole = marks.get(name.table)
        expected = origin.location if whole is None else Location(str(path), *whole)
        assert expected.line == origin.line
        assert locations.location(table) == expected
        for column in table.columns:
            mark = marks.get(f"{name.table} {column.name}")
            located = locations.location(table, part_path("columns", column.name))
            assert located == (expected if mark is None else Location(str(path), *mark))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("generated")


def load(path: Path) -> ModuleType:
    """Import a module anew."""
    spec = importlib.util.spec_from_file_location("generated_models", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["generated_models"] = importlib.util.module_from_spec(spec)
    # A file that is written again within a second may have an old one in the cache.
    exec(compile(path.read_bytes(), str(path), "exec"), vars(module))  # noqa: S102 - as an import does
    return module
