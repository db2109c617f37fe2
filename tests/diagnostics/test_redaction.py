"""Secrets are found in every form in which a text may repeat them, and nothing else is taken out."""

from __future__ import annotations

import html
import json
import time
from base64 import b64encode, urlsafe_b64encode
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


URIS = {
    "https://unity.example.com/base": "https://unity.example.com/base",
    "https://TOKEN@host/x": "https://***@host/x",
    "https://me:hunter2@host:8080/a": "https://***@host:8080/a",
    "https://me:hun/ter2@host/a": "https://***@host/a",
    "https://me:hun#ter2@host": "https://***@host",
    "https://me:h@nter/2@host": "https://***@host",
    "https://host/x@v1": "https://host/x@v1",
    "https://host?token=x&y": "https://host?token=***&***",
    "https://host/a#token=x": "https://host/a#***",
    "https://host/a#eyJhbGciOi": "https://host/a#***",
    "https://host/auth.html#unified-authentication": "https://host/auth.html#unified-authentication",
    "http://[::1]:80/x": "http://[::1]:80/x",
    "TOKEN@host": "***@host",
    "nowhere": "nowhere",
    "": "",
    "s3://bucket/key": "s3://bucket/key",
    "abfss://container@account.dfs.core.windows.net/t?sig=x": "abfss://container@account.dfs.core.windows.net/t?sig=***",
    "abfss://container:x@account/t": "abfss://***@account/t",
}


def test_a_uri_is_shown_without_secrets():
    assert {uri: redacted_uri(uri) for uri in URIS} == URIS
    for uri, shown in URIS.items():
        assert (str(Uri(uri)), repr(Uri(uri)), f"{Uri(uri)}", Uri(uri).reveal()) == (shown, repr(shown), shown, uri)


def test_uris_are_values():
    assert Uri("a") == Uri("a") != Uri("b")
    assert Uri("a") != "a"
    assert len({Uri("a"), Uri("a"), Uri("b")}) == 2
    assert [bool(Uri("")), bool(Uri("a"))] == [False, True]


def test_uris_in_a_text_are_shown_without_secrets():
    text = "see https://a:b@c/d, 'http://x/?y=1' and (abfss://c@acc/t)"

    assert without_secrets(text) == "see https://***@c/d, 'http://x/?y=***' and (abfss://c@acc/t)"
    assert first_line(ValueError(f"{text}\nmore")) == without_secrets(text)


HOSTILE = {
    "postgres://u:S3cret@h/db": "postgres://***@h/db",
    "postgres://u:S3c'ret\"x@h/db": "postgres://***@h/db",
    "'mysql://u:S3'cret@h'": "'mysql://***@h'",
    "jdbc:sqlserver://h:1433;user=sa;password=S3cret;encrypt=true": (
        "jdbc:sqlserver://h:1433;user=sa;password=***;encrypt=true"
    ),
    "jdbc:sqlserver://h;Password={S3;cr et};x=1": "jdbc:sqlserver://h;Password=***;x=1",
    "jdbc:databricks://h:443;AuthMech=3;PWD=S3cret": "jdbc:databricks://h:443;AuthMech=***;PWD=***",
    "jdbc:oracle:thin:scott/S3cret@//h:1521/x": "jdbc:oracle:thin:***@//h:1521/x",
    "jdbc:oracle:oci:scott/S3cret@h:1521:sid": "jdbc:oracle:oci:***@h:1521:sid",
    "https://h/x;token=S3cret": "https://h/x;token=***",
    "Endpoint=sb://h/;SharedAccessKey=S3cret=": "Endpoint=sb://h/;SharedAccessKey=***",
    "host=h user=u password=S3cret dbname=x": "host=h user=u password=*** dbname=x",
    "host=h password='S3 cret' dbname=x": "host=h password=*** dbname=x",
    "fs.passphrase=S3cret, bearer=S3cret": "fs.passphrase=***, bearer=***",
    "Authorization: Bearer S3cret.x==, then": "Authorization: Bearer ***, then",
    "the bearer token is expired": "the bearer token is expired",
    '{"password": "S3\\"cret", "user": "u"}': '{"password": "***", "user": "u"}',
    "{'api_token' :'S3cret', 'n': 1}": "{'api_token' :'***', 'n': 1}",
    r'{"a": "{\"accessKey\": \"S3cret\"}"}': r'{"a": "{\"accessKey\": \"***\"}"}',
    r'"{\"a\": \"{\\\"secret\\\": \\\"S3cret\\\"}\"}"': r'"{\"a\": \"{\\\"secret\\\": \\\"***\\\"}\"}"',
    '{"token": null, "author": "me"}': '{"token": null, "author": "me"}',
    "author=me, keyword=x": "author=me, keyword=x",
    "token <> 'x' AND secret = 'y'": "token <> 'x' AND secret = 'y'",
    "s3://bucket/a, 'me@example.org'": "s3://bucket/a, 'me@example.org'",
}


