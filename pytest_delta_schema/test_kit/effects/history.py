"""Open the history of a table, and observe what a job adds to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from pytest_delta_schema.assertions.tracebacks import hides_traceback
from pytest_delta_schema.test_kit.comparison.contract_drift import contract_drift
from pytest_delta_schema.test_kit.effects.observation import Observation
from pytest_delta_schema.test_kit.tables import name_of, versions_in

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pytest_delta_schema.execute.protocols.catalog import Catalog
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.state.catalog_reader import CatalogReader
    from pytest_delta_schema.state.commits import Commit
    from pytest_delta_schema.test_kit.effects.effect import Effect


@hides_traceback
def effect_on(table: Table | str, catalog: Catalog) -> AbstractContextManager[Effect]:
    """Return a context that observes what its block does to a table, which it may create.

    Raises:
        DeclarationError: If the catalog cannot read commits.
    """
    name = name_of(table)
    observation = Observation(
        versions_in(catalog, "delta_effect"), name, lambda model: contract_drift(model, name, catalog)
    )
    return cast("AbstractContextManager[Effect]", observation)


@hides_traceback
def versions_of(table: Table | str, catalog: CatalogReader) -> tuple[Commit, ...]:
    """Return the commits of a table, the oldest first.

    Raises:
        CatalogReadError: If the table does not exist, or cannot be read.
        DeclarationError: If the catalog cannot read commits.
    """
    return versions_in(catalog, "delta_versions").commits(name_of(table))
