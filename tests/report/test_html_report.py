"""The page shows everything of a report, as text, escaped, and needs nothing besides itself."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
from pytest_delta_schema.diagnostics.faults import Witness
from pytest_delta_schema.diagnostics.text import escaped_literals
from pytest_delta_schema.engine.outcomes import DataChecks, OutcomeStatement, Status, TableChange
from pytest_delta_schema.report.html_report import MARKS, html_page, sql_tokens
from pytest_delta_schema.report.run_report import Consents
from support.browser import html_tree
from support.reports import (
    BLOCKED,
    DRIFTED,
    HIDDEN_CHARACTERS,
    IN_SYNC,
    RUN,
    UNREADABLE,
    hostile_report,
    sample_report,
)
from support.snapshots import TextSnapshot

STATE: dict[str, Any] = {
    "version": 1,
    "name": "ci.silver.orders",
    "columns": [{"name": "id", "type": "bigint"}, {"name": "amount", "type": "bigint"}],
    "foreign_keys": [{"name": "fk", "columns": ["id"], "parent": "CI.silver.customers", "parent_columns": ["key"]}],
}
APPLIED = replace(
    DRIFTED,
    mode="apply",
    status=Status.FAILED,
    restore_version=7,
    restore_sql="RESTORE TABLE `ci`.`silver`.`orders` TO VERSION AS OF 7",
    failure="the statement failed\n  <details of Spark>",
    data_checks=DataChecks.PASSED,
    statements=(OutcomeStatement(sql="ALTER 1", has_run=True), OutcomeStatement(sql="ALTER 2", is_emulated=True)),
)


def page(*tables, **parts):
    return html_tree(html_page(sample_report(*tables, **parts)))


def section(*tables, **parts):
    return page(*tables, **parts).one("details", id="table-1")


def facts(node):
    return {pair.one("dt").text: pair.one("dd").text for pair in node.one("dl", class_="facts").all("div")}


SHOWN = {"class", "id", "href", "open", "type", "name", "value", "data-status", "data-risks", "data-schema"}


def outline(node, depth=0):
    """Yield a line for each element that people see, with the attributes that mean something, and for each text."""
    for child in node.children:
        if isinstance(child, str):
            if child.strip():
                yield "  " * depth + child.strip()
        elif child.tag != "svg":
            attributes = (
                f"{name}={value}" if value else name for name, value in child.attributes.items() if name in SHOWN
            )
            head = "  " * depth + f"<{' '.join([child.tag, *attributes])}>"
            if all(isinstance(part, str) for part in child.children):
                yield f"{head} {child.text}".rstrip()
            else:
                yield head
                yield from outline(child, depth + 1)


def with_changes():
    """Return a table with every kind of change: of its own, of others, only reported, absent and long."""
    kinds = [("(absent)", "(a, b)"), ("string", "(not in the model)"), ("a", "x" * 300)]
    own = [replace(DRIFTED.changes[0], before=before, after=after) for before, after in kinds]
    other = TableChange(table="ci.silver.lines", marker="-", path="foreign_keys.fk", before="(a)", after="(absent)")
    tags = replace(other, table="ci.silver.orders", marker="+", path="tags.a", aspect="tags")
    hidden = OutcomeStatement(sql="DROP TABLE `a\u202eb`")
    return replace(DRIFTED, changes=(*DRIFTED.changes, *own, other, tags), statements=(*DRIFTED.statements, hidden))


def with_witnesses():
    """Return a table with rows for which it fails, a script that shows why, and a code of the project."""
    script = Witness(
        result="not confirmed", file="a b\ud800.py", script='print("<b>")\nprint(2)', before="1", after="2",
        reason="by chance",
    )  # fmt: skip
    none = Witness(result="no witness", reason="nothing reads it")
    fault = replace(BLOCKED.diagnostics[0], samples="id = 1, 2", witnesses=(script, none))
    return replace(BLOCKED, diagnostics=(fault, replace(fault, code="<b>", witnesses=())))


def with_schemas():
    """Return tables whose schemas differ, are equal, are that before an apply, or stand alone."""
    note = {"name": "note", "type": "string", "comment": "The note"}
    observed = {**STATE, "columns": [STATE["columns"][0], {"name": "amount", "type": "int"}, note], "foreign_keys": []}
    lacks = {**STATE, "columns": [*STATE["columns"], {"name": "new", "type": "int"}]}
    return (
        replace(DRIFTED, declared=lacks, observed=observed),
        replace(APPLIED, name="dev.silver.applied", declared=STATE, observed=STATE),
        replace(IN_SYNC, declared=STATE, observed=STATE),
        replace(IN_SYNC, name="dev.silver.alone", declared=STATE),
    )


def of_several_runs():
    """Return a report of runs on several backends, targets and commits, of which one was incomplete."""
    sources = {"memory": ["1"], "local": ["2"], "unity": ["3", "4"]}
    runs = [
        replace(RUN, backend=backend, source_url=f"https://a.example/{commit}", is_complete=backend != "local")
        for backend, commits in sources.items()
        for commit in commits
    ]
    tables = [replace(IN_SYNC, backend=backend, target="" if backend == "unity" else "a" * 16) for backend in sources]
    bare = replace(IN_SYNC, name="dev.gold.bare", stored_as="", location=None, observed_version=None, checks=())
    return sample_report(*tables, bare, runs=tuple(runs))


def everything():
    fault = Diagnostic(table="", message="the server does not answer", remedy="start it")
    consents = Consents(used=("a",), unused=("b",), expired=("c",))
    tables = (UNREADABLE, with_witnesses(), with_changes(), IN_SYNC)
    runs = (replace(RUN, source_url="https://github.com/acme/shop/blob/abc"),)
    return sample_report(*tables, faults=(fault,), consents=consents, runs=runs)


REPORTS = {
    "everything": everything,
    "schemas": lambda: sample_report(*with_schemas()),
    "runs": of_several_runs,
    "without findings": lambda: sample_report(IN_SYNC, unmanaged=(), consents=Consents()),
    "empty": lambda: replace(sample_report(), tables=()),
}


@pytest.mark.parametrize("report", REPORTS)
def test_what_a_page_shows(report, snapshot):
    tree = html_tree(html_page(REPORTS[report]()))

    text = "\n".join(outline(tree.one("body"))).encode("ascii", "backslashreplace").decode()
    assert tree.one("head").one("title").text == f"{tree.one('h1').text} - pytest-delta-schema"
    assert f"{text}\n" == snapshot(extension_class=TextSnapshot)


def test_every_status_has_a_mark():
    assert MARKS.keys() == set(Status)


def test_a_declaration_is_a_link_where_the_address_of_the_sources_is_known():
    github, gitlab = "https://github.com/acme/shop/blob/abc", "https://gitlab.com/a/-/blob/abc/"
    azure = "https://dev.azure.com/a/b/_git/c?version=GCabc&path="
    lines = "&line=60&lineEnd=63&lineStartColumn=1&lineEndColumn=1"
    odd = replace(IN_SYNC, location=Location('a b/"#?.py', 3))
    links = [
        (IN_SYNC, github, [f"{github}/shop/models.py#L60-L62"]),
        (IN_SYNC, gitlab, [f"{gitlab}shop/models.py#L60-L62"]),
        (IN_SYNC, azure, [f"{azure}/shop/models.py{lines}"]),
        (odd, github, [f"{github}/a%20b/%22%23%3F.py#L3"]),
        (IN_SYNC, "javascript:alert(1)", []),
        (IN_SYNC, "", []),
    ]
    sections = [(table, url, section(table, runs=(replace(RUN, source_url=url),))) for table, url, _ in links]

    assert [
        (table, url, [link.attributes["href"] for link in shown.all("a")]) for table, url, shown in sections
    ] == links
    assert {facts(shown)["Declared at"] for table, _, shown in sections if table is IN_SYNC} == {"shop/models.py:60"}


def test_the_page_allows_its_own_style_and_script_and_nothing_else():
    text = html_page(sample_report())
    tree = html_tree(text)
    policy = tree.one("meta", http_equiv="Content-Security-Policy").attributes["content"]

    def digest(tag):
        content = text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]
        return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()

    assert policy == (
        f"default-src 'none'; style-src '{digest('style')}'; script-src '{digest('script')}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    assert text.isascii()
    body = tree.one("body")
    loaded = [
        node.attributes[name] for node in body.all() for name in ("src", "href", "data") if name in node.attributes
    ]
    assert [address for address in loaded if not address.startswith("#")] == []
    assert not re.search(r"@import|url\(|https?:", tree.one("style").text)
    assert not re.search(
        r"https?:|fetch|XMLHttp|innerHTML|insertAdjacent|document\.write|eval",
        tree.one("script").text,
    )


def test_ids_are_unique_and_every_link_inside_the_page_has_a_target():
    for report in (sample_report(), sample_report(IN_SYNC, IN_SYNC), sample_report(*with_schemas())):
        tree = html_tree(html_page(report))
        ids = [node.attributes["id"] for node in tree.all() if "id" in node.attributes]
        targets = {node.attributes.get("href") or "" for node in tree.all()}

        assert len(ids) == len(set(ids))
        assert {target[1:] for target in targets if target.startswith("#")} <= set(ids)


def test_hostile_text_adds_no_element():
    tables = [replace(table, declared=STATE, observed=STATE) for table in (DRIFTED, BLOCKED, UNREADABLE, APPLIED)]
    report = sample_report(*tables)
    tree, plain = html_tree(html_page(hostile_report(report))), html_tree(html_page(report))

    assert {node.tag for node in tree.all()} == {node.tag for node in plain.all()}
    assert {name for node in tree.all() for name in node.attributes} == {
        name for node in plain.all() for name in node.attributes
    }
    for tag in ("script", "details", "tr", "li", "a"):
        assert len(tree.all(tag)) == len(plain.all(tag))
    assert tree.one("body").text.count("<script>hacked") > 100
    assert [character for character in HIDDEN_CHARACTERS if character in tree.text] == []


@given(st.text("`'\"\\/*-aADd r\u00e9\n(.", max_size=30))
def test_no_character_of_sql_is_lost(sql):
    assert "".join(token for _, token in sql_tokens(sql)) == escaped_literals(sql)
