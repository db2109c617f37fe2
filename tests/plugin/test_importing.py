"""``pytest --delta-import``: what it writes, what it proves, and what it leaves as it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pyspark.sql.types import DataType, LongType, StructField, StructType

from pytest_delta_schema import Column, ForeignKey, MemoryCatalog, QualifiedName, Settings, Table
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.engine import model_writing
from pytest_delta_schema.engine.adoption import Proofs, imported_model
from pytest_delta_schema.engine.declarations import tables_of_file
from pytest_delta_schema.engine.model_writing import ImportOptions
from pytest_delta_schema.plugin.adoption import import_targets
from pytest_delta_schema.plugin.options import import_requests
from pytest_delta_schema.source_code.text import CodeStyle
from pytest_delta_schema.state.desired import desired_state

DDL = """
from pyspark.sql.types import LongType, StringType
from pytest_delta_schema.state import KeyState
from pytest_delta_schema import Check, Column, ForeignKey, Orchestrator, Settings, Table

def applied(*tables):
    catalog = MemoryCatalog()
    Orchestrator.over(catalog, settings=Settings()).sync_tables(tables)
    return catalog

CUSTOMERS = Table(
    "dev", "silver", "customers", [Column("id", LongType(), is_nullable=False)], primary_key=["id"],
    table_properties={"team": "crm", "api.token": "x7secret"},
)
ORDERS = Table(
    "dev", "silver", "orders",
    [
        Column("id", LongType(), is_nullable=False, comment="it's"),
        Column("customer_id", LongType(), comment="Who ordered"),
        Column("note", StringType()),
    ],
    primary_key=["id"],
    foreign_keys=[ForeignKey(["customer_id"], CUSTOMERS)],
    checks=[Check("positive", "id > 0")],
)
"""
MODULE = '''\
"""Tables of dev.silver."""

from pyspark.sql.types import LongType, StringType
from pytest_delta_schema import Check, Column, ForeignKey, Table

# not declared, because the value may be a secret: api.token
customers = Table(
    "dev",
    "silver",
    "customers",
    [Column("id", LongType(), is_nullable=False)],
    table_properties={"team": "crm"},
    primary_key=["id"],
)

orders = Table(
    "dev",
    "silver",
    "orders",
    [
        Column("id", LongType(), is_nullable=False, comment="it's"),
        Column("customer_id", LongType(), comment="Who ordered"),
        Column("note", StringType()),
    ],
    primary_key=["id"],
    checks=[Check("positive", "id > 0")],
    foreign_keys=[ForeignKey(["customer_id"], customers)],
)
'''
OTHERS = """\
    owns={
        "defaults": "ignore",
        "primary_keys": "ignore",
        "unique": "ignore",
        "foreign_keys": "ignore",
        "checks": "ignore",
        "comments": "ignore",
        "properties": "ignore",
        "layout": "ignore",
        "tags": "ignore",
    },
)
"""
PARTIAL = f'''\
"""Tables of dev.silver."""

from pyspark.sql.types import LongType, StringType
from pytest_delta_schema import Column, Table

customers = Table(
    "dev",
    "silver",
    "customers",
    [Column("id", LongType(), is_nullable=False)],
{OTHERS}
orders = Table(
    "dev",
    "silver",
    "orders",
    [
        Column("id", LongType(), is_nullable=False),
        Column("customer_id", LongType()),
        Column("note", StringType()),
    ],
{OTHERS}'''
PROJECT = """\
[tool.pytest.ini_options]
pythonpath = ["."]

