"""Which tables become items, where, and under which names."""

from __future__ import annotations

import re

import pytest

from support.plugin_project import HEAD, ORDERS


def collected(result):
    return [line for line in result.outlines if "::" in line]


def test_a_declared_table_becomes_items(project):
    project.models(ORDERS)

    result = project.run("--collect-only", "-q")

    assert collected(result) == ["models.py::dev.silver.orders::rules", "models.py::dev.silver.orders::ddl"]
    assert result.ret == 0


@pytest.mark.parametrize("ini", [[], ["python_files = *.py"]])
def test_doctests_of_a_module_do_not_hide_its_tables(project, ini):
    project.ini(*ini)
    (project.path / "models.py").write_text(f'"""Orders.\n\n>>> 1 + 1\n2\n"""\n{HEAD}{ORDERS}')

    result = project.run("--doctest-modules", "--collect-only", "-q")

    assert sorted(collected(result)) == [
        "models.py::dev.silver.orders::ddl",
        "models.py::dev.silver.orders::rules",
        "models.py::models",
    ]


@pytest.mark.parametrize(("option", "last"), [("--delta-drift", "drift"), ("--delta-apply", "apply")])
def test_a_check_of_the_catalog_exists_with_its_option_only(project, option, last):
    project.models(ORDERS)

    result = project.run("--collect-only", "-q", option)

    assert [line.rpartition("::")[2] for line in collected(result)] == ["rules", "ddl", last]


@pytest.mark.parametrize(
    ("file", "text", "settings", "args"),
    [
        ("test_orders", "delta_tables = [orders]\n", [], []),
        ("orders_test", "delta_tables = orders\n", [], []),
        ("test_orders", "", ['models = ["test_orders"]'], []),
        ("contracts", "", [], ["-o", "python_files=contracts.py"]),
        ("contracts", "", [], ["contracts.py"]),
    ],
    ids=["test file", "test file by its end", "setting models", "python_files", "argument"],
)
def test_a_module_holds_contracts(project, file, text, settings, args):
    project.settings(*settings)
    project.models(ORDERS + text, file)

    result = project.run("--collect-only", "-q", "-W", "error", *args)

    assert collected(result) == [f"{file}.py::dev.silver.orders::{check}" for check in ("rules", "ddl")]
    assert result.ret == 0


@pytest.mark.parametrize(
    "text",
    [
        "def test_it(): assert orders\n",
        "cases = [orders]\ndef test_it(): assert cases\n",
        "twice = table('dev.silver.orders', Column('id', LongType()))\ndef test_it(): assert twice != orders\n",
    ],
    ids=["a table", "a list", "two models of one table"],
)
@pytest.mark.parametrize("file", ["test_orders", "orders_test"])
def test_tables_that_the_tests_of_a_file_read_are_no_contracts(project, file, text):
    project.settings()
    project.models(ORDERS + text, file)

    result = project.run("--collect-only", "-q", "-W", "error")

    assert collected(result) == [f"{file}.py::test_it"]
    assert result.ret == 0


def test_only_the_tables_of_the_list_are_contracts_of_a_test_file(project):
    project.ini("filterwarnings = default")
    project.settings()
    project.models(f"{ORDERS}other = table('dev.silver.other')\ndelta_tables = [other]\n", "test_orders")

    assert collected(project.run("--collect-only", "-q")) == [
        f"test_orders.py::dev.silver.other::{check}" for check in ("rules", "ddl")
    ]
    project.run("--collect-only").stdout.fnmatch_lines(
        [
            f"*test_orders.py:8: PytestCollectionWarning: orders {UNREAD}dev.silver.orders; {REMEDY.format('[[]orders]')}"
        ],
    )


def test_tables_are_collected_where_they_are_declared(project):
    project.models(ORDERS)
    project.pytester.makepyfile(test_user="from models import orders\nalias = orders\ndef test_it(): pass\n")

    assert collected(project.run("--collect-only", "-q")) == [
        "models.py::dev.silver.orders::rules",
        "models.py::dev.silver.orders::ddl",
        "test_user.py::test_it",
    ]


