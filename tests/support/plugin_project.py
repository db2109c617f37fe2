"""A small project with declared tables, whose pytest is run in the tests, and what it needs of other plugins."""

from __future__ import annotations

import importlib
import pkgutil
import re
import shutil
import sys
from contextlib import suppress
from subprocess import CompletedProcess
from subprocess import run as run_process
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema import Settings
from pytest_delta_schema.engine.declarations import Declarations, node_name, snapshot_text, tables_of_file
from pytest_delta_schema.plugin.option_reading import checked_options
from pytest_delta_schema.state.json_shapes import SQL_FILE, STATE_FILE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest import Pytester, RunResult  # noqa: PT013 - names of types only

    from pytest_delta_schema.plugin.options import Options


ALONE = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio")
"""Each of these plugins takes a process half a second to load."""


# The inner runs forget what they import; what they must share with the outer one is imported before them.


for name in (
    "backends.databricks.catalog",
    "backends.local.backend",
    "backends.memory.backend",
    "backends.memory.catalog",
):
    importlib.import_module(f"pytest_delta_schema.{name}")
importlib.import_module("yaml")  # its parser knows the classes of its first import only
with suppress(ModuleNotFoundError):  # delta-spark imports it, and Python's own finder is turned off for good
    importlib.import_module("importlib_metadata")
for name in ("engine", "exchange", "execute", "plan", "plugin", "report", "rules", "sql", "state"):
    package = importlib.import_module(f"pytest_delta_schema.{name}")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")

SHARED: dict[str, object] = {}
"""What runs inside of one test have in common."""

HEAD = """
from pyspark.sql.types import DecimalType, LongType, StringType, TimestampType
from pytest_delta_schema import Column, Table

def table(name, *columns, **options):
    return Table(*name.split("."), list(columns), **options)

"""
ORDERS = """
orders = Table(
    "dev", "silver", "orders",
    [
        Column("id", LongType(), is_nullable=False, comment="Order ID"),
        Column("created_ts", TimestampType(), comment="Creation time"),
        Column("amount", DecimalType(18, 2), comment="Order total"),
    ],
    comment="Orders table",
    table_properties={"delta.autoOptimize.optimizeWrite": "true"},
    primary_key=["id"],
)
"""
CATALOG = """
import pytest
from pytest_delta_schema import MemoryCatalog, QualifiedName
from pytest_delta_schema.diagnostics.errors import Diagnostic
from pytest_delta_schema.state import CatalogState, ColumnState, TableState

def stored(name, *columns, **options):
    return TableState(name=QualifiedName(*name.split(".")), columns=columns, **options)

ID = ColumnState("id", "bigint", False, "")
OLD = ColumnState("id", "bigint", True, "")

@pytest.fixture(scope="session")
def delta_catalog():
    return {catalog}
"""

REPEATS = """
import pytest

def pytest_addoption(parser):
    parser.addoption("--count", type=int, default=1)

@pytest.fixture
def step(request):
    return request.param

def pytest_generate_tests(metafunc):
    count = metafunc.config.option.count
    if count > 1:
        metafunc.fixturenames.append("step")
        metafunc.parametrize("step", range(count), indirect=True, ids=lambda n: f"{n + 1}-{count}")
"""
"""What pytest-repeat 0.9 does."""

MODELS = 'models = ["models"]'
"""The setting of a new project."""


def consent(path: str, *, action: str = "drop-column", expires: str = "2999-12-31") -> str:
    """Return a consent of the project, as lines of its settings."""
    lines = ("[[tool.pytest_delta_schema.allow]]", f'action = "{action}"', f'path = "{path}"')
    return "\n".join([*lines, 'reason = "moved to payments"', f"expires = {expires}"])


