"""A report as Markdown: the comment on a pull request, and the summary of a step, of a limited length."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.text import counted, escaped, escaped_lines
from pytest_delta_schema.engine.outcomes import DataChecks, Status
from pytest_delta_schema.report.diagram import mermaid, references
from pytest_delta_schema.report.text import sql_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.engine.outcomes import TableChange
    from pytest_delta_schema.report.run_report import RunReport, TableReport


PULL_REQUEST_COMMENT_LIMIT = 65_536
"""Characters of a comment on a pull request."""

SUMMARY_LIMIT = 1024 * 1024
"""Bytes of the summary of a step."""


def pull_request_comment(report: RunReport, title: str = "") -> str:
    """Return a report as Markdown of at most 65,536 characters, below a title that is its verdict by default.

    What does not fit is left out in steps: the diagram, the SQL, tables without changes, the changes of each table, and
    at last tables. The text says what was left out.
    """
    return _fitted(report, PULL_REQUEST_COMMENT_LIMIT, len, title)


def step_summary(report: RunReport) -> str:
    """Return a report as Markdown of less than 1 MiB in UTF-8, shortened as :func:`pull_request_comment` does."""
    return _fitted(report, SUMMARY_LIMIT - 1, lambda part: len(part.encode()))


_SHOWN = frozenset({*(status for status in Status if not status.passes), Status.APPLIED, Status.SYNCED})
"""The statuses of tables that have a section of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Detail:
    """How much of a report is shown."""

    with_diagram: bool = True
    with_sql: bool = True
    with_unchanged: bool = True
    with_sections: bool = True
    rows: int | None = None
    """How many rows the table has at most; ``None`` for all."""

    def remark(self, report: RunReport) -> str:
        """Return a sentence about what is left out; ``""`` for nothing."""
        left_out = [
            *(["the diagram"] if not self.with_diagram and references(report.tables) else []),
            *([] if self.with_sql else ["the SQL"]),
            *([] if self.with_unchanged else ["tables without changes"]),
            *([] if self.with_sections else ["the changes of each table"]),
        ]
        number = 0 if self.rows is None else sum(entry.status in _SHOWN for entry in report.tables) - self.rows
        if number > 0:
            left_out.append(counted(number, "more table"))
        return f"Left out, because the text would be too long: {', '.join(left_out)}." if left_out else ""


_ALL = _Detail()

_STEPS = (
    _ALL,
    replace(_ALL, with_diagram=False),
    replace(_ALL, with_diagram=False, with_sql=False),
    replace(_ALL, with_diagram=False, with_sql=False, with_unchanged=False),
    replace(_ALL, with_diagram=False, with_sql=False, with_unchanged=False, with_sections=False),
)

_FEWER_ROWS = (5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 0)


def _fitted(report: RunReport, limit: int, size: Callable[[str], int], title: str = "") -> str:
    # Without foreign keys there is no diagram to be left out first.
    steps = (*_STEPS[not references(report.tables) :], *(replace(_STEPS[-1], rows=rows) for rows in _FEWER_ROWS))
    shown = (_joined_within(limit, size, _blocks(report, detail, title)) for detail in steps)
    return next(markdown for markdown in shown if markdown is not None)


def _joined_within(limit: int, size: Callable[[str], int], parts: Iterable[str]) -> str | None:
    """Join parts by empty lines; ``None`` as soon as they are too long."""
    kept, length = [], 0
    for part in filter(None, parts):
        kept.append(part)
        length += size(part) + len("\n\n")
        if length - len("\n") > limit:
            return None
    return "\n\n".join(kept) + "\n"


def _blocks(report: RunReport, detail: _Detail, title: str) -> Iterator[str]:
    yield f"### Delta schema: {text(title) or report.verdict()}"
    if not report.is_complete:
        yield "**Incomplete:** the run ended before every table was checked."
    yield text(_runs(report))
    yield detail.remark(report)
    yield _remarks(report.faults)
    shown = [entry for entry in report.tables if entry.status in _SHOWN]
    shown.sort(key=lambda entry: (entry.status.passes, entry.name))
    rows = shown[: detail.rows]
    name = _name_and_target if report.has_several_targets() else _name
    if rows:
        head = ("table", "result", "changes", "highest risk", "declared at")
        yield table(head, [_row(entry, name) for entry in rows])
    if detail.with_sections:
        yield from (_section(entry, name, with_sql=detail.with_sql) for entry in rows)
    unchanged = [entry for entry in report.tables if entry.status not in _SHOWN]
    if unchanged and detail.with_unchanged:
        names = ", ".join(map(name, unchanged))
        yield details(counted(len(unchanged), "table") + " without changes", names)
    drawing, left_out = mermaid(report.tables) if detail.with_diagram else ("", "")
    if drawing:
        yield details("Foreign keys", block(drawing, "mermaid"), *filter(None, [left_out]))
    yield _remarks(report.unmanaged)
    if report.consents.unused:
        consents = ", ".join(map(code, report.consents.unused))
        yield f"Consents that nothing needed, to be removed: {consents}"


