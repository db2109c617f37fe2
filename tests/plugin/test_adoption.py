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
from pytest_delta_schema.engine import Gate, model_writing, source_files
from pytest_delta_schema.engine.declarations import tables_of_file
from pytest_delta_schema.engine.model_writing import AdoptOptions, adopt_tables, drift_of
from pytest_delta_schema.engine.source_files import UnwritableFileError
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
    result = folder.run(WRITE)

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            "adopt: 2 tables accepted and proven",
            "  edited      models.py: dev.silver.items, dev.silver.orders",
            "next: review git diff models.py, then pytest --snapshot-update, then commit both",
        ],
        consecutive=True,
    )
    assert content(folder) == EDITED
    folder.run("--snapshot-update")
    folder.run("--delta-drift").assert_outcomes(passed=9)
    folder.run(DIFF).assert_outcomes(passed=3)


def test_a_node_id_selects_one_table(folder):
    folder.run(WRITE, "models.py::dev.silver.items::adopt").assert_outcomes(passed=1)

    assert content(folder) == MODELS.replace(', Column("size", "bigint")', "")


def test_old_snapshots_fail_after_an_edit(folder):
    folder.run("--snapshot-update")

    assert "unused" not in folder.run(WRITE).stdout.str()

    result = folder.run()

    result.assert_outcomes(failed=2, passed=4)


def test_what_is_not_literal_is_named_with_the_lines_to_write(folder):
    models = MODELS.replace(
        '[Column("id", "bigint"), Column("size", "bigint")]',
        "[Column(name, 'bigint') for name in ('id', 'size')]",
    )
    (folder.path / "models.py").write_text(models, "utf-8")

    result = folder.run(WRITE)

    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.items: its source is not edited, because line 14 has a comprehension; write by hand:",
            '*remove Column("size", *',
            "adopt: 1 table accepted and proven, 1 failed",
        ],
    )
    assert content(folder) == EDITED.replace(
        '[Column("id", "bigint")])\nsame',
        "[Column(name, 'bigint') for name in ('id', 'size')])\nsame",
    )


def test_a_file_outside_of_the_project_is_not_edited(folder, tmp_path_factory):
    other = tmp_path_factory.mktemp("elsewhere") / "site-packages"
    other.mkdir()
    (other / "theirs.py").write_text(MODELS, "utf-8")
    (folder.path / "models.py").write_text(
        f"import sys\nsys.path.append({str(other)!r})\nfrom theirs import items\ndelta_tables = [items]\n",
        "utf-8",
    )

    result = folder.run(WRITE)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*items: its source is not edited, because *theirs.py is not a file of this project; *"],
    )
    assert (other / "theirs.py").read_text("utf-8") == MODELS


def test_bytes_that_are_not_concerned_stay(folder):
    before = MODELS.replace("The shop.", "Das Café.").replace("\n", "\r\n").encode("utf-8-sig")
    (folder.path / "models.py").write_bytes(before)

    folder.run(WRITE).assert_outcomes(passed=3)

    after = EDITED.replace("The shop.", "Das Café.").replace("\n", "\r\n").encode("utf-8-sig")
    assert (folder.path / "models.py").read_bytes() == after


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

    result = folder.run(WRITE)

    result.assert_outcomes(failed=1, passed=3)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.orders: the edit of its source was taken back, because it changes what other models declare; *",
            "dev.silver.archive: *",
            "adopt: 1 table accepted and proven, 1 failed",
        ],
    )
    after = MODELS.replace(', Column("size", "bigint")', "")
    assert content(folder, "shop/models.py") == after + ("" if is_own_file else derived)
    folder.run("--snapshot-update")
    folder.run("--delta-drift", "-k", "not orders").assert_outcomes(passed=9, deselected=3)


def test_an_edit_that_changes_a_table_that_is_not_read_is_taken_back(folder):
    (folder.path / "models.py").write_text(MODELS + DERIVED.splitlines()[-1] + "\n", "utf-8")

    result = folder.run(WRITE, "models.py::dev.silver.orders::adopt")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["dev.silver.archive: *columns.amount*"])
    assert content(folder).startswith(MODELS)


