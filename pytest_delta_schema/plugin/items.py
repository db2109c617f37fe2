"""The checks of tables and schemas: which a run has, what each one does, and the items that pytest shows for them."""

from __future__ import annotations

from dataclasses import replace
from types import MethodType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pytest

from pytest_delta_schema.backends.backend import find_backend
from pytest_delta_schema.diagnostics.errors import DeltaSchemaError, StatementError
from pytest_delta_schema.diagnostics.text import printed_line
from pytest_delta_schema.engine.declarations import node_name
from pytest_delta_schema.engine.gate import BatchedApplies
from pytest_delta_schema.engine.outcomes import CheckKind, Status, TableOutcome
from pytest_delta_schema.engine.plan_outcomes import failed_outcome, rules_outcome, snapshot_outcome, table_outcome
from pytest_delta_schema.execute.protocols import AppendsRows
from pytest_delta_schema.models.ownership import FAIL, IGNORE
from pytest_delta_schema.plugin.compat import failure_at, generated, shared_fixture, skip_item
from pytest_delta_schema.plugin.failures import ContractFailure, add_properties, representation
from pytest_delta_schema.plugin.options import ADOPT, AGAINST, APPLY, DRIFT, IMPORT, SYNC, WRITES_MODELS
from pytest_delta_schema.plugin.outcomes import note_outcome, report_outcome
from pytest_delta_schema.plugin.registration import RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from syrupy.assertion import SnapshotAssertion

    from pytest_delta_schema.engine.declarations import Declarations
    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.execute.protocols import Catalog, SyncsEntries
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.compat import TerminalRepr
    from pytest_delta_schema.plugin.options import Options
    from pytest_delta_schema.plugin.run import ContractRun
    from pytest_delta_schema.plugin.scratch import Scratch


_KINDS = {kind.value: kind for kind in CheckKind}


class Check(NamedTuple):
    """A row of the table of checks: an item of each table, or of each schema."""

    name: str
    function: Callable[..., None]
    """It gets the item, as a method gets its object, and fixtures as its other parameters."""
    phase: int
    is_asked_for: Callable[[Options], bool]
    prepare: Callable[[ContractItem, Catalog], None] | None = None
    """The end of set-up: what fails there is an error, and no failure."""
    is_of_schema: bool = False


class ContractNode(pytest.Class):
    """A table, or a schema, with its checks: a class for editors and plugins, which know no other kind of group."""

    parent: pytest.Module

    def __init__(self, *, subject: str, table: Table, checks: Sequence[Check], **others: Any) -> None:
        super().__init__(**others)
        self.obj = _Contract
        self.subject = subject
        self.table = table
        """The model, or the first one in the schema, where a schema is reported."""
        self._checks = checks

    @classmethod
    def of(cls, parent: pytest.Module, subject: str, table: Table, checks: Sequence[Check]) -> ContractNode:
        """Return the node of a subject with a dotted name."""
        node: ContractNode = cls.from_parent(
            parent, name=node_name(subject), subject=subject, table=table, checks=checks
        )
        return node

    def collect(self) -> Iterator[ContractItem]:
        """Yield the checks that ``-m`` may select; most runs ask for one of three."""
        run = self.config.stash[RUN]
        marks = {mark.name for mark in self.iter_markers()}
        for check in self._checks:
            if run.is_selected is not None and not run.is_selected({*marks, "delta", f"delta_{check.name}"}):
                run.left_out.append(check.name)
                continue
            counted_as = {"metadata": run.options.mode, "unmanaged": DRIFT}.get(check.name, check.name)
            for arguments in self._arguments(check):
                item = ContractItem.from_parent(self, check=check, **arguments)
                add_properties(item, table=self.subject, check=counted_as)
                yield item

    def _arguments(self, check: Check) -> Sequence[Mapping[str, Any]]:
        """Return the arguments of the items of a check; what pytest computes is reused for all tables of a module."""
        known = self.parent.stash.setdefault(_KNOWN, {})
        if check not in known:
            made = generated(self, check.name, check.function)
            if "callspec" in made[0]:
                return made
            known[check] = made
        return known[check]


_CATALOGS = ("delta_scratch_catalog", "delta_catalog")
"""The fixtures of catalogs that checks ask for, each for one of them."""

_KNOWN: pytest.StashKey[dict[Check, Sequence[Mapping[str, Any]]]] = pytest.StashKey()


