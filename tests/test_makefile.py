"""``make`` names what is missing on a machine before it does anything."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OLD_PYTHON = "#!/bin/sh\nexit 1\n"
NO_VENV = '#!/bin/sh\ncase "$2" in *ensurepip*) exit 1;; esac\n'
OLD_JAVA = "#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019' >&2\n"


@pytest.fixture
def checkout(tmp_path):
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def program(folder, name, text):
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def make(checkout, *args, **env):
    return subprocess.run(
        ["make", *args],
        cwd=checkout,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("python", "java", "message"),
    [
        pytest.param(None, None, "make: there is no no-such-python; install Python 3.10 or newer", id="no python"),
        pytest.param(OLD_PYTHON, None, "is older than Python 3.10; install a newer one", id="old python"),
        pytest.param(NO_VENV, None, "has no venv; install it", id="no venv"),
        pytest.param("", None, "Spark needs Java 17 or newer: install a JRE 17", id="no java"),
        pytest.param("", OLD_JAVA, "is Java 11; Spark needs Java 17 or newer", id="old java"),
    ],
)
def test_prerequisites_are_checked_and_named(checkout, python, java, message):
    interpreter = "no-such-python" if python is None else program(checkout, "python", python or "#!/bin/sh\n")
    if java is not None:
        program(checkout, "java", java)

    answer = make(checkout, "test", f"PYTHON={interpreter}", JAVA_HOME=str(checkout))

    assert answer.returncode != 0
    assert message in answer.stderr
    assert not (checkout / ".venv").exists()


def test_help_is_the_default_and_names_every_target(checkout):
    answer = make(checkout)

    targets = ("demo", "test", "test-tutorial", "lint", "format", "docs", "package", "bench", "clean")
    assert [target for target in targets if f"make {target} " not in answer.stdout] == []
