"""Names and comments become text in markup, whatever they hold."""

from __future__ import annotations

from html import unescape

import pytest

from pytest_delta_schema.report.html.markup import NOTHING, element, joined, lines, text, wrapped
from pytest_delta_schema.report.html.page import sql_markup


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("plain", "plain"),
        (7, "7"),
        ("<script>&amp;</script>", "&lt;script&gt;&amp;amp;&lt;/script&gt;"),
        ("a\nb\x1b\u202ec", "a\\nb\\u001b\\u202ec"),
        ("caf\u00e9 \u20ac", "caf&#233; &#8364;"),
        ("\ud800", "\\ud800"),
    ],
)
def test_a_text_is_escaped_on_one_line_in_ascii(value, shown):
    assert text(value) == shown


def test_lines_stay_lines():
    assert lines("a <\nb\r") == "a &lt;\nb\\r"


@pytest.mark.parametrize(
    ("attributes", "head"),
    [
        ({"class_": "a"}, "<p class=a>"),
        ({"aria_label": "a b"}, '<p aria-label="a b">'),
        ({"title": '"><script>'}, '<p title="&quot;&gt;&lt;script&gt;">'),
        ({"title": "a=b"}, '<p title="a=b">'),
        ({"title": "'\u00e9`"}, '<p title="\'&#233;`">'),
        ({"open": "", "id": None}, "<p open>"),
        ({"width": 7}, "<p width=7>"),
    ],
)
def test_attributes_are_quoted_unless_they_are_plain_words(attributes, head):
    assert element("p", text("&"), **attributes) == f"{head}&amp;</p>"


def test_elements_without_content_are_closed():
    assert element("meta", charset="utf-8") == "<meta charset=utf-8 />"


def test_a_large_element_is_yielded_in_parts():
    assert list(wrapped("ul", iter([element("li"), element("li")]), id="a")) == [
        "<ul id=a>",
        "<li></li>",
        "<li></li>",
        "</ul>",
    ]
    assert joined([text("a"), NOTHING, text("b")], element("br")) == "a<br></br><br></br>b"


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("ALTER TABLE `t`", "<b>ALTER TABLE</b> `t`"),
        ("add `a``; <b>`", "<b>add</b> `a``; &lt;b&gt;`"),
        ("`caf\u00e9`", "<i class=name>`caf&#233;`</i>"),
        ("COMMENT 'it\\'s ADD -- <i>'", "<b>COMMENT</b> <i class=literal>'it\\'s ADD -- &lt;i&gt;'</i>"),
        ("\"x\" r'\\'", "<i class=literal>\"x\"</i> <i class=literal>r'\\'</i>"),
        ("-- ADD\nADD /* DROP */", "<i class=comment>-- ADD</i>\n<b>ADD</b> <i class=comment>/* DROP */</i>"),
        ("DECIMAL(18,2)", "<i class=type>DECIMAL</i>(<i class=number>18</i>,<i class=number>2</i>)"),
        ("amount >= 0 & \u00e9", "amount &gt;= <i class=number>0</i> &amp; &#233;"),
        ("BIGINT COMMENT", "<i class=type>BIGINT</i> <b>COMMENT</b>"),
        ("`a\rb` 'c\rd' \r", "`a&#13;b` <i class=literal>'c\\rd'</i>  "),
        ("`\x00\ud800`", "<i class=name>`&#65533;&#65533;`</i>"),
        ("'open", "'open"),
    ],
)
def test_sql_is_marked_by_its_parts(sql, shown):
    assert sql_markup(sql) == shown


def test_marked_sql_can_be_run_as_it_is_read():
    sql = "CREATE TABLE `a<b>``c` (`x` STRING COMMENT 'a & \\'b\\' </pre>') -- \u00fc\n"

    marked = str(sql_markup(sql))
    for tag in ("b", "i class=literal", "i class=type", "i class=comment", "i class=name", "i"):
        marked = marked.replace(f"<{tag}>", "").replace(f"</{tag}>", "")

    assert unescape(marked) == sql
