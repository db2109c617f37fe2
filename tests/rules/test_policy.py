"""Which policy for changes of contracts holds for a table."""

from __future__ import annotations

import pytest

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.rules.policy import CompatibilityEntry, CompatibilityPolicy, compatibility_of

ORDERS = QualifiedName("prod", "gold", "orders")


def entries(*paths):
    """Return entries that tell by their notice, 1, 2 and so on, which one was used."""
    return [
        CompatibilityEntry(path, policy=CompatibilityPolicy(min_notice=number))
        for number, path in enumerate(paths, start=1)
    ]


@pytest.mark.parametrize(
    ("path", "name", "matches"),
    [
        ("prod.gold.orders", ORDERS, True),
        ("PROD.Gold.ORDERS", ORDERS, True),
        ("prod.gold.orders", QualifiedName("PROD", "gold", "Orders"), True),
        ("`prod`.`gold`.`orders`", ORDERS, True),
        ("prod.gold.*", ORDERS, True),
        ("prod.*.*", ORDERS, True),
        ("prod.**", ORDERS, True),
        ("**", ORDERS, True),
        ("**.orders", ORDERS, True),
        ("prod.**.gold.orders", ORDERS, True),
        ("prod.gold.orders.**", ORDERS, True),
        ("*.g?ld.o[a-r]ders", ORDERS, True),
        ("prod.gold.order", ORDERS, False),
        ("prod.gold.orders2", ORDERS, False),
        ("dev.**", ORDERS, False),
        ("prod.silver.*", ORDERS, False),
        ("prod.gold.`*`", ORDERS, False),
        ("prod.gold.`*`", QualifiedName("prod", "gold", "*"), True),
        ("prod.gold.*", QualifiedName("prod", "gold", "a.b"), True),
        ("prod.gold.`a.b`", QualifiedName("prod", "gold", "a.b"), True),
        ("prod.gold.\u043erders", ORDERS, False),
        ("prod.gold.`or\nders`", QualifiedName("prod", "gold", "or\nders"), True),
    ],
)
def test_paths_match_names_as_those_of_consents_do(path, name, matches):
    assert compatibility_of(entries(path), name).min_notice == matches


@pytest.mark.parametrize(
    ("paths", "used"),
    [
        ((), 0),
        (("dev.**",), 0),
        (("**", "prod.**", "prod.gold.**"), 3),
        (("prod.gold.**", "prod.**", "**"), 1),
        (("prod.gold.orders", "prod.gold.**"), 1),
        (("prod.silver.customers", "prod.**"), 2),
        (("**.orders", "prod.gol*.*"), 2),
        (("prod.gold.*", "*.gold.ord*"), 1),
        (("*.gold.ord*", "prod.gold.*"), 1),
    ],
)
def test_the_longest_path_is_used_and_of_two_the_first(paths, used):
    assert compatibility_of(entries(*paths), ORDERS).min_notice == used


def test_without_an_entry_breaking_changes_fail_for_the_usual_roles():
    policy = compatibility_of([], ORDERS)

    assert policy == CompatibilityPolicy(
        roles=("readers", "streams", "writers", "clients"),
        fail_on="breaking",
        min_notice=0,
    )


def test_an_entry_replaces_all_that_a_shorter_one_says():
    policies = [
        CompatibilityEntry("prod.**", policy=CompatibilityPolicy(fail_on="dangerous", min_notice=90)),
        CompatibilityEntry("prod.gold.**", policy=CompatibilityPolicy(roles=("readers",))),
    ]

    assert compatibility_of(policies, ORDERS) == CompatibilityPolicy(roles=("readers",))


def test_a_path_that_matches_no_table_is_refused():
    with pytest.raises(DeclarationError) as caught:
        CompatibilityEntry("prod.gold")

    assert str(caught.value) == (
        "path 'prod.gold' matches no table, because the name of a table has 3 parts; write catalog.schema.table, where"
        " * is one part and ** any number of parts"
    )
