"""Properties of this package that hold something else than it writes."""

from __future__ import annotations

import pytest

from pytest_delta_schema.backends.problems import is_damaged
from pytest_delta_schema.state.delta_log import decode_owned
from pytest_delta_schema.state.keys import keys_in_properties
from pytest_delta_schema.state.states import MalformedPropertyError
from support.tables import NAME


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pytest_delta_schema.primaryKey", "id"),
        ("pytest_delta_schema.primaryKey", '{"name": "pk"}'),
        ("pytest_delta_schema.unique.u", "[]"),
        ("pytest_delta_schema.foreignKey.f", '{"name": "f", "columns": ["id"], "parent": "p"}'),
        ("pytest_delta_schema.foreignKey.f", "[" * 100_000),
    ],
    ids=["no JSON", "no columns", "list", "parent", "nested deeply"],
)
def test_a_malformed_key_is_named(key, value):
    with pytest.raises(MalformedPropertyError) as caught:
        keys_in_properties({key: value})

    assert caught.value.key == key


def test_a_malformed_record_of_owned_properties_is_named_with_the_statement_that_removes_it():
    with pytest.raises(MalformedPropertyError) as caught:
        decode_owned("7")

    assert str(is_damaged(NAME, caught.value)) == (
        "dev.silver.orders: the property pytest_delta_schema.ownedProperties is malformed; remove it (ALTER TABLE"
        " `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('pytest_delta_schema.ownedProperties')), and apply the"
        " model again [DS503 DamagedTable]"
    )
