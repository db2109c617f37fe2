"""``pytest --delta-drift``: what the gate reports, and when it fails."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from support.plugin_project import ORDERS

BEFORE = """MemoryCatalog([stored(
    "dev.silver.orders", ColumnState("id", "bigint", True, ""), ColumnState("created_ts", "timestamp", True, "")
)])"""
IN_SYNC = """MemoryCatalog([stored("dev.silver.orders", ID)])"""
SYNCED = "orders = table('dev.silver.orders', Column('id', LongType(), is_nullable=False))\n"

STORY = """\
dev.silver.orders has drifted, 8 changes: columns.amount, columns.id, primary_key and 5 more

declared at models.py:8

  + columns.amount                               (absent) -> decimal(18,2)
  ~ columns.id                                   nullable -> not null  [scan]
  + primary_key                                  (absent) -> pk_dev_silver_orders__id (id)  [scan]
  ~ columns.amount.comment                       ''       -> 'Order total'
  ~ columns.created_ts.comment                   ''       -> 'Creation time'
  ~ columns.id.comment                           ''       -> 'Order ID'
  ~ comment                                      ''       -> 'Orders table'
  + properties.delta.autoOptimize.optimizeWrite  (absent) -> 'true'

SQL that would run:

  ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
    `amount` DECIMAL(18,2)
  );

  -- scan
  ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
    `id` SET NOT NULL;

  -- scan
  ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `pk_dev_silver_orders__id` PRIMARY KEY (`id`);
"""


def test_a_table_in_sync_passes(project):
    project.models(SYNCED)
    project.catalog(IN_SYNC)

    result = project.run("--delta-drift", "--snapshot-update")

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*= delta schema =*", "drift: 1 in sync, 0 statements run"])


def test_a_drifted_table_shows_every_change_the_sql_and_the_place(project, monkeypatch):
    monkeypatch.setenv("CI", "true")
    project.models(ORDERS)
    project.catalog(BEFORE)

    result = project.run("--delta-drift", "-m", "delta_drift")

    assert STORY in result.stdout.str()
    assert "in run_all" not in result.stdout.str()
    result.stdout.fnmatch_lines(
        [
            "drift: 1 drifted, 0 statements run",
            "  drifted     dev.silver.orders has drifted, 8 changes: columns.amount, columns.id, primary_key and 5 more",
            "to align the catalog: pytest --delta-apply",
            "to accept into the models what it holds: pytest --delta-adopt=diff",
            "what a code means: pytest --delta-explain DD102,DD105,DD112",
            (
                "FAILED models.py::dev.silver.orders::drift - has drifted, 8 changes:"
                " columns.amount, columns.id, primary_key and 5 more"
            ),
        ]
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_looking_changes_nothing(project):
    project.models(ORDERS)
    project.catalog("MemoryCatalog()")
    project.pytester.makepyfile(
        test_after="""
        import models
        from pytest_delta_schema.execute.protocols import ABSENT
        def test_it(delta_catalog):
            assert delta_catalog.version(models.orders.name) is ABSENT
        """
    )

    project.run_all("--delta-drift", "--snapshot-update").assert_outcomes(passed=3, failed=1)


def test_a_table_and_a_schema_that_are_not_there(project):
    project.models(ORDERS + "other = table('dev.gold.other', Column('id', LongType()))\n")
    project.catalog("""MemoryCatalog([stored("dev.silver.x", ID)])""")

    result = project.run("--delta-drift")

    result.stdout.fnmatch_lines(
        [
            "  drifted     dev.gold.other does not exist in the catalog, and neither does its schema dev.gold",
            "  drifted     dev.silver.orders does not exist in the catalog",
        ]
    )


def test_what_rules_forbid_is_shown_as_blocked_with_its_remedy(project):
    project.models("orders = table('dev.silver.orders', Column('b', LongType(), is_nullable=False))\n")
    project.catalog(IN_SYNC)

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.stdout.fnmatch_lines(
        [
            "dev.silver.orders has drifted, 2 changes: columns.b, columns.id; blocked: column b is NOT NULL in the model*",
            "Blocked SQL:",
            "blocked:",
            (
                "  ! dev.silver.orders: column b is NOT NULL in the model but new on the table; add it nullable, fill it,"
                " then declare it NOT NULL [[]DS201 NotNullColumnAdded]"
            ),
            '  ! dev.silver.orders: column id *--delta-allow "drop-column dev.silver.orders.id"*',
            "drift: 1 blocked, 0 statements run",
        ]
    )


def test_an_unreadable_table_is_an_error_in_set_up_and_others_are_checked(project):
    project.models(SYNCED + "view = table('dev.silver.view', Column('id', LongType()))\n")
    project.catalog(
        """type("Halfblind", (MemoryCatalog,), {"snapshot": lambda self, models: CatalogState(
            tables=dict(MemoryCatalog.snapshot(self, [m for m in models if m.table_name != "view"]).tables),
            problems={QualifiedName("dev", "silver", "view"): Diagnostic(
                table="dev.silver.view", message="is a view, not a table", remedy="drop the view")},
        )})([stored("dev.silver.orders", ID)])"""
    )

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(passed=1, errors=1, deselected=4)
    result.stdout.fnmatch_lines(
        [
            "drift: 1 in sync, 1 unreadable, 0 statements run",
            "  unreadable  dev.silver.view: is a view, not a table; drop the view",
            "ERROR models.py::dev.silver.view::drift - is a view, not a table; drop the view",
        ]
    )


def test_a_catalog_that_cannot_be_read_at_all_is_read_and_reported_once(project):
    project.models(SYNCED + "other = table('dev.silver.other', Column('id', LongType()))\n")
    project.catalog(
        """type("Down", (MemoryCatalog,), {"snapshot": lambda self, models: fail(self)})()
