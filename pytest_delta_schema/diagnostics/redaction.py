"""Remove secrets and hosts from texts: tokens in every encoding in which servers repeat them, URIs, properties."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

REDACTED = "***"
"""What is shown instead of a secret."""

_SHORTEST = 8
"""Shorter secrets are only replaced where they are whole words: they might be part of any text."""

_ESCAPED = "\"'/"
"""Characters before which JSON, or the repr of a string, may put a backslash."""

_ENTITIES = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
_BASE64 = "[A-Za-z0-9+/_-]"
_PLAIN = re.compile(r"[A-Za-z0-9]+")


def secret_pattern(secret: str) -> re.Pattern[str]:
    """Build the pattern that finds a secret in each form in which a text may repeat it."""
    forms = [_loose(secret), *(_in_base64(secret, shift) for shift in range(3))]
    pattern = "|".join(forms)
    return re.compile(pattern if len(secret) >= _SHORTEST else rf"(?<!\w)(?:{pattern})(?!\w)")


def secret_traces(secret: str) -> list[str]:
    """Return texts of which each form of a secret holds one: parts that nothing quotes or escapes."""
    codes = (b64encode(bytes(shift) + secret.encode()).decode()[shift * 2 : -4] for shift in range(3))
    return [max(_PLAIN.findall(text), key=len, default="") for text in (secret, *codes)]


_BACKSLASHES = r"\\{1,32}(?!\\)"
"""A whole run of backslashes: what is nested deeper than five texts in each other is not searched."""


def _loose(text: str) -> str:
    parts = re.findall(r"\\+|[^\\]", text)
    return "".join(
        _loose_backslashes(len(part))
        if part[0] == "\\"
        else _loose_character(part, "\\" * (index > 0 and parts[index - 1][0] == "\\"))
        for index, part in enumerate(parts)
    )


def _loose_backslashes(count: int) -> str:
    """Return a pattern for backslashes, which takes a run of them as a whole, so that there is one way to match it."""
    forms = [rf"{_BACKSLASHES}(?:(?:u00|x)5[cC])?", "%(?:25)*5[cC]", "&(?:amp;)?#(?:92|[xX]0*5[cC]);"]
    return f"(?:{'|'.join(forms)}){{1,{count}}}"


def _loose_character(character: str, before: str = "") -> str:
    """Return a pattern for a character as it is, escaped by backslashes, quoted for a URL, or as an entity.

    Backslashes in front of it may be part of what matches the one ``before``.
    """
    digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{ord(character):02x}")
    plain = (r"\\{0,32}" if character in _ESCAPED else "") + re.escape(character)
    forms = [plain, rf"\\{{{0 if before else 1},32}}(?:u00|x){digits}", f"%(?:25)*{digits}"]
    if character == " ":
        forms.append(r"\+")
    if not character.isalnum():
        forms.append(rf"&(?:amp;)?#(?:{ord(character)}|[xX]0*{digits});")
    if character in _ENTITIES:
        forms.append(rf"&(?:amp;)?{_ENTITIES[character]};")
    return f"(?:{'|'.join(forms)})"


def _in_base64(secret: str, shift: int) -> str:
    """Return a pattern for the base64 of a text with the secret behind ``shift`` bytes, or any multiple of three."""
    raw = bytes(shift) + secret.encode()
    code = b64encode(raw).decode().rstrip("=")
    start = (shift * 8 + 5) // 6
    end = len(raw) * 8 // 6
    core = "".join(_loose_base64(character) for character in code[start:end])
    first = _BASE64 if shift else ""
    last = "" if len(raw) % 3 == 0 else f"{_BASE64}(?:=|%3[dD]){{0,2}}"
    return first + core + last


def _loose_base64(character: str) -> str:
    if character == "+":
        return f"(?:{_loose_character('+')}|-)"
    if character == "/":
        return f"(?:{_loose_character('/')}|_)"
    return _loose_character(character)


_AZURE = ("abfs", "abfss", "wasb", "wasbs")
"""Schemes that have a container, which is not a secret, where others have the user."""

_AUTHORITY = re.compile(r"(?:\[[0-9A-Fa-f:.]*\]|[^:\[\]@]*)(?::[0-9]*)?")
"""A host and its port, without a user."""

_ANCHOR = re.compile(r"(?:[a-z]+(?:-[a-z]+)*)?")
"""A fragment that names a section of a page; secrets have digits, capitals or an equals sign."""


class Uri:
    """A URI that is shown without its secrets: user, password and the values of its query."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the whole URI, for the one call that needs it."""
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Uri) and other.reveal() == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __str__(self) -> str:
        return redacted_uri(self._text)

    def __repr__(self) -> str:
        return repr(str(self))


