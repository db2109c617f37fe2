"""Write models for the tables of a catalog, and prove them: ``--delta-import``."""

from __future__ import annotations

import importlib
import keyword
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.configuration.files import shown_path
from pytest_delta_schema.diagnostics.errors import DeclarationError, DeltaSchemaError
from pytest_delta_schema.engine.adoption import (
    ImportedModel,
    ModuleToProve,
    Proofs,
    imported_model,
    model_name,
    proved,
    tokens_in,
)
from pytest_delta_schema.engine.declarations import BoundModel, Declarations, held_tables, tables_of_file
from pytest_delta_schema.engine.gate import Gate
from pytest_delta_schema.execute.protocols import ExplainsEmptySchemas, ListsViews
from pytest_delta_schema.plugin.adoption import ModelFault, code_style, fail
from pytest_delta_schema.plugin.compat import run_before_items, skip_item
from pytest_delta_schema.plugin.failures import CatalogUnavailable, one_line, relative
from pytest_delta_schema.plugin.items import CatalogListing, ProjectItem, ProjectNode, node_name
from pytest_delta_schema.plugin.options import (
    IMPORT,
    ImportRequest,
    aspects_of,
    chosen_catalog,
    import_requests,
)
from pytest_delta_schema.plugin.project_files import add_modules
from pytest_delta_schema.plugin.registration import project_folder
from pytest_delta_schema.plugin.snapshots import snapshot_text
from pytest_delta_schema.plugin.source_files import SourceFile, UnwritableFileError, write_whole
from pytest_delta_schema.plugin.summary import refuse
from pytest_delta_schema.progress import step
from pytest_delta_schema.report.text import counted, first_few, headline
from pytest_delta_schema.source_code.calls import table_variables
from pytest_delta_schema.source_code.modules import (
    distinct,
    extended_module,
    module_source,
    python_word,
    why_unreadable,
)
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.json_shapes import SQL_FILE, STATE_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.delta.names import Aspect
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.options import Options
    from pytest_delta_schema.plugin.run import ContractRun
    from pytest_delta_schema.source_code.text import CodeStyle
    from pytest_delta_schema.state.states import CatalogState, TableState


