"""Secrets that show themselves to nobody."""

from __future__ import annotations


class Secret:
    """Holds a secret; printed, logged or shown among a frame's variables it is three stars.

    Args:
        value: The secret.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the secret, for the one call that needs it."""
        return self._value

    def __repr__(self) -> str:
        return "***"

    def scrub(self, text: str) -> str:
        """Replace the secret in a text that somebody else has written."""
        return text.replace(self._value, "***") if self._value else text
