"""The errors of this package, and the diagnostics that they carry."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from pytest_delta_schema.escaping import escaped, escaped_lines
from pytest_delta_schema.redaction import redacted_uris

if sys.version_info < (3, 11):
    from exceptiongroup import ExceptionGroup

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Self


class DeltaSchemaError(Exception):
    """Base of all errors of this package.

    Control characters in their texts are escaped, so that no terminal interprets them.
    """

    def __str__(self) -> str:
        return escaped_lines(super().__str__())


class _QuotesSql(DeltaSchemaError):  # noqa: N818 - a kind of errors, and none itself
    """An error whose text has SQL in it, which stays as it runs; everything else in it was escaped before."""

    def __str__(self) -> str:
        return Exception.__str__(self)


class DeclarationError(DeltaSchemaError):
    """A declaration has an argument that can never be valid, such as a bare string for columns."""


Severity = Literal["error", "warning", "note"]
"""``error``: the table fails. ``warning`` and ``note``: it does not; a warning should be acted on."""


class ConfigurationError(DeltaSchemaError):
    """The settings of a project cannot be used; the message has a line for every fault."""


class Location(NamedTuple):
    """A place in a source file.

    Args:
        path: The file.
        line: Counted from one.
    """

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One fault or remark about one table: the shape from which all reports are made.

    Args:
        code: Short and stable, such as ``DS201``, for filters and reports; ``""`` for none.
        rule: Name of the fault, such as ``ReservedProperty``; ``""`` for none.
        severity: Whether the table fails for it.
        table: Dotted name of the table.
        path: The part of the table: a column, ``primary_key``, a property; ``""`` for the table itself.
        message: The fact and its reason, without the table's name and without a full stop.
        remedy: What to do about it, in the imperative; ``""`` for nothing.
        location: The declaration in the source; ``None`` if it is not known.
    """

    code: str = ""
    rule: str = ""
    severity: Severity = "error"
    table: str
    path: str = ""
    message: str
    remedy: str = ""
    location: Location | None = None

    def __str__(self) -> str:
        fact = f"{self.message}; {self.remedy}" if self.remedy else self.message
        name = " ".join(part for part in (self.code, self.rule) if part)
        return escaped(f"{self.table}: {fact} [{name}]" if name else f"{self.table}: {fact}")


class ViolationsError(DeltaSchemaError):
    """Base of errors that carry all violations of a run.

    Args:
        violations: At least one, the most important first.
    """

    def __init__(self, violations: Iterable[Diagnostic]) -> None:
        self.violations = tuple(violations)
        super().__init__("\n".join(map(str, self.violations)))


class InvalidModelError(ViolationsError):
    """Declarations break model rules; nothing was read or executed."""


class UnsafePlanError(ViolationsError):
    """A plan breaks plan rules or the data breaks the plan; nothing was executed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadProblem:
    """One table that the catalog could not show.

    Args:
        table: Dotted name of the table.
        message: What the catalog has instead, or what went wrong.
        remedy: What to do about it.
    """

    table: str
    message: str
    remedy: str

    def __str__(self) -> str:
        return escaped(f"{self.table}: {self.message}; {self.remedy}")


class CatalogReadError(DeltaSchemaError):
    """Tables could not be read; they are never planned as new.

    Args:
        problems: At least one.
    """

    def __init__(self, problems: Iterable[ReadProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


class DriftError(_QuotesSql, AssertionError):
    """The catalog differs from the models; the text shows every change and the SQL that would run."""


class WriteError(DeltaSchemaError, AssertionError):
    """A write would have another outcome than expected; the text says why, and shows both schemas."""


class RowsError(ViolationsError, AssertionError):
    """Rows do not satisfy a contract; nothing was written."""


class ApplyError(_QuotesSql):
    """A statement failed midway; the text shows what ran, what failed, what did not run, and how to restore the table.

    Args:
        text: The message.
        table: Dotted name of the table.
        done: SQL that ran.
        failed: SQL that failed.
        not_run: SQL that was not reached.
        version: Delta version before the first statement; ``None`` if the table was new.
    """

    def __init__(  # noqa: PLR0913 - the parts of one message
        self,
        text: str,
        *,
        table: str,
        done: Sequence[str],
        failed: str,
        not_run: Sequence[str],
        version: int | None,
    ) -> None:
        self.table = table
        self.done = tuple(done)
        self.failed = failed
        self.not_run = tuple(not_run)
        self.version = version
        super().__init__(text)


class ApplyErrors(DeltaSchemaError, ExceptionGroup[DeltaSchemaError]):  # noqa: N818 - a group of errors
    """Several tables failed: an :class:`ApplyError` for each that failed midway, and one for data that refused.

    Args:
        errors: At least one; ``exceptions`` holds them.
    """

    def __new__(cls, errors: Iterable[DeltaSchemaError]) -> Self:
        """Make the group."""
        return super().__new__(cls, "several tables failed", tuple(errors))

    def __init__(self, errors: Iterable[DeltaSchemaError]) -> None:
        """Keep the arguments, which :meth:`__new__` has used."""

    def derive(self, excs: Sequence[DeltaSchemaError], /) -> ApplyErrors:  # type: ignore[override]  # of one kind
        """Return a group with some of the errors, as ``except*`` and ``split`` need it."""
        return ApplyErrors(excs)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.exceptions))


class MetadataSyncError(DeltaSchemaError):
    """Catalog entries could not be updated from the logs of their tables.

    Args:
        problems: At least one.
    """

    def __init__(self, problems: Iterable[ReadProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


class ConvergenceError(DeltaSchemaError):
    """After an apply the plan was not empty; the text shows the remaining changes."""


class BackendUnavailableError(DeltaSchemaError):
    """A backend could not be started or reached; the text says what to install or to configure."""


class StatementError(DeltaSchemaError):
    """A catalog refused a statement; the text is the message of the catalog.

    Args:
        text: The catalog's message.
        condition: The catalog's error class, such as ``DELTA_UNKNOWN_CONFIGURATION``; ``""`` if it has none.
    """

    def __init__(self, text: str, *, condition: str = "") -> None:
        self.condition = condition
        super().__init__(text)


def reason(error: OSError) -> str:
    """Return the message of an error of the operating system with its path, without its number."""
    message = error.strerror or str(error) or type(error).__name__
    return message if error.filename is None else f"{message} ({error.filename})"


def because(error: BaseException, *, limit: int = 300) -> str:
    """Return the first line of an error, for use inside another message, without secrets in URIs.

    Args:
        error: The error.
        limit: Length in characters; longer texts are cut with three dots.
    """
    text = str(error).strip() or type(error).__name__
    line = escaped(redacted_uris(text.partition("\n")[0].rstrip()))
    return line if len(line) <= limit else line[: limit - 3] + "..."