class ImportRun:
    """A run with ``--delta-import``."""

    def __init__(self, config: pytest.Config, run: ContractRun) -> None:
        self._config = config
        self._run = run
        self._job: ImportJob | None = None
        self._declared: DeclaredModels | None = None
        self._declaring: set[Path] = set()
        self._added: list[str] = []

    def collect(self, session: pytest.Session) -> None:
        """List the catalog, and make an item for each table; nothing else is collected."""
        project = ProjectNode.from_parent(session, path=project_folder(self._config) / "pyproject.toml")
        listed: list[tuple[Catalog, Mapping[ImportRequest, Sequence[QualifiedName]]]] = []

        def list_catalog(catalog: Catalog) -> None:
            requests = import_requests(self._run.options.imports)
            listed.append((catalog, {request: _names_in_schema(catalog, request) for request in requests}))

        if run_before_items(CatalogListing.of(project, list_catalog)):
            items = self._named([item for catalog, names in listed for item in self._items(project, catalog, names)])
        else:
            # The same item fails again as one of the run, and shows why.
            items = [CatalogListing.of(project, list_catalog)]
        session.items = items
        session.testscollected = len(items)
        self._config.hook.pytest_collectreport(report=pytest.CollectReport(project.nodeid, "passed", None, [*items]))
        self._config.hook.pytest_collection_modifyitems(session=session, config=self._config, items=items)
        self._config.hook.pytest_collection_finish(session=session)

    def _items(
        self, project: ProjectNode, catalog: Catalog, listed: Mapping[ImportRequest, Sequence[QualifiedName]]
    ) -> Iterator[pytest.Item]:
        """Yield an item for each table that is asked for."""
        faults = [request.fault(names, _why_empty(catalog, request, names)) for request, names in listed.items()]
        refuse(self._config, [], [fault for fault in faults if fault])
        chosen = {request: request.matching(names) for request, names in listed.items()}
        models = {name: model_name(name, self._run.settings) for names in chosen.values() for name in names}
        targets, conflicts = import_targets(chosen, models, self._config.invocation_params.dir)
        known, unusable = tables_of_project(self._config, self._run.options, targets.values())
        refuse(self._config, [], [*conflicts, *unusable])
        # A run that was killed has written them, and not the configuration.
        self._declaring = {path for name, path in targets.items() if _declares(path, known.get(models[name]))}
        options = ImportOptions(
            targets={name: path for name, path in targets.items() if models[name] not in known},
            settings=self._run.settings,
            owns=aspects_of(self._run.options.import_owns) or None,
            style=code_style(project_folder(self._config)),
            root=self._config.rootpath,
        )
        self._job = ImportJob(catalog, options)
        self._declared = DeclaredModels(catalog, known.values(), self._run.settings, self._config.rootpath)
        for name, model in sorted(models.items()):
            result = partial(self._declared.skip, known[model]) if model in known else partial(self._job.require, name)
            yield ProjectItem.of(project, str(model), IMPORT, result)

    def _named(self, items: list[pytest.Item]) -> list[pytest.Item]:
        """Return the items that node ids on the command line name; all without one."""
        ids = [argument for argument in self._config.invocation_params.args if "::" in str(argument)]
        chosen = [item for item in items if any(item.nodeid.startswith(str(node_id)) for node_id in ids)]
        missed = [node_id for node_id in ids if not any(item.nodeid.startswith(str(node_id)) for item in items)]
        known = first_few([item.nodeid for item in items], 3)
        refuse(
            self._config,
            items,
            [f"{node_id} is not imported by this run; its items are {known}" for node_id in missed],
        )
        return chosen or items

    def finish(self) -> None:
        """Add the modules that were written, by this run or an earlier one, to the configuration of the project."""
        outcome = None if self._job is None else self._job.outcome
        written = () if outcome is None else outcome.written.values()
        self._added = add_modules(self._config, self._run.options, {*self._declaring, *written})

    def summary_lines(self) -> list[str]:
        """Return the files that were written, what is not declared, and what to do next."""
        return [*self._lines()]

    def _lines(self) -> Iterator[str]:
        if self._declared is not None:
            for file, number in sorted(self._declared.files.items()):
                yield f"  declared    {counted(number, 'table')} already, in {file}"
            yield from (f"  differs     {line}" for line in self._declared.differing)
        outcome = None if self._job is None else self._job.outcome
        if outcome is None:
            yield from self._added
            return
        root = self._config.rootpath
        failed = len(outcome.faults)
        proven = counted(len(outcome.written.keys() - outcome.faults.keys()), "table")
        yield f"{IMPORT}: {proven} written and proven{f', {failed} failed' if failed else ''}"
        numbers = Counter(outcome.written.values())
        yield from (f"  wrote       {shown_path(file, root)}, {counted(numbers[file], 'model')}" for file in numbers)
        yield from (f"  failed      {name} {fault.headline}" for name, fault in sorted(outcome.faults.items()))
        for name, remarks in sorted(outcome.remarks.items()):
            yield from (f"  note        {name}: {remark}" for remark in remarks)
        yield from self._added
        if numbers:
            folders = " ".join(sorted({shown_path(file.parent, root) for file in numbers}))
            gate = f"pytest --delta-drift{chosen_catalog(self._config)}"
            yield f"next: pytest, then {gate}; then commit {folders} and pyproject.toml"


def _declares(path: Path, model: Table | None) -> bool:
    return model is not None and Path(model.origin.location.file) == path


def _names_in_schema(catalog: Catalog, request: ImportRequest) -> list[QualifiedName]:
    """Return the names of all tables and views in the schema of a request."""
    views = catalog.view_names(request.catalog, request.schema) if isinstance(catalog, ListsViews) else ()
    return sorted({*catalog.table_names(request.catalog, request.schema), *views})


def _why_empty(catalog: Catalog, request: ImportRequest, names: Sequence[QualifiedName]) -> str:
    """Return why the schema of a request holds no table; ``""`` if it holds one, or the catalog cannot tell."""
    if names or not isinstance(catalog, ExplainsEmptySchemas):
        return ""
    return catalog.why_empty(request.catalog, request.schema)


_FOLDER = "contracts"
"""Where models are written if the option names no path."""

_MANY_TABLES = 40
"""From so many tables on, each has its own file."""


