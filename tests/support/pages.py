"""Read the pages of the documentation and run what they show.

A page is a story: its steps run in the order of the page, in one folder and against one memory catalog, without a JVM;
with the backend ``locations`` they run against the folders of the page.

* A fenced block of Python, TOML, YAML or INI begins with a comment that names its file, and is written to that file. A file
  of ``examples/`` has to have this text instead. A ``pyproject.toml`` without the section of pytest is added to the one
  that is there.
* A ``console`` block holds commands after ``$`` and what they print. The output that is shown has to be printed in this
  order, without a line missing in between, except where the page has a line ``...``.
* The line ``The examples start from [TEXT](PAGE#SECTION).`` begins with the files that another page shows.
* ``<!-- file: NAME``, the text and ``-->`` write a file that the reader does not see.
* ``<!-- catalog:``, Python code and ``-->`` change the catalog, as somebody else would do it.
  ``git`` runs as the same author everywhere, on the day of the deprecations, and ids of commits may differ.
* A ``sh`` block holds commands that the tests do not run, such as installing something. A ``text`` block is a diagram. An
  ``sql`` block shows what somebody else does; a ``catalog`` comment after it does it, or ``SOMEBODY_ELSE``, or it begins with
  a comment that names its file, as Python does. A ``json`` block has to be valid JSON.
* Shown lines that begin with ``delta schema: `` report long steps. Without a JVM there are none, so they are left out.

In the end all tests that the page has written have to pass. ``make test-tutorial`` follows the tutorial with a JVM, in
its own environment; there the ``sh`` blocks run, and what ``catalog`` blocks do is done by them.
"""

from __future__ import annotations

