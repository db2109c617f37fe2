"""``pytest --delta-drift``: what the gate reports, and when it fails, for all that a contract can leave to others."""

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
            "what a code means: delta-schema explain DD102,DD105,DD112",
            (
                "FAILED models.py::dev.silver.orders::drift - has drifted, 8 changes:"
                " columns.amount, columns.id, primary_key and 5 more"
            ),
        ],
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
        """,
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
        ],
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
        ],
    )


def test_an_unreadable_table_is_an_error_in_set_up_and_others_are_checked(project):
    project.models(SYNCED + "view = table('dev.silver.view', Column('id', LongType()))\n")
    project.catalog(
        """type("Halfblind", (MemoryCatalog,), {"snapshot": lambda self, models: CatalogState(
            tables=dict(MemoryCatalog.snapshot(self, [m for m in models if m.table_name != "view"]).tables),
            problems={QualifiedName("dev", "silver", "view"): Diagnostic(
                table="dev.silver.view", message="is a view, not a table", remedy="drop the view")},
        )})([stored("dev.silver.orders", ID)])""",
    )

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "drift: 1 in sync, 1 unreadable, 0 statements run",
            "  unreadable  dev.silver.view: is a view, not a table; drop the view",
            "ERROR models.py::dev.silver.view::drift - is a view, not a table; drop the view",
        ],
    )


def test_a_catalog_that_cannot_be_read_at_all_is_read_and_reported_once(project):
    project.models(SYNCED + "other = table('dev.silver.other', Column('id', LongType()))\n")
    project.catalog(
        """type("Down", (MemoryCatalog,), {"snapshot": lambda self, models: fail(self)})()
from pytest_delta_schema.diagnostics.errors import StatementError
asked = []
def fail(self):
    asked.append(1)
    raise StatementError(f"no answer to question {len(asked)}\\nand more")""",
    )

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(errors=1, skipped=1)
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
            print("READ", sorted(m.table_name for m in models)), MemoryCatalog.snapshot(self, models))[1]})()""",
    )

    result = project.run("--delta-drift", "-s", "-k", "not rules")

    assert result.stdout.str().count("READ") == 1
    result.stdout.fnmatch_lines(["*READ [[]'orders', 'other'[]]*"])


class Outcomes:
    """Keeps the outcomes of a run as its reports would see them."""

    def pytest_unconfigure(self, config):
        self.outcomes = list(config.pluginmanager.get_plugin("delta_schema_results").outcomes().values())


def test_a_broken_fixture_of_the_project_is_an_error_not_a_pass(project):
    project.models(SYNCED)
    project.catalog("1 / 0")
    seen = Outcomes()

    result = project.run("--delta-drift", "-m", "delta_drift", plugins=[seen])

    result.assert_outcomes(errors=1)
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
            "return None",
            "return MemoryCatalog([stored('dev.silver.orders', {'v1': ID, 'v2': OLD}[request.param])])",
        ),
    )

    result = project.run("--delta-drift", "-v", "-m", "delta_drift")

    result.stdout.fnmatch_lines(
        ["*::dev.silver.orders::drift[[]v1] PASSED*", "*::dev.silver.orders::drift[[]v2] FAILED*"],
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
    project.settings('backend = "memory"')
    for name, text in tests.items():
        project.models(text, name)

    result = project.run(option)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [f"{option} found no table, so nothing was checked. It looked in {project.path}: in test files (test_[*].py*"],
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
    project.settings('models = ["models"]', 'backend = "memory"')
    project.models(SYNCED)
    if not args:
        project.pytester.makeconftest(
            """
            def pytest_collection_modifyitems(config, items):
                config.hook.pytest_deselected(items=items[:])
                items.clear()
            """,
        )

    result = project.run(f"--delta-{mode}", *args)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    fact = f"--delta-{mode} checked nothing, because all its checks (1) were deselected by {used}"
    (line,) = [line for line in result.outlines if line.startswith("--delta-")]
    assert line == f"{fact}; leave that out, or select some of them"


def test_looking_at_the_collection_of_a_gate_is_no_failure(project):
    project.settings()
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


CATALOG = """
from pytest_delta_schema import MemoryCatalog
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.state.states import IntroducedBy

EXTRA = ColumnState("extra", "double", True, "")

class Told(MemoryCatalog):
    def introduced_by(self, table, paths):
        {origins}
"""
TOLD = (
    'return tuple(IntroducedBy(path=path, version=3, operation="WRITE", time="2026-11-21 03:00:00",'
    ' user_metadata="nightly load") for path in paths)'
)
NOTE = (
    "*note: column extra was appended by a writer, in version 3, WRITE of 2026-11-21 03:00:00 UTC ('nightly load'):"
    ' declare it, drop it, or accept such columns with Table(evolution="additive")*'
)


def conftest(project, origins=TOLD):
    project.catalog('Told([stored("dev.silver.t", ID, EXTRA)])')
    project.extend_conftest(CATALOG.format(origins=origins))


def test_the_gate_names_the_commit_that_introduced_a_column(project):
    conftest(project)
    project.models('t = table("dev.silver.t", Column("id", LongType(), is_nullable=False))')

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*columns.extra*double -> (not in the model)*", NOTE])


def test_it_is_reported_where_the_contract_only_reports(project):
    conftest(project)
    project.models('t = table("dev.silver.t", Column("id", LongType(), is_nullable=False), owns=["types"])')

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([NOTE])


def test_a_history_that_cannot_be_read_never_hides_the_drift(project):
    conftest(project, 'raise StatementError("the log is gone")')
    project.models('t = table("dev.silver.t", Column("id", LongType(), is_nullable=False))')

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*columns.extra*", "*note: the commit that added extra is not known: the log is gone*"],
    )


