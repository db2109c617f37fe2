"""``pytest --delta-drift``: what the gate reports, and when it fails, for all that a contract can leave to others."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from support.plugin_project import MODELS, ORDERS
from support.snapshots import TextSnapshot

DRIFT = ("--delta-drift", "-m", "delta_drift")
BEFORE = """MemoryCatalog([stored(
    "dev.silver.orders", ColumnState("id", "bigint", True, ""), ColumnState("created_ts", "timestamp", True, "")
)])"""
SYNCED = "orders = table('dev.silver.orders', Column('id', LongType(), is_nullable=False))\n"


def test_a_drifted_table_shows_every_change_the_sql_and_the_place(project, monkeypatch, snapshot):
    monkeypatch.setenv("CI", "true")
    project.models(ORDERS)
    project.catalog(BEFORE)

    result = project.run(*DRIFT, "--junitxml=report.xml", "-W", "error")

    _, _, text = result.stdout.str().partition("dev.silver.orders drift ___")
    shown = re.split(r"-+ generated xml", text.partition("\n")[2])[0]
    assert shown == snapshot(extension_class=TextSnapshot)
    headline = "has drifted, 8 changes: columns.amount, columns.id, primary_key and 5 more"
    result.stdout.fnmatch_lines(
        [
            "drift: 1 drifted, 0 statements run",
            f"  drifted     dev.silver.orders {headline}",
            "to align the catalog: pytest --delta-apply",
            "to accept into the models what it holds: pytest --delta-adopt=diff",
            "what a code means: delta-schema explain DD102,DD105,DD112",
            f"FAILED models.py::dev.silver.orders::drift - {headline}",
        ],
    )
    assert "in run_all" not in result.stdout.str()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    (case,) = ET.parse(project.path / "report.xml").iter("testcase")
    facts = {item.get("name"): item.get("value") for item in case.iter("property")}
    assert (facts["delta.outcome"], facts["delta.risk"], facts["delta.changes"]) == ("drifted", "scan", "8")
    assert case.find("failure").get("message") == headline


KINDS = """
view = table("dev.silver.view", Column("id", LongType()))
blocked = table("dev.silver.blocked", Column("b", LongType(), is_nullable=False))
spelled = table("dev.silver.spelled", Column("ID", LongType(), is_nullable=False))
same = table("dev.silver.same", Column("id", LongType(), is_nullable=False))
missing = table("dev.silver.missing", Column("id", LongType()))
elsewhere = table("dev.gold.elsewhere", Column("id", LongType()))
"""
HALFBLIND = """Halfblind([stored(f"dev.silver.{name}", ID) for name in ("blocked", "spelled", "same")])

class Halfblind(MemoryCatalog):
    def snapshot(self, models):
        print("READ", len(models))
        seen = MemoryCatalog.snapshot(self, [model for model in models if model.table_name != "view"])
        view = Diagnostic(table="dev.silver.view", message="is a view, not a table", remedy="drop the view")
        return CatalogState(tables=dict(seen.tables), problems={QualifiedName("dev", "silver", "view"): view})
