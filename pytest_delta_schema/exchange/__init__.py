"""Exchange declarations with other forms, as text: models from DDL and from data contracts, and DDL from models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.exchange.ddl import from_ddl as from_ddl
    from pytest_delta_schema.exchange.ddl import to_ddl as to_ddl
    from pytest_delta_schema.exchange.odcs import from_odcs as from_odcs

__getattr__, __dir__ = lazy_exports(__name__)
