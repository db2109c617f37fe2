"""``pytest --delta-adopt``: what it shows, what it edits, what it proves, and what it refuses to edit."""

from __future__ import annotations

import ast
import signal
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from pyspark.sql.types import ArrayType, LongType, MapType, StructField, StructType

from pytest_delta_schema import Column, LocalCatalog, MemoryCatalog, Settings, Table
from pytest_delta_schema.backends.local import reading, session
from pytest_delta_schema.engine import Gate, model_writing
from pytest_delta_schema.engine.declarations import tables_of_file
from pytest_delta_schema.engine.model_writing import AdoptOptions, adopt_tables, drift_of
from pytest_delta_schema.engine.sources import SourceRoot
from pytest_delta_schema.source_code.text import CodeStyle
from pytest_delta_schema.state import TableState
from pytest_delta_schema.state.desired import desired_state
from support.logs import commit, field, metadata
from support.models import column, table

MODELS = '''\
"""The shop."""

from pyspark.sql.types import LongType
from pytest_delta_schema import Column, Table

orders = Table(
    "dev", 'silver', "orders",
    [
        Column("id", LongType(), is_nullable=False),  # from the till
        Column("note", "string"),
    ],
    comment="Orders",   # shown to analysts
)
items = Table("dev", "silver", "items", [Column("id", "bigint"), Column("size", "bigint")])
same = Table("dev", "silver", "same", [Column("id", "bigint")])
'''
STORED = """
from pytest_delta_schema import Check, Column, ForeignKey, Orchestrator, Settings, Table

def applied(*tables):
    catalog = MemoryCatalog()
    Orchestrator.over(catalog, settings=Settings()).sync_tables(tables)
    return catalog

def table(name, *columns, **options):
    return Table("dev", "silver", name, list(columns), **options)

THERE = [
    table(
        "orders", Column("id", "bigint"), Column("note", "string"), Column("amount", "decimal(18,2)"),
        comment="Orders", checks=[Check("positive", "amount > 0")],
    ),
    table("items", Column("id", "bigint")),
    table("same", Column("id", "bigint")),
]
"""
DIFF_OF_ORDERS = """\
--- a/models.py
+++ b/models.py
@@ -1,15 +1,17 @@
 \"\"\"The shop.\"\"\"
·
-from pyspark.sql.types import LongType
-from pytest_delta_schema import Column, Table
+from pyspark.sql.types import DecimalType, LongType
+from pytest_delta_schema import Check, Column, Table
·
 orders = Table(
     "dev", 'silver', "orders",
     [
-        Column("id", LongType(), is_nullable=False),  # from the till
+        Column("id", LongType()),  # from the till
         Column("note", "string"),
+        Column("amount", DecimalType(18, 2)),
     ],
     comment="Orders",   # shown to analysts
+    checks=[Check("positive", "amount > 0")],
 )
 items = Table("dev", "silver", "items", [Column("id", "bigint"), Column("size", "bigint")])
 same = Table("dev", "silver", "same", [Column("id", "bigint")])
""".replace("·", " ")
EDITED = '''\
"""The shop."""

from pyspark.sql.types import DecimalType, LongType
from pytest_delta_schema import Check, Column, Table

orders = Table(
    "dev", 'silver', "orders",
    [
        Column("id", LongType()),  # from the till
        Column("note", "string"),
        Column("amount", DecimalType(18, 2)),
    ],
    comment="Orders",   # shown to analysts
    checks=[Check("positive", "amount > 0")],
)
items = Table("dev", "silver", "items", [Column("id", "bigint")])
same = Table("dev", "silver", "same", [Column("id", "bigint")])
'''
DIFF, WRITE = "--delta-adopt=diff", "--delta-adopt=write"


@pytest.fixture
def folder(project):
    """A project with three models, and a catalog in which two of their tables differ."""
    (project.path / "tox.ini").unlink()
    project.catalog("applied(*THERE)")
    conftest = project.path / "conftest.py"
    head, fixture = conftest.read_text("utf-8").split("@pytest.fixture", 1)
    conftest.write_text(f"{head}{STORED}\n@pytest.fixture{fixture}", "utf-8")
    configure(project, "models")
    (project.path / "models.py").write_text(MODELS, "utf-8")
    return project


def configure(folder, models):
    text = f'[tool.pytest.ini_options]\npythonpath = ["."]\n[tool.pytest_delta_schema]\nmodels = ["{models}"]\n'
    (folder.path / "pyproject.toml").write_text(text, "utf-8")


