"""What a reader starts with: an empty folder, an empty cache, and the package in a wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from versions.environments import BY_PAIR, ROOT, pins_of

if TYPE_CHECKING:
    from pytest_delta_schema.delta import Pair

EXTRA = "pytest-delta-schema[spark]"
"""What the page installs."""

_SOURCES = ("LICENSE", "MANIFEST.in", "README.md", "pyproject.toml")
_OWN = ("CI", "COLUMNS", "COV", "DELTA_", "LINES", "PYTEST", "PYTHON", "SPARK_", "VIRTUAL_ENV")
"""How the variables begin that a reader has not."""


def wheel(scratch: Path) -> Path:
    """Build the wheel of this checkout, from a copy, which has no files of earlier builds.

    Args:
        scratch: A folder for the copy and the wheel.
    """
    copy = scratch / "source"
    shutil.copytree(ROOT / "pytest_delta_schema", copy / "pytest_delta_schema")
    for name in _SOURCES:
        shutil.copy(ROOT / name, copy / name)
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation")
    command = [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", str(scratch / "dist"), str(copy)]
    subprocess.run(command, check=True)
    (built,) = (scratch / "dist").glob("*.whl")
    return built


def variables(pair: Pair, scratch: Path) -> dict[str, str]:
    """Return the variables of the reader's shell: another cache folder, but pip's own cache, and the pins of a pair.

    Args:
        pair: The pair.
        scratch: A folder for the cache and the pins.
    """
    pins, cache = scratch / "constraints.txt", scratch / "cache"
    pins.write_text(pins_of(BY_PAIR[pair.extra]), "utf-8")
    known = {name: value for name, value in os.environ.items() if not name.startswith(_OWN)}
    return {
        **known,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PIP_CACHE_DIR": _pip_cache(),
        "PIP_CONSTRAINT": str(pins),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "VIRTUAL_ENV_DISABLE_PROMPT": "1",
        "XDG_CACHE_HOME": str(cache),
    }


def _pip_cache() -> str:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "cache", "dir"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