def test_a_second_name_of_one_table_is_no_second_table(project):
    project.models(f"{ORDERS}\nalias = orders\n")

    assert len(collected(project.run("--collect-only", "-q"))) == 2


def test_factories_in_other_files_and_comprehensions_belong_to_the_module_that_calls_them(project):
    project.pytester.makepyfile(
        factory="""
        from pyspark.sql.types import LongType
        from pytest_delta_schema import Column, Table
        def make(name):
            return Table("dev", "silver", name, [Column("id", LongType())])
        """,
    )
    project.models("from factory import make\nfirst, second = [make(name) for name in ('a', 'b')]\n")

    assert [line.split("::")[1] for line in collected(project.run("--collect-only", "-q"))] == [
        "dev.silver.a",
        "dev.silver.a",
        "dev.silver.b",
        "dev.silver.b",
    ]


def test_a_list_adopts_tables_from_elsewhere(project):
    project.settings()
    project.models(ORDERS, "shop")
    project.pytester.makepyfile(test_contracts="from shop import orders\ndelta_tables = [orders, orders]\n")

    assert collected(project.run("--collect-only", "-q")) == [
        "test_contracts.py::dev.silver.orders::rules",
        "test_contracts.py::dev.silver.orders::ddl",
    ]


def test_a_list_of_something_else_is_an_error(project):
    project.settings()
    project.pytester.makepyfile(test_contracts="import pytest_delta_schema.models.table\ndelta_tables = ['orders']\n")

    result = project.run()

    result.stdout.fnmatch_lines(
        ["*delta_tables holds 'orders', not a Table; write a table, or a list or a dictionary of tables"],
    )
    assert result.ret == pytest.ExitCode.INTERRUPTED


@pytest.mark.parametrize("second", ["models", "other"])
def test_one_name_declared_twice_names_both_places(project, second):
    project.settings('models = ["models", "other"]')
    again = 'again = table("DEV.silver.orders", Column("id", LongType()))\n'
    project.models(ORDERS + (again if second == "models" else ""))
    project.models(again if second == "other" else "", "other")

    result = project.run()

    location = "models.py:19" if second == "models" else "other.py:7"
    result.stdout.fnmatch_lines([f"*dev.silver.orders is declared twice, at models.py:8 and {location}; keep one*"])
    assert result.ret != 0


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "import no_such_thing\n",
            [
                "models.py:7: in <module>",
                "    import no_such_thing",
                "E   ModuleNotFoundError: No module named 'no_such_thing'",
            ],
        ),
        (
            'orders = table("dev.silver.orders", Column("id", LongType(), nullable=False))\n',
            [
                "models.py:7: in <module>",
                '    orders = table("dev.silver.orders", Column("id", LongType(), nullable=False))',
                (
                    "E   pytest_delta_schema.diagnostics.errors.WrongArgumentsError: Column has no argument nullable;"
                    " write is_nullable instead of nullable"
                ),
            ],
        ),
        (
            "orders = table(\n",
            ['  File "*models.py", line 7', "    orders = table(", "SyntaxError: '(' was never closed"],
        ),
    ],
)
def test_a_module_that_raises_is_shown_with_its_line_and_nothing_of_this_package(project, text, lines):
    project.models(text)

    result = project.run()

    start = next(index for index, line in enumerate(result.outlines) if "ERROR collecting models.py" in line)
    end = next(index for index, line in enumerate(result.outlines) if "short test summary" in line)
    assert len(result.outlines[start + 1 : end]) <= 5
    result.stdout.fnmatch_lines([line.replace("[", "[[]") for line in lines])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "import sys\nsys.exit('no settings')\n",
            "models.py:2: models ends Python when it is imported, by SystemExit: no",
        ),
        (
            "import argparse\n\nargparse.ArgumentParser().parse_args(['--env'])\n",
            "models.py:3: models ends Python when it is imported, by SystemExit: 2; call what ends it from a script",
        ),
    ],
)
def test_a_module_that_ends_python_is_an_error_with_its_line(project, text, reason):
    project.pytester.makepyfile(models=text, test_it="def test_it(): pass\n")

    result = project.run()

    result.stdout.fnmatch_lines([f"models: {reason}*"])
    assert "INTERNALERROR" not in result.stdout.str()
    assert result.ret in {pytest.ExitCode.INTERRUPTED, pytest.ExitCode.TESTS_FAILED}


