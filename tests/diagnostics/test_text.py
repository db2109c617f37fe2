"""What a terminal obeys, or does not show, is written out."""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import re
import signal
import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pytest_delta_schema
from pytest_delta_schema import QualifiedName
from pytest_delta_schema.diagnostics import text as text_module
from pytest_delta_schema.diagnostics.text import (
    HIDDEN,
    escaped,
    escaped_lines,
    escaped_literals,
    identifier,
    note_on,
    printed,
    printed_sql,
    shortened,
    sql_lines,
)
from pytest_delta_schema.execute import InterruptedTable
from pytest_delta_schema.sql import Statement, StatementKind, dotted, literal
from pytest_delta_schema.state.expressions import canonical, simplified


def test_long_texts_are_cut():
    assert [shortened(text, 5) for text in ("", "12345", "123456")] == ["", "12345", "12..."]


def test_texts():
    texts = [
        ("plain é 😀 \u200d\u200c\u00a0", "plain é 😀 \u200d\u200c\u00a0"),
        ("\x1b[31m \x00\x7f\x85\x9b", r"\u001b[31m \u0000\u007f\u0085\u009b"),
        ("\u202e\u2066\u2069\u200f", r"\u202e\u2066\u2069\u200f"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\u200b\ufeff\u00ad\u2060", r"\u200b\ufeff\u00ad\u2060"),
        ("\ud800 \udfff", r"\ud800 \udfff"),
        ("\U000e0041", r"\udb40\udc41"),
        (r"\u001b \n", r"\u001b \n"),
        (ValueError("\x07"), r"\u0007"),
    ]

    assert [(text, escaped(text), escaped_lines(text)) for text, _ in texts] == [(a, b, b) for a, b in texts]
    assert (escaped("a\nb\tc\rd"), escaped_lines("a\nb\tc\rd")) == (r"a\nb\tc\rd", "a\nb\\tc\\rd")


@given(st.text())
def test_nothing_is_left_that_a_terminal_obeys(text):
    line = escaped(text)

    assert not [character for character in line if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")]
    assert escaped(line) == line
    assert escaped_lines(text).split("\n") == [escaped(part) for part in text.split("\n")]


def spark_reads(quoted):
    """Read a string literal as Spark's ``unescapeSQLString`` does (3.5 to 4.2)."""
    text, index, units = quoted[1:-1], 0, []
    short = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}
    while index < len(text):
        rest = text[index:]
        if (
            rest.startswith("\\u")
            and len(rest) >= 6
            and all(character in "0123456789abcdefABCDEF" for character in rest[2:6])
        ):
            units.append(chr(int(rest[2:6], 16)))
            index += 6
        elif (
            len(rest) >= 4
            and rest[0] == "\\"
            and rest[1] in "01"
            and all(character in "01234567" for character in rest[2:4])
        ):
            units.append(chr(int(rest[1:4], 8)))
            index += 4
        elif rest[0] == "\\":
            units.append(short.get(rest[1], rest[1]))
            index += 2
        else:
            units.append(rest[0])
            index += 1
    return "".join(units).encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


HOSTILE = st.text(
    st.sampled_from("\0\x1b\n\r\t\x85\u202e\u2028\u200b\\'\"`$0123u{b%_-") | st.characters(exclude_categories=["Cs"]),
)


@given(HOSTILE)
def test_a_literal_is_one_line_with_the_same_value(text):
    quoted = literal(text)

    assert re.search(HIDDEN, quoted) is None
    assert spark_reads(quoted) == text


def raw(text):
    """Write a literal as somebody would who escapes only what has to be."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@given(HOSTILE)
def test_literals_of_expressions_are_escaped_and_keep_their_value(text):
    quoted = escaped_literals(raw(text))

    assert spark_reads(quoted) == text
    assert re.search(HIDDEN, quoted) is None


EXPRESSIONS = [
    ("a > 1\n AND\tb", "a > 1\n AND\tb"),
    ("a <> '\x1b' AND b <> \"\x07\"", r"""a <> '\u001b' AND b <> "\u0007" """.rstrip()),
    ("a <> '\\\x1b'", r"a <> '\u001b'"),
    ("a <> '\\\\\x1b'", r"a <> '\\\u001b'"),
    ("`a\x1b` <> '`\x1b'", "`a\x1b` <> '`\\u001b'"),
    ("`a``\x1b` > 1", "`a``\x1b` > 1"),
    ("a <> r'\x1b\\' AND b <> '\x07'", "a <> r'\x1b\\' AND b <> '\\u0007'"),
    ("a > 1 -- \x1b\u202e'\n AND b <> '\x07'", "a > 1 -- \\u001b\\u202e'\n AND b <> '\\u0007'"),
    ("a /* \x1b\n */ > 1", "a /* \\u001b\n */ > 1"),
    ("a >\r\n1", "a > \n1"),
    ("a <> 'b\n\t\r' \t\n", "a <> 'b\\n\\t\\r' \t\n"),
    ("a <> '\x1b", "a <> '\x1b"),
    ('a <> \'\x1b "\x07" /* \x07', 'a <> \'\x1b "\\u0007" /* \x07'),
    ("a /* \x1b '\x07' \"\r", "a /* \x1b '\\u0007' \" "),
]


def test_expressions_keep_their_meaning():
    assert [(sql, escaped_literals(sql)) for sql, _ in EXPRESSIONS] == EXPRESSIONS


@pytest.mark.parametrize("form", [canonical, simplified])
def test_a_character_and_its_number_are_the_same_in_a_literal(form):
    assert form("a <> '\x1b'") == form(r"a  <> '\u001b'")
    assert form("a <> '\x1b'") != form(r"a <> '\u001c'")


def test_names_stay_and_are_noted():
    notes = [
        ("ALTER TABLE `a`.`b` COMMENT '\\u001b'", ""),
        ("ALTER TABLE `a`.`b\n``c\t`", ""),
        ("ALTER TABLE `a\x1b`.`b\n``\r`", "with characters that are not shown: `a\\u001b`, `b\\n``\\r`"),
        ("SELECT `a\x1b`, `a\x1b`, r'\x07'", "with characters that are not shown: `a\\u001b`, r'\\u0007'"),
    ]

    assert [(sql, note_on(sql)) for sql, _ in notes] == notes


def test_printed_texts_hold_no_command():
    texts = [
        ("a::b ## [x] #[y] #vso[z]", "a::b ## [x] #[y] #vso[z]"),
        ("::error::x", r"\::error::x"),
        ("a\n \u00a0\u3000::add-mask::b", "a\n \u00a0\u3000\\::add-mask::b"),
        ("\u200d::stop-commands::x", "\u200d\\::stop-commands::x"),
        (":\ufe0f:error::x", "\\:\ufe0f:error::x"),
        ("\r::error::x", r"\r::error::x"),
        ("a ##[add-mask]b ##[group]", r"a ##\[add-mask]b ##\[group]"),
        ("a ##vso[task.complete]##[x]", r"a ##vso\[task.complete]##\[x]"),
        ("#\u200c#\u200dv\u034fso\ufe0f[a.b]", "#\u200c#\u200dv\u034fso\ufe0f\\[a.b]"),
        ("\u202e\x1b[31m\t", r"\u202e\u001b[31m\t"),
    ]

    assert [(text, printed(text), printed(shown)) for text, shown in texts] == [(a, b, b) for a, b in texts]


def test_printed_sql_says_where_it_is_not_exact():
    start = "escaped for the terminal, and exact in a JSON report: "
    statements = [
        ("ALTER TABLE `a`\n\tADD `b` -- c", "ALTER TABLE `a`\n ADD `b` -- c", ""),
        ("ADD `a\n::set-output name=b::c`", r"ADD `a\n::set-output name=b::c`", r"`a\n::set-output name=b::c`"),
        ("ADD `a` COMMENT '##[x]'", r"ADD `a` COMMENT '##\[x]'", r"'##\[x]'"),
        (
            "CHECK (a <> r'\u202e') -- ##vso[a.b]",
            r"CHECK (a <> r'\u202e') -- ##vso\[a.b]",
            r"r'\u202e', -- ##vso\[a.b]",
        ),
        ("a\n::int > 1", "a\n\\::int > 1", "a line that begins with ::"),
        ("a <> '\x1b'", r"a <> '\u001b'", ""),
    ]

    assert [(sql, *printed_sql(sql)) for sql, *_ in statements] == [
        (sql, shown, noted and start + noted) for sql, shown, noted in statements
    ]


def test_an_interrupted_table_is_reported_without_control_characters():
    name = QualifiedName("dev", "silver", "or\x1b[2Kders\n")
    statement = Statement(table=name, kind=StatementKind.COMMENT_TABLE, sql=f"COMMENT ON TABLE {dotted(name)} IS 'x'")

    report = str(InterruptedTable(table=name, done=(statement,), running=None, left=(), version=3)).split("\n")

    assert report[0].startswith(r"dev.silver.or\u001b[2Kders\n: ")
    assert report[2] == r"    -- escaped for the terminal, and exact in a JSON report: `or\u001b[2Kders\n`"
    assert report[3] == r"    COMMENT ON TABLE `dev`.`silver`.`or\u001b[2Kders\n` IS 'x';"


def test_lines_of_sql_end_outside_of_names():
    name = identifier("a`\nb")
    sql = f"CREATE TABLE {name} (\n  x -- `\n) COMMENT '`'\n;"

    assert sql_lines(sql) == ["CREATE TABLE `a``\nb` (", "  x -- `", ") COMMENT '`'", ";"]
    assert sql_lines("") == [""]


NEVER_CLOSED = ["\\'", '\\"', "/*", "'\\\"", "`a", "r'\\\"", "/*'\\\"", "\\\\'\\'", "--'"]


@pytest.mark.parametrize("shown", [escaped_literals, note_on, printed, printed_sql, sql_lines])
def test_no_text_takes_long(shown):
    """A quadratic search takes at least ten seconds; a linear one less than half a second."""
    for part in NEVER_CLOSED:
        start = time.process_time()

        shown(part * (65_000 // len(part)) + "\x1b")

        assert time.process_time() - start < 5, part


# A search is exponential if a repeated part matches the same text in two ways, and what follows does not match.

PARSER = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")


def hostile_texts(pattern):
    """Yield what a pattern begins with, two characters that it knows many times, and an end that it seldom knows."""
    parsed = PARSER.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    start = "".join(chr(value) for _, value in itertools.takewhile(lambda part: str(part[0]) == "LITERAL", parsed))
    source = pattern.pattern.decode() if isinstance(pattern.pattern, bytes) else pattern.pattern
    known = {"w": "a", "d": "0", "s": " ", ".": "a"}
    characters = {known.get(character, character) for character in source} - {*"()|*+?{}^$[]"}
    for pair in itertools.product(sorted(characters)[:20], repeat=2):
        made = start + "".join(pair) * 30 + "\n\0"
        yield made.encode() if isinstance(pattern.pattern, bytes) else made


def is_endless(pattern):
    """Whether a search takes long in a text of about sixty characters."""

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        for text in hostile_texts(pattern):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.3)
            pattern.fullmatch(text)
            pattern.search(text)
    except TimeoutError:
        return True
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return False


def patterns_in(value):
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from patterns_in(part)


def patterns_of_package():
    """Yield all compiled patterns of the package, and the texts of the module of texts that are compiled later."""
    for module in pkgutil.walk_packages(pytest_delta_schema.__path__, "pytest_delta_schema."):
        if not module.name.endswith("__main__"):
            for value in vars(importlib.import_module(module.name)).values():
                yield from patterns_in(value)
    yield from (re.compile(vars(text_module)[name]) for name in ("_TOKENS", "_COMMAND", "_COMMAND_AT_START"))


def test_no_pattern_of_the_package_takes_exponential_time():
    harmful = [
        r"(?:\\.|.)*",
        r"(?:ab?|[a-c]b)+x",
        r"k((?=x)(?:\w+a|\w-)){2,}",
        r"(a+)+",
        r"(?:\s*(a+)b?)*x",
        r"token=(?:a*|b)*x",
    ]
    patterns = [*dict.fromkeys(patterns_of_package())]

    assert [text for text in harmful if not is_endless(re.compile(text))] == []
    assert len(patterns) > 100
    assert [pattern for pattern in patterns if is_endless(pattern)] == []