def import_targets(
    chosen: Mapping[ImportRequest, Iterable[QualifiedName]], declared: Mapping[QualifiedName, QualifiedName], here: Path
) -> tuple[dict[QualifiedName, Path], list[str]]:
    """Return the file of each table, and a message for each conflict."""
    targets: dict[QualifiedName, Path] = {}
    faults: list[str] = []
    schemas: dict[Path, str] = {}
    for request, names in chosen.items():
        files = _files_of_request(request, [declared[name] for name in names], here)
        for name in names:
            file, schema = files[declared[name]], ".".join(declared[name][:2])
            if targets.setdefault(name, file) != file:
                faults.append(f"{name} would be written to {targets[name]} and to {file}; ask for it once")
            elif schemas.setdefault(file, schema) != schema:
                faults.append(
                    f"{file} would hold tables of {schemas[file]} and of {schema}; give each schema its own file or"
                    f" folder: --delta-import={request.text}={_FOLDER}/{'_'.join(declared[name][:2])}.py"
                )
    return targets, list(dict.fromkeys(faults))


def _files_of_request(request: ImportRequest, names: list[QualifiedName], here: Path) -> dict[QualifiedName, Path]:
    """Return the file of each table of a request."""
    if request.path.endswith(".py"):
        return dict.fromkeys(names, here / request.path)
    schema = _module_name(names[0].schema)
    folder = here / (request.path or _FOLDER)
    one_file = folder / f"{schema}.py"
    if not request.path and not (folder / schema).is_dir() and (one_file.is_file() or len(names) < _MANY_TABLES):
        return dict.fromkeys(names, one_file)
    modules = distinct(names, lambda name: _module_name(name.table))
    return {name: folder / schema / f"{module}.py" for name, module in modules.items()}


def _module_name(name: str) -> str:
    """Return a name that can be imported, and is not collected as a test or as something else."""
    plain = python_word(name)
    is_special = not plain.isidentifier() or keyword.iskeyword(plain) or plain.startswith(("test_", "__"))
    return f"t_{plain}" if is_special or plain == "conftest" or plain.endswith("_test") else plain


def tables_of_project(
    config: pytest.Config, options: Options, files: Iterable[Path]
) -> tuple[dict[QualifiedName, Table], list[str]]:
    """Return the tables of the modules of ``models`` and of some files, and a message for each that cannot be run."""
    tables: list[Table] = []
    faults = []
    others = [file for file in dict.fromkeys(files) if file.is_file() and file not in options.models]
    for path, dotted in [*options.models.items(), *((file, "") for file in others)]:
        try:
            values = vars(importlib.import_module(dotted)).values() if dotted else tables_of_file(str(path)).values()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a module raises is why it cannot be used
            shown = shown_path(path, config.rootpath)
            faults.append(f"{shown} cannot be imported: {type(error).__name__}: {error}; correct it first")
        else:
            tables += [table for value in values for table in held_tables(value)]
    return {table.name: table for table in tables}, faults


class DeclaredModels:
    """Models that a project has already: an import leaves them as they are, and says whether they differ."""

    def __init__(self, catalog: Catalog, models: Iterable[Table], settings: Settings, root: Path) -> None:
        self._gate = Gate(catalog, models, settings=settings)
        self._root = root
        self.differing: list[str] = []
        self.files: Counter[str] = Counter()
        """The number of tables that each file declares."""

    def skip(self, table: Table) -> None:
        """Skip the import of a model; note it in ``differing`` if it differs from its table."""
        outcome = self._gate.drift(table)
        where = relative(table.origin.location, self._root)
        self.files[shown_path(Path(table.origin.path), self._root)] += 1
        if not outcome.status.passes:
            self.differing.append(one_line([headline(outcome)]))
        skip_item(f"declared already, at {where}{'' if outcome.status.passes else ', and differs'}")


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
        """Import all tables, unless that was done, and make sure that one of them was."""
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
    """Read tables, write their models and their snapshots, and prove that nothing differs."""
    names = sorted(options.targets)
    with step(f"reading {counted(len(names), 'table')}"):
        state = catalog.read_tables(names)
    states = {**state.tables, **state.others}
    results = {name: _model_of(state, name, states.get(name), options) for name in names}
    faults = {name: result for name, result in results.items() if isinstance(result, ModelFault)}
    models = {name: result for name, result in results.items() if isinstance(result, ImportedModel)}
    left_out: dict[QualifiedName, Sequence[str]] = {
        name: [*_left_out(model, states[name])] for name, model in models.items()
    }
    remarks = {name: lines for name, lines in left_out.items() if lines}
    modules = _modules_to_write(options, models, faults)
    try:
        faults |= _write_and_prove(modules, states, remarks, options.settings)
    except BaseException:
        for module in modules:
            module.take_back()
        raise
    written = {name: module.path for module in modules if module.is_kept for name in module.models}
    tables = {models[name].table.name: models[name].table for name in written}
    declarations = Declarations(options.settings, tables)
    for name, path in written.items():
        violations = declarations.violations(models[name].table)
        if violations:
            faults.setdefault(name, ModelFault("its model breaks a rule", tuple(map(str, violations))))
            continue
        try:
            _write_snapshots(path, models[name].table, declarations)
        except UnwritableFileError as error:
            faults.setdefault(name, ModelFault(f"has no snapshot: {error}"))
    return ImportOutcome(written=written, faults=faults, remarks=remarks)


