"""The fixture toolkit, on the memory catalog: what it gives, shows and refuses; the local one has its own test."""

from __future__ import annotations

import re

import pytest

from pytest_delta_schema import DriftError, InvalidModelError, MemoryCatalog, assert_no_drift
from support.models import column, orders, orders_before, table
from support.plugin_project import ORDERS
from support.runs import failures
from support.snapshots import TextSnapshot

FAMILY = """
from pytest_delta_schema import ForeignKey
def key(column, parent): return ForeignKey([column], f"dev.silver.{parent}", ["id"])
ID, TO = Column("id", LongType(), is_nullable=False), Column("other", LongType())
visits = table("dev.gold.visits", ID, TO, foreign_keys=[key("other", "people"), key("id", "elsewhere")])
people = table("dev.silver.people", ID, TO, primary_key=["id"], foreign_keys=[key("other", "homes")])
homes = table("dev.silver.homes", ID, TO, primary_key=["id"], foreign_keys=[key("other", "people")])
gold_people = table("dev.gold.people", ID)
"""


def test_tables_are_made_alone_and_together_with_the_keys_between_them_and_cleaned_up(project):
    project.settings('backend = "memory"')
    project.models(ORDERS + FAMILY, "shop")
    project.pytester.makepyfile(
        test_x="""
        import pytest
        from pytest_delta_schema import assert_no_drift
        from pytest_delta_schema.diagnostics.errors import DeclarationError
        from pytest_delta_schema.execute.protocols import ABSENT
        from shop import gold_people, homes, orders, people, visits

        made = []

        def test_one(make_delta_table, delta_catalog):
            table = make_delta_table(orders, rows=[{"id": 1}])
            other = make_delta_table(orders, name="second")
            made.extend([table, other])
            assert table.catalog_name == "dev" and table.table_name == "orders"
            assert other.schema_name == table.schema_name and other.table_name == "second"
            assert orders.schema_name == "silver"
            assert_no_drift([table, other], catalog=delta_catalog)
            assert delta_catalog.data_checks(table.name).count_rows().rows == 1
            with pytest.raises(DeclarationError, match="is made twice by this test; give the second one a different name"):
                make_delta_table(orders)

        def test_both_are_gone(delta_catalog):
            assert [delta_catalog.version(table.name) for table in made] == [ABSENT, ABSENT]
            made.clear()

        def parents(table):
            return [(key.references.qualified_name, key.parent_columns) for key in table.foreign_keys]

        def test_all_at_once(make_delta_table, make_delta_tables, delta_catalog):
            made.extend(make_delta_tables([visits, homes, people, gold_people]))
            visit, home, person, other = made
            assert [table.table_name for table in made] == ["visits", "homes", "people", "people"]
            assert visit.schema_name == other.schema_name != person.schema_name == home.schema_name
            assert parents(visit) == [(person.qualified_name, ("id",))]
            assert parents(person) == [(home.qualified_name, ("id",))]
            assert parents(home) == [(person.qualified_name, ("id",))]
            assert_no_drift(made, catalog=delta_catalog)
            stored = delta_catalog.snapshot(made).tables
            assert [key.parent for key in stored[home.name].foreign_keys] == [person.name]
            assert parents(make_delta_table(visits, name="later")) == parents(visit)

        def test_all_are_gone(delta_catalog):
            assert {delta_catalog.version(table.name) for table in made} == {ABSENT}

        """,
    )

    project.run().assert_outcomes(passed=4)


SALES = """
from pytest_delta_schema import Check, ForeignKey
people = table("dev.silver.people", Column("id", LongType(), is_nullable=False), primary_key=["id"])
numbered = table("dev.silver.numbered", Column("id", LongType(), is_nullable=False, identity=True), Column("name", "string"), primary_key=["id"])
visits = table(
    "dev.silver.visits",
    Column("id", LongType(), is_nullable=False), Column("who", LongType()), Column("number", LongType()),
    Column("before", LongType()), Column("place", "varchar(9)", is_nullable=False), Column("paid", "decimal(9,2)"),
    primary_key=["id"],
    foreign_keys=[ForeignKey(["who"], people), ForeignKey(["number"], numbered), ForeignKey(["before"], "dev.silver.visits")],
    checks=[Check("paid", "paid >= 5")],
)
"""


