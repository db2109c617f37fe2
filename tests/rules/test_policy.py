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


def test_paths_match_names_as_those_of_consents_do():
    def matching(name, *paths):
        return [path for path in paths if compatibility_of(entries(path), name).min_notice]

    matched = [
        "prod.gold.orders",
        "PROD.Gold.ORDERS",
        "`prod`.`gold`.`orders`",
        "prod.gold.*",
        "prod.*.*",
        "prod.**",
        "**",
    ]
    matched += ["**.orders", "prod.**.gold.orders", "prod.gold.orders.**", "*.g?ld.o[a-r]ders"]
    others = [
        "prod.gold.order",
        "prod.gold.orders2",
        "dev.**",
        "prod.silver.*",
        "prod.gold.`*`",
        "prod.gold.\u043erders",
    ]
    assert matching(ORDERS, *matched, *others) == matched
    for table, path in {"*": "`*`", "a.b": "`a.b`", "or\nders": "`or\nders`", "Orders": "orders", "ab": "*"}.items():
        assert matching(QualifiedName("PROD", "gold", table), f"prod.gold.{path}")


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


def test_without_an_entry_breaking_changes_fail_for_the_usual_roles():
    policy = compatibility_of([], ORDERS)

    assert policy == CompatibilityPolicy(
        roles=("readers", "streams", "writers", "clients"), fail_on="breaking", min_notice=0
    )


def test_an_entry_replaces_all_that_a_shorter_one_says():
    policies = [
        CompatibilityEntry("prod.**", policy=CompatibilityPolicy(fail_on="dangerous", min_notice=90)),
        CompatibilityEntry("prod.gold.**", policy=CompatibilityPolicy(roles=("readers",))),
    ]

    assert compatibility_of(policies, ORDERS) == CompatibilityPolicy(roles=("readers",))


def test_a_path_that_matches_no_table_is_refused():
    assert refusal(CompatibilityEntry, "prod.gold") == (
        "path 'prod.gold' matches no table, because the name of a table has 3 parts; write catalog.schema.table, where"
        " * is one part and ** any number of parts"
    )
