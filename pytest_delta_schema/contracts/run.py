"""What one pytest run knows: its tables, its rules, and what the catalog showed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_delta_schema.contracts.options import Options
    from pytest_delta_schema.errors import DeltaSchemaError, Violation
    from pytest_delta_schema.execute.ddl import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.rules.validator import PlanValidator
    from pytest_delta_schema.state.states import CatalogState


class ContractRun:
    """The state of one run; engine parts are imported when a table needs them.

    Args:
        config: The run's configuration.
        options: Its checked options.
    """

    def __init__(self, config: pytest.Config, options: Options) -> None:
        self.options = options
        self.tables: dict[QualifiedName, Table] = {}
        self.selected: list[Table] = []
        self._config = config
        self._violations: dict[QualifiedName, tuple[Violation, ...]] = {}
        self._states: dict[int, tuple[Catalog, CatalogState | DeltaSchemaError]] = {}

    def declare(self, table: Table) -> Table:
        """Note a table, and return the one that was noted first under its name."""
        return self.tables.setdefault(table.name, table)

    @cached_property
    def validator(self) -> PlanValidator:
        """The standard rules, the project's own, and what was consented to."""
        from pytest_delta_schema.rules.validator import DEFAULT_MODEL_RULES, PlanValidator, default_plan_rules

        hook = self._config.hook
        model_rules = hook.pytest_delta_schema_model_rules(config=self._config)
        plan_rules = hook.pytest_delta_schema_plan_rules(config=self._config)
        return PlanValidator(
            model_rules=[*DEFAULT_MODEL_RULES, *(rule for some in model_rules for rule in some)],
            plan_rules=[*default_plan_rules(self.options.consents), *(rule for some in plan_rules for rule in some)],
        )

    def violations(self, table: Table) -> tuple[Violation, ...]:
        """Return the rules that a declaration breaks; they are run once a table, however many checks ask."""
        known = self._violations.get(table.name)
        if known is None:
            known = self._violations[table.name] = self.validator.model_violations([table])
        return known

    def state(self, catalog: Catalog) -> CatalogState:
        """Return what ``catalog`` showed of the selected tables: all of them are read at once, the first time.

        Raises:
            DeltaSchemaError: If it could not be read at all; the same one every time.
        """
        from pytest_delta_schema.errors import DeltaSchemaError

        known = self._states.get(id(catalog))
        if known is None:
            seen: CatalogState | DeltaSchemaError
            try:
                seen = catalog.snapshot(self.selected)
            except DeltaSchemaError as error:
                seen = error
            # The catalog is kept beside its state, so that no other one can get its identity.
            known = self._states[id(catalog)] = (catalog, seen)
        if isinstance(known[1], Exception):
            raise known[1]
        return known[1]


RUN = pytest.StashKey[ContractRun]()
"""Where the run is found in the configuration's stash."""
