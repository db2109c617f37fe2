"""Find the models of a run, make their nodes, and select and order the items."""

from __future__ import annotations

import gc
import importlib
import os
import traceback
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.diagnostics.text import printed
from pytest_delta_schema.engine.declarations import held_tables
from pytest_delta_schema.engine.outcomes import CheckKind
from pytest_delta_schema.models.sets import Binding
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plugin.compat import command_line
from pytest_delta_schema.plugin.failures import is_check, relative
from pytest_delta_schema.plugin.items import (
    CHANGES,
    PLAIN,
    READS,
    SCRATCH,
    ContractItem,
    ContractNode,
    ProjectItem,
    ProjectNode,
    nodes_of,
)
from pytest_delta_schema.plugin.model_files import (
    LISTED,
    adopted_tables,
    functions_with_tables,
    is_test_file,
    line_of,
    missed_tables,
    misspelt,
    unread_variable,
    warn_where_assigned,
)
from pytest_delta_schema.plugin.options import ADOPT, SYNC
from pytest_delta_schema.plugin.registration import RUN, project_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.engine.outcomes import TableOutcome
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.plugin.run import ContractRun


def tables_in(collector: pytest.Module, name: str, value: object) -> list[pytest.Collector] | None:
    """Return nodes for the tables that ``value`` declares; ``None`` if it declares none.

    A table is collected where it was declared, and where ``delta_tables`` names it; in a test file only there. In a
    module of the setting ``models`` it may be inside of lists and dictionaries.
    """
    if name == LISTED:
        try:
            tables = adopted_tables(value)
        except ValueError as error:
            raise collector.CollectError(printed(error)) from None
        collector.config.stash[RUN].list_tables(collector.path, name, tables)
    # The type and not isinstance, which would evaluate lazy proxies.
    elif isinstance(collector, ModelsModule) or (issubclass(type(value), Table) and not is_test_file(collector.path)):
        tables = [table for table in held_tables(value) if Path(table.origin.path) == collector.path]
    else:
        fault = misspelt(name, value)
        if fault:
            raise collector.CollectError(fault)
        unread = unread_variable(collector.obj, name, value, collector.config.stash[RUN].options.models)
        if unread is not None:
            warn_where_assigned(collector, unread)
        return [] if issubclass(type(value), Table) else None
    nodes: list[pytest.Collector] = [
        node for table in tables if _is_first(collector, table) for node in nodes_of(collector, table, name)
    ]
    return nodes or ([] if issubclass(type(value), Table) else None)


_SEEN = pytest.StashKey[set[object]]()


def _is_first(collector: pytest.Module, table: Table) -> bool:
    """Whether ``table`` has no node in this module yet; another table of its name is an error."""
    first = collector.config.stash[RUN].declare(table)
    if first is not table:
        root = collector.config.rootpath
        owners = " and ".join(relative(declaration.origin.location, root) for declaration in (first, table))
        msg = printed(f"{table.qualified_name} is declared twice, at {owners}; keep one declaration")
        raise collector.CollectError(msg)
    seen = collector.stash.setdefault(_SEEN, set())
    if table.name in seen:
        return False
    seen.add(table.name)
    return True


