"""Reports as Markdown."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.engine.outcomes import OutcomeStatement, TableChange
from pytest_delta_schema.report.markdown import (
    PULL_REQUEST_COMMENT_LIMIT,
    SUMMARY_LIMIT,
    code,
    details,
    pull_request_comment,
    step_summary,
    table,
    text,
)
from pytest_delta_schema.report.run_report import Consents
from support.reports import DRIFTED, IN_SYNC, sample_report

NOTHING = {"unmanaged": (), "consents": Consents()}


class Page(HTMLParser):
    """Reads the texts and the tags of a page.

    Args:
        markdown: What is rendered.
    """

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(MarkdownIt("gfm-like", {"linkify": False}).render(markdown))

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        languages = [[("class", f"language-{name}")] for name in ("sql", "mermaid")]
        assert attrs == [] or (tag == "code" and attrs in languages), (tag, attrs)

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return "".join(self.texts)


HOSTILE = [
    "a|b",
    "`x` ``y`` ```z```",
    "</details><script>alert(1)</script>",
    "</code></summary>",
    "*a* _b_ **c** ~~d~~ [e](f) ![g](h) <i>j</i> &amp; &#124;",
    "# title\n- item\n1. item\n\n> quote",
    "\\| \\` \\\\",
    "\x00\x1b[31m\u202eevil\u200b",
    "::error::x %0A %25",
    "$x$ $`y`$",
    "ends with `",
    "https://example.invalid/x www.example.invalid a@example.invalid @everyone #1",
    "```\n</details>",
    "--- | --- |",
    "- item",
    "+ item",
    "1. item",
    "===",
    "<!-- x",
]


@pytest.mark.parametrize("function", [text, code])
def test_texts_are_read_back(function):
    for hostile in HOSTILE:
        shown = function(hostile)

        assert Page(shown).text.strip("\n") == escaped(hostile)
        assert Page(f"* {shown}").tags.count("li") == 1, hostile
        assert set(Page(shown).tags) <= {"p", "code"}, hostile
        assert Page(table(("a", "b"), [(shown, "x")])).tags.count("td") == 2, hostile
        assert set(Page(details(shown, "x")).tags) <= {"details", "summary", "p", "code"}, hostile


@pytest.mark.parametrize("function", [text, code])
def test_servers_make_no_links_of_texts(function):
    for word in ("@everyone", "#1", "https://example.invalid", "www.example.invalid"):
        assert word not in function(word)
        assert word not in Page(function(word)).texts


def hostile_page(hostile):
    """Return the comment of a report in which every text is one."""
    change = TableChange(
        table=f"x.{hostile}", marker="+", path=f"columns.{hostile}", before=hostile, after=hostile, risk="feature",
        loss=hostile, code="DD102",
    )  # fmt: skip
    remark = Diagnostic(code="DS201", table=f"x.{hostile}", message=hostile, remedy=hostile)
    entry = replace(
        DRIFTED, name=f"dev.{hostile}", stored_as=f"ci.{hostile}", location=Location(f"{hostile}.py", 1),
        changes=(change,), diagnostics=(remark,), notes=(remark,), background=(remark,), failure=hostile,
        statements=(OutcomeStatement(sql=f"COMMENT ON TABLE t IS '{hostile}'"),),
    )  # fmt: skip
    parts = {"faults": (remark,), "unmanaged": (remark,), "consents": Consents(unused=(hostile,))}
    return Page(pull_request_comment(sample_report(entry, replace(IN_SYNC, name=hostile), **parts)))


def test_hostile_names_everywhere():
    tags = {"h3", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre", "code"}
    for hostile in HOSTILE:
        page = hostile_page(hostile)

        assert set(page.tags) == tags, hostile
        assert (page.tags.count("details"), page.tags.count("td")) == (2, 5 + 6), hostile
        assert f"dev.{escaped(hostile)}" in page.text


def referring(name, parent):
    key = {"name": "fk", "columns": ["id"], "parent": parent}
    return replace(IN_SYNC, name=name, stored_as=name, declared={"foreign_keys": [key]})


def many(failing, passing=0, *, sql=10):
    statement = OutcomeStatement(sql=f"ALTER TABLE {'x' * sql}")
    drifted = [replace(DRIFTED, name=f"dev.silver.t{index:05}", statements=(statement,)) for index in range(failing)]
    passed = [replace(IN_SYNC, name=f"dev.gold.t{index:05}") for index in range(passing)]
    return sample_report(*drifted, *passed, **NOTHING)


def test_what_does_not_fit_is_left_out():
    long_names = [referring(f"{number}{'x' * 250}", "b") for number in range(150)]
    remarks = [
        (many(1, 1), ""),
        (sample_report(*long_names, **NOTHING), "the diagram."),
        (many(10, 10, sql=8_000), "the SQL."),
        (many(20, 2_000, sql=8_000), "the SQL, tables without changes."),
        (many(300, 10), "the SQL, tables without changes, the changes of each table."),
        (many(3_000), "the SQL, tables without changes, the changes of each table, 2500 more tables."),
    ]
    for report, remark in remarks:
        shown = pull_request_comment(report)
        (start,) = [line for line in shown.splitlines() if line.startswith("Left out")] or [""]

        assert len(shown) <= PULL_REQUEST_COMMENT_LIMIT
        assert start == (remark and f"Left out, because the text would be too long: {remark}")


def test_the_summary_of_a_step_is_counted_in_bytes():
    wide = replace(DRIFTED, changes=tuple(replace(DRIFTED.changes[0], after="\u4e2d" * 100) for _ in range(2_000)))
    shown = step_summary(sample_report(wide, replace(wide, name="dev.silver.other"), **NOTHING))

    assert len(shown.encode()) < SUMMARY_LIMIT
    assert "the changes of each table." in shown
