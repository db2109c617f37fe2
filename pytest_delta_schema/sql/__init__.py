"""Render actions as SQL of the Unity Catalog dialect; no other package writes SQL from names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.sql.compiler import script as script
    from pytest_delta_schema.sql.compiler import statements as statements
    from pytest_delta_schema.sql.statement import Statement as Statement
    from pytest_delta_schema.sql.statement import StatementKind as StatementKind

__getattr__, __dir__ = lazy_exports(__name__)
