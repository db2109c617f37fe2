"""Schema contracts for Delta Lake in pytest: declare tables, plan, gate on drift, apply and prove.

The names below are loaded when they are first used, so that a pytest run without tables pays for none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_delta_schema.catalogs.databricks.catalog import DatabricksCatalog
    from pytest_delta_schema.catalogs.databricks.door import open_door
    from pytest_delta_schema.catalogs.memory.catalog import MemoryCatalog
    from pytest_delta_schema.catalogs.session.catalog import SessionCatalog
    from pytest_delta_schema.catalogs.spark.catalog import SparkCatalog
    from pytest_delta_schema.catalogs.spark.probe import probe_write
    from pytest_delta_schema.catalogs.spark.session import open_session, session_conf
    from pytest_delta_schema.catalogs.unity.catalog import UnityCatalog
    from pytest_delta_schema.catalogs.unity.client import UnityClient
    from pytest_delta_schema.catalogs.unity.secret import Secret
    from pytest_delta_schema.catalogs.unity.storage import Storage
    from pytest_delta_schema.catalogs.violations import ConstraintViolation, constraint_error
    from pytest_delta_schema.contracts.assertions import assert_no_drift, assert_rows_satisfy
    from pytest_delta_schema.contracts.writing import assert_accepts, assert_evolves, assert_rejects
    from pytest_delta_schema.errors import (
        ApplyError,
        BackendError,
        BackendFailure,
        CatalogReadError,
        ConvergenceError,
        DeclarationError,
        DeltaSchemaError,
        DriftError,
        InvalidModelError,
        ReadProblem,
        RecordError,
        RowsError,
        SyncError,
        UnsafePlanError,
        Violation,
        WriteError,
    )
    from pytest_delta_schema.execute.action_runner import ActionRunner
    from pytest_delta_schema.execute.align_executor import AlignExecutor
    from pytest_delta_schema.execute.create_executor import CreateExecutor
    from pytest_delta_schema.execute.ddl import Capabilities, Catalog, DeltaDDL, Refusal, RowCounts, Workbench
    from pytest_delta_schema.execute.interruption import (
        ApplyInterrupted,
        InterruptedTable,
        RunningOutcome,
        StillRunning,
    )
    from pytest_delta_schema.execute.preflight import Preflight
    from pytest_delta_schema.execute.records import RecordKeeper, RecordSync
    from pytest_delta_schema.models.binding import Binding
    from pytest_delta_schema.models.column import Column, Identity
    from pytest_delta_schema.models.constraints import Check, ForeignKey
    from pytest_delta_schema.models.conversion import Parquet
    from pytest_delta_schema.models.defaults import DEFAULT_TABLE_PROPERTIES
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.structs import empty_frame, to_struct_type
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.orchestrate.orchestrator import Orchestrator, SyncResult
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable
    from pytest_delta_schema.plan.changes import (
        CheckAdd,
        CheckDrop,
        CheckReplace,
        ClusteringChange,
        ColumnAdd,
        ColumnDefaultChange,
        ColumnDrop,
        ColumnGenerationChange,
        ColumnMove,
        ColumnNullabilityChange,
        ColumnRename,
        ColumnTypeChange,
        ConvertTable,
        ForeignKeyAdd,
        ForeignKeyDrop,
        LayoutRewrite,
        PrimaryKeyAdd,
        PrimaryKeyDrop,
        SetColumnComments,
        SetTableComment,
        SetTableProperties,
        SetTags,
        UnsetTableProperties,
        UnsetTags,
    )
    from pytest_delta_schema.plan.demands import Demand, NotNull, PartitionValue
    from pytest_delta_schema.plan.planner import TablePlanner
    from pytest_delta_schema.plan.policy import PropertyPolicy
    from pytest_delta_schema.plan.records import RecordDifference, record_differences
    from pytest_delta_schema.plan.risk import Risk
    from pytest_delta_schema.plan.table_plan import TablePlan
    from pytest_delta_schema.report.review import plan_script
    from pytest_delta_schema.report.schema_diff import schema_diff
    from pytest_delta_schema.report.source import model_source
    from pytest_delta_schema.rules.consent import Consent
    from pytest_delta_schema.rules.rule import ModelRule, PlanRule
    from pytest_delta_schema.rules.validator import (
        DEFAULT_MODEL_RULES,
        DEFAULT_PLAN_RULES,
        PlanValidator,
        default_model_rules,
        default_plan_rules,
    )
    from pytest_delta_schema.sql.compiler import script, statements
    from pytest_delta_schema.sql.statement import Statement, StatementKind
    from pytest_delta_schema.state.history import ColumnOrigin
    from pytest_delta_schema.state.records import LogState, RecordColumn, RecordState
    from pytest_delta_schema.state.sources import SourceState
    from pytest_delta_schema.state.states import (
        CatalogReader,
        CatalogState,
        CheckState,
        ForeignKeyState,
        KeyState,
        RenameState,
        TableState,
    )
    from pytest_delta_schema.state.types import (
        ArrayState,
        ColumnState,
        IdentityState,
        MapState,
        StructState,
        ValueState,
    )
    from pytest_delta_schema.writes.oracle import check_write
    from pytest_delta_schema.writes.verdict import Finding, WriteVerdict

_HOMES = {
    "catalogs.databricks.catalog": ("DatabricksCatalog",),
    "catalogs.databricks.door": ("open_door",),
    "catalogs.session.catalog": ("SessionCatalog",),
    "catalogs.unity.catalog": ("UnityCatalog",),
    "catalogs.unity.client": ("UnityClient",),
    "catalogs.unity.secret": ("Secret",),
    "catalogs.unity.storage": ("Storage",),
    "execute.records": ("RecordKeeper", "RecordSync"),
    "plan.records": ("RecordDifference", "record_differences"),
    "state.records": ("LogState", "RecordColumn", "RecordState"),
    "catalogs.memory.catalog": ("MemoryCatalog",),
    "catalogs.spark.catalog": ("SparkCatalog",),
    "catalogs.spark.session": ("open_session", "session_conf"),
    "catalogs.violations": ("ConstraintViolation", "constraint_error"),
    "contracts.assertions": ("assert_no_drift", "assert_rows_satisfy"),
    "errors": (
        "ApplyError",
        "RecordError",
        "SyncError",
        "BackendError",
        "BackendFailure",
        "CatalogReadError",
        "ConvergenceError",
        "DeclarationError",
        "DeltaSchemaError",
        "DriftError",
        "InvalidModelError",
        "ReadProblem",
        "RowsError",
        "UnsafePlanError",
        "Violation",
        "WriteError",
    ),
    "execute.action_runner": ("ActionRunner",),
    "execute.align_executor": ("AlignExecutor",),
    "execute.create_executor": ("CreateExecutor",),
    "execute.interruption": ("ApplyInterrupted", "InterruptedTable", "RunningOutcome", "StillRunning"),
    "execute.preflight": ("Preflight",),
    "execute.ddl": ("Capabilities", "Refusal", "Catalog", "DeltaDDL", "RowCounts", "Workbench"),
    "models.binding": ("Binding",),
    "models.column": ("Column", "Identity"),
    "models.constraints": ("Check", "ForeignKey"),
    "models.defaults": ("DEFAULT_TABLE_PROPERTIES",),
    "models.names": ("QualifiedName",),
    "models.table": ("Table",),
    "orchestrate.orchestrator": ("Orchestrator", "SyncResult"),
    "plan.actions": ("AlignTable", "CreateTable"),
    "plan.changes": (
        "CheckAdd",
        "CheckDrop",
        "CheckReplace",
        "ClusteringChange",
        "ColumnAdd",
        "ColumnDefaultChange",
        "ColumnDrop",
        "ColumnGenerationChange",
        "ColumnMove",
        "ColumnNullabilityChange",
        "ColumnRename",
        "ColumnTypeChange",
        "ForeignKeyAdd",
        "ForeignKeyDrop",
        "LayoutRewrite",
        "PrimaryKeyAdd",
        "PrimaryKeyDrop",
        "SetColumnComments",
        "SetTableComment",
        "SetTableProperties",
        "SetTags",
        "UnsetTableProperties",
        "UnsetTags",
        "ConvertTable",
    ),
    "plan.demands": ("Demand", "NotNull", "PartitionValue"),
    "plan.planner": ("TablePlanner",),
    "plan.policy": ("PropertyPolicy",),
    "plan.risk": ("Risk",),
    "plan.table_plan": ("TablePlan",),
    "report.review": ("plan_script",),
    "rules.consent": ("Consent",),
    "rules.rule": ("ModelRule", "PlanRule"),
    "rules.validator": (
        "DEFAULT_MODEL_RULES",
        "DEFAULT_PLAN_RULES",
        "PlanValidator",
        "default_model_rules",
        "default_plan_rules",
    ),
    "sql.compiler": ("script", "statements"),
    "sql.statement": ("Statement", "StatementKind"),
    "catalogs.spark.probe": ("probe_write",),
    "contracts.writing": ("assert_accepts", "assert_rejects", "assert_evolves"),
    "models.structs": ("to_struct_type", "empty_frame"),
    "report.schema_diff": ("schema_diff",),
    "report.source": ("model_source",),
    "writes.oracle": ("check_write",),
    "writes.verdict": ("Finding", "WriteVerdict"),
    "models.conversion": ("Parquet",),
    "state.sources": ("SourceState",),
    "state.history": ("ColumnOrigin",),
    "state.states": (
        "CatalogReader",
        "CatalogState",
        "CheckState",
        "ForeignKeyState",
        "KeyState",
        "RenameState",
        "TableState",
    ),
    "state.types": ("ArrayState", "ColumnState", "IdentityState", "MapState", "StructState", "ValueState"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "DEFAULT_MODEL_RULES",
    "DEFAULT_PLAN_RULES",
    "DEFAULT_TABLE_PROPERTIES",
    "ActionRunner",
    "AlignExecutor",
    "AlignTable",
    "ApplyError",
    "ApplyInterrupted",
    "ArrayState",
    "BackendError",
    "BackendFailure",
    "Binding",
    "Capabilities",
    "Catalog",
    "CatalogReadError",
    "CatalogReader",
    "CatalogState",
    "Check",
    "CheckAdd",
    "CheckDrop",
    "CheckReplace",
    "CheckState",
    "ClusteringChange",
    "Column",
    "ColumnAdd",
    "ColumnDefaultChange",
    "ColumnDrop",
    "ColumnGenerationChange",
    "ColumnMove",
    "ColumnNullabilityChange",
    "ColumnOrigin",
    "ColumnRename",
    "ColumnState",
    "ColumnTypeChange",
    "Consent",
    "ConstraintViolation",
    "ConvergenceError",
    "ConvertTable",
    "CreateExecutor",
    "CreateTable",
    "DatabricksCatalog",
    "DeclarationError",
    "DeltaDDL",
    "DeltaSchemaError",
    "Demand",
    "DriftError",
    "Finding",
    "ForeignKey",
    "ForeignKeyAdd",
    "ForeignKeyDrop",
    "ForeignKeyState",
    "Identity",
    "IdentityState",
    "InterruptedTable",
    "InvalidModelError",
    "KeyState",
    "LayoutRewrite",
    "LogState",
    "MapState",
    "MemoryCatalog",
    "ModelRule",
    "NotNull",
    "Orchestrator",
    "Parquet",
    "PartitionValue",
    "PlanRule",
    "PlanValidator",
    "Preflight",
    "PrimaryKeyAdd",
    "PrimaryKeyDrop",
    "PropertyPolicy",
    "QualifiedName",
    "ReadProblem",
    "RecordColumn",
    "RecordDifference",
    "RecordError",
    "RecordKeeper",
    "RecordState",
    "RecordSync",
    "Refusal",
    "RenameState",
    "Risk",
    "RowCounts",
    "RowsError",
    "RunningOutcome",
    "Secret",
    "SessionCatalog",
    "SetColumnComments",
    "SetTableComment",
    "SetTableProperties",
    "SetTags",
    "SourceState",
    "SparkCatalog",
    "Statement",
    "StatementKind",
    "StillRunning",
    "Storage",
    "StructState",
    "SyncError",
    "SyncResult",
    "Table",
    "TablePlan",
    "TablePlanner",
    "TableState",
    "UnityCatalog",
    "UnityClient",
    "UnsafePlanError",
    "UnsetTableProperties",
    "UnsetTags",
    "ValueState",
    "Violation",
    "Workbench",
    "WriteError",
    "WriteVerdict",
    "assert_accepts",
    "assert_evolves",
    "assert_no_drift",
    "assert_rejects",
    "assert_rows_satisfy",
    "check_write",
    "constraint_error",
    "default_model_rules",
    "default_plan_rules",
    "empty_frame",
    "model_source",
    "open_door",
    "open_session",
    "plan_script",
    "probe_write",
    "record_differences",
    "schema_diff",
    "script",
    "session_conf",
    "statements",
    "to_struct_type",
]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