def test_addresses_of_all_kinds_are_shown_without_secrets():
    assert {text: without_secrets(text) for text in HOSTILE} == HOSTILE
    assert [shown for shown in HOSTILE.values() if without_secrets(shown) != shown] == []


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


MESSAGES = {
    "http://uc.example:8080; start it": "http://<server>; start it",
    "(https://[::1]:8080/api/x?token=1)": "(https://<server>/api/x?token=***",
    "https://user:secret@host/x": "https://***@<server>/x",
    "abfss://box@account.dfs.core.windows.net/a/b": "abfss://box@<server>/a/b",
    "s3://bucket/a, gs://b, file:///x and dbfs:/y": "s3://bucket/a, gs://b, file:///x and dbfs:/y",
    "jdbc:postgresql://db:5432/x": "jdbc:postgresql://<server>/x",
    "adb-1.7.azuredatabricks.net:443 and a.cloud.databricks.com": "<server> and <server>",
    "connect to 10.0.0.1:8080, version 4.4.0.1": "connect to <server>, version 4.4.0.1",
    "uc.example refused (uc.example:80), not my.uc.example": "<server> refused (<server>), not my.uc.example",
    "uc.example.org, uc.example. End": "uc.example.org, <server>. End",
}


def test_messages_without_hosts():
    assert {text: without_hosts(text, ["uc.example"]) for text in MESSAGES} == MESSAGES


SETTINGS = {
    "password = S3cret": "password = ***",
    "password: S3cret": "password: ***",
    "password=S3cret": "password=***",
    "password = 'S3cret'": "password = ***",
    "password='S3''cret'": "password=***'",
    'password="S3"cret': "password=***",
    "'password=S3cret'": "'password=***'",
    "password=S3;user=u": "password=***;user=u",
    "'password' => 'S3cret'": "'password' => '***'",
    "token\tS3cret": "token\t***",
    "token\t=\tS3cret": "token\t=\t***",
    "--token S3cret --verbose": "--token *** --verbose",
    "--token 'S3 cret' --verbose": "--token '***' --verbose",
    "-Dpwd=S3cret": "-Dpwd=***",
    "OPTIONS ('password' 'S3 cret', 'user' 'u')": "OPTIONS ('password' '***', 'user' 'u')",
    "https%3A%2F%2Fh%3Ftoken%3DS3cret": "https%3A%2F%2Fh%3Ftoken%3D***",
    "api_key=S3cret": "api_key=***",
    "api-key=S3cret": "api-key=***",
    "API key: S3cret": "API key: ***",
    "private_key=S3cret": "private_key=***",
    "pass=S3cret": "pass=***",
    "pass={S3}cret;x=1": "pass=***;x=1",
    "sig=S3cret": "sig=***",
    "aws_secret_access_key = S3cret": "aws_secret_access_key = ***",
    "[default]\naws_access_key_id = S3\naws_secret_access_key = cret": (
        "[default]\naws_access_key_id = ***\naws_secret_access_key = ***"
    ),
    "SharedAccessSignature sr=a&sig=S3cret&se=1": "SharedAccessSignature sr=a&sig=***&se=1",
    "SharedAccessSignature=S3cret": "SharedAccessSignature=***",
    "Authorization: Basic S3cret": "Authorization: Basic ***",
    "Authorization: S3cret": "Authorization: ***",
    "Authorization = Bearer S3cret": "Authorization = Bearer ***",
    '{"Authorization": "Basic S3cret"}': '{"Authorization": "Basic ***"}',
    "{'X-Token': b'Bearer S3cret'}": "{'X-Token': b'Bearer ***'}",
    "token=b'S3cret'": "token=b***",
    "Basic dXNlcjpwYXNz": "Basic ***",
    "Bearer S3cret": "Bearer ***",
    "Cookie: a=S3; b=cret": "Cookie: ***",
    '{"password": S3cret}': '{"password": ***}',
    '{"passwords": ["S3", "cret"], "n": 1}': '{"passwords": ***, "n": 1}',
    '{"credentials": {"a": {"b": "S3cret"}}, "n": 1}': '{"credentials": ***, "n": 1}',
    '{"credentials": {"a": "S3cret"': '{"credentials": ***',
    '[{"name": "password", "value": "S3cret"}]': '[{"name": "password", "value": "***"}]',
    '[{"value": "S3cret", "name": "password"}]': '[{"value": "***", "name": "password"}]',
    '{"headers": [{"key": "x-api-key", "value": "S3cret"}]}': '{"headers": [{"key": "x-api-key", "value": "***"}]}',
    r'{"a": "{\"token\": [\"S3cret\"]}"}': r'{"a": "{\"token\": ***}"}',
    "<password>S3cret</password>": "<password>***</password>",
    "<password>S3cret": "<password>***",
    "<name>db.password</name><value>S3cret</value>": "<name>db.password</name><value>***</value>",
    '<a password="S3cret"/>': "<a password=***/>",
    '"token":"S3cret': '"token":"***',
    "password:\n  'S3cret'": "password:\n  '***'",
    "u:S3cret@host": "***@host",
    "see u:S3/cr:et@host:80/x, v@w": "see ***@host:80/x, v@w",
    "https://token:S3cret@host": "https://***@host",
    "url=u:S3cret@host": "url=***@host",
    "dapi0123456789abcdef0123456789abcdef": "***",
    "x dapi0123456789abcdef0123456789abcdef-2, y": "x ***, y",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345": "***",
    "github_pat_0123456789abcdefghij_ABCDEF": "***",
    "AKIAIOSFODNN7EXAMPLE": "***",
    "eyJhbGciOiJIUzI1NiJ9.e30.x_-y": "***",
    "xoxb-0123456789-abcdef": "***",
    "a = 'AKIAIOSFODNN7EXAMPLE' AND b > 1": "a = '***' AND b > 1",
    "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nx": "***\nx",
    "x -----BEGIN PRIVATE KEY-----\nMII": "x ***",
}


