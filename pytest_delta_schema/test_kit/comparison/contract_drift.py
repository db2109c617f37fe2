"""Compare a table with a model that may have another name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.assertions.contracts import assert_no_drift
from pytest_delta_schema.configuration.settings import current_settings
from pytest_delta_schema.diagnostics.errors import DriftError
from pytest_delta_schema.engine.bound_model import BoundModel, model_of_copy
from pytest_delta_schema.models.modes import IGNORE

if TYPE_CHECKING:
    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table


def contract_drift(model: Table, table: QualifiedName, catalog: Catalog) -> str:
    """Return how a table differs from a model, as the gate shows it; ``""`` if it does not.

    Raises:
        InvalidModelError: If the model breaks rules.
        CatalogReadError: If the table cannot be read.
    """
    named = BoundModel.of(model, current_settings()).table
    try:
        assert_no_drift(named if named.name == table else _renamed(model, table), catalog=catalog)
    except DriftError as error:
        return str(error)
    return ""


def _renamed(model: Table, name: QualifiedName) -> Table:
    names = dict(zip(("catalog_name", "schema_name", "table_name"), name, strict=True))
    owns = {**model.ownership, "foreign_keys": IGNORE}
    return model_of_copy(model, current_settings(), **names, owns=owns)
