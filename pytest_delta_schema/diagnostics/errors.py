"""The errors of this package, the diagnostics that they carry, and how both are built and shown."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from pytest_delta_schema.diagnostics.faults import (
    FailedCheck,
    FailedStatement,
    RemainingDrift,
    UnprovedApply,
    UnreachableCatalog,
    Witness,
)
from pytest_delta_schema.diagnostics.redaction import without_secrets
from pytest_delta_schema.diagnostics.text import escaped, printed, shortened

if sys.version_info < (3, 11):
    from exceptiongroup import ExceptionGroup

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Self

    from pytest_delta_schema.diagnostics.faults import HasCode


class DeltaSchemaError(Exception):
    """Base of all errors of this package.

    Their texts are escaped for printing, so no terminal interprets a character in them, and no CI system a command. A
    report shows an error without diagnostics as its ``fault``.
    """

    fault: ClassVar[type[HasCode]] = FailedCheck

    def __str__(self) -> str:
        return printed(super().__str__())


class DeclarationError(DeltaSchemaError):
    """A declaration has an argument that can never be valid, such as a bare string for columns."""


class WrongArgumentsError(DeclarationError, TypeError):
    """A declaration has an argument that does not exist, too many, or too few; the text proposes the right ones."""


class ConfigurationError(DeltaSchemaError):
    """The settings of a project cannot be used; the message has a line for every fault."""


Severity = Literal["error", "warning", "note"]
"""``error``: the table fails. ``warning`` and ``note``: it does not; a warning should be acted on."""


class Location(NamedTuple):
    """A location in a source file.

    Args:
        file: Its path.
        line: The first line, counted from one.
        column: The first character in that line, counted from one; ``None`` if it is not known.
        end_line: The last line; ``None`` if it is not known.
    """

    file: str
    line: int
    column: int | None = None
    end_line: int | None = None

    @property
    def file_and_line(self) -> str:
        """The location without the column: ``shop/models.py:12``."""
        return f"{self.file}:{self.line}"

    def __str__(self) -> str:
        return self.file_and_line if self.column is None else f"{self.file_and_line}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One fault or remark about one table: the shape from which all reports are made.

    Args:
        code: Short and stable, such as ``DS201``, for filters and reports; ``""`` for none.
        rule: Name of the fault, such as ``ReservedProperty``; ``""`` for none.
        severity: Whether the table fails for it.
        table: Dotted name of the table.
        path: The part of the table, such as ``columns.id`` or ``primary_key``; ``""`` for the table itself.
        message: The fact and its reason, without the table's name and without a full stop.
        samples: A few rows for which the table fails, by their keys, such as ``id = 1, 2``; ``""`` for none.
        remedy: What to do about it, in the imperative; ``""`` for nothing.
        location: The declaration in the source; ``None`` if it is not known.
        roles: Whom a change of a contract concerns, such as ``readers``; empty for any other diagnostic.
        verdict: ``breaking``, ``dangerous``, ``safe`` or ``not judged`` for these roles; else ``""``.
        upgrade_first: Who has to be upgraded, and when, such as ``upgrade readers before this release``; ``""`` for
            nobody.
        consent: The entry of ``pyproject.toml`` that lets a change pass that fails; ``""`` for any other diagnostic.
        witnesses: The scripts that show it, one for each role, in a run with ``--delta-witness``.
        concerns_run: Whether every table of the run has this fault, such as a server that cannot be reached; it is then
            reported once.
    """

    code: str = ""
    rule: str = ""
    severity: Severity = "error"
    table: str
    path: str = ""
    message: str
    samples: str = ""
    remedy: str = ""
    location: Location | None = None
    roles: tuple[str, ...] = ()
    verdict: str = ""
    upgrade_first: str = ""
    consent: str = ""
    witnesses: tuple[Witness, ...] = ()
    concerns_run: bool = False

    @property
    def full_message(self) -> str:
        """The message with the rows for which the table fails."""
        return f"{self.message}, such as {self.samples}" if self.samples else self.message

    @property
    def fact(self) -> str:
        """The message with its rows and its remedy."""
        return f"{self.full_message}; {self.remedy}" if self.remedy else self.full_message

    def __str__(self) -> str:
        fact = self.fact
        # A note has its code for filters and reports; as text it stays a remark.
        name = "" if self.severity == "note" else " ".join(part for part in (self.code, self.rule) if part)
        return escaped(f"{self.table}: {fact} [{name}]" if name else f"{self.table}: {fact}")


def diagnostic_of(fault: type[HasCode], table: object, message: str, **parts: Any) -> Diagnostic:
    """Build a diagnostic with the code and the name of a fault, and other parts of a :class:`Diagnostic`."""
    return Diagnostic(code=fault.code, rule=fault.__name__, table=str(table), message=message, **parts)


def note(fault: type[HasCode], table: object, path: str, message: str) -> Diagnostic:
    """Build a remark for which no table fails."""
    return diagnostic_of(fault, table, message, path=path, severity="note")


