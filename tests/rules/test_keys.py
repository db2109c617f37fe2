"""Rules about foreign keys, UNIQUE and RELY: what they refuse, with which message, and what they accept."""

from __future__ import annotations

import json
from dataclasses import replace
from runpy import run_path

import pytest
from pyspark.sql import types as spark
from pyspark.sql.types import ArrayType, MapType

from pytest_delta_schema import (
    Check,
    Column,
    ForeignKey,
    MemoryCatalog,
    Orchestrator,
    PrimaryKey,
    QualifiedName,
    Settings,
    Unique,
    UnsafePlanError,
)
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.models import Binding
from pytest_delta_schema.models.names import parse_binding
from pytest_delta_schema.plan import PrimaryKeyAdd, TablePlanner, UniqueAdd
from pytest_delta_schema.plugin.scratch import Scratch
from pytest_delta_schema.report import model_source
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.state import ForeignKeyState, KeyState, TableState
from pytest_delta_schema.state.desired import declared_table, desired_state
from pytest_delta_schema.state.keys import key_property, keys_in_properties
from pytest_delta_schema.testing.scenario import ID, LONG, TEXT, columns, parent
from pytest_delta_schema.testing.scenario import child as child_table
from pytest_delta_schema.testing.scenario import column as scenario_column
from support.databricks import Doubled, Workspace
from support.models import NAME, catalog, column, state, stored, table

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
                ),
            ],
            id="a map",
        ),
        pytest.param(
            child(ForeignKey(["a"], keyless())),
            [
                (
                    "foreign key fk_dev_silver_orders__a references dev.silver.parents, which has no primary key;"
                    " give the parent its primary key [DS115 ForeignKeyMismatch]"
                ),
            ],
            id="a parent without a key",
        ),
        pytest.param(
            child(ForeignKey(["a"], "dev.silver.orders")),
            [
                (
                    "foreign key fk_dev_silver_orders__a references dev.silver.orders, which has no primary key;"
                    " give the parent its primary key [DS115 ForeignKeyMismatch]"
                ),
            ],
            id="itself without a key",
        ),
        pytest.param(
            child(ForeignKey(["a"], parents(), ["b"])),
            [
                (
                    "foreign key fk_dev_silver_orders__a references (b) of dev.silver.parents, whose primary key is (id);"
                    " reference the primary key, or change the primary key [DS115 ForeignKeyMismatch]"
                ),
            ],
            id="another column of the parent",
        ),
        pytest.param(
            child(ForeignKey(["a", "c"], parents())),
            [
                (
                    "foreign key fk_dev_silver_orders__a_c has 2 columns (a, c) for the 1 of (id) of dev.silver.parents;"
                    " name one column for each [DS115 ForeignKeyMismatch]"
                ),
            ],
            id="too many columns",
        ),
        pytest.param(
            child(ForeignKey(["a"], parents(kind=spark.StringType()))),
            [
                (
                    "column a of foreign key fk_dev_silver_orders__a is bigint, but id of dev.silver.parents is string;"
                    " give both columns one type [DS115 ForeignKeyMismatch]"
                ),
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
                ),
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
                ),
            ],
            id="not read",
        ),
        pytest.param(
            [TableState(name=PARENT, exists=False)],
            [
                (
                    "foreign key fk_dev_silver_orders__a needs dev.silver.parents, which does not exist; apply that table"
                    " first, or together with this one, or leave the foreign key out [DS209 ForeignKeyWithoutParentKey]"
                ),
            ],
            id="absent",
        ),
        pytest.param(
            [state(stored("id"), name=PARENT)],
            [
                (
                    "foreign key fk_dev_silver_orders__a references dev.silver.parents, which has no primary key;"
                    " give the parent its primary key [DS209 ForeignKeyWithoutParentKey]"
                ),
            ],
            id="without a key",
        ),
        pytest.param(
            [state(stored("id", "string"), name=PARENT, primary_key=KEY)],
            [
                (
                    "column a of foreign key fk_dev_silver_orders__a is bigint, but id of dev.silver.parents is string;"
                    " give both columns one type [DS209 ForeignKeyWithoutParentKey]"
                ),
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
        ),
    ]


