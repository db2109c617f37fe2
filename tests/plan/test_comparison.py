"""Comparing two states: foreign keys, names that are stored in another case, and types that widen."""

from __future__ import annotations

import pytest

from pytest_delta_schema import ForeignKey, QualifiedName
from pytest_delta_schema.delta.fields import Widening, widening
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.models.names import StoredName
from pytest_delta_schema.plan import ForeignKeyDrop, TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.plan.changes import SetTableProperties, SetTags
from pytest_delta_schema.sql import script, statements
from pytest_delta_schema.state import ArrayState, CatalogState, ForeignKeyState, KeyState, TableState
from support.models import NAME as ORDERS
from support.models import catalog, column, state, stored, table

PARENT = QualifiedName("dev", "silver", "customers")
OTHER = QualifiedName("dev", "silver", "others")
CHILD = QualifiedName("dev", "silver", "orders")
NAME = "fk_dev_silver_orders__customer_id"
STORED = ForeignKeyState(NAME, ("customer_id",), PARENT, ("id",))
TEXT = "(customer_id) references dev.silver.customers (id)"
OLD_KEY = KeyState("pk_dev_silver_customers__id", ("id",))


def customers(*key: str):
    columns = [column(name, is_nullable=False) for name in ("id", "region")]
    return table(*columns, name=str(PARENT), primary_key=key)


def orders(*keys: ForeignKey):
    return table(column(), column("customer_id"), foreign_keys=keys)


def customers_before(key: KeyState | None = OLD_KEY, name: QualifiedName = PARENT):
    columns = [stored(item, is_nullable=False) for item in ("id", "region")]
    return state(*columns, name=name, primary_key=key)


def orders_before(*keys: ForeignKeyState):
    return state(stored(), stored("customer_id"), name=CHILD, foreign_keys=keys)


def shown(models, *there, other_models=()) -> list[str]:
    plan = TablePlanner().plan(models, catalog(*there), other_models=other_models)
    return [f"{action.table.table}: {line}" for action in plan.actions for line in change_lines(action)]


@pytest.mark.parametrize(
    ("keys", "there", "expected"),
    [
        pytest.param([], [], [], id="none"),
        pytest.param(
            [ForeignKey(["customer_id"], customers("id"))],
            [],
            [f"orders: + foreign_keys.{NAME}: (absent) -> {TEXT}"],
            id="added",
        ),
        pytest.param([], [STORED], [f"orders: - foreign_keys.{NAME}: {TEXT} -> (absent)"], id="dropped"),
        pytest.param([ForeignKey(["customer_id"], customers("id"))], [STORED], [], id="the same"),
        pytest.param(
            [ForeignKey(["CUSTOMER_ID"], customers("ID"), name=NAME.upper())],
            [STORED],
            [],
            id="in another case",
        ),
        pytest.param([ForeignKey(["customer_id"], str(PARENT))], [STORED], [], id="parent's key left to the parent"),
        pytest.param(
            [ForeignKey(["customer_id"], customers("id"))],
            [STORED._replace(parent_columns=())],
            [],
            id="parent's key written out",
        ),
        pytest.param(
            [ForeignKey(["customer_id"], str(OTHER), ["id"])],
            [STORED],
            [
                f"orders: - foreign_keys.{NAME}: {TEXT} -> (absent)",
                f"orders: + foreign_keys.{NAME}: (absent) -> (customer_id) references dev.silver.others (id)",
            ],
            id="another parent",
        ),
        pytest.param(
            [ForeignKey(["customer_id"], str(PARENT), ["region"])],
            [STORED],
            [
                f"orders: - foreign_keys.{NAME}: {TEXT} -> (absent)",
                f"orders: + foreign_keys.{NAME}: (absent) -> (customer_id) references dev.silver.customers (region)",
            ],
            id="another column of the parent",
        ),
        pytest.param(
            [ForeignKey(["customer_id"], customers("id"), name="to_customer")],
            [STORED],
            [
                f"orders: - foreign_keys.{NAME}: {TEXT} -> (absent)",
                f"orders: + foreign_keys.to_customer: (absent) -> {TEXT}",
            ],
            id="another name",
        ),
    ],
)
def test_a_tables_own_foreign_keys(keys, there, expected):
    assert shown([orders(*keys)], orders_before(*there), customers_before()) == expected


DROPPED = f"orders: - foreign_keys.{NAME}: {TEXT} -> (absent)"
ADDED = f"orders: + foreign_keys.{NAME}: (absent) -> {TEXT}"
KEY_DROPPED = "customers: - primary_key: pk_dev_silver_customers__id (id) -> (absent)"
OTHER_NAME = KeyState("somebody_elses", ("id",))
RENAMED = [
    "customers: - primary_key: somebody_elses (id) -> (absent)",
    "customers: + primary_key: (absent) -> pk_dev_silver_customers__id (id)",
]