def content(folder, path="models.py"):
    return (folder.path / path).read_text("utf-8")


def with_stored(folder, text):
    """Make the catalog hold other tables."""
    conftest = folder.path / "conftest.py"
    conftest.write_text(conftest.read_text("utf-8").replace("applied(*THERE)", f"applied({text})"), "utf-8")


def test_the_edit_of_each_table_is_shown_and_nothing_is_written(folder):
    result = folder.run(DIFF)

    result.assert_outcomes(failed=2, passed=1)
    assert DIFF_OF_ORDERS in result.stdout.str()
    result.stdout.fnmatch_lines(
        [
            "dev.silver.orders: its table differs; --delta-adopt=write makes this edit",
            "dev.silver.items: its table differs; --delta-adopt=write makes this edit",
            '-items = Table("dev", "silver", "items", [[]Column("id", "bigint"), Column("size", "bigint")])',
            '+items = Table("dev", "silver", "items", [[]Column("id", "bigint")])',
        ],
    )
    result.stdout.fnmatch_lines(
        [
            "adopt: 2 tables with differences that could be accepted",
            "  would edit  models.py: dev.silver.items, dev.silver.orders",
            "next: pytest --delta-adopt=write makes these edits",
            "*FAILED models.py::dev.silver.orders::adopt - its table differs*",
        ],
    )
    assert content(folder) == MODELS


def test_the_edits_are_made_and_the_gate_is_green(folder):
    folder.run("--snapshot-update")
    (folder.path / "test_other.py").write_text("def test_other():\n    assert False\n", "utf-8")
    one = folder.run(WRITE, "models.py::dev.silver.items::adopt")
    one.assert_outcomes(passed=1)
    assert content(folder) == MODELS.replace(', Column("size", "bigint")', "")
    (folder.path / "models.py").write_text(MODELS, "utf-8")

    result = folder.run(WRITE)

    result.assert_outcomes(passed=3, deselected=1)
    result.stdout.fnmatch_lines(
        [
            "adopt: 2 tables accepted and proven",
            "  edited      models.py: dev.silver.items, dev.silver.orders",
            "next: review git diff models.py, then pytest --snapshot-update, then commit both",
        ],
        consecutive=True,
    )
    assert "unused" not in result.stdout.str()
    assert content(folder) == EDITED
    folder.run("-m", "delta").assert_outcomes(failed=2, passed=4, deselected=1)
    (folder.path / "test_other.py").unlink()
    folder.run("--snapshot-update")
    folder.run("--delta-drift").assert_outcomes(passed=9)
    folder.run(DIFF).assert_outcomes(passed=3)


TOKEN = "dapi0123456789abcdef0123456789abcdef"  # noqa: S105 - of nobody
UNEDITABLE = f"""
keys = Table("dev", "silver", "keys", [Column("id", "bigint")], table_properties={{"api.token": "old", "a": "b"}})
noted = Table("dev", "silver", "noted", [Column("id", "bigint")], comment="{TOKEN}")
twice = Table("dev", "silver", "twice", [Column("id", "bigint"), Column("ID", "bigint")])
missing = Table("dev", "silver", "missing", [Column("id", "bigint")])
partial = Table("dev", "silver", "partial", [Column("id", "bigint")], owns={{"comments": "ignore"}})
looped = Table("dev", "silver", "looped", [Column(name, "bigint") for name in ("id", "size")])
"""
DIFFERENT = f"""*THERE, table('keys', Column('id', 'bigint'), table_properties={{'api.token': 'x7new', 'a': 'c'}}),
    table('noted', Column('id', 'struct<a: int comment \"{TOKEN}\">'), comment='old {TOKEN}'),
    table('twice', Column('id', 'bigint')), table('partial', Column('id', 'bigint'), comment='Theirs'),
    table('looped', Column('id', 'bigint')), table('long', Column('a' * 300, 'bigint'))"""


