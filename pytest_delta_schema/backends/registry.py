"""Find a backend by its name: built in, or installed with another distribution."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.backend import Backend
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, first_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from importlib.metadata import EntryPoint

ENTRY_POINT_GROUP = "pytest_delta_schema.backends"
"""The group of entry points by which other distributions make backends known."""

BUILT_IN: Mapping[str, str] = MappingProxyType(
    {
        "local": "pytest_delta_schema.backends.local.backend",
        "memory": "pytest_delta_schema.backends.memory.backend",
        "session": "pytest_delta_schema.backends.spark_session.backend",
        "unity": "pytest_delta_schema.backends.unity.backend",
        "databricks": "pytest_delta_schema.backends.databricks.backend",
    }
)
"""The modules of the built-in backends, each with a constant ``BACKEND``; imported when one is chosen."""


def find_backend(name: str) -> Backend:
    """Return a backend; entry points are read only for a name that is not built in.

    Args:
        name: As ``--delta-backend`` takes it.

    Raises:
        BackendUnavailableError: If there is none of that name, or it cannot be loaded.
    """
    if name in BUILT_IN:
        backend: Backend = import_module(BUILT_IN[name]).BACKEND
        return backend
    installed = entry_points(group=ENTRY_POINT_GROUP)
    candidates = {point.value: point for point in installed if point.name == name}
    if not candidates:
        raise BackendUnavailableError(_unknown(name, sorted({point.name for point in installed} - BUILT_IN.keys())))
    if len(candidates) > 1:
        sources = " and ".join(sorted(map(_source, candidates.values())))
        msg = f"the delta backend {name!r} is installed more than once, by {sources}; uninstall all but one"
        raise BackendUnavailableError(msg)
    return _load(*candidates.values())


def _load(point: EntryPoint) -> Backend:
    try:
        backend = point.load()
    except Exception as error:
        msg = (
            f"the delta backend {point.name!r} of {_source(point)} cannot be loaded"
            f" ({type(error).__name__}: {first_line(error)}); install what it needs, or choose another backend"
        )
        raise BackendUnavailableError(msg) from error
    if not isinstance(backend, Backend):
        msg = (
            f"the entry point {point.name!r} of {_source(point)} is {backend!r}, not a Backend; point it to an"
            " instance of pytest_delta_schema.backends.Backend"
        )
        raise BackendUnavailableError(msg)
    return backend


def _source(point: EntryPoint) -> str:
    return point.value if point.dist is None else f"{point.dist.name} {point.dist.version} ({point.value})"


def _unknown(name: str, installed: Iterable[str]) -> str:
    others = ", ".join(installed)
    nearest = get_close_matches(name, [*BUILT_IN, *installed], n=1)
    guess = f" (did you mean {nearest[0]!r}?)" if nearest else ""
    besides = f"; installed besides: {others}" if others else ""
    return f"there is no delta backend {name!r}{guess}; choose one of {', '.join(BUILT_IN)}{besides}"