def test_secrets_of_settings_are_not_shown():
    assert {text: without_secrets(text) for text in SETTINGS} == SETTINGS
    assert [text for text in SETTINGS if not may_be_secret("team", text)] == []


IN_EXPRESSIONS = {
    "a <> 'dapi0123456789abcdef0123456789abcdef'": "a <> '***'",
    "concat('AKIAIOSFODNN7EXAMPLE', `token`)": "concat('***', `token`)",
    "-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----": "***",
    "from jdbc:mysql://root:S3cret@host/db?a=1#Top": "from jdbc:mysql://***@host/db?a=1#Top",
    "s3a://AKIA:S/3cret@bucket/x and ftp://a:b@c": "s3a://***@bucket/x and ftp://***@c",
    "password = 'S3cret'": "password = 'S3cret'",
    "Bearer S3cret": "Bearer S3cret",
    "https://git@github.com/x?token=a#b": "https://git@github.com/x?token=a#b",
    "abfss://lake@store/x": "abfss://lake@store/x",
    "https://host/a:b@c": "https://host/a:b@c",
    "u:p@host": "u:p@host",
}


def test_expressions_are_shown_without_what_is_secret_by_its_form():
    assert {text: without_tokens(text) for text in IN_EXPRESSIONS} == IN_EXPRESSIONS


ORDINARY = json.loads(Path(__file__).with_name("ordinary.json").read_text(encoding="utf-8"))
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
    texts = [*ORDINARY["expressions"], *COMPARED]

    assert [(text, shown) for text in texts if (shown := without_secrets(text)) != text] == []


def test_ordinary_properties_are_declared_and_shown():
    assert len(ORDINARY["expressions"]) >= 300
    assert len(ORDINARY["properties"]) >= 500
    for key, value in ORDINARY["properties"].items():
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
    '"token":"' + "\\" * 60_000,
    '"token":"' + "\\" * 60_000 + "x",
    "A" * 200_000,
    "a." * 32_000,
    "a-" * 32_000,
    "://" * 20_000,
    "a://" * 16_000 + "'",
    '"token":[' * 7_000,
    "value=" * 10_000,
    "AND password=" * 5_000,
    "password=upper(" * 4_000,
    "jdbc:a:a:" * 7_000,
    "eyJ-" * 16_000,
    "a:" * 32_000 + "@",
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


def test_secrets_with_backslashes_are_found_and_take_no_time():
    forms = (str, repr, json.dumps, lambda text: json.dumps(json.dumps(text)), lambda text: quote(text, safe=""))
    for secret in ("\\" * 12 + "ab", 'a\\b"c\\', "\\A\\\\x5c/"):
        assert [form for form in forms if not secret_pattern(secret).search(f"before {form(secret)} after")] == []
        start = time.process_time()

        assert secret_pattern(secret).search("\\" * 65_000) is None

        assert time.process_time() - start < 5
