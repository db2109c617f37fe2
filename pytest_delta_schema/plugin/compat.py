"""What differs between versions of pytest and xdist, or has no public interface there."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import pytest
from _pytest._code.code import ExceptionChainRepr, ReprEntryNative, ReprFileLocation, ReprTracebackNative, TerminalRepr
from _pytest.mark.expression import Expression
from _pytest.outcomes import Failed
from _pytest.python import FunctionDefinition, Metafunc
from _pytest.runner import runtestprotocol

if TYPE_CHECKING:
    import logging
    from argparse import Namespace
    from collections.abc import Callable, Collection, Iterable, Mapping

    from _pytest._io import TerminalWriter
    from _pytest.fixtures import FuncFixtureInfo

__all__ = ["Failed", "TerminalRepr"]  # classes of pytest that other modules take from here

VERSIONS = {"pytest": ">=8.4,<10"}
"""The versions with which these names were tested."""


def added_arguments(arguments: Iterable[str], files: Iterable[Path]) -> list[str]:
    """Return the files that pytest collects only if they are arguments, too.

    From version 9 on that is each of them. Older versions collect nothing else below a folder if a file of that folder
    is an argument, and find the file by the folder (pytest 8.4.2).
    """
    if pytest.version_tuple >= (9,):
        return list(map(str, files))
    known = [Path(argument).absolute() for argument in arguments]
    return [str(file) for file in files if not any(file.is_relative_to(path) for path in known)]


def command_line(config: pytest.Config) -> Namespace:
    """Return the options that the command line has, without those of ``addopts`` and ``PYTEST_ADDOPTS``."""
    return config._parser.parse_known_args(config.invocation_params.args)  # noqa: SLF001 - there is no public interface


def fixture_info(item: pytest.Function) -> FuncFixtureInfo:
    """Return what pytest has computed about the fixtures of an item; ``Function.from_parent`` takes it."""
    return item._fixtureinfo  # noqa: SLF001 - there is no public interface


def generated(parent: pytest.Collector, name: str, function: Callable[..., None]) -> list[dict[str, Any]]:
    """Return the arguments of ``Function.from_parent`` for the items of a function: several if a plugin repeats it."""
    definition = FunctionDefinition.from_parent(parent, name=name, callobj=function)
    info, module = fixture_info(definition), definition.module
    metafunc = Metafunc(definition, info, parent.config, module=module, _ispytest=True)
    hook = getattr(module, "pytest_generate_tests", None)
    parent.ihook.pytest_generate_tests.call_extra([] if hook is None else [hook], {"metafunc": metafunc})
    given = {"callobj": function, "fixtureinfo": info, "originalname": name}
    if not metafunc._calls:  # noqa: SLF001 - there is no public interface
        return [{"name": name, **given}]
    metafunc._recompute_direct_params_indices()  # noqa: SLF001 - as above
    info.prune_dependency_tree()
    return [
        {"name": f"{name}[{call.id}]", "callspec": call, "keywords": {call.id: True}, **given}
        for call in metafunc._calls  # noqa: SLF001 - as above
    ]


def mark_selector(text: str, known: Collection[str]) -> Callable[[Collection[str]], bool] | None:
    """Return what an expression of ``-m`` selects, by the marks of an item; ``None`` where others are named."""
    words = set(re.findall(r"[^\s()]+", text))
    if not words <= {*known, "and", "or", "not"} or not words:
        return None
    try:
        expression = Expression.compile(text)
    except Exception:  # noqa: BLE001 - of one class in pytest 8.4 and of another later; pytest says what is wrong
        return None
    return lambda names: expression.evaluate(lambda name, /, **_: name in names)


def fixture_value(item: pytest.Item, name: str) -> Any:
    """Return the value of a fixture for an item that runs; it is set up if no test has needed it yet."""
    request = getattr(item, "_request", None)
    return None if request is None else request.getfixturevalue(name)


def shared_fixture(item: pytest.Function, name: str) -> object:
    """Return what defines a fixture, if all items with the same definition get the same value.

    The result is ``None`` if the item may get its own value, because of the scope or of parameters.
    """
    definitions = fixture_info(item).name2fixturedefs.get(name, ())
    is_shared = bool(definitions) and definitions[-1].scope == "session" and not hasattr(item, "callspec")
    return definitions[-1] if is_shared else None


def item_of(request: pytest.FixtureRequest) -> pytest.Item:
    """Return the item for which a fixture was requested, which ``request.node`` is not for one of the session."""
    item: pytest.Item = request._pyfuncitem  # noqa: SLF001 - as above
    return item


def is_overridden(request: pytest.FixtureRequest, names: Iterable[str]) -> bool:
    """Whether the item of a request sees other fixtures of some names than those of this package."""
    manager: Any = request._fixturemanager  # noqa: SLF001 - as above
    return any(len(manager.getfixturedefs(name, item_of(request))) > 1 for name in names)


def run_before_items(item: pytest.Function) -> bool:
    """Run an item before pytest has collected others, and return whether it passed."""
    # The parent stays set up for the next item, which need not run.
    sibling = pytest.Function.from_parent(item.parent, name="next", callobj=lambda: None)
    return all(report.passed for report in runtestprotocol(item, log=False, nextitem=sibling))


def skip_item(reason: str) -> NoReturn:
    """Skip the running item; the summary of skipped tests names its line, and not that of this call."""
    raise pytest.skip.Exception(reason, _use_item_location=True)


def end_line(reporter: Any) -> None:
    """End a line, but not while a test runs, because pytest begins a line before the next name."""
    shows_names = reporter.showfspath or reporter.showlongtestinfo
    if not (shows_names and "PYTEST_CURRENT_TEST" in os.environ):
        reporter.write("\n")


def begin_result_line(reporter: Any, node_id: str) -> None:
    """Begin a line for the result of a test, with the name of its file; in verbose runs pytest does it."""
    if reporter.showfspath and not reporter.showlongtestinfo:
        reporter.write_fspath_result(node_id, "")


def end_last_line(reporter: Any) -> None:
    """End the line that :func:`end_line` has left open, after the last test, which no other name follows."""
    if reporter.currentfspath is None and reporter._tw.width_of_current_line:  # noqa: SLF001 - there is no public interface
        reporter.write("\n")


def leave_out_of_reports(config: pytest.Config, logger: str, level: int) -> None:
    """Keep records out of the section "Captured log" of reports, because the terminal shows them; caplog has them."""
    plugin: Any = config.pluginmanager.getplugin("logging-plugin")
    if plugin is not None:
        plugin.report_handler.addFilter(_LeftOut(logger, level))


class _LeftOut(NamedTuple):
    """Filters log records; equal filters are added to a handler once."""

    logger: str
    level: int

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is kept."""
        return record.name != self.logger or record.levelno > self.level


