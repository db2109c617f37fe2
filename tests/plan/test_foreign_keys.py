"""Foreign keys that are added and dropped, and dependent foreign keys of a key that changes."""

from __future__ import annotations

import pytest

from pytest_delta_schema import ForeignKey, QualifiedName
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.plan.changes import ForeignKeyDrop
from pytest_delta_schema.state import ForeignKeyState, KeyState
from support.tables import catalog, column, state, stored, table

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
            [ForeignKey(["CUSTOMER_ID"], customers("ID"), name=NAME.upper())], [STORED], [], id="in another case"
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
            [customers("id"), child()], OTHER_NAME, [], [*RENAMED, DROPPED, ADDED], id="changed, child in the run"
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
