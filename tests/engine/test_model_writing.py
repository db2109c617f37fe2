"""Models that are written into source files: of imported tables, and those that accept drift; what is not proven is taken back."""

from __future__ import annotations

import difflib
import importlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.types import LongType

from pytest_delta_schema import Check, Column, ForeignKey, MemoryCatalog, Settings, Table
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.engine import Gate, model_writing
from pytest_delta_schema.engine.adoption import Proofs, imported_model
from pytest_delta_schema.engine.declarations import Declarations, held_tables, tables_of_file
from pytest_delta_schema.engine.model_writing import AdoptOptions, ImportOptions, adopt_tables
from pytest_delta_schema.engine.sources import SourceRoot
from pytest_delta_schema.source_code.text import CodeStyle
from pytest_delta_schema.state import KeyState, TableState
from pytest_delta_schema.state.desired import desired_state
from support.models import stored
from support.snapshots import TextSnapshot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345"  # noqa: S105 - of nobody
ID, KEY = Column("id", LongType()), Column("id", LongType(), is_nullable=False)


def silver(name: str, *columns: Column, **options: Any) -> Table:
    return Table("dev", "silver", name, list(columns) or [ID], **options)


# Imports

CUSTOMERS = silver("customers", KEY, primary_key=["id"], table_properties={"team": "crm", "api.token": "x7secret"})
ORDERS = silver(
    "orders",
    replace(KEY, comment="it's"),
    Column("customer_id", LongType(), comment="Who ordered"),
    Column("note", "string"),
    primary_key=["id"],
    foreign_keys=[ForeignKey(["customer_id"], CUSTOMERS)],
    checks=[Check("positive", "id > 0")],
)


def imported(path, *tables, source=None, **options):
    """Import tables, or states of tables, into one file, which may exist, and return the outcome."""
    if source is not None:
        path.write_text(source, "utf-8")
    states = [desired_state(table) if isinstance(table, Table) else table for table in tables]
    given = {
        "targets": {state.name: path for state in states},
        "settings": Settings(),
        "owns": None,
        "style": CodeStyle(),
    }
    return model_writing.import_tables(MemoryCatalog(states), ImportOptions(root=path.parent, **{**given, **options}))


BUYERS = """\
from pytest_delta_schema import Column, Table

buyers = Table("dev", "silver", "customers", [Column("id", "bigint", is_nullable=False)], primary_key=["id"])
"""
BREAKING = {
    # modules that an import would break, or whose models it would change
    "a name that it deletes": "from pytest_delta_schema import Table\ndel Table\n",
    "a model of its own length": (
        "import pathlib\ntext = pathlib.Path(__file__).read_text()\nimport pytest_delta_schema as p\n"
        "old = p.Table('dev', 'silver', 'old', [p.Column('id', 'int')], comment=str(len(text)))\n"
    ),
}


def imports():
    """Yield names, tables and options of imports."""
    view = TableState(
        name=silver("open").name,
        columns=(stored(), stored("note", "string", comment="Why")),
        table_comment="Open",
        kind="view",
    )
    keys = silver(
        "keys",
        Column("id", f'struct<a: array<struct<b: int comment "{TOKEN}">>>', comment="old"),
        Column("d", "string", default=f"'{TOKEN}'", tags={"t": TOKEN}),
        Column("g", "string", generated_as=f"concat(d, '{TOKEN}')"),
        comment=TOKEN,
        tags={"t": TOKEN},
        checks=[Check("c", f"d <> '{TOKEN}'")],
    )
    broken = replace(desired_state(silver("broken")), primary_key=KeyState("pk", ("id",)))
    yield "a partial contract", [CUSTOMERS, ORDERS], {"owns": ["columns", "types"]}
    yield "in the style of the project", [ORDERS], {"style": CodeStyle(quote="'", width=80)}
    yield "next to a parent that is declared", [ORDERS], {"source": BUYERS}
    yield "what is no Delta table", [view, replace(desired_state(silver("files")), kind="csv table")], {}
    yield "a table whose model breaks a rule, and one whose texts have tokens", [silver("fine"), broken, keys], {}
    yield from ((f"into a module with {name}", [silver("orders")], {"source": BREAKING[name]}) for name in BREAKING)


