"""Follow the tutorial as a new user on each supported pair, from ``pip install`` to the gate that fails.

``make test-tutorial`` runs every pair, and ``make test-tutorial PAIRS=spark35`` one of them. Each starts with an empty folder, a
new environment and an empty cache, so Delta's jars are downloaded. What was shown is in ``.tutorial``, one file a pair.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.delta import PAIRS
from support.pages import DOCS, PageError
from tutorial.journey import follow
from tutorial.shell import Shell, ShellError
from versions.environments import BY_PAIR, ROOT, pins_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_delta_schema.delta import Pair

PAGE = DOCS / "tutorial.md"


_OWN = ("CI", "COLUMNS", "COV", "DELTA_", "LINES", "PYTEST", "PYTHON", "SPARK_", "VIRTUAL_ENV")
"""How the variables begin that a reader has not."""


def main(wanted: list[str]) -> int:
    """Follow the page on some pairs, or on all; return the exit code."""
    known = [pair.extra for pair in PAIRS]
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        sys.stderr.write(f"there is no pair {', '.join(unknown)}; name some of {', '.join(known)}\n")
        return 2
    faults: list[str] = []
    for pair in (pair for pair in reversed(PAIRS) if not wanted or pair.extra in wanted):
        _show(f"\n{pair.extra}: pyspark {pair.pyspark} with delta-spark {pair.delta_spark}")
        faults += [f"{pair.extra}: {fault}" for fault in _followed(pair)]
    for fault in faults:
        _show(fault)
    return int(bool(faults))


def _followed(pair: Pair) -> Iterator[str]:
    """Follow the page on a pair, show each command, and yield what went wrong."""
    transcript = ROOT / ".tutorial" / f"{pair.extra}.txt"
    transcript.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, transcript.open("w", encoding="utf-8") as file:
        scratch = Path(name)
        package = f"pytest-delta-schema[{pair.extra}] @ {_wheel(scratch).as_uri()}"
        home = scratch / "home"
        home.mkdir()
        try:
            with Shell(home, _variables(pair, scratch)) as shell:
                for command in follow(PAGE.read_text("utf-8"), shell, home / "shop-pipeline", package):
                    _show(f"  $ {command.ran.command}{command.fault and f'  {command.fault}'}")
                    file.write("\n".join([f"$ {command.ran.command}", *command.ran.lines, "\n"]))
                    file.flush()
                    if command.fault:
                        yield f"line {command.line}: $ {command.ran.command} {command.fault}"
        except (PageError, ShellError) as error:
            yield str(error)


def _wheel(scratch: Path) -> Path:
    """Build the wheel of this checkout, from a copy, which has no files of earlier builds."""
    copy = scratch / "source"
    shutil.copytree(ROOT / "pytest_delta_schema", copy / "pytest_delta_schema")
    for name in ("LICENSE", "MANIFEST.in", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, copy / name)
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation")
    command = [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", str(scratch / "dist"), str(copy)]
    subprocess.run(command, check=True)
    (built,) = (scratch / "dist").glob("*.whl")
    return built


def _variables(pair: Pair, scratch: Path) -> dict[str, str]:
    """Return the variables of the reader's shell: another cache folder, but pip's own cache, and the pins of a pair."""
    pins = scratch / "constraints.txt"
    pins.write_text(pins_of(BY_PAIR[pair.extra]), "utf-8")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "cache", "dir"]
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(_OWN)},
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PIP_CACHE_DIR": subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip(),
        "PIP_CONSTRAINT": str(pins),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "VIRTUAL_ENV_DISABLE_PROMPT": "1",
        "XDG_CACHE_HOME": str(scratch / "cache"),
    }


def _show(line: str) -> None:
    with suppress(BrokenPipeError):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
