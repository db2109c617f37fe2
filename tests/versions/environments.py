"""The environments of `make test-versions`: what is installed in each, which tests run there, and how it is made."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.delta import PAIRS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
SPARK = ("delta-spark", "moto[s3]", "pandas", "pyspark[connect]", "selenium")
"""What the tests import, but not those with a client."""

PACKAGES = (
    *("deltalake", "filelock", "flask", "flask-cors", "griffelib; python_version >= '3.11'", "httpcore", "httpx"),
    *("hypothesis", "import-linter", "Jinja2", "jsonschema", "jsonschema-rs", "markdown-it-py", "msgspec"),
    *("open-data-contract-standard", "platformdirs", "pyarrow", "pytest"),
    *("pytest-xdist", "ruff", "sarif-pydantic", "sqlglot", "syrupy"),
)
"""What all tests import."""

SCENARIOS = (
    "tests/backends/local/test_scenarios.py",
    "tests/backends/spark_session/test_catalog.py::TestConnect",
    "tests/backends/spark_session/test_catalog.py::TestClassic",
    "tests/write_check/test_on_delta.py::test_statements_come_to_what_was_recorded_or_is_predicted_for_an_older_delta",
)
"""The tests of a pair: the scenarios of the local and the session backend, and a sample of writes by statements."""

CLIENT = (
    *("-m", "not spark"),
    *(f"tests/{name}" for name in ("models", "state", "delta", "plan", "rules", "sql", "write_check", "assertions")),
    *("tests/backends/memory", "tests/plugin/test_drift.py", "tests/plugin/test_without_jvm.py"),
)
"""The tests of what a gate needs, with a pyspark that can start no Spark."""

PLAIN = (
    *("--numprocesses=2", "--dist=loadfile", "-m", "not spark"),
    "--deselect=tests/docs/test_pages.py::test_the_generated_parts_of_a_page_are_up_to_date[docs/reference/versions.md]",
    "--deselect=tests/versions/test_record.py::test_no_recorded_run_has_a_failure",
)
"""The tests that need no JVM, in two processes, but those of records, which the environments before have changed."""

_PIN = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)


class EnvironmentMissingError(Exception):
    """An environment cannot be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Versions that tests run with; ``constraints/NAME.txt`` has the pins in which they differ from ``constraints.txt``."""

    name: str
    options: tuple[str, ...]
    python: str = ""
    """Such as ``3.12``; the running Python by default."""
    reads_project: bool = True
    """Whether its pytest reads ``[tool.pytest]``."""
    is_client: bool = False
    """Whether it has pyspark-client, without its dependencies, instead of pyspark and delta-spark."""


# Older versions of pyspark leave sockets open, and warnings are errors.
_OLDER = ("-W", "ignore::ResourceWarning", *SCENARIOS)
BY_PAIR = {
    pair.extra: Environment(name=pair.extra, options=SCENARIOS if pair.spark >= (4, 2) else _OLDER) for pair in PAIRS
}
BY_TOOL = {
    environment.name: environment
    for environment in (
        *(Environment(name=f"python3{minor}", options=PLAIN, python=f"3.{minor}") for minor in range(10, 14)),
        Environment(name="pytest84", options=PLAIN, reads_project=False),
        *(Environment(name=f"client4{minor}", options=CLIENT, is_client=True) for minor in range(3)),
    )
}
ENVIRONMENTS = {**BY_PAIR, **BY_TOOL}
"""All environments by their names, in the order in which they run."""


def prepared(environment: Environment) -> Path:
    """Return the Python of an environment, which is made if it is missing or its versions have changed."""
    folder = ROOT / ".venv-versions" / environment.name
    python, pins = folder / "bin" / "python", folder / "constraints.txt"
    base = interpreter(environment.python)
    text = f"# Python {_version(base)}, {', '.join(sorted((*PACKAGES, *SPARK)))}\n{pins_of(environment)}"
    if not python.exists() or not pins.exists() or pins.read_text("utf-8") != text:
        sys.stdout.write(f"installing {environment.name} into {folder.relative_to(ROOT)} (about 600 MB, once)\n")
        sys.stdout.flush()
        _run(base, "-m", "venv", "--clear", str(folder))
        wanted = folder / "wanted.txt"
        wanted.write_text(text, "utf-8")
        install = (str(python), "-m", "pip", "install", "--disable-pip-version-check", "--constraint", str(wanted))
        # These install the package of the checkout, and let pip keep the distributions that it builds.
        _run(*install, "setuptools", "wheel")
        _run(*install, *PACKAGES, *(() if environment.is_client else SPARK))
        if environment.is_client:
            _run(*install, "--no-deps", "pyspark-client")
        _run(*install, "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
        wanted.rename(pins)
    return python


def interpreter(version: str) -> str:
    """Return the command of a version of Python, such as ``3.12``; of the running Python if it is empty."""
    if version in {"", f"{sys.version_info.major}.{sys.version_info.minor}"}:
        return sys.executable
    command = shutil.which(f"python{version}")
    # A shim of pyenv is on the path also for versions that are not active.
    if command is None or _version(command).rpartition(".")[0] != version:
        hint = f"install it, or activate it (pyenv: pyenv shell 3.11 {version})"
        raise EnvironmentMissingError(f"there is no python{version} on the path; {hint}")
    return command


def pins_of(environment: Environment) -> str:
    """Return the constraints of an environment: the shared ones, without those that its own file replaces."""
    own = ROOT / "constraints" / f"{environment.name}.txt"
    changed = own.read_text("utf-8") if own.exists() else ""
    replaced = {name.lower() for name in _PIN.findall(changed)}
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    kept = [line for line in lines if line.partition("==")[0].lower() not in replaced]
    return "\n".join([*kept, changed])


def options_of(environment: Environment, folder: Path) -> list[str]:
    """Return the options of pytest in an environment; one that does not read ``pyproject.toml`` gets a file in the folder."""
    options = ["-p", "no:cacheprovider", *environment.options]
    if environment.reads_project:
        return options
    path = folder / "pytest.ini"
    path.write_text(ini_of(pyproject()["tool"]["pytest"]), "utf-8")
    # Without confcutdir, conftest.py next to pyproject.toml would not be read.
    return ["-c", str(path), f"--rootdir={ROOT}", f"--confcutdir={ROOT}", *options]


def pyproject() -> dict[str, Any]:
    """Return the content of ``pyproject.toml``."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def ini_of(settings: Mapping[str, object]) -> str:
    """Return ``[tool.pytest]`` as pytest 8 reads it, which has parts of ``strict``: those for marks, keys and xfail."""
    lines = ["[pytest]", "xfail_strict = true"]
    for key, value in settings.items():
        if key == "addopts" and isinstance(value, list):
            lines.append(f"addopts = {' '.join([*value, '--strict-markers', '--strict-config'])}")
        elif key == "pythonpath" and isinstance(value, list):
            lines.append(f"pythonpath = {' '.join(str(ROOT / part) for part in value)}")
        elif isinstance(value, list):
            lines.extend([f"{key} =", *(f"  {part}" for part in value)])
    return "\n".join(lines) + "\n"


def _version(command: str) -> str:
    """Return the version of a Python, or ``""`` if the command cannot be run."""
    text = "import platform; print(platform.python_version())"
    return subprocess.run([command, "-c", text], capture_output=True, text=True, check=False).stdout.strip()


def _run(*command: str) -> None:
    code = subprocess.run(command, check=False).returncode
    if code != 0:
        raise EnvironmentMissingError(f"{' '.join(command[1:4])} failed with exit code {code}")
