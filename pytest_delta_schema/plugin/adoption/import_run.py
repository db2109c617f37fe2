"""Collect one item for each table that is imported, and show what was written and what to do next."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.configuration.project_file import shown_path
from pytest_delta_schema.diagnostics.escaping import printed, printed_line
from pytest_delta_schema.engine.adoption.imported_models import model_name
from pytest_delta_schema.execute.protocols.catalog import ListsViews
from pytest_delta_schema.plugin.adoption.code_style import code_style
from pytest_delta_schema.plugin.adoption.declared_models import DeclaredModels, tables_of_project
from pytest_delta_schema.plugin.adoption.import_work import ImportJob, ImportOptions
from pytest_delta_schema.plugin.adoption.models_setting import add_modules
from pytest_delta_schema.plugin.adoption.targets import import_targets
from pytest_delta_schema.plugin.collection.model_collection import node_name
from pytest_delta_schema.plugin.compat.pytest_compat import run_before_items
from pytest_delta_schema.plugin.items.import_items import IMPORT, CatalogListing, ImportItem
from pytest_delta_schema.plugin.items.project_items import NameNode, ProjectNode
from pytest_delta_schema.plugin.options.backend import location
from pytest_delta_schema.plugin.options.import_requests import aspects_of, import_requests
from pytest_delta_schema.plugin.options.registration import project_folder
from pytest_delta_schema.plugin.summary.terminal_summary import refuse
from pytest_delta_schema.report.text.text import counted, first_few

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.options.import_requests import ImportRequest
    from pytest_delta_schema.plugin.run.contract_run import ContractRun


class ImportRun:
    """The hooks of a run with ``--delta-import``."""

    def __init__(self, config: pytest.Config, run: ContractRun) -> None:
        self._config = config
        self._run = run
        self._job: ImportJob | None = None
        self._declared: DeclaredModels | None = None
        self._declaring: set[Path] = set()
        self._added: list[str] = []

    def pytest_report_header(self) -> str:
        """Name the mode of the run and its catalog."""
        where = location(self._config, self._run.options)
        return printed(f"delta schema: {IMPORT} from {self._run.options.backend}{f', {where}' if where else ''}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """List the catalog, and make an item for each table; nothing else is collected.

        Raises:
            UsageError: If a request matches nothing, or two of them conflict.
        """
        project = ProjectNode.from_parent(session, path=project_folder(self._config) / "pyproject.toml")
        listed: list[tuple[Catalog, Mapping[ImportRequest, Sequence[QualifiedName]]]] = []

        def list_catalog(catalog: Catalog) -> None:
            requests = import_requests(self._run.options.imports)
            listed.append((catalog, {request: _names(catalog, request) for request in requests}))

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
        return True

    def _items(
        self, project: ProjectNode, catalog: Catalog, listed: Mapping[ImportRequest, Sequence[QualifiedName]]
    ) -> Iterator[pytest.Item]:
        """Yield an item for each table that is asked for."""
        refuse(self._config, [], [fault for request, names in listed.items() if (fault := request.fault(names))])
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
            node = NameNode.from_parent(project, name=node_name(str(model)))
            yield ImportItem.from_parent(node, name=IMPORT, table=str(model), result=result)

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

    def pytest_sessionfinish(self) -> None:
        """Add the modules that were written, by this run or an earlier one, to the configuration of the project."""
        outcome = None if self._job is None else self._job.outcome
        written = () if outcome is None else outcome.written.values()
        self._added = add_modules(self._config, self._run.options, {*self._declaring, *written})

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the files that were written, what is not declared, and what to do next."""
        lines = [*self._lines()]
        if lines:
            terminalreporter.ensure_newline()
            terminalreporter.section("delta schema")
            for line in lines:
                terminalreporter.write_line(printed_line(line))

    def _lines(self) -> Iterator[str]:
        if self._declared is not None:
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
            yield f"next: pytest, then pytest --delta-drift; then commit {folders} and pyproject.toml"


def _declares(path: Path, model: Table | None) -> bool:
    return model is not None and Path(model.origin.location.file) == path


def _names(catalog: Catalog, request: ImportRequest) -> list[QualifiedName]:
    """Return the names of all tables and views in the schema of a request."""
    views = catalog.view_names(request.catalog, request.schema) if isinstance(catalog, ListsViews) else ()
    return sorted({*catalog.table_names(request.catalog, request.schema), *views})