def test_rows_are_made_and_completed_with_the_parents_of_the_test(project):
    project.settings('backend = "memory"')
    project.models(SALES, "shop")
    project.pytester.makepyfile(
        test_x="""
        from decimal import Decimal
        from shop import numbered, people, visits

        def values(catalog, table, *columns):
            return [tuple(row[column] for column in columns) for row in catalog.rows(table.name)]

        def test_made(make_delta_table, delta_catalog):
            make_delta_table(people, rows=[{"id": 7}, {"id": 9}])
            make_delta_table(numbered, rows=2)
            table = make_delta_table(visits, rows=3)
            assert values(delta_catalog, table, "id", "who", "number", "before", "paid") == [
                (1, 7, 1, None, 5), (2, 9, 2, 1, 6), (3, 7, 1, 1, 7)
            ]
            again = make_delta_table(visits, rows=1, name="again")
            assert values(delta_catalog, again, "before") == [(None,)]

        def test_completed(make_delta_table, delta_catalog):
            table = make_delta_table(visits, rows=({"paid": paid} for paid in (5, 8)), fill=True)
            assert values(delta_catalog, table, "id", "who", "place", "paid") == [(1, 1, "place_1", 5), (2, 2, "place_2", 8)]

        """,
    )

    project.run().assert_outcomes(passed=2)


def test_a_clone_is_a_table_of_its_own(project):
    project.settings('backend = "memory"', 'bind = { "dev" = "test" }')
    project.models(FAMILY, "shop")
    project.pytester.makepyfile(
        test_x="""
        import pytest
        from pytest_delta_schema import Orchestrator, assert_no_drift
        from pytest_delta_schema.diagnostics.errors import CatalogReadError
        from pytest_delta_schema.execute.protocols import ABSENT
        from shop import homes, people, visits

        made = []

        def rows(table, catalog):
            return catalog.data_checks(table.name).count_rows().rows

        def test_a_table_of_the_project(delta_clone, delta_catalog, delta_bound, delta_worker_id, make_delta_table):
            table = delta_bound(people)
            Orchestrator.over(delta_catalog).sync_tables([people, homes])
            delta_catalog.insert(table.name, [{"id": 1, "other": None}])
            clone = delta_clone(people)
            made.append(clone)
            assert table.qualified_name == "test.silver.people"
            assert (clone.catalog_name, clone.table_name) == ("test", "people")
            assert clone.schema_name.startswith(f"test_{delta_worker_id}_")
            assert_no_drift([clone, people], catalog=delta_catalog)
            delta_catalog.insert(clone.name, [{"id": 2, "other": 1}])
            assert (rows(table, delta_catalog), rows(clone, delta_catalog)) == (1, 2)
            # Children that are made later reference the clone.
            assert make_delta_table(visits).foreign_keys[0].parent == clone.name
        def test_it_is_gone_and_the_table_is_not(delta_catalog, delta_bound):
            assert delta_catalog.version(made[0].name) is ABSENT
            assert rows(delta_bound(people), delta_catalog) == 1

        def test_a_table_that_is_not_there(delta_clone):
            with pytest.raises(CatalogReadError, match="test.gold.visits.*is not in the catalog; create it first"):
                delta_clone(visits)
        """,
    )

    project.run().assert_outcomes(passed=3)


OTHER_CATALOG = """
from types import SimpleNamespace
import pytest
from pytest_delta_schema import DatabricksCatalog
from shop import orders

@pytest.fixture(scope="session")
def delta_catalog(): return DatabricksCatalog(SimpleNamespace(rows=None, values=None))
def test_clone(delta_clone): pass
def test_table(make_delta_table): make_delta_table(orders)
def test_schema(make_delta_schema): make_delta_schema()
"""


def test_a_backend_that_cannot_clone_or_has_no_scratch_schemas_says_so(project):
    project.settings()
    project.models(ORDERS, "shop")
    project.pytester.makepyfile(test_x=OTHER_CATALOG)

    result = project.run("test_x.py")

    result.assert_outcomes(errors=1, failed=2)
    result.stdout.fnmatch_lines(["the databricks backend cannot clone tables: *; test with rows of make_delta_table *"])
    assert (
        sum("DeclarationError: tests need a scratch schema, and the databricks" in line for line in result.outlines)
        == 2
    )


def test_every_fixture_of_the_chain_can_be_overridden_alone(project):
    project.settings()
    project.pytester.makeconftest(
        """
        import pathlib, pytest
        @pytest.fixture(scope="session")
        def delta_worker_id(): return "w7"
        @pytest.fixture(scope="session")
        def delta_spark_conf(delta_spark_conf): return {**delta_spark_conf, "spark.app.name": "mine"}
        """,
    )
    project.pytester.makepyfile(
        test_x="""
        def test_it(delta_spark_conf, delta_warehouse):
            assert delta_warehouse.name == "w7"
            assert delta_spark_conf["spark.app.name"] == "mine"
            assert delta_spark_conf["spark.master"] == "local[1]"
            assert delta_spark_conf["spark.sql.warehouse.dir"].startswith(str(delta_warehouse))
        """,
    )

    project.run("--delta-warehouse", "x/{worker}").assert_outcomes(passed=1)