def redacted_uri(text: str) -> str:
    """Return a URI, or what was meant to be one, without user, password, values of its query, and fragment.

    A fragment that is the name of a section is shown.
    """
    resource, sharp, fragment = _without_user(text).partition("#")
    path, question, query = resource.partition("?")
    shown = "&".join(map(_redacted_pair, query.split("&"))) if query else ""
    anchor = fragment if _ANCHOR.fullmatch(fragment) else REDACTED
    return f"{path}{question}{shown}{sharp}{anchor}"


def _without_user(text: str) -> str:
    scheme, mark, rest = text.partition("://")
    if not mark:
        scheme, rest = "", text
    end = next((index for index, character in enumerate(rest) if character in "/?#"), len(rest))
    if "@" in rest and _AUTHORITY.fullmatch(rest[:end]) is None and not _is_container(scheme, rest[:end]):
        # A password may hold what ends an authority: only what follows the last @ is known to be none of it.
        rest = f"{REDACTED}@{rest.rpartition('@')[2]}"
    return f"{scheme}{mark}{rest}"


def _without_password(uri: str) -> str:
    user = uri.partition("://")[2].rpartition("@")[0]
    return _without_user(uri) if ":" in user else uri


def _is_container(scheme: str, authority: str) -> bool:
    return scheme.lower() in _AZURE and authority.count("@") == 1 and ":" not in authority.partition("@")[0]


def _redacted_pair(pair: str) -> str:
    key, equals, _ = pair.partition("=")
    return f"{key}={REDACTED}" if equals else REDACTED


LONGEST_SHOWN = 65_536
"""The length in characters up to which the value of a property is shown."""


def without_secrets(text: str) -> str:
    """Return a text without its secrets: those of addresses, values of settings whose names suggest one, and tokens.

    The time is linear in the length of the text, whatever the text is.
    """
    text = _without_known_forms(text)
    text = _SCHEME_AND_CREDENTIALS.sub(_without_credentials, text)
    return _without_uris(_without_users(_without_settings(text)))


def without_tokens(text: str) -> str:
    """Return an expression or prose without what is secret by its form: tokens, private keys, passwords in addresses.

    All else stays as it is. The time is linear in the length of the text, whatever the text is.
    """
    return _without_uris(_without_known_forms(text), _without_password)


def shown_value(value: str) -> str:
    """Return the value of a property for people: without secrets, and only its length if it is very long."""
    return without_secrets(value) if len(value) <= LONGEST_SHOWN else f"<{len(value)} characters>"


# Tokens that are known by their form. Each pattern begins where no other one could have begun before.

_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:dapi|dkea|dose)[0-9a-f]{16,64}(?:-[0-9]{1,2})?"  # Databricks
    r"|gh[opusr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}|gl(?:pat|ptt|dt|rt)-[\w-]{16,255}"  # GitHub, GitLab
    r"|A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])"  # AWS
    r"|AIza[\w-]{35}|ya29\.[\w-]{20,255}"  # Google
    r"|[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}|npm_[A-Za-z0-9]{30,255}|pypi-[\w-]{40,255}|hf_[A-Za-z0-9]{30,255}"
    r"|SG\.[\w-]{16,64}\.[\w-]{16,128}|xox[abeoprs]-[\w-]{10,255}"  # SendGrid, Slack
    r")"
    r"|(?<![\w.-])eyJ[\w-]{8,}\.[\w-]*(?:\.[\w-]*)*"  # JWT
)

_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = "-----END "


def _without_known_forms(text: str) -> str:
    return _TOKEN.sub(REDACTED, _without_private_keys(text))


def _without_private_keys(text: str) -> str:
    parts = []
    start = 0
    while (begin := _BEGIN.search(text, start)) is not None:
        parts += [text[start : begin.start()], REDACTED]
        end = text.find(_END, begin.end())
        dashes = -1 if end < 0 else text.find("-----", end + len(_END))
        start = len(text) if dashes < 0 else dashes + len("-----")
    return "".join([*parts, text[start:]])


_SCHEME_AND_CREDENTIALS = re.compile(r"(?<!\w)((?:bearer|basic)\s{1,8})([\w.~+/-]+=*)", re.IGNORECASE)
"""The scheme and the credentials of a request, if they are not prose."""