@pytest.mark.parametrize(
    "value",
    ["orders", "[orders]", "(orders,)", "{'first': orders}", "{'all': [orders, [orders]]}"],
)
def test_adopted_tables_are_a_table_a_list_or_a_dictionary(project, value):
    project.settings()
    project.models(ORDERS, "shop")
    project.pytester.makepyfile(test_contracts=f"from shop import orders\ndelta_tables = {value}\n")

    assert collected(project.run("--collect-only", "-q")) == [
        "test_contracts.py::dev.silver.orders::rules",
        "test_contracts.py::dev.silver.orders::ddl",
    ]


@pytest.mark.parametrize("text", ["@pytest.fixture\ndef delta_tables(): return 7\n", "import delta_tables\n"])
def test_fixtures_and_modules_may_be_called_like_the_list(project, text):
    project.settings()
    project.pytester.makepyfile(delta_tables="", test_it=f"import pytest\n{text}{HEAD}def test_it(): pass\n")

    assert collected(project.run("--collect-only", "-q")) == ["test_it.py::test_it"]


@pytest.mark.parametrize(
    "name",
    ["delta_table", "delta_tabels", "delta_models", "delta_model", "DELTA_TABLES", "Delta_Tables", "delta_schemas"],
)
def test_a_misspelt_list_is_an_error_with_the_right_name(project, name):
    project.settings()
    project.models(ORDERS, "shop")
    project.pytester.makepyfile(test_contracts=f"from shop import orders\n{name} = [orders]\n")

    result = project.run()

    fact = f"*{name} holds tables, which are not collected from a variable of this name"
    result.stdout.fnmatch_lines([f"{fact}; did you mean delta_tables[?]"])
    assert result.ret == pytest.ExitCode.INTERRUPTED


REMEDY = "write delta_tables = {} to check them, or declare them in a module of the setting models"
UNREAD = "holds tables that are not checked, and nothing reads it: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "tables = [orders]\n",
            f"tables {UNREAD}dev.silver.orders; {REMEDY.format('tables')}",
        ),
        (
            "model = table('dev.silver.a')\n",
            f"model {UNREAD}dev.silver.a; {REMEDY.format('[[]model]')}",
        ),
        (
            "given = orders; models = (given,)\n",
            f"models {UNREAD}dev.silver.orders; {REMEDY.format('models')}",
        ),
        (
            "models = {'all': [orders, (orders,)]}\n",
            f"models {UNREAD}dev.silver.orders; write delta_tables = models *",
        ),
        ("TABLES = []\nTABLES.append(orders)\n", f"TABLES {UNREAD}dev.silver.orders; write delta_tables = TABLES *"),
        (
            "by_name = {}\nby_name['a'] = orders\n",
            f"by_name {UNREAD}dev.silver.orders; write delta_tables = by_name *",
        ),
        (
            "silver = [table('dev.silver.a'), table('dev.silver.b')]\n",
            f"silver {UNREAD}dev.silver.a, dev.silver.b; write delta_tables = silver *",
        ),
        (
            "class Silver:\n    a = table('dev.silver.a')\n    b = table('dev.silver.b')\n",
            f"Silver {UNREAD}dev.silver.a, dev.silver.b; write delta_tables = [[]Silver.a, Silver.b] to check them*",
        ),
    ],
)
def test_tables_of_a_test_file_that_nothing_reads_are_reported_where_they_are_assigned(project, text, message):
    project.ini("filterwarnings = default")
    project.settings()
    project.models(ORDERS, "shop")
    project.pytester.makepyfile(
        test_contracts=f"{HEAD.rstrip()}\nimport shop\n{text.replace('orders', 'shop.orders')}\ndef test_it(): pass\n",
    )

    result = project.run()

    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines([f"*test_contracts.py:7: PytestCollectionWarning: {message}"])


