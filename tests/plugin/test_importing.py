"""``pytest --delta-import``: what it writes and shows, and what it leaves as it is; see ``engine/test_model_writing.py``."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.plugin.adoption import import_targets
from pytest_delta_schema.plugin.options import import_requests
from support.snapshots import TextSnapshot

DDL = """
from pyspark.sql.types import LongType, StringType
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
IMPORT = "--delta-import=dev.silver"


@pytest.fixture
def folder(project):
    """A folder without models, and a catalog with two tables."""
    (project.path / "tox.ini").unlink()
    project.settings()
    holds(project, "applied(CUSTOMERS, ORDERS)")
    return project


def content(folder, path):
    return (folder.path / path).read_text("utf-8")


def holds(folder, catalog):
    folder.catalog(catalog)
    conftest = folder.path / "conftest.py"
    head, fixture = conftest.read_text("utf-8").split("@pytest.fixture", 1)
    conftest.write_text(f"{head}{DDL}\n@pytest.fixture{fixture}", "utf-8")


def test_a_schema_becomes_a_module_under_contract(folder, snapshot):
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
    written = content(folder, "contracts/silver.py") + content(folder, "pyproject.toml")
    assert written == snapshot(extension_class=TextSnapshot)
    assert "x7secret" not in result.stdout.str()
    assert folder.snapshots() == [
        f"contracts/__snapshots__/silver/dev.silver.{table}.{kind}"
        for table in ("customers", "orders")
        for kind in ("ddl.sql", "state.json")
    ]
    folder.run("--delta-drift").assert_outcomes(passed=6)
    again = folder.run(IMPORT, "-rs")
    again.assert_outcomes(skipped=2)
    again.stdout.fnmatch_lines(
        [
            "  declared    2 tables already, in contracts/silver.py",
            "SKIPPED * pyproject.toml:1: declared already, at contracts/silver.py:7",
        ]
    )


def test_options_and_the_style_of_the_project_apply_and_the_next_commands_use_the_same_catalog(folder):
    folder.settings('bind = { "shop.core" = "dev.silver" }')
    (folder.path / "ruff.toml").write_text("line-length = 88\n[format]\nquote-style = 'single'\n", "utf-8")
    chosen = ["--delta-set=scratch_catalog=a b", "--delta-backend=memory", "--delta-warehouse=a b"]
    options = " '--delta-set=scratch_catalog=a b' --delta-backend=memory '--delta-warehouse=a b'"

    result = folder.run(f"{IMPORT}.ord*", "--delta-import-owns=columns,types", *chosen)

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            '  to do       add "contracts.core" to models in [[]tool.pytest_delta_schema] of pyproject.toml',
            f"next: pytest, then pytest --delta-drift{options}; then commit contracts and *",
        ]
    )
    text = content(folder, "contracts/core.py")
    assert "    'shop',\n    'core',\n    'orders'" in text
    assert "    owns={\n        'defaults': 'ignore'," in text


def test_a_second_import_adds_what_is_missing_and_lists_what_differs(folder):
    folder.run("--delta-import=dev.silver.cust*")
    module = folder.path / "contracts" / "silver.py"
    module.write_text(module.read_text("utf-8").replace('"crm"', '"sales"'), "utf-8")

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


def test_tables_that_cannot_be_imported_fail_alone_and_a_catalog_that_cannot_be_read_is_an_error(folder):
    holds(folder, 'MemoryCatalog([stored("dev.silver.a", ID), stored("dev.silver.b", OLD, primary_key=KEY), C])')
    folder.extend_conftest(
        '\nfrom pytest_delta_schema.state import KeyState\nKEY = KeyState("pk", ("id",))\n'
        'C = stored("dev.silver.c", ID, table_comment="ghp_0123456789abcdefghijABCDEFGHIJ012345")\n'
    )

    secret = folder.run(f"{IMPORT}.c")
    result = folder.run(f"{IMPORT}.[ab]")
    holds(folder, '(_ for _ in ()).throw(OSError("no route"))')
    unread = folder.run(IMPORT)

    secret.assert_outcomes(failed=1)
    secret.stdout.fnmatch_lines(
        ["import: 0 tables written and proven, 1 failed", "  failed      dev.silver.c was not written, *"]
    )
    secret.stdout.no_fnmatch_line("next: *")
    assert "ghp_" not in secret.stdout.str()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "dev.silver.b: its model breaks a rule",
            "dev.silver.b: primary key column id is nullable in the model; *",
            "import: 1 table written and proven, 1 failed",
            "  failed      dev.silver.b its model breaks a rule",
        ]
    )
    unread.assert_outcomes(errors=1)
    unread.stdout.fnmatch_lines(["*no route*"])