def _left_out(model: ImportedModel, state: TableState) -> Iterator[str]:
    """Yield what a model does not declare of its table."""
    if model.secrets:
        yield f"not declared, because the value may be a secret: {', '.join(model.secrets)}"
    if state.not_shown:
        yield f"not declared, because the catalog does not show them: {', '.join(state.not_shown)}"


def _write_and_prove(
    modules: Sequence[_Module],
    states: Mapping[QualifiedName, TableState],
    remarks: dict[QualifiedName, Sequence[str]],
    settings: Settings,
) -> dict[QualifiedName, ModelFault]:
    """Write modules, and return why some of their models are not in them, or differ from their tables."""
    faults: dict[QualifiedName, ModelFault] = {}
    with step(f"writing {counted(len(modules), 'module')}"):
        for module in modules:
            faults |= module.write(remarks)
    written = [module for module in modules if module.is_kept]
    names = [name for module in written for name in module.models]
    with step(f"proving {counted(len(names), 'model')}"):
        proofs = _proofs_of_written(written, [states[name] for name in names], settings)
    for module in written:
        faults |= module.settle(proofs, remarks)
    return faults


def _model_of(
    catalog: CatalogState, name: QualifiedName, state: TableState | None, options: ImportOptions
) -> ImportedModel | ModelFault:
    """Return the model of a table, or why no module can hold one."""
    if state is None:
        return _unreadable(catalog, name)
    if not state.exists:
        return ModelFault("is not there any more; import again")
    try:
        model = imported_model(state, options.settings, options.owns)
    except DeclarationError as error:
        return ModelFault("has something that no model can declare", (str(error),))
    return _fault_of_model(model.table) or model


def _fault_of_model(table: Table) -> ModelFault | None:
    """Return why no module can hold a model; ``None`` if one can."""
    tokens = tokens_in(table)
    if tokens:
        return ModelFault(
            f"was not written, because its model would hold what has the form of a token: {', '.join(tokens)}; remove"
            " it from the table, and import it again"
        )
    reason = why_unreadable(table)
    if not reason:
        return None
    return ModelFault(
        f"was not written, because Python cannot read its model: {reason}; declare it by hand, with variables for the"
        " types inside of its columns"
    )


def _unreadable(state: CatalogState, name: QualifiedName) -> ModelFault:
    problem = state.problem(name)
    return ModelFault(f"could not be read: {problem.message}", (str(problem),))


