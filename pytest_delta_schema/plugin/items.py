"""The checks of tables and schemas, as test items: what each one does, and where it is reported."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

import pytest

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, StatementError
from pytest_delta_schema.diagnostics.text import HIDDEN, printed_line
from pytest_delta_schema.engine.gate import BatchedApplies
from pytest_delta_schema.engine.outcomes import CheckKind, Status, TableOutcome
from pytest_delta_schema.engine.plan_outcomes import failed_outcome, rules_outcome, snapshot_outcome, table_outcome
from pytest_delta_schema.execute.protocols import AppendsRows
from pytest_delta_schema.models.ownership import FAIL
from pytest_delta_schema.plugin.compat import failure_at, is_worker, share_folder, shared_fixture, skip_item
from pytest_delta_schema.plugin.failures import ContractFailure, add_properties, representation
from pytest_delta_schema.plugin.options import IMPORT
from pytest_delta_schema.plugin.outcomes import note_outcome, report_outcome
from pytest_delta_schema.plugin.registration import REPORTS, RUN, SUMMARY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from syrupy.assertion import SnapshotAssertion

    from pytest_delta_schema.engine.declarations import Declarations
    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.execute.protocols import Catalog, SyncsEntries
    from pytest_delta_schema.models.declared_at import DeclaredAt
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.compat import TerminalRepr
    from pytest_delta_schema.plugin.scratch import Scratch

    _T = TypeVar("_T")


METADATA = "metadata"
"""The check of a catalog entry, which counts among those of the run's mode."""

# Characters with a meaning in node ids, file names or syrupy.
_UNSAFE = re.compile(rf'[\[\]%/\\?*|"<>`]|:|[^\S ]|{HIDDEN}')
_LONGEST_NAME = 180


