"""Declare tables: columns, keys, checks, properties and tags, as their authors write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.models.column import Column as Column
    from pytest_delta_schema.models.column import Deprecated as Deprecated
    from pytest_delta_schema.models.column import Identity as Identity
    from pytest_delta_schema.models.constraints import Check as Check
    from pytest_delta_schema.models.constraints import ForeignKey as ForeignKey
    from pytest_delta_schema.models.constraints import Parquet as Parquet
    from pytest_delta_schema.models.constraints import PrimaryKey as PrimaryKey
    from pytest_delta_schema.models.constraints import Unique as Unique
    from pytest_delta_schema.models.names import QualifiedName as QualifiedName
    from pytest_delta_schema.models.sets import Binding as Binding
    from pytest_delta_schema.models.spark_types import UnknownType as UnknownType
    from pytest_delta_schema.models.table import Table as Table
    from pytest_delta_schema.models.table import empty_frame as empty_frame
    from pytest_delta_schema.models.table import to_struct_type as to_struct_type

__getattr__, __dir__ = lazy_exports(__name__)
