"""Rules that other parts of the package check, and report under the names and codes of these classes."""

from __future__ import annotations


class FailedRule:
    """A rule raised an exception.

    The violation has the name of that rule.

    Remedy: Fix the rule.

    Example:
        class NoSpaces:
            def check(self, table):
                return [table.owner]  # AttributeError: a Table has no owner
    """

    code = "DS100"


class DuplicateTable:
    """A table is declared more than once.

    Remedy: Keep one declaration.

    Example:
        first = Table("dev", "silver", "orders", [Column("id", "bigint")])
        second = Table("dev", "silver", "orders", [Column("id", "bigint"), Column("note", "string")])
    """

    code = "DS101"


class UnsupportedStatement:
    """A plan needs a statement that the backend neither has nor emulates.

    Nothing is executed for the table.

    Remedy: Do what the message says: it has the reason and the remedy of the backend.

    Example:
        # A backend that cannot store tags refuses the plan of this table.
        orders = Table("dev", "silver", "orders", [Column("id", "bigint")], tags={"owner": "sales"})
    """

    code = "DS218"


class NullsInColumn:
    """A column becomes NOT NULL, and rows hold NULL in it.

    Remedy: Fill the rows, which the remedy lists by a query, or declare the column nullable.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        rows = [{"id": None}]
        model = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
    """

    code = "DS301"


class RowsViolateCheck:
    """A check is added that rows violate; UNKNOWN violates it as well.

    Remedy: Correct the rows, which the remedy lists by a query, or change the check.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
        rows = [{"id": -1}]
        columns = [Column("id", "bigint")]
        model = Table("dev", "silver", "orders", columns, checks=[Check("positive", "id > 0")])
    """

    code = "DS302"


class DuplicateKeyValues:
    """A key is added, and several rows have the same values in it.

    Remedy: Remove the rows, which the remedy lists by a query, or choose another key.

    Example:
        stored = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])
        rows = [{"id": 1}, {"id": 1}]
        columns = [Column("id", "bigint", is_nullable=False)]
        model = Table("dev", "silver", "orders", columns, primary_key=["id"])
    """

    code = "DS303"


class RowsWithoutParent:
    """A foreign key is added, and rows have no parent in the referenced table.

    Remedy: Add the parents of the rows, which the remedy lists by a query, or leave the foreign key out.

    Example:
        columns = [Column("id", "int", is_nullable=False)]
        parent = Table("dev", "silver", "regions", columns, primary_key=["id"])
        key = ForeignKey(["region"], references=parent)
        stored = Table("dev", "silver", "orders", [Column("region", "int")])
        rows = [{"region": 7}]
        model = Table("dev", "silver", "orders", [Column("region", "int")], foreign_keys=[key])
    """

    code = "DS304"


class ParentNotApplied:
    """A foreign key is added, and the plan of its parent was not executed.

    Nothing is wrong with the table itself.

    Remedy: Fix what the parent reports, and apply again.

    Example:
        # The plan of dev.silver.regions was refused.
        key = ForeignKey(["region"], references="dev.silver.regions")
        orders = Table("dev", "silver", "orders", [Column("region", "int")], foreign_keys=[key])
    """

    code = "DS305"


class PartitionValueNotPreserved:
    """A column becomes a partition column, and holds values that partitions do not preserve.

    These are ``''``, ``__HIVE_DEFAULT_PARTITION__``, years before 0001 and bytes that are not UTF-8.

    Remedy: Replace the values, which the remedy lists by a query, or choose another layout.

    Example:
        from pytest_delta_schema.rules import Consent

        settings = Settings(consents=(Consent("rewrite", "dev.silver.orders"),))
        columns = [Column("id", "bigint"), Column("state", "string")]
        stored = Table("dev", "silver", "orders", columns)
        rows = [{"id": 1, "state": ""}]
        model = Table("dev", "silver", "orders", columns, partitioned_by=["state"])
    """

    code = "DS306"


class RowsViolateContract:
    """Rows that ``assert_rows_satisfy`` is given do not satisfy the model.

    Remedy: Correct the rows, or the model.

    Example:
        columns = [Column("id", "bigint")]
        orders = Table("dev", "silver", "orders", columns, checks=[Check("positive", "id > 0")])
        assert_rows_satisfy(orders, [{"id": -1}])
    """

    code = "DS401"


DATA_RULES = tuple(
    rule.__name__
    for rule in (NullsInColumn, RowsViolateCheck, DuplicateKeyValues, RowsWithoutParent, PartitionValueNotPreserved)
)
"""The names of the rules that data checks report."""
