"""Plan the changes of one table from one model to another."""

from pytest_delta_schema import Column, MemoryCatalog, Orchestrator, Table
from pytest_delta_schema.sql import statements

ID = Column("id", "bigint", is_nullable=False)
AMOUNT = Column("amount", "decimal(10,2)")
BY_NAME = {"delta.columnMapping.mode": "name"}


def table(*columns, **options):
    return Table("dev", "silver", "orders", columns, **options)


def aligned(before, after, *parents):
    """Return the changes of a table from one model to another, and their SQL on one line each."""
    orchestrator = Orchestrator.over(MemoryCatalog())
    orchestrator.sync_tables([before, *parents])
    (action,) = orchestrator.plan_tables([after]).align_tables
    return action.changes, [" ".join(statement.sql.split()) for statement in statements(action)]
