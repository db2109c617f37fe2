"""Hostile texts, the places of a table in which a text can be, and texts on which a search takes long."""

from __future__ import annotations

import time
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from pyspark.sql import types as spark

from faults.cases import Area, require
from pytest_delta_schema import Check, Column, ForeignKey, Table
from pytest_delta_schema.backends.rows import constraint_error
from pytest_delta_schema.backends.secret import Secret
from pytest_delta_schema.diagnostics.redaction import redacted_uri, without_hosts, without_secrets, without_tokens
from pytest_delta_schema.diagnostics.text import escaped_literals, identifier, note_on, printed, printed_sql, sql_lines
from pytest_delta_schema.state.expressions.evaluation import like

if TYPE_CHECKING:
    from collections.abc import Callable

    from faults.bench import Bench

LONG = spark.LongType()
ID = Column("id", LONG)

TEXTS: dict[str, str] = {
    "single quote": "it's",
    "two single quotes": "''",
    "double quote": 'say "x"',
    "back-quote": "a`b",
    "two back-quotes": "``",
    "only a back-quote": "`",
    "backslash": "a\\b",
    "backslash at the end": "a\\",
    "backslash and quote": "\\'",
    "escape sequence": "\\u0027 \\n",
    "variable": "${spark.master}",
    "variable of the environment": "$HOME ${HOME}",
    "SQL comment": "a -- b",
    "block comment": "/* a */",
    "semicolon": "a; DROP TABLE x",
    "closing bracket": "a) --",
    "statement": "x` BIGINT); DROP TABLE dev.silver.bystander; --",
    "dot": "a.b",
    "dots": "..",
    "path up": "../x",
    "absolute path": "/etc/passwd",
    "percent code": "a%2Fb%2e%2e",
    "percent": "100%",
    "equals sign": "a=b",
    "partition": "p=1/q=2",
    "colon": "a:b",
    "question mark": "what?",
    "asterisk": "*",
    "brackets": "[a]{b}<c>",
    "blank inside": "a b",
    "blanks around": " a ",
    "tabulator": "a\tb",
    "line feed": "a\nb",
    "carriage return": "a\rb",
    "null character": "a\x00b",
    "escape character": "a\x1b[31mb",
    "delete character": "a\x7fb",
    "accents": "größe",
    "decomposed accents": "gro\u0308ße",
    "other scripts": "表名 الجدول",
    "emoji": "\U0001f4a5\U0001f468\u200d\U0001f469",
    "right to left": "a\u202eb",
    "no-break space": "a\u00a0b",
    "line separator": "a\u2028b",
    "dotted capital I": "İstanbul",
    "sharp s": "ẞ",
    "lone surrogate": "a\ud800b",
    "byte order mark": "\ufeffa",
    "zero width": "a\u200bb",
    "keyword": "select",
    "true": "true",
    "null": "null",
    "number": "1",
    "underscore": "_",
    "hidden": "_delta_log",
    "dunder": "__x__",
    "hex": "hex_61",
    "metadata column": "_metadata",
    "change type": "_change_type",
    "long": "x" * 255,
    "very long": "y" * 4000,
    "empty": "",
    "blank": " ",
    "format string": "{0} {x!r} %s",
    "glob": "**/*",
    "JSON": '{"a": [1]}',
    "HTML": "<script>alert(1)</script>",
}


def _model(*columns: Column, schema: str = "silver", name: str = "orders", **options: Any) -> Table:
    return Table("dev", schema, name, list(columns) or [ID], **options)


def _nested(text: str, comment: str = "") -> Table:
    inner = spark.StructField(text, LONG, nullable=True, metadata={"comment": comment} if comment else {})
    return _model(ID, Column("s", spark.StructType([inner])))


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _defaulted(text: str) -> Table:
    supported = {"delta.feature.allowColumnDefaults": "supported"}
    return _model(ID, Column("t", spark.StringType(), default=_literal(text)), table_properties=supported)


