"""The report of a conformance run: a promise for each kind of statement, without names and hosts."""

from __future__ import annotations

import re
from collections import defaultdict
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.diagnostics.escaping import shortened
from pytest_delta_schema.diagnostics.redaction import without_hosts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_delta_schema.testing.conformance.moved_scenarios import Tables

HELD, BROKEN, IMPOSSIBLE = "held", "did not hold", "not possible"

_PACKAGES = ("pytest-delta-schema", "pyspark", "delta-spark", "databricks-connect", "databricks-sql-connector")
_LONGEST = 600
_HIDDEN = (
    (re.compile(r"\b[\w.+-]+@[\w-]+(\.[\w-]+)+"), "<principal>"),
    (re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"), "<id>"),
    (re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*:/+[^\s'\"`,;)\]]+"), "<location>"),
    (re.compile(r"(?<![\w.<])/(?:[\w.@%=+~-]+/)+[\w.@%=+~-]*"), "<path>"),
)


class Tried(NamedTuple):
    """A scenario of a run."""

    name: str
    kinds: Sequence[str]
    result: str
    """``held``, ``did not hold``, or ``not possible``."""
    reason: str = ""
    """The answer of the catalog, or why it is not possible; ``""`` if it held."""


def redacted(text: str, tables: Tables) -> str:
    """Return a text of a catalog in one line, without names, hosts, locations, principals and ids."""
    text = " ".join(without_hosts(text).split())
    for pattern, shown in _HIDDEN:
        text = pattern.sub(shown, text)
    text = re.sub(re.escape(tables.prefix), "", text, flags=re.IGNORECASE)
    for name, shown in ((tables.catalog, "<catalog>"), (tables.schema, "<schema>")):
        text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", shown, text, flags=re.IGNORECASE)
    return shortened(text, _LONGEST)


def markdown(backend: str, kinds: Iterable[str], tried: Sequence[Tried]) -> str:
    """Return the report as Markdown."""
    by_kind: dict[str, list[Tried]] = defaultdict(list)
    for scenario in tried:
        for kind in dict.fromkeys(scenario.kinds):
            by_kind[kind].append(scenario)
    versions = ", ".join([f"Python {python_version()}", *filter(None, map(_version, _PACKAGES))])
    lines = [
        f"# Conformance of the backend {backend}",
        "",
        versions,
        "",
        "| statement | result | scenarios held | did not hold | not possible |",
        "| --- | --- | --- | --- | --- |",
        *(_row(kind, by_kind[kind]) for kind in kinds),
    ]
    for result in (BROKEN, IMPOSSIBLE):
        ended_so = [scenario for scenario in tried if scenario.result == result]
        if ended_so:
            lines += ["", f"## {result[0].upper()}{result[1:]}", ""]
            lines += [f"* `{scenario.name}`: {scenario.reason}" for scenario in ended_so]
    return "\n".join([*lines, ""])


def _row(kind: str, tried: Sequence[Tried]) -> str:
    counts = {result: sum(scenario.result == result for scenario in tried) for result in (HELD, BROKEN, IMPOSSIBLE)}
    result = next((result for result in (BROKEN, HELD, IMPOSSIBLE) if counts[result]), "not tried")
    return f"| {kind} | {result} | {counts[HELD]} | {counts[BROKEN]} | {counts[IMPOSSIBLE]} |"


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return ""
