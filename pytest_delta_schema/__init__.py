"""Schema contracts for Delta Lake in pytest: declare tables, plan, gate on drift, apply and verify.

The names that models, tests and scripts import; everything else is public in its package, such as
``pytest_delta_schema.plan.ColumnAdd``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_delta_schema.assertions import assert_accepts as assert_accepts
    from pytest_delta_schema.assertions import assert_evolves as assert_evolves
    from pytest_delta_schema.assertions import assert_no_drift as assert_no_drift
    from pytest_delta_schema.assertions import assert_rejects as assert_rejects
    from pytest_delta_schema.assertions import assert_rows_satisfy as assert_rows_satisfy
    from pytest_delta_schema.backends.databricks import DatabricksCatalog as DatabricksCatalog
    from pytest_delta_schema.backends.local import LocalCatalog as LocalCatalog
    from pytest_delta_schema.backends.local import open_session as open_session
    from pytest_delta_schema.backends.memory import MemoryCatalog as MemoryCatalog
    from pytest_delta_schema.backends.spark_session import SessionCatalog as SessionCatalog
    from pytest_delta_schema.backends.unity import UnityCatalog as UnityCatalog
    from pytest_delta_schema.diagnostics.errors import ApplyError as ApplyError
    from pytest_delta_schema.diagnostics.errors import DeltaSchemaError as DeltaSchemaError
    from pytest_delta_schema.diagnostics.errors import DriftError as DriftError
    from pytest_delta_schema.diagnostics.errors import InvalidModelError as InvalidModelError
    from pytest_delta_schema.diagnostics.errors import UnsafePlanError as UnsafePlanError
    from pytest_delta_schema.engine import Orchestrator as Orchestrator
    from pytest_delta_schema.engine import Settings as Settings
    from pytest_delta_schema.engine import check_write as check_write
    from pytest_delta_schema.models import Check as Check
    from pytest_delta_schema.models import Column as Column
    from pytest_delta_schema.models import Deprecated as Deprecated
    from pytest_delta_schema.models import ForeignKey as ForeignKey
    from pytest_delta_schema.models import Identity as Identity
    from pytest_delta_schema.models import Parquet as Parquet
    from pytest_delta_schema.models import PrimaryKey as PrimaryKey
    from pytest_delta_schema.models import QualifiedName as QualifiedName
    from pytest_delta_schema.models import Table as Table
    from pytest_delta_schema.models import Unique as Unique
    from pytest_delta_schema.models import UnknownType as UnknownType
    from pytest_delta_schema.models import empty_frame as empty_frame
    from pytest_delta_schema.models import to_struct_type as to_struct_type
    from pytest_delta_schema.test_kit import assert_frame_fits as assert_frame_fits
    from pytest_delta_schema.test_kit import assert_table_equals as assert_table_equals
    from pytest_delta_schema.test_kit import breaking_rows as breaking_rows
    from pytest_delta_schema.test_kit import frame_of as frame_of
    from pytest_delta_schema.test_kit import rows_of as rows_of
    from pytest_delta_schema.test_kit import rows_strategy as rows_strategy
    from pytest_delta_schema.test_kit import state_text as state_text
    from pytest_delta_schema.write_check import Merge as Merge
    from pytest_delta_schema.write_check import When as When
    from pytest_delta_schema.write_check import WriteOptions as WriteOptions

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load a public name when it is first used."""
    from pytest_delta_schema._lazy import lazy_exports

    return lazy_exports(__name__)[0](name)


def __dir__() -> list[str]:
    from pytest_delta_schema._lazy import lazy_exports

    return lazy_exports(__name__)[1]()