MAIL, REGION = scenario_column("mail", TEXT), scenario_column("region", TEXT)


def wanted():
    return columns(ID, MAIL, unique=[Unique(["mail"])])


def key(name, *names):
    return KeyState(name, names, kind="unique constraint")


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: Unique("mail"), "columns of a unique constraint must be a list of names, got the bare string 'mail'"),
        (lambda: Unique([]), "a unique constraint has no columns; name at least one"),
        (lambda: Unique(["mail"], name=" "), "the name of a unique constraint is empty"),
        (
            lambda: columns(ID, unique=Unique(["id"])),
            r"unique must be a list of Unique, got Unique\(.*\); write \[Unique\(\.\.\.\), \.\.\.\]",
        ),
        (
            lambda: columns(ID, unique=["id"]),
            r"dev.silver.orders: unique\[0\] is 'id', not a Unique; write Unique\(columns\)",
        ),
    ],
    ids=["bare string", "no columns", "empty name", "no list", "no constraint"],
)
def test_a_declaration_that_can_never_be_valid_is_refused(declare, message):
    with pytest.raises(DeclarationError, match=message):
        declare()


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        pytest.param(columns(ID, MAIL, primary_key=["id"], unique=[Unique(["mail"])]), [], id="valid"),
        pytest.param(columns(ID, MAIL, unique=[Unique(["mail"]), Unique(["mail", "id"])]), [], id="one inside another"),
        pytest.param(
            columns(ID, MAIL, unique=[Unique(["mail", "gone", "MAIL"])]),
            [
                (
                    "DS123 unique.uq_dev_silver_orders__mail_gone_mail: unique constraint (mail, gone, MAIL) names mail"
                    " twice; name it once"
                ),
                (
                    "DS123 unique.uq_dev_silver_orders__mail_gone_mail: unique constraint (mail, gone, MAIL) names gone, which"
                    " is not a column of the model; declare it, or fix the constraint"
                ),
            ],
            id="columns that are missing and repeated",
        ),
        pytest.param(
            columns(ID, scenario_column("m", ArrayType(MapType(LONG, LONG))), unique=[Unique(["id", "m"])]),
            [
                (
                    "DS123 unique.uq_dev_silver_orders__id_m: unique constraint (id, m) names m, which is"
                    " array<map<bigint, bigint>>, whose values cannot be compared; choose columns whose types hold no map and no variant"
                ),
            ],
            id="a collection",
        ),
        pytest.param(
            columns(
                ID,
                scenario_column("mail", is_nullable=False),
                primary_key=["id", "mail"],
                unique=[Unique(["MAIL", "id"])],
            ),
            [
                (
                    "DS124 unique.uq_dev_silver_orders__mail_id: "
                    "unique constraint (MAIL, id) has the same columns as primary"
                    " key pk_dev_silver_orders__id_mail; keep one of the two"
                ),
            ],
            id="columns of the primary key",
        ),
        pytest.param(
            columns(ID, MAIL, unique=[Unique(["mail"]), Unique(["mail"], name="other"), Unique(["Mail"])]),
            [
                (
                    "DS124 unique.uq_dev_silver_orders__mail: "
                    "unique constraint (mail) has the same columns as unique constraint"
                    " other; keep one of the two"
                ),
                (
                    "DS124 unique.uq_dev_silver_orders__mail: "
                    "unique constraint (Mail) has the same columns as unique constraint"
                    " other; keep one of the two"
                ),
            ],
            id="columns of another one",
        ),
        pytest.param(
            columns(
                ID,
                MAIL,
                REGION,
                scenario_column("n"),
                primary_key=["id"],
                checks=[Check("positive", "id > 0")],
                unique=[
                    Unique(["mail"], name="Positive"),
                    Unique(["n"], name="PK_dev_silver_orders__id"),
                    Unique(["region"], name="positive"),
                ],
            ),
            [
                (
                    "DS124 unique.PK_dev_silver_orders__id: "
                    "unique constraint (n) has the name PK_dev_silver_orders__id, which"
                    " primary key (id) has already; choose a different name with name=..."
                ),
                (
                    "DS124 unique.Positive: "
                    "unique constraint (mail) has the name Positive, which check positive has already;"
                    " choose a different name with name=..."
                ),
                (
                    "DS124 unique.positive: "
                    "unique constraint (region) has the name positive, which check positive has already;"
                    " choose a different name with name=..."
                ),
            ],
            id="names of others",
        ),
        pytest.param(
            child_table(ForeignKey(["parent"], parent(), name="u"), unique=[Unique(["region"], name="U")]),
            [
                (
                    "DS116 foreign_keys.u: "
                    "foreign key (parent) has the name u, which the unique constraint has already; choose"
                    " a different name with name=..."
                ),
            ],
            id="name of a foreign key",
        ),
        pytest.param(
            columns(ID, unique=[Unique(["id"], name="\ud800")]),
            [
                (
                    "DS122 : the name of a unique constraint '\\ud800' holds half a character (a lone surrogate), which"
                    " UTF-8 cannot encode; write the whole character"
                ),
            ],
            id="half a character",
        ),
    ],
)
def test_rules_for_declarations(model, expected):
    violations = PlanValidator().model_violations([model])

    assert [
        f"{violation.code} {violation.path}: {violation.message}; {violation.remedy}" for violation in violations
    ] == expected