@pytest.mark.parametrize("option", ["--delta-drift", "--delta-apply"])
def test_an_additive_contract_accepts_it_with_a_note(project, option):
    conftest(project)
    project.models('t = table("dev.silver.t", Column("id", LongType(), is_nullable=False), evolution="additive")')

    result = project.run(option, "-m", "delta_drift or delta_apply")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*column extra (double) is not in the model, and stays because the contract is addi*"])


def test_an_unknown_evolution_is_refused_where_it_is_written(project):
    project.models('t = table("dev.silver.t", Column("id", LongType()), evolution="open")')

    result = project.run()

    result.stdout.fnmatch_lines(["*dev.silver.t: evolution is 'open'; write one of strict, additive*"])


MODELS = """
from pyspark.sql.types import ArrayType, IntegerType, StructField, StructType
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False), Column("k", LongType(), renamed_from="old"),
    Column("lines", ArrayType(StructType([StructField("price", LongType())]))))
"""
EVOLUTION_CATALOG = """MemoryCatalog([stored("dev.silver.orders", ID, ColumnState("old", "bigint", True, ""),
    ColumnState("lines", ArrayState(LINE, True), True, ""))])
from pytest_delta_schema.state import ArrayState, StructState
LINE = StructState((ColumnState("price", "int", True, ""), ColumnState("gone", "int", True, "")))"""
DROP = "drop-column dev.silver.orders.lines.element.gone"


def test_drift_names_the_paths_and_what_is_missing(project):
    project.models(MODELS)
    project.catalog(EVOLUTION_CATALOG)

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.stdout.fnmatch_lines(
        [
            "  ~ columns.old * old -> k (renamed)",
            "  ~ columns.lines.element.price  int -> bigint",
            "  - columns.lines.element.gone   int -> (not in the model)  [[]destructive]",
            '  ! *--delta-allow "drop-column dev.silver.orders.lines.element.gone"*',
            "  ! *declare the property delta.columnMapping.mode='name', or set enable_features = [[]\"columnMapping\"] in [[]tool.pytest_delta_schema]*",
            "  ! *declare the property delta.enableTypeWidening='true', or set enable_features = [[]\"typeWidening\"] in [[]tool.pytest_delta_schema]*",
            "  ! *columns old cannot be renamed*",
            "drift: 1 blocked, 0 statements run",
        ],
    )


def test_features_may_be_raised_without_being_declared(project):
    project.settings('models = ["models"]', 'enable_features = ["typeWidening", "columnMapping"]')
    project.models(MODELS)
    project.catalog(EVOLUTION_CATALOG)

    result = project.run("--delta-apply", "-m", "delta_apply", "-rP", "--delta-allow", DROP)

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "  ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (",
            "    'delta.columnMapping.mode' = 'name',",
            "    'delta.enableTypeWidening' = 'true'",
            "  ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `old` TO `k`;",
            "    `lines`.`element`.`price` TYPE BIGINT;",
            "  ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`lines`.`element`.`gone`);",
            "apply: 1 applied, 4 statements run",
        ],
    )


def test_consent_to_drop_a_declared_field_names_nothing(project):
    project.models(MODELS)

    result = project.run("--delta-drift", "--delta-backend=memory", "--delta-allow", DROP.replace("gone", "price"))

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: consent * names a column that the model declares; remove it from the model"])


def test_a_feature_that_does_not_exist_is_a_usage_error(project):
    project.settings('models = ["models"]', 'enable_features = ["typeWidening", "rowTracking"]')
    project.models(MODELS)

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: *: enable_features: there is no rowTracking; choose among typeWidening, columnMapping"],
    )


OWNERSHIP_MODELS = """
orders = table(
    "dev.silver.orders",
    Column("id", LongType(), is_nullable=False, comment="Key"),
    Column("new", LongType()),
    comment="Ours",
    table_properties={"team": "us"},
    owns={"comments": "report", "properties": "ignore"},
)
"""
OWNERSHIP_CATALOG = (
    """MemoryCatalog([stored("dev.silver.orders", ID, table_comment="Theirs", table_properties={"team": "them"})])"""
)