class ModelsModule(pytest.Module):
    """A module of the setting ``models``, imported by its dotted name."""

    dotted: str

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Import the module and return its tables."""
        try:
            self.obj = importlib.import_module(self.dotted)
        except SyntaxError as error:
            # Only the error has the line; no frame of the module was run.
            raise self.CollectError("".join(traceback.format_exception_only(error)).rstrip()) from None
        except SystemExit as error:
            where = line_of(error, self.config.rootpath)
            fact = f"{where}{self.dotted} ends Python when it is imported, by SystemExit: {error}"
            msg = printed(f"models: {fact}; call what ends it from a script, below if __name__ == '__main__'")
            raise self.CollectError(msg) from None
        except Exception as error:
            if self.config.getoption("fulltrace"):
                raise
            from pytest_delta_schema.assertions.tracebacks import lines_of_the_project

            raise error.with_traceback(lines_of_the_project(error.__traceback__)) from error.__cause__
        children = list(super().collect())
        missed = missed_tables(self.obj, self.config.stash[RUN].tables, self.config.rootpath)
        if missed:
            raise self.CollectError(printed(f"models: {missed}"))
        if not any(isinstance(child, ContractNode) for child in children):
            fault = self._without_tables()
            if fault:
                raise self.CollectError(printed(f"models: {fault}"))
        return children

    def _without_tables(self) -> str:
        """Return the message if this module and its whole package have no tables; ``""`` for a part of a package."""
        run = self.config.stash[RUN]
        run.modules_without_tables[self.path] = self.dotted
        packages = {name: files for name, files in run.options.packages.items() if self.path in files}
        for name, files in packages.items():
            if files <= run.modules_without_tables.keys():
                modules = sorted(run.modules_without_tables[file] for file in files)
                return f"the package {name} declares no table in any of its modules: {', '.join(modules)}"
        if packages:
            return ""
        owners = {table.origin.module for value in vars(self.obj).values() for table in held_tables(value)}
        if owners:
            names = ", ".join(sorted(owners))
            return f"{self.dotted} declares no table; it imports those of {names}: name that, or write {LISTED} = [...]"
        calls = [f"{name}(...)" for name in functions_with_tables(self.obj)]
        call = f"; a function declares nothing until it is called: {LISTED} = [{', '.join(calls)}]" if calls else ""
        remedy = "name the module that declares the tables, or the package around it"
        return f"{self.dotted} declares no table; {remedy}{call}"


def models_module(parent: pytest.Collector, path: Path, dotted: str) -> ModelsModule:
    """Build the collector of one module of the setting ``models``."""
    module: ModelsModule = ModelsModule.from_parent(parent, path=path)
    module.dotted = dotted
    return module


_SKIPPING = frozenset({"skip", "skipif", "xfail"})
"""The marks of pytest with which an item may not run."""


def sort_items(items: Sequence[pytest.Item], run: ContractRun) -> list[pytest.Item]:
    """Sort items by their phases; those that change a catalog by the foreign keys of their tables."""

    def rank(item: pytest.Item) -> tuple[int, int]:
        if isinstance(item, ContractItem):
            phase = item.check.phase
            return phase, run.declarations.apply_rank(item.table) if phase == CHANGES else 0
        fixtures = getattr(item, "fixturenames", ())
        return SCRATCH if "delta_spark" in fixtures or "delta_catalog" in fixtures else PLAIN, 0

    return sorted(items, key=rank)


def selected_tables(items: Iterable[pytest.Item]) -> list[Table]:
    """Return the tables that ``items`` compare with a catalog, each once."""
    checks = [item for item in items if isinstance(item, ContractItem) and not item.check.is_of_schema]
    tables = [item.table for item in checks if item.check.phase in {READS, CHANGES}]
    return list({table.name: table for table in tables}.values())


def changing_items(items: Iterable[pytest.Item], run: ContractRun) -> list[ContractItem]:
    """Return the items that apply a table, synchronise its entry or accept its drift, and that no mark may skip."""
    name = {SYNC: "metadata", ADOPT: "adopt"}.get(run.options.mode or "", "apply")
    changes = [item for item in items if isinstance(item, ContractItem) and item.check.name == name]
    return [item for item in changes if not any(mark.name in _SKIPPING for mark in item.iter_markers())]


def tables_with_rules(items: Iterable[pytest.Item]) -> set[QualifiedName]:
    """Return the names of the models whose declaration one of ``items`` checks."""
    return {item.table.name for item in items if isinstance(item, ContractItem) and item.check.name == "rules"}


def bindings_that_fail(run: ContractRun) -> list[str]:
    """Return a message for each binding that maps no collected table, and for tables that map to the same one."""
    if not run.settings.bindings:
        return []
    names = ", ".join(sorted(map(str, run.tables))) or "none"
    faults = [
        f"binding {pair!r} maps no table of this run; collected are {names}"
        for pair in Binding(run.settings.bindings).unused(run.tables)
    ]
    owners: dict[object, object] = {}
    for name, table in run.tables.items():
        bound_name = run.declarations.bound(table).name
        first = owners.setdefault(bound_name, name)
        if first != name:
            faults.append(f"{first} and {name} are both bound to {bound_name}; bind them apart")
    return faults


def deselect_other_tests(config: pytest.Config, items: list[pytest.Item]) -> int:
    """Deselect the items that are not checks of a contract, and that no node id names; return how many there are."""
    node_ids = [argument for argument in config.args if "::" in argument]
    others = {
        item for item in items if not (is_check(item) or any(_is_named_by(config, item, id_) for id_ in node_ids))
    }
    if others:
        config.hook.pytest_deselected(items=[item for item in items if item in others])
        items[:] = [item for item in items if item not in others]
    return len(others)


def _is_named_by(config: pytest.Config, item: pytest.Item, node_id: str) -> bool:
    """Whether a node id names an item: as a part of a class, as a test, or as a test with its parameters."""
    path, *names = _node_id_parts(node_id)
    if os.path.abspath(config.invocation_params.dir / path) != str(item.path):  # noqa: PTH100 - links stay
        return False
    own = [node.name for node in item.listchain() if not isinstance(node, (pytest.Session, pytest.Dir, pytest.File))]
    last = own[len(names) - 1].partition("[")[0] if len(own) == len(names) else ""
    return own[: len(names)] == names or [*own[: len(names) - 1], last] == names


def _node_id_parts(node_id: str) -> list[str]:
    """Split a node id at its colons; those of parameters are part of the last name."""
    names, bracket, parameters = node_id.partition("[")
    *parts, last = names.split("::")
    return [*parts, last + bracket + parameters]


_MANY_CHECKS = 100
"""The least number of checks; a run of fewer ones saves less than a tenth of a second."""


def freeze_after_collection(session: pytest.Session) -> None:
    """Freeze every object that exists after test collection until the run ends.

    They take a quarter of the time of a run of a thousand tables. A run that has other tests as well is left alone,
    because these may look at what Python collects, and so is one in which something else has frozen objects.
    """
    items = session.items
    has_others = not all(isinstance(item, ContractItem) for item in items)
    if len(items) < _MANY_CHECKS or has_others or gc.get_freeze_count():
        return
    gc.freeze()
    session.config.add_cleanup(gc.unfreeze)


_NARROWING = ("ignore", "ignore_glob", "deselect", "lf")
"""The options of pytest with which it does not collect every table."""


def asks_for_all(config: pytest.Config, folder: Path) -> bool:
    """Whether the command line asks for every table of the project, so one that is not there is gone."""
    given = command_line(config)
    if config.args_source is config.ArgsSource.INVOCATION_DIR:
        is_selected = not folder.is_relative_to(config.invocation_params.dir)
    else:
        is_selected = config.args_source is config.ArgsSource.ARGS
    return not (is_selected or any(getattr(given, name, None) for name in _NARROWING))


def items_of_unknown(session: pytest.Session, run: ContractRun) -> Iterator[pytest.Item]:
    """Yield an item for each data contract that cannot be read, and each of its tables that no model declares."""
    config = session.config
    names = tuple(run.tables)
    is_complete = asks_for_all(config, project_folder(config)) and not session.testsfailed
    for file, name, outcome in run.data_contracts.unknown(names):
        if is_complete or name == file:
            node = ProjectNode.from_parent(session, path=run.options.data_contracts[file])
            yield ProjectItem.of(node, name, CheckKind.ODCS.value, partial(_same, outcome))


def _same(outcome: TableOutcome) -> TableOutcome:
    return outcome
