"""Which tables become items, where, and under which names."""

from __future__ import annotations

import re

import pytest

from support.plugin_project import ORDERS


def collected(result):
    return [line for line in result.outlines if "::" in line]


def test_a_declared_table_becomes_items(project):
    project.models(ORDERS)

    result = project.run("--collect-only", "-q")

    assert collected(result) == ["models.py::dev.silver.orders::rules", "models.py::dev.silver.orders::ddl"]
    assert result.ret == 0


@pytest.mark.parametrize(("option", "last"), [("--delta-drift", "drift"), ("--delta-apply", "apply")])
def test_a_check_of_the_catalog_exists_with_its_option_only(project, option, last):
    project.models(ORDERS)

    result = project.run("--collect-only", "-q", option)

    assert [line.rpartition("::")[2] for line in collected(result)] == ["rules", "ddl", last]


def test_tables_of_test_files_need_no_ini_key(project):
    project.ini("")
    project.models(ORDERS, "test_orders")

    assert collected(project.run("--collect-only", "-q"))[0] == "test_orders.py::dev.silver.orders::rules"


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
        """
    )
    project.models("from factory import make\nfirst, second = [make(name) for name in ('a', 'b')]\n")

    assert [line.split("::")[1] for line in collected(project.run("--collect-only", "-q"))] == [
        "dev.silver.a",
        "dev.silver.a",
        "dev.silver.b",
        "dev.silver.b",
    ]


def test_a_list_adopts_tables_from_elsewhere(project):
    project.ini("")
    project.models(ORDERS, "shop")
    project.pytester.makepyfile(test_contracts="from shop import orders\ndelta_tables = [orders, orders]\n")

    assert collected(project.run("--collect-only", "-q")) == [
        "test_contracts.py::dev.silver.orders::rules",
        "test_contracts.py::dev.silver.orders::ddl",
    ]


def test_a_list_of_something_else_is_an_error(project):
    project.ini("")
    project.pytester.makepyfile(test_contracts="import pytest_delta_schema.models.table\ndelta_tables = ['orders']\n")

    result = project.run()

    result.stdout.fnmatch_lines(["*delta_tables holds 'orders', not a Table; list tables only"])
    assert result.ret == pytest.ExitCode.INTERRUPTED


@pytest.mark.parametrize("second", ["models", "other"])
def test_one_name_declared_twice_names_both_places(project, second, workers):
    project.ini("delta_models = models other")
    again = 'again = table("DEV.silver.orders", Column("id", LongType()))\n'
    project.models(ORDERS + (again if second == "models" else ""))
    project.models(again if second == "other" else "", "other")

    result = project.run(*workers)

    location = "models.py:19" if second == "models" else "other.py:7"
    result.stdout.fnmatch_lines([f"*dev.silver.orders is declared twice, at models.py:8 and {location}; keep one*"])
    assert result.ret != 0


def test_a_module_that_cannot_be_imported_is_one_line(project):
    project.models("import no_such_thing\n")

    result = project.run()

    result.stdout.fnmatch_lines(["*models: models cannot be imported, ModuleNotFoundError: No module named*"])


def test_a_module_is_collected_once_whatever_names_it(project):
    project.ini("delta_models = models", "testpaths = .", "python_files = *.py")
    project.models(ORDERS)

    assert len(collected(project.run("--collect-only", "-q"))) == 2


def test_a_module_in_a_package_is_imported_once_under_its_own_name(project):
    project.ini("delta_models = shop.models", "testpaths = tests")
    project.pytester.mkpydir("shop")
    project.models(ORDERS)
    (project.path / "models.py").rename(project.path / "shop" / "models.py")
    (project.path / "tests").mkdir()
    (project.path / "tests" / "test_x.py").write_text(
        "import sys\ndef test_once(): assert [n for n in sys.modules if n in ('models', 'shop.models')] == ['shop.models']\n"
    )

    result = project.run("--snapshot-update", subprocess=True)

    result.assert_outcomes(passed=3)
    assert project.snapshots() == ["shop/__snapshots__/models/dev.silver.orders.ddl.sql"]


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
        "        metafunc.parametrize('again', [1, 2])\n"
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
        "".join(f"t{i} = Table('dev', 'silver', {n!r}, [Column('a', LongType())])\n" for i, n in enumerate(ODD))
    )

    result = project.run("--snapshot-update")

    result.assert_outcomes(passed=2 * len(ODD))
    assert len(project.snapshots()) == len(ODD)
    items = [line for line in collected(project.run("--collect-only", "-q")) if line.endswith("ddl")]
    assert len(set(items)) == len(ODD)
    for item in items:
        project.run(item).assert_outcomes(passed=1)


def test_failed_items_with_odd_names_run_again_with_lf(project):
    project.models(
        "".join(f"t{i} = Table('dev', 'silver', {n!r}, [Column('a', LongType())])\n" for i, n in enumerate(ODD))
    )

    project.pytester.runpytest_inprocess("-m", "delta_ddl").assert_outcomes(failed=len(ODD), deselected=len(ODD))

    project.pytester.runpytest_inprocess("--lf").assert_outcomes(failed=len(ODD))


def test_items_report_at_the_declaration(project):
    project.models(ORDERS)

    result = project.run("-v", "-rf", "-m", "delta_ddl", "--tb=line")

    assert re.search(r"models\.py:8: there is no snapshot of its SQL yet", result.stdout.str())


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
        """
    )
    project.ini("")

    assert collected(project.run("--collect-only", "-q")) == ["test_hostile.py::TestGroup::test_it"]
