"""What the double answers instead of what it was asked for."""

from __future__ import annotations

from typing import Any


class Refused(Exception):  # noqa: N818 - an answer, not a failure of the double
    """An error as the server says it.

    Args:
        status: The HTTP status.
        kind: The server's name for it: an error code, or for the Delta API the name of an exception.
        message: Its words.
    """

    def __init__(self, status: int, kind: str, message: str) -> None:
        self.status = status
        self.kind = kind
        self.message = message
        super().__init__(message)

    def body(self, *, delta: bool) -> dict[str, Any]:
        """Return the answer in the form of the classic API, or of the Delta API."""
        if delta:
            return {"error": {"message": self.message, "type": self.kind, "code": self.status, "stack": None}}
        detail = {"reason": self.kind, "@type": "google.rpc.ErrorInfo"}
        return {"error_code": self.kind, "details": [detail], "message": self.message}


def no_table(name: str, *, delta: bool = False) -> Refused:
    """The table is not there."""
    return Refused(404, "NoSuchTableException" if delta else "TABLE_NOT_FOUND", f"Table not found: {name}")


def invalid(message: str) -> Refused:
    """An argument of the Delta API has no sense."""
    return Refused(400, "InvalidParameterValueException", message)


def unparsed(message: str) -> Refused:
    """The body is none that the Delta API can read."""
    return Refused(400, "InvalidParameterValueException", f"failed to parse a JSON document: {message}")


def conflict(message: str) -> Refused:
    """What was required is not so any more."""
    return Refused(409, "UpdateRequirementConflictException", message)