class _Module:
    """A module that an import writes, or extends."""

    def __init__(
        self, path: Path, options: ImportOptions, models: Mapping[QualifiedName, Table], docstring: Sequence[str]
    ) -> None:
        self.path = path
        self.models = models
        self._options = options
        self._docstring = docstring
        self._file = SourceFile.read(path)
        self._before = self._file.content
        self._tables = {} if self._before is None else tables_of_file(str(path))
        self.is_kept = False

    @property
    def declared_before(self) -> list[Table]:
        """The models that it has had before."""
        return list({table.name: table for table in self._tables.values()}.values())

    def write(self, remarks: Mapping[QualifiedName, Sequence[str]]) -> dict[QualifiedName, ModelFault]:
        """Write the module, and return why it was not written, for each of its tables."""
        style, tables = self._options.style, self.models.values()
        comments = {model.name: remarks[name] for name, model in self.models.items() if name in remarks}
        if not tables:
            return {}
        try:
            if self._before is None:
                text = module_source(tables, docstring=self._docstring, remarks=comments, style=style)
                content = text.encode()
            else:
                known = table_variables(self._tables)
                content = extended_module(self._before, tables, known, remarks=comments, style=style)
            self._file.replace(content)
        except (DeclarationError, UnwritableFileError, UnicodeError) as error:
            return self._faults(f"was not written to {self._shown}: {error}")
        self.is_kept = True
        return {}

    def settle(self, proofs: Proofs, remarks: dict[QualifiedName, Sequence[str]]) -> dict[QualifiedName, ModelFault]:
        """Keep what was written, with a remark on each model that differs, or take it back if it breaks the module."""
        names = {table.name: name for name, table in self.models.items()}
        broken = [proofs.unusable[name] for name in names if name in proofs.unusable]
        others = [table.name for table in self.declared_before if proofs.lines(table.name)]
        if broken or others:
            fact = broken[0] if broken else f"{', '.join(map(str, others))} would declare something else in it"
            return self.take_back() or self._faults(
                f"was not written to {self._shown}: {fact}; write its model by hand"
            )
        unproved = {names[name]: lines for name in names if (lines := proofs.differences[name])}
        for name, lines in unproved.items():
            notes = [f"a model cannot declare this yet: {line}" for line in lines]
            remarks[name] = [*remarks.get(name, ()), *notes]
        if unproved:
            # If the remarks cannot be written, the module stays as it is, and the faults say the same.
            self.write(remarks)
        return {name: ModelFault("its model differs from it", lines) for name, lines in unproved.items()}

    def take_back(self) -> dict[QualifiedName, ModelFault]:
        """Give the file what it had before, and return why that is not possible, for each of its tables."""
        try:
            if self._file.content != self._before:
                self._file.replace(self._before)
        except UnwritableFileError as error:
            return self._faults(f"was written to {self._shown} without a proof, and could not be taken back: {error}")
        self.is_kept = False
        return {}

    @property
    def _shown(self) -> str:
        return shown_path(self.path, self._options.root)

    def _faults(self, headline: str) -> dict[QualifiedName, ModelFault]:
        return dict.fromkeys(self.models, ModelFault(headline))


def _modules_to_write(
    options: ImportOptions,
    models: Mapping[QualifiedName, ImportedModel],
    faults: Mapping[QualifiedName, ModelFault],
) -> list[_Module]:
    """Return the modules to write, each with its tables; the docstring of a new one names those that were not read."""
    files: dict[Path, list[QualifiedName]] = {}
    for name, path in options.targets.items():
        files.setdefault(path, []).append(name)
    modules = []
    for path, names in files.items():
        # What is behind the colon may name folders of this machine.
        unread = [f"{name} {faults[name].headline.partition(': ')[0]}" for name in names if name in faults]
        docstring = [f"Tables of {'.'.join(names[0][:2])}.", *unread]
        own = {name: models[name].table for name in names if name in models}
        modules.append(_Module(path, options, own, docstring))
    return modules


def _proofs_of_written(modules: Sequence[_Module], states: Iterable[TableState], settings: Settings) -> Proofs:
    """Compare the models of written modules with their tables, and those that the modules had with what they were."""
    if not modules:
        return Proofs({})
    before = [table for module in modules for table in module.declared_before]
    unchanged = [desired_state(BoundModel.of(table, settings).table) for table in before]
    declared = [
        ModuleToProve(
            str(module.path), tuple(table.name for table in (*module.models.values(), *module.declared_before))
        )
        for module in modules
    ]
    return proved(declared, [*unchanged, *states], settings)


def _write_snapshots(module: Path, model: Table, declarations: Declarations) -> None:
    """Write the snapshots of a model, which breaks no rule, next to the module that declares it."""
    folder, table = module.parent / "__snapshots__" / module.stem, node_name(model.qualified_name)
    texts = declarations.reviewed_texts(model)
    write_whole(folder / f"{table}{SQL_FILE}", snapshot_text(texts.sql).encode())
    write_whole(folder / f"{table}{STATE_FILE}", texts.state.encode())
