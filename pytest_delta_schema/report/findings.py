"""List everything that is wrong in a report, worst first: the source of all annotations."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from hashlib import sha256
from pathlib import Path
from textwrap import dedent, fill, indent
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, get_args

from pytest_delta_schema.diagnostics.errors import Location
from pytest_delta_schema.engine.outcomes import Status
from pytest_delta_schema.report.text import is_creation
from pytest_delta_schema.settings.table import RISKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.diagnostics.errors import Diagnostic, Severity
    from pytest_delta_schema.engine.outcomes import TableChange
    from pytest_delta_schema.report.run_report import Consents, Run, TableReport


_LENGTH = 32

_REFERENCE = re.compile(r"(?P<columns>\(.*?\) references )(?P<parent>.+?)(?P<rest>(?: \(.*\))?(?: rely)?)", re.DOTALL)

_SCHEMA = "schema "


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFingerprints:
    """The fingerprints of one entry of a report, in the order of what they belong to."""

    changes: tuple[str, ...] = ()
    diagnostics: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    background: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFingerprints:
    """The fingerprints of a whole report; no two are equal."""

    tables: tuple[TableFingerprints, ...] = ()
    unmanaged: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


class FingerprintedReport(Protocol):
    """The parts of a report that have fingerprints, or names in them."""

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs."""
        ...

    @property
    def tables(self) -> tuple[TableReport, ...]:
        """One entry for each table and mode."""
        ...

    @property
    def unmanaged(self) -> tuple[Diagnostic, ...]:
        """Schemas with tables that no model declares."""
        ...

    @property
    def faults(self) -> tuple[Diagnostic, ...]:
        """Faults of the whole run."""
        ...


class _Key(NamedTuple):
    """The parts of a fingerprint, and whether it is about the table of its entry."""

    code: str
    table: str
    path: str
    after: str
    is_own: bool = True


def fingerprint(code: str, table: str, path: str, after: str, *, occurrence: int = 1) -> str:
    """Return 32 hexadecimal digits that are the same in every run, wherever the declaration moves.

    The table is the name of the model, so bindings do not matter, and ``after`` is ``""`` for a diagnostic. The
    occurrence counts equal findings of one report from one.
    """
    parts: list[str | int] = [code, table, path, after]
    if occurrence > 1:
        parts.append(occurrence)
    # JSON keeps the parts apart, whatever they hold, and writes each character as ASCII.
    return sha256(json.dumps(parts).encode("ascii")).hexdigest()[:_LENGTH]


def fingerprints(report: FingerprintedReport) -> ReportFingerprints:
    """Return the fingerprint of each change and each diagnostic of a report."""
    names = _LogicalNames(report)
    groups: list[list[_Key]] = []
    for table in report.tables:
        groups.append([names.of_change(change, table) for change in table.changes])
        groups += (
            [names.of_diagnostic(part, table) for part in parts]
            for parts in (table.diagnostics, table.notes, table.background)
        )
    groups += ([names.of_diagnostic(part) for part in parts] for parts in (report.unmanaged, report.faults))
    *of_tables, unmanaged, faults = _numbered(groups)
    columns = iter(of_tables)
    return ReportFingerprints(
        tables=tuple(
            TableFingerprints(changes=changes, diagnostics=next(columns), notes=next(columns), background=next(columns))
            for changes in columns
        ),
        unmanaged=unmanaged,
        faults=faults,
    )


def _numbered(groups: list[list[_Key]]) -> Iterator[tuple[str, ...]]:
    """Yield the fingerprints of each group; those of the tables themselves are numbered first."""
    counts: Counter[_Key] = Counter()
    digits: dict[tuple[int, int], str] = {}
    for is_own in (True, False):
        for row, group in enumerate(groups):
            for column, key in enumerate(group):
                if key.is_own is is_own:
                    plain = key._replace(is_own=True)
                    counts[plain] += 1
                    digits[row, column] = fingerprint(*plain[:-1], occurrence=counts[plain])
    for row, group in enumerate(groups):
        yield tuple(digits[row, column] for column in range(len(group)))


class _LogicalNames:
    """The names that models have, for those of tables in the catalog."""

    def __init__(self, report: FingerprintedReport) -> None:
        self._names = {table.stored_as: table.name for table in reversed(report.tables) if table.stored_as}
        self._bindings = [tuple(_reversed_bindings(run)) for run in report.runs]

    def of_change(self, change: TableChange, table: TableReport) -> _Key:
        """Return what the fingerprint of a change is made from."""
        name = self._name(change.table, table)
        path, after = change.path, change.after
        if path.startswith(_SCHEMA):
            path = _SCHEMA + name.rpartition(".")[0]
        reference = _REFERENCE.fullmatch(after) if path.startswith("foreign_keys.") else None
        if reference is not None:
            after = f"{reference['columns']}{self._name(reference['parent'], table)}{reference['rest']}"
        return _Key(change.code, name, path, after, name == table.name)

    def of_diagnostic(self, diagnostic: Diagnostic, table: TableReport | None = None) -> _Key:
        """Return what the fingerprint of a diagnostic is made from; its message may change."""
        name = self._name(diagnostic.table, table)
        is_own = table is None or name == table.name
        return _Key(diagnostic.code or diagnostic.rule, name, diagnostic.path, "", is_own)

    def _name(self, stored: str, table: TableReport | None) -> str:
        if table is not None and stored in {table.name, table.stored_as}:
            return table.name
        if stored in self._names:
            return self._names[stored]
        possible = {name for bindings in self._bindings for name in _unbound(stored, bindings)}
        return possible.pop() if len(possible) == 1 else stored


