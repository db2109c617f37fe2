"""Tables that no backend clones."""

from __future__ import annotations

import pytest

from pytest_delta_schema.backends.problems import require_commits_in_log
from pytest_delta_schema.diagnostics.errors import StatementError
from support.tables import state


@pytest.mark.parametrize("feature", ["delta.feature.catalogManaged", "delta.feature.catalogOwned-preview"])
def test_a_table_whose_commits_are_in_a_catalog_is_not_cloned(feature):
    with pytest.raises(StatementError) as caught:
        require_commits_in_log(state(table_properties={feature: "supported"}))

    assert str(caught.value) == (
        "dev.silver.orders cannot be cloned: its newest commits are in a catalog, and not in its log; create the table"
        " with make_delta_table, and insert its rows"
    )


def test_other_tables_are():
    require_commits_in_log(state(table_properties={"delta.feature.deletionVectors": "supported"}))
