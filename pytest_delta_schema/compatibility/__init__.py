"""Judge a change of a contract: whom it breaks, by role, and who has to be upgraded first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.compatibility.judging import CompatibilityFinding as CompatibilityFinding
    from pytest_delta_schema.compatibility.judging import judge_change as judge_change
    from pytest_delta_schema.compatibility.judging import worst_verdict as worst_verdict

__getattr__, __dir__ = lazy_exports(__name__)