REFUSED = [
    # the arguments, and what is wrong
    (
        ["--delta-import=dev.silvr", "--delta-import=dev.silver.oders", "--delta-import=dev.silver.x"],
        [
            "--delta-import=dev.silvr: the schema dev.silvr does not exist, or holds no table; check its name",
            "--delta-import=dev.silver.oders: no table of dev.silver has this name; did you mean dev.silver.orders?",
            "--delta-import=dev.silver.x: no table of dev.silver has this name; its tables are customers, orders",
        ],
    ),
    (["-n", "2", IMPORT], ["--delta-import writes files in one process; leave out -n, or give -n 0"]),
    ([f"{IMPORT}=broken.py"], ["broken.py cannot be imported: SyntaxError: '(' was never closed (broken.py, line 1); correct it first"]),
]  # fmt: skip


def test_a_request_that_cannot_be_met_writes_nothing(folder):
    (folder.path / "broken.py").write_text("x = (", "utf-8")
    for options, faults in REFUSED:
        result = folder.run(*options)

        assert result.ret == pytest.ExitCode.USAGE_ERROR, options
        assert result.stderr.str().removeprefix("ERROR: ").strip().splitlines() == faults
        assert not (folder.path / "contracts").exists()
    assert content(folder, "broken.py") == "x = ("


def test_a_node_id_a_mark_or_a_word_select_tables_and_collecting_writes_nothing(folder):
    collected = folder.run(IMPORT, "--collect-only", "-q")

    node_ids = [f"pyproject.toml::dev.silver.{table}::import" for table in ("customers", "orders")]
    collected.stdout.fnmatch_lines(node_ids)
    assert not (folder.path / "contracts").exists()
    folder.run(f"{IMPORT}=a.py", node_ids[0]).assert_outcomes(passed=1)
    folder.run(f"{IMPORT}=b.py", "-m", "delta_import", "-k", "orders").assert_outcomes(passed=1, deselected=1)
    tables = [
        [name for name in ("customers", "orders") if f"{name} = Table(" in content(folder, file)]
        for file in ("a.py", "b.py")
    ]
    assert tables == [["customers"], ["orders"]]


TARGETS = [
    # the requests, the tables, and their files
    (["dev.silver"], "ab", {"a": "contracts/silver.py", "b": "contracts/silver.py"}),
    (["dev.silver=models/all.py"], "ab", {"a": "models/all.py", "b": "models/all.py"}),
    (["dev.silver=models"], "ab", {"a": "models/silver/a.py", "b": "models/silver/b.py"}),
    (["dev.silver.a=one.py", "dev.silver.b=two.py"], "ab", {"a": "one.py", "b": "two.py"}),
    (
        ["dev.silver=x"],
        ["orders", "a b", "a-b", "2024", "class", "test_x", "conftest"],
        {
            "orders": "x/silver/orders.py",
            "a b": "x/silver/a_b.py",
            "a-b": "x/silver/a_b_2.py",
            "2024": "x/silver/t_2024.py",
            "class": "x/silver/t_class.py",
            "test_x": "x/silver/t_test_x.py",
            "conftest": "x/silver/t_conftest.py",
        },
    ),
]


def targets_of(requests, tables):
    names = [QualifiedName("dev", "silver", table) for table in tables]
    chosen = {request: request.matching(names) for request in import_requests(requests)}
    targets, faults = import_targets(chosen, {name: name for name in names}, Path("/project"))
    return {name.table: path.relative_to("/project").as_posix() for name, path in targets.items()}, faults


def test_which_file_each_table_is_written_to():
    assert [(*case, targets_of(*case)) for *case, _ in TARGETS] == [(*case, (files, [])) for *case, files in TARGETS]
    many = targets_of(["dev.silver"], [f"t{number}" for number in range(40)])[0]
    assert [*many.values()] == [f"contracts/silver/t{number}.py" for number in range(40)]


def test_a_table_is_written_once_and_a_file_holds_one_schema():
    assert targets_of(["dev.silver=a.py", "dev.silver.a=b.py"], "a")[1] == [
        "dev.silver.a would be written to /project/a.py and to /project/b.py; ask for it once"
    ]
    names = [QualifiedName("dev", schema, "a") for schema in ("gold", "silver")]
    gold, silver = import_requests(["dev.gold=a.py", "dev.silver=a.py"])
    _, faults = import_targets({gold: names[:1], silver: names[1:]}, {name: name for name in names}, Path("/project"))
    assert faults == [
        (
            "/project/a.py would hold tables of dev.gold and of dev.silver; give each schema its own file or folder:"
            " --delta-import=dev.silver=contracts/dev_silver.py"
        )
    ]