def test_a_warning_about_tables_that_nothing_reads_can_be_an_error(project):
    project.ini("filterwarnings = error")
    project.settings()
    project.models(ORDERS, "shop")
    project.pytester.makepyfile(test_contracts="import shop\ntables = [shop.orders]\n")

    result = project.run()

    result.stdout.fnmatch_lines(
        [f"test_contracts.py:2: tables {UNREAD}dev.silver.orders; write delta_tables = tables to *"],
    )
    assert result.ret == pytest.ExitCode.INTERRUPTED


@pytest.mark.parametrize("action", ["default", "error"])
def test_a_list_in_a_conftest_file_is_reported(project, action):
    project.ini(f"filterwarnings = {action}")
    project.settings()
    project.models(ORDERS, "shop")
    project.pytester.makeconftest("from shop import orders\ndelta_tables = [orders]\n")
    project.pytester.makepyfile(test_it="def test_it(): pass\n")

    result = project.run()

    fact = "delta_tables is read in test files, and not in a conftest file; move it to a test file"
    if action == "default":
        result.assert_outcomes(passed=1, warnings=1)
        result.stdout.fnmatch_lines([f"*conftest.py:2: PytestCollectionWarning: {fact}"])
    else:
        result.stderr.fnmatch_lines([f"ERROR: *conftest.py:2: {fact}"])
        assert result.ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize(
    "text",
    [
        "tables = [shop.orders]\n@pytest.mark.parametrize('model', tables)\ndef test_more(model): pass\n",
        "tables = [shop.orders]\ndef test_more(): assert tables\n",
        "tables = [shop.orders]\n__all__ = ['tables']\n",
        "tables = [shop.orders]\ndelta_tables = tables\n",
        "tables = [shop.orders, 'another']\n",
        "tables = []\n",
        "orders = shop.orders\n",
        "from test_user import tables\n",
        "class TestMore:\n    model = shop.orders\n    def test_more(self): pass\n",
        "class Silver:\n    orders = shop.orders\ndef test_more(): assert Silver\n",
    ],
)
def test_tables_for_the_assertions_of_a_test_file_are_left_alone(project, text):
    project.settings()
    project.models(ORDERS, "shop")
    project.pytester.makepyfile(
        test_user="import shop, pytest\ntables = [shop.orders]\ndef test_user(): assert tables\n",
        test_it=f"import shop, pytest\n{text}\ndef test_it(): pass\n",
    )

    result = project.run("--deselect", "test_it.py::dev.silver.orders")

    assert result.parseoutcomes().get("warnings", 0) == 0
    assert result.ret == 0


def test_a_list_of_tables_that_the_models_declare_is_left_alone(project):
    project.models(ORDERS)
    project.pytester.makepyfile(test_it="import models\ntables = [models.orders]\ndef test_it(): pass\n")

    assert project.run("--collect-only", "-q").parseoutcomes().get("warnings", 0) == 0


def test_modules_of_models_hold_tables_in_lists_and_dictionaries(project):
    project.models(ORDERS.replace("orders", "elsewhere"), "other")
    project.models(
        """
from other import elsewhere
def make(name):
    return table(f"dev.silver.{name}", Column("id", LongType()))
by_name = {name: make(name) for name in ("a", "b")}
nested = [make("c"), {"d": (make("d"), elsewhere, 7)}]
nested.append(nested)
first = by_name["a"]
""",
    )

    assert [line.split("::")[1] for line in collected(project.run("--collect-only", "-q")) if "ddl" in line] == [
        f"dev.silver.{name}" for name in "abcd"
    ]


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("del table\n", "name the module that declares the tables, or the package around it"),
        (
            "del table\nfrom os.path import join\ndef make(name): return Table('dev', 'silver', name, [])\n",
            (
                "name the module that declares the tables, or the package around it; a function declares nothing until it"
                " is called: delta_tables = [[]make(...)]"
            ),
        ),
        ("from other import orders\n", "it imports those of other: name that, or write delta_tables = [[]...]"),
    ],
)
def test_a_module_without_a_table_is_an_error(project, text, remedy):
    project.models(ORDERS, "other")
    project.models(text)

    result = project.run()

    result.stdout.fnmatch_lines([f"*models: models declares no table; {remedy}"])
    assert result.ret == pytest.ExitCode.INTERRUPTED


