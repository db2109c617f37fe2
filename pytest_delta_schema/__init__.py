"""Schema contracts for Delta Lake in pytest: declare tables, plan, gate on drift, apply and prove.

The names below are loaded when they are first used, so that a pytest run without tables pays for none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_delta_schema.assertions.contracts import assert_no_drift, assert_rows_satisfy
    from pytest_delta_schema.assertions.writes import assert_accepts, assert_evolves, assert_rejects
    from pytest_delta_schema.backends.constraint_violations import ConstraintViolation, constraint_error
    from pytest_delta_schema.backends.databricks.catalog import DatabricksCatalog
    from pytest_delta_schema.backends.databricks.connection import connect_databricks
    from pytest_delta_schema.backends.local.catalog import LocalCatalog
    from pytest_delta_schema.backends.local.session import open_session, session_conf
    from pytest_delta_schema.backends.local.write_probe import probe_write
    from pytest_delta_schema.backends.memory.catalog import MemoryCatalog
    from pytest_delta_schema.backends.spark_session.catalog import SessionCatalog
    from pytest_delta_schema.backends.unity.catalog import UnityCatalog
    from pytest_delta_schema.backends.unity.client import UnityClient
    from pytest_delta_schema.backends.unity.secret import Secret
    from pytest_delta_schema.backends.unity.storage import Storage
    from pytest_delta_schema.engine.orchestrator import Orchestrator, SyncResult
    from pytest_delta_schema.engine.settings import Settings, current_settings
    from pytest_delta_schema.errors import (
        ApplyError,
        BackendUnavailableError,
        CatalogReadError,
        ConvergenceError,
        DeclarationError,
        DeltaSchemaError,
        Diagnostic,
        DriftError,
        InvalidModelError,
        MetadataSyncError,
        ReadProblem,
        RowsError,
        StatementError,
        SyncError,
        UnsafePlanError,
        WriteError,
    )
    from pytest_delta_schema.execute.action_runner import ActionRunner
    from pytest_delta_schema.execute.align_executor import AlignExecutor
    from pytest_delta_schema.execute.create_executor import CreateExecutor
    from pytest_delta_schema.execute.interruption import (
        ApplyInterrupted,
        InterruptedTable,
        RunningOutcome,
        StillRunning,
    )
    from pytest_delta_schema.execute.metadata_sync import MetadataSync, SyncsEntries
    from pytest_delta_schema.execute.preflight import Preflight
    from pytest_delta_schema.execute.protocols import (
        Capabilities,
        Catalog,
        DeltaDDL,
        Refusal,
        RowCounts,
        ScratchCatalog,
    )
    from pytest_delta_schema.models.binding import Binding
    from pytest_delta_schema.models.column import Column, Identity
    from pytest_delta_schema.models.constraints import Check, ForeignKey
    from pytest_delta_schema.models.conversion import Parquet
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.structs import empty_frame, to_struct_type
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.actions import AlignTable, CreateTable
    from pytest_delta_schema.plan.changes import (
        CheckAdd,
        CheckDrop,
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
    from pytest_delta_schema.plan.data_checks import DataCheck, NotNull, PartitionValue
    from pytest_delta_schema.plan.entry_differences import EntryDifference, entry_differences
    from pytest_delta_schema.plan.planner import TablePlanner
    from pytest_delta_schema.plan.property_policy import PropertyPolicy
    from pytest_delta_schema.plan.risk import Risk
    from pytest_delta_schema.plan.table_plan import TablePlan
    from pytest_delta_schema.report.model_source import model_source
    from pytest_delta_schema.report.review import plan_script
    from pytest_delta_schema.report.schema_diff import schema_diff
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
    from pytest_delta_schema.state.catalog_entry import EntryColumn, EntryState, LogState
    from pytest_delta_schema.state.conversion import SourceState
    from pytest_delta_schema.state.introduced_by import IntroducedBy
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
        ColumnGeneration,
        ColumnState,
        IdentityState,
        MapState,
        StructState,
    )
    from pytest_delta_schema.write_check.prediction import check_write
    from pytest_delta_schema.write_check.verdict import WriteVerdict

_HOMES = {
    "backends.databricks.catalog": ("DatabricksCatalog",),
    "backends.databricks.connection": ("connect_databricks",),
    "backends.spark_session.catalog": ("SessionCatalog",),
    "backends.unity.catalog": ("UnityCatalog",),
    "backends.unity.client": ("UnityClient",),
    "backends.unity.secret": ("Secret",),
    "backends.unity.storage": ("Storage",),
    "execute.metadata_sync": ("SyncsEntries", "MetadataSync"),
    "plan.entry_differences": ("EntryDifference", "entry_differences"),
    "state.catalog_entry": ("LogState", "EntryColumn", "EntryState"),
    "backends.memory.catalog": ("MemoryCatalog",),
    "backends.local.catalog": ("LocalCatalog",),
    "backends.local.session": ("open_session", "session_conf"),
    "backends.constraint_violations": ("ConstraintViolation", "constraint_error"),
    "assertions.contracts": ("assert_no_drift", "assert_rows_satisfy"),
    "errors": (
        "ApplyError",
        "MetadataSyncError",
        "SyncError",
        "BackendUnavailableError",
        "StatementError",
        "CatalogReadError",
        "ConvergenceError",
        "DeclarationError",
        "DeltaSchemaError",
        "DriftError",
        "InvalidModelError",
        "ReadProblem",
        "RowsError",
        "UnsafePlanError",
        "Diagnostic",
        "WriteError",
    ),
    "execute.action_runner": ("ActionRunner",),
    "execute.align_executor": ("AlignExecutor",),
    "execute.create_executor": ("CreateExecutor",),
    "execute.interruption": ("ApplyInterrupted", "InterruptedTable", "RunningOutcome", "StillRunning"),
    "execute.preflight": ("Preflight",),
    "execute.protocols": ("Capabilities", "Refusal", "Catalog", "DeltaDDL", "RowCounts", "ScratchCatalog"),
    "models.binding": ("Binding",),
    "models.column": ("Column", "Identity"),
    "models.constraints": ("Check", "ForeignKey"),
    "models.names": ("QualifiedName",),
    "models.table": ("Table",),
    "engine.orchestrator": ("Orchestrator", "SyncResult"),
    "engine.settings": ("Settings", "current_settings"),
    "plan.actions": ("AlignTable", "CreateTable"),
    "plan.changes": (
        "CheckAdd",
        "CheckDrop",
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
    "plan.data_checks": ("DataCheck", "NotNull", "PartitionValue"),
    "plan.planner": ("TablePlanner",),
    "plan.property_policy": ("PropertyPolicy",),
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
    "backends.local.write_probe": ("probe_write",),
    "assertions.writes": ("assert_accepts", "assert_rejects", "assert_evolves"),
    "models.structs": ("to_struct_type", "empty_frame"),
    "report.schema_diff": ("schema_diff",),
    "report.model_source": ("model_source",),
    "write_check.prediction": ("check_write",),
    "write_check.verdict": ("WriteVerdict",),
    "models.conversion": ("Parquet",),
    "state.conversion": ("SourceState",),
    "state.introduced_by": ("IntroducedBy",),
    "state.states": (
        "CatalogReader",
        "CatalogState",
        "CheckState",
        "ForeignKeyState",
        "KeyState",
        "RenameState",
        "TableState",
    ),
    "state.types": ("ArrayState", "ColumnState", "IdentityState", "MapState", "StructState", "ColumnGeneration"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "DEFAULT_MODEL_RULES",
    "DEFAULT_PLAN_RULES",
    "ActionRunner",
    "AlignExecutor",
    "AlignTable",
    "ApplyError",
    "ApplyInterrupted",
    "ArrayState",
    "BackendUnavailableError",
    "Binding",
    "Capabilities",
    "Catalog",
    "CatalogReadError",
    "CatalogReader",
    "CatalogState",
    "Check",
    "CheckAdd",
    "CheckDrop",
    "CheckState",
    "ClusteringChange",
    "Column",
    "ColumnAdd",
    "ColumnDefaultChange",
    "ColumnDrop",
    "ColumnGeneration",
    "ColumnGenerationChange",
    "ColumnMove",
    "ColumnNullabilityChange",
    "ColumnRename",
    "ColumnState",
    "ColumnTypeChange",
    "Consent",
    "ConstraintViolation",
    "ConvergenceError",
    "ConvertTable",
    "CreateExecutor",
    "CreateTable",
    "DataCheck",
    "DatabricksCatalog",
    "DeclarationError",
    "DeltaDDL",
    "DeltaSchemaError",
    "Diagnostic",
    "DriftError",
    "EntryColumn",
    "EntryDifference",
    "EntryState",
    "ForeignKey",
    "ForeignKeyAdd",
    "ForeignKeyDrop",
    "ForeignKeyState",
    "Identity",
    "IdentityState",
    "InterruptedTable",
    "IntroducedBy",
    "InvalidModelError",
    "KeyState",
    "LayoutRewrite",
    "LocalCatalog",
    "LogState",
    "MapState",
    "MemoryCatalog",
    "MetadataSync",
    "MetadataSyncError",
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
    "Refusal",
    "RenameState",
    "Risk",
    "RowCounts",
    "RowsError",
    "RunningOutcome",
    "ScratchCatalog",
    "Secret",
    "SessionCatalog",
    "SetColumnComments",
    "SetTableComment",
    "SetTableProperties",
    "SetTags",
    "Settings",
    "SourceState",
    "Statement",
    "StatementError",
    "StatementKind",
    "StillRunning",
    "Storage",
    "StructState",
    "SyncError",
    "SyncResult",
    "SyncsEntries",
    "Table",
    "TablePlan",
    "TablePlanner",
    "TableState",
    "UnityCatalog",
    "UnityClient",
    "UnsafePlanError",
    "UnsetTableProperties",
    "UnsetTags",
    "WriteError",
    "WriteVerdict",
    "assert_accepts",
    "assert_evolves",
    "assert_no_drift",
    "assert_rejects",
    "assert_rows_satisfy",
    "check_write",
    "connect_databricks",
    "constraint_error",
    "current_settings",
    "default_model_rules",
    "default_plan_rules",
    "empty_frame",
    "entry_differences",
    "model_source",
    "open_session",
    "plan_script",
    "probe_write",
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
