"""Which policy for changes of contracts holds for a table."""

from __future__ import annotations

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.rules.policy import CompatibilityEntry, CompatibilityPolicy, compatibility_of
from support.case_tables import cases, refusal

ORDERS = QualifiedName("prod", "gold", "orders")


def entries(*paths):
    """Return entries that tell by their notice, 1, 2 and so on, which one was used."""
    return [
        CompatibilityEntry(path, policy=CompatibilityPolicy(min_notice=number))
        for number, path in enumerate(paths, start=1)
    ]


def test_the_longest_path_is_used_and_of_two_the_first():
    with cases(lambda paths: compatibility_of(entries(*paths), ORDERS).min_notice) as case:
        case((), 0)
        case(("dev.**",), 0)
        case(("**", "prod.**", "prod.gold.**"), 3)
        case(("prod.gold.**", "prod.**", "**"), 1)
        case(("prod.gold.orders", "prod.gold.**"), 1)
        case(("prod.silver.customers", "prod.**"), 2)
        case(("**.orders", "prod.gol*.*"), 2)
        case(("prod.gold.*", "*.gold.ord*"), 1)
        case(("*.gold.ord*", "prod.gold.*"), 1)


def test_a_path_that_matches_no_table_is_refused():
    assert refusal(CompatibilityEntry, "prod.gold") == (
        "path 'prod.gold' matches no table, because the name of a table has 3 parts; write catalog.schema.table, where"
        " * is one part and ** any number of parts"
    )