PACKAGE = {
    "__init__": "from shop.silver.orders import orders\n",
    "jobs": "RATE = 7\n",
    "test_jobs": "raise RuntimeError\n",
    "__main__": "raise RuntimeError\n",
    "silver/__init__": "",
    "silver/orders": HEAD + ORDERS,
    "gold/sales": HEAD + "sales = table('dev.gold.sales', Column('id', LongType()))\n",
}


def write_package(project, modules):
    for name, text in modules.items():
        path = project.path / "shop" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize("without", [(), ("__init__", "silver/__init__")])
def test_a_package_names_all_modules_inside_it(project, without):
    project.ini("testpaths = none")
    project.settings('models = ["shop"]')
    (project.path / "none").mkdir()
    write_package(project, {name: text for name, text in PACKAGE.items() if name not in without})

    assert collected(project.run("--collect-only", "-q")) == [
        f"shop/{module}.py::dev.{module.replace('/', '.')}::{check}"
        for module in ("gold/sales", "silver/orders")
        for check in ("rules", "ddl")
    ]
    project.run("--snapshot-update").assert_outcomes(passed=4)


def test_a_package_without_a_table_is_an_error(project):
    project.ini("testpaths = none")
    project.settings('models = ["shop"]')
    (project.path / "none").mkdir()
    write_package(
        project,
        {name: text for name, text in PACKAGE.items() if name in ("jobs", "test_jobs", "gold/rates")},
    )
    write_package(project, {"__init__": "", "gold/rates": "RATE = 7\n"})

    result = project.run()

    text = "models: the package shop declares no table in any of its modules: shop, shop.gold.rates, shop.jobs"
    result.stdout.fnmatch_lines([text])
    assert result.ret in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.TESTS_FAILED)


def test_a_module_is_collected_once_whatever_names_it(project):
    project.ini("testpaths = .", "python_files = *.py")
    project.models(ORDERS)

    assert len(collected(project.run("--collect-only", "-q"))) == 2


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

    result = project.run("--snapshot-update", subprocess=True)

    result.assert_outcomes(passed=3)
    assert project.snapshots() == [
        "shop/__snapshots__/models/dev.silver.orders.ddl.sql",
        "shop/__snapshots__/models/dev.silver.orders.state.json",
    ]


def test_explicit_paths_leave_the_models_out(project):
    project.models(ORDERS)
    project.pytester.makepyfile(test_x="def test_it(): pass\n")

    assert collected(project.run("--collect-only", "-q", "test_x.py")) == ["test_x.py::test_it"]


def test_hooks_that_multiply_tests_reach_every_table(project):
    project.models(ORDERS + "\nother = Table('dev', 'silver', 'other', [Column('id', LongType())])\n")
    project.pytester.makeconftest(
        "def pytest_generate_tests(metafunc):\n"
        "    if metafunc.function.__name__ == 'rules':\n"
        "        metafunc.fixturenames.append('again')\n"
        "        metafunc.parametrize('again', [1, 2])\n",
    )

    assert [line for line in collected(project.run("--collect-only", "-q")) if "rules" in line] == [
        f"models.py::dev.silver.{name}::rules[{number}]" for name in ("orders", "other") for number in (1, 2)
    ]


def test_variable_names_and_marks_select(project):
    project.models(f"{ORDERS}\nothers = table('dev.silver.x', Column('id', LongType()))\n")

    assert len(collected(project.run("--collect-only", "-q", "-k", "others"))) == 2
    assert len(collected(project.run("--collect-only", "-q", "-m", "delta"))) == 4
    for mark in ("delta_rules", "delta_ddl"):
        assert len(collected(project.run("--collect-only", "-q", "-m", mark))) == 2


