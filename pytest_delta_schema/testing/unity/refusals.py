"""The errors of the double, in the forms of both APIs."""

from __future__ import annotations

from typing import Any

INVALID_ARGUMENT, INTERNAL, CONFLICT = "INVALID_ARGUMENT", "INTERNAL", "UPDATE_REQUIREMENT_CONFLICT"

_DELTA_TYPES = {
    "CATALOG_NOT_FOUND": "NoSuchCatalogException",
    "SCHEMA_NOT_FOUND": "NoSuchSchemaException",
    "TABLE_NOT_FOUND": "NoSuchTableException",
    "UNSUPPORTED_TABLE_FORMAT": "UnsupportedTableFormatException",
    INVALID_ARGUMENT: "InvalidParameterValueException",
    CONFLICT: "UpdateRequirementConflictException",
    INTERNAL: "InternalServerErrorException",
}
"""What the Delta API calls the error codes of the classic API (Unity Catalog 0.6.0)."""


class Refused(Exception):  # noqa: N818 - an answer, not a failure of the double
    """An error as the server answers it."""

    def __init__(self, status: int, code: str, message: str, *, by_authorizer: bool = False) -> None:
        self.status = status
        self.code = code
        self.message = message
        self.by_authorizer = by_authorizer
        super().__init__(message)

    def body(self, *, delta: bool) -> dict[str, Any]:
        """Return the answer in the form of the classic API, or of the Delta API."""
        if delta and not self.by_authorizer:
            kind = _DELTA_TYPES.get(self.code, self.code)
            return {"error": {"message": self.message, "type": kind, "code": self.status, "stack": None}}
        detail = {"reason": self.code, "@type": "google.rpc.ErrorInfo"}
        return {"error_code": self.code, "details": [detail], "message": self.message}


def missing(name: str, *, kind: str) -> Refused:
    """A catalog, schema or table does not exist."""
    return Refused(404, f"{kind.upper()}_NOT_FOUND", f"{kind} not found: {name}")


def invalid(message: str) -> Refused:
    """An argument is invalid."""
    return Refused(400, INVALID_ARGUMENT, message)


def unparsed(message: str) -> Refused:
    """The body cannot be parsed, or has an unknown key."""
    return Refused(400, INVALID_ARGUMENT, f"failed to parse a JSON document: {message}")


def conflict(message: str) -> Refused:
    """A requirement of an update does not hold."""
    return Refused(409, CONFLICT, message)


def deadlock(name: str) -> Refused:
    """Another update of the same rows was faster, as the embedded H2 database reports it."""
    columns = ",".join(f"tid1_0.column_number_{number:02d}" for number in range(30))
    sql = f"select {columns} from uc_tables tid1_0 where tid1_0.id=? for update"
    cause = "Deadlock detected. The current transaction was rolled back."
    return Refused(500, INTERNAL, f"Failed to update table {name}: JDBC exception executing SQL [{sql}] [{cause}]")


def too_long(length: int, limit: int, *, column: str) -> Refused:
    """A text does not fit into its column of the embedded H2 database."""
    cause = f'Value too long for column "{column} CHARACTER VARYING({limit})": "... ({length})"; SQL statement:\n'
    return Refused(
        500, INTERNAL, f"could not execute statement [{cause}insert into uc_properties values (?, ?) [22001-232]]"
    )
