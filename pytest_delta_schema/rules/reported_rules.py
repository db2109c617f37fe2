"""Rules that other parts of the package check, and report under the names and codes of these classes."""

from __future__ import annotations


class FailedRule:
    """A rule raised an exception.

    The violation has the name of that rule. Fix the rule.
    """

    code = "DS100"


class DuplicateTable:
    """A table is declared more than once.

    Keep one declaration.
    """

    code = "DS101"


class UnsupportedStatement:
    """A plan needs a statement that the backend neither has nor emulates.

    Nothing is executed for the table. The message has the reason and the remedy of the backend.
    """

    code = "DS218"


class NullsInColumn:
    """A column becomes NOT NULL, and rows hold NULL in it.

    Fill the rows, which the remedy lists by a query, or declare the column nullable.
    """

    code = "DS301"


class RowsViolateCheck:
    """A check is added that rows violate; UNKNOWN violates it as well.

    Correct the rows, which the remedy lists by a query, or change the check.
    """

    code = "DS302"


class DuplicateKeyValues:
    """A key is added, and several rows have the same values in it.

    Remove the rows, which the remedy lists by a query, or choose another key.
    """

    code = "DS303"


class RowsWithoutParent:
    """A foreign key is added, and rows have no parent in the referenced table.

    Add the parents of the rows, which the remedy lists by a query, or leave the foreign key out.
    """

    code = "DS304"


class ParentNotApplied:
    """A foreign key is added, and the plan of its parent was not executed.

    Nothing is wrong with the table itself. Fix what the parent reports, and apply again.
    """

    code = "DS305"


class PartitionValueNotPreserved:
    """A column becomes a partition column, and holds values that partitions do not preserve.

    These are ``''``, ``__HIVE_DEFAULT_PARTITION__``, years before 0001 and bytes that are not UTF-8. Replace the
    values, which the remedy lists by a query, or choose another layout.
    """

    code = "DS306"


class RowsViolateContract:
    """Rows that ``assert_rows_satisfy`` is given do not satisfy the model.

    Correct the rows, or the model.
    """

    code = "DS401"
