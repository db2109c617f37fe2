"""Scratch schemas and tables for one test, made from models and cleaned up after it."""

from __future__ import annotations

import uuid
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.delta.folded_names import folded
from pytest_delta_schema.engine.assembly import declared
from pytest_delta_schema.engine.orchestrator import Orchestrator
from pytest_delta_schema.engine.settings import current_settings
from pytest_delta_schema.errors import DeclarationError
from pytest_delta_schema.models.names import require_name
from pytest_delta_schema.models.required_kinds import required_table
from pytest_delta_schema.models.table import Table
from pytest_delta_schema.progress import step

if TYPE_CHECKING:
    from pytest_delta_schema.execute.protocols import ScratchCatalog
    from pytest_delta_schema.models.constraints import ForeignKey
    from pytest_delta_schema.models.names import QualifiedName

SCRATCH_CATALOG = "scratch"


class Scratch:
    """Makes schemas and tables, and drops all of them at the end.

    Args:
        catalog: The catalog.
        worker: Part of the schemas' names, so that those of parallel runs differ.
    """

    def __init__(self, catalog: ScratchCatalog, worker: str) -> None:
        self._catalog = catalog
        self._worker = worker
        self._schemas: list[tuple[str, str]] = []
        self._homes: dict[str, str] = {}
        self._made: set[str] = set()
        self._copies: dict[QualifiedName, Table] = {}

    @hides_traceback
    def schema(self, catalog_name: str = SCRATCH_CATALOG) -> str:
        """Make an empty schema and return its dotted name, ``scratch.test_main_1f2e3d4c``."""
        require_name(catalog_name, "the catalog of make_delta_schema")
        name = f"test_{self._worker}_{uuid.uuid4().hex[:8]}"
        self._schemas.append((folded(catalog_name), name))
        with step(f"creating the scratch schema {name}"):
            self._catalog.create_schema(folded(catalog_name), name)
        return f"{folded(catalog_name)}.{name}"

    @hides_traceback
    def table(self, model: Table, rows: Any, name: str | None) -> Table:
        """Make the table that ``model`` declares, in the scratch schema of its catalog, and fill it.

        Its foreign keys reference the parents that were made before; those to other tables are left out.
        """
        required_table(model, "make_delta_table")
        catalog = model.name.catalog
        if catalog not in self._homes:
            self._homes[catalog] = self.schema(catalog).removeprefix(f"{catalog}.")
        values: dict[str, Any] = {field.name: getattr(model, field.name) for field in fields(model) if field.init}
        values.update(schema_name=self._homes[catalog], table_name=name or model.table_name, foreign_keys=())
        values.update(convert_from=None)  # a test never touches the files that a model consents to convert
        copy = Table(**values)
        if copy.qualified_name in self._made:
            msg = (
                f"{copy.qualified_name} was made by this test already; give the second one a name of its own: name=..."
            )
            raise DeclarationError(msg)
        self._made.add(copy.qualified_name)
        self._copies[model.name] = copy
        copy.foreign_keys = [self._key(key) for key in model.foreign_keys if key.parent in self._copies]
        settings = current_settings().for_scratch_tables()
        copy = declared(copy, settings)
        copy.is_bound = True
        Orchestrator.over(self._catalog, settings).sync_tables([copy])
        if rows is not None:
            self._catalog.insert(copy.name, rows)
        return copy

    def _key(self, key: ForeignKey) -> ForeignKey:
        """Return a foreign key that references the copy of its parent."""
        return replace(key, references=self._copies[key.parent], parent_columns=key.parent_key)

    def clean_up(self) -> None:
        """Drop every schema that was made, with everything in it."""
        for catalog_name, schema_name in reversed(self._schemas):
            with step(f"dropping the scratch schema {schema_name}"):
                self._catalog.drop_schema(catalog_name, schema_name)
