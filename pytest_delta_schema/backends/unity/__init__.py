"""The Unity Catalog backend: catalog entries by REST, Delta logs without a JVM, changes through Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.backends.secret import Secret as Secret
    from pytest_delta_schema.backends.storage import Storage as Storage
    from pytest_delta_schema.backends.unity.catalog import UnityCatalog as UnityCatalog
    from pytest_delta_schema.backends.unity.connection import UnityClient as UnityClient

__getattr__, __dir__ = lazy_exports(__name__)
