"""Test data and observations for tests of pipelines: rows from models, effects of jobs; pytest is not needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.test_kit.breaking import BreakingRows as BreakingRows
    from pytest_delta_schema.test_kit.breaking import breaking_rows as breaking_rows
    from pytest_delta_schema.test_kit.breaking import frame_of as frame_of
    from pytest_delta_schema.test_kit.breaking import rows_strategy as rows_strategy
    from pytest_delta_schema.test_kit.comparison import assert_frame_fits as assert_frame_fits
    from pytest_delta_schema.test_kit.comparison import assert_table_equals as assert_table_equals
    from pytest_delta_schema.test_kit.comparison import state_text as state_text
    from pytest_delta_schema.test_kit.constraints import Constraint as Constraint
    from pytest_delta_schema.test_kit.rows import rows_of as rows_of

__getattr__, __dir__ = lazy_exports(__name__)
