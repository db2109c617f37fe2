"""Rules about foreign keys: what they refuse, with which message, and what they accept."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, QualifiedName
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.state import ForeignKeyState, KeyState, TableState
from support.tables import catalog, column, state, stored, table

PARENT = QualifiedName("dev", "silver", "parents")
KEY = KeyState("pk_dev_silver_parents__id", ("id",))


def parents(*key: str, kind: spark.DataType | None = None):
    return table(
        column("id", kind, is_nullable=False),
        column("b", is_nullable=False),
        name=str(PARENT),
        primary_key=key or ["id"],
    )


def child(*keys: ForeignKey, **options):
    return table(column("id", is_nullable=False), column("a"), column("c"), foreign_keys=keys, **options)


def keyless():
    return table(column("id"), name=str(PARENT))


A_MAP = Column("m", spark.MapType(spark.StringType(), spark.LongType()))


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        pytest.param(child(), [], id="none"),
        pytest.param(child(ForeignKey(["a"], parents())), [], id="fits"),
        pytest.param(child(ForeignKey(["A"], parents(), ["ID"])), [], id="fits without case"),
        pytest.param(child(ForeignKey(["a", "c"], parents("id", "b"), ["b", "id"])), [], id="fits in another order"),
        pytest.param(child(ForeignKey(["a"], "prod.gold.others")), [], id="somewhere else"),
        pytest.param(child(ForeignKey(["a"], "prod.gold.others", ["x"])), [], id="columns somewhere else"),
        pytest.param(child(ForeignKey(["a"], "dev.silver.orders"), primary_key=["id"]), [], id="itself"),
        pytest.param(
            child(ForeignKey(["x", "a", "A"], "dev.silver.others")),
            [
                "foreign key (x, a, A) names a twice; name it once [DS114 InvalidForeignKeyColumn]",
                (
                    "foreign key (x, a, A) names x, which is not a column of the model;"
                    " declare it, or fix the key [DS114 InvalidForeignKeyColumn]"
                ),
            ],
            id="columns that are not there, and twice",
        ),
        pytest.param(
            table(A_MAP, foreign_keys=[ForeignKey(["m"], "dev.silver.others")]),
            [
                (
                    "foreign key (m) names m, which is map<string, bigint>, whose values cannot be compared;"
                    " choose columns whose types hold no map and no variant [DS114 InvalidForeignKeyColumn]"
                )
            ],
            id="a map",
        ),
        pytest.param(
            child(ForeignKey(["a"], keyless())),
            [
                (
                    "foreign key fk_dev_silver_orders__a references dev.silver.parents, which has no primary key;"
                    " give the parent its primary key [DS115 ForeignKeyMismatch]"
                )
            ],
            id="a parent without a key",
        ),
        pytest.param(
            child(ForeignKey(["a"], "dev.silver.orders")),
            [
                (
                    "foreign key fk_dev_silver_orders__a references dev.silver.orders, which has no primary key;"
                    " give the parent its primary key [DS115 ForeignKeyMismatch]"
                )
            ],
            id="itself without a key",
        ),
        pytest.param(
            child(ForeignKey(["a"], parents(), ["b"])),
            [
                (
                    "foreign key fk_dev_silver_orders__a references (b) of dev.silver.parents, whose primary key is (id);"
                    " reference the primary key, or change the primary key [DS115 ForeignKeyMismatch]"
                )
            ],
            id="another column of the parent",
        ),
        pytest.param(
            child(ForeignKey(["a", "c"], parents())),
            [
                (
                    "foreign key fk_dev_silver_orders__a_c has 2 columns (a, c) for the 1 of (id) of dev.silver.parents;"
                    " name one column for each [DS115 ForeignKeyMismatch]"
                )
            ],
            id="too many columns",
        ),
        pytest.param(
            child(ForeignKey(["a"], parents(kind=spark.StringType()))),
            [
                (
                    "column a of foreign key fk_dev_silver_orders__a is bigint, but id of dev.silver.parents is string;"
                    " give both columns one type [DS115 ForeignKeyMismatch]"
                )
            ],
            id="another type",
        ),
        pytest.param(
            child(
                ForeignKey(["a"], parents(), name="Taken"),
                ForeignKey(["c"], parents(), name="both"),
                ForeignKey(["id"], parents(), name="BOTH"),
                checks=[Check("taken", "id > 0")],
            ),
            [
                (
                    "foreign key (id) has the name BOTH, which foreign key (c) has already;"
                    " choose a different name with name=... [DS116 DuplicateConstraint]"
                ),
                (
                    "foreign key (a) has the name Taken, which check taken has already;"
                    " choose a different name with name=... [DS116 DuplicateConstraint]"
                ),
            ],
            id="names that are taken",
        ),
        pytest.param(
            child(ForeignKey(["a"], parents(), name="PK_dev_silver_orders__id"), primary_key=["id"]),
            [
                (
                    "foreign key (a) has the name PK_dev_silver_orders__id, which the primary key has already;"
                    " choose a different name with name=... [DS116 DuplicateConstraint]"
                )
            ],
            id="the name of the primary key",
        ),
        pytest.param(
            child(ForeignKey(["a"], parents(), name="one"), ForeignKey(["A"], str(PARENT), name="two")),
            ["foreign key two is the same as foreign key one; keep one of the two [DS116 DuplicateConstraint]"],
            id="declared twice",
        ),
    ],
)
def test_declarations(model, expected):
    violations = PlanValidator().model_violations([model])

    assert [str(violation).removeprefix("dev.silver.orders: ") for violation in violations] == expected


THERE = state(stored("id", is_nullable=False), stored("a"), stored("c"))


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        pytest.param([state(stored("id", is_nullable=False), name=PARENT, primary_key=KEY)], [], id="there"),
        pytest.param(
            [],
            [
                (
                    "foreign key fk_dev_silver_orders__a needs dev.silver.parents, which cannot be read; apply that table"
                    " first, or together with this one, or leave the foreign key out [DS209 ForeignKeyWithoutParentKey]"
                )
            ],
            id="not read",
        ),
        pytest.param(
            [TableState(name=PARENT, exists=False)],
            [
                (
                    "foreign key fk_dev_silver_orders__a needs dev.silver.parents, which does not exist; apply that table"
                    " first, or together with this one, or leave the foreign key out [DS209 ForeignKeyWithoutParentKey]"
                )
            ],
            id="absent",
        ),
        pytest.param(
            [state(stored("id"), name=PARENT)],
            [
                (
                    "foreign key fk_dev_silver_orders__a references dev.silver.parents, which has no primary key;"
                    " give the parent its primary key [DS209 ForeignKeyWithoutParentKey]"
                )
            ],
            id="without a key",
        ),
        pytest.param(
            [state(stored("id", "string"), name=PARENT, primary_key=KEY)],
            [
                (
                    "column a of foreign key fk_dev_silver_orders__a is bigint, but id of dev.silver.parents is string;"
                    " give both columns one type [DS209 ForeignKeyWithoutParentKey]"
                )
            ],
            id="of another type",
        ),
    ],
)
@pytest.mark.parametrize("exists", [True, False])
def test_a_parent_that_is_known_by_name_is_judged_by_what_the_catalog_holds(there, expected, exists):
    own = THERE if exists else TableState(name=THERE.name, exists=False)
    plan = TablePlanner().plan([child(ForeignKey(["a"], str(PARENT)))], catalog(own, *there))

    violations = PlanValidator().plan_violations(plan)

    assert [str(violation).removeprefix("dev.silver.orders: ") for violation in violations] == expected


def test_a_dropped_key_drops_no_foreign_key_of_a_table_without_a_model():
    pointing = ForeignKeyState("theirs", ("a",), PARENT, ("id",))
    there = [
        state(stored("id"), stored("a"), foreign_keys=(pointing,)),
        state(stored("id"), name=PARENT, primary_key=KEY),
    ]

    plan = TablePlanner().plan([keyless()], catalog(*there))

    assert [str(violation) for violation in PlanValidator().plan_violations(plan)] == [
        (
            "dev.silver.orders: foreign key theirs references dev.silver.parents, which has no primary key;"
            " give the parent its primary key [DS209 ForeignKeyWithoutParentKey]"
        )
    ]
