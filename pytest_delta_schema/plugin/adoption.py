"""Write models for tables, and accept their drift into the source: ``--delta-import`` and ``--delta-adopt``."""

from __future__ import annotations

import importlib
import keyword
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_delta_schema.configuration.files import shown_path, toml
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError
from pytest_delta_schema.diagnostics.text import counted, escaped_lines
from pytest_delta_schema.engine.adoption import model_name
from pytest_delta_schema.engine.declarations import held_tables, tables_of_file
from pytest_delta_schema.engine.gate import Gate
from pytest_delta_schema.engine.model_writing import (
    AdoptOptions,
    AdoptOutcome,
    ImportOptions,
    ImportOutcome,
    ModelFault,
    adopt_tables,
    import_tables,
)
from pytest_delta_schema.engine.sources import SourceRoot
from pytest_delta_schema.execute.protocols import ExplainsEmptySchemas, ListsViews
from pytest_delta_schema.plugin.compat import run_before_items, skip_item
from pytest_delta_schema.plugin.failures import CatalogUnavailable, ContractFailure, one_line, relative
from pytest_delta_schema.plugin.items import CatalogListing, ProjectItem, ProjectNode, share_a_catalog
from pytest_delta_schema.plugin.options import ADOPT, IMPORT, ImportRequest, aspects_of, chosen_catalog, import_requests
from pytest_delta_schema.plugin.project_files import add_modules
from pytest_delta_schema.plugin.registration import project_folder
from pytest_delta_schema.plugin.summary import refuse
from pytest_delta_schema.report.text import first_few, headline
from pytest_delta_schema.source_code.modules import distinct, python_word
from pytest_delta_schema.source_code.text import CodeStyle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.items import ContractItem
    from pytest_delta_schema.plugin.options import Options
    from pytest_delta_schema.plugin.run import ContractRun


class AdoptRun:
    """What the items of a run with ``--delta-adopt`` share."""

    def __init__(self, config: pytest.Config, run: ContractRun) -> None:
        self._config = config
        self._run = run
        self._options = AdoptOptions(
            writes=run.options.adopt == "write",
            style=code_style(project_folder(config)),
            root=config.rootpath,
            sources=SourceRoot(config.rootpath),
        )
        self._outcomes: dict[int, AdoptOutcome] = {}

    def require(self, item: ContractItem, gate: Gate) -> None:
        """Accept the drift of all tables of a catalog, unless that was done, and report that of one item."""
        if id(gate) not in self._outcomes:
            tables = [other.table for other in self._run.changing if share_a_catalog(item, other)]
            try:
                self._outcomes[id(gate)] = adopt_tables(gate, tables, self._options)
            except DeltaSchemaError as error:
                raise CatalogUnavailable(str(error)) from None
        outcome, model = self._outcomes[id(gate)], item.table
        fault, edit = outcome.faults.get(model.name), outcome.adoptions.get(model.name)
        if edit is not None and not self._options.writes:
            lines = tuple(edit.diff.splitlines())
            fault = ModelFault("its table differs; --delta-adopt=write makes this edit", lines)
        elif edit is not None and edit.made.secrets:
            secrets = ", ".join(edit.made.secrets)
            fault = ModelFault(f"accepted, but for what may be secret: {secrets}", edit.expected)
        if fault is not None:
            _fail(model.qualified_name, fault)

    def summary_lines(self) -> Iterator[str]:
        """Yield the files that were edited, and what to do next."""
        writes, root = self._options.writes, self._config.rootpath
        accepted = "accepted and proven" if writes else "with differences that could be accepted"
        for outcome in self._outcomes.values():
            failed = f", {len(outcome.faults)} failed" if outcome.faults else ""
            yield f"{ADOPT}: {counted(len(outcome.adoptions), 'table')} {accepted}{failed}"
            files: dict[str, list[str]] = {}
            for name, edit in sorted(outcome.adoptions.items()):
                files.setdefault(shown_path(Path(edit.model.origin.path), root), []).append(str(name))
            verb = "edited" if writes else "would edit"
            yield from (f"  {verb:<11} {file}: {', '.join(names)}" for file, names in sorted(files.items()))
            if files and writes:
                changed = " ".join(sorted(files))
                yield f"next: review git diff {changed}, then pytest --snapshot-update, then commit both"
            elif files:
                yield f"next: pytest --delta-adopt=write{chosen_catalog(self._config)} makes these edits"


