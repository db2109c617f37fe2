"""Assert in tests and scripts that tables, rows and writes meet their contracts; pytest is not needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.assertions.contracts import assert_accepts as assert_accepts
    from pytest_delta_schema.assertions.contracts import assert_evolves as assert_evolves
    from pytest_delta_schema.assertions.contracts import assert_no_drift as assert_no_drift
    from pytest_delta_schema.assertions.contracts import assert_rejects as assert_rejects
    from pytest_delta_schema.assertions.contracts import assert_rows_satisfy as assert_rows_satisfy

__getattr__, __dir__ = lazy_exports(__name__)