def failure_at(path: str, line: int, headline: str, text: str) -> ExceptionChainRepr:
    """Return the report of a failure at a line of a file.

    Of all representations only this one keeps its one-line summary on CI, in JUnit and across xdist.
    """
    location = ReprFileLocation(path, line, headline)
    return ExceptionChainRepr([(ReprTracebackNative(text.splitlines(keepends=True)), location, None)])


def change_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Change every text in the representation of a failure, in place where it is an object.

    The value is the ``longrepr`` of a report, or a part of it. Changing a text twice must be the same as once.
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)([change_texts(part, change) for part in value])
    if isinstance(value, TerminalRepr):
        for name, part in vars(value).items():
            setattr(value, name, change_texts(part, change))
    return value


def show_lines_with(report: pytest.TestReport, markup: Callable[[str], Mapping[str, bool]]) -> None:
    """Show the lines of a failure with colours, in a process that sends its reports to no other one."""

    class Entry(ReprEntryNative):
        def toterminal(self, tw: TerminalWriter) -> None:
            *lines, rest = "".join(self.lines).split("\n")
            for line in lines:
                tw.line(line, **markup(line))
            tw.write(rest, **markup(rest))

    if isinstance(report.longrepr, ExceptionChainRepr):
        for traceback, _, _ in report.longrepr.chain:
            traceback.reprentries = [
                Entry(entry.lines) if type(entry) is ReprEntryNative else entry for entry in traceback.reprentries
            ]


def worker_id(config: pytest.Config) -> str:
    """Return the name of the xdist worker, ``main`` without xdist."""
    return str(getattr(config, "workerinput", {}).get("workerid", "main"))


def is_distributed(config: pytest.Config) -> bool:
    """Whether this process is a worker of xdist or controls workers; a run that only collects starts none."""
    option = config.getoption
    return is_worker(config) or (
        option("dist", "no") != "no" and bool(option("tx", None)) and not option("collectonly", default=False)
    )


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is an xdist worker."""
    return hasattr(config, "workerinput")
