"""Render actions as SQL of the Unity Catalog dialect; no other package writes SQL from names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.diagnostics.text import identifier as identifier
    from pytest_delta_schema.sql.compiler import script as script
    from pytest_delta_schema.sql.compiler import statements as statements
    from pytest_delta_schema.sql.quoting import dotted as dotted
    from pytest_delta_schema.sql.quoting import literal as literal
    from pytest_delta_schema.sql.renderers import describe_detail as describe_detail
    from pytest_delta_schema.sql.renderers import describe_history as describe_history
    from pytest_delta_schema.sql.statement import Statement as Statement
    from pytest_delta_schema.sql.statement import StatementKind as StatementKind

__getattr__, __dir__ = lazy_exports(__name__)