def child():
    return orders(ForeignKey(["customer_id"], customers("id")))


@pytest.mark.parametrize(
    ("models", "key", "other_models", "expected"),
    [
        pytest.param([customers("id"), child()], OLD_KEY, [], [], id="unchanged"),
        pytest.param(
            [customers("id"), child()],
            OTHER_NAME,
            [],
            [*RENAMED, DROPPED, ADDED],
            id="changed, child in the run",
        ),
        pytest.param([customers("id")], OTHER_NAME, [child()], [*RENAMED, DROPPED, ADDED], id="child known"),
        pytest.param([customers("id")], OTHER_NAME, [], [*RENAMED, DROPPED, ADDED], id="child without a model"),
        pytest.param([customers("id")], OTHER_NAME, [orders()], [*RENAMED, DROPPED], id="no more wanted"),
        pytest.param(
            [customers("id")],
            OTHER_NAME,
            [table(column(), owns={"foreign_keys": "ignore"})],
            [*RENAMED, DROPPED, ADDED],
            id="child does not manage its foreign keys",
        ),
        pytest.param([customers()], OLD_KEY, [orders()], [KEY_DROPPED, DROPPED], id="key goes, and no more wanted"),
        pytest.param([customers()], OLD_KEY, [], [KEY_DROPPED, DROPPED, ADDED], id="key goes, for a rule to refuse"),
        pytest.param([customers(), orders()], OLD_KEY, [], [KEY_DROPPED, DROPPED], id="both go"),
    ],
)
def test_foreign_keys_follow_the_key_they_point_at(models, key, other_models, expected):
    assert shown(models, customers_before(key), orders_before(STORED), other_models=other_models) == expected


def test_the_changes_of_a_child_and_those_that_follow_stand_in_one_order():
    model = table(
        column(),
        column("customer_id", comment="Who"),
        column("b"),
        foreign_keys=[ForeignKey(["customer_id"], customers("id"))],
        table_properties={"delta.columnMapping.mode": "name"},
    )

    lines = shown([customers("id"), model], customers_before(OTHER_NAME), orders_before(STORED))

    assert lines == [
        *RENAMED,
        DROPPED,
        "orders: + properties.delta.columnMapping.mode: (absent) -> 'name'",
        "orders: + columns.b: (absent) -> bigint",
        "orders: ~ columns.customer_id.comment: '' -> 'Who'",
        ADDED,
    ]


def test_foreign_keys_to_other_tables_stay_where_they_are():
    other = ForeignKeyState("other", ("id",), OTHER, ("id",))

    lines = shown([customers("id")], customers_before(OTHER_NAME), orders_before(STORED, other))

    assert lines == [*RENAMED, DROPPED, ADDED]


def test_new_foreign_keys_come_with_their_parents_as_they_will_be():
    plan = TablePlanner().plan([child(), customers("id")], catalog(orders_before(), customers_before(None)))

    action = next(action for action in plan.actions if action.table == CHILD)

    assert action.parents[PARENT].primary_key == OLD_KEY
    assert action.foreign_keys[0].key == STORED
    assert action.all(ForeignKeyDrop) == ()


def test_a_parent_that_was_not_read_is_left_out():
    plan = TablePlanner().plan([child()], catalog(orders_before()))

    assert dict(plan.actions[0].parents) == {}


MIXED = StoredName.of(QualifiedName("dev", "silver", "Orders"))
STORED_PARENT = StoredName.of(QualifiedName("dev", "Silver", "Parents"))


def sql(plan):
    return script(statement for action in plan.actions for statement in statements(action))


def test_a_stored_name_is_the_name_in_lower_case():
    assert MIXED == ORDERS
    assert hash(MIXED) == hash(ORDERS)
    assert (str(MIXED), str(MIXED.written)) == ("dev.silver.orders", "dev.silver.Orders")
    assert ORDERS.written is ORDERS
    assert type(StoredName.of(ORDERS)) is QualifiedName


def test_a_table_in_another_case_is_clean_and_noted():
    plan = TablePlanner().plan([table(column())], catalog(state(stored("id"), name=MIXED)))

    assert plan.is_empty
    assert list(map(str, plan.notes)) == [
        "dev.silver.orders: the catalog stores it as dev.silver.Orders; names match without case",
    ]


def test_it_is_altered_as_it_is_stored():
    plan = TablePlanner().plan([table(column(), comment="All")], catalog(state(stored("id"), name=MIXED)))

    assert sql(plan) == "COMMENT ON TABLE `dev`.`silver`.`Orders` IS 'All';"
    assert plan.align_tables[0].table == ORDERS