class ContractItem(pytest.Function):
    """One check of the subject of its node, reported where that is declared."""

    parent: ContractNode

    def __init__(self, *, check: Check, **others: Any) -> None:
        super().__init__(**others)
        self.obj = MethodType(check.function, self)
        self.check = check
        self.check_kind = _KINDS.get(check.name)
        self.subject = self.parent.subject

    @property
    def table(self) -> Table:
        """The model."""
        return self.parent.table

    def prepare_delta_check(self) -> None:
        """Stop with one line if the check cannot run; the fixtures are set up."""
        if self.check.prepare is not None and not self.config.option.setupplan:
            catalog = next(fixture for name in _CATALOGS if (fixture := self.funcargs.get(name)) is not None)
            self.check.prepare(self, cast("Catalog", catalog))

    def reportinfo(self) -> tuple[str, int, str]:
        """Return the location of the declaration."""
        origin = self.table.origin
        return origin.path, origin.line - 1, printed_line(f"{self.subject} {self.name}")

    def repr_failure(  # type: ignore[override]  # Function takes no style
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> str | TerminalRepr:
        """Show findings without a traceback, and everything else with one."""
        if isinstance(excinfo.value, ContractFailure):
            return representation(excinfo.value, self.table.origin)
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
    """The item of a table that no module of the run declares; its name is that of a check, such as ``import``.

    Its function returns what is to be reported, or raises or skips by itself.
    """

    def __init__(self, *, table: str, act: Callable[[], TableOutcome | None], **others: Any) -> None:
        super().__init__(**others)
        self.subject = table
        self.check_kind = _KINDS.get(self.name)
        self._act = act
        self.add_marker("delta")
        self.add_marker(f"delta_{self.name}")
        add_properties(self, table=table, check=self.name)

    @classmethod
    def of(cls, parent: ProjectNode, table: str, check: str, act: Callable[[], TableOutcome | None]) -> ProjectItem:
        """Return the item of a table, below its own node."""
        node = NameNode.from_parent(parent, name=node_name(table))
        item: ProjectItem = cls.from_parent(node, name=check, table=table, act=act)
        return item

    def runtest(self) -> None:
        """Call the function, and report what it returns."""
        outcome = self._act()
        if outcome is not None:
            report_outcome(self, outcome)

    def reportinfo(self) -> tuple[str, int, str]:
        """Return the project file, and the name of the table."""
        return str(self.path), 0, printed_line(f"{self.subject} {self.name}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show a finding without a traceback, and everything else with one."""
        failure = excinfo.value
        if isinstance(failure, ContractFailure):
            return failure_at(str(self.path), 1, failure.summary, f"{failure}\n")
        return super().repr_failure(excinfo, style)


class CatalogListing(pytest.Function):
    """Opens the catalog of the run before there are items."""

    check_kind = None

    @classmethod
    def of(cls, parent: pytest.Collector, use: Callable[[Catalog], None]) -> CatalogListing:
        """Return an item that gives the catalog to a function."""

        def listing(delta_catalog: Catalog) -> None:
            use(delta_catalog)

        item: CatalogListing = cls.from_parent(parent, name=IMPORT, callobj=listing)
        return item


def once(item: pytest.Item, change: Callable[[], TableOutcome]) -> TableOutcome:
    """Return the outcome of a change of the catalog, which is made once, even if another plugin runs the item again."""
    if _FIRST not in item.stash:
        item.stash[_FIRST] = change()
    return item.stash[_FIRST]


_FIRST: pytest.StashKey[TableOutcome] = pytest.StashKey()


def report_unless_shown(item: ContractItem, outcome: TableOutcome) -> None:
    """Make an outcome the result of an item; what the check ``rules`` fails for in this run skips the item."""
    run, table = item.config.stash[RUN], item.table
    if table.name in run.checked_by_rules and run.declarations.violations(table):
        note_outcome(item, outcome)
        skip_item("the declaration breaks a rule; the check rules of this table shows it")
    report_outcome(item, outcome)


def table_is_readable(item: ContractItem, catalog: Catalog) -> None:
    """The table can be read."""
    from pytest_delta_schema.plugin.catalogs import require_readable_table

    require_readable_table(item, item.config.stash[RUN].gate(catalog))


def table_is_applied(item: ContractItem, catalog: Catalog) -> None:
    """The table can be read, and is in the plan that is applied, if that is one of a file."""
    reviewed = item.config.stash[RUN].reviewed
    if reviewed is not None and item.table.name not in reviewed.by_name:
        skip_item("not in the plan")
    table_is_readable(item, catalog)


def entry_is_readable(item: ContractItem, catalog: Catalog) -> None:
    """The table and its catalog entry can be read."""
    from pytest_delta_schema.plugin.catalogs import require_readable_entry

    require_readable_entry(item, item.config.stash[RUN].gate(catalog))


def session_starts(_: ContractItem, catalog: Catalog) -> None:
    """The session of the catalog starts, if it has one."""
    from pytest_delta_schema.plugin.catalogs import start_catalog_session

    start_catalog_session(catalog)


def rules(item: ContractItem) -> None:
    """The declaration breaks no rule."""
    report_outcome(item, rules_outcome(item.table, item.config.stash[RUN].declarations))


def ddl(item: ContractItem, delta_snapshot: SnapshotAssertion) -> None:
    """The SQL that would create the table, and the state that it declares, are those that were reviewed."""
    from pytest_delta_schema.plugin.snapshots import mismatch
    from pytest_delta_schema.plugin.syrupy_compat import leave_out_parameters

    leave_out_parameters(delta_snapshot)
    run = item.config.stash[RUN]
    outcome = rules_outcome(item.table, run.declarations)
    if not outcome.status.passes:
        run.without_snapshot.append(item.nodeid)
        report_unless_shown(item, outcome)
    fault = mismatch(delta_snapshot, run.declarations.reviewed_texts(item.table))
    if fault is None:
        report_outcome(item, outcome)
        return
    note_outcome(item, snapshot_outcome(item.table, fault.head, fault.remedy))
    name = item.table.qualified_name
    subject = f"{name}: {fault.head}"
    raise ContractFailure(subject, fault.body, name)


def drift(item: ContractItem, delta_catalog: Catalog) -> None:
    """The catalog holds what the model declares."""
    run = item.config.stash[RUN]
    gate = run.gate(delta_catalog)
    outcome = gate.drift(item.table)
    if run.planning is not None:
        outcome = replace(outcome, planned=gate.planned(item.table))
    report_unless_shown(item, outcome)


def metadata(item: ContractItem, delta_catalog: Catalog) -> None:
    """The catalog entry shows what the Delta log holds."""
    from pytest_delta_schema.engine.checks import check_entry

    gate = item.config.stash[RUN].gate(delta_catalog)
    report_outcome(item, check_entry(item.table, gate))


def unmanaged(item: ContractItem, delta_catalog: Catalog) -> None:
    """Every table of the schema is declared, or matches a pattern of ``unmanaged_ignore``."""
    from pytest_delta_schema.engine.checks import check_schema

    run, table = item.config.stash[RUN], item.table
    outcome = check_schema(
        table.name[:2],
        run.gate(delta_catalog),
        ignored=run.options.unmanaged_ignore,
        fails=run.options.unmanaged == FAIL,
        origin=table.origin,
    )
    report_outcome(item, outcome)


def apply(item: ContractItem, delta_catalog: Catalog) -> None:
    """The table is aligned with its model, and read back."""
    run = item.config.stash[RUN]
    gate = run.gate(delta_catalog)
    report_unless_shown(item, once(item, lambda: run.joint(JointApplies).apply(item, gate)))


def sync_entry(item: ContractItem, delta_catalog: SyncsEntries) -> None:
    """The metadata of the Delta log is written to the catalog entry; data files are not touched.

    With ``--delta-sync-metadata`` an entry may be deleted and created again.
    """
    from pytest_delta_schema.engine.checks import sync_entries

    run = item.config.stash[RUN]
    if run.reviewed is not None:
        skip_item("the plan of a file is applied, and nothing else")

    def synced() -> TableOutcome:
        if run.options.mode == SYNC:
            return run.joint(JointSyncs).sync(item, delta_catalog)
        return sync_entries([item.table], delta_catalog, run.declarations, recreates=False)[item.table.name]

    report_outcome(item, once(item, synced))


def adopt(item: ContractItem, delta_catalog: Catalog) -> None:
    """The model declares what the table has, by an edit of its source if that is needed."""
    run = item.config.stash[RUN]
    if run.adopting is not None:
        run.adopting.require(item, run.gate(delta_catalog))


def compat(item: ContractItem) -> None:
    """The change of the declaration breaks nobody."""
    run = item.config.stash[RUN]
    comparison = run.require_comparison()
    outcome = comparison.outcome(item.table)
    if run.planning is not None and run.options.mode == AGAINST:
        outcome = replace(outcome, planned=comparison.planned(item.table))
    report_unless_shown(item, outcome)


def odcs(item: ContractItem) -> None:
    """The model and the data contract of the table say the same."""
    run = item.config.stash[RUN]
    report_unless_shown(item, run.data_contracts.outcome(item.table, run.declarations))


def enforces(item: ContractItem, delta_scratch_catalog: Catalog, _delta_scratch: Any) -> None:
    """A scratch table takes rows that satisfy the contract, and stops those that break a constraint."""
    if item.table.read_only:
        skip_item("the contract is read-only; nothing of it can be enforced")
    declarations = item.config.stash[RUN].declarations
    report_unless_shown(item, enforcement_outcome(item.table, declarations, delta_scratch_catalog, _delta_scratch))


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


def _in_mode(*modes: str | None) -> Callable[[Options], bool]:
    return lambda options: options.mode in modes


def _of_entries(*modes: str | None) -> Callable[[Options], bool]:
    return lambda options: options.mode in modes and find_backend(options.backend).keeps_entries


PLAIN, READS, CHANGES, SCRATCH = range(4)
"""The phases of a run, in order; checks of the last one, and tests with a catalog, create their own tables."""

CHECKS = tuple(
    check._replace(function=pytest.mark.delta(getattr(pytest.mark, f"delta_{check.name}")(check.function)))
    for check in (
        Check("rules", rules, PLAIN, lambda options: options.mode not in WRITES_MODELS),
        Check("ddl", ddl, PLAIN, lambda options: options.mode not in WRITES_MODELS),
        Check("drift", drift, READS, _in_mode(DRIFT), table_is_readable),
        Check("metadata", metadata, READS, _of_entries(DRIFT), entry_is_readable),
        Check("apply", apply, CHANGES, _in_mode(APPLY), table_is_applied),
        Check("metadata", sync_entry, CHANGES, _of_entries(APPLY, SYNC)),
        Check("adopt", adopt, READS, _in_mode(ADOPT), table_is_readable),
        Check("enforces", enforces, SCRATCH, lambda options: options.enforces, session_starts),
        Check("compat", compat, PLAIN, lambda options: bool(options.against)),
        Check("odcs", odcs, PLAIN, lambda options: bool(options.data_contracts) and options.mode not in WRITES_MODELS),
        Check("unmanaged", unmanaged, READS, lambda options: options.unmanaged != IGNORE, is_of_schema=True),
    )
)
"""Every check, in the order of the items of a table."""


_Contract = type("Contract", (), {check.name: check.function for check in CHECKS})
"""The class of every node, in which pytest looks up how the functions are called."""


def nodes_of(parent: pytest.Module, table: Table, variable: str) -> list[ContractNode]:
    """Return the node of a table, and that of its schema if this is the first table in it."""
    run = parent.config.stash[RUN]
    checks = [check for check in CHECKS if check.is_asked_for(run.options)]
    if run.options.data_contracts and not run.data_contracts.describes(table):
        checks = [check for check in checks if check.function is not odcs]
    node = ContractNode.of(parent, table.qualified_name, table, [check for check in checks if not check.is_of_schema])
    node.extra_keyword_matches.add(variable)
    of_schema = [check for check in checks if check.is_of_schema]
    if not of_schema or run.schemas.setdefault(table.name[:2], table) is not table:
        return [node]
    return [node, ContractNode.of(parent, ".".join(table.name[:2]), table, of_schema)]


class JointApplies:
    """The applies of a run, by the catalogs that they change."""

    def __init__(self, run: ContractRun) -> None:
        self._run = run
        self._items = run.changing
        self._node_ids = {item.table.name: item.nodeid for item in run.changing}
        self._applies: dict[int, BatchedApplies] = {}

    def apply(self, item: ContractItem, gate: Gate) -> TableOutcome:
        """Return the outcome of the apply of an item."""
        if id(gate) not in self._applies:
            tables = [other.table for other in self._items if share_a_catalog(item, other)]
            if gate.reviewed is not None:
                tables = [table for table in tables if table.name in gate.reviewed.by_name]
            self._applies[id(gate)] = BatchedApplies(gate, tables, self._run.progress, self._note)
        return self._applies[id(gate)].apply(item.table)

    def _note(self, table: Table, outcome: TableOutcome) -> None:
        self._run.note_unreported(self._node_ids[table.name], outcome)


class JointSyncs:
    """The synchronisations of a run with ``--delta-sync-metadata``, by the catalogs that they change."""

    def __init__(self, run: ContractRun) -> None:
        self._run = run
        self._items = run.changing
        self._outcomes: dict[str, TableOutcome] = {}

    def sync(self, item: ContractItem, catalog: SyncsEntries) -> TableOutcome:
        """Return the outcome of an item; the first of a catalog synchronises the entries of all its items."""
        from pytest_delta_schema.engine.checks import sync_entries

        if item.nodeid not in self._outcomes:
            batch = [other for other in self._items if share_a_catalog(item, other)]
            batch = batch if item in batch else [item]
            tables = [other.table for other in batch]
            outcomes = sync_entries(tables, catalog, self._run.declarations, recreates=True)
            self._outcomes |= {other.nodeid: outcomes[other.table.name] for other in batch}
            for other in batch:
                outcome = self._outcomes[other.nodeid]
                if other is not item and outcome.status is Status.SYNCED:
                    self._run.note_unreported(other.nodeid, outcome)
        return self._outcomes[item.nodeid]


def share_a_catalog(item: pytest.Function, other: pytest.Function) -> bool:
    """Whether two items get one catalog; a fixture of a folder, module or test may give others."""
    fixture = shared_fixture(item, "delta_catalog")
    return fixture is not None and shared_fixture(other, "delta_catalog") is fixture
