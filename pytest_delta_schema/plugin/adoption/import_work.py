"""Import tables: read them, write their models, and prove that nothing differs; all tables of a run at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_delta_schema.configuration.project_file import shown_path
from pytest_delta_schema.diagnostics.errors import DeclarationError, DeltaSchemaError
from pytest_delta_schema.engine.adoption.imported_models import imported_model
from pytest_delta_schema.engine.adoption.model_proof import ModuleToProve, proved
from pytest_delta_schema.engine.declarations import Declarations
from pytest_delta_schema.engine.held_tables import tables_of_file
from pytest_delta_schema.plugin.adoption.model_faults import ModelFault, fail
from pytest_delta_schema.plugin.adoption.model_files import UnwritableFileError, write_whole
from pytest_delta_schema.plugin.adoption.snapshot_writing import write_snapshots
from pytest_delta_schema.plugin.outcomes.failures import CatalogUnavailable
from pytest_delta_schema.progress import step
from pytest_delta_schema.report.text.text import counted
from pytest_delta_schema.source_code.calls import table_variables
from pytest_delta_schema.source_code.modules import extended_module, module_source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.delta.names.part_path import Aspect
    from pytest_delta_schema.engine.adoption.imported_models import ImportedModel
    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.source_code.code_text import CodeStyle
    from pytest_delta_schema.state.states import CatalogState, TableState


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """The tables to import, their files and their style."""

    targets: Mapping[QualifiedName, Path]
    """The file of each table, by its name in the catalog."""
    settings: Settings
    owns: Sequence[Aspect] | None
    """The aspects that the contracts manage; ``None`` for all."""
    style: CodeStyle
    root: Path
    """The folder from which messages name files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOutcome:
    """How the import of some tables ended; all mappings are by names in the catalog."""

    written: Mapping[QualifiedName, Path]
    """The files of the tables whose models were written."""
    faults: Mapping[QualifiedName, ModelFault]
    """Why the import of a table failed, also of one that was written."""
    remarks: Mapping[QualifiedName, Sequence[str]]
    """What the model of a table omits."""


class ImportJob:
    """The import of all tables of a run, which the first item does."""

    def __init__(self, catalog: Catalog, options: ImportOptions) -> None:
        self._catalog = catalog
        self._options = options
        self._error: DeltaSchemaError | None = None
        self.outcome: ImportOutcome | None = None

    def require(self, name: QualifiedName) -> None:
        """Import all tables, unless that was done, and make sure that one of them was.

        Raises:
            ContractFailure: If it was not.
            CatalogUnavailable: If the catalog cannot be read.
        """
        if self.outcome is None and self._error is None:
            try:
                self.outcome = import_tables(self._catalog, self._options)
            except DeltaSchemaError as error:
                self._error = error
        if self.outcome is None:
            raise CatalogUnavailable(str(self._error))
        fault = self.outcome.faults.get(name)
        if fault is not None:
            fail(str(name), fault)


def import_tables(catalog: Catalog, options: ImportOptions) -> ImportOutcome:
    """Read tables, write their models and their snapshots, and prove that nothing differs.

    Raises:
        DeltaSchemaError: If the catalog cannot be read; nothing was written.
    """
    names = sorted(options.targets)
    with step(f"reading {counted(len(names), 'table')}"):
        state = catalog.read_tables(names)
    states = {**state.tables, **state.others}
    faults = {name: _unreadable(state, name) for name in names if name not in states}
    models = {
        name: imported_model(states[name], options.settings, options.owns) for name in names if name not in faults
    }
    remarks = {name: [_omitted(model.secrets)] for name, model in models.items() if model.secrets}
    modules = _modules(options, models, faults)
    with step(f"writing {counted(len(modules), 'module')}"):
        failed = {name: fault for module in modules for name, fault in module.write(remarks).items()}
    faults |= failed
    kept = [module for module in modules if module.models and failed.keys().isdisjoint(module.models)]
    written = {name: module.path for module in kept for name in module.models}
    with step(f"proving {counted(len(written), 'model')}"):
        unproved = _differences(kept, {name: states[name] for name in written}, options.settings)
    if unproved:
        remarks |= {name: [*remarks.get(name, ()), *map(_not_declared, lines)] for name, lines in unproved.items()}
        for module in kept:
            if not unproved.keys().isdisjoint(module.models):
                module.write(remarks)
    faults |= {name: ModelFault("its model differs from it", lines) for name, lines in unproved.items()}
    tables = {models[name].table.name: models[name].table for name in written}
    declarations = Declarations(options.settings, tables)
    for name, path in written.items():
        violations = declarations.violations(models[name].table)
        if violations:
            faults.setdefault(name, ModelFault("its model breaks a rule", tuple(map(str, violations))))
            continue
        try:
            write_snapshots(path, models[name].table, declarations)
        except UnwritableFileError as error:
            faults.setdefault(name, ModelFault(f"has no snapshot: {error}"))
    return ImportOutcome(written=written, faults=faults, remarks=remarks)


