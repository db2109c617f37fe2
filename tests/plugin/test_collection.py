"""Which tables become items, where, and under which names."""

from __future__ import annotations

import re

import pytest

from support.plugin_project import HEAD, ORDERS
from support.snapshots import TextSnapshot

OTHER = "other = table('dev.silver.other', Column('id', LongType()))\n"


def collected(result):
    return [line for line in result.outlines if "::" in line]


def checks(*tables):
    """Return the items that tables become without a mode."""
    return [f"{table}::{check}" for table in tables for check in ("rules", "ddl")]


@pytest.fixture
def shop_files(project):
    """Write test files next to a module ``shop`` that declares a table, which is not of the models."""

    def write(files):
        project.settings()
        project.models(ORDERS, "shop")
        project.pytester.makepyfile(
            **{name: f"{HEAD.rstrip()}\nimport pytest, shop\n{text}" for name, text in files.items()}
        )
        return project

    return write


SELECTIONS = [
    # the arguments, and the checks of the two tables
    ([], {"orders": ["rules", "ddl"], "others": ["rules", "ddl"]}),
    (["--delta-apply", "-k", "another"], {"others": ["rules", "ddl", "apply"]}),
    (["-m", "delta_rules"], {"orders": ["rules"], "others": ["rules"]}),
]


def test_a_table_becomes_checks_that_variables_and_marks_select(project):
    project.models(f"{ORDERS}\nanother = table('dev.silver.others', Column('id', LongType()))\n")

    for args, expected in SELECTIONS:
        result = project.run("--collect-only", "-q", *args)

        found: dict[str, list[str]] = {}
        for line in collected(result):
            _, table, check = line.split("::")
            found.setdefault(table.rpartition(".")[2], []).append(check)
        assert found == expected, args
        assert result.ret == 0


def test_doctests_of_a_module_do_not_hide_its_tables(project):
    (project.path / "models.py").write_text(f'"""Orders.\n\n>>> 1 + 1\n2\n"""\n{HEAD}{ORDERS}')

    result = project.run("--doctest-modules", "--collect-only", "-q")

    assert sorted(collected(result)) == [*sorted(checks("models.py::dev.silver.orders")), "models.py::models"]


def test_a_module_holds_contracts(project):
    names = ("test_list", "table_test", "listed", "matched", "given")
    project.settings('models = ["listed"]')
    for name in names:
        project.models(f"orders = table('dev.silver.{name}', Column('id', LongType()))\n", name)
    for name, value in (("test_list", "[orders]"), ("table_test", "orders")):
        with (project.path / f"{name}.py").open("a") as file:
            file.write(f"\ndelta_tables = {value}\n")
    collecting = ("--collect-only", "-q", "-W", "error")

    result = project.run(*collecting)
    matched = project.run(*collecting, "-o", "python_files=matched.py")
    given = project.run(*collecting, "given.py")

    expected = [f"{name}.py::dev.silver.{name}" for name in names]
    assert sorted(collected(result)) == sorted(checks(*expected[:3]))
    assert sorted(collected(matched)) == sorted(checks(*expected[2:4]))
    assert collected(given) == checks(expected[4])


def test_tables_are_collected_once_where_they_are_declared(project):
    project.ini("testpaths = .", "python_files = models.py test_*.py")
    project.pytester.makepyfile(
        factory="""
        from pyspark.sql.types import LongType
        from pytest_delta_schema import Column, Table
        def make(name):
            return Table("dev", "silver", name, [Column("id", LongType())])
        """,
        test_user="from models import orders\nalias = orders\ndef test_it(): pass\n",
    )
    project.models(ORDERS.replace("orders", "elsewhere"), "other")
    project.models(
        ORDERS
        + """
from factory import make
from other import elsewhere
from pytest_delta_schema import ForeignKey
alias = orders
first, second = [make(name) for name in ("a", "b")]
by_name = {name: make(name) for name in ("c", "d")}
nested = [make("e"), {"f": (make("f"), elsewhere, 7)}]
nested.append(nested)
again = by_name["c"]
class Silver:
    listed = make("g")
delta_tables = [Silver.listed]
child = table("dev.silver.child", Column("id", LongType()), foreign_keys=[
    ForeignKey(["id"], table("dev.silver.parents", Column("id", LongType()), primary_key=["id"])),
])
""",
    )

    items = collected(project.run("--collect-only", "-q"))

    names = ["orders", *"abcdefg", "child"]
    assert sorted(items) == sorted(
        [*checks(*(f"models.py::dev.silver.{name}" for name in names)), "test_user.py::test_it"]
    )


