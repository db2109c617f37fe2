"""Plan changes: the difference between two states, as actions made of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.plan.actions import AlignTable as AlignTable
    from pytest_delta_schema.plan.actions import CreateTable as CreateTable
    from pytest_delta_schema.plan.actions import TablePlan as TablePlan
    from pytest_delta_schema.plan.column_changes import *
    from pytest_delta_schema.plan.constraint_changes import *
    from pytest_delta_schema.plan.data_checks import DataCheck as DataCheck
    from pytest_delta_schema.plan.data_checks import NotNull as NotNull
    from pytest_delta_schema.plan.data_checks import PartitionValue as PartitionValue
    from pytest_delta_schema.plan.entry_comparison import EntryDifference as EntryDifference
    from pytest_delta_schema.plan.entry_comparison import entry_differences as entry_differences
    from pytest_delta_schema.plan.kinds import Risk as Risk
    from pytest_delta_schema.plan.planner import TablePlanner as TablePlanner
    from pytest_delta_schema.plan.property_policy import PropertyPolicy as PropertyPolicy
    from pytest_delta_schema.plan.table_changes import *

__getattr__, __dir__ = lazy_exports(__name__)
