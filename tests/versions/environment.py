"""Make the environments of the pairs, from constraints.txt and the few pins in which a pair differs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_delta_schema.backends.local.pairs import Pair

ROOT = Path(__file__).parents[2]
CONSTRAINTS = ROOT / "constraints.txt"
PACKAGES = (
    "delta-spark",
    "deltalake",
    "filelock",
    "httpcore",
    "httpx",
    "hypothesis",
    "msgspec",
    "pandas",
    "platformdirs",
    "pyarrow",
    "pyspark[connect]",
    "pytest",
    "sqlglot",
    "syrupy",
)
"""What the scenarios import; the package itself is taken from the checkout."""

_PIN = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)


def environment(pair: Pair) -> Path:
    """Return the Python of a pair's environment, which is made if it is missing or its pins have changed."""
    folder = ROOT / ".venv-versions" / pair.extra
    python, pins = folder / "bin" / "python", folder / "constraints.txt"
    text = pins_of(pair)
    if not python.exists() or not pins.exists() or pins.read_text("utf-8") != text:
        sys.stdout.write(f"installing {pair.extra} into {folder.relative_to(ROOT)} (about 600 MB, once)\n")
        sys.stdout.flush()
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        wanted = folder / "wanted.txt"
        wanted.write_text(text, "utf-8")
        options = ("--quiet", "--disable-pip-version-check", "--constraint", str(wanted))
        subprocess.run([str(python), "-m", "pip", "install", *options, *PACKAGES], check=True)
        wanted.rename(pins)
    return python


def pins_of(pair: Pair) -> str:
    """Return the constraints of a pair: the shared ones, without those that its own file replaces."""
    own = ROOT / "constraints" / f"{pair.extra}.txt"
    changed = own.read_text("utf-8") if own.exists() else ""
    replaced = {name.lower() for name in _PIN.findall(changed)}
    lines = CONSTRAINTS.read_text("utf-8").splitlines()
    kept = [line for line in lines if line.partition("==")[0].lower() not in replaced]
    return "\n".join([*kept, changed])