def test_assert_no_drift_shows_the_drift_of_all_tables():
    with pytest.raises(DriftError) as caught:
        assert_no_drift([orders(), table(column(), name="dev.silver.new")], catalog=MemoryCatalog([orders_before()]))

    text = str(caught.value)
    assert isinstance(caught.value, AssertionError)
    assert text.startswith("dev.silver.new does not exist in the catalog\n\ndeclared at ")
    assert (
        "\n\ndev.silver.orders has drifted, 8 changes: columns.amount, columns.id, primary_key and 5 more\n\n" in text
    )


def test_assert_no_drift_refuses_a_broken_declaration():
    with pytest.raises(InvalidModelError, match=r"dev\.silver\.orders: .*DS102"):
        assert_no_drift(table(), catalog=MemoryCatalog())


CALLS = [
    'make_delta_table(orders, rows=[{"amount": 1}, [1]])',
    "make_delta_table('dev.silver.orders')",
    "make_delta_schema(7)",
    "make_delta_tables(orders)",
    "make_delta_tables([orders, orders])",
    "delta_clone('dev.silver.orders')",
    "make_delta_table(orders); delta_clone(orders)",
    "with delta_raises(orders, not_null='id'): pass",
    "delta_raises(orders, check='positive')",
]
FIXTURES = "make_delta_table, make_delta_tables, make_delta_schema, delta_bound, delta_clone, delta_raises"


def test_an_error_of_a_fixture_names_the_line_of_the_test(project, snapshot):
    project.settings('backend = "memory"')
    project.models(ORDERS, "shop")
    tests = [f"def test_{number}({FIXTURES}):\n    {call}\n" for number, call in enumerate(CALLS)]
    project.pytester.makepyfile(test_x=f"from shop import orders\n{''.join(tests)}")

    result = project.run("test_x.py")

    result.assert_outcomes(failed=len(CALLS))
    shown = [
        line for lines in failures(result).values() for line in lines if line.startswith((">", "E ", "test_x.py:"))
    ]
    text = re.sub(r"test_main_\w{8}", "test_main", "\n".join([*shown, ""])).replace(str(project.path), "PROJECT")
    assert text == snapshot(extension_class=TextSnapshot)
    result.stdout.no_fnmatch_line("*pytest_delta_schema/*.py:*")
    result.stdout.no_fnmatch_line("*contextlib.py:*")


CONFTEST = """
import pytest
from pytest_delta_schema import MemoryCatalog

class Named(MemoryCatalog):
    name = "{name}"
    def clone_table(self, source, clone): ...

@pytest.fixture(scope="session")
def delta_catalog():
    return Named()
"""
USES = """
import pytest
from models import orders


def test_table(make_delta_table): make_delta_table(orders)
def test_tables(make_delta_tables): make_delta_tables([orders])
def test_schema(make_delta_schema): make_delta_schema("dev")
def test_clone(delta_clone): pass
"""
MESSAGE = (
    "this test creates tables, and others may use the catalogs of the backend {}; name one for scratch tables in"
    ' pyproject.toml: [tool.pytest_delta_schema] scratch_catalog = "scratch"; or run it with --delta-backend=local'
)


NAMED = [f"test_use.py::test_{kind}" for kind in ("table", "tables", "schema", "clone")]
SCRATCH = 'scratch_catalog = "scratch"'
CATALOGS = [
    # the backend, a setting, the arguments, and whether the fixtures refuse its catalogs
    ("unity", "", [], True),
    ("unity", SCRATCH, ["--delta-drift"], False),
]


def test_fixtures_refuse_the_catalogs_of_others(project):
    project.models(ORDERS)
    project.pytester.makepyfile(test_use=USES)
    for name, setting, args, is_refused in CATALOGS:
        project.settings('models = ["models"]', 'backend = "memory"', setting)
        project.pytester.makeconftest(CONFTEST.replace("{name}", name))

        result = project.run(*args, *NAMED)

        counts = result.parseoutcomes()
        assert (counts.get("errors", 0), counts.get("passed", 0)) == ((4, 0) if is_refused else (0, 4)), (name, args)
        assert (MESSAGE.format(name) in result.outlines) is is_refused