def test_what_cannot_be_accepted_is_named_and_stays(folder):
    long = 'long = Table("dev", "silver", "long", [Column("a", "bigint")])\n'
    (folder.path / "models.py").write_text(MODELS + UNEDITABLE + long, "utf-8")
    with_stored(folder, DIFFERENT)

    result = folder.run(WRITE)

    result.assert_outcomes(failed=5, passed=5)
    form = "its model would hold what has the form of a token: columns.id.a.comment"
    result.stdout.fnmatch_lines_random(
        [
            "dev.silver.keys: accepted, but for what may be secret: api.token",
            f"dev.silver.noted: {form}; remove it from the table",
            "dev.silver.twice: the model breaks a rule; correct that first",
            "dev.silver.missing: the table is not in the catalog; apply its model, or remove it",
            "dev.silver.looped: its source is not edited, because line 22 has a comprehension; write by hand:",
            '*remove Column("size", *',
            "adopt: 4 tables accepted and proven, 4 failed",
        ],
    )
    for secret in ("x7new", TOKEN):
        assert secret not in result.stdout.str()
    edited = UNEDITABLE.replace('"a": "b"', '"a": "c"')
    assert content(folder) == EDITED + edited + long.replace('"a", "bigint"', f'"{"a" * 300}", LongType()')


def test_a_file_outside_of_the_project_is_not_edited_and_bindings_map_names(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("elsewhere") / "site-packages"
    other.mkdir()
    core = MODELS.replace('"dev", "silver"', '"core", "silver"').replace("\"dev\", 'silver'", '"core", "silver"')
    for file in (other / "theirs.py", folder.path / "models.py"):
        file.write_text(core, "utf-8")
    (folder.path / "test_theirs.py").write_text(
        f"import sys\nsys.path.append({str(other)!r})\nfrom theirs import items\ndelta_tables = [items]\n", "utf-8"
    )

    theirs = folder.run(WRITE, "test_theirs.py", "--delta-bind=core=dev")
    (folder.path / "test_theirs.py").unlink()
    result = folder.run(WRITE, "--delta-bind=core=dev")

    theirs.assert_outcomes(failed=1)
    theirs.stdout.fnmatch_lines(
        ["*items: its source is not edited, because *theirs.py is not a file of this project; *"],
    )
    assert (other / "theirs.py").read_text("utf-8") == core
    result.assert_outcomes(passed=3)
    assert '"core", "silver", "items", [Column("id", "bigint")]' in content(folder)


def test_modules_of_a_package_are_proven_by_their_names(folder):
    configure(folder, "shop")
    package = folder.path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("", "utf-8")
    (package / "names.py").write_text("SCHEMA = 'silver'\n", "utf-8")
    for name in ("orders", "items"):
        start = MODELS.index(f"{name} = Table")
        end = MODELS.index("items = Table") if name == "orders" else MODELS.index("same = Table")
        head = MODELS[: MODELS.index("orders = Table")] + "from .names import SCHEMA\n\n"
        (package / f"{name}.py").write_text(head + MODELS[start:end].replace('"silver"', "SCHEMA"), "utf-8")

    folder.run(WRITE).assert_outcomes(passed=2)

    assert '"items", [Column("id", "bigint")])' in content(folder, "shop/items.py")
    assert '"dev", SCHEMA, "items"' in content(folder, "shop/items.py")


def test_an_edit_whose_proof_fails_is_taken_back_alone(folder):
    text = '"pytest" in __import__("sys").modules and "the till" or "a robot"'
    models = MODELS + f"same = Table('dev', 'silver', 'same', [Column('id', 'bigint')], comment={text})\n"
    (folder.path / "models.py").write_text(
        models.replace('same = Table("dev", "silver", "same", [Column("id", "bigint")])\n', ""),
        "utf-8",
    )
    with_stored(folder, "*THERE[:2], table('same', Column('id', 'int'), comment='the till')")

    result = folder.run(WRITE)

    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.same: the edit of its source was taken back, because this still differs",
            "~ comment: 'the till' -> 'a robot'",
            "adopt: 2 tables accepted and proven, 1 failed",
        ],
    )
    assert "Column('id', 'bigint')" in content(folder)
    assert content(folder).startswith(EDITED[: EDITED.index("same")])


DERIVED = """\
from pytest_delta_schema import Table
from {module} import orders

archive = Table("dev", "silver", "archive", [*orders.columns])
"""