ODD = [
    "back`tick",
    "dot.ted",
    "quo'te",
    'dou"ble',
    "${x}",
    "new\nline",
    "emoji 😀",
    "br[ack]et",
    "col::ons",
    "sla/sh",
    "back\\slash",
    "per%cent",
    "per%25cent",
    "x" * 250,
    "y" * 250,
]


def test_odd_names_stay_selectable_and_keep_their_snapshots_apart(project):
    project.models(
        "".join(f"t{i} = Table('dev', 'silver', {n!r}, [Column('a', LongType())])\n" for i, n in enumerate(ODD)),
    )

    result = project.run("--snapshot-update")

    result.assert_outcomes(passed=2 * len(ODD))
    assert len(project.snapshots()) == 2 * len(ODD)
    items = [line for line in collected(project.run("--collect-only", "-q")) if line.endswith("ddl")]
    assert len(set(items)) == len(ODD)
    for item in items:
        project.run(item).assert_outcomes(passed=1)


def test_failed_items_with_odd_names_run_again_with_lf(project):
    project.models(
        "".join(f"t{i} = Table('dev', 'silver', {n!r}, [Column('a', LongType())])\n" for i, n in enumerate(ODD)),
    )

    project.pytester.runpytest_inprocess("-m", "delta_ddl").assert_outcomes(failed=len(ODD))

    project.pytester.runpytest_inprocess("--lf").assert_outcomes(failed=len(ODD))


def test_items_report_at_the_declaration(project):
    project.models(ORDERS)

    result = project.run("-v", "-rf", "-m", "delta_ddl", "--tb=line")

    assert re.search(r"models\.py:8: there is no snapshot yet", result.stdout.str())


def test_other_objects_are_left_alone(project):
    project.pytester.makepyfile(
        test_hostile="""
        import pytest_delta_schema.models.table
        class Hostile:
            @property
            def __class__(self):
                raise RuntimeError("woken up")
        hostile = Hostile()
        class TestGroup:
            table = pytest_delta_schema.Table(
                "dev", "silver", "x", [pytest_delta_schema.Column("id", __import__("pyspark.sql.types").sql.types.LongType())]
            )
            def test_it(self): pass
        """,
    )
    project.settings()

    assert collected(project.run("--collect-only", "-q")) == ["test_hostile.py::TestGroup::test_it"]


def errors_of(result):
    start = next(index for index, line in enumerate(result.outlines) if "ERROR collecting" in line)
    end = next(index for index, line in enumerate(result.outlines) if "short test summary" in line)
    return result.outlines[start + 1 : end]


NOT_HELD = (
    "models: models declares tables that would not be checked, because no variable of the module holds them, by itself or"
    " in a list or a dictionary; "
)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param(
            "class Silver:\n    first = make('a')\n    class Inner:\n        second = make('b')\n    third = make('c')\n",
            [
                "write delta_tables = [Silver.first, Silver.third] below the class, assign the others to variables:",
                "  models.py:10: dev.silver.a (Silver.first)",
                "  models.py:12: dev.silver.b",
                "  models.py:13: dev.silver.c (Silver.third)",
            ],
            id="attributes of classes",
        ),
        pytest.param(
            "class Silver:\n    first = make('a')\n",
            ["write delta_tables = [Silver.first] below the class:", "  models.py:10: dev.silver.a (Silver.first)"],
            id="one attribute",
        ),
        pytest.param(
            "for name in ('a', 'b', 'c'):\n    last = make(name)\n",
            ["assign each of them to a variable:", "  models.py:10: dev.silver.a", "  models.py:10: dev.silver.b"],
            id="the variable of a loop",
        ),
        pytest.param(
            "make('a')\nfirst = make('b')\n",
            ["assign each of them to a variable:", "  models.py:9: dev.silver.a"],
            id="no variable",
        ),
        pytest.param(
            "made = iter([make('a')])\n",
            ["assign each of them to a variable:", "  models.py:9: dev.silver.a"],
            id="an iterator",
        ),
    ],
)
def test_tables_that_no_variable_holds_are_an_error_with_their_lines(project, text, lines):
    project.models("def make(name):\n    return table(f'dev.silver.{name}', Column('id', LongType()))\n" + text)

    result = project.run()

    assert errors_of(result) == [NOT_HELD + lines[0], *lines[1:]]
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_tables_of_classes_are_collected_where_they_are_listed(project):
    project.models(
        "class Silver:\n    first = table('dev.silver.a', Column('id', LongType()))\ndelta_tables = [Silver.first]\n",
    )

    assert collected(project.run("--collect-only", "-q")) == [
        "models.py::dev.silver.a::rules",
        "models.py::dev.silver.a::ddl",
    ]