@pytest.mark.parametrize(
    ("has_schema", "text"),
    [
        (True, "CREATE TABLE `Dev`.`Silver`.`orders` ("),
        (False, "CREATE SCHEMA IF NOT EXISTS `Dev`.`Silver`;"),
    ],
)
def test_a_new_table_is_created_in_the_schema_as_stored(has_schema, text):
    absent = StoredName.of(QualifiedName("Dev", "Silver", "orders"))

    plan = TablePlanner().plan(
        [table(column())],
        catalog(TableState(name=absent, exists=False, schema_exists=has_schema)),
    )

    assert sql(plan).startswith(text)


@pytest.mark.parametrize("exists", [True, False])
def test_a_foreign_key_points_at_its_parent_as_it_is_stored(exists):
    parent = table(column(is_nullable=False), name="dev.silver.parents", primary_key=["id"])
    child = table(column(), column("p"), foreign_keys=[ForeignKey(["p"], parent)])
    there = state(stored("id"), stored("p")) if exists else TableState(name=ORDERS, exists=False)
    key = TablePlanner().plan([parent], catalog(state(stored("id", is_nullable=False), name=STORED_PARENT)))

    plan = TablePlanner().plan(
        [child],
        CatalogState(tables={ORDERS: there, STORED_PARENT: key.align_tables[0].observed}),
    )

    (action,) = plan.actions
    assert sql(plan).endswith("FOREIGN KEY (`p`) REFERENCES `dev`.`Silver`.`Parents` (`id`);")
    assert set(action.parents) == {parent.name}


def test_what_a_model_only_reports_names_the_stored_table():
    matched = table(column(), comment="All", owns={"comments": "report"})

    plan = TablePlanner().plan([matched], catalog(state(stored("id"), name=MIXED)))

    assert plan.mismatches[0].table.written == MIXED.written


ALWAYS, FEATURE = Widening.ALWAYS, Widening.BY_FEATURE
TYPES_OF_VOID = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal(10,2)", "string", "binary"),
    *("date", "timestamp", "timestamp_ntz", "variant"),
)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("tinyint", "smallint", FEATURE),
        ("tinyint", "int", FEATURE),
        ("tinyint", "bigint", FEATURE),
        ("smallint", "int", FEATURE),
        ("int", "bigint", FEATURE),
        ("bigint", "int", None),
        ("int", "smallint", None),
        ("tinyint", "double", FEATURE),
        ("int", "double", FEATURE),
        ("bigint", "double", None),
        ("float", "double", FEATURE),
        ("double", "float", None),
        ("int", "float", None),
        ("tinyint", "decimal(10,0)", FEATURE),
        ("int", "decimal(10,0)", FEATURE),
        ("int", "decimal(12,2)", FEATURE),
        ("int", "decimal(11,2)", None),
        ("int", "decimal(9,0)", None),
        ("bigint", "decimal(20,0)", FEATURE),
        ("bigint", "decimal(19,0)", None),
        ("bigint", "decimal(21,1)", FEATURE),
        ("decimal(5,2)", "decimal(6,2)", FEATURE),
        ("decimal(5,2)", "decimal(7,4)", FEATURE),
        ("decimal(5,2)", "decimal(6,4)", None),
        ("decimal(5,2)", "decimal(5,3)", None),
        ("decimal(5,2)", "decimal(4,1)", None),
        ("decimal(5,2)", "bigint", None),
        ("float", "decimal(38,10)", None),
        ("date", "timestamp_ntz", FEATURE),
        ("date", "timestamp", None),
        ("timestamp_ntz", "timestamp", None),
        ("varchar(3)", "varchar(5)", ALWAYS),
        ("varchar(5)", "varchar(3)", None),
        ("char(3)", "varchar(3)", ALWAYS),
        ("char(3)", "varchar(2)", None),
        ("char(3)", "char(5)", None),
        ("varchar(3)", "char(5)", None),
        ("varchar(3)", "string", ALWAYS),
        ("char(3)", "string", ALWAYS),
        ("varchar(3)", "bigint", None),
        ("string", "varchar(9)", None),
        ("int", "string", None),
        ("boolean", "int", None),
        ("int", "int", None),
        ("int", ArrayState("int", True), None),
        (ArrayState("int", True), ArrayState("bigint", True), None),
        *[("void", after, ALWAYS) for after in TYPES_OF_VOID],
        *[("void", after, ALWAYS) for after in ("varchar(3)", "char(3)")],
        *[
            ("void", after, None)
            for after in ("void", "string collate UTF8_LCASE", "interval day to second", "time(6)")
        ],
        ("void", ArrayState("int", True), None),
        ("int", "void", None),
    ],
)
def test_delta_4(before, after, expected):
    assert widening(before, after) is expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        *[("void", after, ALWAYS) for after in TYPES_OF_VOID],
        ("int", "bigint", FEATURE),
        ("decimal(5,2)", "decimal(6,2)", FEATURE),
        ("void", "varchar(3)", None),
        ("void", "char(3)", None),
        ("varchar(3)", "varchar(5)", None),
        ("char(3)", "string", None),
    ],
)
def test_fields(before, after, expected):
    assert widening(before, after, is_nested=True) is expected