def _without_credentials(match: re.Match[str]) -> str:
    word = match[2].rstrip(".")
    is_prose = word.isupper() or word[1:].islower() or len(word) < len("X1")
    return match[0] if is_prose and not any(map(str.isdigit, word)) else f"{match[1]}{REDACTED}"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Settings: a name, a separator and a value, in the forms of shells, files of settings, JSON, XML and headers.

_NAME = re.compile(r"[\w.-]+")
_LONGEST_NAME = 128
_SEPARATOR = re.compile(
    r"(?P<close>\\*[\"'`])?(?P<before>\s*)(?P<separator>=>|=(?!=)|:(?!:|//)|>|%3[dD])(?P<after>\s*)(?:[bru](?=[\"']))?"
)
_AFTER_TAB = re.compile(r"[ ]*\t\s*")
_AFTER_OPTION = re.compile(r"[ \t]+")
_AFTER_QUOTE = re.compile(r"[\"'][ \t]+(?=[\"'])")
_LISTED = re.compile(
    r"(?:\\{0,32}[\"'])?\s{0,8}[:=>]\s{0,8}(?:\\{0,32}[\"'])?(?P<value>[^\"'\\<>,;{}\s][^\"'\\<>,;{}]{0,511})"
)
_QUOTE = re.compile(r"(?<!\\)(\\*)([\"'`])")
_BARE = re.compile(r"(?:[^\s;&,)\"'<]|[\"'](?![\s,;)}\]:&>]|\Z)|<(?!/))+")
_TAIL = re.compile(rf"(?![/?]>|[\]}}>]){_BARE.pattern}")
_SHOWN = re.compile(r"\*\*\*(?!\w)")
_REST_OF_LINE = re.compile(r"[^\r\n\"']+")
_BRACKETS = re.compile(r"[\[{]|[\]}]")
_AUTH_SCHEME = re.compile(
    r"(?:basic|bearer|digest|negotiate|token|apikey|sharedkey(?:lite)?|sharedaccesssignature|aws4-hmac-sha256)[ \t]+",
    re.IGNORECASE,
)
_CALL = re.compile(r"([A-Za-z_]\w{0,63})\s{0,8}[(<]")
_PROSE = re.compile(r"[A-Za-z][a-z]{0,63}[.,]? [A-Za-z]")
_CONNECTIVE_AFTER = re.compile(r"[\s)]{0,64}(?:AND|OR|THEN|ELSE|END|IS)\b")
_CONNECTIVES = frozenset({"AND", "OR", "NOT", "WHEN", "ON", "IF", "HAVING", "THEN", "ELSE", "QUALIFY"})
_STATEMENT = re.compile(r"\b(?:CHECK|SELECT|WHERE|CONSTRAINT|MERGE|UPDATE)\b")
"""Words after which equals signs compare columns or set them, and are not settings."""

_NAMES_OF_NAMES = frozenset({"name", "key", "option", "property", "parameter", "header", "setting", "field"})
_NAMES_OF_VALUES = frozenset({"value", "val", "default", "defaultvalue"})

_NO_SECRETS = frozenset(
    {"", "true", "false", "null", "none", REDACTED, "not", "is", "in", "like", "between", "default"}
)
_TYPES = _words(
    "string bigint long int integer smallint short tinyint byte double float real boolean bool binary date timestamp"
    " timestamp_ntz timestamp_ltz interval void variant object decimal dec numeric char varchar array map struct text"
    " geometry geography"
)
_FUNCTIONS = _words(
    "upper lower trim ltrim rtrim initcap concat concat_ws substring substr left right lpad rpad replace translate"
    " regexp_replace regexp_extract split split_part length char_length coalesce nvl nvl2 ifnull nullif if iff cast"
    " try_cast sha sha1 sha2 md5 crc32 hash xxhash64 base64 unbase64 hex unhex encode decode aes_encrypt aes_decrypt"
    " uuid current_user session_user user rand mask secret try_secret reverse repeat format_string to_json from_json"
    " get_json_object max min first last any_value element_at array_join to_char to_varchar"
)
_CALLED = _FUNCTIONS | _TYPES
_UNQUOTED = _NO_SECRETS | _TYPES


class _Value(NamedTuple):
    """A value of a setting: where it begins and ends, and whether it is a secret if its name suggests one."""

    start: int
    end: int
    may_be_secret: bool = True