def test_names_are_derived_from_the_model_and_hashed_past_the_limit():
    long = "c" * 250
    model = Binding((parse_binding("dev.silver=ci.silver"),)).table(
        columns(
            ID, scenario_column(long), unique=[Unique(["id"]), Unique([long]), Unique(["id", long], name="chosen")]
        ),
    )

    names = [unique.name for unique in desired_state(model).unique]

    assert names[0] == "chosen"
    assert names[1].startswith("uq_dev_silver_orders__ccc")
    assert len(names[1]) == 255
    assert names[2] == "uq_dev_silver_orders__id"


def test_a_change_has_columns():
    with pytest.raises(ValueError, match="UniqueAdd would change nothing; leave it out of the plan"):
        UniqueAdd(key=key("u"))


def test_a_table_with_unique_columns_is_adopted(tmp_path):
    model = columns(ID, MAIL, REGION, unique=[Unique(["mail"]), Unique(["region", "mail"], name="chosen")])
    state = desired_state(model)
    path = tmp_path / "models.py"

    path.write_text(model_source(declared_table(state)), "utf-8")

    assert '    unique=[Unique(["region", "mail"], name="chosen"), Unique(["mail"])],\n' in path.read_text("utf-8")
    assert desired_state(run_path(str(path))["orders"]).unique == state.unique


def test_each_constraint_has_a_property_in_open_source_delta():
    keys = (key("One_account", "mail", "día"), key("two", "id"))
    properties = {**key_property(keys[1]), **key_property(keys[0])}

    assert properties == {
        "pytest_delta_schema.unique.two": '{"name": "two", "columns": ["id"]}',
        "pytest_delta_schema.unique.one_account": '{"name": "One_account", "columns": ["mail", "día"]}',
    }
    assert keys_in_properties(properties) == {"primary_key": None, "unique": keys, "foreign_keys": ()}


