"""Collect declared tables as test items: ``shop/models.py::dev.silver.orders::drift``."""

from __future__ import annotations

import hashlib
import importlib
import re
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from pytest_delta_schema.assertions.tracebacks import lines_of_the_project
from pytest_delta_schema.backends.registry import find_backend
from pytest_delta_schema.diagnostics.escaping import HIDDEN, escaped, printed, printed_line
from pytest_delta_schema.engine.held_tables import held_tables
from pytest_delta_schema.models.modes import IGNORE
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.plugin.collection.table_variables import (
    LISTED,
    adopted_tables,
    functions_with_tables,
    missed_tables,
    misspelt,
)
from pytest_delta_schema.plugin.collection.unread_variables import is_test_file, unread_variable, warn_where_assigned
from pytest_delta_schema.plugin.compat.pytest_compat import fixture_info
from pytest_delta_schema.plugin.items.table_items import ApplyContract, DriftContract, StandardContract
from pytest_delta_schema.plugin.items.unmanaged_items import SchemaNode
from pytest_delta_schema.plugin.options.model_files import line_of
from pytest_delta_schema.plugin.options.option_values import ADOPT, AGAINST, APPLY, DRIFT, SYNC
from pytest_delta_schema.plugin.outcomes.check_properties import add_properties
from pytest_delta_schema.plugin.outcomes.failures import ContractFailure, relative, representation
from pytest_delta_schema.plugin.run.stash_keys import RUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_delta_schema.plugin.compat.pytest_compat import TerminalRepr
    from pytest_delta_schema.plugin.items.adopt_items import AdoptContract
    from pytest_delta_schema.plugin.options.option_values import Options

# Characters with a meaning in node ids, file names or syrupy.
_UNSAFE = re.compile(rf'[\[\]%/\\?*|"<>`]|:|[^\S ]|{HIDDEN}')
_LONGEST = 180
METADATA = "metadata"
"""The check of a catalog entry, which counts among those of the run's mode."""