def _runs(report: RunReport) -> str:
    numbers = ", ".join(f"{number} {status}" for status, number in report.counts().items())
    runs = dict.fromkeys(
        part
        for run in report.runs
        for part in (
            f"{run.mode} on {run.backend}" if run.backend else run.mode,
            *(f"on {run.created[:10]} compared with {label}" for label in run.against),
            *([f"plan {run.plan}"] if run.plan else []),
        )
    )
    return f"{', '.join(runs)}: {numbers}" if numbers else ", ".join(runs)


def _name(entry: TableReport) -> str:
    return code(entry.name)


def _name_and_target(entry: TableReport) -> str:
    return f"{code(entry.name)} (target {code(entry.target)})" if entry.target else code(entry.name)


def _row(entry: TableReport, name: Callable[[TableReport], str]) -> tuple[str, ...]:
    location = f"{entry.location.file}:{entry.location.line}" if entry.location else ""
    changes = str(len(entry.changes)) if entry.changes else ""
    return (name(entry), text(entry.label), changes, entry.risk, code(location) if location else "")


def _section(entry: TableReport, name: Callable[[TableReport], str], *, with_sql: bool) -> str:
    number = f", {counted(len(entry.changes), 'change')}" if entry.changes else ""
    parts = [*_facts(entry), _changes(entry), _remarks(entry.diagnostics)]
    if entry.failure and not entry.diagnostics:
        parts.append(block(entry.failure, "text"))
    parts.append(_remarks((*entry.notes, *entry.background)))
    if entry.statements and with_sql:
        parts.append(block(sql_text(entry.statements), "sql"))
    if entry.restore_sql:
        parts.append(f"To restore version {entry.restore_version}:\n\n{block(f'{entry.restore_sql};', 'sql')}")
    return details(f"{name(entry)} {text(entry.label)}{number}", *filter(None, parts))


def _facts(entry: TableReport) -> Iterator[str]:
    if entry.stored_as not in ("", entry.name):
        yield f"Stored as {code(entry.stored_as)}."
    if entry.data_checks is not DataChecks.NOT_RUN:
        yield f"Data checks: {entry.data_checks.value}."


def _changes(entry: TableReport) -> str:
    if not entry.changes:
        return ""
    rows = [
        (
            text(change.code),
            code(change.marker),
            _where(change, entry),
            code(change.before),
            code(change.after),
            _risk(change),
        )
        for change in entry.changes
    ]
    return table(("code", "", "path", "in the catalog", "in the model", "risk"), rows)


def _where(change: TableChange, entry: TableReport) -> str:
    return code(change.path if change.table == entry.stored_as else f"{change.table} {change.path}")


def _risk(change: TableChange) -> str:
    if change.aspect:
        return f"not managed: {change.aspect}"
    return text(f"{change.risk}: {change.loss}" if change.loss else change.risk)


def _remarks(diagnostics: Iterable[Diagnostic]) -> str:
    return "\n".join(
        "* "
        + (f"**{text(diagnostic.verdict)}** " if diagnostic.verdict else "")
        + (f"{code(diagnostic.code)} " if diagnostic.code else "")
        + text(_with_table(diagnostic))
        + "".join(f"<br>{text(witness.fact)}" for witness in diagnostic.witnesses)
        for diagnostic in diagnostics
    )


def _with_table(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.table}: {diagnostic.fact}" if diagnostic.table else diagnostic.fact


_MARKUP = re.compile(r"[!-/:-@\[-^`{-~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
"""Punctuation; an underscore inside of a word means nothing, and nearly every name has one."""

_PLAIN = frozenset(".,;:'-/()+%?=\"!")
"""Punctuation that means nothing inside of a line."""

_LIST = re.compile(r"^[-+=0-9]")
"""The beginnings of lists and of underlines of titles."""

_REFERENCES = re.compile(r"&#(?:35|64);")
"""``#`` and ``@``, from which servers make links to issues and to users after they have read the Markdown."""

_TICKS = re.compile("`+")


def text(value: object) -> str:
    """Return the ``str`` of a value on one line, for use in paragraphs and cells."""
    return _LIST.sub(lambda match: f"&#{ord(match[0])};", _inline(value))


def _inline(value: object) -> str:
    plain = _MARKUP.sub(lambda match: match[0] if match[0] in _PLAIN else f"&#{ord(match[0])};", escaped(value))
    # An empty comment in the middle keeps servers from making a link of it.
    return _REFERENCES.sub(lambda match: f"{match[0]}<!-- -->", plain.replace("://", ":&#47;<!-- -->/")).replace(
        "www.", "www<!-- -->."
    )


def code(value: object) -> str:
    """Return the ``str`` of a value on one line as code, for use in paragraphs, cells and the titles of details."""
    # Back-quotes would be simpler, but they cannot hold a vertical line in a cell, nor any Markdown in a title.
    return f"<code>{_inline(value)}</code>"


def block(value: str, language: str) -> str:
    """Return lines as a block of code."""
    shown = escaped_lines(value)
    longest = max((len(ticks) for ticks in _TICKS.findall(shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def details(title: str, *parts: str) -> str:
    """Return a section that is closed at first."""
    return "\n\n".join([f"<details><summary>{title}</summary>", *parts, "</details>"])


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
