"""Recipes of the contributing guide, followed in a copy of the package: steps as data, and what the guide lists."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest_delta_schema

ROOT = Path(pytest_delta_schema.__file__).parents[1]
GUIDE = ROOT / "docs" / "contributing.md"
PACKAGE = "pytest_delta_schema"


@dataclass(frozen=True)
class Step:
    """One addition to one file.

    Args:
        path: The file, from the root of the repository.
        text: What is added, or the whole of a new file.
        before: The text that follows the addition, and that the file has once; ``""`` for a new file.
    """

    path: str
    text: str
    before: str = ""


@dataclass(frozen=True)
class Recipe:
    """A small addition that follows a recipe.

    Args:
        title: The heading of the recipe.
        steps: The addition; several steps may be of one file.
        names: What the guide's names in capitals are here.
    """

    title: str
    steps: tuple[Step, ...]
    names: dict[str, str]

    def files(self) -> list[str]:
        """Return the files that are touched, each once."""
        return list(dict.fromkeys(step.path for step in self.steps))

    def listed(self) -> list[str]:
        """Return the files that the guide lists, with the names of this addition."""
        section = re.split(r"^### ", GUIDE.read_text("utf-8"), flags=re.MULTILINE)
        text = next(part for part in section if part.startswith(f"{self.title}\n"))
        paths = re.findall(r"^\d+\. `([^`]+)`", text, flags=re.MULTILINE)
        for placeholder, name in self.names.items():
            paths = [path.replace(placeholder, name) for path in paths]
        return [path if path.startswith("tests/") else f"{PACKAGE}/{path}" for path in paths]


def copy_of_the_package(folder: Path) -> Path:
    """Copy the package, without what no recipe touches."""
    shutil.copytree(ROOT / PACKAGE, folder / PACKAGE, ignore=shutil.ignore_patterns("__pycache__", "scenarios"))
    return folder


def follow(steps: tuple[Step, ...], folder: Path) -> None:
    """Take steps in a copy of the package."""
    for step in steps:
        file = folder / step.path
        if not step.before:
            assert not file.exists(), f"{step.path} exists"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.text, "utf-8")
            continue
        text = file.read_text("utf-8")
        assert text.count(step.before) == 1, f"{step.path} has {text.count(step.before)} times {step.before!r}"
        file.write_text(text.replace(step.before, f"{step.text}{step.before}"), "utf-8")


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the copy of the package."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={"PYTHONPATH": f"{folder}:{ROOT / 'tests'}", "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
