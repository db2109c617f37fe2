"""Secrets are found in every form in which a text may repeat them, and nothing else is taken out."""

from __future__ import annotations

import html
import json
import time
from base64 import b64encode, urlsafe_b64encode
from functools import cache
from pathlib import Path
from urllib.parse import quote, quote_plus
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_delta_schema.diagnostics.errors import first_line
from pytest_delta_schema.diagnostics.redaction import (
    LONGEST_SHOWN,
    HiddenValues,
    Uri,
    may_be_secret,
    redacted_uri,
    secret_pattern,
    secret_traces,
    shown_property,
    shown_value,
    suggests_secret,
    without_hosts,
    without_secrets,
    without_tokens,
)

TOKENS = [
    "dapi-0123456789-secret",
    "a+b/c==d=e",
    "q\"u'o\\t<e>d&s",
    "two words",
    "Pa55word",
    "eyJhbGciOiJIUzI1NiJ9.e30.x_-",
]
FORMS = {
    "raw": str,
    "repr": repr,
    "bytes": lambda token: repr(token.encode()),
    "latin-1": lambda token: token.encode().decode("latin-1"),
    "URL": lambda token: quote(token, safe=""),
    "URL, twice": lambda token: quote(quote(token, safe=""), safe=""),
    "form": quote_plus,
    "JSON": json.dumps,
    "JSON in JSON": lambda token: json.dumps(json.dumps(token)),
    "JSON, all escaped": lambda token: "".join(f"\\u{ord(character):04X}" for character in token),
    "JSON, slashes escaped": lambda token: json.dumps(token).replace("/", "\\/"),
    "JSON for HTML": lambda token: (
        json.dumps(token).replace("=", "\\u003d").replace("<", "\\u003c").replace("&", "\\u0026")
    ),
    "XML": escape,
    "XML attribute": quoteattr,
    "HTML": html.escape,
    "base64": lambda token: b64encode(token.encode()).decode(),
    "base64 for URLs": lambda token: urlsafe_b64encode(token.encode()).decode(),
    "base64 without padding": lambda token: b64encode(token.encode()).decode().rstrip("="),
    "base64 in a URL": lambda token: quote(b64encode(token.encode()).decode(), safe=""),
    "basic": lambda token: f"Basic {b64encode(f'user:{token}'.encode()).decode()}",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_each_form_is_found(form):
    for token in TOKENS:
        text = f"before {form(token)} after"

        shown = secret_pattern(token).sub("***", text)

        assert "***" in shown, token
        assert (shown[:7], shown[-6:]) == ("before ", " after"), token
        assert len(shown.replace("***", "")) <= len("before Basic dXNlcj'' after") + 6, token
        assert secret_pattern(token).search(shown) is None, token


@given(
    st.text(st.characters(codec="ascii", min_codepoint=33, max_codepoint=126), min_size=8),
    st.binary(max_size=9),
    st.binary(max_size=9),
)
def test_base64_is_found_wherever_the_secret_begins(token, before, after):
    for encode in (b64encode, urlsafe_b64encode):
        assert secret_pattern(token).search(encode(before + token.encode() + after).decode()) is not None


UNRELATED = "Table not found: dev.silver.orders_of_secretaries (b64 ZGFwaS0wMTIzNDU2Nzg5, 12345679, a%2Bb, dapi-0123456789-secre)"


def test_nothing_else_is_taken_out():
    assert [secret_pattern(token).sub("***", UNRELATED) for token in TOKENS] == [UNRELATED] * len(TOKENS)


def test_a_short_secret_is_only_replaced_as_a_whole_word():
    assert secret_pattern("abc").sub("***", "abc abcd xabc_ (abc) 'abc'") == "*** abcd xabc_ (***) '***'"


@cache
def texts(file):
    """Return texts by what they are; of ``redacted.json`` each with the text that is shown."""
    return json.loads(Path(__file__).with_name(file).read_text("utf-8"))


def test_texts_are_shown_without_secrets():
    redacted = texts("redacted.json")
    shown = {
        "uris": {text: redacted_uri(text) for text in redacted["uris"]},
        "addresses": {text: without_secrets(text) for text in redacted["addresses"]},
        "messages": {text: without_hosts(text, ["uc.example"]) for text in redacted["messages"]},
        "settings": {text: without_secrets(text) for text in redacted["settings"]},
        "expressions": {text: without_tokens(text) for text in redacted["expressions"]},
    }

    assert shown == redacted
    assert [text for text in redacted["addresses"].values() if without_secrets(text) != text] == []
    assert [text for text in redacted["settings"] if not may_be_secret("team", text)] == []
    for uri, text in redacted["uris"].items():
        assert (str(Uri(uri)), repr(Uri(uri)), f"{Uri(uri)}", Uri(uri).reveal()) == (text, repr(text), text, uri)


def test_uris_in_a_text_are_shown_without_secrets():
    text = "see https://a:b@c/d, 'http://x/?y=1' and (abfss://c@acc/t)"

    assert without_secrets(text) == "see https://***@c/d, 'http://x/?y=***' and (abfss://c@acc/t)"
    assert first_line(ValueError(f"{text}\nmore")) == without_secrets(text)


def test_values_of_properties_that_suggest_a_secret_are_not_shown():
    secret = ["db.pwd", "db.passwd", "db.passphrase", "db.auth", "db.bearer", "fs.azure.account.key.acct"]
    other = ["author", "keyword", "delta.key", "team"]

    assert [shown_property(key, "x") for key in secret] == ["'***'"] * len(secret)
    assert [shown_property(key, "x") for key in other] == ["'x'"] * len(other)


def test_settings_are_shown_without_the_values_of_secrets():
    settings = HiddenValues(
        {
            "aws_secret_access_key": "a",
            "azure_storage_sas_token": "b",
            "aws_region": "eu-1",
            "endpoint": "http://u:p@h",
        },
    )

    assert repr(settings) == (
        "{'aws_secret_access_key': '***', 'azure_storage_sas_token': '***', 'aws_region': 'eu-1',"
        " 'endpoint': 'http://***@h'}"
    )
    assert settings["aws_region"] == "eu-1"


@given(
    st.text(st.characters(codec="ascii", min_codepoint=33, max_codepoint=126), min_size=8),
    st.sampled_from([form for name, form in FORMS.items() if name != "JSON, all escaped"]),
)
def test_what_holds_no_trace_of_a_secret_is_none_of_its_forms(token, form):
    assert any(trace in form(token) for trace in secret_traces(token))


COMPARED = [
    "secret = 'y' AND token = 'x'",
    "CHECK constraint c (password = 'x') violated by row",
    "token = 'x' AND NOT (secret = password)",
    "'token': null",
    "password\t",
    "password:\nnext",
    "token://x",
    "the password:",
    "password: Permission denied",
    "TOKEN@",
    "a:b@",
    '[{"name": "password"}, {"name": "team", "value": "x"}]',
    "://",
]


def test_ordinary_texts_are_not_changed():
    ordinary = [*texts("ordinary.json")["expressions"], *COMPARED]

    assert len(ordinary) >= 300
    assert [(text, shown) for text in ordinary if (shown := without_secrets(text)) != text] == []


def test_ordinary_properties_are_declared_and_shown():
    properties = texts("ordinary.json")["properties"]

    assert len(properties) >= 500
    for key, value in properties.items():
        assert (key, may_be_secret(key, value), shown_property(key, value)) == (key, False, repr(value))


NAMES_OF_SECRETS = (
    "pass pat jwt cookie accessKeyId privateKeyPem authorization dsn connection_string db.password dbpassword"
    " PGPASSWORD MYSQL_PWD apiKey fs.azure.account.key.acct.dfs.core.windows.net spark.hadoop.fs.s3a.secret.key"
    " fs.s3a.access.key aws_access_key_id aws_session_token client_secret clientSecret oauth.token refreshToken"
    " AccountKey SharedAccessKey sas_token secretAccessKey API_KEY x-api-key ssl.key.password gcp.credentials"
    " basic_auth userPass session_cookie signing_key webhook_secret conn_str"
)


def test_names_that_suggest_a_secret():
    names = NAMES_OF_SECRETS.split()

    assert [name for name in names if not (suggests_secret(name) and may_be_secret(name, "x"))] == []
    assert [without_secrets(f"{name}=X1") for name in names] == [f"{name}=***" for name in names]


def test_of_a_very_long_value_the_length_is_shown():
    assert shown_value("x" * LONGEST_SHOWN) == "x" * LONGEST_SHOWN
    assert shown_value("x" * 65_537) == "<65537 characters>"
    assert shown_property("team", "x" * 65_537) == "'<65537 characters>'"


HANGING = [
    '"token":"' + "\\" * 36,
    "A" * 200_000,
    "a." * 32_000,
    "://" * 20_000,
    '"token":[' * 7_000,
    "AND password=" * 5_000,
    "password=upper(" * 4_000,
    "jdbc:a:a:" * 7_000,
    "eyJ-" * 16_000,
    "-----BEGIN PRIVATE KEY-----" * 2_000,
]


@pytest.mark.parametrize("text", HANGING, ids=range(len(HANGING)))
def test_no_text_takes_long(text):
    """A quadratic search takes at least ten seconds for each; a linear one less than half a second."""
    start = time.process_time()

    without_secrets(text)
    without_hosts(text)
    secret_pattern('two\\words"').sub("***", text)

    assert time.process_time() - start < 5