def test_a_gate_shows_managed_and_reported_differences(project):
    project.models(OWNERSHIP_MODELS)
    project.catalog(OWNERSHIP_CATALOG)

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*dev.silver.orders has drifted, 1 change: columns.new",
            "  + columns.new  (absent) -> bigint",
            "",
            "  ~ columns.id.comment  ''       -> 'Key'",
            "  ~ comment             'Theirs' -> 'Ours'",
            "",
            (
                "No apply changes this, because the contract reports comments and does not manage it: change it where it is"
                " managed, or change the model."
            ),
            "SQL that would run:",
        ],
    )
    assert "team" not in result.stdout.str()


def test_an_apply_does_its_part_and_notes_the_rest_which_keeps_failing_the_gate(project):
    project.models(OWNERSHIP_MODELS)
    project.catalog(OWNERSHIP_CATALOG)

    applied = project.run("--delta-apply", "-m", "delta_apply")

    applied.assert_outcomes(passed=1)
    applied.stdout.fnmatch_lines(
        [
            "apply: 1 applied, 1 statement run",
            (
                "  note        dev.silver.orders has drifted, 2 changes: columns.id.comment, comment, in what the contract"
                " only reports"
            ),
        ],
    )


def test_drift_in_reported_aspects_alone_fails_the_gate(project):
    project.models(OWNERSHIP_MODELS)
    project.catalog(
        """MemoryCatalog([stored("dev.silver.orders", ID._replace(comment="Key"), OLD._replace(name="new"))])""",
    )

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*dev.silver.orders has drifted, 1 change: comment",
            "declared at models.py:*",
            "  ~ comment  '' -> 'Ours'",
            "drift: 1 drifted, 0 statements run",
        ],
    )
    assert "SQL that would run" not in result.stdout.str()


PROPERTY_POLICY_MODELS = """
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False), table_properties={"tier": "1"})
"""
HELD = """MemoryCatalog([
    stored("dev.silver.orders", ID, table_properties={"legacy.x": "1", "tier": "1"}, owned_properties=("team", "tier"))
])"""
POLICY = """
[tool.pytest_delta_schema.properties]
"team" = "{mode}"
"legacy.*" = "forbid"
"""


def test_a_required_property_is_missed_without_a_catalog(project):
    project.models(PROPERTY_POLICY_MODELS)
    project.settings('models = ["models"]', POLICY.format(mode="require"))

    result = project.run("-m", "delta_rules")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            (
                "*dev.silver.orders: declares no property team, which the project requires of every table; declare it"
                " [[]DS120 PropertyPolicyViolation]"
            ),
        ],
    )


def test_forbidden_and_forgotten_properties_go_in_an_apply(project):
    project.settings('models = ["models"]', "owned_properties = true", POLICY.format(mode="manage"))
    project.models(PROPERTY_POLICY_MODELS)
    project.catalog(HELD)

    drift = project.run("--delta-drift", "-m", "delta_drift")
    applied = project.run("--delta-apply", "-m", "delta_apply")

    drift.stdout.fnmatch_lines(
        [
            '  ~ properties.pytest_delta_schema.ownedProperties  \'[[]"team", "tier"]\' -> \'[[]"tier"]\'',
            "  - properties.legacy.x * '1' * -> (absent)",
        ],
    )
    applied.assert_outcomes(passed=1)


def test_the_reviewed_sql_has_the_record(project):
    project.settings('models = ["models"]', "owned_properties = true")
    project.models(PROPERTY_POLICY_MODELS)

    project.run("-m", "delta_ddl", "--snapshot-update")

    snapshot, _ = project.snapshots()
    assert "'pytest_delta_schema.ownedProperties' = '[\"tier\"]'" in project.path.joinpath(snapshot).read_text("utf-8")


def test_a_mode_that_is_none_is_a_usage_error(project):
    project.models(PROPERTY_POLICY_MODELS)
    project.settings('models = ["models"]', POLICY.format(mode="mandatory"))

    result = project.run()

    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [
            (
                "ERROR: pyproject.toml: [[]tool.pytest_delta_schema]: properties: team is 'mandatory'; choose"
                " manage, report, ignore, require or forbid"
            ),
        ],
    )


def test_a_misspelt_property_is_found_without_a_catalog_and_a_newer_one_is_named_in_the_project(project):
    project.models(PROPERTY_POLICY_MODELS.replace('"tier"', '"delta.appendOnyl"'))

    misspelt = project.run("-m", "delta_rules")
    project.settings('models = ["models"]', 'properties = { "delta.appendOnyl" = "manage" }')
    named = project.run("-m", "delta_rules")

    misspelt.assert_outcomes(failed=1)
    misspelt.stdout.fnmatch_lines(["*: property delta.appendOnyl is known neither to *; write delta.appendOnly; *"])
    named.assert_outcomes(passed=1)