def test_an_edit_may_bring_another_model_nearer_to_its_table(folder):
    (folder.path / "models.py").write_text(MODELS + DERIVED.splitlines()[-1] + "\n", "utf-8")
    with_stored(folder, "*THERE, table('archive', *THERE[0].columns)")

    result = folder.run(WRITE)

    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["dev.silver.archive: its source is not edited, because line 16 *"])
    folder.run("--snapshot-update")
    folder.run("--delta-drift", "-k", "archive").assert_outcomes(passed=3, deselected=9)


def test_a_model_whose_module_only_pytest_can_import_does_not_stop_an_edit(folder):
    (folder.path / "test_other.py").write_text(
        "import sys\nfrom pytest_delta_schema import Column, Table\n"
        "if 'pytest' not in sys.modules: raise OSError(object())\n"
        "delta_tables = [Table('dev', 'silver', 'other', [Column('id', 'bigint')])]\n",
        "utf-8",
    )
    with_stored(folder, "*THERE, table('other', Column('id', 'bigint'))")

    folder.run(WRITE).assert_outcomes(passed=4)

    assert content(folder) == EDITED


def test_a_link_stays_and_its_target_is_edited(folder):
    (folder.path / "source").mkdir()
    (folder.path / "models.py").rename(folder.path / "source" / "shop_models.py")
    (folder.path / "models.py").symlink_to("source/shop_models.py")

    folder.run(WRITE).assert_outcomes(passed=3)

    assert (folder.path / "models.py").is_symlink()
    assert content(folder, "source/shop_models.py") == EDITED


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


@pytest.mark.parametrize(
    ("there", "lines"),
    [
        ("THERE[0], THERE[2]", ["dev.silver.items: the table is not in the catalog; apply its model, or remove it"]),
        (
            "*THERE[1:], table('orders', Column('id', 'bigint'), Column('a' * 300, 'bigint'))",
            ["adopt: 2 tables accepted and proven"],
        ),
    ],
    ids=["a table that does not exist", "a long name"],
)
def test_tables_that_cannot_be_accepted(folder, there, lines):
    with_stored(folder, there)

    folder.run(WRITE).stdout.fnmatch_lines(lines)


def test_a_value_that_may_be_a_secret_is_not_adopted(folder):
    (folder.path / "models.py").write_text(
        MODELS
        + 'keys = Table("dev", "silver", "keys", [Column("id", "bigint")], table_properties={"api.token": "old", "a": "b"})\n',
        "utf-8",
    )
    with_stored(
        folder,
        "*THERE, table('keys', Column('id', 'bigint'), table_properties={'api.token': 'x7new', 'a': 'c'})",
    )

    result = folder.run(WRITE)

    result.assert_outcomes(failed=1, passed=3)
    result.stdout.fnmatch_lines(["dev.silver.keys: accepted, but for what may be secret: api.token"])
    assert "x7new" not in result.stdout.str()
    assert 'table_properties={"api.token": "old", "a": "c"}' in content(folder)


def test_a_table_with_a_token_in_a_text_is_not_adopted(folder):
    token = "dapi0123456789abcdef0123456789abcdef"  # noqa: S105 - of nobody
    (folder.path / "models.py").write_text(
        MODELS + f'keys = Table("dev", "silver", "keys", [Column("id", "bigint")], comment="{token}")\n', "utf-8"
    )
    with_stored(
        folder,
        f"*THERE, table('keys', Column('id', 'struct<a: int comment \"{token}\">'), comment='old {token}')",
    )
    before = content(folder)

    result = folder.run(WRITE)

    fact = "its model would hold what has the form of a token: columns.id.a.comment"
    result.stdout.fnmatch_lines([f"dev.silver.keys: {fact}; remove it from the table"])
    assert token not in result.stdout.str()
    assert content(folder).endswith(before.partition("keys = ")[2])


