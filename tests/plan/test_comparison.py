"""Comparing two states: foreign keys, names that are stored in another case, and types that widen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema import ForeignKey, QualifiedName
from pytest_delta_schema.delta.fields import Widening, widening
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.models.names import StoredName
from pytest_delta_schema.plan import ForeignKeyDrop, TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.plan.changes import SetTableProperties, SetTags
from pytest_delta_schema.plan.data_checks import data_checks_of
from pytest_delta_schema.sql import script, statements
from pytest_delta_schema.state import ArrayState, CatalogState, ForeignKeyState, KeyState, TableState
from support.case_tables import cases, named_cases
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


def test_a_tables_own_foreign_keys():
    def own(there, *arguments, **options):
        keys = [ForeignKey(*arguments, **options)] if arguments else []
        return shown([orders(*keys)], orders_before(*there), customers_before())

    customer, parent = ["customer_id"], customers("id")
    assert own([]) == own([STORED], customer, parent) == own([STORED], customer, str(PARENT)) == []
    assert own([STORED], ["CUSTOMER_ID"], customers("ID"), name=NAME.upper()) == []
    assert own([STORED._replace(parent_columns=())], customer, parent) == []
    assert own([], customer, parent) == [ADDED]
    assert own([STORED]) == [DROPPED]
    added = f"orders: + foreign_keys.{NAME}: (absent) -> (customer_id) references"
    assert own([STORED], customer, str(OTHER), ["id"]) == [DROPPED, f"{added} dev.silver.others (id)"]
    assert own([STORED._replace(parent=OTHER)], customer, parent) == [DROPPED.replace("customers", "others"), ADDED]
    assert own([STORED], customer, str(PARENT), ["region"]) == [DROPPED, f"{added} dev.silver.customers (region)"]
    renamed = f"orders: + foreign_keys.to_customer: (absent) -> {TEXT}"
    assert own([STORED], customer, parent, name="to_customer") == [DROPPED, renamed]


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


def test_foreign_keys_follow_the_key_they_point_at():
    with named_cases(
        lambda models, key, others: shown(models, customers_before(key), orders_before(STORED), other_models=others)
    ) as case:
        case("unchanged", [customers("id"), child()], OLD_KEY, [], [])
        case("changed, child in the run", [customers("id"), child()], OTHER_NAME, [], [*RENAMED, DROPPED, ADDED])
        case("child known", [customers("id")], OTHER_NAME, [child()], [*RENAMED, DROPPED, ADDED])
        case("child without a model", [customers("id")], OTHER_NAME, [], [*RENAMED, DROPPED, ADDED])
        case("no more wanted", [customers("id")], OTHER_NAME, [orders()], [*RENAMED, DROPPED])
        case(
            "child does not manage its foreign keys",
            [customers("id")],
            OTHER_NAME,
            [table(column(), owns={"foreign_keys": "ignore"})],
            [*RENAMED, DROPPED, ADDED],
        )
        case("key goes, and no more wanted", [customers()], OLD_KEY, [orders()], [KEY_DROPPED, DROPPED])
        case("key goes, for a rule to refuse", [customers()], OLD_KEY, [], [KEY_DROPPED, DROPPED, ADDED])
        case("both go", [customers(), orders()], OLD_KEY, [], [KEY_DROPPED, DROPPED])
    before = catalog(customers_before(OTHER_NAME), orders_before(STORED))
    actions = TablePlanner().plan([customers("id"), child()], before).actions
    assert {action.table: data_checks_of(action) for action in actions}[CHILD] == ()


def test_the_changes_of_a_child_and_those_that_follow_stand_in_one_order():
    keys = [ForeignKey(["customer_id"], customers("id")), ForeignKey(["id"], str(OTHER), ["id"], name="other")]
    properties = {"delta.columnMapping.mode": "name"}
    columns = [column(), column("customer_id", comment="Who"), column("b")]
    model = table(*columns, foreign_keys=keys, table_properties=properties)
    other = ForeignKeyState("other", ("id",), OTHER, ("id",))

    lines = shown([customers("id"), model], customers_before(OTHER_NAME), orders_before(STORED, other))

    # Foreign keys to other tables stay where they are.
    assert lines == [
        *RENAMED,
        DROPPED,
        "orders: + properties.delta.columnMapping.mode: (absent) -> 'name'",
        "orders: + columns.b: (absent) -> bigint",
        "orders: ~ columns.customer_id.comment: '' -> 'Who'",
        ADDED,
    ]
    assert shown([customers("id")], customers_before(OTHER_NAME), orders_before(STORED, other)) == [
        *RENAMED,
        DROPPED,
        ADDED,
    ]


def test_new_foreign_keys_come_with_their_parents_as_they_will_be():
    plan = TablePlanner().plan([child(), customers("id")], catalog(orders_before(), customers_before(None)))
    (action,) = (action for action in plan.actions if action.table == CHILD)

    assert action.parents[PARENT].primary_key == OLD_KEY
    assert action.foreign_keys[0].key == STORED
    assert action.all(ForeignKeyDrop) == ()
    (alone,) = TablePlanner().plan([child()], catalog(orders_before())).actions
    assert dict(alone.parents) == {}


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


def test_a_table_in_another_case_is_noted_and_altered_as_it_is_stored():
    def planned(**options):
        return TablePlanner().plan([table(column(), **options)], catalog(state(stored("id"), name=MIXED)))

    note = "dev.silver.orders: the catalog stores it as dev.silver.Orders; names match without case"
    assert (planned().is_empty, [*map(str, planned().notes)]) == (True, [note])
    assert sql(planned(comment="All")) == "COMMENT ON TABLE `dev`.`silver`.`Orders` IS 'All';"
    assert planned(comment="All").align_tables[0].table == ORDERS
    assert planned(comment="All", owns={"comments": "report"}).mismatches[0].table.written == MIXED.written


def test_a_new_table_is_created_in_the_schema_as_stored():
    absent = TableState(name=StoredName.of(QualifiedName("Dev", "Silver", "orders")), exists=False)
    for there, text in (
        (absent, "CREATE TABLE `Dev`.`Silver`.`orders` ("),
        (replace(absent, schema_exists=False), "CREATE SCHEMA IF NOT EXISTS `Dev`.`Silver`;"),
    ):
        assert sql(TablePlanner().plan([table(column())], catalog(there))).startswith(text)


@pytest.mark.parametrize("exists", [True, False])
def test_a_foreign_key_points_at_its_parent_as_it_is_stored(exists):
    parent = table(column(is_nullable=False), name="dev.silver.parents", primary_key=["id"])
    child = table(column(), column("p"), foreign_keys=[ForeignKey(["p"], parent)])
    there = state(stored("id"), stored("p")) if exists else TableState(name=ORDERS, exists=False)
    key = TablePlanner().plan([parent], catalog(state(stored("id", is_nullable=False), name=STORED_PARENT)))

    plan = TablePlanner().plan(
        [child], CatalogState(tables={ORDERS: there, STORED_PARENT: key.align_tables[0].observed})
    )

    (action,) = plan.actions
    assert sql(plan).endswith("FOREIGN KEY (`p`) REFERENCES `dev`.`Silver`.`Parents` (`id`);")
    assert set(action.parents) == {parent.name}


ALWAYS, FEATURE = Widening.ALWAYS, Widening.BY_FEATURE
TYPES_OF_VOID = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal(10,2)", "string", "binary"),
    *("date", "timestamp", "timestamp_ntz", "variant"),
)


BY_FEATURE = {
    "tinyint": "smallint int bigint double decimal(10,0)",
    "smallint": "int",
    "int": "bigint double decimal(10,0) decimal(12,2)",
    "bigint": "decimal(20,0) decimal(21,1)",
    "float": "double",
    "decimal(5,2)": "decimal(6,2) decimal(7,4)",
    "date": "timestamp_ntz",
}
BY_ITSELF = {"varchar(3)": "varchar(5) string", "char(3)": "varchar(3) string"}
NEVER = {
    "boolean": "int",
    "int": "smallint float decimal(11,2) decimal(9,0) string int void",
    "bigint": "int double decimal(19,0)",
    "float": "decimal(38,10)",
    "double": "float",
    "decimal(5,2)": "decimal(6,4) decimal(5,3) decimal(4,1) bigint",
    "date": "timestamp",
    "timestamp_ntz": "timestamp",
    "string": "varchar(9)",
    "varchar(5)": "varchar(3)",
    "varchar(3)": "char(5) bigint",
    "char(3)": "varchar(2) char(5)",
    "void": "void time(6)",
}


def test_delta_4():
    with cases(widening) as case:
        for pairs, expected in ((BY_FEATURE, FEATURE), (BY_ITSELF, ALWAYS), (NEVER, None)):
            for before, afters in pairs.items():
                for after in afters.split(" "):
                    case(before, after, expected)
        for after in (*TYPES_OF_VOID, "varchar(3)", "char(3)"):
            case("void", after, ALWAYS)
        numbers = ArrayState("int", True)
        for other in ("string collate UTF8_LCASE", "interval day to second", numbers):
            case("void", other, None)
        case("int", numbers, None)
        case(numbers, ArrayState("bigint", True), None)


def test_fields():
    with cases(lambda before, after: widening(before, after, is_nested=True)) as case:
        for after in TYPES_OF_VOID:
            case("void", after, ALWAYS)
        case("int", "bigint", FEATURE)
        case("decimal(5,2)", "decimal(6,2)", FEATURE)
        for before, after in (
            ("void", "varchar(3)"),
            ("void", "char(3)"),
            ("varchar(3)", "varchar(5)"),
            ("char(3)", "string"),
        ):
            case(before, after, None)


def test_older_deltas():
    assert [widening("void", "string", version) for version in ((3, 3), (4, 0), (4, 1))] == [None] * 3
    with cases(lambda before, after: widening(before, after, (3, 3))) as case:
        for before, after in (("tinyint", "smallint"), ("tinyint", "int"), ("smallint", "int")):
            case(before, after, FEATURE)
        for before, after in (("int", "bigint"), ("float", "double"), ("decimal(5,2)", "decimal(6,2)")):
            case(before, after, None)
        case("varchar(3)", "varchar(5)", ALWAYS)


LOG, FILES = "delta.logRetentionDuration", "delta.deletedFileRetentionDuration"


def test_the_retentions_that_a_model_declares_are_set_together():
    def retentions(declared, there):
        before = state(stored("id"), table_properties=there)
        actions = TablePlanner().plan([table(column(), table_properties=declared)], catalog(before)).actions
        changes = [change for action in actions for change in action.all(SetTableProperties)]
        values = {key: value for change in changes for key, value in change.properties.items()}
        return values, [line.path.removeprefix("properties.") for action in actions for line in change_lines(action)]

    ninety = {LOG: "90 days"}
    both = {**ninety, FILES: "60 days"}
    with cases(retentions) as case:
        case(both, {LOG: "interval 90 days"}, ({LOG: "interval 90 days", FILES: "60 days"}, [FILES]))
        case(both, {**both, "team": "core"}, ({}, []))
        case({FILES: "1 day"}, ninety, ({FILES: "1 day"}, [FILES]))
        case({LOG: None, FILES: "1 day"}, ninety, ({FILES: "1 day"}, [FILES, LOG]))
        case({**ninety, "team": "core"}, both, ({"team": "core"}, ["team"]))


def test_the_tags_of_columns_are_compared_by_column_and_key():
    """They are compared alone, and together with a change of something else."""

    def differences(there, wanted, comment):
        tags = {ColumnPath(name): values for name, values in there.items()}
        columns = [column(name, tags=wanted.get(name, {}), comment=comment if name == "a" else "") for name in "ab"]
        lines = shown([table(*columns)], state(stored("a"), stored("b"), tags=tags))
        return sorted(line.split(": ")[1] for line in lines)

    no, team = {"pii": "no"}, {"pii": "no", "team": "crm"}
    for comment, others in (("", []), ("The first.", ["~ columns.a.comment"])):
        with cases(lambda there, wanted, comment=comment: differences(there, wanted, comment)) as case:
            case({"a": no}, {"a": no}, others)
            case({"A": no}, {"a": no}, others)
            case({"a": team}, {"a": no}, others)
            case({"a": no}, {"a": {"pii": "no", "team": None}}, others)
            case({}, {"a": {"team": None}}, others)
            case({"a": team}, {"a": {"pii": "no", "team": None}}, ["- columns.a.tags.team", *others])
            case({"a": {"PII": "no"}}, {"a": no}, ["+ columns.a.tags.pii", *others])
            added = ["+ columns.b.tags.pii", "~ columns.a.tags.pii"]
            case({"a": {"pii": "yes"}}, {"a": no, "b": no}, sorted([*added, *others]))
            case({"b": no}, {"a": no}, ["+ columns.a.tags.pii", *others])


def test_a_column_that_takes_the_name_of_a_renamed_one_does_not_have_its_tags():
    columns = [column("c", renamed_from="b"), column("b", renamed_from="a", tags={"pii": "no"})]

    before = state(stored("a"), stored("b"), tags={ColumnPath("b"): {"pii": "no"}})
    (action,) = TablePlanner().plan([table(*columns)], catalog(before)).align_tables

    assert action.all(SetTags) == (SetTags(path=ColumnPath("b"), tags={"pii": "no"}),)
