"""The data contracts of a project: which tables they describe, and whether their models say the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.diagnostics.errors import DataContractError, diagnostic_of
from pytest_delta_schema.diagnostics.faults import ContractDiffers
from pytest_delta_schema.engine.outcomes import CheckKind, Status, TableOutcome
from pytest_delta_schema.exchange.contract_differences import ContractComparison
from pytest_delta_schema.exchange.contract_file import read_contract
from pytest_delta_schema.exchange.odcs import ContractReading, place_of
from pytest_delta_schema.models.sets import Binding
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.engine.declarations import Declarations
    from pytest_delta_schema.exchange.odcs import Element
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table


class _Entry(NamedTuple):
    """What a contract says of a table."""

    reading: ContractReading
    table: Element

    @property
    def place(self) -> str:
        """The file and the line."""
        return f"{self.reading.contract.path}:{self.reading.contract.line(self.table.path)}"


class DataContracts:
    """The data contracts of a project, read once.

    Args:
        files: Their paths, by the names that messages have for them.
        settings: Those of the run; its bindings say which of several servers is meant.
        with_comments: Whether descriptions are compared with comments.
    """

    def __init__(self, files: Mapping[str, Path], settings: Settings, *, with_comments: bool) -> None:
        self._with_comments = with_comments
        self._binding = Binding(settings.bindings)
        self._entries: dict[QualifiedName, list[_Entry]] = {}
        self._faults: dict[str, tuple[Diagnostic, ...]] = {}
        targets = {".".join(target) for _, target in settings.bindings}
        for file, path in files.items():
            try:
                contract = read_contract(path, file)
                reading = ContractReading(contract, *place_of(contract, targets=targets))
            except DataContractError as error:
                self._faults[file] = error.diagnostics
                continue
            if reading.faults:
                self._faults[file] = tuple(reading.faults)
            for name, table in reading.tables:
                self._entries.setdefault(name, []).append(_Entry(reading, table))

    def describes(self, table: Table) -> bool:
        """Whether a contract describes the table of a model, under its own name or the one that it is bound to."""
        return bool(self._of(table.name))

    def outcome(self, table: Table, declarations: Declarations) -> TableOutcome:
        """Compare a model with the contract of its table."""
        entries = self._of(table.name)
        faults: list[Diagnostic] = []
        notes: list[Diagnostic] = []
        if len(entries) > 1:
            fact = f"is described in {' and '.join(entry.place for entry in entries)}"
            faults = [diagnostic_of(ContractDiffers, table.name, fact, remedy="describe it once")]
        else:
            reading, found = entries[0]
            comparison = ContractComparison(reading, found, desired_state(table))
            faults = [
                replace(fault, table=table.qualified_name, message=f"{fault.table}: {fault.message}")
                for fault in comparison.faults
            ] or [*comparison.differences(with_comments=self._with_comments)]
            notes = [*comparison.notes()]
        return TableOutcome(
            table=table.qualified_name,
            check=CheckKind.ODCS,
            status=Status.FAILED if faults else Status.VALID,
            diagnostics=tuple(faults),
            notes=tuple(notes),
            location=declarations.location(table, passes=not faults),
        )

    def unknown(self, models: Iterable[QualifiedName]) -> Iterator[tuple[str, str, TableOutcome]]:
        """Yield a file, a name and an outcome for each contract that cannot be read, and each table without a model."""
        for file, faults in self._faults.items():
            yield file, file, _failed(file, faults)
        known = {*models, *map(self._binding.name, models)}
        for name, entries in self._entries.items():
            if name not in known:
                file = entries[0].reading.contract.path
                fact = f"is described in {entries[0].place}, and no model declares it"
                remedy = f"declare it, such as by delta-schema translate {file} --to=models, or remove it there"
                fault = diagnostic_of(ContractDiffers, name, fact, remedy=remedy)
                yield file, str(name), _failed(str(name), (fault,))

    def _of(self, name: QualifiedName) -> list[_Entry]:
        return self._entries.get(name) or self._entries.get(self._binding.name(name), [])


def _failed(name: str, faults: tuple[Diagnostic, ...]) -> TableOutcome:
    return TableOutcome(table=name, check=CheckKind.ODCS, status=Status.FAILED, diagnostics=faults)
