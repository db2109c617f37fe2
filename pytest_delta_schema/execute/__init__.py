"""Run plans: the data checks first, then the statements in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.execute.action_runner import ActionRunner as ActionRunner
    from pytest_delta_schema.execute.align_executor import AlignExecutor as AlignExecutor
    from pytest_delta_schema.execute.concurrent_creation import CreatesConcurrently as CreatesConcurrently
    from pytest_delta_schema.execute.create_executor import CreateExecutor as CreateExecutor
    from pytest_delta_schema.execute.interruption import ApplyInterrupted as ApplyInterrupted
    from pytest_delta_schema.execute.interruption import InterruptedTable as InterruptedTable
    from pytest_delta_schema.execute.interruption import RunningOutcome as RunningOutcome
    from pytest_delta_schema.execute.interruption import StillRunning as StillRunning
    from pytest_delta_schema.execute.preflight import Preflight as Preflight
    from pytest_delta_schema.execute.protocols.catalog import Capabilities as Capabilities
    from pytest_delta_schema.execute.protocols.catalog import Catalog as Catalog
    from pytest_delta_schema.execute.protocols.catalog import DataCheckRunner as DataCheckRunner
    from pytest_delta_schema.execute.protocols.catalog import DeltaDDL as DeltaDDL
    from pytest_delta_schema.execute.protocols.catalog import ListsViews as ListsViews
    from pytest_delta_schema.execute.protocols.catalog import Refusal as Refusal
    from pytest_delta_schema.execute.protocols.catalog import RowCounts as RowCounts
    from pytest_delta_schema.execute.protocols.catalog import ScratchCatalog as ScratchCatalog
    from pytest_delta_schema.execute.protocols.lag import Lag as Lag
    from pytest_delta_schema.execute.protocols.metadata_sync import MetadataSync as MetadataSync
    from pytest_delta_schema.execute.protocols.metadata_sync import SyncsEntries as SyncsEntries
    from pytest_delta_schema.execute.protocols.stream_probe import ProbesStreams as ProbesStreams
    from pytest_delta_schema.execute.protocols.table_copies import ClonesTables as ClonesTables
    from pytest_delta_schema.execute.protocols.table_copies import ReusesCreations as ReusesCreations
    from pytest_delta_schema.execute.protocols.table_history import IdentifiesTables as IdentifiesTables
    from pytest_delta_schema.execute.protocols.table_history import KeepsVersions as KeepsVersions
    from pytest_delta_schema.execute.protocols.table_history import ReadsRows as ReadsRows
    from pytest_delta_schema.execute.protocols.version import ABSENT as ABSENT
    from pytest_delta_schema.execute.protocols.version import Version as Version
    from pytest_delta_schema.execute.protocols.version import version_of as version_of
    from pytest_delta_schema.execute.protocols.write_probe import ProbesWrites as ProbesWrites
    from pytest_delta_schema.execute.table_result import TableResult as TableResult

__getattr__, __dir__ = lazy_exports(__name__)
