"""States of tables as text for snapshots."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from pytest_delta_schema import CatalogReadError, MemoryCatalog, QualifiedName, Unique, state_text
from pytest_delta_schema.delta.names import TABLE, ColumnPath
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.engine import Orchestrator
from pytest_delta_schema.state import CheckState, ColumnState, ForeignKeyState, KeyState, TableState
from support.tables import NAME, column, state, stored, table

FULL = state(
    stored("id", is_nullable=False, comment="it's the key"),
    stored("total", "decimal(10,2)"),
    table_comment="Orders",
    table_properties={
        "delta.minReaderVersion": "3",
        "delta.feature.deletionVectors": "supported",
        "delta.columnMapping.maxColumnId": "7",
        "team": "shop",
        "delta.appendOnly": "true",
    },
    primary_key=KeyState("pk_dev_silver_orders__id", ("id",), rely=True),
    unique=(KeyState("uq", ("total",), kind="unique constraint"),),
    foreign_keys=(ForeignKeyState("fk", ("id",), QualifiedName("dev", "silver", "parents"), ("key",)),),
    checks=(CheckState("positive", "total > 0 -- cents"),),
    partitioning=("id",),
    tags=MappingProxyType({ColumnPath("id"): {"pii": ""}, TABLE: {"owner": "a", "level": "1"}}),
    version=3,
)

FULL_TEXT = """\
CREATE TABLE `orders` (
  `id` BIGINT NOT NULL COMMENT 'it\\'s the key',
  `total` DECIMAL(10,2),
  PRIMARY KEY (`id`) RELY,
  UNIQUE (`total`),
  FOREIGN KEY (`id`) REFERENCES `parents` (`key`),
  CONSTRAINT `positive` CHECK (total > 0 -- cents
)
)
USING DELTA
PARTITIONED BY (`id`)
COMMENT 'Orders'
TBLPROPERTIES (
  'delta.appendOnly' = 'true',
  'team' = 'shop'
);

ALTER TABLE `orders` SET TAGS (
  'level' = '1',
  'owner' = 'a'
);

ALTER TABLE `orders` ALTER COLUMN `id` SET TAGS (
  'pii' = ''
);"""

PLAIN_TEXT = """\
CREATE TABLE `orders` (
  `id` BIGINT
)
USING DELTA;"""


@pytest.mark.parametrize(
    ("observed", "text"),
    [
        (FULL, FULL_TEXT),
        (state(stored()), PLAIN_TEXT),
        (
            state(stored("i\u200bd")),
            "-- with characters that are not shown: `i\\u200bd`\n\n" + PLAIN_TEXT.replace("`id`", "`i\u200bd`"),
        ),
    ],
    ids=["full", "plain", "hidden characters"],
)
def test_states_as_text(observed, text):
    assert state_text("dev.silver.orders", catalog=MemoryCatalog([observed])) == text


def test_a_copy_in_another_schema_has_the_same_text():
    texts = []
    for name in ("dev.silver.orders", "scratch.test_main_1f2e3d4c.orders"):
        catalog, model = (
            MemoryCatalog(),
            table(column(is_nullable=False), column("n"), name=name, primary_key=["id"], unique=[Unique(["n"])]),
        )
        Orchestrator.over(catalog).sync_tables([model])
        texts.append(state_text(model, catalog=catalog))

    assert texts[0] == texts[1]
    assert "PRIMARY KEY (`id`)" in texts[0]


def test_a_table_that_does_not_exist_is_no_empty_text():
    with pytest.raises(CatalogReadError, match=r"^dev.silver.orders: is not in the catalog"):
        state_text("dev.silver.orders", catalog=MemoryCatalog())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"table": 7}, "the table is 7; give a Table, or its name as catalog.schema.table"),
        (
            {"catalog": "memory"},
            "state_text takes a catalog, and was given 'memory'; give one, such as the fixture delta_catalog, or MemoryCatalog()",
        ),
        ({"table": "orders"}, "'orders' does not name a table; write catalog.schema.table, or give the Table itself"),
        (
            {"version": 0},
            "state_text reads the commits of tables, which the memory backend cannot; the backends that can are local, session and unity",
        ),
    ],
    ids=["no table", "no catalog", "short name", "no commits"],
)
def test_wrong_arguments_have_a_remedy(arguments, message):
    catalog = MemoryCatalog([TableState(name=NAME, columns=(ColumnState("id", "bigint", True, ""),))])

    with pytest.raises(DeclarationError) as caught:
        state_text(**{"table": "dev.silver.orders", "catalog": catalog, **arguments})

    assert str(caught.value) == message


SHOP = """
from pytest_delta_schema import Column, Table

orders = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)], primary_key=["id"])
"""


def test_in_a_test_the_catalog_is_that_of_the_run(project):
    project.ini("delta_backend = memory")
    project.models(SHOP, "shop")
    project.pytester.makepyfile(
        test_x="""
        import pytest
        from pytest_delta_schema import DriftError, MemoryCatalog, QualifiedName, assert_no_drift, state_text
        from pytest_delta_schema.state import ColumnState, TableState
        from shop import orders

        def test_text(make_delta_table, delta_snapshot):
            table = make_delta_table(orders)
            assert state_text(table) == delta_snapshot
            assert state_text(table.qualified_name) == state_text(table)
            assert_no_drift(table)
            with pytest.raises(DriftError):
                assert_no_drift(orders)

        class TestOverride:
            @pytest.fixture(scope="class")
            def delta_catalog(self):
                return MemoryCatalog([TableState(name=QualifiedName("a", "b", "c"), columns=(ColumnState("x", "int", True, ""),))])

            def test_text(self):
                assert "`x` INT" in state_text("a.b.c")
        """
    )

    project.run("--snapshot-update").assert_outcomes(passed=2)
    project.run().assert_outcomes(passed=2)
    (snapshot,) = project.path.glob("__snapshots__/test_x/*.sql")
    assert snapshot.read_text("utf-8").splitlines()[:3] == [
        "CREATE TABLE `orders` (",
        "  `id` BIGINT NOT NULL,",
        "  PRIMARY KEY (`id`)",
    ]


@pytest.mark.parametrize(
    ("call", "function"),
    [
        ('state_text("a.b.c")', "state_text"),
        ('assert_table_equals("a.b.c", [])', "assert_table_equals"),
        ("assert_no_drift(orders)", "assert_no_drift"),
    ],
)
def test_without_a_test_the_catalog_has_to_be_given(project, call, function):
    project.ini("delta_backend = memory")
    project.models(SHOP, "shop")
    project.pytester.makepyfile(
        test_x=f"""
        import shop
        from pytest_delta_schema import assert_no_drift, assert_table_equals, state_text

        try:
            {call.replace("orders", "shop.orders")}
        except Exception as error:
            message = str(error)

        def test_message():
            assert message == "{function} needs a catalog, and no test of pytest runs that has one; give catalog=..."
        """
    )

    project.run().assert_outcomes(passed=1)
