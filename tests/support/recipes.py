"""Recipes of the contributing guide, followed in a copy of the package: a patch for each, and what the guide lists."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest_delta_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(pytest_delta_schema.__file__).parents[1]
GUIDE = ROOT / "docs" / "contributing.md"
PATCHES = ROOT / "tests" / "package" / "recipes"
PROJECT = (
    "pyproject.toml",
    "constraints.txt",
    *(f"constraints/{file.name}" for file in ROOT.glob("constraints/*.txt")),
)
"""The files besides the package and the tests that a recipe may touch."""


def patches(recipe: str) -> dict[str, str]:
    """Return what a recipe adds, as a patch for each file that it touches."""
    text = (PATCHES / f"{recipe}.patch").read_text("utf-8")
    parts = re.split(r"^(?=diff --git )", text, flags=re.MULTILINE)[1:]
    return {re.findall(r"^diff --git a/\S+ b/(\S+)$", part, flags=re.MULTILINE)[0]: part for part in parts}


def listed_files(title: str, names: dict[str, str]) -> list[str]:
    """Return the files in the numbered list of a recipe of the guide.

    Args:
        title: The heading of the recipe.
        names: What the words in capitals are called, for which the guide takes any name.
    """
    sections = re.split(r"^### ", GUIDE.read_text("utf-8"), flags=re.MULTILINE)
    section = next(section for section in sections if section.startswith(f"{title}\n"))
    files = re.findall(r"^\d+\. `([^`]+)`", section.split("\n## ")[0], flags=re.MULTILINE)
    for word, name in names.items():
        files = [file.replace(word, name) for file in files]
    return files


def follow(recipe: str, folder: Path, tests: Iterable[str], forgotten: str = "") -> Path:
    """Follow a recipe in a copy of the package and of some tests.

    Args:
        recipe: Its name.
        folder: An empty folder, in which the copy is made.
        tests: The files of the tests; options of pytest among them are left out.
        forgotten: The file that is left as it is.
    """
    shutil.copytree(ROOT / "pytest_delta_schema", folder / "pytest_delta_schema")
    added = patches(recipe)
    for file in {*PROJECT, *added, *tests}:
        if (ROOT / file).is_file() and not (folder / file).exists():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, folder / file)
    text = "".join(patch for file, patch in added.items() if file != forgotten)
    subprocess.run(["git", "apply", "-"], cwd=folder, input=text, text=True, check=True)
    return folder


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the package of a folder, and with its tests before those of the checkout."""
    paths = (folder, folder / "tests", ROOT / "tests")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