[tool.pytest_delta_schema]
models = ["contracts.silver"]
"""
IMPORT = "--delta-import=dev.silver"


@pytest.fixture
def folder(project):
    """A folder without models, and a catalog with two tables."""
    (project.path / "tox.ini").unlink()
    project.settings()
    project.catalog("applied(CUSTOMERS, ORDERS)")
    conftest = project.path / "conftest.py"
    head, fixture = conftest.read_text("utf-8").split("@pytest.fixture", 1)
    conftest.write_text(f"{head}{DDL}\n@pytest.fixture{fixture}", "utf-8")
    return project


def content(folder, path):
    return (folder.path / path).read_text("utf-8")


def holds(folder, catalog):
    conftest = folder.path / "conftest.py"
    conftest.write_text(conftest.read_text("utf-8").replace("applied(CUSTOMERS, ORDERS)", catalog), "utf-8")


TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345"  # noqa: S105 - of nobody
KEYS = (
    f"Table('dev', 'silver', 'keys', [Column('id', 'struct<a: array<struct<b: int comment \"{TOKEN}\">>>', comment='old'),"
    f" Column('d', 'string', default=\"'{TOKEN}'\", tags={{'t': {TOKEN!r}}}),"
    f" Column('g', 'string', generated_as=\"concat(d, '{TOKEN}')\")],"
    f" comment={TOKEN!r}, tags={{'t': {TOKEN!r}}}, checks=[Check('c', \"d <> '{TOKEN}'\")])"
)


def test_a_table_with_tokens_in_its_texts_or_without_answer_is_not_imported(folder):
    holds(folder, f"applied(CUSTOMERS, {KEYS})")

    result = folder.run(IMPORT)
    conftest = folder.path / "conftest.py"
    failing = '    raise OSError("no route")\n    return applied('
    conftest.write_text(conftest.read_text("utf-8").replace("    return applied(", failing), "utf-8")
    unread = folder.run(IMPORT)

    result.assert_outcomes(passed=1, failed=1)
    fact = "dev.silver.keys was not written, because its model would hold what has the form of a token"
    places = "columns.id.a.b.comment, columns.d.default, columns.g.generated_as, checks.c.expression, tags.t, tags.d.t"
    remedy = "remove it from the table, and import it again"
    result.stdout.fnmatch_lines(
        ["import: 1 table written and proven, 1 failed", f"  failed      {fact}: comment, {places}; {remedy}"]
    )
    assert TOKEN not in result.stdout.str() + content(folder, "contracts/silver.py")
    unread.assert_outcomes(errors=1)
    unread.stdout.fnmatch_lines(["*no route*"])


def test_the_next_commands_use_the_catalog_that_options_chose(folder):
    chosen = [
        "--delta-set=scratch_catalog=a b",
        "--delta-backend=memory",
        "--delta-warehouse=a b",
        "--delta-bind=dev=dev",
    ]

    result = folder.run(IMPORT, *chosen)

    options = " '--delta-set=scratch_catalog=a b' --delta-backend=memory '--delta-warehouse=a b' --delta-bind=dev=dev"
    result.stdout.fnmatch_lines([f"next: pytest, then pytest --delta-drift{options}; then commit contracts and *"])
    models = folder.path / "contracts" / "silver.py"
    models.write_text(models.read_text("utf-8").replace("Who ordered", "Who"), "utf-8")
    result = folder.run("--delta-drift", *chosen)
    result.stdout.fnmatch_lines(
        [
            f"to align the catalog: pytest --delta-apply{options}",
            f"to accept into the models what it holds: pytest --delta-adopt=diff{options}",
        ],
        consecutive=True,
    )


def test_a_schema_becomes_a_module_under_contract(folder):
    result = folder.run(IMPORT, "-rp")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "import: 2 tables written and proven",
            "  wrote       contracts/silver.py, 2 models",
            "  note        dev.silver.customers: not declared, because the value may be a secret: api.token",
            '  wrote       pyproject.toml, models = [[]"contracts.silver"]',
            "next: pytest, then pytest --delta-drift; then commit contracts and pyproject.toml",
        ],
        consecutive=True,
    )
    result.stdout.fnmatch_lines(
        ["PASSED pyproject.toml::dev.silver.customers::import", "PASSED pyproject.toml::dev.silver.orders::import"],
    )
    assert content(folder, "contracts/silver.py") == MODULE
    assert content(folder, "pyproject.toml") == PROJECT
    assert "x7secret" not in result.stdout.str()
    assert folder.snapshots() == [
        "contracts/__snapshots__/silver/dev.silver.customers.ddl.sql",
        "contracts/__snapshots__/silver/dev.silver.customers.state.json",
        "contracts/__snapshots__/silver/dev.silver.orders.ddl.sql",
        "contracts/__snapshots__/silver/dev.silver.orders.state.json",
    ]
    folder.run("--delta-drift").assert_outcomes(passed=6)
    before = {
        path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    again = folder.run(IMPORT, "-rs")
    again.assert_outcomes(skipped=2)
    again.stdout.fnmatch_lines(
        [
            "  declared    2 tables already, in contracts/silver.py",
            "SKIPPED * pyproject.toml:1: declared already, at contracts/silver.py:7",
        ]
    )
    assert {path: path.read_bytes() for path in before} == before


def test_a_second_import_adds_what_is_missing_and_lists_what_differs(folder):
    folder.run("--delta-import=dev.silver.cust*")
    module = folder.path / "contracts" / "silver.py"
    module.write_text(
        module.read_text("utf-8").replace('"crm"', '"sales"').replace("customers = Table", "buyers = Table"),
        "utf-8",
    )

    result = folder.run(IMPORT)

    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "  declared    1 table already, in contracts/silver.py",
            "  differs     dev.silver.customers has drifted, 1 change: properties.team",
            "import: 1 table written and proven",
            "  wrote       contracts/silver.py, 1 model",
        ],
    )
    text = module.read_text("utf-8")
    assert text.count("from pytest_delta_schema import") == 2
    assert 'foreign_keys=[ForeignKey(["customer_id"], buyers)]' in text


@pytest.mark.parametrize(
    ("option", "files", "models"),
    [
        ("=models/all.py", ["models/all.py"], "models.all"),
        ("=models", ["models/silver/customers.py", "models/silver/orders.py"], "models.silver"),
        (".cust*=one.py", ["one.py"], "one"),
    ],
)
def test_a_path_is_a_file_or_a_folder(folder, option, files, models):
    folder.run(f"{IMPORT}{option}")

    written = {path.relative_to(folder.path).as_posix() for path in folder.path.rglob("*.py")}
    assert sorted(written - {"conftest.py"}) == files
    assert f'models = ["{models}"]' in content(folder, "pyproject.toml")


def test_from_forty_tables_on_each_has_its_own_file(folder):
    holds(folder, 'MemoryCatalog([stored(f"dev.silver.t{number}", ID) for number in range(40)])')

    folder.run(IMPORT).assert_outcomes(passed=40)

    assert len(list((folder.path / "contracts" / "silver").glob("t*.py"))) == 40
    assert 'models = ["contracts.silver"]' in content(folder, "pyproject.toml")
    folder.run("--delta-drift").assert_outcomes(passed=120)


def test_a_partial_contract_owns_some_aspects_in_the_style_of_the_project(folder):
    folder.run(IMPORT, "--delta-import-owns=columns,types").assert_outcomes(passed=2)

    assert content(folder, "contracts/silver.py") == PARTIAL
    folder.run("--delta-drift").assert_outcomes(passed=6)
    (folder.path / "ruff.toml").write_text("line-length = 88\n[format]\nquote-style = 'single'\n", "utf-8")
    folder.run("--delta-import=dev.silver.ord*=styled.py", "--delta-set=models=[]")
    text = content(folder, "styled.py")
    assert "'dev'" in text
    assert "Column('customer_id', LongType(), comment='Who ordered')" in text


def test_what_is_in_the_way_stays(folder):
    (folder.path / "contracts").write_text("x", "utf-8")
    file = folder.run(IMPORT)
    (folder.path / "contracts").unlink()
    (folder.path / "contracts").mkdir()
    (folder.path / "contracts" / "silver.py").write_text("x = (", "utf-8")
    syntax = folder.run(IMPORT)

    file.stdout.fnmatch_lines(["*was not written to contracts/silver.py: *"])
    syntax.stderr.fnmatch_lines(["*contracts/silver.py cannot be imported: SyntaxError: *"])
    assert "Traceback" not in file.stdout.str() + syntax.stdout.str()
    assert content(folder, "contracts/silver.py") == "x = ("
    assert not list(folder.path.rglob("*.tmp"))


def test_bindings_apply_backwards(folder):
    (folder.path / "pyproject.toml").write_text(
        '[tool.pytest_delta_schema]\nbind = {"shop.core" = "dev.silver"}\n[tool.pytest.ini_options]\npythonpath = ["."]\n',
        "utf-8",
    )

    result = folder.run(IMPORT)

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ['  to do       add "contracts.core" to models in [[]tool.pytest_delta_schema] of pyproject.toml'],
    )
    assert '"shop",\n    "core",\n    "orders"' in content(folder, "contracts/core.py")


REQUESTS = [
    (["--delta-import=x"], ["--delta-import=x does not name a schema; write --delta-import=dev.silver, or *"]),
    (["--delta-import=dev.si*"], ["--delta-import=dev.si[*] has a pattern in the name of the schema; *"]),
    (["--delta-import=dev.silvr"], ["--delta-import=dev.silvr: the schema dev.silvr does not exist, or holds no table; *"]),
    (["--delta-import=dev.silver.oders"], ["--delta-import=dev.silver.oders: no table of dev.silver has this name; did you mean dev.silver.orders?"]),
    (["--delta-import=dev.silver.x"], ["*: no table of dev.silver has this name; its tables are customers, orders"]),
    ([IMPORT, "--delta-import-owns=x"], ["--delta-import-owns: there is no aspect x; aspects are columns, *"]),
    (["--delta-import-owns=columns"], ["--delta-import-owns has no effect without --delta-import; give that, too"]),
    ([IMPORT, "--delta-drift"], ["--delta-import writes models, and --delta-drift is a different run; run one after the other"]),
    ([IMPORT, "--delta-report=json"], ["--delta-import checks no table, so --delta-report has nothing to show; leave it out"]),
    ([f"{IMPORT}=a.py", "--delta-import=dev.silver.orders=b.py"], ["dev.silver.orders would be written to *a.py and to *b.py; ask for it once"]),
    ([IMPORT, "pyproject.toml::dev.silver.x::import"], ["pyproject.toml::dev.silver.x::import is not imported by this run; its items are *"]),
]  # fmt: skip


def test_a_request_that_cannot_be_met_writes_nothing(folder):
    for options, faults in [*REQUESTS, ([IMPORT, "-n", "2"], [NO_WORKERS])]:
        result = folder.run("--delta-backend=memory", *options)

        assert result.ret == pytest.ExitCode.USAGE_ERROR, options
        result.stderr.fnmatch_lines([f"*{fault}" for fault in faults])
        assert not (folder.path / "contracts").exists()


NO_WORKERS = "--delta-import writes files in one process; leave out -n, or give -n 0"


def test_a_node_id_a_mark_or_a_word_select_tables_and_collecting_writes_nothing(folder):
    result = folder.run(IMPORT, "--collect-only", "-q")

    result.stdout.fnmatch_lines(
        ["pyproject.toml::dev.silver.customers::import", "pyproject.toml::dev.silver.orders::import"],
    )
    assert not (folder.path / "contracts").exists()
    folder.run(IMPORT, "-m", "delta_import", "-k", "orders").assert_outcomes(passed=1, deselected=1)
    text = content(folder, "contracts/silver.py")
    assert ("orders = Table(" in text, "customers = Table(" in text) == (True, False)
    shutil.rmtree(folder.path / "contracts")
    folder.settings()
    folder.run(IMPORT, "pyproject.toml::dev.silver.customers::import").assert_outcomes(passed=1)
    text = content(folder, "contracts/silver.py")
    assert ("orders = Table(" in text, "customers = Table(" in text) == (False, True)


VIEWS = """MemoryCatalog([
    stored("dev.silver.a", ID),
    stored("dev.silver.broken", OLD, primary_key=KeyState("pk", ("id",))),
    stored("dev.silver.files", ID, kind="csv table"),
    stored("dev.silver.open", ID, ColumnState("note", "string", True, "Why"), table_comment="Open", kind="view"),
])"""
VIEW_MODULE = """\
open = Table(
    "dev",
    "silver",
    "open",
    [
        Column("id", LongType(), is_nullable=False),
        Column("note", StringType(), comment="Why"),
    ],
    comment="Open",
    read_only=True,
)
"""


def test_what_is_no_delta_table_gets_a_read_only_contract_that_is_neither_applied_nor_enforced(folder):
    holds(folder, VIEWS)

    result = folder.run(IMPORT)

    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["  failed      dev.silver.broken its model breaks a rule"])
    assert not [name for name in folder.snapshots() if "broken" in name]
    assert VIEW_MODULE in content(folder, "contracts/silver.py")
    snapshot = content(folder, "contracts/__snapshots__/silver/dev.silver.open.ddl.sql")
    assert snapshot.startswith(
        "-- read-only\nCREATE SCHEMA IF NOT EXISTS `dev`.`silver`;\n\nCREATE TABLE `dev`.`silver`.`open` (",
    )
    result = folder.run("--delta-drift", "-k", "not broken")
    result.assert_outcomes(passed=9, deselected=3)
    result.stdout.fnmatch_lines(["*dev.silver.open: is a view, which is only compared*"])
    module = folder.path / "contracts" / "silver.py"
    module.write_text(module.read_text("utf-8").replace('comment="Why"', 'comment="Reason"'), "utf-8")
    drift = folder.run("--delta-drift", "-m", "delta_drift", "-k", "open")
    apply = folder.run("--delta-apply", "-m", "delta_apply", "-k", "open")
    enforce = folder.run("--delta-enforce", "--delta-backend=memory", "-m", "delta_enforces", "-k", "open", "-rs")
    drift.assert_outcomes(failed=1)
    drift.stdout.fnmatch_lines(["*columns.note.comment*'Why' -> 'Reason'*"])
    apply.stdout.fnmatch_lines(["apply: 1 in sync, 0 statements run"])
    enforce.assert_outcomes(skipped=1)
    enforce.stdout.fnmatch_lines(["SKIPPED * the contract is read-only; nothing of it can be enforced"])


def test_a_model_that_differs_is_added_once_with_what_it_cannot_declare(tmp_path, monkeypatch):
    path = tmp_path / "silver.py"
    path.write_text("x = 1\n", "utf-8")
    table = Table("dev", "silver", "orders", [Column("id", LongType())])
    options = ImportOptions(
        targets={table.name: path},
        settings=Settings(),
        owns=None,
        style=CodeStyle(),
        root=tmp_path,
    )
    monkeypatch.setattr(model_writing, "proved", lambda *_: Proofs({table.name: ("~ a: b -> c",)}))

    outcome = model_writing.import_tables(MemoryCatalog([desired_state(table)]), options)

    assert outcome.faults[table.name].headline == "its model differs from it"
    lines = path.read_text("utf-8").splitlines()
    assert [line for line in lines if "Table(" in line or "declare" in line] == [
        "# a model cannot declare this yet: ~ a: b -> c",
        'orders = Table("dev", "silver", "orders", [Column("id", LongType())])',
    ]


def imported(path, *tables, source=None):
    """Import tables into one file, which may exist, and return the outcome."""
    if source is not None:
        path.write_text(source, "utf-8")
    states = [desired_state(table) for table in tables]
    options = ImportOptions(
        targets={state.name: path for state in states},
        settings=Settings(),
        owns=None,
        style=CodeStyle(),
        root=path.parent,
    )
    return model_writing.import_tables(MemoryCatalog(states), options)


def nested(depth):
    data_type: DataType = LongType()
    for _ in range(depth):
        data_type = StructType([StructField("a", data_type)])
    return data_type


@pytest.mark.parametrize("source", [None, "x = 1\n"], ids=["a new module", "an existing one"])
def test_a_type_that_python_cannot_nest_spoils_its_own_table_only(tmp_path, source):
    path = tmp_path / "silver.py"
    deep = Table("dev", "silver", "deep", [Column("id", LongType()), Column("s", nested(70))], primary_key=["id"])
    deepest = Table("dev", "silver", "deepest", [Column("s", nested(64))])
    child = Table("dev", "silver", "a", [Column("id", LongType())], foreign_keys=[ForeignKey(["id"], deep)])

    outcome = imported(path, deep, deepest, child, source=source)

    assert {str(name): fault.headline for name, fault in outcome.faults.items()} == {
        "dev.silver.deep": "was not written, because Python cannot read its model: too many nested parentheses; declare"
        " it by hand, with variables for the types inside of its columns"
    }
    assert sorted(tables_of_file(str(path))) == ["a", "deepest"]
    assert sorted(file.name for file in (tmp_path / "__snapshots__" / "silver").iterdir()) == [
        "dev.silver.a.ddl.sql",
        "dev.silver.a.state.json",
        "dev.silver.deepest.ddl.sql",
        "dev.silver.deepest.state.json",
    ]


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("from pytest_delta_schema import Table\ndel Table\n", "NameError: name 'Table' is not defined"),
        ("import sys\nif '-B' in sys.orig_argv: sys.exit('no')\n", "SystemExit: no"),
    ],
)
def test_a_module_that_an_import_breaks_gets_its_bytes_back(tmp_path, source, fault):
    path = tmp_path / "silver.py"

    outcome = imported(path, Table("dev", "silver", "orders", [Column("id", LongType())]), source=source)

    (found,) = outcome.faults.values()
    assert found.headline == (
        f"was not written to silver.py: {path} cannot be imported: {fault}; write its model by hand"
    )
    assert outcome.written == {}
    assert path.read_text("utf-8") == source
    assert not (tmp_path / "__snapshots__").exists()


def test_a_module_whose_models_an_import_changes_gets_its_bytes_back(tmp_path):
    path = tmp_path / "silver.py"
    source = (
        "import pathlib\n"
        "text = pathlib.Path(__file__).read_text()\n"
        "import pytest_delta_schema as p\n"
        "old = p.Table('dev', 'silver', 'old', [p.Column('id', 'int')], comment=str(len(text)))\n"
    )

    outcome = imported(path, Table("dev", "silver", "orders", [Column("id", LongType())]), source=source)

    (found,) = outcome.faults.values()
    assert found.headline == (
        "was not written to silver.py: dev.silver.old would declare something else in it; write its model by hand"
    )
    assert path.read_text("utf-8") == source


def test_a_new_module_that_cannot_be_proven_is_removed(tmp_path, monkeypatch):
    orders = Table("dev", "silver", "orders", [Column("id", LongType())])
    monkeypatch.setattr(
        model_writing, "proved", lambda *_: Proofs({}, {orders.name: "silver.py cannot be imported: x"})
    )

    outcome = imported(tmp_path / "silver.py", orders)

    assert list(outcome.faults) == [orders.name]
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_cannot_be_declared_or_is_gone_fails_alone(tmp_path, monkeypatch):
    tables = [Table("dev", "silver", name, [Column("id", LongType())]) for name in ("a", "b", "c")]
    path = tmp_path / "silver.py"

    def model_of(state, *args):
        if state.name.table == "b":
            msg = "column id: odd"
            raise DeclarationError(msg)
        return imported_model(state, *args)

    monkeypatch.setattr(model_writing, "imported_model", model_of)
    catalog = MemoryCatalog([desired_state(table) for table in tables[:2]])
    options = ImportOptions(
        targets={table.name: path for table in tables}, settings=Settings(), owns=None, style=CodeStyle(), root=tmp_path
    )

    outcome = model_writing.import_tables(catalog, options)

    assert {str(name): (fault.headline, fault.lines) for name, fault in outcome.faults.items()} == {
        "dev.silver.b": ("has something that no model can declare", ("column id: odd",)),
        "dev.silver.c": ("is not there any more; import again", ()),
    }
    assert list(tables_of_file(str(path))) == ["a"]


def test_an_interrupted_import_leaves_no_module_that_is_not_proven(tmp_path, monkeypatch):
    orders = Table("dev", "silver", "orders", [Column("id", LongType())])

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(model_writing, "proved", interrupt)
    with pytest.raises(KeyboardInterrupt):
        imported(tmp_path / "silver.py", orders, source="x = 1\n")

    assert (tmp_path / "silver.py").read_text("utf-8") == "x = 1\n"


HOSTILE_NAMES = [
    *("__debug__", "__builtins__", "__spec__", "__getattr__", "__name__", "__file__", "__class__", "__test__", "__"),
    *("__init__", "__doc__", "__path__", "__all__", "__dict__", "__annotations__", "__loader__", "_", "___"),
    *("none", "true", "class", "match", "type", "date", "column", "table", "print", "list"),
    *("\U0001d447able", "\u2102olumn", "\U0001d441one"),
    *("pytest_generate_tests", "pytest_plugins", "setup_module", "teardown_function", "delta_tables", "test_a"),
]


def test_names_that_python_or_pytest_cannot_have_become_models_that_are_collected(folder):
    holds(folder, f'MemoryCatalog([stored(f"dev.silver.`{{name}}`", ID) for name in {HOSTILE_NAMES!r}])')

    folder.run(IMPORT).assert_outcomes(passed=len(HOSTILE_NAMES))

    folder.run("--delta-drift").assert_outcomes(passed=3 * len(HOSTILE_NAMES))


def test_files_have_names_that_can_be_imported():
    names = [
        QualifiedName("dev", "silver", name)
        for name in ["orders", "a b", "a-b", "²", "2024", "class", "test_x", "conftest"]
    ]
    (request,) = import_requests(["dev.silver=models"])

    targets, faults = import_targets({request: names}, {name: name for name in names}, Path("/project"))

    assert faults == []
    assert {name.table: path.stem for name, path in targets.items()} == {
        "orders": "orders",
        "a b": "a_b",
        "a-b": "a_b_2",
        "²": "t_2",
        "2024": "t_2024",
        "class": "t_class",
        "test_x": "t_test_x",
        "conftest": "t_conftest",
    }