ADOPTED = [
    "shop.orders",
    "[shop.orders, shop.orders]",
    "(shop.orders,)",
    "{'a': shop.orders}",
    "{'a': [shop.orders, [shop.orders]]}",
]
UNRELATED = ["@pytest.fixture\ndef delta_tables(): return 7\n", "import delta_tables\n"]


def test_adopted_tables_are_a_table_a_list_or_a_dictionary(shop_files):
    files = {f"test_{number}": f"delta_tables = {value}\n" for number, value in enumerate(ADOPTED)}
    others = {f"test_other_{number}": f"{text}def test_it(): pass\n" for number, text in enumerate(UNRELATED)}
    project = shop_files({"delta_tables": "", **files, **others})
    for name in files:
        path = project.path / f"{name}.py"
        path.write_text(path.read_text().replace("shop", f"shop_{name}"))
        project.models(ORDERS.replace('"orders"', f'"{name}"'), f"shop_{name}")

    items = collected(project.run("--collect-only", "-q"))

    tables = [f"{name}.py::dev.silver.{name}" for name in files]
    assert sorted(items) == sorted([*checks(*tables), *(f"{name}.py::test_it" for name in others)])


MISSPELT = [
    *("delta_table", "delta_tabels", "delta_models", "delta_model", "DELTA_TABLES", "Delta_Tables", "delta_schemas"),
]


def test_a_misspelt_list_and_a_list_of_something_else_are_errors(shop_files):
    files = {f"test_{number}": f"{name} = [shop.orders]\n" for number, name in enumerate(MISSPELT)}
    project = shop_files({**files, "test_text": "delta_tables = ['orders']\n"})

    result = project.run()

    result.assert_outcomes(errors=len(MISSPELT) + 1)
    fact = "holds tables, which are not collected from a variable of this name; did you mean delta_tables[?]"
    result.stdout.fnmatch_lines_random(
        [
            *(f"*{name} {fact}" for name in MISSPELT),
            "*delta_tables holds 'orders', not a Table; write a table, or a list or a dictionary of tables",
        ],
    )
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_one_name_declared_twice_names_both_places(project):
    project.models(f'{ORDERS}again = table("DEV.silver.orders", Column("id", LongType()))\n')

    result = project.run()

    result.stdout.fnmatch_lines(["*dev.silver.orders is declared twice, at models.py:8 and models.py:19; keep one*"])
    assert result.ret != 0


MAKE = "def make(name):\n    return table(f'dev.silver.{name}', Column('id', LongType()))\n"
FAULTS = {
    # modules that cannot be collected
    "unknown": "import no_such_thing\n",
    "argument": 'orders = table("dev.silver.orders", Column("id", LongType(), nullable=False))\n',
    "evolution": 'open = table("dev.silver.t", Column("id", LongType()), evolution="open")\n',
    "syntax": "orders = table(\n",
    "ending": "import sys\nsys.exit('no settings')\n",
    "parsing": "import argparse\n\nargparse.ArgumentParser('shop').parse_args(['--env'])\n",
    "empty": "del table\n",
    "function": "del table\nfrom os.path import join\ndef make(name): return Table('dev', 'silver', name, [])\n",
    "importing": "from shop import orders\n",
    "classes": MAKE
    + "class Silver:\n    first = make('a')\n    class Inner:\n        second = make('b')\n    third = make('c')\n",
    "attribute": MAKE + "class Silver:\n    first = make('a')\n",
    "loop": MAKE + "for name in ('a', 'b', 'c'):\n    last = make(name)\n",
    "variable": MAKE + "make('a')\nfirst = make('b')\n",
    "iterator": MAKE + "made = iter([make('a')])\n",
}


def test_a_module_that_cannot_be_collected_is_shown_with_its_lines_and_nothing_of_this_package(project, snapshot):
    project.settings(f"models = {[*FAULTS]}")
    project.models(ORDERS, "shop")
    for name, text in FAULTS.items():
        project.models(text, name)

    result = project.run()

    shown = []
    lines = iter(result.outlines)
    for line in lines:
        if title := re.fullmatch(r"_+ ERROR collecting (\w+)\.py _+", line):
            shown.append(f"==== {title[1]}")
        elif "short test summary" in line:
            break
        elif shown and line.strip(" ^~") and not line.startswith(("---", "usage:", "shop:")):
            shown.append(line.replace(str(project.path), "PROJECT"))
    assert "\n".join([*shown, ""]) == snapshot(extension_class=TextSnapshot)
    assert "INTERNALERROR" not in result.stdout.str()
    assert result.ret == pytest.ExitCode.INTERRUPTED


