"""Where things that are made once for a machine are kept."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_cache_path


def cache_folder() -> Path:
    """Return the user's cache folder of this package, made if it is missing."""
    return Path(user_cache_path("pytest_delta_schema", ensure_exists=True))