class _Module:
    """A module that an import writes, or extends."""

    def __init__(
        self, path: Path, options: ImportOptions, models: Mapping[QualifiedName, Table], docstring: Sequence[str]
    ) -> None:
        self.path = path
        self.models = models
        self._options = options
        self._docstring = docstring
        self._before = path.read_bytes() if path.is_file() else None
        tables = {} if self._before is None else tables_of_file(str(path))
        self._known = table_variables(tables)

    def write(self, remarks: Mapping[QualifiedName, Sequence[str]]) -> dict[QualifiedName, ModelFault]:
        """Write the module, and return why it was not written, for each of its tables.

        Remarks are comments above the tables, by their names in the catalog.
        """
        style, tables = self._options.style, self.models.values()
        comments = {model.name: remarks[name] for name, model in self.models.items() if name in remarks}
        if not tables:
            return {}
        try:
            if self._before is None:
                text = module_source(tables, docstring=self._docstring, remarks=comments, style=style)
            else:
                text = extended_module(self._before.decode(), tables, self._known, remarks=comments, style=style)
            write_whole(self.path, text.encode())
        except (DeclarationError, UnwritableFileError, UnicodeError) as error:
            shown = shown_path(self.path, self._options.root)
            return dict.fromkeys(self.models, ModelFault(f"was not written to {shown}: {error}"))
        return {}


def _modules(
    options: ImportOptions,
    models: Mapping[QualifiedName, ImportedModel],
    faults: Mapping[QualifiedName, ModelFault],
) -> list[_Module]:
    """Return the modules to write, each with its tables; the docstring of a new one names those that were not read.

    Models and faults are by the names of the tables in the catalog.
    """
    files: dict[Path, list[QualifiedName]] = {}
    for name, path in options.targets.items():
        files.setdefault(path, []).append(name)
    modules = []
    for path, names in files.items():
        unread = [f"{name} {faults[name].headline}" for name in names if name in faults]
        docstring = [f"Tables of {'.'.join(names[0][:2])}.", *unread]
        own = {name: models[name].table for name in names if name in models}
        modules.append(_Module(path, options, own, docstring))
    return modules


def _differences(
    modules: Sequence[_Module], states: Mapping[QualifiedName, TableState], settings: Settings
) -> dict[QualifiedName, tuple[str, ...]]:
    """Return how the models of written modules differ from their tables, by the names of the tables in the catalog."""
    if not states:
        return {}
    names = {table.name: name for module in modules for name, table in module.models.items()}
    declared = [
        ModuleToProve(str(module.path), tuple(table.name for table in module.models.values())) for module in modules
    ]
    proofs = proved(declared, states.values(), settings)
    return {names[model]: lines for model, lines in proofs.items() if lines}


def _unreadable(state: CatalogState, name: QualifiedName) -> ModelFault:
    problem = state.problem(name)
    return ModelFault(f"could not be read: {problem.message}", (str(problem),))


def _omitted(secrets: Sequence[str]) -> str:
    return f"not declared, because the value may be a secret: {', '.join(secrets)}"


def _not_declared(line: str) -> str:
    return f"a model cannot declare this yet: {line}"