"""


def test_every_status_is_shown_with_its_reason_and_looking_changes_nothing(project):
    project.models(KINDS)
    project.catalog(HALFBLIND)
    project.pytester.makepyfile(
        test_after="""
        import models
        from pytest_delta_schema.execute.protocols import ABSENT
        def test_it(delta_catalog):
            assert delta_catalog.version(models.missing.name) is ABSENT
            assert delta_catalog.version(models.blocked.name) == 0
        """,
    )

    result = project.run_all("--delta-drift", "-m", "delta_drift or not delta", "-s")

    result.assert_outcomes(passed=3, failed=3, errors=1)
    assert result.stdout.str().count("READ 6") == 1
    assert result.stdout.str().count("READ ") == 1
    result.stdout.fnmatch_lines_random(
        [
            "dev.silver.blocked has drifted, 2 changes: columns.b, columns.id; blocked: column b is NOT NULL in the model*",
            "Blocked SQL:",
            "blocked:",
            (
                "  ! dev.silver.blocked: column b is NOT NULL in the model but new on the table; add it nullable, fill it,"
                " then declare it NOT NULL [[]DS201 NotNullColumnAdded]"
            ),
            '  ! dev.silver.blocked: column id *--delta-allow "drop-column dev.silver.blocked.id"*',
            "*= delta schema =*",
            "drift: 2 in sync, 2 drifted, 1 blocked, 1 unreadable, 0 statements run",
            "  drifted     dev.gold.elsewhere does not exist in the catalog, and neither does its schema dev.gold",
            "  drifted     dev.silver.missing does not exist in the catalog",
            "  unreadable  dev.silver.view: is a view, not a table; drop the view",
            "  note        dev.silver.spelled: column ID is stored as id;*",
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

    result = project.run(*DRIFT)

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


class Outcomes:
    """Keeps the outcomes of a run as its reports would see them."""

    def pytest_unconfigure(self, config):
        self.outcomes = list(config.pluginmanager.get_plugin("delta_schema_results").outcomes().values())


def test_a_broken_fixture_of_the_project_is_an_error_not_a_pass(project):
    project.models(SYNCED)
    project.catalog("1 / 0")
    seen = Outcomes()

    result = project.run(*DRIFT, plugins=[seen])

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["drift: 1 unreadable, 0 statements run", "  unreadable  *ZeroDivisionError*"])
    (outcome,) = seen.outcomes
    (diagnostic,) = outcome.diagnostics
    assert (outcome.check.value, outcome.status.value) == ("drift", "unreadable")
    assert (str(outcome.location), diagnostic.location) == (f"{project.path}/models.py:7", outcome.location)
    assert "ZeroDivisionError" in diagnostic.message


NOTHING_CHECKED = {
    # what deselects everything: the mode and the arguments
    "-k and -m": ("drift", ["-k", "nobody", "-m", "not delta"]),
    "--deselect": ("apply", ["--deselect", "models.py"]),
}


def test_a_gate_that_checked_nothing_fails_and_names_why(project):
    project.settings(MODELS, 'backend = "memory"')
    project.models(SYNCED)
    for used, (mode, args) in NOTHING_CHECKED.items():
        result = project.run(f"--delta-{mode}", *args)

        assert result.ret == pytest.ExitCode.TESTS_FAILED
        (line,) = [line for line in result.outlines if line.startswith("--delta-")]
        fact = f"--delta-{mode} checked nothing, because all its checks (1) were deselected by"
        assert line == f"{fact} {used}; leave that out, or select some of them"
    project.settings('backend = "memory"')

    result = project.run("--delta-drift")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    fact = f"--delta-drift found no table, so nothing was checked. It looked in {project.path}: in test files (test_[*].py*"
    result.stdout.fnmatch_lines([fact])
    assert project.run_all("--delta-drift", "--collect-only").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_checks_without_a_catalog_come_first_and_users_tests_on_it_last(project):
    project.models(SYNCED)
    project.catalog('MemoryCatalog([stored("dev.silver.orders", ID)])')
    project.pytester.makepyfile(test_a="def test_uses_it(delta_catalog): pass\ndef test_plain(): pass\n")

    result = project.run_all("--delta-drift", "--collect-only", "-q", "test_a.py", "models.py")

    assert [line.rpartition("::")[2] for line in result.outlines if "::" in line] == [
        *("test_plain", "rules", "ddl", "drift", "test_uses_it"),
    ]


REPORTED = """
orders = table(
    "dev.silver.orders",
    Column("id", LongType(), is_nullable=False, comment="Key"),
    Column("new", LongType()),
    comment="Ours",
    table_properties={"team": "us"},
    owns={"comments": "report", "properties": "ignore"},
)
"""
THEIRS = (
    """MemoryCatalog([stored("dev.silver.orders", ID, table_comment="Theirs", table_properties={"team": "them"})])"""
)


def test_reported_differences_fail_the_gate_and_no_apply_changes_them(project):
    project.models(REPORTED)
    project.catalog(THEIRS)

    drift = project.run(*DRIFT)
    applied = project.run("--delta-apply", "-m", "delta_apply")

    drift.assert_outcomes(failed=1)
    drift.stdout.fnmatch_lines(
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
    assert "team" not in drift.stdout.str()
    applied.assert_outcomes(passed=1)
    rest = "columns.id.comment, comment, in what the contract only reports"
    applied.stdout.fnmatch_lines(
        ["apply: 1 applied, 1 statement run", f"  note        dev.silver.orders has drifted, 2 changes: {rest}"],
    )


TIERED = """
orders = table("dev.silver.orders", Column("id", LongType(), is_nullable=False), table_properties={"tier": "1"})
"""
HELD = """MemoryCatalog([
    stored("dev.silver.orders", ID, table_properties={"legacy.x": "1", "tier": "1"}, owned_properties=("team", "tier"))
])"""


def test_the_policy_for_properties_of_the_project_is_in_force(project):
    project.models(TIERED)
    project.catalog(HELD)
    project.settings(MODELS, "owned_properties = true", 'properties = { "legacy.*" = "forbid" }')

    drift = project.run(*DRIFT)

    drift.stdout.fnmatch_lines(
        [
            '  ~ properties.pytest_delta_schema.ownedProperties  \'[[]"team", "tier"]\' -> \'[[]"tier"]\'',
            "  - properties.legacy.x * '1' * -> (absent)",
        ],
    )


STRAYS = (
    'MemoryCatalog([stored(f"dev.{name}", ID) for name in ("silver.orders", "silver.stray", "silver.tmp_1", "gold.a")])'
)


def test_a_table_that_no_model_declares_fails_its_schema_or_is_reported(project):
    project.models(SYNCED + "gold = table('dev.gold.a', Column('id', LongType(), is_nullable=False))\n")
    project.catalog(STRAYS)
    ignored = 'unmanaged_ignore = ["*.TMP_*"]'
    project.settings(MODELS, 'unmanaged = "fail"', ignored)

    result = project.run("--delta-drift", "-m", "delta_drift or delta_unmanaged")
    project.settings(MODELS, 'unmanaged = "report"', ignored)
    reported = project.run("--delta-drift", "-m", "delta_unmanaged")

    head = "dev.silver holds 1 table that no model declares: dev.silver.stray"
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            f"*{head}",
            (
                "Tables of models that this run did not collect count, too. No apply drops a table: declare them, parquet"
                " files with convert_from, exclude them with the setting unmanaged_ignore, or drop them by hand."
            ),
            "drift: 2 in sync, 0 statements run",
            "unmanaged: 2 schemas, 1 with undeclared tables",
            f"  drifted     {head}",
            "FAILED models.py::dev.silver::unmanaged*",
        ],
    )
    result.stdout.no_fnmatch_line("*to align the catalog*")
    result.stdout.no_fnmatch_line("*--delta-adopt*")
    reported.assert_outcomes(passed=2)
    reported.stdout.fnmatch_lines([f"  note        {head}"])
