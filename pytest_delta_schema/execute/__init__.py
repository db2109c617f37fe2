"""Run plans: the data checks first, then the statements in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.execute.interruption import ApplyInterrupted as ApplyInterrupted
    from pytest_delta_schema.execute.interruption import InterruptedTable as InterruptedTable
    from pytest_delta_schema.execute.interruption import RunningOutcome as RunningOutcome
    from pytest_delta_schema.execute.interruption import StillRunning as StillRunning
    from pytest_delta_schema.execute.protocols import ABSENT as ABSENT
    from pytest_delta_schema.execute.protocols import Capabilities as Capabilities
    from pytest_delta_schema.execute.protocols import Catalog as Catalog
    from pytest_delta_schema.execute.protocols import ClonesTables as ClonesTables
    from pytest_delta_schema.execute.protocols import CreatesConcurrently as CreatesConcurrently
    from pytest_delta_schema.execute.protocols import DataCheckRunner as DataCheckRunner
    from pytest_delta_schema.execute.protocols import DeltaDDL as DeltaDDL
    from pytest_delta_schema.execute.protocols import ExplainsEmptySchemas as ExplainsEmptySchemas
    from pytest_delta_schema.execute.protocols import IdentifiesTables as IdentifiesTables
    from pytest_delta_schema.execute.protocols import KeepsVersions as KeepsVersions
    from pytest_delta_schema.execute.protocols import Lag as Lag
    from pytest_delta_schema.execute.protocols import ListsParquet as ListsParquet
    from pytest_delta_schema.execute.protocols import ListsViews as ListsViews
    from pytest_delta_schema.execute.protocols import MetadataSync as MetadataSync
    from pytest_delta_schema.execute.protocols import Preflight as Preflight
    from pytest_delta_schema.execute.protocols import ProbesWrites as ProbesWrites
    from pytest_delta_schema.execute.protocols import ReadsRows as ReadsRows
    from pytest_delta_schema.execute.protocols import Refusal as Refusal
    from pytest_delta_schema.execute.protocols import ReusesCreations as ReusesCreations
    from pytest_delta_schema.execute.protocols import RowCounts as RowCounts
    from pytest_delta_schema.execute.protocols import ScratchCatalog as ScratchCatalog
    from pytest_delta_schema.execute.protocols import SyncsEntries as SyncsEntries
    from pytest_delta_schema.execute.protocols import Version as Version
    from pytest_delta_schema.execute.protocols import version_of as version_of
    from pytest_delta_schema.execute.runner import ActionRunner as ActionRunner
    from pytest_delta_schema.execute.runner import AlignExecutor as AlignExecutor
    from pytest_delta_schema.execute.runner import CreateExecutor as CreateExecutor
    from pytest_delta_schema.execute.runner import TableResult as TableResult

__getattr__, __dir__ = lazy_exports(__name__)
