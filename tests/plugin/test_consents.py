"""Consents in the project's file and on the command line, which have to be of use."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from pytest_delta_schema import MemoryCatalog, QualifiedName
from pytest_delta_schema.state import ColumnState, StructState, TableState
from support.plugin_project import SHARED

MODELS = """
def wanted(name):
    return table(name, Column("id", LongType(), is_nullable=False), table_properties={"delta.columnMapping.mode": "name"})

orders = wanted("dev.silver.orders")
lines = wanted("dev.silver.lines")
"""
HELD = """MemoryCatalog([
    stored(name, ID, OLD._replace(name="legacy"), table_properties={"delta.columnMapping.mode": "name"})
    for name in ("dev.silver.orders", "dev.silver.lines")
])"""
ENTRY = """
[[tool.pytest_delta_schema.allow]]
action = "drop-column"
path = "{path}"
reason = "moved to payments"
expires = {expires}
"""
UNUSED = "  unused      consent 'drop-column dev.silver.[*].gone' (moved to payments) was needed by no table of this run; remove it"


def entry(path="dev.silver.*.LEGACY", expires="2999-12-31"):
    return ENTRY.format(path=path, expires=expires)


@pytest.fixture
def where(project):
    project.models(MODELS)
    project.catalog(HELD)

    def say(text):
        project.settings('models = ["models"]', text)

    return say


APPLY = ("--delta-apply", "-m", "delta_apply")
DRIFT = ("--delta-drift", "-m", "delta_drift")
SET = "--delta-set=allow=[{{ action = 'drop-column', path = 'dev.silver.**', reason = 'x', expires = {} }}]"


def test_an_entry_that_nothing_needs_fails_a_run_that_looked_at_everything(project, where):
    where(entry())
    needed = project.run(*APPLY)
    where(entry() + entry("dev.silver.*.gone"))
    result = project.run(*APPLY)
    parts = [project.run(*APPLY, *args) for args in (["-k", "orders"], ["models.py::dev.silver.orders"])]
    where(entry("dev.silver.orders.legacy") + entry("dev.silver.*.gone"))
    drift = project.run(*DRIFT)

    needed.assert_outcomes(passed=2)
    assert needed.ret == 0
    assert result.ret == 1
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([UNUSED])
    assert "LEGACY" not in result.stdout.str()
    for part in parts:
        assert part.ret == 0
        assert "was needed by no table" not in part.stdout.str()
    drift.assert_outcomes(failed=2)
    drift.stdout.fnmatch_lines(["drift: 1 drifted, 1 blocked, 0 statements run", UNUSED])
    assert "consent 'drop-column dev.silver.orders.legacy'" not in drift.stdout.str()


def test_an_expired_entry_stops_a_run_with_a_catalog(project, where):
    where(entry(expires="2001-01-01"))
    text = "ERROR: consent 'drop-column dev.silver.[*]{}' expired at the end of 2001-01-01 in UTC ({}); remove it, or renew it"

    alone = project.run("-m", "delta_rules")
    result = project.run("--delta-apply")
    where(entry())
    given = project.run(*APPLY, SET.format("2001-01-01"))

    assert alone.ret == 0
    assert result.ret == given.ret == 4
    result.stderr.fnmatch_lines([text.format(".legacy", "moved to payments")])
    given.stderr.fnmatch_lines([text.format("[*]", "x")])


def test_a_consent_of_one_run_takes_the_place_of_those_of_the_project(project, where):
    where(entry("dev.silver.*.gone"))

    result = project.run(*APPLY, SET.format("2999-01-01"))

    result.assert_outcomes(passed=2)
    assert result.ret == 0


def test_every_invalid_consent_is_reported_at_once(project, where):
    head = "[[tool.pytest_delta_schema.allow]]\n"
    where(
        "allowed = 1\n"
        + head
        + 'action = "drop-column"\npath = "dev.silver.orders.x"\nby = "me"\n'
        + head
        + 'action = "drop-table"\npath = "dev.silver.orders"\nreason = " "\nexpires = "soon"\n'
        + head
        + 'action = "rewrite"\npath = "orders"\nreason = "x"\nexpires = 2999-01-01\n',
    )

    result = project.run()

    where = "pyproject.toml: [[]tool.pytest_delta_schema]:"
    result.stderr.fnmatch_lines(
        [
            f"ERROR: {where} there is no setting allowed; did you mean allow[?]",
            f"{where} allow entry 1 has the unknown key 'by'; remove it; keys are action, path, reason, expires",
            f"{where} allow entry 1 has no reason; write in words why it is given: reason = 'moved to payments'",
            f"{where} allow entry 1 has no expires; write the last day: expires = 2030-12-31",
            f"{where} allow entry 2: reason is ' '; write in words why it is given",
            f"{where} allow entry 2: expires is 'soon'; write a day without quotes and time: 2030-12-31",
            (
                f"{where} allow entry 2 is invalid: consent 'drop-table dev.silver.orders' names no known action;"
                " write 'drop-column', 'rewrite' or 'break' and then a path"
            ),
            f"{where} allow entry 3 is invalid: consent 'rewrite orders' names no table; write 'rewrite catalog.schema.table'",
        ],
    )
    assert result.ret == 4


BREAK = """
[[tool.pytest_delta_schema.allow]]
action = "break"
path = "dev.silver.**"
reason = "replaced by amount_eur"
expires = {expires}
"""


def test_consents_to_break_contracts_are_of_no_concern_to_plans(project, where):
    project.pytester.makepyfile(
        test_show="""
        from pytest_delta_schema.plugin.run import contract_run

        def test_it(pytestconfig):
            options = contract_run(pytestconfig).options
            assert options.expired_consents == ("break dev.silver.**",)
            assert options.settings.consents == options.settings.project_consents == ()
        """,
    )
    where(BREAK.format(expires="2001-01-01"))
    project.run("test_show.py").assert_outcomes(passed=1)
    (project.path / "test_show.py").unlink()
    refused = project.run(*APPLY, "--delta-allow=break dev.silver.orders.legacy")
    refused.assert_outcomes(failed=2)
    refused.stdout.fnmatch_lines(['*consent with --delta-allow "drop-column dev.silver.orders.legacy"*'])
    for expires in ("2001-01-01", "2999-12-31"):
        where(entry() + BREAK.format(expires=expires))
        for mode, outcome in ((DRIFT, "failed"), (APPLY, "passed")):
            result = project.run(*mode, "--delta-allow=break no.such.table")

            assert result.parseoutcomes() == {outcome: 2}
            for text in ("unused", "consent 'break", "expired at the end"):
                assert text not in result.stdout.str()


NEVER = (
    "consent 'drop-column dev.silver.orders.legcy' names no column of dev.silver.orders, and none of its older versions has"
    " one; fix or remove it"
)


ONE = MODELS.partition("lines = ")[0]


@pytest.mark.parametrize(
    ("mode", "workers"),
    [("--delta-apply", []), ("--delta-drift", ["-n2", "--delta-backend=memory"])],
    ids=["apply", "drift with xdist"],
)
def test_a_column_that_never_existed_is_a_usage_error(project, mode, workers):
    project.models(MODELS)
    project.catalog(HELD)
    never = "--delta-allow=drop-column dev.silver.orders.legcy"
    allowed = [f"--delta-allow=drop-column dev.silver.{table}.legacy" for table in ("orders", "lines")]

    result = project.run(mode, never, *allowed, "-m", "delta_drift or delta_apply", *workers)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    # Once as the error of a check, and once in the summary, for whichever worker was first.
    assert result.outlines.count(NEVER) == 2
    assert result.parseoutcomes()["errors"] == 1
    assert "statements run" not in result.stdout.str()
    assert result.parseoutcomes().get("passed", 0) == 0
    if not workers:
        # What was not selected is not judged.
        project.run(*DRIFT, "-k", "lines", never).assert_outcomes(failed=1)


SHARED_CATALOG = '__import__("support.plugin_project").plugin_project.SHARED["catalog"]'
MAPPED = MappingProxyType({"delta.columnMapping.mode": "name"})
ORDERS = QualifiedName("dev", "silver", "orders")


def held(project, *columns, name=ORDERS):
    """Let runs share a catalog that holds one table."""
    SHARED["catalog"] = catalog = MemoryCatalog([TableState(name=name, columns=columns, table_properties=MAPPED)])
    project.catalog(SHARED_CATALOG)
    return catalog


def long(name, is_nullable=True):
    return ColumnState(name, "bigint", is_nullable, "")


def test_a_consent_that_was_used_before_is_a_note(project):
    project.models(ONE)
    held(project, long("id", is_nullable=False), long("legacy"))
    allow = "--delta-allow=drop-column dev.silver.orders.LEGACY"

    first = project.run(*APPLY, allow)
    second = project.run(*APPLY, allow, "--junitxml=report.xml")

    first.assert_outcomes(passed=1)
    second.assert_outcomes(passed=1)
    note = (
        "consent 'drop-column dev.silver.orders.legacy' names no column of dev.silver.orders any more, because it was used"
        " before; remove it"
    )
    assert "any more" not in first.stdout.str()
    second.stdout.fnmatch_lines([f"  unused      {note}"])
    assert f'name="delta.unused" value="{note}"' in project.path.joinpath("report.xml").read_text().replace(
        "&apos;",
        "'",
    )


def test_what_cannot_be_known_is_a_note(project):
    project.models(ONE)
    project.catalog(
        "Forgetful([stored('dev.silver.orders', ID, table_properties={'delta.columnMapping.mode': 'name'})])",
    )
    project.extend_conftest(
        "\nfrom pytest_delta_schema.diagnostics.errors import StatementError\n"
        "class Forgetful(MemoryCatalog):\n    def past_columns(self, table, paths):\n        raise StatementError('no log')\n",
    )

    result = project.run(*DRIFT, "--delta-allow=drop-column dev.silver.orders.legacy")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            (
                "  unused      consent 'drop-column dev.silver.orders.legacy' names no column of dev.silver.orders, and whether"
                " it had one cannot be read: no log; remove it"
            ),
        ],
    )


AMBIGUOUS = (
    "consent 'drop-column dev.silver.orders.a.b' is ambiguous and permits nothing: write"
    " 'drop-column dev.silver.orders.`a`.`b`' or 'drop-column dev.silver.orders.`a.b`'"
)
QUOTED = (
    "consent 'drop-column dev.silver.orders.a.b' names no column of dev.silver.orders, and none of its older versions"
    " has one; fix or remove it; there is 'drop-column dev.silver.orders.`a.b`'"
)


def test_a_dotted_column_is_named_in_back_quotes(project):
    project.models(ONE)
    for column, message in (
        (ColumnState("a", StructState((long("b"), long("c"))), True, ""), AMBIGUOUS),
        (None, QUOTED),
    ):
        catalog = held(project, long("id", is_nullable=False), long("a.b"), *([column] if column else []))

        result = project.run(*APPLY, "--delta-allow=drop-column dev.silver.orders.a.b")

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert message in result.stdout.str()
        assert catalog.version(ORDERS) == 0
    project.run(*APPLY, "--delta-allow=drop-column dev.silver.orders.`a.b`").assert_outcomes(passed=1)
    assert catalog.version(ORDERS) == 1


DOTTED = """
orders = table("dev.silver.orders", Column("id", LongType()), {x}table_properties={{"delta.columnMapping.mode": "name"}})
dotted = Table("dev", "silver", "orders.x", [Column("id", LongType()){y}])
"""
X = 'Column("x", __import__("pyspark.sql.types").sql.types.StructType().add("y", LongType())), '


Y = ', Column("y", LongType())'
COLLECTED = "names no table of this run; collected are dev.silver.`orders.x`, dev.silver.orders"
XY = "drop-column dev.silver.orders.x.y"
BOTH = (
    "is ambiguous and permits nothing: write 'drop-column dev.silver.orders.`x`.`y`' or"
    " 'drop-column dev.silver.`orders.x`.y'"
)
DISTINGUISHED = {
    # whether each table declares the column, the consent, and what is wrong with it
    "both": (("", "", XY), BOTH),
    "declared in one": ((X, "", XY), "names no table of this run; there is 'drop-column dev.silver.`orders.x`.y'"),
    "declared in both": ((X, Y, XY), "names a column that the model declares; remove it from the model"),
    "neither": (("", "", "drop-column dev.silver.order.x.y"), COLLECTED),
    "rewrite": (("", "", "rewrite dev.silver.`orders.y`"), COLLECTED),
}


def test_names_are_distinguished_before_anything_is_read(project):
    project.catalog("MemoryCatalog()")
    for case, ((x, y, consent), fault) in DISTINGUISHED.items():
        project.models(DOTTED.format(x=x, y=y))

        result = project.run("--delta-apply", f"--delta-allow={consent}")

        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert result.stderr.str().strip() == f"ERROR: consent '{consent}' {fault}", case


def test_a_field_and_a_dotted_table_are_dropped_each_by_its_own_consent(project):
    project.models(DOTTED.format(x="", y=""))
    dotted = QualifiedName("dev", "silver", "orders.x")
    SHARED["catalog"] = catalog = MemoryCatalog(
        [
            TableState(name=ORDERS, columns=(long("id"), long("gone"), long("x")), table_properties=MAPPED),
            TableState(name=dotted, columns=(long("id"), long("y")), table_properties=MAPPED),
        ],
    )
    project.catalog(SHARED_CATALOG)
    allow = [
        "drop-column dev.silver.orders.x",
        "drop-column dev.silver.orders.gone",
        "drop-column dev.silver.`orders.x`.y",
    ]

    first = project.run(*APPLY, *(f"--delta-allow={consent}" for consent in allow[:2]))
    second = project.run(*APPLY, f"--delta-allow={allow[2]}")

    first.assert_outcomes(passed=1, failed=1)
    first.stdout.fnmatch_lines(["*declare it, or consent with --delta-allow 'drop-column dev.silver.`orders.x`.y'*"])
    second.assert_outcomes(passed=2)
    assert [catalog.version(name) for name in (ORDERS, dotted)] == [1, 1]


def test_consents_name_models_where_these_are_bound_elsewhere(project):
    project.models(ONE)
    catalog = held(project, long("id", is_nullable=False), long("legacy"), name=QualifiedName("ci", "pr", "orders"))
    bind = "--delta-bind=dev.silver=ci.pr"

    wrong = project.run("--delta-apply", bind, "--delta-allow=drop-column ci.pr.orders.legacy")
    never = project.run(*APPLY, bind, "--delta-allow=drop-column dev.silver.orders.old")
    right = project.run(
        *APPLY,
        bind,
        "--delta-allow=drop-column dev.silver.orders.legacy",
    )

    assert [consent.ret for consent in (wrong, never, right)] == [4, 4, 0]
    assert catalog.version(QualifiedName("ci", "pr", "orders")) == 1


def test_an_entry_crosses_dots_only_where_it_asks_for_it(project):
    project.models(
        """
from pyspark.sql.types import StructType
orders = table("dev.silver.orders", Column("id", LongType()), Column("addr", StructType().add("city", LongType())), table_properties={"delta.columnMapping.mode": "name"})
""",
    )
    address = ColumnState("addr", StructState((long("city"), long("zip"))), True, "")
    held(project, long("id"), address, long("zip"))
    entry = (
        '[[tool.pytest_delta_schema.allow]]\naction = "drop-column"\npath = "{}"\nreason = "x"\nexpires = 2999-01-01\n'
    )

    project.settings('models = ["models"]', entry.format("dev.silver.*.zip"))
    first = project.run(*APPLY)
    project.settings('models = ["models"]', entry.format("dev.**.zip"))
    second = project.run(*APPLY)

    first.assert_outcomes(failed=1)
    first.stdout.fnmatch_lines(
        [
            "*column addr.zip is on the table but not in the model*",
            '*--delta-allow "drop-column dev.silver.orders.addr.zip"*',
        ],
    )
    assert "column zip is on the table" not in first.stdout.str()
    second.assert_outcomes(passed=1)