@pytest.mark.parametrize("is_own_file", [True, False], ids=["another module", "the same module"])
def test_an_edit_that_changes_another_model_is_taken_back(folder, is_own_file):
    (folder.path / "shop").mkdir()
    configure(folder, "shop")
    derived = DERIVED.format(module="shop.models")
    if not is_own_file:
        derived = derived.splitlines()[-1] + "\n"
    (folder.path / "shop" / "__init__.py").write_text("", "utf-8")
    (folder.path / "shop" / "models.py").write_text(MODELS + ("" if is_own_file else derived), "utf-8")
    if is_own_file:
        (folder.path / "shop" / "archive.py").write_text(derived, "utf-8")
    columns = "Column('id', 'bigint', is_nullable=False), Column('note', 'string')"
    with_stored(folder, f"*THERE, table('archive', {columns})")
    taken_back = "the edit of its source was taken back, because it changes what other models declare; *"

    if not is_own_file:
        alone = folder.run(WRITE, "-k", "orders")
        alone.assert_outcomes(failed=1, deselected=3)
        alone.stdout.fnmatch_lines([f"dev.silver.orders: {taken_back}", "dev.silver.archive: *columns.amount*"])
    result = folder.run(WRITE)

    result.assert_outcomes(failed=1, passed=3)
    result.stdout.fnmatch_lines(
        [
            f"dev.silver.orders: {taken_back}",
            "dev.silver.archive: *",
            "adopt: 1 table accepted and proven, 1 failed",
        ],
    )
    after = MODELS.replace(', Column("size", "bigint")', "")
    assert content(folder, "shop/models.py") == after + ("" if is_own_file else derived)
    folder.run("--snapshot-update")
    folder.run("--delta-drift", "-k", "not orders").assert_outcomes(passed=9, deselected=3)


def test_an_edit_may_bring_another_model_nearer_to_its_table_and_needs_no_module_that_only_pytest_imports(folder):
    (folder.path / "models.py").write_text(MODELS + DERIVED.splitlines()[-1] + "\n", "utf-8")
    (folder.path / "test_other.py").write_text(
        "import sys\nfrom pytest_delta_schema import Column, Table\n"
        "if 'pytest' not in sys.modules: raise OSError(object())\n"
        "delta_tables = [Table('dev', 'silver', 'other', [Column('id', 'bigint')])]\n",
        "utf-8",
    )
    with_stored(folder, "*THERE, table('archive', *THERE[0].columns), table('other', Column('id', 'bigint'))")

    result = folder.run(WRITE)

    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["dev.silver.archive: its source is not edited, because line 16 *"])
    folder.run("--snapshot-update")
    folder.run("--delta-drift", "-k", "archive").assert_outcomes(passed=3, deselected=12)


def test_a_file_that_is_changed_before_it_is_edited_stays(folder, monkeypatch):
    edit_files = model_writing._edit_files

    def edit_changed_files(*arguments):
        (folder.path / "models.py").write_text("x = 1", "utf-8")
        edit_files(*arguments)

    monkeypatch.setattr(model_writing, "_edit_files", edit_changed_files)

    result = folder.run(WRITE)

    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(
        ["*orders: its source is not edited: *models.py has changed since it was read; run again"]
    )
    assert content(folder) == "x = 1"


REFUSED = [
    (["--delta-drift"], "--delta-adopt writes models, and --delta-drift is a different run; run one after the other"),
    (["--delta-import=dev.silver"], "--delta-import writes models, and --delta-adopt is a different run; *"),
    (["-n", "2"], "--delta-adopt writes files in one process; leave out -n, or give -n 0"),
    (["--delta-report=report.html"], "--delta-adopt checks no table, so --delta-report has nothing to show; *"),
    (["--delta-allow=drop-column dev.silver.orders.note"], "--delta-allow has no effect without --delta-drift *"),
]


def test_other_modes_are_refused(folder):
    for options, message in REFUSED:
        result = folder.run(WRITE, *options)

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"*{message}"])
        assert content(folder) == MODELS


def test_an_interruption_leaves_no_edit_that_was_not_proven(tmp_path, monkeypatch):
    path = tmp_path / "models.py"
    source = 'from pytest_delta_schema import Column, Table\nitems = Table("dev", "silver", "items", [Column("id", "int")])\n'
    path.write_text(source, "utf-8")
    model = tables_of_file(str(path))["items"]
    edited = []

    def interrupt(*_):
        edited.append(path.read_text("utf-8"))
        raise KeyboardInterrupt

    monkeypatch.setattr(model_writing, "proved", interrupt)
    state = desired_state(Table("dev", "silver", "items", [Column("id", "bigint")]))
    there = TableState(name=state.name, columns=state.columns, table_properties=MappingProxyType({}))
    gate = Gate(MemoryCatalog([there]), [model], settings=Settings())
    options = AdoptOptions(writes=True, style=CodeStyle(), root=tmp_path, sources=SourceRoot(tmp_path))

    with pytest.raises(KeyboardInterrupt):
        adopt_tables(gate, [model], options)

    assert edited == [source.replace("int", "bigint")]
    assert path.read_text("utf-8") == source
    assert [file.name for file in Path(tmp_path).iterdir() if file.name != "__pycache__"] == ["models.py"]