UNREAD_FILES = [
    # the last lines of a test file, the variable, its tables, and the list to write
    ("tables = [shop.orders]\n", "tables", "dev.silver.orders", "tables"),
    ("model = table('dev.silver.a')\n", "model", "dev.silver.a", "[model]"),
    ("models = {'all': [shop.orders, (shop.orders,)]}\n", "models", "dev.silver.orders", "models"),
    ("TABLES = []\nTABLES.append(shop.orders)\n", "TABLES", "dev.silver.orders", "TABLES"),
    (
        "class Silver:\n    a = table('dev.silver.a')\n    b = table('dev.silver.b')\n",
        "Silver",
        "dev.silver.a, dev.silver.b",
        "[Silver.a, Silver.b]",
    ),
    (
        "orders = table('dev.silver.x'); other = table('dev.silver.y'); delta_tables = [other]\n",
        "orders",
        "dev.silver.x",
        "[orders]",
    ),
]


def test_tables_of_a_test_file_that_nothing_reads_are_reported_where_they_are_assigned(shop_files):
    files = {f"test_{number}": f"{text}\ndef test_it(): pass\n" for number, (text, *_) in enumerate(UNREAD_FILES)}
    project = shop_files(files)
    project.ini("filterwarnings = default")

    result = project.run("-k", "test_it")

    messages = [
        f"{variable} holds tables that are not checked, and nothing reads it: {tables}; write delta_tables = {listed} to"
        " check them, or declare them in a module of the setting models"
        for _, variable, tables, listed in UNREAD_FILES
    ]
    result.assert_outcomes(passed=len(files), warnings=len(files), deselected=2)
    assert [line.partition("Warning: ")[::2] for line in result.outlines if "PytestCollectionWarning" in line] == [
        (f"  {project.path}/test_{number}.py:7: PytestCollection", message) for number, message in enumerate(messages)
    ]


def test_a_list_in_a_conftest_file_is_reported(shop_files):
    project = shop_files({"test_it": "def test_it(): pass\n"})
    project.ini("filterwarnings = default")
    project.pytester.makeconftest("from shop import orders\ndelta_tables = [orders]\n")

    result = project.run()

    fact = "delta_tables is read in test files, and not in a conftest file; move it to a test file"
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines([f"*conftest.py:2: PytestCollectionWarning: {fact}"])


LEFT_ALONE = [
    "tables = [shop.orders]\n@pytest.mark.parametrize('model', tables)\ndef test_more(model): pass\n",
    "tables = [shop.orders]\n__all__ = ['tables']\n",
    "tables = [shop.orders]\ndelta_tables = tables\n",
    "from test_user import tables\n",
    "class Silver:\n    orders = shop.orders\ndef test_more(): assert Silver\n",
    "import models\ntables = [models.other]\n",
]


def test_tables_for_the_assertions_of_a_test_file_are_left_alone(shop_files):
    files = {f"test_{number}": f"{text}\ndef test_it(): pass\n" for number, text in enumerate(LEFT_ALONE)}
    project = shop_files({"test_user": "tables = [shop.orders]\ndef test_user(): assert tables\n", **files})
    project.models(OTHER)
    project.settings('models = ["models"]')
    project.ini("filterwarnings = default")

    result = project.run("-k", "test_", "-m", "not delta")

    assert result.parseoutcomes().get("warnings", 0) == 0
    assert result.ret == 0


PACKAGE = {
    "__init__": "from shop.silver.orders import orders\n",
    "jobs": "RATE = 7\n",
    "test_jobs": "raise RuntimeError\n",
    "__main__": "raise RuntimeError\n",
    "silver/__init__": "",
    "silver/orders": HEAD + ORDERS,
    "gold/sales": HEAD + "sales = table('dev.gold.sales', Column('id', LongType()))\n",
}


@pytest.fixture
def package(project):
    """Let the setting name a package, which pytest itself does not look at."""
    project.ini("testpaths = none")
    project.settings('models = ["shop"]')
    (project.path / "none").mkdir()

    def write(modules):
        for name, text in modules.items():
            path = project.path / "shop" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return project

    return write


@pytest.mark.parametrize("without", [(), ("__init__", "silver/__init__")])
def test_a_package_names_all_modules_inside_it(package, without):
    project = package({name: text for name, text in PACKAGE.items() if name not in without})

    assert collected(project.run("--collect-only", "-q")) == checks(
        "shop/gold/sales.py::dev.gold.sales", "shop/silver/orders.py::dev.silver.orders"
    )