def folder_lines(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def test_what_an_import_writes(tmp_path, snapshot):
    lines = []
    for number, (name, tables, options) in enumerate(imports()):
        folder = tmp_path / str(number)
        folder.mkdir()
        path, source = folder / "silver.py", options.get("source")

        outcome = imported(path, *tables, **options)

        faults = [f"{table}: {' | '.join([fault.headline, *fault.lines])}" for table, fault in outcome.faults.items()]
        text = path.read_text("utf-8")
        lines += [f"==== {name}", *faults, *(f"{table}: {remark}" for table, remark in outcome.remarks.items())]
        lines += ["(as it was)"] if text == source else text.splitlines()
        lines += [f"files: {', '.join(folder_lines(folder))}", ""]

    shown = "\n".join(lines).replace(str(tmp_path), "FOLDER")
    assert TOKEN not in shown
    assert "x7secret" not in shown
    assert shown == snapshot(extension_class=TextSnapshot)


def test_what_a_model_cannot_declare_is_noted_in_the_module(tmp_path, monkeypatch):
    path, orders = tmp_path / "silver.py", silver("orders")
    monkeypatch.setattr(model_writing, "proved", lambda *_: Proofs({orders.name: ("~ a: b -> c",)}))

    outcome = imported(path, orders, source="x = 1\n")

    assert outcome.faults[orders.name].headline == "its model differs from it"
    assert [line for line in path.read_text("utf-8").splitlines() if "Table(" in line or "declare" in line] == [
        "# a model cannot declare this yet: ~ a: b -> c",
        'orders = Table("dev", "silver", "orders", [Column("id", LongType())])',
    ]


def test_a_table_that_cannot_be_declared_or_written_or_is_gone_fails_alone(tmp_path, monkeypatch):
    tables = [silver(name) for name in "abcde"]
    for name in ("file", "__snapshots__"):
        (tmp_path / name).write_text("x", "utf-8")

    def model_of(state, *args):
        if state.name.table == "b":
            msg = "column id: odd"
            raise DeclarationError(msg)
        return imported_model(state, *args)

    monkeypatch.setattr(model_writing, "imported_model", model_of)
    files = {"d": "file/d.py", "e": "e.py"}
    targets = {table.name: tmp_path / files.get(table.table_name, "models/silver.py") for table in tables}

    outcome = imported(tmp_path / "x.py", *(table for table in tables if table.table_name != "c"), targets=targets)

    remedy = "make its folder writable, or name another path"
    faults = {str(name): " | ".join([fault.headline, *fault.lines]) for name, fault in outcome.faults.items()}
    assert {name: text.replace(str(tmp_path), "FOLDER") for name, text in faults.items()} == {
        "dev.silver.b": "has something that no model can declare | column id: odd",
        "dev.silver.c": "is not there any more; import again",
        "dev.silver.d": f"was not written to file/d.py: FOLDER/file/d.py cannot be written: File exists (FOLDER/file); {remedy}",
        "dev.silver.e": "has no snapshot: FOLDER/__snapshots__/e/dev.silver.e.ddl.sql cannot be written: Not a directory"
        f" (FOLDER/__snapshots__/e); {remedy}",
    }
    assert list(tables_of_file(str(tmp_path / "models" / "silver.py"))) == ["a"]


def interrupt(*_):
    raise KeyboardInterrupt


def test_an_interruption_leaves_nothing_that_is_not_proven(tmp_path, monkeypatch):
    monkeypatch.setattr(model_writing, "proved", interrupt)
    path = tmp_path / "silver.py"
    source = 'from pytest_delta_schema import Column, Table\nitems = Table("dev", "silver", "items", [Column("id", "int")])\n'

    with pytest.raises(KeyboardInterrupt):
        imported(path, silver("orders"), source=source)

    assert path.read_text("utf-8") == source
    model = tables_of_file(str(path))["items"]
    gate = Gate(MemoryCatalog([desired_state(silver("items"))]), [model], settings=Settings())
    with pytest.raises(KeyboardInterrupt):
        adopt_tables(gate, [model], adopting(tmp_path))

    assert path.read_text("utf-8") == source
    assert folder_lines(tmp_path) == ["silver.py"]


# Accepted drift

HEAD = '''\
"""The shop."""

from pyspark.sql.types import LongType
from pytest_delta_schema import Column, Table

'''
ITEMS = 'items = Table("dev", "silver", "items", [Column("id", "bigint"), Column("size", "bigint")])\n'
SAME = 'same = Table("dev", "silver", "same", [Column("id", "bigint")])\n'
SOURCE = f"""\
{HEAD}orders = Table(
    "dev", 'silver', "orders",
    [
        Column("id", LongType(), is_nullable=False),  # from the till
        Column("note", "string"),
    ],
    comment="Orders",   # shown to analysts
)
{ITEMS}{SAME}"""
ARCHIVE = 'archive = Table("dev", "silver", "archive", [*orders.columns])\n'
UNEDITABLE = f"""\
keys = Table("dev", "silver", "keys", [Column("id", "bigint")], table_properties={{"api.token": "old", "a": "b"}})
noted = Table("dev", "silver", "noted", [Column("id", "bigint")], comment="{TOKEN}")
twice = Table("dev", "silver", "twice", [Column("id", "bigint"), Column("ID", "bigint")])
missing = Table("dev", "silver", "missing", [Column("id", "bigint")])
partial = Table("dev", "silver", "partial", [Column("id", "bigint")], owns={{"comments": "ignore"}})
looped = Table("dev", "silver", "looped", [Column(name, "bigint") for name in ("id", "size")])
long = Table("dev", "silver", "long", [Column("a", "bigint")])
"""
UNPROVEN = f"""\
{HEAD}{ITEMS}text = "pytest" in __import__("sys").modules and "the till" or "a robot"
same = Table('dev', 'silver', 'same', [Column('id', 'bigint')], comment=text)
"""
OF_PYTEST = (
    f"import sys\nif 'pytest' not in sys.modules: raise OSError(object())\n{HEAD}{SAME.replace('same', 'other')}"
)
THERE = [
    silver(
        "orders", ID, Column("note", "string"), Column("amount", "decimal(18,2)"), comment="Orders",
        checks=[Check("positive", "amount > 0")],
    ),
    silver("items"),
    silver("same"),
]  # fmt: skip
BEFORE = [KEY, Column("note", "string")]


@dataclass(kw_only=True)
class Adoption:
    """The files of a package, and the tables of a catalog."""

    files: Mapping[str, str]
    there: Sequence[Table]
    settings: Settings = field(default_factory=Settings)
    writes: bool = True


ADOPTIONS = {
    "what would be edited": Adoption(files={"models": SOURCE}, there=THERE, writes=False),
    "what is edited": Adoption(files={"models": SOURCE}, there=THERE),
    "what cannot be accepted": Adoption(
        files={"models": HEAD + UNEDITABLE},
        there=[
            silver("keys", table_properties={"api.token": "x7new", "a": "c"}),
            silver("noted", Column("id", f'struct<a: int comment "{TOKEN}">'), comment=f"old {TOKEN}"),
            silver("twice"),
            silver("partial", comment="Theirs"),
            silver("looped"),
            silver("long", Column("a" * 300, "bigint")),
        ],
    ),
    "modules with names of others, and bindings": Adoption(
        files={
            "names": 'SCHEMA = "core"\n',
            "items": f"{HEAD}from .names import SCHEMA\n\n{ITEMS.replace(chr(34) + 'silver' + chr(34), 'SCHEMA')}",
        },
        there=THERE,
        settings=Settings(bindings=((("dev", "core"), ("dev", "silver")),)),
    ),
    "a module of an installed package": Adoption(files={"site-packages/theirs": HEAD + ITEMS}, there=THERE),
    "a proof that fails": Adoption(
        files={"models": UNPROVEN}, there=[silver("items"), silver("same", Column("id", "int"), comment="the till")]
    ),
    "a change of a model in another module": Adoption(
        files={"models": SOURCE, "archive": f"{HEAD}from .models import orders\n{ARCHIVE}"},
        there=[*THERE, silver("archive", *BEFORE)],
    ),
    "a model that comes nearer to its table, and a module that only pytest imports": Adoption(
        files={"models": SOURCE + ARCHIVE, "other": OF_PYTEST},
        there=[*THERE, silver("archive", *THERE[0].columns), silver("other")],
    ),
}


def adopting(folder: Path, *, writes: bool = True) -> AdoptOptions:
    return AdoptOptions(writes=writes, style=CodeStyle(), root=folder, sources=SourceRoot(folder))


def adopted(folder: Path, package: str, case: Adoption) -> list[str]:
    """Adopt the tables of a package, and return the outcome and the lines of the files that differ."""
    for file, text in {"__init__": "", **case.files}.items():
        path = folder / package / f"{file}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    models = [
        table
        for name in case.files
        for value in vars(importlib.import_module(f"{package}.{name}".replace("/", "."))).values()
        for table in held_tables(value)
        if name in table.origin.path
    ]
    declarations = Declarations(case.settings, {model.name: model for model in models})
    gate = Gate(MemoryCatalog(map(desired_state, case.there)), models, declarations=declarations)

    outcome = adopt_tables(gate, models, adopting(folder, writes=case.writes))

    lines = [f"accepted: {', '.join(str(name) for name in outcome.adoptions) or 'nothing'}"]
    lines += [f"but for {edit.made.secrets}" for edit in outcome.adoptions.values() if edit.made.secrets]
    for name, fault in outcome.faults.items():
        lines += [f"{name}: {fault.headline}", *(f"  {line}" for line in fault.lines)]
    if not case.writes:
        lines += [line for edit in outcome.adoptions.values() for line in edit.diff.splitlines()]
    for file, text in case.files.items():
        after = (folder / package / f"{file}.py").read_text("utf-8")
        lines += list(difflib.unified_diff(text.splitlines(), after.splitlines(), f"{file}.py", "", lineterm="", n=0))
    return lines


def test_what_an_adoption_edits_and_takes_back(tmp_path, monkeypatch, snapshot):
    """A model is edited alone, its proof is by its file, and no other model changes by it."""
    monkeypatch.syspath_prepend(tmp_path)
    lines = []
    for number, (name, case) in enumerate(ADOPTIONS.items()):
        lines += [f"==== {name}", *(line.rstrip() for line in adopted(tmp_path, f"shop_{number}", case)), ""]

    text = "\n".join(lines).replace(str(tmp_path), "FOLDER")
    assert "x7new" not in text
    assert f'struct<a: int comment "{TOKEN}' not in text
    assert text == snapshot(extension_class=TextSnapshot)
