"""Compare tables: one frozen shape for what a model wants and for what a catalog holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.delta.names import ColumnPath as ColumnPath
    from pytest_delta_schema.state.commits import Commit as Commit
    from pytest_delta_schema.state.commits import DataFile as DataFile
    from pytest_delta_schema.state.delta_log import LogFacts as LogFacts
    from pytest_delta_schema.state.entries import EntryColumn as EntryColumn
    from pytest_delta_schema.state.entries import EntryState as EntryState
    from pytest_delta_schema.state.json_state import state_from_json as state_from_json
    from pytest_delta_schema.state.json_state import state_json as state_json
    from pytest_delta_schema.state.states import *
    from pytest_delta_schema.state.states import CatalogReader as CatalogReader
    from pytest_delta_schema.state.states import IntroducedBy as IntroducedBy
    from pytest_delta_schema.state.states import SourceState as SourceState
    from pytest_delta_schema.state.types import ArrayState as ArrayState
    from pytest_delta_schema.state.types import ColumnGeneration as ColumnGeneration
    from pytest_delta_schema.state.types import ColumnState as ColumnState
    from pytest_delta_schema.state.types import IdentityState as IdentityState
    from pytest_delta_schema.state.types import MapState as MapState
    from pytest_delta_schema.state.types import StructState as StructState

__getattr__, __dir__ = lazy_exports(__name__)