from pytest_delta_schema.diagnostics.errors import StatementError
asked = []
def fail(self):
    asked.append(1)
    raise StatementError(f"no answer to question {len(asked)}\\nand more")"""
    )

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(errors=1, skipped=1, deselected=4)
    lines = [
        "no answer to question 1 and more",
        "drift: 2 unreadable, 0 statements run",
        "  unreadable  no answer to question 1 and more",
        "ERROR models.py::dev.silver.orders::drift - no answer to question 1 and more",
    ]
    result.stdout.fnmatch_lines(lines)
    assert result.stdout.str().count("question 1") == 3
    result.stdout.no_fnmatch_line("*question 2*")


def test_all_tables_are_read_at_once(project):
    project.models(SYNCED + "other = table('dev.silver.other', Column('id', LongType()))\n")
    project.catalog(
        """type("Counting", (MemoryCatalog,), {"snapshot": lambda self, models: (
            print("READ", sorted(m.table_name for m in models)), MemoryCatalog.snapshot(self, models))[1]})()"""
    )

    result = project.run("--delta-drift", "-s", "-k", "not rules")

    assert result.stdout.str().count("READ") == 1
    result.stdout.fnmatch_lines(["*READ [[]'orders', 'other'[]]*"])


class Outcomes:
    """Keeps the outcomes of a run as its reports would see them."""

    def pytest_unconfigure(self, config):
        summary = config.pluginmanager.get_plugin("delta_schema_summary")
        self.outcomes = list(summary._outcomes.values())


def test_a_broken_fixture_of_the_project_is_an_error_not_a_pass(project):
    project.models(SYNCED)
    project.catalog("1 / 0")
    seen = Outcomes()

    result = project.run("--delta-drift", "-m", "delta_drift", plugins=[seen])

    result.assert_outcomes(errors=1, deselected=2)
    result.stdout.fnmatch_lines(["drift: 1 unreadable, 0 statements run", "  unreadable  *ZeroDivisionError*"])
    (outcome,) = seen.outcomes
    (diagnostic,) = outcome.diagnostics
    assert (outcome.check.value, outcome.status.value) == ("drift", "unreadable")
    assert (str(outcome.location), diagnostic.location) == (f"{project.path}/models.py:7", outcome.location)
    assert "ZeroDivisionError" in diagnostic.message


def test_a_parametrized_catalog_is_checked_for_each_value(project):
    project.models(SYNCED)
    project.catalog("None")
    conftest = project.path / "conftest.py"
    conftest.write_text(
        conftest.read_text()
        .replace('scope="session")', 'scope="session", params=["v1", "v2"])')
        .replace("delta_catalog()", "delta_catalog(request)")
        .replace(
            "return None", "return MemoryCatalog([stored('dev.silver.orders', {'v1': ID, 'v2': OLD}[request.param])])"
        )
    )

    result = project.run("--delta-drift", "-v", "-m", "delta_drift")

    result.stdout.fnmatch_lines(
        ["*::dev.silver.orders::drift[[]v1] PASSED*", "*::dev.silver.orders::drift[[]v2] FAILED*"]
    )


def test_a_spelling_that_differs_is_noted_and_passes(project):
    project.models("orders = table('dev.silver.orders', Column('ID', LongType(), is_nullable=False))\n")
    project.catalog(IN_SYNC)

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.stdout.fnmatch_lines(["drift: 1 in sync*", "  note        dev.silver.orders: column ID is stored as id;*"])
    assert result.ret == 0


def test_the_facts_are_in_junit(project):
    project.models(ORDERS)
    project.catalog(BEFORE)

    project.run("--delta-drift", "-m", "delta_drift", "--junitxml=report.xml", "-W", "error")

    (case,) = ET.parse(project.path / "report.xml").iter("testcase")
    facts = {item.get("name"): item.get("value") for item in case.iter("property")}
    assert facts == {
        "delta.table": "dev.silver.orders",
        "delta.check": "drift",
        "delta.backend": "memory",
        "delta.outcome": "drifted",
        "delta.risk": "scan",
        "delta.changes": "8",
        "delta.summary": "dev.silver.orders has drifted, 8 changes: columns.amount, columns.id, primary_key and 5 more",
    }
    message = "has drifted, 8 changes: columns.amount, columns.id, primary_key and 5 more"
    assert case.find("failure").get("message") == message


@pytest.mark.parametrize("option", ["--delta-drift", "--delta-apply"])
@pytest.mark.parametrize(
    "tests",
    [
        pytest.param({}, id="nothing at all"),
        pytest.param({"test_x": "def test_it(): pass"}, id="other tests"),
    ],
)
def test_a_gate_that_found_no_table_fails_and_names_where_it_looked(project, option, tests):
    project.ini("delta_backend = memory")
    for name, text in tests.items():
        project.models(text, name)

    result = project.run(option)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [f"{option} found no table, so nothing was checked. It looked in {project.path}: in test files (test_[*].py*"]
    )


@pytest.mark.parametrize("mode", ["drift", "apply"])
@pytest.mark.parametrize(
    ("args", "used"),
    [
        pytest.param(["-k", "nobody"], "-k", id="by name"),
        pytest.param(["-k", "nobody", "-m", "not delta"], "-k and -m", id="by name and mark"),
        pytest.param(["--deselect", "models.py"], "--deselect", id="by node id"),
        pytest.param([], "another plugin", id="by a plugin"),
    ],
)
def test_a_gate_without_its_checks_fails_and_names_what_deselected_them(project, mode, args, used):
    project.ini("delta_models = models", "delta_backend = memory")
    project.models(SYNCED)
    if not args:
        project.pytester.makeconftest(
            """
            def pytest_collection_modifyitems(config, items):
                config.hook.pytest_deselected(items=items[:])
                items.clear()
            """
        )

    result = project.run(f"--delta-{mode}", *args)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    fact = f"--delta-{mode} checked nothing, because all its checks (1) were deselected by {used}"
    (line,) = [line for line in result.outlines if line.startswith("--delta-")]
    assert line == f"{fact}; leave that out, or select some of them"


def test_looking_at_the_collection_of_a_gate_is_no_failure(project):
    project.ini("")
    project.pytester.makepyfile(test_x="def test_it(): pass")

    assert project.run_all("--delta-drift", "--collect-only").ret == 0


def test_checks_without_a_catalog_come_first_and_users_tests_on_it_last(project):
    project.models(SYNCED)
    project.catalog(IN_SYNC)
    project.pytester.makepyfile(test_a="def test_uses_it(delta_catalog): pass\ndef test_plain(): pass\n")

    result = project.run_all("--delta-drift", "--collect-only", "-q", "test_a.py", "models.py")

    assert [line.rpartition("::")[2] for line in result.outlines if "::" in line] == [
        "test_plain",
        "rules",
        "ddl",
        "drift",
        "test_uses_it",
    ]