def test_repeated_values_block_the_plan_and_rows_with_null_do_not():
    target = MemoryCatalog()
    before = columns(ID, MAIL, REGION)
    after = columns(ID, MAIL, REGION, unique=[Unique(["mail", "region"])])
    Orchestrator.over(target).sync_tables([before])
    target.insert(NAME, [{"id": 1, "mail": "a"}, {"id": 2, "mail": "a"}, {"id": 3, "mail": "a", "region": "EU"}])
    Orchestrator.over(target).sync_tables([after])
    Orchestrator.over(target).sync_tables([before])
    target.insert(NAME, [{"id": 4, "mail": "a", "region": "EU"}])

    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(target).sync_tables([after])

    (violation,) = caught.value.diagnostics
    assert (violation.code, violation.path) == ("DS303", "unique.uq_dev_silver_orders__mail_region")
    assert str(violation.full_message) == (
        "unique constraint uq_dev_silver_orders__mail_region (mail, region) cannot be added, because 1 row repeats the"
        " key of another, of 4, such as (mail, region) = (a, EU)"
    )


def test_without_data_checks_it_is_added_unchecked_because_no_query_relies_on_it():
    target = MemoryCatalog()
    Orchestrator.over(target).sync_tables([columns(ID, MAIL)])
    target.insert(NAME, [{"id": 1, "mail": "a"}, {"id": 2, "mail": "a"}])

    Orchestrator.over(target, settings=Settings(preflight="off")).sync_tables([wanted()])

    assert target.snapshot([wanted()]).tables[NAME].unique == (key("uq_dev_silver_orders__mail", "mail"),)


@pytest.mark.parametrize(
    ("runtime", "expected"),
    [
        (None, []),
        ("18.x-scala2.13", []),
        ("19.0.x-scala2.13", []),
        *(
            (
                runtime,
                [
                    (
                        "DS218 the databricks backend cannot add unique constraint: its runtime has no UNIQUE"
                        " constraints, which came after 18.2; run it on a newer runtime or a SQL warehouse, or leave the"
                        " constraint out"
                    ),
                ],
            )
            for runtime in ("18.2.x-scala2.13", "16.4.x-scala2.12", "custom:local")
        ),
    ],
)
def test_old_runtimes_of_databricks_refuse_it_before_anything_runs(runtime, expected):
    workspace = Workspace(MemoryCatalog())
    workspace.runtime = runtime
    catalog = Doubled(workspace)
    Orchestrator.over(catalog).sync_tables([columns(ID, MAIL)])
    version = catalog.version(NAME)

    try:
        Orchestrator.over(catalog).sync_tables([wanted()])
    except UnsafePlanError as error:
        messages = [f"{violation.code} {violation.message}; {violation.remedy}" for violation in error.diagnostics]
    else:
        messages = []

    assert messages == expected
    assert (catalog.version(NAME) == version) is bool(expected)
    # What another runtime has added can be read and dropped.
    workspace.runtime = None
    Orchestrator.over(Doubled(workspace)).sync_tables([wanted()])
    workspace.runtime = "16.4.x-scala2.12"
    Orchestrator.over(catalog).sync_tables([columns(ID, MAIL)])
    assert catalog.snapshot([wanted()]).tables[NAME].unique == ()


def relied():
    return columns(ID, primary_key=PrimaryKey(["id"], rely=True))


def relied_child():
    return child_table(ForeignKey(["parent"], parent(), rely=True))


def refused(before, after, *others, preflight):
    """Return the violations of an apply."""
    target = MemoryCatalog()
    Orchestrator.over(target).sync_tables([before, *others])
    try:
        Orchestrator.over(target, settings=Settings(preflight=preflight)).sync_tables([after])
    except UnsafePlanError as error:
        return [f"{violation.code} {violation.message}" for violation in error.diagnostics]
    return []


