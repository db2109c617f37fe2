"""Rules about CHECK constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names.folded_names import folded, same_name
from pytest_delta_schema.delta.names.part_path import part_path
from pytest_delta_schema.rules.rule import violation
from pytest_delta_schema.state.expressions import canonical, condition_faults
from pytest_delta_schema.state.spark_types import canonical_type
from pytest_delta_schema.state.types import describe_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.models.table import Table

_RESERVED = "__char_varchar_string_length_check__"
"""The name that Delta reserves for the lengths of char and varchar."""


class InvalidCheckName:
    """A check has the name of another check, or a name that Delta reserves.

    Names of constraints match without case.

    Remedy: Rename the check.

    Example:
        checks = [Check("positive", "id > 0"), Check("POSITIVE", "id > 1")]
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], checks=checks)
    """

    code = "DS110"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every name that two checks have or that is reserved."""
        spellings: dict[str, list[str]] = {}
        for check in table.checks:
            spellings.setdefault(folded(check.name), []).append(check.name)
        for name, names in spellings.items():
            if len(names) > 1:
                message = f"checks {', '.join(names)} have one name, because names match without case"
                yield violation(
                    self, table.qualified_name, part_path("checks", names[0]), message, "rename or remove all but one"
                )
            if name == _RESERVED:
                message = f"check {names[0]} has a name that Delta reserves"
                yield violation(
                    self, table.qualified_name, part_path("checks", names[0]), message, "choose another name"
                )


class InvalidCheckExpression:
    """The expression of a check is not a condition on the columns of one row.

    It names an unknown column, holds an aggregate, a window, a subquery or a function whose value changes, or is not
    boolean.

    Remedy: Write a condition such as ``amount >= 0``.

    Example:
        model = Table(
            "dev", "silver", "orders", [Column("id", "bigint")], checks=[Check("new", "max(id) > 0")]
        )
    """

    code = "DS111"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every fault of an expression that can be found without Spark."""
        if not table.checks:
            return
        columns = {folded(column.name): describe_type(canonical_type(column.data_type)) for column in table.columns}
        remedy = "write a condition over the columns of one row, such as amount >= 0"
        for check in table.checks:
            for fault in condition_faults(check.expression, columns):
                message = f"check {check.name} ({check.expression}) {fault}"
                yield violation(self, table.qualified_name, part_path("checks", check.name), message, remedy)


class DuplicateCheck:
    """Two checks of a table have the same condition.

    Expressions are compared after parsing, so case, spaces and brackets make no difference.

    Remedy: Keep one of the two.

    Example:
        checks = [Check("positive", "id > 0"), Check("not_zero", "(ID > 0)")]
        model = Table("dev", "silver", "orders", [Column("id", "bigint")], checks=checks)
    """

    code = "DS112"

    def check(self, table: Table) -> Iterator[Diagnostic]:
        """Yield a violation for every check whose condition an earlier check has."""
        if not table.checks:
            return
        names: dict[str, str] = {}
        for check in table.checks:
            twin = names.setdefault(canonical(check.expression), check.name)
            if not same_name(twin, check.name):
                message = f"check {check.name} ({check.expression}) has the same condition as check {twin}"
                yield violation(
                    self, table.qualified_name, part_path("checks", check.name), message, "keep one of the two"
                )
