"""Secrets that are never printed."""

from __future__ import annotations

import re

from pytest_delta_schema.diagnostics.errors import BackendUnavailableError
from pytest_delta_schema.diagnostics.redaction import REDACTED, secret_pattern, secret_traces

SHORTEST_TOKEN = 8
"""The shortest token; redacting a shorter one would remove unrelated text."""

_CARRIED = re.compile(r"[\x20-\x7e]*")
"""The characters that an HTTP header holds unchanged: printable ASCII."""


class Secret:
    """Holds a secret, which is shown as three stars in output, in logs and among the variables of a frame.

    Args:
        value: The secret.
    """

    __slots__ = ("_pattern", "_traces", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        self._pattern: re.Pattern[str] | None = None
        self._traces: tuple[bytes, ...] | None = None

    def reveal(self) -> str:
        """Return the secret itself."""
        return self._value

    def __repr__(self) -> str:
        return REDACTED

    def __bool__(self) -> bool:
        return bool(self._value)

    def may_be_in(self, data: bytes) -> bool:
        """Whether data may contain the secret; fast, and certain only if it is ``False``."""
        if self._traces is None:
            self._traces = tuple(trace.encode() for trace in secret_traces(self._value))
        return any(trace in data for trace in self._traces)

    def scrub(self, text: str) -> str:
        """Redact the secret in a text, in each form in which libraries and servers repeat it."""
        if not self._value:
            return text
        if self._pattern is None:
            self._pattern = secret_pattern(self._value)
        return self._pattern.sub(REDACTED, text)


def bearer_token(given: Secret | None, source: str = "the token of the Unity Catalog server") -> Secret | None:
    """Return a token for a server, without white space at its ends; ``None`` if nothing is left."""
    if given is None or not given.reveal().strip():
        return None
    token = Secret(given.reveal().strip())
    length = len(token.reveal())
    if length < SHORTEST_TOKEN:
        msg = (
            f"{source} has {length} characters, and one of fewer than {SHORTEST_TOKEN} cannot be kept out of messages;"
            " check whether it was cut off"
        )
        raise BackendUnavailableError(msg)
    if _CARRIED.fullmatch(token.reveal()) is None:
        msg = f"{source} has characters that no HTTP header can hold: it is not printable ASCII; see how it was copied"
        raise BackendUnavailableError(msg)
    return token
