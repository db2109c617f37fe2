"""The state of one pytest run: its tables, its settings, and the gates over its catalogs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pytest
    from pyspark.sql import SparkSession

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.engine.apply_progress import ApplyProgress
    from pytest_delta_schema.engine.comparison.contract_comparison import ContractComparison
    from pytest_delta_schema.engine.declarations import Declarations
    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.engine.source_map.source_locations import Listing
    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.options.option_values import Options
    from pytest_delta_schema.plugin.run.spark_watch import SparkWatch
    from pytest_delta_schema.rules.consent import Consent
    from pytest_delta_schema.settings.stack import PushedSettings
    from pytest_delta_schema.state import TableState


class ContractRun:
    """The tables of one run, and a gate for each catalog; the engine is imported when a table needs it."""

    def __init__(self, config: pytest.Config, options: Options, pushed: PushedSettings) -> None:
        self.options = options
        self.tables: dict[QualifiedName, Table] = {}
        self.listings: dict[QualifiedName, Listing] = {}
        self.schemas: dict[tuple[str, str], Table] = {}
        self.selected: list[Table] = []
        self.changing: list[pytest.Function] = []
        self.checked_by_rules: set[QualifiedName] = set()
        self.audited: set[int] = set()
        self.without_snapshot: list[str] = []
        self.modules_without_tables: dict[Path, str] = {}
        self.other_tests = 0
        self.is_refused = False
        self.has_started_spark = False
        self.spark_watch: SparkWatch | None = None
        self.comparison: ContractComparison | None = None
        self._config = config
        self._pushed = pushed
        self._gates: dict[int, Gate] = {}

    def watch(self, fixture: str, spark: SparkSession) -> None:
        """Watch the session on which a fixture depends, so the report names the test that stopped it."""
        if self.spark_watch is None:
            from pytest_delta_schema.plugin.run.spark_watch import SparkWatch

            self.spark_watch = SparkWatch()
        self.spark_watch.watch(fixture, spark)

    def declare(self, table: Table) -> Table:
        """Add a table, and return the one that was declared first under its name."""
        return self.tables.setdefault(table.name, table)

    def list_tables(self, path: Path, variable: str, tables: Iterable[Table]) -> None:
        """Note which tables of installed packages a variable lists, because they are reported there."""
        from pytest_delta_schema.plugin.source_links.source_root import SourceRoot

        sources = SourceRoot(self._config.rootpath)
        installed = [table for table in tables if not sources.is_own(table.origin.location)]
        if installed:
            from pytest_delta_schema.engine.source_map.source_locations import Listing
            from pytest_delta_schema.models.declared_at import FileVersion

            listing = Listing(path=str(path), variable=variable, version=FileVersion.of(str(path)))
            for table in installed:
                self.listings.setdefault(table.name, listing)

    @property
    def settings(self) -> Settings:
        """The settings of the run."""
        settings: Settings = self._pushed.settings()
        return settings

    @cached_property
    def progress(self) -> ApplyProgress:
        """The progress of the applies of the run."""
        from pytest_delta_schema.engine.apply_progress import ApplyProgress

        return ApplyProgress()

    @cached_property
    def declarations(self) -> Declarations:
        """All collected tables under the settings of the run."""
        from pytest_delta_schema.engine.declarations import Declarations

        return Declarations(self.settings, self.tables, self.listings)

    def gate(self, catalog: Catalog) -> Gate:
        """Return the gate over a catalog, which reads the selected tables once."""
        # A gate refers to its catalog, so no other catalog can get its ``id``.
        gate = self._gates.get(id(catalog))
        if gate is None:
            from pytest_delta_schema.engine.gate import Gate

            gate = self._gates[id(catalog)] = Gate(catalog, models=self.selected, declarations=self.declarations)
        return gate

    def catalogs(self) -> list[Catalog]:
        """Return the catalogs over which the run has gates."""
        return [gate.catalog for gate in self._gates.values()]

    def forget_gates(self) -> None:
        """Drop cached catalog states before pytest shuts down."""
        self._gates.clear()

    def states(self, table: Table) -> tuple[TableState, TableState | None]:
        """Return what a valid model wants, and what was read of its table; ``None`` if no catalog was read."""
        gate = next((gate for gate in self._gates.values() if gate.is_read), None)
        if gate is not None:
            return gate.states(table)
        from pytest_delta_schema.state.desired import desired_state

        return desired_state(self.declarations.bound(table).table), None

    def require_comparison(self) -> ContractComparison:
        """Return the comparison with the contracts of the past, which the collection has made.

        Raises:
            RuntimeError: If it has not, because another plugin has replaced the collection.
        """
        if self.comparison is None:
            msg = "nothing is compared, because another plugin has kept --delta-against from seeing the items"
            raise RuntimeError(msg)
        return self.comparison

    def used_consents(self) -> list[Consent]:
        """Return the consents that a table needed."""
        from pytest_delta_schema.engine.consent_audit import used_consents

        used = [used_consents(gate) for gate in self._gates.values() if gate.is_read]
        if self.comparison is not None:
            used.append([*self.comparison.used])
        known = self.settings.consents if used else ()
        return [consent for consent in known if any(consent in consents for consents in used)]

    def unused_consents(self) -> list[Consent] | None:
        """Return the consents of the project that no table needed; ``None`` if it cannot be known."""
        if not self.settings.project_consents or self._config.args_source is self._config.ArgsSource.ARGS:
            return None
        from pytest_delta_schema.engine.consent_audit import unused_consents

        unused = [unused_consents(gate) for gate in self._gates.values() if gate.is_read]
        if not unused or None in unused:
            return None
        return [consent for consent in unused[0] or () if all(consent in (other or ()) for other in unused)]