def test_what_the_contract_ignores_is_not_adopted(folder):
    (folder.path / "models.py").write_text(MODELS.replace('comment="Orders", ', 'owns=["columns", "types"],'), "utf-8")

    folder.run(WRITE).assert_outcomes(passed=3)


def test_a_model_that_breaks_a_rule_is_not_edited(folder):
    models = MODELS.replace(
        '[Column("id", "bigint"), Column("size", "bigint")]',
        '[Column("id", "bigint"), Column("ID", "bigint")]',
    )
    (folder.path / "models.py").write_text(models, "utf-8")

    result = folder.run(WRITE)

    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(["dev.silver.items: the model breaks a rule; correct that first"])


def test_a_folder_that_cannot_be_written(folder, monkeypatch):
    monkeypatch.setattr(source_files, "write_whole", _refuse)

    result = folder.run(WRITE)

    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(["*orders: its source is not edited: models.py cannot be written*"])
    assert content(folder) == MODELS


def _refuse(_path, _content):
    msg = "models.py cannot be written: no space; make room"
    raise UnwritableFileError(msg)


def test_tests_of_the_project_do_not_run(folder):
    (folder.path / "test_other.py").write_text("def test_other():\n    assert False\n", "utf-8")

    folder.run(DIFF).assert_outcomes(failed=2, passed=1, deselected=1)


def test_bindings_map_names(folder):
    (folder.path / "models.py").write_text(
        MODELS.replace('"dev", "silver"', '"core", "silver"').replace("\"dev\", 'silver'", '"core", "silver"'),
        "utf-8",
    )

    folder.run(WRITE, "--delta-bind=core=dev").assert_outcomes(passed=3)

    assert '"core", "silver", "items", [Column("id", "bigint")]' in content(folder)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--delta-drift"],
            "--delta-adopt writes models, and --delta-drift is a different run; run one after the other",
        ),
        (["--delta-import=dev.silver"], "--delta-import writes models, and --delta-adopt is a different run; *"),
        (["-n", "2"], "--delta-adopt writes files in one process; leave out -n, or give -n 0"),
        (["--delta-report=report.html"], "--delta-adopt checks no table, so --delta-report has nothing to show; *"),
        (["--delta-allow=drop-column dev.silver.orders.note"], "--delta-allow has no effect without --delta-drift *"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_other_modes_are_refused(folder, options, message):
    result = folder.run(WRITE, *options)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}"])
    assert content(folder) == MODELS


@pytest.mark.parametrize("value", ["both", ""])
def test_the_option_has_two_values(folder, value):
    result = folder.run(f"--delta-adopt={value}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--delta-adopt*diff*write*"])


def test_no_file_can_choose_the_mode(folder):
    with (folder.path / "pyproject.toml").open("a") as file:
        file.write('adopt = "write"\n')

    assert folder.run().ret == pytest.ExitCode.USAGE_ERROR


def test_a_check_that_only_this_mode_has_is_named(folder):
    result = folder.run("models.py::dev.silver.orders::adopt")

    result.stderr.fnmatch_lines(["*the check adopt exists with --delta-adopt only; give that, too"])


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


@pytest.mark.parametrize("is_before", [True, False], ids=["before", "after"])
def test_a_killed_import_leaves_whole_files_and_can_be_run_again(project, is_before):
    (project.path / "tox.ini").unlink()
    project.settings()
    project.catalog(CATALOG)
    project.extend_conftest(KILLED.format(is_before=is_before))

    killed = project.run("--delta-import=dev.silver", subprocess=True)
    project.catalog(CATALOG)
    modules = list(project.path.glob("contracts/*.py"))

    assert killed.ret == -signal.SIGKILL
    assert [ast.get_docstring(ast.parse(path.read_text("utf-8"))) for path in modules] == (
        [] if is_before else ["Tables of dev.silver."]
    )
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
