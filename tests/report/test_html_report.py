"""The page shows everything of a report, as text, escaped, and needs nothing besides itself."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html import unescape

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
    large_report,
    sample_report,
)

STATE = {
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


def cells(table):
    return [[cell.text for cell in row.children] for row in table.one("tbody").all("tr")]


def facts(node):
    return {pair.one("dt").text: pair.one("dd").text for pair in node.one("dl", class_="facts").all("div")}


def headings(node, level="h4"):
    return [heading.text for heading in node.all(level)]


def test_every_status_has_a_mark():
    assert MARKS.keys() == set(Status)


def test_failing_tables_come_first_the_worst_of_them_at_the_top():
    tables = page().all("details", class_="table")

    assert [table.one("h3").text for table in tables] == [
        "dev.silver.broken",
        "dev.silver.customers",
        "dev.silver.orders",
        "dev.silver.regions",
    ]
    assert [table.one(class_="badge").text for table in tables] == ["unreadable", "blocked", "drifted", "in sync"]
    assert ["open" in table.attributes for table in tables] == [True, True, True, False]
    assert headings(page(), "h2") == ["Overview", "The run", "Tables that fail 3", "Tables in order 1", "Codes"]


def test_many_failing_tables_are_closed():
    tables = page(*[replace(DRIFTED, name=f"a.b.c{number}") for number in range(6)]).all("details", class_="table")

    assert len(tables) == 6
    assert not any("open" in table.attributes for table in tables)


def test_the_run_is_described():
    tree = page()

    assert (tree.one("h1").text, tree.one("title").text) == (
        "3 of 4 tables fail",
        "3 of 4 tables fail - pytest-delta-schema",
    )
    assert facts(tree.one("header")) == {
        "Mode": "drift",
        "Backend": "memory",
        "Commit": "0123456789",
        "Ended": "2026-01-31 12:00:00 UTC",
        "Took": "1.5 s",
        "Version": "0.1.0",
        "Bindings": "dev.silver \u2192 ci.silver",
    }


def test_several_runs_and_targets_are_told_apart():
    local = replace(RUN, backend="local", is_complete=False)
    backends = page(IN_SYNC, replace(IN_SYNC, backend="local"), runs=(RUN, local))
    targets = page(*[replace(IN_SYNC, target=target * 16) for target in "ab"], runs=(RUN, RUN))

    assert len(backends.one("header").all("dl")) == 2
    told = [
        [table.one("summary").one(class_="count").text for table in tree.all("details", class_="table")]
        for tree in (backends, targets)
    ]
    assert told == [
        ["drift \u00b7 memory", "drift \u00b7 local"],
        [f"drift \u00b7 memory \u00b7 {'a' * 16}", f"drift \u00b7 memory \u00b7 {'b' * 16}"],
    ]


def test_an_incomplete_run_has_a_banner():
    banners = [
        page(runs=(replace(RUN, is_complete=is_complete),)).all(class_="banner") for is_complete in (True, False)
    ]

    assert [[banner.text.partition(".")[0] for banner in shown] for shown in banners] == [[], ["Incomplete"]]


def test_the_run_section_has_faults_undeclared_tables_and_consents():
    fault = Diagnostic(table="", message="the server does not answer", remedy="start it")
    run = page(faults=(fault,), consents=Consents(used=("a",), unused=("b",), expired=("c",))).one(class_="findings")

    assert headings(run, "h3") == [
        "Faults",
        "Tables that no model declares",
        "Unused consents",
        "Expired consents",
        "Used consents",
    ]
    assert [item.text for item in run.all("li")] == [
        "the server does not answerRemedystart it",
        "dev.silver holds 1 table that no model declares: ci.silver.tmpshop/models.py:10",
        "b",
        "c",
        "a",
    ]


def test_a_run_without_findings_has_no_section_for_them():
    assert page(unmanaged=(), consents=Consents()).all(class_="findings") == []


def test_counts_are_filters():
    form = page().one("form")

    assert [(box.attributes["name"], box.attributes["value"]) for box in form.all("input", type="checkbox")] == [
        ("status", "in sync"),
        ("status", "drifted"),
        ("status", "blocked"),
        ("status", "unreadable"),
        ("risk", "metadata"),
        ("risk", "feature"),
        ("risk", "destructive"),
    ]
    assert [label.text for label in form.all("label", class_="choice")] == [
        "in sync1",
        "drifted1",
        "blocked1",
        "unreadable1",
        "metadata1",
        "feature1",
        "destructive1",
    ]
    assert [option.attributes["value"] for option in form.all("option")] == [" ", "dev.silver"]
    assert page(IN_SYNC).one("form").all("input", name="risk") == []
    assert html_tree(html_page(replace(sample_report(), tables=()))).all("form") == []


def test_a_table_has_what_its_filters_ask_for():
    attributes = section(DRIFTED).attributes

    assert attributes["data-status"] == "drifted"
    assert attributes["data-risks"] == "metadata feature"
    assert attributes["data-schema"] == "dev.silver"
    assert "data-risks" not in section(IN_SYNC).attributes


def test_the_facts_of_a_table():
    assert facts(section(BLOCKED)) == {
        "Declared at": "shop/models.py:30",
        "Stored as": "ci.silver.customers",
        "Version read": "3",
        "Checks": "drift failed",
        "Data checks": "passed",
    }
    assert facts(section(replace(IN_SYNC, stored_as="", location=None, observed_version=None, checks=()))) == {}


def test_changes_are_shown_with_their_risk_and_loss():
    (table,) = section(DRIFTED).all("table", class_="changes")

    assert [heading.text for heading in table.one("thead").all("th")] == [
        "Change", "Path", "Before", "After", "Risk", "Code", "Declared at",
    ]  # fmt: skip
    assert cells(table) == [
        ["+ add", "columns.note", "(absent)", "string 'free text'", "metadata", "DD102", "line 14"],
        [
            "~ change", "columns.amount.type", "int", "bigint", "featurereaders without type widening", "DD104", "line 13",
        ],
    ]  # fmt: skip


def test_changes_of_other_tables_and_those_that_are_only_reported_stand_apart():
    other = TableChange(table="ci.silver.lines", marker="-", path="foreign_keys.fk", before="(a)", after="(absent)")
    tags = TableChange(
        table="ci.silver.orders",
        marker="+",
        path="tags.a",
        before="(absent)",
        after="'b'",
        aspect="tags",
    )
    table = section(replace(DRIFTED, changes=(*DRIFTED.changes, other, tags)))

    assert headings(table)[:3] == [
        "Changes",
        "Along with it, at ci.silver.lines",
        "Only reported, because the contract does not manage tags",
    ]
    assert [len(cells(changes)) for changes in table.all("table", class_="changes")] == [2, 1, 1]


def test_only_what_is_absent_looks_absent_and_a_long_value_scrolls_by_itself():
    kinds = [("(absent)", "(a, b)"), ("string", "(not in the model)"), ("a", "x" * 300)]
    changes = tuple(replace(DRIFTED.changes[0], before=before, after=after) for before, after in kinds)
    table = section(replace(DRIFTED, changes=changes)).one("table", class_="changes")

    assert [value.text for value in table.all(class_="absent")] == ["(absent)", "(not in the model)"]
    assert table.one(class_="long").text == "x" * 300


def test_a_diagnostic_has_its_rows_code_path_remedy_and_location():
    diagnostic = replace(BLOCKED.diagnostics[0], samples="id = 1, 2")
    (item,) = section(replace(BLOCKED, diagnostics=(diagnostic,))).one("ul", class_="diagnostics").all("li")
    remedy = item.one("div", class_="remedy").one("p").text

    assert item.attributes["class"] == "error"
    assert item.all("p")[0].text == "column legacy would be dropped, such as id = 1, 2"
    assert remedy == "consent with allow = ['drop-column dev.silver.customers.legacy']"
    assert [part.text for part in item.one(class_="about").all() if part.tag != "a"] == [
        "DS201",
        "ColumnDropWithoutConsent",
        "columns.legacy",
        "shop/models.py:30",
    ]


def test_a_witness_shows_its_script_in_lines_with_both_answers():
    script = Witness(
        result="not confirmed", file="a b\ud800.py", script='print("<b>")\nprint(2)', before="1", after="2",
        reason="by chance",
    )  # fmt: skip
    none = Witness(result="no witness", reason="nothing reads it")
    table = section(replace(BLOCKED, diagnostics=(replace(BLOCKED.diagnostics[0], witnesses=(script, none)),)))
    shown = table.one(class_="witness")

    assert shown.one("summary").text == "Witness: not confirmed: by chance"
    assert [part.text for part in shown.all("p")] == ["before: 1", "after: 2", "a b\\ud800.py"]
    assert shown.one("a").attributes["href"] == "a%20b%3F.py"
    assert shown.one("pre").text == 'print("<b>")\nprint(2)'
    assert table.all("p", class_="about")[-1].text == "no witness: nothing reads it"


def test_notes_and_the_origin_of_differences_are_shown():
    table = section(DRIFTED)

    assert headings(table) == ["Changes", "SQL that would run", "Where the differences come from", "Notes"]
    assert [item.text for item in table.all("li", class_="note")] == [
        "column legacy was added by version 5 (WRITE)",
        "the check is written in another form",
    ]


def test_statements_are_numbered_and_say_their_risk():
    assert [item.text for item in section(DRIFTED).one("ol").all("li")] == [
        "ALTER TABLE `ci`.`silver`.`orders` ADD COLUMNS (`note` STRING);",
        "featureALTER TABLE `ci`.`silver`.`orders` ALTER COLUMN `amount` TYPE BIGINT;",
    ]
    assert headings(section(BLOCKED)) == ["Why it fails", "Changes", "Blocked SQL"]


def test_an_apply_says_what_ran_what_failed_and_what_to_restore():
    table = section(APPLIED)

    assert headings(table)[:1] == ["Error of the catalog"]
    assert table.one("pre", class_="failure").text == "the statement failed\n  <details of Spark>"
    assert [item.text for item in table.one("ol").all("li")] == [
        "ranALTER 1;",
        "emulated by this backend, did not runALTER 2;",
    ]
    assert "SQL of the apply" in headings(table)
    assert "Restore to version 7, before the apply" in headings(table)
    assert table.all("pre", class_="copied")[-1].text == "RESTORE TABLE `ci`.`silver`.`orders` TO VERSION AS OF 7;"


def test_a_statement_with_hidden_characters_in_names_says_so():
    hidden = replace(DRIFTED, statements=(OutcomeStatement(sql="DROP TABLE `a\u202eb`"),))

    assert section(hidden).one("p", class_="remark").text == "with characters that are not shown: `a\\u202eb`"


def test_both_schemas_stand_side_by_side():
    observed = {**STATE, "columns": [{"name": "id", "type": "bigint"}, {"name": "amount", "type": "int"}]}
    schema = section(replace(DRIFTED, declared=STATE, observed={**observed, "foreign_keys": []})).one(class_="schemas")

    assert schema.one("summary").text == "Schema: 3 parts, 1 of them differs"
    assert "open" in schema.attributes
    assert [[cell.text for cell in row.children] for row in schema.all("tr")] == [
        ["Part", "Model", "Catalog", "Verdict"],
        ["Columns"],
        ["id", "bigint", "same", ""],
        ["amount", "bigint", "int", "differs"],
        ["Constraints"],
        ["fk", "(id) references CI.silver.customers (key)", "(absent)", "accepted"],
    ]
    assert [row.one("th").text for row in schema.all("tr", class_="differs")] == ["amount"]


def test_a_part_of_one_side_says_which():
    declared = {**STATE, "columns": [{"name": "note", "type": "string"}]}
    observed = {**STATE, "columns": [{"name": "amount", "type": "int", "comment": "The amount"}]}
    schema = section(replace(DRIFTED, declared=declared, observed=observed)).one(class_="schemas")

    assert [cell.text for cell in schema.all("td", class_="verdict")] == ["only in the model", "only in the catalog"]
    assert schema.one("summary").text == "Schema: 3 parts, 2 of them differ"
    assert [detail.text for detail in schema.all(class_="detail")] == ["The amount"]


def test_the_schema_of_an_apply_is_the_one_before_it():
    schema = section(replace(APPLIED, declared=STATE, observed=STATE)).one(class_="schemas")

    assert [head.text for head in schema.one("thead").all("th")] == ["Part", "Model", "Catalog, before", "Verdict"]


def test_equal_schemas_are_closed_and_one_side_stands_alone():
    equal = section(replace(IN_SYNC, declared=STATE, observed=STATE)).one(class_="schemas")
    alone = section(replace(IN_SYNC, declared=STATE)).one(class_="schemas")

    assert equal.one("summary").text == "Schema: 3 parts, none of them differ"
    assert "open" not in equal.attributes
    assert [head.text for head in alone.one("thead").all("th")] == ["Part", "Model"]
    assert [[cell.text for cell in row.children] for row in alone.all("tr")][2] == ["id", "bigint"]


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


def test_runs_of_several_commits_link_to_their_own_sources():
    runs = (
        replace(RUN, source_url="https://a.example/1"),
        replace(RUN, backend="local", source_url="https://a.example/2"),
        replace(RUN, backend="unity", source_url="https://a.example/3"),
        replace(RUN, backend="unity", source_url="https://a.example/4"),
    )
    tables = [replace(IN_SYNC, backend=backend) for backend in ("memory", "local", "unity")]
    tree = page(*tables, runs=runs)

    assert [link.attributes["href"] for link in tree.one(id="tables").all("a")] == [
        "https://a.example/1/shop/models.py#L60-L62",
        "https://a.example/2/shop/models.py#L60-L62",
    ]
    assert tree.one(class_="findings").all("a") == []


def test_findings_of_the_run_link_to_the_sources_that_all_runs_share():
    run = page(runs=(replace(RUN, source_url="https://a.example/1"),)).one(class_="findings")

    assert [link.attributes["href"] for link in run.all("a")] == ["https://a.example/1/shop/models.py#L10"]


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
    for report in (sample_report(), sample_report(IN_SYNC, IN_SYNC), large_report(60)):
        tree = html_tree(html_page(report))
        ids = [node.attributes["id"] for node in tree.all() if "id" in node.attributes]
        targets = {node.attributes.get("href") or "" for node in tree.all()}

        assert len(ids) == len(set(ids))
        assert {target[1:] for target in targets if target.startswith("#")} <= set(ids)


def test_codes_are_links_to_what_they_mean():
    project_rule = replace(BLOCKED.diagnostics[0], code="<b>")
    tree = page(DRIFTED, replace(BLOCKED, diagnostics=(*BLOCKED.diagnostics, project_rule)))
    links = [link for node in tree.all(class_="code") for link in node.all("a")]
    entry = tree.one("details", id="code-DD102")

    assert sorted({link.attributes["href"] for link in links}) == [
        "#code-DD102",
        "#code-DD103",
        "#code-DD104",
        "#code-DS201",
    ]
    assert [
        summary.text.partition(" ")[0] for summary in tree.one("section", aria_labelledby="codes").all("summary")
    ] == [
        "DD102",
        "DD103",
        "DD104",
        "DS201",
    ]
    assert entry.one("h3").text == "DD102 ColumnMissing"
    assert entry.all("p")[0].text == "A declared column or field is not in the table."
    assert entry.all("p")[-1].text.startswith("Remedy: Apply the model")
    assert "Column(" in entry.one("pre").text
    assert page(IN_SYNC, unmanaged=()).all("section", aria_labelledby="codes") == []


def test_a_page_of_a_thousand_tables_and_ten_thousand_changes_is_smaller_than_ten_megabytes():
    smaller, larger = (len(html_page(large_report(number, 10, all_drift=True))) for number in (100, 200))

    assert smaller + 9 * (larger - smaller) < 10_000_000


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


def between(start, end, report):
    return html_page(report).partition(start)[2].partition(end)[0]


def test_a_text_is_escaped_on_one_line_in_ascii():
    texts = {
        "plain": "plain",
        7: "7",
        "<script>&amp;</script>": "&lt;script&gt;&amp;amp;&lt;/script&gt;",
        "a\nb\x1b\u202ec": "a\\nb\\u001b\\u202ec",
        "caf\u00e9 \u20ac": "caf&#233; &#8364;",
        "\ud800": "\\ud800",
        "'&#39;'": "'&amp;#39;'",
    }
    reports = {value: sample_report(consents=Consents(used=(value,))) for value in texts}

    assert {value: between("<ul><li><code>", "</code></li></ul>", reports[value]) for value in texts} == texts


def test_lines_stay_lines():
    report = sample_report(replace(IN_SYNC, failure="a <\nb\r"))

    assert between("<pre class=failure>", "</pre>", report) == "a &lt;\nb\\r"


def test_attributes_are_quoted():
    texts = {
        "a": '"a"',
        "a b": '"a b"',
        '"><script>': '"&#34;&gt;&lt;script&gt;"',
        "a=b": '"a=b"',
        "'\u00e9`": '"\'&#233;`"',
    }
    reports = {value: sample_report(replace(DRIFTED, name=f"{value}.x")) for value in texts}

    assert {value: between("data-schema=", " open>", reports[value]) for value in texts} == texts


def sql_markup(sql):
    report = sample_report(replace(DRIFTED, statements=(OutcomeStatement(sql=sql),)))
    return between("<pre class=copied>", ";</pre>", report)


def test_sql_is_marked_by_its_parts():
    statements = [
        ("ALTER TABLE `t`", "<b>ALTER TABLE</b> `t`"),
        ("add `a``; <b>`", "<b>add</b> `a``; &lt;b&gt;`"),
        ("`caf\u00e9`", '<i class="name">`caf&#233;`</i>'),
        ("`a``\u00e9`.`b`", '<i class="name">`a``&#233;`</i>.`b`'),
        ("COMMENT 'it\\'s ADD -- <i>'", "<b>COMMENT</b> <i class=\"literal\">'it\\'s ADD -- &lt;i&gt;'</i>"),
        ("\"x\" r'\\'", '<i class="literal">&#34;x&#34;</i> <i class="literal">r\'\\\'</i>'),
        (
            "-- ADD\nADD /* DROP */",
            '<i class="comment">-- ADD</i>\n<b>ADD</b> <i class="comment">/* DROP */</i>',
        ),
        ("DECIMAL(18,2)", '<i class="type">DECIMAL</i>(<i class="number">18</i>,<i class="number">2</i>)'),
        ("amount >= 0 & \u00e9", 'amount &gt;= <i class="number">0</i> &amp; &#233;'),
        ("BIGINT COMMENT", '<i class="type">BIGINT</i> <b>COMMENT</b>'),
        (
            "ADDRESS TIMESTAMP_NTZ in_x x2 2x",
            'ADDRESS <i class="type">TIMESTAMP_NTZ</i> in_x x2 <i class="number">2x</i>',
        ),
        ("a / b - c", "a / b - c"),
        ("`a\rb` 'c\rd' \r", "`a&#13;b` <i class=\"literal\">'c\\rd'</i>  "),
        ("`\x00\ud800`", '<i class="name">`&#65533;&#65533;`</i>'),
        ("'open", "'open"),
    ]

    assert [(sql, sql_markup(sql)) for sql, _ in statements] == statements


@given(st.text("`'\"\\/*-aADd r\u00e9\n(.", max_size=30))
def test_no_character_of_sql_is_lost(sql):
    assert "".join(token for _, token in sql_tokens(sql)) == escaped_literals(sql)


def test_marked_sql_can_be_run_as_it_is_read():
    sql = "CREATE TABLE `a<b>``c` (`x` STRING COMMENT 'a & \\'b\\' </pre>') -- \u00fc\n"

    assert unescape(re.sub(r'</?[bi](?: class="\w+")?>', "", sql_markup(sql))) == sql