class Project:
    """A folder with an ini file, settings, models and a conftest."""

    def __init__(self, pytester: Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.ini()
        self.settings(MODELS)

    def ini(self, *lines: str) -> None:
        """Write the ini file of pytest."""
        self.pytester.makeini("\n".join(["[pytest]", "pythonpath = .", *lines]))

    def settings(self, *lines: str) -> None:
        """Write the section of this package, the only one of ``pyproject.toml``; without lines there is no such file."""
        path = self.path / "pyproject.toml"
        if lines:
            path.write_text("\n".join(["[tool.pytest_delta_schema]", *lines, ""]), "utf-8")
        else:
            path.unlink(missing_ok=True)

    def models(self, text: str, module: str = "models") -> None:
        """Write a module that declares tables."""
        self.pytester.makepyfile(**{module: HEAD + text})

    def catalog(self, expression: str) -> None:
        """Make ``delta_catalog`` what ``expression`` is."""
        self.pytester.makeconftest(CATALOG.replace("{catalog}", expression))

    def extend_conftest(self, text: str) -> None:
        """Add a text to the end of the conftest."""
        with (self.path / "conftest.py").open("a", encoding="utf-8") as file:
            file.write(text)

    def run(self, *args: str, subprocess: bool = False, plugins: Sequence[object] = ()) -> RunResult:
        """Run pytest there."""
        if subprocess:
            return self.pytester.runpytest_subprocess(*ALONE, *args)
        return self.pytester.runpytest_inprocess(*ALONE, *args, plugins=plugins, no_reraise_ctrlc=True)

    def run_all(self, modes: str, *args: str, subprocess: bool = False) -> RunResult:
        """Run pytest there with modes in ``addopts``, so tests which are no contracts run, too."""
        return self.run("-o", f"addopts={modes}", *args, subprocess=subprocess)

    def apply_in_new_session(self, *args: str) -> CompletedProcess[str]:
        """Apply in a process whose signals to its group reach nobody else."""
        command = [sys.executable, "-m", "pytest", *ALONE, "--delta-apply", "-m", "delta_apply", *args]
        return run_process(
            command, cwd=self.path, capture_output=True, text=True, timeout=300, start_new_session=True, check=False
        )

    def faults(self, *args: str) -> list[str]:
        """Return the lines of the usage error with which pytest would end there before it collects anything.

        Args:
            args: The command line.
        """
        try:
            self.options(*args)
        except pytest.UsageError as error:
            return str(error).splitlines()
        return []

    def options(self, *args: str) -> Options:
        """Return what pytest would read there from the command line and the files of the project."""
        importlib.invalidate_caches()
        return checked_options(self.pytester.parseconfig(*ALONE, *args))

    def accept(self, *files: Path, kinds: Sequence[str] = ("sql", "state")) -> None:
        """Write the snapshots of modules, of ``models.py`` by default, as ``--snapshot-update`` does, and nothing else.

        Args:
            files: The modules.
            kinds: The files that are written for each table.
        """
        for path in files or [self.path / "models.py"]:
            models = {table.name: table for table in tables_of_file(str(path)).values()}
            declarations, folder = Declarations(Settings(), models), path.parent / "__snapshots__" / path.stem
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            for model in models.values():
                texts, name = declarations.reviewed_texts(model), node_name(model.qualified_name)
                written = {"sql": (SQL_FILE, snapshot_text(texts.sql)), "state": (STATE_FILE, texts.state)}
                for end, text in (written[kind] for kind in kinds):
                    (folder / f"{name}{end}").write_bytes(text.encode())

    def snapshots(self) -> list[str]:
        """Return the names of all snapshot files."""
        files = [path for path in self.path.rglob("__snapshots__/**/*") if path.is_file()]
        return sorted(path.relative_to(self.path).as_posix() for path in files)


reads_tool_pytest = pytest.mark.skipif(
    pytest.version_tuple < (9,), reason="pytest 8 does not read [tool.pytest], and the plugin says so"
)
"""For tests of projects that configure pytest in ``[tool.pytest]``."""


_MARK = re.compile(r"«(/?)([^»]*)»")


def unmarked(text: str) -> tuple[str, dict[str, tuple[int, int, int]]]:
    """Return a source text without its marks, and the first line, the column and the last line of everything marked."""
    starts: dict[str, tuple[int, int]] = {}
    ends: dict[str, int] = {}
    lines = []
    for number, line in enumerate(text.split("\n"), start=1):
        plain, rest = "", line
        while mark := _MARK.search(rest):
            plain, rest = plain + rest[: mark.start()], rest[mark.end() :]
            if mark[1]:
                ends[mark[2]] = number
            else:
                starts[mark[2]] = (number, len(plain) + 1)
        lines.append(plain + rest)
    return "\n".join(lines), {key: (line, column, ends.get(key, line)) for key, (line, column) in starts.items()}