def _without_settings(text: str) -> str:
    """Return a text without the values of settings whose names suggest that they are secrets."""
    statement = _STATEMENT.search(text)
    first_statement = len(text) if statement is None else statement.start()
    parts: list[str] = []
    done = start = 0
    before: re.Match[str] | None = None
    is_named, listed = False, _Value(0, 0)
    while (word := _NAME.search(text, start)) is not None:
        start = word.end()
        between = text[before.end() if before else 0 : word.start()]
        if "{" in between:
            is_named, listed = False, _Value(0, 0)
        secret: _Value | None = None
        if _is_name_of_secret(_whole_name(before, between, word)):
            if before is not None and before[0].lower() in _NAMES_OF_NAMES and _is_markup(between):
                # {"name": "password", "value": "X"}, or with the value before the name.
                is_named = listed.start == listed.end
                secret = None if is_named else listed
                listed = _Value(0, 0)
            else:
                secret = _value(text, before, between, word, first_statement)
        elif word[0].lower() in _NAMES_OF_VALUES:
            if is_named:
                secret, is_named = _value(text, before, between, word, first_statement), False
            else:
                listed = _listed_value(text, word.end())
        if secret is not None:
            start = max(start, secret.end)
            if secret.may_be_secret and secret.start >= done:
                parts += [text[done : secret.start], REDACTED]
                done = secret.end
        before = word
    return "".join([*parts, text[done:]])


def _whole_name(before: re.Match[str] | None, between: str, word: re.Match[str]) -> str:
    """Return a name with the word before it, as in ``API key``."""
    name = word[0].removeprefix("-D")[-_LONGEST_NAME:]
    if before is None or between != " " or name.lower() not in {"key", "string"}:
        return name
    return f"{before[0][-_LONGEST_NAME:]} {name}"


def _is_markup(between: str) -> bool:
    return any(separator in between for separator in "=:>") and not between.strip(" \t\r\n\\\"'=:>`")


def _listed_value(text: str, end: int) -> _Value:
    """Return a short value behind ``"value":``, in case that its name follows."""
    match = _LISTED.match(text, end)
    return _Value(0, 0) if match is None else _Value(*match.span("value"))


def _value(
    text: str, before: re.Match[str] | None, between: str, word: re.Match[str], first_statement: int
) -> _Value | None:
    """Return the value of a setting; ``None`` if its name is followed by none."""
    mark = _SEPARATOR.match(text, word.end())
    if mark is None:
        blank = (_AFTER_OPTION if word[0].startswith("-") else _AFTER_TAB).match(text, word.end())
        blank = blank or _AFTER_QUOTE.match(text, word.end())
        if blank is None:
            return None
        quoted = _QUOTE.match(text, blank.end())
        return (
            _bare_value(text, blank.end(), word) if quoted is None else _quoted_value(text, quoted, with_quotes=False)
        )
    separator, start = mark["separator"], mark.end()
    if separator == ">":
        end = text.find("<", start)
        return _Value(start, len(text) if end < 0 else end) if between.endswith("<") else None
    is_column = separator == "=" and mark["close"] in (None, "`")
    is_user = separator == ":" and between.endswith("//")
    if is_user or (is_column and (word.start() > first_statement or _follows_connective(before, between))):
        return None
    quote = _QUOTE.match(text, start)
    value: _Value | None
    if quote is not None:
        value = _quoted_value(text, quote, with_quotes=is_column and not quote[1])
    elif text[start : start + 1] in ("{", "["):
        end = _end_of_brackets(text, start)
        tail = _TAIL.match(text, end)
        value = _Value(start, end if tail is None else tail.end())
    else:
        on_line = "\n" not in mark["after"]
        value = _bare_value(text, start, word, may_be_prose=separator == ":") if on_line else None
    if value is not None and is_column and _CONNECTIVE_AFTER.match(text, value.end) is not None:
        return value._replace(may_be_secret=False)
    return value


def _quoted_value(text: str, quote: re.Match[str], *, with_quotes: bool) -> _Value:
    """Return what is between quotes, whatever the depth of the JSON is in which they are escaped."""
    depth, start = len(quote[1]), quote.end()
    scheme = _AUTH_SCHEME.match(text, start)
    if scheme is not None:
        start, with_quotes = scheme.end(), False
    for mark in _QUOTE.finditer(text, start):
        run = len(mark[1])
        is_end = mark[2] == quote[2] and (run - depth) % (2 * depth + 2) == 0
        if is_end or run < depth:
            end = max(mark.start(), mark.end() - depth - 1)
            is_value = text[start:end].lower() not in _NO_SECRETS
            # What follows a quote without a blank is a part of the value, as in a shell and after a doubled quote.
            tail = _TAIL.match(text, end + 1) if with_quotes else None
            return _Value(start - with_quotes, end + with_quotes if tail is None else tail.end(), is_value)
    return _Value(start - with_quotes, len(text))


