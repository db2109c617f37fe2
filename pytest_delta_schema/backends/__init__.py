"""Read and change catalogs: a backend is a reader, a runner of statements and its capabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema._lazy import lazy_exports

if TYPE_CHECKING:
    from pytest_delta_schema.backends.backend import Backend as Backend
    from pytest_delta_schema.backends.backend import BackendContext as BackendContext
    from pytest_delta_schema.backends.backend import BackendSettings as BackendSettings
    from pytest_delta_schema.backends.backend import find_backend as find_backend
    from pytest_delta_schema.backends.rows import ConstraintViolation as ConstraintViolation
    from pytest_delta_schema.backends.rows import constraint_error as constraint_error

__getattr__, __dir__ = lazy_exports(__name__)