KILLED = """
import os, signal

_replace = os.replace

def _killed(source, target):
    if not {is_before}:
        _replace(source, target)
    os.kill(os.getpid(), signal.SIGKILL)

def pytest_collection_finish():
    os.replace = _killed
"""
CATALOG = 'MemoryCatalog([stored("dev.silver.customers", ID), stored("dev.silver.orders", ID)])'


def test_a_killed_import_leaves_whole_files_and_can_be_run_again(project):
    (project.path / "tox.ini").unlink()
    project.settings()
    for is_before, modules in ((True, []), (False, ["Tables of dev.silver."])):
        project.catalog(CATALOG)
        project.extend_conftest(KILLED.format(is_before=is_before))

        killed = project.run("--delta-import=dev.silver", subprocess=True)

        assert killed.ret == -signal.SIGKILL
        written = [path.read_text("utf-8") for path in project.path.glob("contracts/*.py")]
        assert [ast.get_docstring(ast.parse(text)) for text in written] == modules
    project.catalog(CATALOG)
    project.run("--delta-import=dev.silver").stdout.fnmatch_lines(
        ['  wrote       pyproject.toml, models = [[]"contracts.silver"]'],
    )
    project.run("--snapshot-update")
    project.run("--delta-drift").assert_outcomes(passed=6)


def never():
    pytest.fail("Spark is started")


def struct(*fields):
    return StructType(list(fields))


A, B = (StructField(name, LongType()) for name in "ab")


