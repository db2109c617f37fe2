"""What fixtures make in a catalog for one test: scratch tables, clones and probes of streams."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.backends.backend import find_backend
from pytest_delta_schema.configuration.settings import current_settings
from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, DeclarationError, DeltaSchemaError
from pytest_delta_schema.engine.declarations import BoundModel, model_of_copy
from pytest_delta_schema.engine.orchestrator import Orchestrator
from pytest_delta_schema.execute.protocols import ReadsRows, ReusesCreations
from pytest_delta_schema.models.names import QualifiedName, require_name
from pytest_delta_schema.models.table import Table, declared_name, derived, required_table
from pytest_delta_schema.plugin.options import without_scratch_catalog
from pytest_delta_schema.progress import step
from pytest_delta_schema.test_kit.rows import completed_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_delta_schema.execute.protocols import ClonesTables, ScratchCatalog
    from pytest_delta_schema.plugin.options import Options
    from pytest_delta_schema.plugin.run import ContractRun


SCRATCH_CATALOG = "scratch"


def scratch_refusal(catalog: ScratchCatalog, options: Options) -> str | None:
    """Return why the tests of a run may not create tables in a catalog; ``None`` if they may."""
    try:
        backend = find_backend(catalog.name)
    except BackendUnavailableError:  # the catalog is one of the tests
        return None
    if options.scratch_catalog or not backend.needs_scratch_catalog(options.mode):
        return None
    return without_scratch_catalog("this test", catalog.name)


class Scratch:
    """Makes schemas and tables, and drops all of them at the end.

    The name of the worker is part of the schemas' names, so those of parallel runs differ. ``home`` is the catalog of
    the schemas; ``""`` for that of the model.
    """

    def __init__(self, catalog: ScratchCatalog, worker: str, home: str = "") -> None:
        self._catalog = catalog
        self._worker = worker
        self._home_catalog = folded(home)
        self._schemas: list[tuple[str, str]] = []
        self._homes: dict[tuple[str, str], str] = {}
        self._made: set[str] = set()
        self._copies: dict[QualifiedName, Table] = {}

    @hides_traceback
    def schema(self, catalog_name: str | None = None) -> str:
        """Make an empty schema and return its dotted name, ``scratch.test_main_1f2e3d4c``."""
        if catalog_name is None:
            catalog_name = self._home_catalog or SCRATCH_CATALOG
        require_name(catalog_name, "the catalog of make_delta_schema")
        if not hasattr(self._catalog, "create_schema"):
            fact = f"tests need a scratch schema, and the {self._catalog.name} backend creates none"
            msg = f"{fact}; run them with another backend, such as local or memory"
            raise DeclarationError(msg)
        name = f"test_{self._worker}_{uuid.uuid4().hex[:8]}"
        self._schemas.append((folded(catalog_name), name))
        with step(f"creating the scratch schema {name}"):
            try:
                self._catalog.create_schema(folded(catalog_name), name)
            except DeltaSchemaError:  # there is none to drop; after an interruption there may be one
                self._schemas.pop()
                raise
        return f"{folded(catalog_name)}.{name}"

    @hides_traceback
    def table(self, model: Table, rows: Any, name: str | None, *, fill: bool = False) -> Table:
        """Make the table that ``model`` declares, in the scratch schema of its schema, and fill it."""
        required_table(model, "make_delta_table")
        if fill or isinstance(rows, int):
            rows = self._complete_rows(model, rows)
        (made,) = self._create([(model, self._named(model, name))])
        if rows is not None:
            self._catalog.insert(made.name, rows)
        return made

    @hides_traceback
    def tables(self, models: Iterable[Table]) -> tuple[Table, ...]:
        """Make the tables that models declare, parents first, and return them in the order of the models."""
        return self._create([(model, self._named(model, None)) for model in _listed(models)])

    def _complete_rows(self, model: Table, rows: Any) -> list[dict[str, Any]]:
        """Return rows with values for all columns, whose foreign keys take the rows of parents of this test."""
        parents: dict[Table | str, Any] = {}
        if isinstance(self._catalog, ReadsRows):
            copies = {key.parent: self._copies[key.parent] for key in model.foreign_keys if key.parent in self._copies}
            parents = {
                str(parent): self._catalog.rows(made.name) for parent, made in copies.items() if parent != model.name
            }
        if isinstance(rows, Mapping) or not isinstance(rows, (int, Iterable)):
            msg = f"{model.qualified_name}: fill=True completes rows, and was given {rows!r}; give a list of dicts"
            raise DeclarationError(msg)
        session = partial(getattr, self._catalog, "spark") if hasattr(type(self._catalog), "spark") else None
        return completed_rows(model, rows, {}, parents=parents, session=session)

    @hides_traceback
    def clone(self, table: Table, name: str | None) -> Table:
        """Clone the table that a model maps to, and return the model of the clone."""
        source = BoundModel.of(required_table(table, "delta_clone"), current_settings()).table
        schema = self._home(source)
        home = QualifiedName(schema["catalog_name"], schema["schema_name"], name or source.table_name)
        clone = derived(source, home, convert_from=None, origin=source.origin._replace(name=declared_name(source)))
        self._require_new([clone])
        self._catalog.read_tables([source.name]).existing(source.name)
        cast("ClonesTables", self._catalog).clone_table(source.name, clone.name)
        self._made.add(clone.qualified_name)
        self._copies[table.name] = clone
        return clone

    def _home(self, model: Table) -> dict[str, str]:
        """Return the names of the catalog and of the scratch schema for the tables of the schema of a model."""
        source = model.name.catalog, model.name.schema
        catalog = self._home_catalog or source[0]
        if source not in self._homes:
            self._homes[source] = self.schema(catalog).removeprefix(f"{catalog}.")
        return {"catalog_name": catalog, "schema_name": self._homes[source]}

    def _require_new(self, tables: Iterable[Table]) -> None:
        names = [table.qualified_name for table in tables]
        again = sorted({name for name in names if name in self._made or names.count(name) > 1})
        if again:
            verb = "is" if len(again) == 1 else "are"
            remedy = "give the second one a different name: make_delta_table(model, name=...)"
            msg = f"{', '.join(again)} {verb} made twice by this test; {remedy}"
            raise DeclarationError(msg)

    def _named(self, model: Table, name: str | None) -> Table:
        """Return the model under its name in a scratch schema, without foreign keys."""
        names = {**self._home(model), "table_name": name or model.table_name}
        return model_of_copy(model, current_settings().for_scratch_tables(), **names)

    def _create(self, pairs: Sequence[tuple[Table, Table]]) -> tuple[Table, ...]:
        """Create copies of models at once, with the foreign keys between the tables of this test, and return them."""
        self._require_new(copy for _, copy in pairs)
        parents = self._copies | {model.name: copy for model, copy in pairs}
        made: list[Table] = []
        for model, copy in pairs:
            keys = (
                replace(key, references=parents[key.parent], parent_columns=key.parent_key)
                for key in model.foreign_keys
                if key.parent in parents
            )
            made.append(derived(copy, foreign_keys=tuple(keys)))
        settings = current_settings().for_scratch_tables()
        repeats = self._catalog if isinstance(self._catalog, ReusesCreations) else None
        with nullcontext() if repeats is None else repeats.reuse_creations():
            Orchestrator.over(self._catalog, settings=settings).sync_tables(made)
        self._made.update(table.qualified_name for table in made)
        self._copies |= {model.name: table for (model, _), table in zip(pairs, made, strict=True)}
        return tuple(made)

    def clean_up(self) -> None:
        """Drop every schema that was made, with everything in it."""
        for catalog_name, schema_name in reversed(self._schemas):
            with step(f"dropping the scratch schema {schema_name}"):
                self._catalog.drop_schema(catalog_name, schema_name)


def _listed(models: object) -> list[Table]:
    if isinstance(models, Table):
        msg = f"make_delta_tables takes a list of tables, and was given {models.qualified_name} alone; write [table]"
        raise DeclarationError(msg)
    listed = [models] if isinstance(models, str) or not isinstance(models, Iterable) else list(models)
    tables = [model for model in listed if isinstance(model, Table)]
    wrong = [repr(model) for model in listed if not isinstance(model, Table)]
    if wrong:
        msg = f"make_delta_tables takes a list of tables, and was given {', '.join(wrong)}; give Table objects"
        raise DeclarationError(msg)
    return tables


def bound_by(run: ContractRun) -> Callable[[Table], Table]:
    """Return a function that finds the table to which a model maps in a run."""

    @hides_traceback
    def bound(model: Table) -> Table:
        return run.declarations.bound(required_table(model, "delta_bound")).table

    return bound
