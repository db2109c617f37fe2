"""The local backend: an embedded Spark with Delta Lake over a warehouse folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.backends.local.catalog import LocalCatalog as LocalCatalog
    from pytest_delta_schema.backends.local.catalog import probe_write as probe_write
    from pytest_delta_schema.backends.local.start import LocalSession as LocalSession
    from pytest_delta_schema.backends.local.start import open_session as open_session
    from pytest_delta_schema.backends.local.start import session_conf as session_conf

__getattr__, __dir__ = lazy_exports(__name__)
