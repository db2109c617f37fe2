"""Read a catalog, plan its changes, validate them, apply them and read the catalog back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.configuration.settings import Settings as Settings
    from pytest_delta_schema.configuration.settings import current_settings as current_settings
    from pytest_delta_schema.engine.gate import Gate as Gate
    from pytest_delta_schema.engine.orchestrator import Orchestrator as Orchestrator
    from pytest_delta_schema.engine.orchestrator import SyncResult as SyncResult
    from pytest_delta_schema.engine.outcomes import TableOutcome as TableOutcome
    from pytest_delta_schema.engine.write_checks import check_write as check_write

__getattr__, __dir__ = lazy_exports(__name__)
