"""Comparing two states: foreign keys, names that are stored in another case, and types that widen."""

from __future__ import annotations

from dataclasses import replace

from pytest_delta_schema import ForeignKey, QualifiedName
from pytest_delta_schema.delta.fields import Widening, widening
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.models.names import StoredName
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.plan.changes import SetTableProperties
from pytest_delta_schema.sql import script, statements
from pytest_delta_schema.state import ArrayState, ForeignKeyState, KeyState, TableState
from support.case_tables import cases, named_cases
from support.models import NAME as ORDERS
from support.models import catalog, column, state, stored, table

PARENT = QualifiedName("dev", "silver", "customers")
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


MIXED = StoredName.of(QualifiedName("dev", "silver", "Orders"))


def sql(plan):
    return script(statement for action in plan.actions for statement in statements(action))


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
    def differences(there, wanted):
        tags = {ColumnPath(name): values for name, values in there.items()}
        columns = [column(name, tags=wanted.get(name, {})) for name in "ab"]
        lines = shown([table(*columns)], state(stored("a"), stored("b"), tags=tags))
        return sorted(line.split(": ")[1] for line in lines)

    no, team = {"pii": "no"}, {"pii": "no", "team": "crm"}
    with cases(differences) as case:
        case({"A": no}, {"a": no}, [])
        case({"a": team}, {"a": no}, [])
        case({}, {"a": {"team": None}}, [])
        case({"a": team}, {"a": {"pii": "no", "team": None}}, ["- columns.a.tags.team"])
        case({"a": {"PII": "no"}}, {"a": no}, ["+ columns.a.tags.pii"])
        case({"a": {"pii": "yes"}}, {"a": no, "b": no}, ["+ columns.b.tags.pii", "~ columns.a.tags.pii"])
        case({"b": no}, {"a": no}, ["+ columns.a.tags.pii"])
