"""Each kind of change: the model before, the model after, the change that the plan has, and its SQL."""

from dataclasses import replace

from changes import AMOUNT, BY_NAME, ID, aligned, table

from pytest_delta_schema import Check, Column, ForeignKey, Table, Unique
from pytest_delta_schema.plan import (
    CheckAdd,
    CheckDrop,
    ClusteringChange,
    ColumnAdd,
    ColumnDefaultChange,
    ColumnDrop,
    ColumnGenerationChange,
    ColumnMappingRemoval,
    ColumnMove,
    ColumnNullabilityChange,
    ColumnRename,
    ColumnTypeChange,
    ForeignKeyAdd,
    ForeignKeyDrop,
    LayoutRewrite,
    PrimaryKeyAdd,
    PrimaryKeyDrop,
    SetColumnComments,
    SetTableComment,
    SetTableProperties,
    SetTags,
    UniqueAdd,
    UniqueDrop,
    UnsetTableProperties,
    UnsetTags,
)
from pytest_delta_schema.state import ColumnGeneration, ColumnPath, ForeignKeyState, KeyState

POSITIVE = [Check("positive", "amount > 0")]
CUSTOMERS = Table("dev", "silver", "customers", [ID], primary_key=["id"])
OF_CUSTOMER = ForeignKeyState("of_customer", ("id",), CUSTOMERS.name, ("id",))
ONE_AMOUNT = KeyState("one_amount", ("amount",), kind="unique constraint")


def test_column_add():
    (change,), (sql,) = aligned(table(ID), table(ID, AMOUNT))

    assert isinstance(change, ColumnAdd)
    assert (change.column.name, change.column.data_type) == ("amount", "decimal(10,2)")
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS ( `amount` DECIMAL(10,2) )"


def test_column_drop():
    (change,), (sql,) = aligned(table(ID, AMOUNT, table_properties=BY_NAME), table(ID, table_properties=BY_NAME))

    assert isinstance(change, ColumnDrop)
    assert change.column.name == "amount"
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`amount`)"


def test_column_rename():
    renamed = Column("total", "decimal(10,2)", renamed_from="amount")
    before, after = table(ID, AMOUNT, table_properties=BY_NAME), table(ID, renamed, table_properties=BY_NAME)

    (change,), (sql,) = aligned(before, after)

    assert change == ColumnRename(path=ColumnPath("amount"), to="total")
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `amount` TO `total`"


def test_column_move():
    (change,), (sql,) = aligned(table(ID, AMOUNT), table(AMOUNT, ID, column_order="manage"))

    assert change == ColumnMove(name="id", after="amount")
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `id` AFTER `amount`"


def test_column_type_change():
    widening = {"delta.enableTypeWidening": "true"}
    before, after = (table(ID, Column("n", kind), table_properties=widening) for kind in ("int", "bigint"))

    (change,), (sql,) = aligned(before, after)

    assert change == ColumnTypeChange(path=ColumnPath("n"), before="int", after="bigint")
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `n` TYPE BIGINT"


def test_column_nullability_change():
    (change,), (sql,) = aligned(table(ID), table(replace(ID, is_nullable=True)))

    assert change == ColumnNullabilityChange(path=ColumnPath("id"), is_nullable=True)
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `id` DROP NOT NULL"


def test_column_default_change():
    before, after = (table(ID, Column("status", "string", default=value)) for value in ("'new'", "'open'"))

    (change,), (sql,) = aligned(before, after)

    assert change == ColumnDefaultChange(path=ColumnPath("status"), before="'new'", after="'open'")
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `status` SET DEFAULT 'open'"


def test_column_generation_change():
    before, after = (table(ID, Column("next", "bigint", generated_as=text)) for text in ("id + 1", "id + 2"))

    (change,), sql = aligned(before, after)

    assert isinstance(change, ColumnGenerationChange)
    assert (change.name, change.after) == ("next", ColumnGeneration(generated="id + 2"))
    assert sql == []  # no statement of Delta does it, so a rule refuses the plan


def test_column_mapping_removal():
    by_position = {"delta.columnMapping.mode": "none"}

    (change,), (sql,) = aligned(table(ID, table_properties=BY_NAME), table(ID, table_properties=by_position))

    assert change == ColumnMappingRemoval(key="delta.columnMapping.mode", after="none")
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES ( 'delta.columnMapping.mode' = 'none' )"


def test_set_column_comments():
    (change,), (sql,) = aligned(table(ID), table(replace(ID, comment="Order ID")))

    assert change == SetColumnComments(comments={ColumnPath("id"): "Order ID"})
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `id` COMMENT 'Order ID'"


