"""Apply the tables of a run one by one; those that do not exist are created together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.diagnostics.errors import DeltaSchemaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_delta_schema.engine.apply_progress import ApplyProgress
    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.engine.outcomes.outcome import TableOutcome
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table


class BatchedApplies:
    """Applies tables one by one, and creates with the first missing one all others that can be created then.

    What each apply returns is the same as that of :meth:`Gate.apply`. A table is left to its own apply if a table that
    it references has to be changed first or was not created, if it is converted, and if its foreign keys form a circle.

    The models come after those that they reference. ``created`` is called with each table that was created before its
    turn, and the outcome of its apply.
    """

    def __init__(
        self,
        gate: Gate,
        models: Iterable[Table],
        progress: ApplyProgress,
        created: Callable[[Table, TableOutcome], object],
    ) -> None:
        self._gate = gate
        self._progress = progress
        self._created = created
        self._pending = {model.name: model for model in models}
        self._outcomes: dict[QualifiedName, TableOutcome] = {}

    def apply(self, table: Table) -> TableOutcome:
        """Return the outcome of an apply, which may have been made with that of an earlier table."""
        if table.name in self._pending and self._is_missing(table):
            self._create(table)
        self._pending.pop(table.name, None)
        if table.name not in self._outcomes:
            self._outcomes[table.name] = self._gate.apply(table, progress=self._progress)
        return self._outcomes[table.name]

    def apply_with_parents(self, table: Table) -> TableOutcome:
        """Return the outcome of an apply, after those of the tables that a table references, directly or not."""
        tables = self._gate.declarations.with_parents(table, self._gate.models)
        self._pending = {model.name: model for model in tables if model.name not in self._outcomes}
        return [self.apply(model) for model in tables][-1]

    def _create(self, table: Table) -> None:
        """Create the missing tables whose turn has not come; if they cannot be read, each is applied in its turn."""
        try:
            outcomes = self._gate.create(self._creatable(), progress=self._progress)
        except DeltaSchemaError:
            return
        self._outcomes |= outcomes
        for name in outcomes:
            model = self._pending.pop(name)
            if name != table.name:
                self._created(model, outcomes[name])

    def _creatable(self) -> list[Table]:
        """Return the missing tables that reference no table which has to be changed first."""
        creatable: dict[QualifiedName, Table] = {}
        for name, model in self._pending.items():
            parents = {key.parent for key in model.foreign_keys} - creatable.keys() - {name}
            waits = any(parent in self._pending and not self._is_in_sync(self._pending[parent]) for parent in parents)
            if not waits and self._is_missing(model):
                creatable[name] = model
        return list(creatable.values())

    def _is_missing(self, table: Table) -> bool:
        """Whether a table may be created before its turn, by what is known from the start of the run."""
        declarations, bound = self._gate.declarations, self._gate.declarations.bound(table)
        if (
            table.read_only
            or table.convert_from is not None
            or declarations.violations(table)
            or self._gate.unreadable(table)
        ):
            return False
        if self._gate.state().tables[bound.name].exists or len(declarations.apply_group(table, self._gate.models)) > 1:
            return False
        return bound.name == table.name or not declarations.validator.model_violations([bound.table])

    def _is_in_sync(self, model: Table) -> bool:
        """Whether a table whose turn has not come needs no change."""
        if self._gate.declarations.violations(model) or self._gate.unreadable(model):
            return False
        return self._gate.plan(model).is_empty