def _reversed_bindings(run: Run) -> Iterable[tuple[str, str]]:
    return ((f"{target}.", f"{prefix}.") for prefix, target in run.bindings)


def _unbound(stored: str, bindings: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the names that bindings may have mapped to a stored name."""
    for target, prefix in bindings:
        if f"{stored}.".startswith(target):
            yield f"{prefix}{stored[len(target) :]}".rstrip(".")


PROJECT_FILE = Location("pyproject.toml", 1)
"""Where a fault is shown that is in no declaration, such as a server that does not answer, because formats of code
reviews need a file, and a fault that was left out would be shown as corrected."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From the worst."""

FindingKind = Literal["fault", "unreadable", "diagnostic", "change", "consent"]
_KINDS: tuple[FindingKind, ...] = get_args(FindingKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault, or one remark that should be acted on."""

    kind: FindingKind
    """``fault`` concerns the whole run; ``consent`` is one that nothing needed. They are ordered."""
    severity: Severity
    """Whether the run fails for it."""
    code: str
    table: str
    """Dotted name of the model; ``""`` for none."""
    path: str
    """The part of the table; ``""`` for the table itself."""
    message: str
    """The fact, its reason and its remedy, on one line, without the table's name."""
    risk: str
    location: Location
    fingerprint: str
    """The same in every run in which the same thing is wrong."""

    @property
    def text(self) -> str:
        """The message with the table's name."""
        return f"{self.table}: {self.message}" if self.table else self.message


class ReportWithFindings(FingerprintedReport, Protocol):
    """The parts of a report in which something can be wrong."""

    @property
    def consents(self) -> Consents:
        """Which consents were used."""
        ...

    @property
    def fingerprints(self) -> ReportFingerprints:
        """The fingerprint of each change and each diagnostic."""
        ...


def findings(report: ReportWithFindings) -> tuple[Finding, ...]:
    """Return everything that is wrong in a report, worst first; nothing of a table that passes but its warnings."""
    numbers = report.fingerprints
    every = [
        *(
            _of_diagnostic(fault, "", PROJECT_FILE, number, "fault")
            for fault, number in zip(report.faults, numbers.faults, strict=True)
        ),
        *map(_of_consent, report.consents.unused),
        *(
            _of_diagnostic(diagnostic, diagnostic.table, PROJECT_FILE, number)
            for diagnostic, number in zip(report.unmanaged, numbers.unmanaged, strict=True)
        ),
        *(
            finding
            for table, of_table in zip(report.tables, numbers.tables, strict=True)
            for finding in _of_table(table, of_table)
        ),
    ]
    return tuple(sorted(every, key=_order))


def _of_consent(consent: str) -> Finding:
    return Finding(
        kind="consent",
        severity="error",
        code="",
        table="",
        path="",
        message=f"the consent '{consent}' is not needed; remove it",
        risk="",
        location=PROJECT_FILE,
        fingerprint=fingerprint("", "", f"consent {consent}", ""),
    )


def _of_table(table: TableReport, numbers: TableFingerprints) -> Iterator[Finding]:
    location = table.location or PROJECT_FILE
    kind: FindingKind = "unreadable" if table.status is Status.UNREADABLE else "diagnostic"
    for diagnostic, number in zip(table.diagnostics, numbers.diagnostics, strict=True):
        yield _of_diagnostic(diagnostic, table.name, location, number, kind)
    for remark, number in zip(table.notes, numbers.notes, strict=True):
        if remark.severity != "note":
            yield _of_diagnostic(remark, table.name, location, number)
    if table.status.passes:
        return
    created = {change.table for change in table.changes if is_creation(change)}
    for change, number in zip(table.changes, numbers.changes, strict=True):
        if change.table not in created or is_creation(change):
            yield Finding(
                kind="change",
                severity="error",
                code=change.code,
                table=table.name,
                path=change.path,
                message=_change_text(change, table),
                risk=change.risk,
                location=change.location or location,
                fingerprint=number,
            )


def _change_text(change: TableChange, table: TableReport) -> str:
    where = "" if change.table == table.stored_as else f"{change.table} "
    risk = f" [{change.risk}{f': {change.loss}' if change.loss else ''}]" if change.risk not in ("", RISKS[0]) else ""
    owner = f"; no apply changes it, because the model does not manage {change.aspect}" if change.aspect else ""
    return f"{where}{change.path}: {change.before} -> {change.after}{risk}{owner}"


def _of_diagnostic(
    diagnostic: Diagnostic, table: str, location: Location, number: str, kind: FindingKind = "diagnostic"
) -> Finding:
    return Finding(
        kind=kind,
        severity=diagnostic.severity,
        code=diagnostic.code,
        table=table,
        path=diagnostic.path,
        message=diagnostic.fact,
        risk="",
        location=diagnostic.location or location,
        fingerprint=number,
    )


def _order(finding: Finding) -> tuple[int, int, int, str]:
    risk = -RISKS.index(finding.risk) if finding.risk else 1
    return (SEVERITIES.index(finding.severity), _KINDS.index(finding.kind), risk, finding.table)


CodeStage = Literal[
    "model",
    "plan",
    "data check",
    "rows",
    "reading",
    "applying",
    "note",
    "drift",
    "catalog entry",
    "unmanaged table",
    "compatibility",
]
"""What a code belongs to: rules of four kinds, faults of a catalog or an apply, notes, differences of three kinds, and
changes of a contract."""

_STAGES: dict[str, CodeStage] = {
    "DC1": "compatibility",
    "DS1": "model",
    "DS2": "plan",
    "DS3": "data check",
    "DS4": "rows",
    "DS5": "reading",
    "DS6": "applying",
    "DS7": "note",
    "DD1": "drift",
    "DD2": "catalog entry",
    "DD3": "unmanaged table",
}

_TITLES: dict[CodeStage, str] = {
    "model": "a rule for declarations",
    "plan": "a rule for plans",
    "data check": "a data check",
    "rows": "a rule for rows",
    "reading": "a fault of reading the catalog",
    "applying": "a fault of an apply or of a metadata sync",
    "note": "a note, for which no table fails",
    "drift": "a difference between a model and the catalog",
    "catalog entry": "a difference between a catalog entry and a Delta log",
    "unmanaged table": "a difference between the models and a schema",
    "compatibility": "a change of a contract since its release",
}

_ASSIGNED = b'\n    code = "D'
_REMEDY = "Remedy: "
_EXAMPLE = re.compile(r"\n\nExample:\n((?:    .*\n?|\n)+)")
_ARGUMENTS = re.compile(r"\n\nArgs:\n.*", re.DOTALL)
_WIDTH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeInfo:
    """The explanation of one code."""

    code: str
    name: str
    stage: CodeStage
    summary: str
    details: str
    """The reason, as paragraphs with an empty line between them; ``""`` for none."""
    remedy: str
    example: str
    """A declaration, or the lines of a report, that have this fault."""

    @property
    def meaning(self) -> str:
        """The summary and the details."""
        return f"{self.summary}\n\n{self.details}".strip()


@cache
def all_codes() -> tuple[CodeInfo, ...]:
    """Return every code of this package, sorted; rules of a project are not among them."""
    sources = (path.read_bytes() for path in Path(__file__).parents[1].rglob("*.py"))
    infos = (info for source in sources if _ASSIGNED in source for info in _codes_in(source))
    return tuple(sorted(infos, key=lambda info: info.code))


def _codes_in(source: bytes) -> Iterator[CodeInfo]:
    for node in ast.parse(source).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for statement in node.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id="code")], value=ast.Constant(value=str(code))):
                    yield _info(code, node.name, ast.get_docstring(node) or "")