class ImportRun:
    """A run with ``--delta-import``."""

    def __init__(self, config: pytest.Config, run: ContractRun) -> None:
        self._config = config
        self._run = run
        self._outcome: ImportOutcome | DeltaSchemaError | None = None
        self._items_by_table: dict[QualifiedName, pytest.Item] = {}
        self._selected: list[pytest.Item] = []
        self._declared: Counter[str] = Counter()
        """The number of tables that each file declares already."""
        self._differing: list[str] = []
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
        session.items = self._selected = items
        session.testscollected = len(items)
        self._config.hook.pytest_collectreport(report=pytest.CollectReport(project.nodeid, "passed", None, [*items]))
        self._config.hook.pytest_collection_modifyitems(session=session, config=self._config, items=items)
        self._config.hook.pytest_collection_finish(session=session)

    def _items(
        self, project: ProjectNode, catalog: Catalog, listed: Mapping[ImportRequest, Sequence[QualifiedName]]
    ) -> Iterator[pytest.Item]:
        """Yield an item for each table that is asked for."""
        settings = self._run.settings
        faults = [request.fault(names, _why_empty(catalog, request, names)) for request, names in listed.items()]
        refuse(self._config, [], [fault for fault in faults if fault])
        chosen = {request: request.matching(names) for request, names in listed.items()}
        models = {name: model_name(name, settings) for names in chosen.values() for name in names}
        targets, conflicts = import_targets(chosen, models, self._config.invocation_params.dir)
        known, unusable = tables_of_project(self._config, self._run.options, targets.values())
        refuse(self._config, [], [*conflicts, *unusable])
        # A run that was killed has written them, and not the configuration.
        places = {name: Path(known[model].origin.path) for name, model in models.items() if model in known}
        self._declaring = {path for name, path in targets.items() if places.get(name) == path}
        options = ImportOptions(
            targets={name: path for name, path in targets.items() if models[name] not in known},
            settings=settings,
            owns=aspects_of(self._run.options.import_owns) or None,
            style=code_style(project_folder(self._config)),
            root=self._config.rootpath,
        )
        gate = Gate(catalog, known.values(), settings=settings)
        for name, model in sorted(models.items()):
            imported = partial(self._require, catalog, options, name)
            result = partial(self._skip, gate, known[model]) if model in known else imported
            self._items_by_table[name] = ProjectItem.of(project, str(model), IMPORT, result)
            yield self._items_by_table[name]

    def _skip(self, gate: Gate, table: Table) -> None:
        """Leave a model that the project has already as it is, and note whether it differs from its table."""
        outcome = gate.drift(table)
        self._declared[shown_path(Path(table.origin.path), self._config.rootpath)] += 1
        if not outcome.status.passes:
            self._differing.append(one_line([headline(outcome)]))
        where = relative(table.origin.location, self._config.rootpath)
        skip_item(f"declared already, at {where}{'' if outcome.status.passes else ', and differs'}")

    def _require(self, catalog: Catalog, options: ImportOptions, name: QualifiedName) -> None:
        """Import all selected tables, unless that was done, and make sure that one of them was."""
        if self._outcome is None:
            selected = [table for table in options.targets if self._items_by_table[table] in self._selected]
            try:
                targets = {table: options.targets[table] for table in selected}
                self._outcome = import_tables(catalog, replace(options, targets=targets))
            except DeltaSchemaError as error:
                self._outcome = error
        if isinstance(self._outcome, DeltaSchemaError):
            raise CatalogUnavailable(str(self._outcome))
        fault = self._outcome.faults.get(name)
        if fault is not None:
            _fail(str(name), fault)

    def _named(self, items: list[pytest.Item]) -> list[pytest.Item]:
        """Return the items that node ids on the command line name; all without one."""
        ids = [argument for argument in self._config.invocation_params.args if "::" in str(argument)]
        chosen = [item for item in items if any(item.nodeid.startswith(str(node_id)) for node_id in ids)]
        missed = [node_id for node_id in ids if not any(item.nodeid.startswith(str(node_id)) for item in items)]
        known = first_few([item.nodeid for item in items], 3)
        faults = [f"{node_id} is not imported by this run; its items are {known}" for node_id in missed]
        refuse(self._config, items, faults)
        return chosen or items

    def finish(self) -> None:
        """Add the modules that were written, by this run or an earlier one, to the configuration of the project."""
        written = self._outcome.written.values() if isinstance(self._outcome, ImportOutcome) else ()
        self._added = add_modules(self._config, self._run.options, {*self._declaring, *written})

    def summary_lines(self) -> Iterator[str]:
        """Yield the files that were written, what is not declared, and what to do next."""
        for file, number in sorted(self._declared.items()):
            yield f"  declared    {counted(number, 'table')} already, in {file}"
        yield from (f"  differs     {line}" for line in self._differing)
        outcome, root = self._outcome, self._config.rootpath
        if not isinstance(outcome, ImportOutcome):
            yield from self._added
            return
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


def _fail(name: str, fault: ModelFault) -> NoReturn:
    """Fail the item of a table."""
    headline = f"{name}: {fault.headline}"
    raise ContractFailure(headline, "\n".join(map(escaped_lines, fault.lines)), name)


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


def code_style(folder: Path) -> CodeStyle:
    """Return the style that ruff's configuration in a folder, or above it, asks for; ruff's default without one."""
    files = [
        parent / name for parent in (folder, *folder.parents) for name in (".ruff.toml", "ruff.toml", "pyproject.toml")
    ]
    section = next((section for section in map(_ruff_section, files) if section is not None), {})
    width, formats = section.get("line-length"), section.get("format")
    quotes = formats.get("quote-style") if isinstance(formats, dict) else None
    style = CodeStyle(quote="'" if quotes == "single" else '"')
    return style._replace(width=width) if isinstance(width, int) and width > 0 else style


def _ruff_section(path: Path) -> dict[str, Any] | None:
    """Return what a file says about ruff; ``None`` if it says nothing, or cannot be read."""
    try:
        values = toml(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    tool = values.get("tool", {}) if path.name == "pyproject.toml" else {"ruff": values}
    section = tool.get("ruff") if isinstance(tool, dict) else None
    return section if isinstance(section, dict) else None