def node_name(qualified_name: str) -> str:
    """Return a name that can be selected on the command line and stored as a file, one for each table."""
    name = _UNSAFE.sub(lambda match: quote(match.group(), safe="", errors="surrogatepass"), qualified_name)
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(qualified_name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{name.encode()[:_LONGEST_NAME].decode(errors='ignore')}~{digest}"


def is_check(item: pytest.Item) -> bool:
    """Whether an item is a check of a table or of a schema, or an import, and no test."""
    return isinstance(item, (ContractItem, SchemaItem, CatalogListing, ProjectItem))


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


class SchemaItem(pytest.Function):
    """The check of one schema, reported where the first of its tables is declared."""

    def reportinfo(self) -> tuple[str, int, str]:
        """Return the location of that declaration."""
        origin = self.cls.origin
        return origin.path, origin.line - 1, printed_line(f"{'.'.join(self.cls.schema)} {self.name}")

    def repr_failure(  # type: ignore[override]  # Function takes no style
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> str | TerminalRepr:
        """Show findings without a traceback, and everything else with one."""
        if isinstance(excinfo.value, ContractFailure):
            return representation(excinfo.value, self.cls.origin)
        return super().repr_failure(excinfo)


class ProjectNode(pytest.File):
    """The project file, below which a run shows what it does for a whole project."""

    def collect(self) -> list[pytest.Item]:
        """Return nothing: the items are known when the catalog, or the past, was listed."""
        return []


class NameNode(pytest.Collector):
    """A table, below the project file."""

    def collect(self) -> list[pytest.Item]:
        """Return nothing, as the project file does."""
        return []


class ProjectItem(pytest.Item):
    """The item of one table; its name is that of a check, such as ``import``."""

    def __init__(self, *, table: str, **others: Any) -> None:
        super().__init__(**others)
        self._table = table
        self.add_marker("delta")
        self.add_marker(f"delta_{self.name}")
        add_properties(self, table=table, check=self.name)

    def reportinfo(self) -> tuple[str, int, str]:
        """Return the project file, and the name of the table."""
        return str(self.path), 0, printed_line(f"{self._table} {self.name}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show a finding without a traceback, and everything else with one."""
        failure = excinfo.value
        if isinstance(failure, ContractFailure):
            return failure_at(str(self.path), 1, failure.summary, f"{failure}\n")
        return super().repr_failure(excinfo, style)


class CatalogListing(pytest.Function):
    """Opens the catalog of the run before there are items."""

    @classmethod
    def of(cls, parent: pytest.Collector, use: Callable[[Catalog], None]) -> CatalogListing:
        """Return an item that gives the catalog to a function."""

        def listing(delta_catalog: Catalog) -> None:
            use(delta_catalog)

        item: CatalogListing = cls.from_parent(parent, name=IMPORT, callobj=listing)
        return item


class ImportItem(ProjectItem):
    """The import of one table."""

    def __init__(self, *, result: Callable[[], None], **others: Any) -> None:
        super().__init__(**others)
        self._result = result

    def runtest(self) -> None:
        """Import all tables of the run, if this is the first item, and report this one."""
        self._result()


_F = TypeVar("_F", bound="Callable[..., None]")


def check(function: _F) -> _F:
    """Make a method a check: an item of that name, whatever ``python_functions`` says, with its marks."""
    function.__test__ = True  # type: ignore[attr-defined]
    marked: _F = pytest.mark.delta(getattr(pytest.mark, f"delta_{function.__name__}")(function))
    return marked


_FIRST: pytest.StashKey[TableOutcome] = pytest.StashKey()


def once(item: pytest.Item, change: Callable[[], TableOutcome]) -> TableOutcome:
    """Return the outcome of a change of the catalog, which is made once, even if another plugin runs the item again."""
    if _FIRST not in item.stash:
        item.stash[_FIRST] = change()
    return item.stash[_FIRST]


def report_unless_shown(request: pytest.FixtureRequest, table: Table, outcome: TableOutcome) -> None:
    """Make an outcome the result of an item; what the check ``rules`` fails for in this run skips the item."""
    run = request.config.stash[RUN]
    if table.name in run.checked_by_rules and run.declarations.violations(table):
        note_outcome(request.node, outcome)
        skip_item("the declaration breaks a rule; the check rules of this table shows it")
    report_outcome(request.node, outcome)


class StandardContract:
    """The checks of every table that need no catalog."""

    table: Table

    @check
    def rules(self, request: pytest.FixtureRequest) -> None:
        """The declaration breaks no rule."""
        report_outcome(request.node, rules_outcome(self.table, request.config.stash[RUN].declarations))

    @check
    def ddl(self, request: pytest.FixtureRequest, delta_snapshot: SnapshotAssertion) -> None:
        """The SQL that would create the table, and the state that it declares, are those that were reviewed."""
        from pytest_delta_schema.plugin.snapshots import mismatch
        from pytest_delta_schema.plugin.syrupy_compat import leave_out_parameters

        leave_out_parameters(delta_snapshot)
        declarations = request.config.stash[RUN].declarations
        outcome = rules_outcome(self.table, declarations)
        if not outcome.status.passes:
            request.config.stash[RUN].without_snapshot.append(request.node.nodeid)
            report_unless_shown(request, self.table, outcome)
        fault = mismatch(delta_snapshot, declarations.reviewed_texts(self.table))
        if fault is None:
            report_outcome(request.node, outcome)
            return
        note_outcome(request.node, snapshot_outcome(self.table, fault.head, fault.remedy))
        name = self.table.qualified_name
        subject = f"{name}: {fault.head}"
        raise ContractFailure(subject, fault.body, name)


class DriftContract(StandardContract):
    """The checks of every table with ``--delta-drift``."""

    @check
    @pytest.mark.usefixtures("_delta_readable")
    def drift(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The catalog holds what the model declares."""
        outcome = request.config.stash[RUN].gate(delta_catalog).drift(self.table)
        report_unless_shown(request, self.table, outcome)


class ApplyContract(StandardContract):
    """The apply of every table with ``--delta-apply``."""

    @check
    @pytest.mark.usefixtures("_delta_readable")
    def apply(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The table is aligned with its model, and read back."""
        gate = request.config.stash[RUN].gate(delta_catalog)
        outcome = once(request.node, lambda: joint(request.config, JointApplies).apply(request.node, gate))
        report_unless_shown(request, self.table, outcome)


_JOINT: pytest.StashKey[dict[object, Any]] = pytest.StashKey()
"""Key of what the items of a run share, by its class."""


def joint(config: pytest.Config, class_: Callable[[pytest.Config, Sequence[pytest.Function]], _T]) -> _T:
    """Return the object of a class that the items of a run share, made of all items that change a catalog."""
    shared = config.stash.setdefault(_JOINT, {})
    if class_ not in shared:
        shared[class_] = class_(config, config.stash[RUN].changing)
    made: _T = shared[class_]
    return made


class JointApplies:
    """The applies of a run, by the catalogs that they change."""

    def __init__(self, config: pytest.Config, items: Sequence[pytest.Function]) -> None:
        self._config = config
        self._items = items
        self._node_ids = {item.cls.table.name: item.nodeid for item in items}
        self._applies: dict[int, BatchedApplies] = {}

    def apply(self, item: pytest.Function, gate: Gate) -> TableOutcome:
        """Return the outcome of the apply of an item."""
        # A worker of xdist does not know which items it is going to run, and reports no other table than theirs.
        knows_items = not is_worker(self._config)
        if id(gate) not in self._applies:
            tables = [other.cls.table for other in self._items if knows_items and share_a_catalog(item, other)]
            note = self._note if knows_items else lambda *_: None
            self._applies[id(gate)] = BatchedApplies(gate, tables, self._config.stash[RUN].progress, note)
        applies = self._applies[id(gate)]
        return applies.apply(item.cls.table) if knows_items else applies.apply_with_parents(item.cls.table)

    def _note(self, table: Table, outcome: TableOutcome) -> None:
        note_unreported(self._config, self._node_ids[table.name], outcome)


def note_unreported(config: pytest.Config, node_id: str, outcome: TableOutcome) -> None:
    """Give the outcome of a table whose item has not run to what reports it, because that item may never run."""
    for name in (SUMMARY, REPORTS):
        collector: Any = config.pluginmanager.getplugin(name)
        if collector is not None:
            collector.note_unreported(node_id, outcome)


def share_a_catalog(item: pytest.Function, other: pytest.Function) -> bool:
    """Whether two items get one catalog; a fixture of a folder, module or test may give others."""
    fixture = shared_fixture(item, "delta_catalog")
    return fixture is not None and shared_fixture(other, "delta_catalog") is fixture


class SchemaContract:
    """The check of every schema with ``--delta-drift``, unless the setting ``unmanaged`` is ``ignore``."""

    schema: tuple[str, str]
    origin: DeclaredAt

    @check
    def unmanaged(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """Every table of the schema is declared, or matches a pattern of ``unmanaged_ignore``."""
        from pytest_delta_schema.engine.checks import check_schema

        run = request.config.stash[RUN]
        outcome = check_schema(
            self.schema,
            run.gate(delta_catalog),
            ignored=run.options.unmanaged_ignore,
            fails=run.options.unmanaged == FAIL,
            origin=self.origin,
        )
        report_outcome(request.node, outcome)


class EnforcementContract:
    """The check of the constraints of every table with ``--delta-enforce``."""

    table: Table

    @check
    @pytest.mark.usefixtures("_delta_started")
    def enforces(self, request: pytest.FixtureRequest, delta_catalog: Catalog, _delta_scratch: Any) -> None:
        """A scratch table takes rows that satisfy the contract, and stops those that break a constraint."""
        if self.table.read_only:
            skip_item("the contract is read-only; nothing of it can be enforced")
        declarations = request.config.stash[RUN].declarations
        outcome = enforcement_outcome(self.table, declarations, delta_catalog, _delta_scratch)
        report_unless_shown(request, self.table, outcome)


@cache
def with_enforcement(contract: type[StandardContract]) -> type[StandardContract]:
    """Return a contract with the check of constraints behind its other checks."""
    return type(f"{contract.__name__}WithEnforcement", (EnforcementContract, contract), {})


def enforcement_outcome(table: Table, declarations: Declarations, catalog: Catalog, scratch: Scratch) -> TableOutcome:
    """Create a scratch table of a model, and write rows to it that satisfy or break the contract."""
    model, violations = declarations.bound(table), declarations.violations(table)
    if violations:
        return table_outcome(model, declarations, CheckKind.ENFORCES, Status.BLOCKED, diagnostics=violations)
    if not isinstance(catalog, AppendsRows):
        msg = f"{table.qualified_name}: the catalog {type(catalog).__name__} cannot append rows; give it append_rows"
        return failed_outcome(model, declarations, CheckKind.ENFORCES, StatementError(msg))
    from pytest_delta_schema.test_kit.enforcement import enforcement_rows, try_constraints

    try:
        rows = enforcement_rows(table)
        made = scratch.table(table, None, None)
        trial = try_constraints(catalog, made, rows, model.name)
    except DeltaSchemaError as error:
        return failed_outcome(model, declarations, CheckKind.ENFORCES, error)
    return table_outcome(
        model,
        declarations,
        CheckKind.ENFORCES,
        Status.UNENFORCED if trial.faults else Status.ENFORCED,
        diagnostics=trial.faults,
        notes=trial.notes,
        backend=catalog.name,
    )


class EntryDriftContract(DriftContract):
    """The check of every catalog entry with ``--delta-drift``."""

    @check
    @pytest.mark.usefixtures("_delta_entry_readable")
    def metadata(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The catalog entry shows what the Delta log holds."""
        from pytest_delta_schema.engine.checks import check_entry

        report_outcome(request.node, check_entry(self.table, request.config.stash[RUN].gate(delta_catalog)))


class EntryApplyContract(ApplyContract):
    """The synchronisation of every catalog entry with ``--delta-apply``."""

    @check
    def metadata(self, request: pytest.FixtureRequest, delta_catalog: SyncsEntries) -> None:
        """The metadata of the Delta log is written to the catalog entry; data files are not touched."""
        from pytest_delta_schema.engine.checks import sync_entries

        declarations, tables = request.config.stash[RUN].declarations, [self.table]
        outcome = once(
            request.node,
            lambda: sync_entries(tables, delta_catalog, declarations, recreates=False)[self.table.name],
        )
        report_outcome(request.node, outcome)


class EntrySyncContract(StandardContract):
    """The synchronisation of every catalog entry with ``--delta-sync-metadata``."""

    @check
    def metadata(self, request: pytest.FixtureRequest, delta_catalog: SyncsEntries) -> None:
        """The metadata of the Delta log is written to the catalog entry, which may be deleted and created again."""
        syncs = joint(request.config, JointSyncs)
        report_outcome(request.node, once(request.node, lambda: syncs.sync(request.node, delta_catalog)))


_FOLDER = "delta_schema_synced"
"""The name, in the input of workers, of the folder in which they share outcomes."""


class JointSyncs:
    """The synchronisations of a run, by the catalogs that they change."""

    def __init__(self, config: pytest.Config, items: Sequence[pytest.Function]) -> None:
        self._config = config
        self._items = items
        self._outcomes: dict[str, TableOutcome] = {}

    def sync(self, item: pytest.Function, catalog: SyncsEntries) -> TableOutcome:
        """Return the outcome of an item; the first of a catalog synchronises the entries of all its items."""
        if item.nodeid not in self._outcomes:
            batch = [other for other in self._items if share_a_catalog(item, other)]
            if all(other.nodeid != item.nodeid for other in batch):
                batch = [item]
            self._outcomes |= self._sync(batch, catalog)
            if not is_worker(self._config):
                for other in batch:
                    outcome = self._outcomes[other.nodeid]
                    if other.nodeid != item.nodeid and outcome.status is Status.SYNCED:
                        note_unreported(self._config, other.nodeid, outcome)
        return self._outcomes[item.nodeid]

    def _sync(self, items: Sequence[pytest.Function], catalog: SyncsEntries) -> dict[str, TableOutcome]:
        """Synchronise entries, and return the outcomes by the ids of their items; workers do it once for all."""
        folder: str | None = getattr(self._config, "workerinput", {}).get(_FOLDER)
        if folder is None or items[0] not in self._items:
            return self._now(items, catalog)
        from filelock import FileLock

        path = Path(folder, f"{self._items.index(items[0])}.json")
        with FileLock(f"{path}.lock"):
            if not path.exists():
                outcomes = self._now(items, catalog)
                path.write_text(json.dumps({name: outcome.to_json() for name, outcome in outcomes.items()}), "utf-8")
        return {name: TableOutcome.from_json(values) for name, values in json.loads(path.read_text("utf-8")).items()}

    def _now(self, items: Sequence[pytest.Function], catalog: SyncsEntries) -> dict[str, TableOutcome]:
        from pytest_delta_schema.engine.checks import sync_entries

        tables = {item.nodeid: item.cls.table for item in items}
        declarations = self._config.stash[RUN].declarations
        outcomes = sync_entries(list(tables.values()), catalog, declarations, recreates=True)
        return {node_id: outcomes[table.name] for node_id, table in tables.items()}


class SharedOutcomes:
    """Gives the workers of xdist on this machine a folder in which the first one leaves its outcomes for the others."""

    def __init__(self) -> None:
        self._folder: str | None = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give a worker the folder."""
        self._folder = share_folder(node, _FOLDER, self._folder)

    def pytest_unconfigure(self) -> None:
        """Remove the folder."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
