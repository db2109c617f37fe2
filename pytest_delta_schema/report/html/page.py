"""The HTML page of a report, from its head to the last code that it explains."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from pytest_delta_schema.diagnostics.text import (
    COMMENT,
    LITERAL,
    NAME,
    RAW_LITERAL,
    UNCLOSED,
    escaped_literals,
    note_on,
)
from pytest_delta_schema.engine.outcomes import DataChecks, Status
from pytest_delta_schema.plan.kinds import ABSENT, NOT_IN_MODEL
from pytest_delta_schema.report.codes import CodeInfo, all_codes
from pytest_delta_schema.report.html.diagram import diagram
from pytest_delta_schema.report.html.markup import (
    MARKS,
    NOTHING,
    Html,
    element,
    icon,
    joined,
    lines,
    shape_symbols,
    status_badge,
    text,
    verbatim,
    wrapped,
)
from pytest_delta_schema.report.html.schema_rows import schema_rows
from pytest_delta_schema.report.text import change_groups, counted, remarks_on, sql_heading
from pytest_delta_schema.settings.table import RISKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
    from pytest_delta_schema.diagnostics.faults import Witness
    from pytest_delta_schema.engine.outcomes import OutcomeStatement, TableChange
    from pytest_delta_schema.report.html.schema_rows import SchemaRow
    from pytest_delta_schema.report.run_report import Run, RunReport, TableReport


_MOST_OPEN = 5
"""So many failing tables at most are shown with their details at once."""

_FAILING = "Tables that fail"
_UNDECIDED = "Tables that are not judged or not proven"
_IN_ORDER = "Tables in order"
_GROUP_IDS = {_FAILING: "failing", _UNDECIDED: "undecided", _IN_ORDER: "in-order"}
_STATUS_RANKS = {status: index for index, status in enumerate(Status)}

_AnchoredTable = tuple[str, "TableReport"]
"""The id of the section of a table, and the table."""


def html_page(report: RunReport) -> str:
    """Return a report as one HTML file, which loads nothing and sends nothing."""
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", text(f"{title(report)} - pytest-delta-schema")),
        # Without it browsers request one.
        element("link", rel="icon", href="data:,"),
        element("style", style),
        element("script", script),
    )
    page = wrapped("html", chain([head], wrapped("body", _body(report))), lang="en")
    return f"<!doctype html>\n{joined(page)}\n"


def _asset(name: str) -> Html:
    """Return the text of a file of this package, which is markup by its own."""
    return Html(files(__package__).joinpath(name).read_text("utf-8"))


def _hash(content: str) -> str:
    """Return the hash of inline content, by which a policy allows it and nothing else."""
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


def _body(report: RunReport) -> Iterator[Html]:
    tables = sorted(report.tables, key=lambda table: (table.status.passes, -_STATUS_RANKS[table.status]))
    entries = [(f"table-{number}", table) for number, table in enumerate(tables, 1)]
    groups = {
        _FAILING: [entry for entry in entries if entry[1].status.fails],
        _UNDECIDED: [entry for entry in entries if not (entry[1].status.passes or entry[1].status.fails)],
        _IN_ORDER: [entry for entry in entries if entry[1].status.passes],
    }
    is_open = len(groups[_FAILING]) <= _MOST_OPEN
    drawing = diagram(tables, {table.name: anchor for anchor, table in reversed(entries)})
    glossary = code_glossary(report)
    content = chain(
        [filters(report, sorted({schema_name(table) for table in tables})), run_findings(report)],
        wrapped("div", _table_groups(report, groups, is_open=is_open), id="tables", tabindex=-1),
        [element("p", text("No table matches the filters."), id="none", hidden=""), drawing, glossary],
    )
    yield element("a", text("Skip to the tables"), href="#tables", class_="skip")
    yield shape_symbols()
    yield masthead(report)
    sections = {"Foreign keys": ("foreign-keys", drawing), "Codes": ("codes", glossary)}
    yield _navigation(
        {
            **{f"{name} ({len(group)})": _GROUP_IDS[name] for name, group in groups.items() if group},
            **{name: anchor for name, (anchor, section) in sections.items() if section},
        }
    )
    yield from wrapped("main", content)


def _navigation(sections: Mapping[str, str]) -> Html:
    """Return links to sections; nothing if there is none."""
    links = [element("a", text(name), href=f"#{anchor}") for name, anchor in sections.items()]
    return element("nav", *links, aria_label="Sections") if links else NOTHING


def _table_groups(
    report: RunReport, groups: Mapping[str, Sequence[_AnchoredTable]], *, is_open: bool
) -> Iterator[Html]:
    links = SourceLinks(report=report)
    for name, entries in groups.items():
        if entries:
            number = element("span", text(len(entries)), class_="count")
            heading = element("h2", text(f"{name} "), number, id=_GROUP_IDS[name])
            sections = (
                table_section(
                    table,
                    anchor,
                    links.of(table),
                    names_run=len(report.runs) > 1,
                    is_open=is_open and name == _FAILING,
                )
                for anchor, table in entries
            )
            yield from wrapped("section", chain([heading], sections), class_="group", aria_labelledby=_GROUP_IDS[name])


_COMMIT_DIGITS = 10


def masthead(report: RunReport) -> Html:
    """Return the title, the verdict, and the facts of each run."""
    return element(
        "header",
        element("p", text("Delta schema report"), class_="detail"),
        element(
            "div",
            element("h1", text(title(report))),
            element("button", text("Theme: system"), type="button", id="theme", class_="needs-script"),
            class_="head",
        ),
        element("div", *map(_run, report.runs), class_="runs"),
        NOTHING if report.is_complete else _incomplete(),
    )


def title(report: RunReport) -> str:
    """Return the verdict on all tables in one line."""
    count = len(report.tables)
    failing = sum(table.status.fails for table in report.tables)
    undecided = report.undecided()
    if not count:
        return "No table was checked"
    if failing:
        return f"{failing} of {counted(count, 'table')} {'fails' if failing == 1 else 'fail'}"
    if undecided:
        return undecided
    if report.faults or any(diagnostic.severity == "error" for diagnostic in report.unmanaged):
        return f"The run fails; {counted(count, 'table')} {'is' if count == 1 else 'are'} in order"
    return f"{'The table is' if count == 1 else f'All {count} tables are'} in order"


def _run(run: Run) -> Html:
    facts = [
        ("Mode", run.mode),
        ("Backend", run.backend),
        ("Commit", run.commit[:_COMMIT_DIGITS]),
        ("Ended", run.created.replace("T", " ").replace("Z", " UTC")),
        ("Took", f"{run.seconds:.1f} s"),
        ("Version", run.tool_version),
        ("Compared with", ", ".join(run.against)),
        ("Bindings", ", ".join(f"{name} \u2192 {bound}" for name, bound in run.bindings)),
        ("Complete", "" if run.is_complete else "no"),
    ]
    items = [element("div", element("dt", text(name)), element("dd", text(value))) for name, value in facts if value]
    return element("dl", *items, class_="facts")


def _incomplete() -> Html:
    fact = "The run was interrupted, or a worker crashed: tables and results are missing. Run it again."
    return element("p", element("strong", text("Incomplete. ")), text(fact), class_="banner")


def run_findings(report: RunReport) -> Html:
    """Return what concerns all tables: faults of the run, undeclared tables and consents."""
    consents, source_url = report.consents, SourceLinks(report=report).of_all_runs()
    kinds = [
        ("Unused consents", consents.unused),
        ("Expired consents", consents.expired),
        ("Used consents", consents.used),
    ]
    lists = [
        joined(
            [
                element("h3", text(name)),
                element("ul", *[element("li", element("code", text(entry))) for entry in entries]),
            ]
        )
        for name, entries in kinds
        if entries
    ]
    content = [
        diagnostic_list("Faults", report.faults, source_url, level=3),
        diagnostic_list("Tables that no model declares", report.unmanaged, source_url, level=3),
        *lists,
    ]
    if not any(content):
        return NOTHING
    heading = element("h2", text("The run"), id="run")
    return element("section", heading, *content, class_="findings", aria_labelledby="run")


_ALL_AND_ONE = 2
_BAR_WIDTH = 1000


def filters(report: RunReport, schemas: Iterable[str]) -> Html:
    """Return the numbers of tables by status and of changes by risk, which are filters where scripts run."""
    counts, risks = report.counts(), report.risks()
    if not counts:
        return NOTHING
    statuses = [
        _choice("status", status.value, joined([icon(status), text(status.value)]), counts[status.value], status)
        for status in Status
        if status.value in counts
    ]
    labels = [_choice("risk", risk, risk_label(risk), number, None) for risk, number in risks.items()]
    options = [element("option", text("All schemas"), value=" ")]
    options += [element("option", text(name), value=name) for name in schemas]
    # A choice between one is none.
    hidden = None if len(options) > _ALL_AND_ONE else ""
    return element(
        "form",
        element("h2", text("Overview"), class_="unseen", id="overview"),
        _bar(counts),
        element("fieldset", element("legend", text("Tables by status")), *statuses),
        element("fieldset", element("legend", text("Changes by risk")), *labels) if labels else NOTHING,
        element(
            "div",
            element("label", text("Search"), _search(), class_="field wide"),
            element("label", text("Schema"), element("select", *options, name="schema"), class_="field", hidden=hidden),
            element("button", text("Clear filters"), type="reset"),
            element("button", text("Open all"), type="button", id="open-all"),
            element("output", class_="count", id="shown", aria_live="polite"),
            class_="controls needs-script",
        ),
        id="filters",
        role="search",
        aria_labelledby="overview",
    )


def _search() -> Html:
    return element("input", type="search", name="text", placeholder="name, column, code, SQL", autocomplete="off")


def _choice(name: str, value: str, label: Html, number: int, status: Status | None) -> Html:
    box = element("input", type="checkbox", name=name, value=value, class_="needs-script")
    tone = f" {MARKS[status].tone}" if status else ""
    return element("label", box, label, element("strong", text(number)), class_=f"choice{tone}")


def _bar(counts: dict[str, int]) -> Html:
    """Return the shares of the statuses as a bar; the numbers below say the same."""
    whole = sum(counts.values())
    parts, left = [], 0.0
    for status, number in counts.items():
        width = _BAR_WIDTH * number / whole
        parts.append(
            element("rect", x=f"{left:g}", y=0, width=f"{width:g}", height=8, class_=f"{MARKS[Status(status)].tone}")
        )
        left += width
    box = f"0 0 {_BAR_WIDTH} 8"
    return element("svg", *parts, class_="bar", viewBox=box, preserveAspectRatio="none", aria_hidden="true")


def schema_name(table: TableReport) -> str:
    """Return the name of a table without its last part."""
    return table.name.rpartition(".")[0]


def table_section(table: TableReport, anchor: str, source_url: str, *, names_run: bool, is_open: bool) -> Html:
    """Return the section of a table."""
    risks = {change.risk for change in table.changes}
    return element(
        "details",
        _summary(table, names_run=names_run),
        element(
            "div",
            _facts(table, source_url),
            _failure(table),
            diagnostic_list("Why it fails", table.diagnostics, source_url),
            change_tables(table, source_url),
            _schemas(table),
            _statements(table),
            _restore(table),
            diagnostic_list("Where the differences come from", table.background, source_url),
            diagnostic_list("Notes", table.notes, source_url),
            class_="body",
        ),
        id=anchor,
        class_="table",
        data_status=table.status.value,
        data_risks=" ".join(risk for risk in RISKS if risk in risks) or None,
        data_schema=schema_name(table),
        open="" if is_open else None,
    )


def _summary(table: TableReport, *, names_run: bool) -> Html:
    schema, dot, name = table.name.rpartition(".")
    run = " \u00b7 ".join(part for part in (table.mode, table.backend, table.target) if part)
    return element(
        "summary",
        status_badge(table.status, table.label),
        element("h3", element("span", text(f"{schema}{dot}"), class_="schema"), text(name)),
        element("span", text(run), class_="count") if names_run else NOTHING,
        element("span", text(counted(len(table.changes), "change")), class_="count") if table.changes else NOTHING,
        risk_label(table.risk),
    )


def _facts(table: TableReport, source_url: str) -> Html:
    checks = ", ".join(f"{check.check} {check.outcome}" for check in table.checks)
    facts = [
        ("Declared at", location_link(table.location, source_url)),
        ("Stored as", element("code", text(table.stored_as)) if table.stored_as not in {"", table.name} else NOTHING),
        ("Version read", NOTHING if table.observed_version is None else text(table.observed_version)),
        ("Checks", text(checks)),
        ("Data checks", text("" if table.data_checks is DataChecks.NOT_RUN else table.data_checks.value)),
    ]
    return element(
        "dl",
        *[element("div", element("dt", text(name)), element("dd", value)) for name, value in facts if value],
        class_="facts",
    )


def _failure(table: TableReport) -> Html:
    if not table.failure:
        return NOTHING
    return joined([element("h4", text("Error of the catalog")), element("pre", lines(table.failure), class_="failure")])


_LONG_VALUE = 240
_ABSENT = frozenset({ABSENT, NOT_IN_MODEL})
_OPERATIONS = {"add": "+ add", "drop": "\u2212 drop", "change": "~ change"}


def change_tables(table: TableReport, source_url: str) -> Html:
    """Return a table of changes for each kind; nothing if there is no change."""
    groups = change_groups(table.changes, table.stored_as or table.name)
    aspects = ", ".join(dict.fromkeys(change.aspect for change in groups.unmanaged))
    kinds: list[tuple[str, Sequence[TableChange]]] = [
        ("Changes", groups.own),
        *((f"Along with it, at {other}", changes) for other, changes in groups.others.items()),
        (f"Only reported, because the contract does not manage {aspects}", groups.unmanaged),
    ]
    return joined(_change_table(heading, changes, table, source_url) for heading, changes in kinds if changes)


def _change_table(heading: str, changes: Sequence[TableChange], table: TableReport, source_url: str) -> Html:
    columns = ["Change", "Path", "Before", "After", "Risk", "Code", "Declared at"]
    head = element("tr", *[element("th", text(name), scope="col") for name in columns])
    rows = [_change_row(change, table, source_url) for change in changes]
    grid = element("table", element("thead", head), element("tbody", *rows), class_="changes")
    return joined([element("h4", text(heading)), element("div", grid, class_="scroll")])


def _change_row(change: TableChange, table: TableReport, source_url: str) -> Html:
    return element(
        "tr",
        element("td", text(_OPERATIONS[change.operation]), class_=change.operation),
        element("th", element("code", text(change.path)), scope="row"),
        _change_side(change.before),
        _change_side(change.after),
        element(
            "td",
            risk_label(change.risk) if change.risk != RISKS[0] else text(change.risk),
            element("span", text(change.loss), class_="detail") if change.loss else NOTHING,
        ),
        element("td", code_link(change.code), class_="code"),
        element("td", location_link(change.location, source_url, table.location)),
    )


def _change_side(value: str) -> Html:
    if value in _ABSENT:
        return element("td", element("span", text(value), class_="absent"))
    code = element("code", text(value))
    return element("td", element("div", code, class_="long", tabindex=0) if len(value) > _LONG_VALUE else code)


def risk_label(risk: str) -> Html:
    """Return the risk of a change, or of a table; nothing for none."""
    return element("span", text(risk), class_=f"risk {risk}") if risk else NOTHING


_TABLE_LEVEL = 4


def diagnostic_list(
    heading: str, diagnostics: Sequence[Diagnostic], source_url: str, level: int = _TABLE_LEVEL
) -> Html:
    """Return a heading and a list; nothing for no diagnostics."""
    if not diagnostics:
        return NOTHING
    items = [
        element(
            "li",
            *_diagnostic_parts(diagnostic, source_url, names_table=level < _TABLE_LEVEL),
            class_=diagnostic.severity,
        )
        for diagnostic in diagnostics
    ]
    return joined([element(f"h{level}", text(heading)), element("ul", *items, class_="diagnostics")])


def _diagnostic_parts(diagnostic: Diagnostic, source_url: str, *, names_table: bool) -> list[Html]:
    table = f"{diagnostic.table} " if names_table and diagnostic.table else ""
    name = [
        *([element("strong", text(diagnostic.verdict))] if diagnostic.verdict else []),
        *([element("span", code_link(diagnostic.code), class_="code")] if diagnostic.code else []),
        *([element("span", text(diagnostic.rule), class_="rule")] if diagnostic.rule else []),
        *([element("code", text(diagnostic.path))] if diagnostic.path else []),
        *([location_link(diagnostic.location, source_url)] if diagnostic.location else []),
    ]
    parts = [element("p", text(f"{table}{diagnostic.full_message}"))]
    if diagnostic.remedy:
        label, remedy = element("span", text("Remedy")), element("p", text(diagnostic.remedy), class_="copied")
        parts.append(element("div", label, remedy, class_="remedy"))
    if name:
        parts.append(element("p", joined(name, Html(" ")), class_="about"))
    for witness in diagnostic.witnesses:
        parts += _witness(witness)
    return parts


def _witness(witness: Witness) -> list[Html]:
    """Show a script with both of its answers."""
    if not witness.script:
        return [element("p", text(witness.fact), class_="about")]
    file = element("a", text(witness.file), href=quote(witness.file))
    answers = [
        element("p", text(f"{side}: {answer}"))
        for side, answer in (("before", witness.before), ("after", witness.after))
        if answer
    ]
    reason = f": {witness.reason}" if witness.reason else ""
    summary = element("summary", text(f"Witness: {witness.result}{reason}"))
    shown = element("pre", element("code", text(witness.script)))
    return [element("details", summary, *answers, element("p", file), shown, class_="witness")]


_SAME = element("td", text("same"), class_="absent")

_SCHEMA_GROUPS = {
    "columns": "Columns",
    "constraints": "Constraints",
    "table": "Table",
    "properties": "Properties",
}


def _schemas(table: TableReport) -> Html:
    catalog = "Catalog, before" if table.mode == "apply" else "Catalog"
    known = [name for name, state in (("Model", table.declared), (catalog, table.observed)) if state is not None]
    if not known:
        return NOTHING
    rows = schema_rows(table.declared, table.observed, [change.path for change in table.changes])
    differing = sum(row.differs for row in rows)
    label = f"Schema: {counted(len(rows), 'part')}"
    if len(known) > 1:
        label = f"{label}, {differing or 'none'} of them {'differs' if differing == 1 else 'differ'}"
    verdict = ("Verdict",) if len(known) > 1 else ()
    parts = []
    for group, name in _SCHEMA_GROUPS.items():
        members = [row for row in rows if row.group == group]
        if members:
            head = element("tr", element("th", text(name), colspan=2 * len(known), scope="colgroup", class_="group"))
            parts.append(element("tbody", head, *[_schema_row(row, known) for row in members]))
    header = [element("th", text(name), scope="col") for name in ("Part", *known, *verdict)]
    grid = element("table", element("thead", element("tr", *header)), *parts)
    return element(
        "details",
        element("summary", element("h4", text(label))),
        element("div", grid, class_="scroll"),
        class_="schemas",
        open="" if differing else None,
    )


def _schema_row(row: SchemaRow, known: Sequence[str]) -> Html:
    label = element(
        "th", element("code", text(row.label)), scope="row", class_=f"depth{min(row.depth, 5)}" if row.depth else None
    )
    if len(known) == 1:
        return element("tr", label, element("td", _cell(row.declared or row.observed)))
    if row.declared == row.observed and not row.differs:
        return element("tr", label, element("td", _cell(row.declared)), _SAME, element("td"))
    sides = [element("td", _cell(side)) for side in (row.declared, row.observed)]
    verdict = element("td", text(_verdict(row)), class_="verdict")
    return element("tr", label, *sides, verdict, class_="differs" if row.differs else None)


def _verdict(row: SchemaRow) -> str:
    if not row.differs:
        return "accepted"
    if row.declared and row.observed:
        return "differs"
    return "only in the model" if row.declared else "only in the catalog"


def _cell(values: Sequence[str]) -> Html:
    if not values:
        return element("span", text(ABSENT), class_="absent")
    first, *others = values
    return joined([element("code", text(first)), *(element("span", text(other), class_="detail") for other in others)])


def _statements(table: TableReport) -> Html:
    if not table.statements:
        return NOTHING
    heading = sql_heading(table.statements, is_blocked=bool(table.diagnostics))
    ran = any(statement.has_run for statement in table.statements)
    items = [element("li", *_statement(statement, names_run=ran)) for statement in table.statements]
    return joined([element("h4", text(heading)), element("ol", *items, class_="sql")])


def _statement(statement: OutcomeStatement, *, names_run: bool) -> Sequence[Html]:
    remarks = [
        *remarks_on(statement),
        *(["ran" if statement.has_run else "did not run"] if names_run else []),
        *([note] if (note := note_on(statement.sql)) else []),
    ]
    return (
        element("p", text(", ".join(remarks)), class_="remark") if remarks else NOTHING,
        element("pre", sql_markup(f"{statement.sql};"), class_="copied"),
    )


def _restore(table: TableReport) -> Html:
    if not table.restore_sql:
        return NOTHING
    version = "" if table.restore_version is None else f" to version {table.restore_version}"
    return joined(
        [
            element("h4", text(f"Restore{version}, before the apply")),
            element("div", element("pre", sql_markup(f"{table.restore_sql};"), class_="copied")),
        ]
    )


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

_WORDS = {**dict.fromkeys(_KEYWORDS.split(), "<b>{}</b>"), **dict.fromkeys(_TYPES.split(), "<i class=type>{}</i>")}
_NOT_PLAIN = r"[^\x20-\x25\x27-\x3b\x3d\x3f-\x7e\n]"

_TOKENS = (
    f"(?s)(?P<name>{NAME})|(?P<literal>{RAW_LITERAL}|{LITERAL})|(?P<comment>{COMMENT})|(?P<word>[A-Za-z_]\\w*)"
    f"|(?P<number>\\d[\\w.]*)|{UNCLOSED}|{_NOT_PLAIN}"
)

_UNWRITABLE = "[\x00\ud800-\udfff]"


def sql_markup(sql: str) -> Html:
    """Return SQL as markup for ``pre``: the text stays what can be run."""
    # A file in UTF-8 cannot hold halves of characters, and HTML cannot hold NUL; no catalog stores names with them.
    legible = re.sub(_UNWRITABLE, "\ufffd", escaped_literals(sql))
    return Html(re.sub(_TOKENS, _marked, legible).replace("</b> <b>", " "))


def _marked(match: re.Match[str]) -> str:
    kind = match.lastgroup
    token = match[0]
    if kind == "word":
        return _WORDS.get(token.upper(), "{}").format(verbatim(token))
    # Its own line ends would become different ones when the page is read.
    shown = verbatim(token).replace("\r", "&#13;")
    # Names have no colour; in those of other scripts the direction of the text ends with the name.
    return shown if kind is None or (kind == "name" and token.isascii()) else f"<i class={kind}>{shown}</i>"


def code_glossary(report: RunReport) -> Html:
    """Return a section that explains all codes of a report; nothing if it has none."""
    used = {change.code for table in report.tables for change in table.changes}
    for table in report.tables:
        used.update(part.code for part in (*table.diagnostics, *table.notes, *table.background))
    used.update(part.code for part in (*report.unmanaged, *report.faults))
    infos = [info for code, info in _explained().items() if code in used]
    if not infos:
        return NOTHING
    heading = element("h2", text("Codes"), id="codes")
    return element("section", heading, *map(_code_entry, infos), class_="codes", aria_labelledby="codes")


def _code_entry(info: CodeInfo) -> Html:
    paragraphs = [*info.meaning.split("\n\n"), f"Remedy: {info.remedy}"]
    return element(
        "details",
        element("summary", element("h3", text(f"{info.code} {info.name}"))),
        element(
            "div",
            *[element("p", _prose(paragraph)) for paragraph in paragraphs],
            element("pre", lines(info.example)),
            class_="body",
        ),
        id=f"code-{info.code}",
        class_="meaning",
    )


_CODE_QUOTE = "``"


def _prose(paragraph: str) -> Html:
    """Return a paragraph of a docstring; text between double back-quotes is code."""
    parts = " ".join(paragraph.split()).split(_CODE_QUOTE)
    return joined(element("code", text(part)) if index % 2 else text(part) for index, part in enumerate(parts))


@cache
def _explained() -> Mapping[str, CodeInfo]:
    return {info.code: info for info in all_codes()}


def code_link(code: str) -> Html:
    """Return a code as a link to its meaning; a code of the project's own rules is text."""
    return element("a", text(code), href=f"#code-{code}") if code in _explained() else text(code)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLinks:
    """The addresses of the sources of a report."""

    report: RunReport

    def of(self, table: TableReport) -> str:
        """Return the address of the sources from which a table was checked; ``""`` if it is not known."""
        return _only_source_url(
            run for run in self.report.runs if (run.mode, run.backend) == (table.mode, table.backend)
        )

    def of_all_runs(self) -> str:
        """Return the address of the sources of all runs; ``""`` if it is not known, or not the same."""
        return _only_source_url(self.report.runs)