def test_set_table_comment():
    (change,), (sql,) = aligned(table(ID), table(ID, comment="Orders of customers"))

    assert change == SetTableComment(comment="Orders of customers")
    assert sql == "COMMENT ON TABLE `dev`.`silver`.`orders` IS 'Orders of customers'"


def test_set_table_properties():
    (change,), (sql,) = aligned(table(ID), table(ID, table_properties={"team": "sales"}))

    assert change == SetTableProperties(properties={"team": "sales"})
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES ( 'team' = 'sales' )"


def test_unset_table_properties():
    before, after = (table(ID, table_properties={"team": value}) for value in ("sales", None))

    (change,), (sql,) = aligned(before, after)

    assert change == UnsetTableProperties(keys=("team",))
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('team')"


def test_set_tags():
    (change,), (sql,) = aligned(table(ID), table(replace(ID, tags={"pii": "no"})))

    assert change == SetTags(path=ColumnPath("id"), tags={"pii": "no"})
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN `id` SET TAGS ( 'pii' = 'no' )"


def test_unset_tags():
    (change,), (sql,) = aligned(table(ID, tags={"pii": "no"}), table(ID, tags={"pii": None}))

    assert change == UnsetTags(keys=("pii",))
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` UNSET TAGS ('pii')"


def test_primary_key_add():
    (change,), (sql,) = aligned(table(ID), table(ID, primary_key=["id"]))

    assert change == PrimaryKeyAdd(key=KeyState("pk_dev_silver_orders__id", ("id",)))
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`)"


def test_primary_key_drop():
    (change,), (sql,) = aligned(table(ID, primary_key=["id"]), table(ID))

    assert change == PrimaryKeyDrop(key=KeyState("pk_dev_silver_orders__id", ("id",)))
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `pk_dev_silver_orders__id`"


def test_unique_add():
    (change,), (sql,) = aligned(table(AMOUNT), table(AMOUNT, unique=[Unique(["amount"], name="one_amount")]))

    assert change == UniqueAdd(key=ONE_AMOUNT)
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `one_amount` UNIQUE (`amount`)"


def test_unique_drop():
    (change,), (sql,) = aligned(table(AMOUNT, unique=[Unique(["amount"], name="one_amount")]), table(AMOUNT))

    assert change == UniqueDrop(key=ONE_AMOUNT)
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `one_amount`"


def test_foreign_key_add():
    key = ForeignKey(["id"], CUSTOMERS, name="of_customer")

    (change,), (sql,) = aligned(table(ID), table(ID, foreign_keys=[key]), CUSTOMERS)

    assert change == ForeignKeyAdd(key=OF_CUSTOMER)
    assert sql.endswith("ADD CONSTRAINT `of_customer` FOREIGN KEY (`id`) REFERENCES `dev`.`silver`.`customers` (`id`)")


def test_foreign_key_drop():
    key = ForeignKey(["id"], CUSTOMERS, name="of_customer")

    (change,), (sql,) = aligned(table(ID, foreign_keys=[key]), table(ID), CUSTOMERS)

    assert change == ForeignKeyDrop(key=OF_CUSTOMER)
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `of_customer`"


def test_check_add():
    (change,), (sql,) = aligned(table(ID, AMOUNT), table(ID, AMOUNT, checks=POSITIVE))

    assert isinstance(change, CheckAdd)
    assert (change.name, change.expression, change.enables) == ("positive", "amount > 0", ("checkConstraints",))
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `positive` CHECK (amount > 0)"


def test_check_drop():
    (change,), (sql,) = aligned(table(ID, AMOUNT, checks=POSITIVE), table(ID, AMOUNT))

    assert change == CheckDrop(name="positive", expression="amount > 0")
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` DROP CONSTRAINT `positive`"


def test_clustering_change():
    before, after = (table(ID, AMOUNT, clustered_by=[name]) for name in ("id", "amount"))

    (change,), (sql,) = aligned(before, after)

    assert change == ClusteringChange(before=(ColumnPath("id"),), after=(ColumnPath("amount"),))
    assert sql == "ALTER TABLE `dev`.`silver`.`orders` CLUSTER BY (`amount`)"


def test_layout_rewrite():
    (change,), (sql,) = aligned(table(ID, AMOUNT), table(ID, AMOUNT, partitioned_by=["id"]))

    assert change == LayoutRewrite(partitioning=("id",))
    assert sql.startswith("CREATE OR REPLACE TABLE `dev`.`silver`.`orders` USING DELTA PARTITIONED BY (`id`) AS SELECT")