import io
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_delta_schema import MemoryCatalog, Orchestrator
from pytest_delta_schema.commands.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_delta_schema.execute import Catalog
    from support.plugin_project import Project

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
FILE_LANGUAGES = ("python", "toml", "yaml", "ini")
NOT_RUN = (
    "cd",
    "delta-schema",
    "git",
    "ln",
    "make",
    "mkdir",
    "mv",
    "pip",
    "python edit_by_hand.py",
    "python -m pip",
    "python -m venv",
    "uv",
)
_FILE_NAME = re.compile(r"(?:#|--) (\S+\.\w+)\n")
_BLOCK = re.compile(
    r"^```(?P<language>[^\n]*)\n(?P<body>.*?)^```$|^<!-- (?P<step>file|catalog): ?(?P<text>.*?) ?-->$"
    r"|^The examples start from \[[^\]]+\]\((?P<project>[^)#]+)#[^)]+\)\.$",
    re.MULTILINE | re.DOTALL,
)
_DIFFERENT = (
    (re.compile(r"\b\d+\.\d+s\b( \(\d+:\d\d:\d\d\))?"), "0.00s"),
    (re.compile(r"\b\d+ s\b"), "0 s"),
    (re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{12}\b"), "0" * 12),
    (re.compile(r"\b\d+ MB\b"), "0 MB"),
    (re.compile(r"\bio\.delta:delta-spark_\S+"), "io.delta:delta-spark"),
    (re.compile(r", emulated by this backend$"), ""),
    (re.compile(r"={3,}|-{3,}|_{3,}"), "---"),
)
"""What differs from run to run: times, ids of commits, sizes, versions, what a backend emulates, and rulers, whose length
follows."""
_GIT = {
    "GIT_COMMITTER_DATE": "2025-01-31T12:00:00+0000",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}

SOMEBODY_ELSE = {
    "README.md": """
from pyspark.sql.types import DecimalType, LongType, TimestampType
from pytest_delta_schema import Column, Table

apply(Table(
    "dev", "silver", "orders",
    [
        Column("id", LongType(), comment="Order ID"),
        Column("created_ts", TimestampType(), comment="Creation time"),
        Column("amount", DecimalType(18, 2), comment="in euros, I think"),
    ],
    comment="Orders table",
    table_properties={"delta.autoOptimize.optimizeWrite": "true"},
))
"""
}
"""What the one ``sql`` block of a page does to the catalog, for pages without comments that the reader does not see."""

STEPS = "delta schema: "
"""The beginning of the lines that report long steps."""


class PageError(Exception):
    """A page shows what is not so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Something that a page shows or does."""

    kind: str
    head: str = ""
    body: str = ""
    line: int


def page_names() -> list[str]:
    """Return the README and all pages of the repository, relative to its root; not those that are built with the site."""
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    pages = {path.relative_to(ROOT).as_posix() for path in DOCS.rglob("*.md")}
    return ["README.md", *sorted(pages.difference(ignored))]


def markdown_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table."""
    heads = [*head]
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows))


def steps(text: str) -> list[Step]:
    """Return the steps of a page."""
    return [
        step for match in _BLOCK.finditer(text) for step in _steps_of(match, text.count("\n", 0, match.start()) + 1)
    ]


def run(page: str, project: Project) -> list[Step]:
    """Run the steps of a page in a project."""
    catalog = MemoryCatalog()
    known = steps((ROOT / page).read_text("utf-8"))
    for step in known:
        location = f"{page}:{step.line}"
        if step.kind == "file":
            write_file(step, project.path)
        elif step.kind == "project":
            for other in steps((ROOT / page).parent.joinpath(step.head).read_text("utf-8")):
                if other.kind == "file":
                    write_file(other, project.path)
        elif step.kind == "catalog" or (step.kind == "sql" and page in SOMEBODY_ELSE):
            code = step.body if step.kind == "catalog" else SOMEBODY_ELSE[page]
            exec(compile(code, location, "exec"), {"catalog": catalog, "apply": _applier(catalog)})  # noqa: S102 - our own text
        elif step.kind == "run":
            shown = [line for line in step.body.splitlines() if not line.startswith(STEPS)]
            missing = missing_line(shown, printed := _printed(step.head, project, catalog))
            if missing is not None:
                msg = f"{location}: $ {step.head} does not print {missing!r} here, but:\n" + "\n".join(printed)
                raise PageError(msg)
    if any(step.head.endswith(".py") for step in known):
        _require_success(page, project, catalog)
    return known


def write_file(step: Step, folder: Path) -> None:
    """Write a file that a page shows."""
    if step.head.startswith("examples/"):
        excerpt = step.body.partition("\n")[2].strip()
        if excerpt not in (ROOT / step.head).read_text("utf-8"):
            msg = f"line {step.line}: {step.head} does not have this text"
            raise PageError(msg)
        return
    path = folder / step.head
    text = step.body
    if step.head == "pyproject.toml":
        first = folder / ".first.toml"
        if "[tool.pytest.ini_options]" in text or not first.exists():
            first.write_text(text, "utf-8")
        else:
            text = _with_sections(first.read_text("utf-8"), text)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _with_sections(text: str, added: str) -> str:
    """Return a TOML file with the keys of another one; a section that both have gets the keys of both."""
    for part in re.split(r"^(?=\[)", added, flags=re.MULTILINE)[1:]:
        head, _, keys = part.partition("\n")
        if not head.startswith("[[") and f"{head}\n" in text:
            text = text.replace(f"{head}\n", f"{head}\n{keys}", 1)
        else:
            text = f"{text}\n{part}"
    return text


def _require_success(page: str, project: Project, catalog: MemoryCatalog) -> None:
    """Run everything that the page has written, in its last form."""
    result = project.run("--snapshot-update", plugins=[_CatalogOfThePage(catalog)])
    if result.ret not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        msg = f"{page}: the files of the page fail:\n{result.stdout.str()}"
        raise PageError(msg)


def _steps_of(match: re.Match[str], line: int) -> Iterator[Step]:
    language, body = match["language"], match["body"]
    if match["project"]:
        yield Step(kind="project", head=match["project"], line=line)
    elif match["step"] == "file":
        name, _, text = match["text"].partition("\n")
        yield Step(kind="file", head=name, body=text, line=line)
    elif match["step"] == "catalog":
        yield Step(kind="catalog", body=dedent(match["text"]), line=line)
    elif language in FILE_LANGUAGES or (language == "sql" and _FILE_NAME.match(body)):
        name = _FILE_NAME.match(body)
        if name is None:
            msg = f"line {line}: the first line of a {language} block names its file, as in '# models.py'"
            raise PageError(msg)
        yield Step(kind="file", head=name[1], body=body, line=line)
    elif language == "console":
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield Step(kind="run", head=command, body=output.rstrip("\n"), line=line)
    elif language in ("sh", "sql", "text", "json"):
        if language == "sh" and not all(command.startswith(NOT_RUN) for command in body.splitlines()):
            msg = f"line {line}: sh blocks hold commands that no test runs; use console for others"
            raise PageError(msg)
        yield Step(kind=language, body=_valid(body, language), line=line)
    else:
        msg = f"line {line}: no test holds blocks of {language!r}"
        raise PageError(msg)


def _valid(body: str, language: str) -> str:
    if language == "json":
        json.loads(body)
    return body


def _applier(catalog: MemoryCatalog) -> Callable[..., object]:
    return lambda *tables: Orchestrator.over(catalog).sync_tables(tables)


def _printed(command: str, project: Project, catalog: MemoryCatalog) -> list[str]:
    program, *args = shlex.split(command)
    if program == "pytest":
        return project.run(*args, plugins=[_CatalogOfThePage(catalog)]).outlines
    if program == "git":
        environment = {**os.environ, **_GIT}
        done = subprocess.run(
            [program, *args], cwd=project.path, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()
    if program == "cat":
        return (project.path / args[0]).read_text("utf-8").splitlines()
    if program == "delta-schema":
        return _command(args, project)
    if program == "python":
        return _script(args[0], project)
    msg = f"the tests run no {program}"
    raise PageError(msg)


def _command(arguments: list[str], project: Project) -> list[str]:
    """Run a command of this package in this process, and return what it prints, errors and notes first.

    One that starts Spark has its own process, because its progress is shown by the plugin of this run.
    """
    if arguments[0] == "witness":
        called = [sys.executable, "-m", "pytest_delta_schema", *arguments]
        return subprocess.run(called, cwd=project.path, capture_output=True, text=True, check=True).stdout.splitlines()
    output, errors = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True), io.StringIO()
    folder = Path.cwd()
    os.chdir(project.path)
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            main(arguments)
    finally:
        os.chdir(folder)
    output.seek(0)
    return [*errors.getvalue().splitlines(), *output.read().splitlines()]


def _script(name: str, project: Project) -> list[str]:
    """Run a script in this process, because pyspark takes seconds to load, and return what it prints."""
    known, output = set(sys.modules), io.StringIO()
    sys.path.insert(0, str(project.path))
    try:
        with redirect_stdout(output):
            runpy.run_path(str(project.path / name), run_name="__main__")
    finally:
        sys.path.remove(str(project.path))
        for module in set(sys.modules) - known:
            if str(project.path) in str(getattr(sys.modules[module], "__file__", "")):
                del sys.modules[module]
    return output.getvalue().splitlines()


def missing_line(wanted: list[str], printed: list[str]) -> str | None:
    """Return the first line that is not printed where it should be, ``None`` if there is none."""
    lines = [_plain(line) for line in printed]
    start, gap = 0, True
    for line in wanted:
        if line.strip() == "...":
            gap = True
            continue
        plain = _plain(line)
        stop = len(lines) if gap else start + 1
        position = next((index for index in range(start, min(stop, len(lines))) if lines[index] == plain), None)
        if position is None:
            return line
        start, gap = position + 1, False
    return None


def _plain(line: str) -> str:
    line = line.rstrip()
    for pattern, text in _DIFFERENT:
        line = pattern.sub(text, line)
    return line


class _CatalogOfThePage:
    """A plugin that gives all commands of a page one catalog; a conftest.py of the page wins over it."""

    def __init__(self, catalog: MemoryCatalog) -> None:
        self.catalog = catalog

    def pytest_configure(self, config: pytest.Config) -> None:
        # Of two plugins with one fixture the later one wins, and the plugin under test is registered by now.
        fixtures: Any = ModuleType("catalog_of_the_page")
        fixtures.delta_catalog = pytest.fixture(scope="session", name="delta_catalog")(_catalog_of(self.catalog))
        fixtures.delta_spark = pytest.fixture(scope="session", name="delta_spark")(_no_jvm)
        config.pluginmanager.register(fixtures)


def _catalog_of(page: MemoryCatalog) -> Callable[[pytest.FixtureRequest], Catalog]:
    def delta_catalog(request: pytest.FixtureRequest) -> Catalog:
        from pytest_delta_schema.plugin.catalogs import open_catalog  # noqa: PLC0415 - inner runs import it anew
        from pytest_delta_schema.plugin.run import contract_run  # noqa: PLC0415 - as above

        options = contract_run(request.config).options
        return open_catalog(request, options) if options.backend == "locations" else page

    return delta_catalog


def _no_jvm() -> None:
    pytest.fail("the pages of the documentation start no JVM")
