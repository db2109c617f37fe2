"""Remove secrets and hosts from texts: tokens in every encoding in which servers repeat them, URIs, properties."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

REDACTED = "***"
"""What is shown instead of a secret."""

_SHORTEST = 8
"""Shorter secrets are only replaced where they are whole words: they might be part of any text."""

_ESCAPED = "\"'\\/"
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


def _loose(text: str) -> str:
    return "".join(map(_loose_character, text))


def _loose_character(character: str) -> str:
    """Return a pattern for a character as it is, escaped by backslashes, quoted for a URL, or as an entity."""
    digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{ord(character):02x}")
    plain = (r"\\*" if character in _ESCAPED else "") + re.escape(character)
    forms = [plain, rf"\\+(?:u00|x){digits}", f"%(?:25)*{digits}"]
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


_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^\s/@<>`]*@)?[^\s'\"<>`]+")
"""A URI; before the ``@`` of its user and password, quotes are part of it."""

_JDBC_USER = re.compile(r"(jdbc:\w+:\w+:)[^\s@/]*/[^\s@]+@", re.IGNORECASE)
"""The user and password of an address of JDBC before its host without ``//``."""

_NAMES_OF_SECRETS = r"secret|token|password|passwd|pwd|passphrase|credential|signature|bearer|auth(?!or)"
_PARAMETER = re.compile(
    rf"((?:^|[\s;&?,(])[\w.-]*(?:{_NAMES_OF_SECRETS}|account_?key|access_?key)[\w.-]*=)"
    r"(?:\{[^}]*\}|\"[^\"]*\"|'[^']*'|[^\s;&,)]+)",
    re.IGNORECASE,
)
"""A parameter of an address or a list of settings, such as ``;password=...``, whose name suggests a secret."""
_PAIR = re.compile(
    rf"(\\{{0,15}}[\"'][\w.-]*(?:{_NAMES_OF_SECRETS}|account_?key|access_?key)[\w.-]*\\{{0,15}}[\"']\s*:\s*)"
    r"(?P<quote>\\{0,15}[\"'])(?:(?!(?P=quote))(?:\\.|.))*(?P=quote)",
    re.IGNORECASE,
)
"""A member of a JSON object or a dictionary whose name suggests a secret; in a JSON text its quotes are escaped."""

_BEARER = re.compile(r"\b(bearer\s+)(?=[\w.~+/-]*[0-9])[\w.~+/-]+=*", re.IGNORECASE)
"""The token of a request."""

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
    scheme, mark, rest = text.partition("://")
    if not mark:
        scheme, rest = "", text
    end = next((index for index, character in enumerate(rest) if character in "/?#"), len(rest))
    if "@" in rest and _AUTHORITY.fullmatch(rest[:end]) is None and not _is_container(scheme, rest[:end]):
        # A password may hold what ends an authority: only what follows the last @ is known to be none of it.
        rest = f"{REDACTED}@{rest.rpartition('@')[2]}"
    resource, sharp, fragment = rest.partition("#")
    path, question, query = resource.partition("?")
    shown = "&".join(map(_redacted_pair, query.split("&"))) if query else ""
    anchor = fragment if _ANCHOR.fullmatch(fragment) else REDACTED
    return f"{scheme}{mark}{path}{question}{shown}{sharp}{anchor}"


def _is_container(scheme: str, authority: str) -> bool:
    return scheme.lower() in _AZURE and authority.count("@") == 1 and ":" not in authority.partition("@")[0]


def _redacted_pair(pair: str) -> str:
    key, equals, _ = pair.partition("=")
    return f"{key}={REDACTED}" if equals else REDACTED


def redacted_uris(text: str) -> str:
    """Return a text with all URIs in it as :func:`redacted_uri` writes them, and without parameters that are secret."""
    text = _JDBC_USER.sub(rf"\1{REDACTED}@", text)
    text = _BEARER.sub(rf"\1{REDACTED}", text)
    text = _PAIR.sub(rf"\1\g<quote>{REDACTED}\g<quote>", text)
    text = _PARAMETER.sub(rf"\1{REDACTED}", text)
    return _URI.sub(lambda match: redacted_uri(match[0]), text)


_SECRET_KEYS = re.compile(rf"key(?![a-z0-9])|sas|{_NAMES_OF_SECRETS}", re.IGNORECASE)

_SHOWN_PREFIXES = ("delta.", "pytest_delta_schema.")
"""How properties begin whose values are not secrets."""


def suggests_secret(key: str) -> bool:
    """Whether the name of a setting or property suggests that its value is a secret."""
    return _SECRET_KEYS.search(key) is not None


def is_secret_property(key: str) -> bool:
    """Whether the name of a property suggests that its value in a catalog is a secret."""
    return suggests_secret(key) and not key.startswith(_SHOWN_PREFIXES)


def may_be_secret(key: str, value: str) -> bool:
    """Whether a property may hold a secret, by its name or by its value."""
    return is_secret_property(key) or redacted_uris(value) != value


def shown_property(key: str, value: str) -> str:
    """Return the value of a property of a catalog as it is shown: without secrets, in quotes."""
    return repr(REDACTED if is_secret_property(key) else redacted_uris(value))


class HiddenValues(dict[str, str]):
    """Settings that are shown without the values of those whose names suggest a secret, and without those of URIs."""

    def __repr__(self) -> str:
        return repr({key: REDACTED if suggests_secret(key) else redacted_uris(value) for key, value in self.items()})


_HOST = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<user>[^\s/@'\"<>`]*@)?(?:\[[0-9A-Fa-f:.]*\]|[\w-][\w.-]*)(?::[0-9]+)?"
    r"|\b[\w-]+(?:\.[\w-]+)*\.(?:azuredatabricks\.net|databricks\.com)(?::[0-9]+)?"
    r"|(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}:[0-9]+"
)
"""A URI up to its path, the host of a Databricks workspace, or an address with a port."""

_BUCKETS = ("s3", "s3a", "s3n", "gs", "oss", "dbfs", "file")
"""Schemes of URIs that have no host."""

_SERVER = "<server>"


def without_hosts(text: str, hosts: Iterable[str] = ()) -> str:
    """Return a text with ``<server>`` instead of hosts and ports, and without the secrets of URIs."""
    return without_known_hosts(_HOST.sub(_without_host, redacted_uris(text)), hosts)


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