def _only_source_url(runs: Iterable[Run]) -> str:
    urls = {run.source_url for run in runs}
    url = urls.pop() if len(urls) == 1 else ""
    return url if urlsplit(url).scheme in {"http", "https"} else ""


def location_link(location: Location | None, source_url: str, near: Location | None = None) -> Html:
    """Return a location as text, which is a link if the address of the sources is known.

    ``near`` is a location that was shown before: of another in its file only the line is shown.
    """
    if location is None:
        return NOTHING
    shown = text(f"line {location.line}" if near and near.file == location.file else f"{location.file}:{location.line}")
    if not source_url:
        return element("span", shown)
    path = quote(location.file, errors="replace")
    return element("a", shown, href=f"{source_url.rstrip('/')}/{path}{_line_anchor(location, source_url)}")


def _line_anchor(location: Location, source_url: str) -> str:
    """Return the end of a link, which names the lines."""
    last = location.end_line or location.line
    if urlsplit(source_url).query:
        # Azure Repos marks the text up to the first column of the line behind the last one.
        return f"&line={location.line}&lineEnd={last + 1}&lineStartColumn=1&lineEndColumn=1"
    # GitHub and GitLab both read this fragment.
    return f"#L{location.line}" if last == location.line else f"#L{location.line}-L{last}"