@pytest.mark.parametrize("version", [(3, 3), (4, 0), (4, 1)])
def test_void_before_delta_4_4(version):
    assert widening("void", "string", version) is None


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("tinyint", "smallint", FEATURE),
        ("tinyint", "int", FEATURE),
        ("smallint", "int", FEATURE),
        ("int", "bigint", None),
        ("float", "double", None),
        ("decimal(5,2)", "decimal(6,2)", None),
        ("varchar(3)", "varchar(5)", ALWAYS),
    ],
)
def test_delta_3(before, after, expected):
    assert widening(before, after, (3, 3)) is expected


LOG, FILES = "delta.logRetentionDuration", "delta.deletedFileRetentionDuration"


@pytest.mark.parametrize(
    ("declared", "there", "expected", "paths"),
    [
        (
            {LOG: "90 days", FILES: "60 days"},
            {LOG: "interval 90 days"},
            {LOG: "interval 90 days", FILES: "60 days"},
            [f"properties.{FILES}"],
        ),
        ({LOG: "90 days", FILES: "60 days"}, {LOG: "90 days", FILES: "60 days", "team": "core"}, {}, []),
        ({FILES: "1 day"}, {LOG: "90 days"}, {FILES: "1 day"}, [f"properties.{FILES}"]),
        (
            {LOG: None, FILES: "1 day"},
            {LOG: "90 days"},
            {FILES: "1 day"},
            [f"properties.{FILES}", f"properties.{LOG}"],
        ),
        (
            {LOG: "90 days", "team": "core"},
            {LOG: "90 days", FILES: "60 days"},
            {"team": "core"},
            ["properties.team"],
        ),
    ],
)
def test_the_retentions_that_a_model_declares_are_set_together(declared, there, expected, paths):
    plan = TablePlanner().plan(
        [table(column(), table_properties=declared)], catalog(state(stored("id"), table_properties=there))
    )
    changes = [change for action in plan.actions for change in action.all(SetTableProperties)]

    assert {key: value for change in changes for key, value in change.properties.items()} == expected
    assert [line.path for action in plan.actions for line in change_lines(action)] == paths


@pytest.mark.parametrize("comment", ["", "The first."])
@pytest.mark.parametrize(
    ("there", "wanted", "expected"),
    [
        ({"a": {"pii": "no"}}, {"a": {"pii": "no"}}, []),
        ({"A": {"pii": "no"}}, {"a": {"pii": "no"}}, []),
        ({"a": {"pii": "no", "team": "crm"}}, {"a": {"pii": "no"}}, []),
        ({"a": {"pii": "no"}}, {"a": {"pii": "no", "team": None}}, []),
        ({}, {"a": {"team": None}}, []),
        ({"a": {"pii": "no", "team": "crm"}}, {"a": {"pii": "no", "team": None}}, ["- columns.a.tags.team"]),
        ({"a": {"PII": "no"}}, {"a": {"pii": "no"}}, ["+ columns.a.tags.pii"]),
        (
            {"a": {"pii": "yes"}},
            {"a": {"pii": "no"}, "b": {"pii": "no"}},
            ["~ columns.a.tags.pii", "+ columns.b.tags.pii"],
        ),
        ({"b": {"pii": "no"}}, {"a": {"pii": "no"}}, ["+ columns.a.tags.pii"]),
    ],
)
def test_the_tags_of_columns_are_compared_by_column_and_key(comment, there, wanted, expected):
    """They are compared alone, and together with a change of something else."""
    tags = {ColumnPath(name): values for name, values in there.items()}
    columns = [column(name, tags=wanted.get(name, {}), comment=comment if name == "a" else "") for name in "ab"]

    lines = shown([table(*columns)], state(stored("a"), stored("b"), tags=tags))

    others = ["~ columns.a.comment"] if comment else []
    assert sorted(line.split(": ")[1] for line in lines) == sorted([*expected, *others])


def test_a_column_that_takes_the_name_of_a_renamed_one_does_not_have_its_tags():
    columns = [column("c", renamed_from="b"), column("b", renamed_from="a", tags={"pii": "no"})]

    before = state(stored("a"), stored("b"), tags={ColumnPath("b"): {"pii": "no"}})
    (action,) = TablePlanner().plan([table(*columns)], catalog(before)).align_tables

    assert action.all(SetTags) == (SetTags(path=ColumnPath("b"), tags={"pii": "no"}),)