def test_a_parent_may_be_declared_only_to_be_referenced(project):
    project.models(
        "from pytest_delta_schema import ForeignKey\n"
        "orders = table('dev.silver.orders', Column('id', LongType()), foreign_keys=[\n"
        "    ForeignKey(['id'], table('dev.silver.parents', Column('id', LongType()), primary_key=['id'])),\n"
        "])\n",
    )

    assert len(collected(project.run("--collect-only", "-q"))) == 2


def test_a_module_that_was_changed_and_imported_again_declares_what_it_holds_now(project):
    for name in ("first", "second"):
        project.models(f"{name} = table('dev.silver.{name}', Column('id', LongType()))\n")

        assert collected(project.run("--collect-only", "-q"))[0] == f"models.py::dev.silver.{name}::rules"


TESTS = """
import pytest

def test_sum(): pass

@pytest.mark.parametrize("value", ["a", "b::c"])
def test_value(value): pass

class TestGroup:
    def test_one(self): pass
    def test_two(self): pass
"""
MODES = ["drift", "apply", "enforce"]
ONE_LINE = (
    "5 other tests did not run, because --delta-{} on the command line runs contracts only; to run all tests: pytest"
)


@pytest.fixture
def shop(project):
    project.ini("markers = slow")
    project.settings('models = ["models"]', 'backend = "memory"')
    project.models(ORDERS)
    project.pytester.makepyfile(test_shop=TESTS)
    project.run("--snapshot-update")
    return project


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_on_the_command_line_runs_contracts_only(shop, mode):
    result = shop.run(f"--delta-{mode}", "-v")

    ran = {line.split("::")[-1].split()[0] for line in result.outlines if "::" in line and "test_shop" in line}
    assert ran == set()
    assert [line for line in result.outlines if "other test" in line] == [ONE_LINE.format(mode)]
    assert "1 snapshot unused" not in result.stdout.str()


def test_a_sync_runs_contracts_only(shop):
    result = shop.run("--delta-sync-metadata", "--delta-backend=unity", "--delta-set=unity_uri=http://127.0.0.1:9")

    result.assert_outcomes(passed=2, failed=1, deselected=5)
    result.stdout.fnmatch_lines([ONE_LINE.format("sync-metadata")])


@pytest.mark.parametrize(
    ("chosen", "ran"),
    [
        pytest.param(["test_shop.py::test_sum"], {"test_sum"}, id="a test"),
        pytest.param(["test_shop.py::test_value"], {"test_value[a]", "test_value[b::c]"}, id="all parameters"),
        pytest.param(["test_shop.py::test_value[b::c]"], {"test_value[b::c]"}, id="one parameter"),
        pytest.param(["test_shop.py::TestGroup"], {"test_one", "test_two"}, id="a class"),
        pytest.param(["test_shop.py::TestGroup::test_two"], {"test_two"}, id="a method"),
        pytest.param(["./../{folder}/test_shop.py::test_sum"], {"test_sum"}, id="by another path"),
        pytest.param(["test_shop.py"], set(), id="a file"),
        pytest.param(["."], set(), id="a folder"),
    ],
)
def test_a_node_id_chooses_a_test_next_to_contracts(shop, chosen, ran):
    named = [argument.format(folder=shop.path.name) for argument in chosen]

    result = shop.run("--delta-apply", "-v", "models.py", *named)

    lines = [line for line in result.outlines if "PASSED" in line]
    assert {name for name in TEST_NAMES if any(f"::{name}" in line for line in lines)} == ran
    assert sum("models.py::dev.silver.orders::" in line for line in lines) == 3
    assert result.ret == 0


