"""Show plans, differences and models as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.report.review import model_source as model_source
    from pytest_delta_schema.report.review import plan_script as plan_script
    from pytest_delta_schema.report.schema_comparison import schema_diff as schema_diff

__getattr__, __dir__ = lazy_exports(__name__)
