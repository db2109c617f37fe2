"""A report as one HTML file that needs nothing besides itself, from the templates in the folder ``html``.

The templates escape every value that they show, because no other markup gets into them. Each value is shown on one line
with its hidden characters written out, but for text that is :class:`Exact`.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import quote, urlsplit

from jinja2 import Environment, FunctionLoader, StrictUndefined

from pytest_delta_schema.diagnostics.text import (
    COMMENT,
    LITERAL,
    NAME,
    RAW_LITERAL,
    UNCLOSED,
    counted,
    escaped,
    escaped_lines,
    escaped_literals,
    note_on,
)
from pytest_delta_schema.engine.outcomes import DataChecks, Status
from pytest_delta_schema.plan.kinds import ABSENT, NOT_IN_MODEL
from pytest_delta_schema.report.codes import all_codes
from pytest_delta_schema.report.diagram import HEIGHT, WIDTH, drawn, references, shortened
from pytest_delta_schema.report.schema_rows import schema_rows
from pytest_delta_schema.report.text import change_groups, remarks_on, sql_heading
from pytest_delta_schema.settings.table import RISKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.diagnostics.errors import Location
    from pytest_delta_schema.report.codes import CodeInfo
    from pytest_delta_schema.report.run_report import Run, RunReport, TableReport
    from pytest_delta_schema.report.schema_rows import SchemaRow


def html_page(report: RunReport) -> str:
    """Return a report as one HTML file, which loads nothing and sends nothing."""
    groups = _groups(report)
    entries = [entry for group in groups for entry in group.entries]
    keys = references([entry.table for entry in entries])
    template = _environment().get_template("page.html")
    parts = template.generate(
        report=report,
        policy=_policy(),
        groups=groups,
        schemas=sorted({table.name.rpartition(".")[0] for table in report.tables}),
        tables={entry.table.name: entry for entry in reversed(entries)},
        references=keys,
        drawing=drawn((key.child, key.parent) for key in keys) if keys else None,
        codes=_used_codes(report),
    )
    return "".join(map(_written, parts)) + "\n"


def _written(markup: str) -> str:
    """Return markup that is the same in every encoding, and as short as the double quotes of attributes allow."""
    markup = str(markup).replace("&#39;", "'").replace("\r", "&#13;")
    return markup if markup.isascii() else markup.encode("ascii", "xmlcharrefreplace").decode("ascii")


class Exact(str):
    """A text that a page shows as it is, with its line ends."""

    __slots__ = ()


def _shown(value: object) -> object:
    """Return what is escaped and shown of a value in a template: its text on one line."""
    if isinstance(value, Exact) or hasattr(value, "__html__"):
        return value
    text = str(value)
    return text if text.isprintable() else escaped(text)


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True, finalize=_shown, loader=FunctionLoader(_template), undefined=StrictUndefined
    )
    environment.globals.update(
        absent=(ABSENT, NOT_IN_MODEL),
        all_risks=RISKS,
        change_groups=change_groups,
        counted=counted,
        explained=_explained(),
        facts_of_run=_facts_of_run,
        lines=lambda text: Exact(escaped_lines(text)),
        marks=MARKS,
        node_height=HEIGHT,
        node_width=WIDTH,
        not_run=DataChecks.NOT_RUN,
        note_on=note_on,
        operations={"add": "+ add", "drop": "\u2212 drop", "change": "~ change"},
        quote=quote,
        remarks_on=remarks_on,
        schema_of=_schema_of,
        shortened=shortened,
        source_link=_source_link,
        source_url=_source_url,
        sql_heading=sql_heading,
        sql_tokens=sql_tokens,
    )
    return environment


def _template(name: str) -> str:
    """Return a file of the folder ``html`` as a template; lines of HTML are joined, which halves the size of a page."""
    text = files(__package__).joinpath("html", name).read_text("utf-8")
    if name.endswith(".html"):
        return "".join(map(str.strip, text.splitlines()))
    return f"{{% raw %}}{text}{{% endraw %}}"


def _policy() -> str:
    """Return the policy that allows the page its own style and script and nothing else."""
    style, script = (_environment().get_template(name).render() for name in ("page.css", "page.js"))
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


_MOST_OPEN = 5
"""So many failing tables at most are shown with their details at once."""


class _Entry(NamedTuple):
    """A table, the id of its section, and the address of its sources."""

    table: TableReport
    anchor: str
    source_url: str


class _Group(NamedTuple):
    """Tables below one heading."""

    name: str
    id: str
    entries: Sequence[_Entry]
    is_open: bool = False


def _groups(report: RunReport) -> list[_Group]:
    """Return the tables, those that fail first, and of these the worst."""
    ranks = {status: index for index, status in enumerate(Status)}
    tables = sorted(report.tables, key=lambda table: (table.status.passes, -ranks[table.status]))
    entries = [
        _Entry(
            table,
            anchor=f"table-{number}",
            source_url=_source_url(
                run for run in report.runs if (run.mode, run.backend) == (table.mode, table.backend)
            ),
        )
        for number, table in enumerate(tables, 1)
    ]
    failing = [entry for entry in entries if entry.table.status.fails]
    in_order = [entry for entry in entries if entry.table.status.passes]
    undecided = [entry for entry in entries if not (entry.table.status.fails or entry.table.status.passes)]
    groups = [
        _Group("Tables that fail", "failing", failing, len(failing) <= _MOST_OPEN),
        _Group("Tables that are not judged or not proven", "undecided", undecided),
        _Group("Tables in order", "in-order", in_order),
    ]
    return [group for group in groups if group.entries]


_COMMIT_DIGITS = 10


def _facts_of_run(run: Run) -> dict[str, str]:
    return {
        "Mode": run.mode,
        "Backend": run.backend,
        "Commit": run.commit[:_COMMIT_DIGITS],
        "Ended": run.created.replace("T", " ").replace("Z", " UTC"),
        "Took": f"{run.seconds:.1f} s",
        "Version": run.tool_version,
        "Compared with": ", ".join(run.against),
        "Plan": run.plan,
        "Bindings": ", ".join(f"{name} \u2192 {bound}" for name, bound in run.bindings),
        "Complete": "" if run.is_complete else "no",
    }


_SCHEMA_GROUPS = ("columns", "constraints", "table", "properties")


def _schema_of(table: TableReport) -> tuple[dict[str, list[SchemaRow]], int, int]:
    """Return the parts of both schemas by headings, their number, and how many of them differ."""
    rows = schema_rows(table.declared, table.observed, [change.path for change in table.changes])
    groups = {name.capitalize(): [row for row in rows if row.group == name] for name in _SCHEMA_GROUPS}
    present = {heading: members for heading, members in groups.items() if members}
    return present, len(rows), sum(row.differs for row in rows)


def _used_codes(report: RunReport) -> list[CodeInfo]:
    """Return what explains the codes of a report."""
    used = {change.code for table in report.tables for change in table.changes}
    for table in report.tables:
        used.update(part.code for part in (*table.diagnostics, *table.notes, *table.background))
    used.update(part.code for part in (*report.unmanaged, *report.faults))
    return [info for code, info in _explained().items() if code in used]


@cache
def _explained() -> Mapping[str, CodeInfo]:
    return {info.code: info for info in all_codes()}


def _source_url(runs: Iterable[Run]) -> str:
    """Return the address of the sources of runs; ``""`` if it is not known, or not the same."""
    urls = {run.source_url for run in runs}
    url = urls.pop() if len(urls) == 1 else ""
    return url if urlsplit(url).scheme in {"http", "https"} else ""


def _source_link(location: Location, source_url: str) -> str:
    """Return the address of the lines of a location."""
    last = location.end_line or location.line
    if urlsplit(source_url).query:
        # Azure Repos marks the text up to the first column of the line behind the last one.
        lines = f"&line={location.line}&lineEnd={last + 1}&lineStartColumn=1&lineEndColumn=1"
    else:
        # GitHub and GitLab both read this fragment.
        lines = f"#L{location.line}" if last == location.line else f"#L{location.line}-L{last}"
    return f"{source_url.rstrip('/')}/{quote(location.file, errors='replace')}{lines}"


class Mark(NamedTuple):
    """How a status looks: its colour, and one of the symbols of the page."""

    tone: Literal["good", "warning", "bad"]
    shape: Literal["circle", "triangle", "clock", "octagon", "square", "diamond"]


MARKS: dict[Status, Mark] = {
    **{status: Mark("good", "circle") for status in Status if status.passes},
    Status.UNPROVEN: Mark("warning", "diamond"),
    Status.UNJUDGED: Mark("warning", "diamond"),
    Status.DRIFTED: Mark("warning", "triangle"),
    Status.INCOMPATIBLE: Mark("bad", "octagon"),
    Status.BLOCKED: Mark("bad", "octagon"),
    Status.STALE: Mark("warning", "clock"),
    Status.UNENFORCED: Mark("bad", "octagon"),
    Status.FAILED: Mark("bad", "square"),
    Status.UNREADABLE: Mark("bad", "diamond"),
}
"""The mark of every status."""

_KEYWORDS = (
    "ADD AFTER ALTER ALWAYS AND AS BETWEEN BY CASCADE CASE CHECK CLUSTER COLUMN COLUMNS COMMENT CONSTRAINT CONVERT"
    " CREATE DATA DEFAULT DELTA DROP ELSE END EXISTS FALSE FIRST FOREIGN FROM GENERATED IDENTITY IF IN INCREMENT INTO"
    " IS KEY LIKE NONE NORELY NOT NULL OF ON OR OVERWRITE PARTITIONED PRIMARY REFERENCES RELY RENAME REORG REPLACE"
    " RESTORE SCHEMA SELECT SET START TABLE TAG TAGS TBLPROPERTIES THEN TO TRUE TYPE UNIQUE UNSET USING VALUES VERSION"
    " WHEN WHERE WITH"
)

_TYPES = (
    "ARRAY BIGINT BINARY BOOLEAN BYTE CHAR DATE DECIMAL DOUBLE FLOAT INT INTEGER INTERVAL LONG MAP REAL SHORT SMALLINT"
    " STRING STRUCT TIMESTAMP TIMESTAMP_NTZ TINYINT VARCHAR VARIANT"
)


def _one_of(words: str) -> str:
    return f"(?i:{'|'.join(sorted(words.split(), reverse=True))})"


# Names have no colour; in those of other scripts the direction of the text ends with the name.
_PLAIN = r"""(?:`(?:[\x00-_a-\x7f]|``)*`(?!`)|[^\w`'"/-])+"""

_TOKENS = (
    f"(?s){_PLAIN}|(?P<name>{NAME})|(?P<literal>{RAW_LITERAL}|{LITERAL})|(?P<comment>{COMMENT})"
    rf"|(?P<keyword>\b{_one_of(_KEYWORDS)}\b(?: (?={_one_of(_KEYWORDS)}\b))?)|(?P<type>\b{_one_of(_TYPES)}\b)"
    rf"|(?P<number>\b\d[\w.]*)|{UNCLOSED}|\w+|."
)

_UNWRITABLE = "[\x00\ud800-\udfff]"


def sql_tokens(sql: str) -> Iterator[tuple[str | None, str]]:
    """Yield the tokens of SQL, each with its kind, or ``None`` for one without a colour: together they can be run."""
    # A file in UTF-8 cannot hold halves of characters, and HTML cannot hold NUL; no catalog stores names with them.
    legible = re.sub(_UNWRITABLE, "\ufffd", escaped_literals(sql))
    kind, text = None, ""
    for match in re.finditer(_TOKENS, legible):
        # Keywords in a row are one token, with the spaces between them.
        if match.lastgroup != kind and text:
            yield kind, Exact(text)
            text = ""
        kind, text = match.lastgroup, text + match[0]
    if text:
        yield kind, Exact(text)