TEST_NAMES = ["test_sum", "test_value[a]", "test_value[b::c]", "test_one", "test_two"]


@pytest.mark.parametrize(
    ("args", "passed"),
    [
        pytest.param(["-k", "orders"], 3, id="a table"),
        pytest.param(["-k", "rules or apply or test_sum"], 2, id="checks and a test"),
        pytest.param(["-m", "delta_apply"], 1, id="a mark"),
        pytest.param(["-m", "not slow"], 3, id="all"),
        pytest.param(["-p", "no:terminal", "-p", "no:syrupy"], 3, id="without plugins"),
        pytest.param(["-p", "cacheprovider", "--lf"], 3, id="the last failed"),
    ],
)
def test_what_selects_chooses_among_contracts(shop, args, passed):
    result = shop.run("--delta-apply", *args, "--junitxml=report.xml")

    report = (shop.path / "report.xml").read_text()
    assert report.count("<testcase ") == passed
    assert "test_shop" not in report
    assert result.ret == 0


def test_the_last_failed_tests_are_no_contracts(shop):
    shop.pytester.makepyfile(test_shop="def test_sum(): assert False")
    shop.run("-p", "cacheprovider")

    result = shop.run("-p", "cacheprovider", "--delta-apply", "--lf")

    result.assert_outcomes(deselected=1, warnings=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize("given", ["ini", "variable", "override"])
def test_a_mode_in_addopts_runs_all_tests(shop, monkeypatch, given):
    if given == "ini":
        shop.ini("addopts = --delta-apply")
        shop.settings('models = ["models"]', 'backend = "memory"')
    elif given == "variable":
        monkeypatch.setenv("PYTEST_ADDOPTS", "--delta-apply")
    override = ["-o", "addopts=--delta-apply"] if given == "override" else []

    result = shop.run(*override)

    result.assert_outcomes(passed=8)


def test_a_mode_in_a_file_of_arguments_is_on_the_command_line(shop):
    (shop.path / "gate.txt").write_text("--delta-apply\n")

    result = shop.run("@gate.txt")

    assert ONE_LINE.format("apply") in result.outlines


def test_nothing_but_other_tests_is_no_green_gate(shop):
    shop.settings('backend = "memory"')

    result = shop.run("--delta-drift")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["--delta-drift found no table, so nothing was checked.*", ONE_LINE.format("drift")])


def test_only_contracts_are_shown_by_collect_only(shop):
    result = shop.run("--delta-drift", "--collect-only", "-q")

    assert [line.rpartition("::")[2] for line in result.outlines if "::" in line] == ["rules", "ddl", "drift"]
    result.stdout.fnmatch_lines(["3/8 tests collected (5 deselected)*"])


def test_snapshots_of_other_tests_stay(shop):
    shop.pytester.makepyfile(test_shop="def test_sum(snapshot): assert 1 == snapshot")
    shop.run("--snapshot-update")

    gate = shop.run("--delta-apply")
    update = shop.run("--delta-apply", "--snapshot-update")

    assert "unused" not in gate.stdout.str() + update.stdout.str()
    shop.run("test_shop.py").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        ("delta_drift", "1 test collected in *"),
        ("delta and not (delta_ddl or delta_rules)", "1 test collected in *"),
        ("not delta", "no tests collected in *"),
        ("delta_drift and not slow", "1/3 tests collected (2 deselected) in *"),
        ("delta_drift and", "ERROR: Wrong expression passed to '-m': delta_drift and: *"),
    ],
)
def test_checks_that_no_expression_of_marks_can_select_are_not_made(project, expression, line):
    project.models(ORDERS)

    result = project.run("--delta-drift", "-m", expression, "--collect-only", "-q")

    (result.stderr if line.startswith("ERROR") else result.stdout).fnmatch_lines([line])
