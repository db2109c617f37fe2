"""Answers of a server as typed values: decoded in one place, and never trusted before."""

from __future__ import annotations

from typing import Any

import msgspec


class ClassicError(msgspec.Struct):
    """An error of the classic API."""

    error_code: str
    message: str | None = None

    def told(self) -> tuple[str, str]:
        """Return code and message."""
        return self.error_code, self.message or ""


class _DeltaCause(msgspec.Struct):
    type: str
    message: str | None = None


class DeltaError(msgspec.Struct):
    """An error of the Delta API."""

    error: _DeltaCause

    def told(self) -> tuple[str, str]:
        """Return code and message."""
        return self.error.type, self.error.message or ""


def json_object(body: bytes) -> dict[str, Any]:
    """Decode a JSON object.

    Raises:
        ValueError: If it is none, with the reason.
    """
    if not body:
        msg = "it is empty"
        raise ValueError(msg)
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except RecursionError:
        msg = "it is nested too deeply"
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        msg = str(error)
    raise ValueError(msg)


def api_error(body: bytes) -> tuple[str, str] | None:
    """Return code and message of an error in the form of one of the server's APIs; ``None`` if it is in neither."""
    forms: tuple[type[ClassicError | DeltaError], ...] = (ClassicError, DeltaError)
    for form in forms:
        try:
            said = msgspec.json.decode(body, type=form)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            continue
        return said.told()
    return None