def _info(code: str, name: str, docstring: str) -> CodeInfo:
    text = _ARGUMENTS.sub("", docstring)
    example = _EXAMPLE.search(text)
    summary, *paragraphs = _EXAMPLE.sub("", text).split("\n\n")
    return CodeInfo(
        code=code,
        name=name,
        stage=_STAGES[code[:3]],
        summary=summary,
        details="\n\n".join(part for part in paragraphs if not part.startswith(_REMEDY)),
        remedy="\n\n".join(part.removeprefix(_REMEDY) for part in paragraphs if part.startswith(_REMEDY)),
        example="" if example is None else dedent(example[1]).strip("\n"),
    )


def explained(texts: Iterable[str], width: int) -> str:
    """Return the explanations of codes as plain text; codes are in any case, several in one text with commas."""
    infos = {info.code: info for info in all_codes()}
    codes = [*dict.fromkeys(part.strip().upper() for text in texts for part in text.split(",") if part.strip())]
    if not codes:
        msg = "no code is named; write one, such as DS206 or DD102, or several with commas between them"
        raise ValueError(msg)
    unknown = [code for code in codes if code not in infos]
    if unknown:
        raise ValueError("\n".join(_unknown(code, [*infos]) for code in unknown))
    return "\n\n".join(_explanation(infos[code], min(width, _WIDTH)) for code in codes)


def _unknown(code: str, known: list[str]) -> str:
    near = get_close_matches(code, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "codes are DS, DD or DC and three digits, such as DS206"
    return f"there is no code {code}; {hint}"


def _explanation(info: CodeInfo, width: int) -> str:
    paragraphs = [f"{info.code} {info.name}: {_TITLES[info.stage]}", *info.meaning.split("\n\n")]
    paragraphs.append(f"{_REMEDY}{info.remedy}")
    plain = [fill(" ".join(part.replace("``", "").split()), width, break_on_hyphens=False) for part in paragraphs]
    return "\n\n".join([*plain, f"Example:\n\n{indent(info.example, '    ')}"])