class ContractItem(pytest.Function):
    """One check of one table, reported at the table's declaration."""

    def reportinfo(self) -> tuple[str, int, str]:
        """Return where the table is declared."""
        table = self.cls.table
        return table.origin.path, table.origin.line - 1, printed_line(f"{table.qualified_name} {self.name}")

    def repr_failure(  # type: ignore[override]  # Function takes no style
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> str | TerminalRepr:
        """Show findings without a traceback, and everything else with one."""
        if isinstance(excinfo.value, ContractFailure):
            return representation(excinfo.value, self.cls.table.origin)
        return super().repr_failure(excinfo)


class TableNode(pytest.Class):
    """All checks of one table."""

    @classmethod
    def of(cls, parent: pytest.Module, table: Table, variable: str) -> TableNode:
        """Build the node of ``table``, which is the value of ``variable`` in the module ``parent``."""
        node: TableNode = cls.from_parent(parent, name=node_name(table.qualified_name))
        contract = _contract(parent.config.stash[RUN].options)
        node.obj = type(escaped(table.qualified_name), (contract,), {"table": table, "__module__": parent.obj.__name__})
        node.extra_keyword_matches.add(variable)
        return node

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """Yield the checks, as items that report at the declaration."""
        name, mode = self.obj.table.qualified_name, self.config.stash[RUN].options.mode
        for item in self._checks():
            add_properties(item, table=name, check=mode if item.originalname == METADATA else item.originalname)
            yield item

    def _checks(self) -> Sequence[pytest.Function]:
        """Return the items; what pytest computes for the first table of a module is reused for all others in it."""
        known = (self.parent or self).stash.setdefault(_KNOWN, {})
        plain = known.get(self.obj.__base__)
        if plain is not None:
            return [ContractItem.from_parent(self, name=check, fixtureinfo=info) for check, info in plain]
        # A class looks for its own fixtures and set-up methods first; contracts have none.
        items = [item for item in super(pytest.Class, self).collect() if isinstance(item, pytest.Function)]
        for item in items:
            # What pytest has computed for the item stays; only its location and its failures are shown differently.
            item.__class__ = ContractItem
        if not any(hasattr(item, "callspec") for item in items):
            known[self.obj.__base__] = [(item.name, fixture_info(item)) for item in items]
        return items


class ModelsModule(pytest.Module):
    """A module of the setting ``models``, imported by its dotted name."""

    dotted: str

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Import the module and return its tables.

        Raises:
            CollectError: If it declares none, or one that no variable holds.
        """
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
            raise error.with_traceback(lines_of_the_project(error.__traceback__)) from error.__cause__
        children = list(super().collect())
        missed = missed_tables(self.obj, self.config.stash[RUN].tables, self.config.rootpath)
        if missed:
            raise self.CollectError(printed(f"models: {missed}"))
        if not any(isinstance(child, TableNode) for child in children):
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


def _contract(options: Options) -> type[StandardContract | AdoptContract]:
    """Return what is checked of a table in this run."""
    contract = _contract_of_mode(options)
    if options.enforces:
        from pytest_delta_schema.plugin.items.enforcement_items import with_enforcement

        return with_enforcement(contract)  # type: ignore[arg-type]  # mypy: no hash of classes
    if options.against:
        from pytest_delta_schema.plugin.items.comparison_items import with_comparison

        return with_comparison(contract)  # type: ignore[arg-type]  # as above
    return contract


def _contract_of_mode(options: Options) -> type[StandardContract | AdoptContract]:
    """Return what is checked of a table in the mode of a run."""
    if options.mode == ADOPT:
        from pytest_delta_schema.plugin.items.adopt_items import AdoptContract

        return AdoptContract
    if options.mode in {None, AGAINST} or not find_backend(options.backend).keeps_entries:
        return {DRIFT: DriftContract, APPLY: ApplyContract}.get(options.mode or "", StandardContract)
    from pytest_delta_schema.plugin.items.metadata_items import (
        EntryApplyContract,
        EntryDriftContract,
        EntrySyncContract,
    )

    with_entries: dict[str, type[StandardContract]] = {
        DRIFT: EntryDriftContract,
        APPLY: EntryApplyContract,
        SYNC: EntrySyncContract,
    }
    return with_entries.get(options.mode or "", StandardContract)


def tables_in(collector: pytest.Module, name: str, value: object) -> list[pytest.Collector] | None:
    """Return nodes for the tables that ``value`` declares; ``None`` if it declares none.

    A table is collected where it was declared, and where ``delta_tables`` names it; in a test file only there. In a
    module of the setting ``models`` it may be inside of lists and dictionaries.

    Raises:
        CollectError: If two declarations claim one name, or ``delta_tables`` holds something else.
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
    nodes = [node for table in tables if _is_first(collector, table) for node in _nodes(collector, table, name)]
    return nodes or ([] if issubclass(type(value), Table) else None)


def _nodes(collector: pytest.Module, table: Table, variable: str) -> list[pytest.Collector]:
    """Return the node of a table, and that of its schema if this is the first table in it."""
    run = collector.config.stash[RUN]
    nodes: list[pytest.Collector] = [TableNode.of(collector, table, variable)]
    schema = table.name[:2]
    if run.options.unmanaged != IGNORE and run.schemas.setdefault(schema, table) is table:
        nodes.append(SchemaNode.of(collector, table, node_name(".".join(schema))))
    return nodes


def node_name(qualified_name: str) -> str:
    """Return a name that can be selected on the command line and stored as a file, one for each table.

    Characters with a meaning of their own are written as in a URL; very long names are cut, with a hash.
    """
    name = _UNSAFE.sub(lambda match: quote(match.group(), safe="", errors="surrogatepass"), qualified_name)
    if len(name.encode()) <= _LONGEST:
        return name
    digest = hashlib.sha256(qualified_name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{name.encode()[:_LONGEST].decode(errors='ignore')}~{digest}"


def models_module(parent: pytest.Collector, path: Path, dotted: str) -> ModelsModule:
    """Build the collector of one module of the setting ``models``."""
    module: ModelsModule = ModelsModule.from_parent(parent, path=path)
    module.dotted = dotted
    return module


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


_KNOWN = pytest.StashKey[dict[type, list[tuple[str, Any]]]]()
_SEEN = pytest.StashKey[set[object]]()
