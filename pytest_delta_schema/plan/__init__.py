"""Plan changes: the difference between two states, as actions made of changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.plan.actions import AlignTable as AlignTable
    from pytest_delta_schema.plan.actions import CreateTable as CreateTable
    from pytest_delta_schema.plan.changes import CheckAdd as CheckAdd
    from pytest_delta_schema.plan.changes import CheckDrop as CheckDrop
    from pytest_delta_schema.plan.changes import ClusteringChange as ClusteringChange
    from pytest_delta_schema.plan.changes import ColumnAdd as ColumnAdd
    from pytest_delta_schema.plan.changes import ColumnDefaultChange as ColumnDefaultChange
    from pytest_delta_schema.plan.changes import ColumnDrop as ColumnDrop
    from pytest_delta_schema.plan.changes import ColumnGenerationChange as ColumnGenerationChange
    from pytest_delta_schema.plan.changes import ColumnMove as ColumnMove
    from pytest_delta_schema.plan.changes import ColumnNullabilityChange as ColumnNullabilityChange
    from pytest_delta_schema.plan.changes import ColumnRename as ColumnRename
    from pytest_delta_schema.plan.changes import ColumnTypeChange as ColumnTypeChange
    from pytest_delta_schema.plan.changes import ConvertTable as ConvertTable
    from pytest_delta_schema.plan.changes import ForeignKeyAdd as ForeignKeyAdd
    from pytest_delta_schema.plan.changes import ForeignKeyDrop as ForeignKeyDrop
    from pytest_delta_schema.plan.changes import LayoutRewrite as LayoutRewrite
    from pytest_delta_schema.plan.changes import PrimaryKeyAdd as PrimaryKeyAdd
    from pytest_delta_schema.plan.changes import PrimaryKeyDrop as PrimaryKeyDrop
    from pytest_delta_schema.plan.changes import SetColumnComments as SetColumnComments
    from pytest_delta_schema.plan.changes import SetTableComment as SetTableComment
    from pytest_delta_schema.plan.changes import SetTableProperties as SetTableProperties
    from pytest_delta_schema.plan.changes import SetTags as SetTags
    from pytest_delta_schema.plan.changes import UnsetTableProperties as UnsetTableProperties
    from pytest_delta_schema.plan.changes import UnsetTags as UnsetTags
    from pytest_delta_schema.plan.data_checks import DataCheck as DataCheck
    from pytest_delta_schema.plan.data_checks import NotNull as NotNull
    from pytest_delta_schema.plan.data_checks import PartitionValue as PartitionValue
    from pytest_delta_schema.plan.entry_differences import EntryDifference as EntryDifference
    from pytest_delta_schema.plan.planner import TablePlanner as TablePlanner
    from pytest_delta_schema.plan.property_policy import PropertyPolicy as PropertyPolicy
    from pytest_delta_schema.plan.risk import Risk as Risk
    from pytest_delta_schema.plan.table_plan import Note as Note
    from pytest_delta_schema.plan.table_plan import TablePlan as TablePlan

__getattr__, __dir__ = lazy_exports(__name__)
