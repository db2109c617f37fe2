"""Secrets that show themselves to nobody."""

from __future__ import annotations

import re

from pytest_delta_schema.errors import BackendUnavailableError
from pytest_delta_schema.redaction import HIDDEN, secret_pattern, secret_traces

SHORTEST_TOKEN = 8
"""A shorter token could not be taken out of a text without taking out what is none."""

_CARRIED = re.compile(r"[\x20-\x7e]*")
"""What an HTTP header carries unchanged: printable ASCII."""


class Secret:
    """Holds a secret; printed, logged or shown among a frame's variables it is three stars.

    Args:
        value: The secret.
    """

    __slots__ = ("_pattern", "_traces", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        self._pattern: re.Pattern[str] | None = None
        self._traces: tuple[bytes, ...] | None = None

    def reveal(self) -> str:
        """Return the secret, for the one call that needs it."""
        return self._value

    def __repr__(self) -> str:
        return HIDDEN

    def __bool__(self) -> bool:
        return bool(self._value)

    def may_be_in(self, data: bytes) -> bool:
        """Whether a text may repeat the secret: quick, and sure only where the answer is no."""
        if self._traces is None:
            self._traces = tuple(trace.encode() for trace in secret_traces(self._value))
        return any(trace in data for trace in self._traces)

    def scrub(self, text: str) -> str:
        """Replace the secret, in each form in which it may be repeated, in a text that somebody else has written."""
        if not self._value:
            return text
        if self._pattern is None:
            self._pattern = secret_pattern(self._value)
        return self._pattern.sub(HIDDEN, text)


def bearer_token(given: Secret | None, source: str = "the token of the Unity Catalog server") -> Secret | None:
    """Return a token that a server can be sent.

    Args:
        given: White space at its ends, as mounted files have it, is no part of it.
        source: Names the token in an error.

    Returns:
        The token; ``None`` if there is none, or nothing but white space.

    Raises:
        BackendUnavailableError: If it is too short, or no header can carry it. The error does not show it.
    """
    if given is None or not given.reveal().strip():
        return None
    token = Secret(given.reveal().strip())
    length = len(token.reveal())
    if length < SHORTEST_TOKEN:
        msg = (
            f"{source} has {length} characters, and one of fewer than {SHORTEST_TOKEN} cannot be kept out of messages;"
            " see whether it was cut off"
        )
        raise BackendUnavailableError(msg)
    if _CARRIED.fullmatch(token.reveal()) is None:
        msg = f"{source} has characters that no HTTP header can carry: it is not printable ASCII; see how it was copied"
        raise BackendUnavailableError(msg)
    return token
