"""Rules about foreign keys, UNIQUE and RELY: what they refuse, with which message, and what they accept."""

from __future__ import annotations

from dataclasses import replace

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
from pytest_delta_schema.models import Binding
from pytest_delta_schema.models.names import parse_binding
from pytest_delta_schema.plan import PrimaryKeyAdd, TablePlanner
from pytest_delta_schema.plugin.scratch import Scratch
from pytest_delta_schema.state import ForeignKeyState, KeyState, TableState
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.testing.scenario import ID, LONG, TEXT, columns, parent
from pytest_delta_schema.testing.scenario import child as child_table
from pytest_delta_schema.testing.scenario import column as scenario_column
from support.databricks import Doubled, Workspace
from support.models import NAME, catalog, column, state, stored, table
from support.snapshots import ReviewedCases
from support.violations import coded_violations_of, texts_of, violations_of, violations_of_plan

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


RENAME = "already; choose a different name with name=..."


def test_declarations(reviewed):
    case = ReviewedCases(violations_of)
    case("none", child())
    case("fits", child(ForeignKey(["a"], parents())))
    case("fits without case", child(ForeignKey(["A"], parents(), ["ID"])))
    case("fits in another order", child(ForeignKey(["a", "c"], parents("id", "b"), ["b", "id"])))
    case("somewhere else", child(ForeignKey(["a"], "prod.gold.others")))
    case("columns somewhere else", child(ForeignKey(["a"], "prod.gold.others", ["x"])))
    case("itself", child(ForeignKey(["a"], "dev.silver.orders"), primary_key=["id"]))
    case("columns that are not there, and twice", child(ForeignKey(["x", "a", "A"], "dev.silver.others")))
    a_map = table(A_MAP, foreign_keys=[ForeignKey(["m"], "dev.silver.others")])
    case("a map", a_map)
    for parent_name, of in (("parents", keyless()), ("orders", "dev.silver.orders")):
        case(f"{parent_name} without a key", child(ForeignKey(["a"], of)))
    case("another column of the parent", child(ForeignKey(["a"], parents(), ["b"])))
    case("too many columns", child(ForeignKey(["a", "c"], parents())))
    case("another type", child(ForeignKey(["a"], parents(kind=spark.StringType()))))
    keys = [
        ForeignKey([name], parents(), name=taken) for name, taken in {"a": "Taken", "c": "both", "id": "BOTH"}.items()
    ]
    case("names that are taken", child(*keys, checks=[Check("taken", "id > 0")]))
    case(
        "the name of the primary key",
        child(ForeignKey(["a"], parents(), name="PK_dev_silver_orders__id"), primary_key=["id"]),
    )
    case("declared twice", child(ForeignKey(["a"], parents(), name="one"), ForeignKey(["A"], str(PARENT), name="two")))
    assert case.text == reviewed


THERE = state(stored("id", is_nullable=False), stored("a"), stored("c"))


def test_a_parent_that_is_known_by_name_is_judged_by_what_the_catalog_holds(reviewed):
    model = child(ForeignKey(["a"], str(PARENT)))
    texts = set()
    for own in (THERE, TableState(name=THERE.name, exists=False)):
        case = ReviewedCases(lambda *there, own=own: violations_of_plan(model, own, *there))
        case("there", state(stored("id", is_nullable=False), name=PARENT, primary_key=KEY))
        case("not read")
        case("absent", TableState(name=PARENT, exists=False))
        case("without a key", state(stored("id"), name=PARENT))
        case("of another type", state(stored("id", "string"), name=PARENT, primary_key=KEY))
        texts.add(case.text)
    (text,) = texts
    assert text == reviewed


def test_a_dropped_key_drops_no_foreign_key_of_a_table_without_a_model():
    pointing = ForeignKeyState("theirs", ("a",), PARENT, ("id",))
    child_state = state(stored("id"), stored("a"), foreign_keys=(pointing,))

    assert violations_of_plan(keyless(), child_state, state(stored("id"), name=PARENT, primary_key=KEY)) == (
        "foreign key theirs references dev.silver.parents, which has no primary key; give the parent its primary key"
        " [DS209 ForeignKeyWithoutParentKey]"
    )


def test_a_foreign_key_of_which_rely_is_not_known_is_not_dropped_and_added_again():
    pointing = ForeignKeyState("theirs", ("a",), PARENT, ("id",), rely=None)
    before = replace(desired_state(parents()), primary_key=KEY._replace(name="old"))

    def refused(key):
        children = state(stored("id"), stored("a"), foreign_keys=(key,))
        return violations_of_plan(parents(), before, children, code="DS225")

    assert refused(pointing._replace(rely=False)) == ""
    assert refused(pointing) == (
        "foreign key theirs has to be dropped and added again, because the primary key of dev.silver.parents changes, and"
        " the catalog does not show whether queries may rely on it; give the principal the permission for SHOW CREATE"
        " TABLE dev.silver.orders, or let its model manage it [DS225 ForeignKeyOfUnknownRely]"
    )


MAIL, REGION = scenario_column("mail", TEXT), scenario_column("region", TEXT)


def wanted():
    return columns(ID, MAIL, unique=[Unique(["mail"])])


def key(name, *names):
    return KeyState(name, names, kind="unique constraint")


