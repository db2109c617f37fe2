"""``--delta-bind`` maps models to other tables, and the clients of a project judge what a declaration needs."""

from __future__ import annotations

import pytest

from pytest_delta_schema import MemoryCatalog
from support.plugin_project import MODELS, SHARED

FAMILY = """
from pytest_delta_schema import ForeignKey
ID = Column("id", LongType(), is_nullable=False)
customers = table("dev.silver.customers", ID, primary_key=["id"])
orders = table(
    "dev.silver.orders",
    ID,
    Column("customer", LongType()),
    primary_key=["id"],
    foreign_keys=[ForeignKey(["customer"], customers)],
)
other = table("dev.gold.other", ID)
"""
BIND = "--delta-bind=dev.silver=ci.PR_42_silver"
DRIFT = ("--delta-drift", "-m", "delta_drift")


@pytest.fixture
def bound(project):
    project.models(FAMILY)
    # Runs inside of one test see one catalog.
    SHARED["catalog"] = MemoryCatalog()
    project.catalog('__import__("support.plugin_project").plugin_project.SHARED["catalog"]')
    return project


def test_node_ids_and_snapshots_keep_the_names_of_models_and_sql_has_the_others(bound):
    bound.accept()
    snapshots = bound.snapshots()

    drift = bound.run("--delta-drift", BIND, "-rA")

    drift.assert_outcomes(passed=6, failed=3)
    assert bound.snapshots() == snapshots
    drift.stdout.fnmatch_lines(
        [
            "*ci.pr_42_silver.orders does not exist in the catalog, and neither does its schema ci.pr_42_silver*",
            "  ALTER TABLE `ci`.`pr_42_silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);",
            (
                "  ALTER TABLE `ci`.`pr_42_silver`.`orders` ADD CONSTRAINT `fk_dev_silver_orders__customer` FOREIGN KEY"
                " (`customer`) REFERENCES `ci`.`pr_42_silver`.`customers` (`id`);"
            ),
            "FAILED models.py::dev.silver.orders::drift*",
        ],
    )


def test_after_an_apply_the_same_binding_shows_no_drift_and_another_one_does(bound):
    applied = bound.run("--delta-apply", "-m", "delta_apply", BIND, "--delta-bind", "dev.gold.other=ci.x.Renamed")
    drift = bound.run(*DRIFT, BIND, "--delta-bind", "dev.gold.other=ci.x.renamed")
    unbound = bound.run(*DRIFT)

    applied.assert_outcomes(passed=3)
    drift.assert_outcomes(passed=3)
    unbound.assert_outcomes(failed=3)


def test_users_tests_find_the_table_that_a_model_maps_to_and_the_longest_name_counts(bound):
    bound.settings(MODELS, 'bind = { "dev" = "ini", "dev.silver" = "ini.silver" }')
    bound.pytester.makepyfile(
        test_user="""
        from models import orders, other

        def test_it(delta_bound):
            table = delta_bound(orders)
            assert table.qualified_name == "ci.pr_42_silver.orders"
            assert [str(key.parent) for key in table.foreign_keys] == ["ci.pr_42_silver.customers"]
            assert delta_bound(other).qualified_name == "ini.gold.other"
        """,
    )

    bound.run("test_user.py", "models.py", "-k", "test_it", BIND).assert_outcomes(passed=1, deselected=6)


UNUSABLE = [
    (["--delta-bind=prod=x"], "binding 'prod=x' maps no table of this run; collected are dev.gold.other, *"),
    (
        ["--delta-bind=dev.silver.orders=ci.x.y", "--delta-bind=dev.gold.other=ci.x.y"],
        "dev.* and dev.* are both bound to ci.x.y; bind them apart",
    ),
]


def test_bindings_that_cannot_be_used(bound):
    for args, message in UNUSABLE:
        result = bound.run("--delta-drift", *args)

        assert result.ret == 4
        result.stderr.fnmatch_lines([f"*{message}"])


CLIENTS = """
orders = table(
    "dev.silver.orders", Column("id", LongType(), is_nullable=False), Column("n", LongType(), default=0)
)
"""
REFUSED = "*dev.silver.orders: trino>=470 cannot write the table feature allowColumnDefaults (default of column n): *"
NOTE = "  note * dev.silver.orders: it is not known whether duckdb>=1.1 can write allowColumnDefaults, invariants; *"


def test_a_declaration_is_judged_by_the_clients_of_the_project_and_what_is_not_known_is_a_note(project):
    project.models(CLIENTS)
    project.settings(MODELS, 'clients = ["delta-spark>=3.3", "trino>=470"]')
    refused = project.run("-m", "delta_rules")
    features = 'client_features = { "trino.allowColumnDefaults" = "470" }'
    project.settings(MODELS, 'clients = ["duckdb>=1.1", "trino>=470"]', features, 'backend = "memory"')

    noted = project.run("--delta-apply", "-m", "delta_apply", "--junit-xml=report.xml")

    refused.assert_outcomes(failed=1)
    refused.stdout.fnmatch_lines([REFUSED])
    noted.assert_outcomes(passed=1)
    noted.stdout.fnmatch_lines([NOTE])
    assert "it is not known whether duckdb&gt;=1.1 can write" in project.path.joinpath("report.xml").read_text("utf-8")