def test_a_module_in_a_package_is_imported_once_under_its_own_name(project):
    project.ini("testpaths = tests")
    project.settings('models = ["shop.models"]')
    project.pytester.mkpydir("shop")
    project.models(ORDERS)
    (project.path / "models.py").rename(project.path / "shop" / "models.py")
    (project.path / "tests").mkdir()
    (project.path / "tests" / "test_x.py").write_text(
        "import sys\ndef test_once(): assert [n for n in sys.modules if n in ('models', 'shop.models')] == ['shop.models']\n",
    )

    project.run("--snapshot-update", subprocess=True).assert_outcomes(passed=3)


ODD = [
    *("back`tick", "dot.ted", "quo'te", 'dou"ble', "${x}", "new\nline", "emoji 😀", "br[ack]et", "col::ons", "sla/sh"),
    *("back\\slash", "per%cent", "per%25cent", "x" * 250, "y" * 250),
]


def test_odd_names_stay_selectable_and_keep_their_snapshots_apart(project):
    project.models(
        "".join(f"t{i} = Table('dev', 'silver', {n!r}, [Column('a', LongType())])\n" for i, n in enumerate(ODD)),
    )

    project.run("-m", "delta_ddl", "--snapshot-update").assert_outcomes(passed=len(ODD))

    assert len(project.snapshots()) == 2 * len(ODD)
    items = [line for line in collected(project.run("--collect-only", "-q")) if line.endswith("ddl")]
    assert len(set(items)) == len(ODD)
    project.run(*items).assert_outcomes(passed=len(ODD))


TESTS = """
import pytest

def test_sum(): pass

@pytest.mark.parametrize("value", ["a", "b::c"])
def test_value(value): pass

class TestGroup:
    def test_one(self): pass
    def test_two(self): pass
"""
TEST_NAMES = ["test_sum", "test_value[a]", "test_value[b::c]", "test_one", "test_two"]
ONE_LINE = (
    "5 other tests did not run, because --delta-{} on the command line runs contracts only; to run all tests: pytest"
)


@pytest.fixture
def shop(project):
    project.ini("markers = slow")
    project.settings('models = ["models"]', 'backend = "memory"')
    project.models(ORDERS)
    project.pytester.makepyfile(test_shop=TESTS)
    project.accept()
    return project


def ran(result):
    """Return the tests that passed, other than checks."""
    lines = [line for line in result.outlines if "PASSED" in line]
    return {name for name in TEST_NAMES if any(f"::{name}" in line for line in lines)}


def test_a_mode_on_the_command_line_runs_contracts_only(shop):
    result = shop.run("--delta-enforce", "-v")
    assert ran(result) == set()
    assert [line for line in result.outlines if "other test" in line] == [ONE_LINE.format("enforce")]
    assert "1 snapshot unused" not in result.stdout.str()
    result = shop.run("--delta-drift", "--collect-only", "-q")
    assert [line.rpartition("::")[2] for line in collected(result)] == ["rules", "ddl", "drift"]
    result.stdout.fnmatch_lines(["3/8 tests collected (5 deselected)*"])


def test_a_mode_in_addopts_runs_all_tests(shop):
    shop.ini("addopts = --delta-apply", "markers = slow")
    shop.run().assert_outcomes(passed=8)


CHOSEN = [
    (["test_shop.py::test_sum", "test_shop.py::test_value[b::c]"], {"test_sum", "test_value[b::c]"}),
    (["./../{folder}/test_shop.py::test_sum", "test_shop.py::TestGroup::test_two", "."], {"test_sum", "test_two"}),
]


def test_a_node_id_chooses_a_test_next_to_contracts(shop):
    for chosen, expected in CHOSEN:
        result = shop.run("--delta-apply", "-v", "models.py", *(text.format(folder=shop.path.name) for text in chosen))

        assert ran(result) == expected, chosen
        assert sum("models.py::dev.silver.orders::" in line for line in result.outlines if "PASSED" in line) == 3
        assert result.ret == 0


def test_snapshots_of_other_tests_stay(shop):
    shop.pytester.makepyfile(test_shop="def test_sum(snapshot): assert 1 == snapshot")
    shop.run("--snapshot-update")

    gate = shop.run("--delta-apply")
    update = shop.run("--delta-apply", "--snapshot-update")

    assert "unused" not in gate.stdout.str() + update.stdout.str()
    shop.run("test_shop.py").assert_outcomes(passed=1)


EXPRESSIONS = {
    "delta and not (delta_ddl or delta_rules)": "1 test collected in *",
    "delta_drift and not slow": "1/3 tests collected (2 deselected) in *",
}


def test_checks_that_no_expression_of_marks_can_select_are_not_made(project):
    project.models(ORDERS)

    for expression, line in EXPRESSIONS.items():
        result = project.run("--delta-drift", "-m", expression, "--collect-only", "-q")

        result.stdout.fnmatch_lines([line])
