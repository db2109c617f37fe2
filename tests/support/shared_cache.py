"""A cache folder of the local backend for one test, which shares what takes minutes to make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.launch import cache_folder

if TYPE_CHECKING:
    from pathlib import Path


def shared_cache(folder: Path) -> Path:
    """Return a new cache folder with the jars and classes of the user's, which may be filled only later."""
    cache = folder / "cache" / "pytest_delta_schema"
    cache.mkdir(parents=True)
    for name in ("jars", "classes"):
        shared = cache_folder() / name
        shared.mkdir(parents=True, exist_ok=True)
        (cache / name).symlink_to(shared)
    return cache