def physical(name, number, kind="long"):
    return field(name, kind, **{"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"col-{number}"})


def struct_field(name, number, *fields):
    return physical(name, number, {"type": "struct", "fields": list(fields)})


def map_of_structs(name, number, *fields):
    value = {"type": "struct", "fields": list(fields)}
    array = {"type": "array", "elementType": value, "containsNull": True}
    keys = {"type": "struct", "fields": list(fields)}
    return physical(name, number, {"type": "map", "keyType": keys, "valueType": array, "valueContainsNull": True})


def former(name, old, data_type=None):
    return StructField(name, data_type or LongType(), True, {"renamed_from": old})


ID, NR, NUMBER = physical("id", 1), physical("nr", 2), physical("number", 2)
DECLARED = table(column(), column("nr"))
AS_RENAMED = table(column(), column("number", renamed_from="nr"))
OVERWRITE = {"operation": "WRITE", "operationParameters": {"mode": "Overwrite"}}
RENAMES = {
    # the versions of the table, the model, and the model that accepts them
    "a rename": ([[ID, NR], [ID, NUMBER]], DECLARED, AS_RENAMED),
    "a rename over another name": ([[ID, NR], [ID, physical("no", 2)], [ID, NUMBER]], DECLARED, AS_RENAMED),
    "a rename, and then a new column": ([[ID, NR], [ID, NUMBER], [ID, NUMBER, physical("x", 3)]], DECLARED,
        table(column(), column("number", renamed_from="nr"), column("x"))),
    "a rename by case of a model in another case": ([[ID, NR], [ID, NUMBER]], table(column(), column("NR")),
        table(column(), column("number", renamed_from="NR"))),
    "two columns that change their names": (
        [[ID, NR], [ID, physical("t", 2)], [physical("nr", 1), physical("t", 2)], [physical("nr", 1), physical("id", 2)]],
        DECLARED, None),
    "two renames": ([[ID, NR], [physical("key", 1), NUMBER]], DECLARED,
        table(column("key", renamed_from="id"), column("number", renamed_from="nr"))),
    "a rename to a name that was free": ([[ID, NR], [physical("key", 1), physical("id", 2)]], DECLARED,
        table(column(), column("key"))),
    "a drop and an add": ([[ID, NR], [ID], [ID, physical("number", 3)]], DECLARED, table(column(), column("number"))),
    "a drop and an add in one commit": ([[ID, NR], [ID, physical("number", 3)]], DECLARED, table(column(), column("number"))),
    "a rename before the column was dropped and added": (
        [[ID, NR], [ID, NUMBER], [ID], [ID, physical("number", 3)]], DECLARED, table(column(), column("number"))),
    "a rename before an overwrite": (
        [[ID, NR], [ID, NUMBER], OVERWRITE, [ID, physical("number", 3)]], DECLARED, table(column(), column("number"))),
    "a rename before a table was replaced": (
        [[ID, NR], [ID, NUMBER], {"operation": "CREATE OR REPLACE TABLE AS SELECT"}, [ID, physical("number", 3)]],
        DECLARED, table(column(), column("number"))),
    "a rename after an append": (
        [[ID, NR], {"operation": "WRITE", "operationParameters": {"mode": "Append"}}, [ID, NUMBER]], DECLARED, AS_RENAMED),
    "a rename that the model has made": ([[ID, NR], [ID, NUMBER]], AS_RENAMED, None),
    "a rename of a column that the model never had": ([[ID, physical("a", 3)], [ID, physical("b", 3)]], table(column()),
        table(column(), column("b"))),
    "no column mapping": ([[ID, field("nr")], [ID, field("number")]], DECLARED, table(column(), column("number"))),
    "a field": (
        [[struct_field("s", 1, physical("a", 2), physical("b", 3))], [struct_field("s", 1, physical("a", 2), physical("c", 3))]],
        table(column("s", struct(A, B))), table(column("s", struct(A, former("c", "b"))))),
    "a field of a renamed struct": (
        [[struct_field("s", 1, physical("a", 2))], [struct_field("t", 1, physical("a", 2))], [struct_field("t", 1, physical("b", 2))]],
        table(column("s", struct(A))), table(column("t", struct(former("b", "a")), renamed_from="s"))),
    "a field that was renamed before its struct": (
        [[struct_field("s", 1, physical("a", 2))], [struct_field("s", 1, physical("b", 2))], [struct_field("t", 1, physical("b", 2))]],
        table(column("s", struct(A))), table(column("t", struct(former("b", "a")), renamed_from="s"))),
    "fields inside of maps and arrays": (
        [[map_of_structs("m", 1, physical("a", 2))], [map_of_structs("m", 1, physical("b", 2))]],
        table(column("m", MapType(struct(A), ArrayType(struct(A))))),
        table(column("m", MapType(struct(former("b", "a")), ArrayType(struct(former("b", "a"))))))),
    "a field of a field": (
        [[struct_field("s", 1, struct_field("r", 2, physical("a", 3)))], [struct_field("s", 1, struct_field("r", 2, physical("b", 3)))]],
        table(column("s", struct(StructField("r", struct(A))))), table(column("s", struct(StructField("r", struct(former("b", "a"))))))),
    "what names the column": (
        [[ID, NR], [ID, NUMBER]], table(column(), column("nr"), clustered_by=["nr"]),
        table(column(), column("number", renamed_from="nr"))),
    "a contract that reports columns": (
        [[ID, NR], [ID, NUMBER]], replace(DECLARED, owns={"columns": "report"}), replace(AS_RENAMED, owns={"columns": "report"})),
    "an additive contract": (
        [[ID, NR], [ID, NUMBER]], replace(DECLARED, evolution="additive"), replace(AS_RENAMED, evolution="additive")),
    "a contract that ignores columns": ([[ID, NR], [ID, NUMBER]], replace(DECLARED, owns={"columns": "ignore"}), None),
}  # fmt: skip


@pytest.mark.parametrize(("versions", "model", "expected"), RENAMES.values(), ids=RENAMES)
def test_a_rename_of_one_physical_column_is_accepted_as_a_rename(tmp_path, monkeypatch, versions, model, expected):
    for module in (session, reading):
        monkeypatch.setattr(module, "active_spark", lambda: None)
    folder, info, version = tmp_path / "dev" / "silver" / "orders", {}, 0
    for fields in versions:
        if isinstance(fields, dict):
            info = fields
            continue
        is_mapped = "delta.columnMapping.id" in fields[0]["metadata"]
        entry = metadata(*fields, **({"delta__columnMapping__mode": "name"} if is_mapped else {}))
        started = [{"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}] if version == 0 else []
        commit(folder, version, *started, entry, **info)
        info, version = {}, version + 1
    gate = Gate(LocalCatalog(never, warehouse=tmp_path), [model])
    gate.state()

    drift = drift_of(gate, model)

    assert getattr(drift, "table", drift) == expected