def _end_of_brackets(text: str, start: int) -> int:
    depth = 0
    for mark in _BRACKETS.finditer(text, start):
        depth += 1 if mark[0] in "[{" else -1
        if depth == 0:
            return mark.end()
    return len(text)


def _bare_value(text: str, start: int, word: re.Match[str], *, may_be_prose: bool = False) -> _Value | None:
    scheme = _AUTH_SCHEME.match(text, start)
    if scheme is not None:
        start = scheme.end()
    call = _CALL.match(text, start)
    is_prose = may_be_prose and scheme is None and _PROSE.match(text, start) is not None
    if is_prose or (call is not None and call[1].lower() in _CALLED) or _SHOWN.match(text, start) is not None:
        return None
    pattern = _REST_OF_LINE if may_be_prose and word[0].lower().endswith("cookie") else _BARE
    value = pattern.match(text, start)
    if value is None:
        return None
    shown = value[0].rstrip("\\]}>")
    return _Value(start, start + len(shown), shown.lower() not in _UNQUOTED)


def _follows_connective(before: re.Match[str] | None, between: str) -> bool:
    """Whether an equals sign compares two values of SQL, because a connective is before them."""
    return before is not None and before[0] in _CONNECTIVES and not between.strip(" (`")


# Users and passwords before a host, without a scheme.

_USER = re.compile(r"[\w.+%-]+\Z")
_HOSTS_AND_NAMES = re.compile(r"(?!sha256:|v[0-9]+\b)[\w\[/]")
_NO_USERS = frozenset(
    {"mailto", "email", "mail", "owner", "contact", "author", "user", "group", "principal", "sip", "by"}
)
_ENDS_OF_USERS = re.compile(r"[\s'\"<>`]")
_JDBC = re.compile(r"(?i:jdbc):\w{1,64}:\w{1,64}:(?=[^/]*/)")


def _without_users(text: str) -> str:
    """Return a text without the users and passwords of addresses such as ``user:password@host``."""
    if "@" not in text or ":" not in text:
        return text
    parts = text.split("@")
    for index, part in enumerate(parts[:-1]):
        start = max((end.end() for end in _ENDS_OF_USERS.finditer(part)), default=0)
        chunk = part[start:]
        jdbc = _JDBC.search(chunk)
        if chunk.endswith(REDACTED):
            continue
        if jdbc is not None and "://" not in chunk:
            parts[index] = f"{part[: start + jdbc.end()]}{REDACTED}"
            continue
        head, colon, password = chunk.partition(":")
        user = _USER.search(head[-_LONGEST_NAME:])
        if not (colon and password and user) or password.startswith("//") or "://" in password:
            continue
        if user[0].isdigit() or user[0].lower() in _NO_USERS or _HOSTS_AND_NAMES.match(parts[index + 1]) is None:
            continue
        parts[index] = f"{part[: start + len(head) - len(user[0])]}{REDACTED}"
    return "@".join(parts)


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*\Z")
_LONGEST_SCHEME = 32
_REST_OF_URI = re.compile(r"(?:[^\s/@<>`]*@)?[^\s'\"<>`]+")
"""What follows the ``//`` of a URI; before the ``@`` of its user and password, quotes are part of it."""


def _without_uris(text: str, redacted: Callable[[str], str] = redacted_uri) -> str:
    parts = []
    done = start = 0
    while (mark := text.find("://", start)) >= 0:
        start = mark + len("://")
        scheme = _SCHEME.search(text[max(done, mark - _LONGEST_SCHEME) : mark])
        rest = None if scheme is None else _REST_OF_URI.match(text, start)
        if scheme is not None and rest is not None:
            begin = mark - len(scheme[0])
            parts += [text[done:begin], redacted(text[begin : rest.end()])]
            done = start = rest.end()
    return "".join([*parts, text[done:]]) if parts else text


