"""``--delta-bind`` maps models to other tables, and the clients of a project judge what a declaration needs."""

from __future__ import annotations

import pytest

from pytest_delta_schema import MemoryCatalog
from support.plugin_project import SHARED

MODELS = """
from pytest_delta_schema import ForeignKey
MAPPED = {"delta.columnMapping.mode": "name"}
ID = Column("id", LongType(), is_nullable=False)
customers = table("dev.silver.customers", ID, primary_key=["id"])
orders = table(
    "dev.silver.orders",
    ID,
    Column("customer", LongType()),
    primary_key=["id"],
    foreign_keys=[ForeignKey(["customer"], customers)],
    table_properties=MAPPED,
)
other = table("dev.gold.other", ID)
"""
BIND = "--delta-bind=dev.silver=ci.PR_42_silver"


@pytest.fixture
def bound(project):
    project.models(MODELS)
    # Runs inside of one test see one catalog.
    SHARED["catalog"] = MemoryCatalog()
    project.catalog('__import__("support.plugin_project").plugin_project.SHARED["catalog"]')
    return project


def test_node_ids_and_snapshots_keep_the_names_of_models_and_sql_has_the_others(bound):
    bound.run("--snapshot-update")
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
    drift = bound.run("--delta-drift", "-m", "delta_drift", BIND, "--delta-bind", "dev.gold.other=ci.x.renamed")
    unbound = bound.run("--delta-drift", "-m", "delta_drift")

    applied.assert_outcomes(passed=3)
    drift.assert_outcomes(passed=3)
    unbound.assert_outcomes(failed=3)


def test_the_longest_name_wins_and_the_command_line_over_the_ini_file(bound):
    bound.settings('models = ["models"]', 'bind = { "dev" = "ini", "dev.silver" = "ini.silver" }')

    result = bound.run("--delta-drift", "-m", "delta_drift", "--delta-bind=dev.silver=given.s")

    text = result.stdout.str()
    for name in ("given.s.customers", "given.s.orders", "ini.gold.other"):
        assert f"  drifted     {name} does not exist" in text


def test_consent_names_what_models_are_called(bound):
    bound.run("--delta-apply", "-m", "delta_apply", BIND)
    less = MODELS.replace('    Column("customer", LongType()),\n', "").replace(
        '    foreign_keys=[ForeignKey(["customer"], customers)],\n',
        "",
    )
    bound.models(less)

    held = bound.run("--delta-drift", "-m", "delta_drift", BIND)
    done = bound.run("--delta-apply", "-m", "delta_apply", BIND, "--delta-allow=drop-column dev.silver.orders.customer")

    held.stdout.fnmatch_lines(['*or consent with --delta-allow "drop-column dev.silver.orders.customer" *'])
    done.assert_outcomes(passed=3)


def test_protected_are_the_tables_in_the_catalog(bound):
    bound.settings('models = ["models"]', 'protected = ["ci.*"]')

    result = bound.run("--delta-apply", "-m", "delta_apply", BIND)

    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        ["*ci.pr_42_silver.orders: is protected by the pattern ci.[*] of the setting protected*"],
    )


def test_users_tests_find_the_table_that_a_model_maps_to(bound):
    bound.pytester.makepyfile(
        test_user="""
        from models import orders, other

        def test_it(delta_bound):
            table = delta_bound(orders)
            assert table.qualified_name == "ci.pr_42_silver.orders"
            assert [str(key.parent) for key in table.foreign_keys] == ["ci.pr_42_silver.customers"]
            assert delta_bound(other) is other
        """,
    )

    result = bound.run("test_user.py", "models.py", "-k", "test_it", BIND)

    result.assert_outcomes(passed=1, deselected=6)


FORM = "must map a name to a name with the same number of parts; write '*'"
UNUSABLE = [
    (["--delta-bind=dev.silver", "--delta-bind=a.b=c"], [f"binding 'dev.silver' {FORM}", f"binding 'a.b=c' {FORM}"]),
    (
        ["--delta-drift", "--delta-bind=prod=x"],
        [
            (
                "binding 'prod=x' maps no table of this run; collected are dev.gold.other, dev.silver.customers,"
                " dev.silver.orders"
            ),
        ],
    ),
    (
        ["--delta-drift", "--delta-bind=dev.silver.orders=ci.x.y", "--delta-bind=dev.gold.other=ci.x.y"],
        ["dev.* and dev.* are both bound to ci.x.y; bind them apart"],
    ),
]


def test_bindings_that_cannot_be_used(bound):
    for args, messages in UNUSABLE:
        result = bound.run(*args)

        assert result.ret == 4
        result.stderr.fnmatch_lines([f"*{message}" for message in messages])


CLIENTS_MODELS = """
orders = table(
    "dev.silver.orders", Column("id", LongType(), is_nullable=False), Column("n", LongType(), default=0)
)
"""
REFUSED = (
    "*dev.silver.orders: trino>=470 cannot write the table feature allowColumnDefaults (default of column n): no version up"
    " to 481 can (Trino 481 documentation, Delta Lake connector, Delta Lake table features, 2026-11-22); leave it out, or"
    ' list "trino>=470 (read)" if it never writes the table, or if this is outdated, set client_features = {'
    ' "trino.allowColumnDefaults" = "470" } in [[]tool.pytest_delta_schema] [[]DS126 FeatureUnsupportedByClient]'
)
NOTE = (
    "  note * dev.silver.orders: it is not known whether duckdb>=1.1 can write allowColumnDefaults, invariants; if it can,"
    ' set client_features = { "duckdb.allowColumnDefaults" = "1.1", "duckdb.invariants" = "1.1" } in'
    " [[]tool.pytest_delta_schema]"
)


SETTINGS = {
    # the setting of the project, and what is shown
    'clients = ["delta-spark>=3.3", "databricks>=15.4", "trino>=470"]': REFUSED,
    'clients = ["trino>=470"]\nclient_features = { "trino.allowColumnDefaults" = "470" }': "*1 passed*",
}


def test_a_declaration_is_judged_by_its_clients(project):
    project.models(CLIENTS_MODELS)
    for text, line in SETTINGS.items():
        project.settings('models = ["models"]', text)

        project.run("-m", "delta_rules").stdout.fnmatch_lines([line])


def test_what_is_not_known_of_a_client_is_a_note(project):
    project.settings('models = ["models"]', 'clients = ["duckdb>=1.1"]')
    project.models(CLIENTS_MODELS)

    result = project.run("--delta-apply", "-m", "delta_apply", "--delta-backend=memory", "--junit-xml=report.xml")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([NOTE])
    assert "it is not known whether duckdb&gt;=1.1 can write" in project.path.joinpath("report.xml").read_text("utf-8")
