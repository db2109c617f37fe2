"""The wheel and the sdist hold what users need and nothing else, and install in a fresh environment.

``make package`` builds both and names their folder in ``DELTA_SCHEMA_TEST_DIST``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DIST = os.environ.get("DELTA_SCHEMA_TEST_DIST")
AROUND = {"CHANGELOG.md", "LICENSE", "MANIFEST.in", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg"}

pytestmark = pytest.mark.skipif(DIST is None, reason="make package builds the distributions")


def built(pattern):
    (path,) = Path(DIST).resolve().glob(pattern)
    return path


def package_files():
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "pytest_delta_schema").rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".class")
    }


def test_the_wheel_holds_the_package_and_its_metadata():
    with zipfile.ZipFile(built("*.whl")) as wheel:
        names = set(wheel.namelist())
        (metadata,) = (wheel.read(name).decode() for name in names if name.endswith("/METADATA"))

    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    assert {name for name in names if ".dist-info/" not in name} == package_files()
    assert {Path(name).name for name in names if ".dist-info/" in name} == {
        "LICENSE",
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "top_level.txt",
    }


def test_the_sdist_holds_the_package_and_what_builds_it():
    with tarfile.open(built("*.tar.gz")) as sdist:
        names = {member.name.partition("/")[2] for member in sdist.getmembers() if member.isfile()}

    names = {name for name in names if ".egg-info/" not in name}
    assert {name for name in names if name.startswith("pytest_delta_schema/")} == package_files()
    assert {name for name in names if not name.startswith("pytest_delta_schema/")} == AROUND


def test_the_wheel_installs_in_a_fresh_environment(tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV"))}

    def run(*command):
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run(sys.executable, "-m", "venv", "fresh")
    python = str(tmp_path / "fresh" / "bin" / "python")
    pip = (python, "-m", "pip", "--disable-pip-version-check", "--quiet")
    run(*pip, "install", "--constraint", str(ROOT / "constraints.txt"), str(built("*.whl")))
    run(*pip, "check")
    (tmp_path / "test_one.py").write_text("def test_one():\n    pass\n")

    assert "--delta-drift" in run(python, "-m", "pytest", "--help")
    assert "1 passed" in run(python, "-m", "pytest", "test_one.py")