# Names of settings and properties, as words.

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET_ENDINGS = (
    "password",
    "passwd",
    "passphrase",
    "secret",
    "secrets",
    "token",
    "credential",
    "credentials",
    "apikey",
)
_SECRET_WORDS = _words(
    "passwords pwd signature bearer auth authorization authentication sas accesskey secretkey privatekey accountkey"
    " connectionstring sharedkey authkey"
)
_LAST_WORDS = frozenset({"pass", "pat", "jwt", "cookie", "cookies", "sig", "dsn", "pem"})
"""Words that suggest a secret at the end of a name only: a ``pass`` may also be a part of a test."""
_KINDS_OF_KEYS = _words(
    "api access account private secret shared encryption signing storage client master auth service database db"
    " consumer subscription ssh rsa deploy function session sas license app application admin write ingestion"
)
_MEASURES = _words(
    "count counts rate ratio length size policy type types expiry expires expiration ttl enabled disabled required"
    " rotation rotated days hours minutes seconds age limit version format method mode column columns table"
    " percent avg sum total scope url uri endpoint provider renewer usage max min created updated at class timeout"
    " index position description strength changed valid"
)
"""Words after a word that suggests a secret, with which the name is that of something else."""
_COUNTED = frozenset({"is", "has", "max", "min", "num", "number", "count", "no", "per", "cost", "requires", "public"})
"""Words before such a word, with which the name is that of something else."""


def suggests_secret(key: str) -> bool:
    """Whether the name of a setting or property suggests that its value is a secret."""
    return _is_name_of_secret(key[-_LONGEST_NAME:])


def _is_name_of_secret(name: str) -> bool:
    words = [word.lower() for word in _WORDS.findall(name)]
    for index, word in enumerate(words):
        rest = words[index + 1 :]
        if not _is_secret_word(word, words[index - 1] if index else "", rest):
            continue
        if _MEASURES.isdisjoint(rest) and (index == 0 or words[index - 1] not in _COUNTED):
            return True
    return False


def _is_secret_word(word: str, before: str, rest: list[str]) -> bool:
    return (
        word.endswith(_SECRET_ENDINGS)
        or word in _SECRET_WORDS
        or (word == "key" and before in _KINDS_OF_KEYS)
        or (word in {"string", "str"} and before in {"connection", "conn"} and not rest)
        or (word in _LAST_WORDS and not rest)
    )


_SHOWN_PREFIXES = ("delta.", "pytest_delta_schema.")
"""How properties begin whose values are not secrets."""


def is_secret_property(key: str) -> bool:
    """Whether the name of a property suggests that its value in a catalog is a secret."""
    return suggests_secret(key) and not key.startswith(_SHOWN_PREFIXES)


def may_be_secret(key: str, value: str) -> bool:
    """Whether a property may hold a secret, by its name or by its value."""
    return is_secret_property(key) or without_secrets(value) != value


def shown_property(key: str, value: str) -> str:
    """Return the value of a property of a catalog as it is shown: without secrets, in quotes."""
    return repr(REDACTED if is_secret_property(key) else shown_value(value))


class HiddenValues(dict[str, str]):
    """Settings that are shown without the values of those whose names suggest a secret, and without those of URIs."""

    def __repr__(self) -> str:
        return repr({key: REDACTED if suggests_secret(key) else shown_value(value) for key, value in self.items()})


_HOST = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,31})://(?P<user>[^\s/@'\"<>`]*@)?(?:\[[0-9A-Fa-f:.]*\]|[\w-][\w.-]*)(?::[0-9]+)?"
    r"|(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:azuredatabricks\.net|databricks\.com)(?::[0-9]+)?"
    r"|(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}:[0-9]+"
)
"""A URI up to its path, the host of a Databricks workspace, or an address with a port."""

_BUCKETS = ("s3", "s3a", "s3n", "gs", "oss", "dbfs", "file")
"""Schemes of URIs that have no host."""

_SERVER = "<server>"


def without_hosts(text: str, hosts: Iterable[str] = ()) -> str:
    """Return a text with ``<server>`` instead of hosts and ports, and without the secrets of URIs."""
    return without_known_hosts(_HOST.sub(_without_host, without_secrets(text)), hosts)


def without_known_hosts(text: str, hosts: Iterable[str]) -> str:
    """Return a text with ``<server>`` instead of some hosts, with their ports."""
    for host in hosts:
        if host in text:
            text = re.sub(rf"(?<![\w.-]){re.escape(host)}(?::[0-9]+)?(?![\w-]|\.\w)", _SERVER, text)
    return text


def _without_host(match: re.Match[str]) -> str:
    scheme = match["scheme"]
    if scheme is None:
        return _SERVER
    return match[0] if scheme.lower() in _BUCKETS else f"{scheme}://{match['user'] or ''}{_SERVER}"