class DiagnosticsError(DeltaSchemaError):
    """Base of errors that carry diagnostics; the text has a line for each.

    Args:
        diagnostics: At least one, the most important first.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(map(str, self.diagnostics)))


class InvalidModelError(DiagnosticsError):
    """Declarations break model rules; nothing was read or executed."""


class UnsafePlanError(DiagnosticsError):
    """A plan breaks plan rules or the data breaks the plan; nothing was executed."""


class CatalogReadError(DiagnosticsError):
    """Tables could not be read; they are never planned as new."""


class JsonFormError(DiagnosticsError):
    """JSON values are not of the form that they should have; nothing was made of them."""


class DdlError(DiagnosticsError):
    """Statements cannot be read as declarations; no model was made of any of them."""


class DataContractError(DiagnosticsError):
    """A data contract cannot be read as declarations; no model was made of any part of it."""


class DriftError(DeltaSchemaError, AssertionError):
    """The catalog differs from the models; the text shows every change and the SQL that would run."""


class WriteError(DeltaSchemaError, AssertionError):
    """A write would have another outcome than expected; the text has the reasons and both schemas."""


class RowsError(DiagnosticsError, AssertionError):
    """Rows do not satisfy a contract; nothing was written."""


class RowsDifferError(DeltaSchemaError, AssertionError):
    """A table holds other rows than expected; the text has the counts and the first rows that differ."""


class EffectError(DeltaSchemaError, AssertionError):
    """A job had another effect on a table than expected; the text lists each of its commits."""


class ApplyError(DeltaSchemaError):
    """A statement failed midway; the text shows what ran, what failed, what did not run, and how to restore the table.

    Args:
        text: The message.
        table: Dotted name of the table.
        done: SQL that ran.
        failed: SQL that failed.
        not_run: SQL that was not reached.
        version: Delta version before the first statement; ``None`` if the table was new.
    """

    fault: ClassVar[type[HasCode]] = FailedStatement

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


class UnprovedApplyError(ApplyError):
    """All statements ran, and then the table could not be read back, or its catalog entry not synchronised.

    No statement failed: ``failed`` and ``not_run`` are empty.
    """

    fault = UnprovedApply


class ApplyErrors(DeltaSchemaError, ExceptionGroup[DeltaSchemaError]):  # noqa: N818 - a group of errors
    """Several tables failed: an error for each that failed, and one for all violations of data checks.

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


class MetadataSyncError(DiagnosticsError):
    """Catalog entries could not be updated from the logs of their tables.

    Args:
        diagnostics: A problem for each of them.
        done: The results of the others, each a ``MetadataSync``.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic], *, done: Iterable[Any] = ()) -> None:
        self.done = tuple(done)
        super().__init__(diagnostics)


class ConvergenceError(DeltaSchemaError):
    """After an apply the plan was not empty; the text shows the remaining changes.

    Args:
        lines: The changes, each with the name of its table.
    """

    fault = RemainingDrift

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        head = "after the apply the catalog still differs, which is a defect of this tool or of the backend:"
        super().__init__("\n  ".join([head, *self.lines]))


class UnfinishedCreationError(DiagnosticsError):
    """Another apply has created tables at the same time, and has not completed them in time."""


class BackendUnavailableError(DeltaSchemaError):
    """A backend could not be started or reached; the text names what to install or to configure."""

    fault = UnreachableCatalog


class StatementError(DeltaSchemaError):
    """A catalog refused a statement; the text is the message of the catalog.

    Args:
        text: The catalog's message.
        condition: The catalog's error class, such as ``DELTA_UNKNOWN_CONFIGURATION``; ``""`` if it has none.
    """

    def __init__(self, text: str, *, condition: str = "") -> None:
        self.condition = condition
        super().__init__(text)


def os_error_text(error: OSError) -> str:
    """Return the message of an error of the operating system with its path, without its number."""
    message = error.strerror or str(error) or type(error).__name__
    return message if error.filename is None else f"{message} ({error.filename})"


_LONGEST_LINE = 300


def first_line(error: BaseException) -> str:
    """Return the first line of an error, for use inside another message: shortened, without secrets in URIs."""
    text = str(error).strip() or type(error).__name__
    return shortened(escaped(without_secrets(text.partition("\n")[0].rstrip())), _LONGEST_LINE)


def diagnostics_of(error: DeltaSchemaError, table: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of an error: those that it carries, else its whole text as one."""
    if isinstance(error, DiagnosticsError):
        return error.diagnostics
    if isinstance(error, ApplyErrors):
        parts = [part for part in error.exceptions if isinstance(part, DeltaSchemaError)]
        return tuple(diagnostic for part in parts for diagnostic in diagnostics_of(part, table))
    if isinstance(error, ApplyError):
        # The other lines are statements; an outcome has them as such.
        message = str(error).partition("\n")[0].removeprefix(f"{escaped(error.table)}: ")
        return (diagnostic_of(error.fault, error.table, message),)
    message = " ".join(str(error).split()).removeprefix(f"{escaped(table)}: ")
    return (diagnostic_of(error.fault, table, message),)