@pytest.mark.parametrize(
    ("before", "after", "others", "expected"),
    [
        pytest.param(
            columns(ID),
            relied(),
            [],
            ["DS219 primary key pk_dev_silver_orders__id is added with RELY, and no data check runs before it"],
            id="primary key",
        ),
        pytest.param(
            child_table(),
            relied_child(),
            [parent()],
            ["DS219 foreign key fk_dev_silver_orders__parent is added with RELY, and no data check runs before it"],
            id="foreign key",
        ),
        pytest.param(columns(ID), columns(ID, primary_key=["id"]), [], [], id="without RELY"),
        pytest.param(relied(), columns(ID, primary_key=["id"]), [], [], id="RELY removed"),
        pytest.param(
            child_table(),
            child_table(ForeignKey(["parent"], parent())),
            [parent()],
            [],
            id="foreign key without RELY",
        ),
    ],
)
def test_rely_is_added_only_after_a_data_check(before, after, others, expected):
    assert refused(before, after, *others, preflight="off") == expected
    assert refused(before, after, *others, preflight="limit") == []


def test_a_new_table_has_no_rows_that_could_break_rely():
    target = MemoryCatalog()

    Orchestrator.over(target, settings=Settings(preflight="off")).sync_tables([relied()])

    (state,) = target.snapshot([relied()]).tables.values()
    assert state.primary_key is not None
    assert state.primary_key.rely


def test_a_dependent_foreign_key_with_rely_is_dropped_and_added_again():
    before = columns(ID, name="dev.silver.parents", primary_key=["id"])
    after = columns(ID, name="dev.silver.parents", primary_key=PrimaryKey(["id"], rely=True))
    dependent = columns(ID, foreign_keys=[ForeignKey(["id"], before, rely=True)])

    assert refused(before, after, dependent, preflight="off") == [
        "DS219 primary key pk_dev_silver_parents__id is added with RELY, and no data check runs before it",
    ]
    plan = TablePlanner().plan([after], catalog(desired_state(before), desired_state(dependent)))
    assert [[type(change).__name__ for change in action.changes] for action in plan.align_tables] == [
        ["ForeignKeyDrop", "ForeignKeyAdd"],
        ["PrimaryKeyDrop", "PrimaryKeyAdd"],
    ]
    assert [change.key.rely for change in plan.align_tables[1].all(PrimaryKeyAdd)] == [True]


def test_a_primary_key_without_columns_is_refused():
    with pytest.raises(DeclarationError, match="a primary key has no columns; name at least one"):
        PrimaryKey([])


def test_a_primary_key_without_rely_is_a_list_of_columns():
    assert desired_state(columns(ID, primary_key=PrimaryKey(["id"]))) == desired_state(columns(ID, primary_key=["id"]))
    assert "PrimaryKey" not in model_source(columns(ID, primary_key=PrimaryKey(["id"])))


@pytest.mark.parametrize("model", [relied(), relied_child()], ids=["primary key", "foreign key"])
def test_a_table_with_rely_is_adopted(model):
    state = replace(desired_state(model), version=None)
    adopted = declared_table(state)

    assert desired_state(adopted).primary_key == state.primary_key
    assert desired_state(adopted).foreign_keys == state.foreign_keys
    assert "rely=True" in model_source(adopted)


def test_rely_is_kept_in_the_properties_of_open_source_delta():
    plain, relied_on = KeyState("pk", ("id",)), KeyState("pk", ("id",), rely=True)
    foreign = ForeignKeyState("fk", ("id",), NAME, ("id",), rely=True)

    assert list(key_property(plain).values()) == ['{"name": "pk", "columns": ["id"]}']
    assert [keys_in_properties(key_property(key))["primary_key"] for key in (plain, relied_on)] == [plain, relied_on]
    (value,) = key_property(foreign).values()
    assert json.loads(value)["rely"] is True


def test_a_bound_foreign_key_keeps_rely():
    bound = Binding((parse_binding("dev.silver=ci.silver"),)).table(relied_child())

    assert [(str(key.parent), key.rely) for key in bound.foreign_keys] == [("ci.silver.parents", True)]


def test_a_foreign_key_of_a_scratch_table_keeps_rely():
    scratch = Scratch(MemoryCatalog(), "main")
    copy = scratch.table(parent(), None, None)

    (key,) = scratch.table(relied_child(), None, None).foreign_keys

    assert (key.parent, key.rely) == (copy.name, True)