def test_rules_for_declarations(reviewed):
    case = ReviewedCases(coded_violations_of)
    case("valid", columns(ID, MAIL, primary_key=["id"], unique=[Unique(["mail"])]))
    case("one inside another", columns(ID, MAIL, unique=[Unique(["mail"]), Unique(["mail", "id"])]))
    case("columns that are missing and repeated", columns(ID, MAIL, unique=[Unique(["mail", "gone", "MAIL"])]))
    maps = columns(ID, scenario_column("m", ArrayType(MapType(LONG, LONG))), unique=[Unique(["id", "m"])])
    case("a collection", maps)
    key_columns = (ID, scenario_column("mail", is_nullable=False))
    model = columns(*key_columns, primary_key=["id", "mail"], unique=[Unique(["MAIL", "id"])])
    case("columns of the primary key", model)
    case(
        "columns of another one",
        columns(ID, MAIL, unique=[Unique(["mail"]), Unique(["mail"], name="other"), Unique(["Mail"])]),
    )
    names = {"mail": "Positive", "n": "PK_dev_silver_orders__id", "region": "positive"}
    unique = [Unique([column_name], name=name) for column_name, name in names.items()]
    others = {"primary_key": ["id"], "checks": [Check("positive", "id > 0")]}
    case("names of others", columns(ID, MAIL, REGION, scenario_column("n"), **others, unique=unique))
    model = child_table(ForeignKey(["parent"], parent(), name="u"), unique=[Unique(["region"], name="U")])
    case("name of a foreign key", model)
    half = columns(ID, unique=[Unique(["id"], name="\ud800")])
    case("half a character", half)
    assert case.text == reviewed


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


@pytest.mark.parametrize("runtime", [None, "18.x-scala2.13", "19.0.x-scala2.13"])
def test_newer_runtimes_of_databricks_have_unique_constraints(runtime):
    workspace = Workspace(MemoryCatalog())
    workspace.runtime = runtime
    Orchestrator.over(Doubled(workspace)).sync_tables([columns(ID, MAIL)])

    Orchestrator.over(Doubled(workspace)).sync_tables([wanted()])

    # What another runtime has added can be read and dropped.
    workspace.runtime = "16.4.x-scala2.12"
    Orchestrator.over(Doubled(workspace)).sync_tables([columns(ID, MAIL)])
    assert Doubled(workspace).snapshot([wanted()]).tables[NAME].unique == ()


@pytest.mark.parametrize("runtime", ["18.2.x-scala2.13", "16.4.x-scala2.12", "custom:local"])
def test_older_runtimes_refuse_them_before_anything_runs(runtime):
    workspace = Workspace(MemoryCatalog())
    workspace.runtime = runtime
    catalog = Doubled(workspace)
    Orchestrator.over(catalog).sync_tables([columns(ID, MAIL)])
    version = catalog.version(NAME)

    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(catalog).sync_tables([wanted()])

    assert texts_of(caught.value.diagnostics) == (
        "the databricks backend cannot add unique constraint: its runtime has no UNIQUE constraints, which came after"
        " 18.2; run it on a newer runtime or a SQL warehouse, or leave the constraint out [DS218 UnsupportedStatement]"
    )
    assert catalog.version(NAME) == version


def relied():
    return columns(ID, primary_key=PrimaryKey(["id"], rely=True))


def relied_child():
    return child_table(ForeignKey(["parent"], parent(), rely=True))


def refused(before, after, *others, preflight="off"):
    """Return the violations of an apply."""
    target = MemoryCatalog()
    Orchestrator.over(target).sync_tables([before, *others])
    try:
        Orchestrator.over(target, settings=Settings(preflight=preflight)).sync_tables([after])
    except UnsafePlanError as error:
        return [f"{violation.code} {violation.message}" for violation in error.diagnostics]
    return []


UNCHECKED = "is added with RELY, and no data check runs before it"


def test_rely_is_added_only_after_a_data_check():
    primary, foreign = (columns(ID), relied()), (child_table(), relied_child(), parent())

    assert refused(*primary) == [f"DS219 primary key pk_dev_silver_orders__id {UNCHECKED}"]
    assert refused(*foreign) == [f"DS219 foreign key fk_dev_silver_orders__parent {UNCHECKED}"]
    assert refused(*primary, preflight="limit") == refused(*foreign, preflight="limit") == []
    assert refused(columns(ID), columns(ID, primary_key=["id"])) == []
    assert refused(relied(), columns(ID, primary_key=["id"])) == []
    # A new table has no rows that could break it.
    assert refused(columns(ID, name="dev.silver.other"), relied()) == []
    assert refused(child_table(), child_table(ForeignKey(["parent"], parent())), parent()) == []


def test_a_dependent_foreign_key_with_rely_is_dropped_and_added_again():
    before = columns(ID, name="dev.silver.parents", primary_key=["id"])
    after = columns(ID, name="dev.silver.parents", primary_key=PrimaryKey(["id"], rely=True))
    dependent = columns(ID, foreign_keys=[ForeignKey(["id"], before, rely=True)])

    assert refused(before, after, dependent) == [f"DS219 primary key pk_dev_silver_parents__id {UNCHECKED}"]
    plan = TablePlanner().plan([after], catalog(desired_state(before), desired_state(dependent)))
    assert [[type(change).__name__ for change in action.changes] for action in plan.align_tables] == [
        ["ForeignKeyDrop", "ForeignKeyAdd"],
        ["PrimaryKeyDrop", "PrimaryKeyAdd"],
    ]
    assert [change.key.rely for change in plan.align_tables[1].all(PrimaryKeyAdd)] == [True]


def test_a_foreign_key_keeps_rely_where_it_is_bound_and_in_a_scratch_table():
    bound = Binding((parse_binding("dev.silver=ci.silver"),)).table(relied_child())
    scratch = Scratch(MemoryCatalog(), "main")
    copy = scratch.table(parent(), None, None)

    assert [(str(key.parent), key.rely) for key in bound.foreign_keys] == [("ci.silver.parents", True)]
    assert [(key.parent, key.rely) for key in scratch.table(relied_child(), None, None).foreign_keys] == [
        (copy.name, True)
    ]
