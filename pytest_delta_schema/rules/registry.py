"""All rules of this package, with code, name and meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.rules.reported_rules import (
    DuplicateKeyValues,
    DuplicateTable,
    FailedRule,
    NullsInColumn,
    ParentNotApplied,
    PartitionValueNotPreserved,
    RowsViolateCheck,
    RowsViolateContract,
    RowsWithoutParent,
    UnsupportedStatement,
)
from pytest_delta_schema.rules.rule import rule_info
from pytest_delta_schema.rules.validator import DEFAULT_MODEL_RULES, DEFAULT_PLAN_RULES

if TYPE_CHECKING:
    from pytest_delta_schema.errors import HasCode
    from pytest_delta_schema.rules.rule import RuleInfo

_REPORTED: tuple[type[HasCode], ...] = (
    FailedRule,
    DuplicateTable,
    UnsupportedStatement,
    NullsInColumn,
    RowsViolateCheck,
    DuplicateKeyValues,
    RowsWithoutParent,
    ParentNotApplied,
    PartitionValueNotPreserved,
    RowsViolateContract,
)


def all_rules() -> tuple[RuleInfo, ...]:
    """Return every rule of this package in the order of the codes, those of the data checks included.

    Rules of a project are not among them.
    """
    rules: list[type[HasCode]] = [*map(type, DEFAULT_MODEL_RULES), *map(type, DEFAULT_PLAN_RULES), *_REPORTED]
    return tuple(sorted(map(rule_info, rules), key=lambda rule: rule.code))