PLACES: dict[str, Callable[[str], Table]] = {
    "table": lambda text: _model(name=text),
    "schema": lambda text: _model(schema=text),
    "column": lambda text: _model(ID, Column(text, LONG)),
    "field": _nested,
    "clustering column": lambda text: _model(ID, Column(text, LONG), clustered_by=[text]),
    "partition column": lambda text: _model(ID, Column(text, LONG), partitioned_by=[text]),
    "key column": lambda text: _model(Column(text, LONG, is_nullable=False), primary_key=[text]),
    "column of a check": lambda text: _model(
        ID, Column(text, LONG), checks=[Check("positive", f"{identifier(text)} > 0")]
    ),
    "name of a check": lambda text: _model(checks=[Check(text, "id > 0")]),
    "literal in a check": lambda text: _model(
        ID, Column("t", spark.StringType()), checks=[Check("other", f"t <> {_literal(text)}")]
    ),
    "name of a foreign key": lambda text: _model(
        foreign_keys=[ForeignKey(["id"], "dev.silver.parent", ["id"], name=text)]
    ),
    "property key": lambda text: _model(table_properties={text: "x"}),
    "property value": lambda text: _model(table_properties={"team": text}),
    "table comment": lambda text: _model(comment=text),
    "column comment": lambda text: _model(Column("id", LONG, comment=text)),
    "field comment": lambda text: _nested("f", text),
    "tag key": lambda text: _model(tags={text: "x"}),
    "tag value": lambda text: _model(tags={"team": text}),
    "tag of a column": lambda text: _model(Column("id", LONG, tags={text: text})),
    "default": _defaulted,
}
"""How a text gets into a model; each place makes a whole table."""


SEARCHES: dict[str, Callable[[str], object]] = {
    "secrets": without_secrets,
    "tokens": without_tokens,
    "address": redacted_uri,
    "hosts": without_hosts,
    "token": Secret('dapi-x"y\\z\\\\w a+b/c==').scrub,
    "backslashes": Secret("\\" * 12 + "ab").scrub,
    "message": lambda text: constraint_error(RuntimeError(text)),
    "terminal": printed,
    "SQL on the terminal": printed_sql,
    "literals": escaped_literals,
    "note on SQL": note_on,
    "lines of SQL": sql_lines,
    "LIKE": lambda text: like("%a%=_%token%'%z", text),
}
PARTS = (
    *"aA0_-./;,\\\"'`=:@<>[]{}() \t\n",
    *("%25", "&#", "\\u00", '\\"', "\\'", '\\\\"', "a:", "a:@", "a@", "a.", "a-", "a ", "://", "a://", 'a://"'),
    *("https://u:x@", "jdbc:a:a:", "token", "token=", "token:", "token\t", '"token":', '"token":"', '"token":['),
    *('"token":{', "'token': '", '\\"token\\":\\"', "value=", '"value":"', '"name":"token",', "<token>", "<value>"),
    *("AND token=", "AND token='", "token=upper(", "token=x) AND ", "token: Aaaa ", "-token ", "cookie:", "api key "),
    *("authorization: basic ", "bearer ", "eyJ-", "eyJaaaaaaaa.", "xoxb-", "ghp_", "-----BEGIN PRIVATE KEY-----"),
    *("a.databricks.com", "1.1.1.1:", "r'", "--", "/*", "*/", "CHECK constraint ", "Column ", ", column ", 'Value "'),
    *("\n\tat x", "NOT NULL constraint violated for column: "),
)
SMALL, TIMES = 8_192, 8
RATIO, NEGLIGIBLE = 12, 0.05


def _seconds(search: Callable[[str], object], text: str) -> float:
    """Return the least processor time of five searches."""
    durations = []
    for _ in range(5):
        start = time.process_time()
        search(text)
        durations.append(time.process_time() - start)
    return min(durations)


def _run(search: Callable[[str], object], part: str, _: Bench) -> None:
    for beginning, end in product(("", '"token":"', "'"), ("", "!", "\x1b")):
        small, large = (f"{beginning}{part * (size // len(part))}{end}" for size in (SMALL, SMALL * TIMES))
        least, duration = _seconds(search, small), _seconds(search, large)
        require(least < 1, f"{len(small)} characters take {least:.1f} s")
        require(
            duration < max(RATIO * least, NEGLIGIBLE),
            f"{len(large)} characters take {duration:.3f} s, {len(small)} take {least:.3f} s, from {beginning!r} to {end!r}",
        )


AREA = Area(
    name="texts",
    title="texts on which a search would take quadratic time",
    cases=lambda: {f"{name}/{part!r}": partial(_run, SEARCHES[name], part) for name in SEARCHES for part in PARTS},
    sample=0,
    lanes=1,
)
