"""Consents in the project's file: patterns with a reason and a last day, which have to be of use."""

from __future__ import annotations

import pytest

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
        project.path.joinpath("pyproject.toml").write_text(text)

    return say


def test_a_pattern_agrees_to_several_drops(project, where):
    where(entry())

    applied = project.run("--delta-apply", "-m", "delta_apply")

    applied.assert_outcomes(passed=2, deselected=4)
    assert applied.ret == 0


def test_an_entry_that_nothing_needs_fails_a_green_run(project, where):
    where(entry() + entry("dev.silver.*.gone"))

    result = project.run("--delta-apply", "-m", "delta_apply")

    assert result.ret == 1
    result.assert_outcomes(passed=2, deselected=4)
    result.stdout.fnmatch_lines([UNUSED])
    assert "LEGACY" not in result.stdout.str()


def test_a_gate_uses_entries_too(project, where):
    where(entry("dev.silver.orders.legacy") + entry("dev.silver.*.gone"))

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=2, deselected=4)
    result.stdout.fnmatch_lines(["drift: 1 drifted, 1 blocked, 0 statements run", UNUSED])
    assert "consent 'drop-column dev.silver.orders.legacy'" not in result.stdout.str()


@pytest.mark.parametrize("args", [["-k", "orders"], ["models.py::dev.silver.orders"]], ids=["selection", "path"])
def test_a_run_that_looked_at_a_part_does_not_judge(project, where, args):
    where(entry() + entry("dev.silver.*.gone"))

    result = project.run("--delta-apply", *args, "--snapshot-update")

    assert result.ret == 0
    assert "was needed by no table" not in result.stdout.str()


def test_a_run_without_a_catalog_does_not_ask_for_entries(project, where):
    where(entry(expires="2001-01-01"))

    assert project.run("-m", "delta_rules").ret == 0


def test_an_expired_entry_stops_the_run(project, where):
    where(entry(expires="2001-01-01"))

    result = project.run("--delta-apply")

    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [
            (
                "ERROR: consent 'drop-column dev.silver.[*].legacy' expired at the end of 2001-01-01 in UTC"
                " (moved to payments); remove it, or renew it"
            )
        ]
    )


def test_every_invalid_consent_is_reported_at_once(project, where):
    head = "[[tool.pytest_delta_schema.allow]]\n"
    where(
        "[tool.pytest_delta_schema]\nallowed = 1\n"
        + head
        + 'action = "drop-column"\npath = "dev.silver.orders.x"\nby = "me"\n'
        + head
        + 'action = "drop-table"\npath = "dev.silver.orders"\nreason = " "\nexpires = "soon"\n'
        + head
        + 'action = "rewrite"\npath = "orders"\nreason = "x"\nexpires = 2999-01-01\n'
    )

    result = project.run()

    where = "pyproject.toml: [[]tool.pytest_delta_schema]:"
    result.stderr.fnmatch_lines(
        [
            f"ERROR: {where} there is no setting allowed; did you mean allow[?]",
            f"{where} allow entry 1 lacks reason, expires and has a key by; its keys are action, path, reason, expires",
            f"{where} allow entry 2 has expires = 'soon'; write a day without quotes and time: expires = 2030-12-31",
            f"{where} allow entry 2 has no reason; say in words why it is given",
            (
                f"{where} allow entry 2 cannot be used: consent 'drop-table dev.silver.orders' names no known action;"
                " write 'drop-column', 'rewrite' or 'break' and then a path"
            ),
            (
                f"{where} allow entry 3 cannot be used: consent 'rewrite orders' names no table;"
                " write 'rewrite catalog.schema.table'"
            ),
        ]
    )
    assert result.ret == 4


def test_allow_has_to_be_entries(project, where):
    where("[tool.pytest_delta_schema]\nallow = ['drop-column a.b.c.d']\n")

    result = project.run()

    result.stderr.fnmatch_lines(
        ["*allow entry 1 is 'drop-column a.b.c.d'; write [[][[]tool.pytest_delta_schema.allow]] and its keys below"]
    )


BREAK = """
[[tool.pytest_delta_schema.allow]]
action = "break"
path = "dev.silver.**"
reason = "replaced by amount_eur"
expires = {expires}
"""


@pytest.mark.parametrize("mode", ["--delta-drift", "--delta-apply"])
def test_consents_to_break_contracts_are_of_no_concern_to_plans(project, where, mode):
    where(entry() + BREAK.format(expires="2999-12-31"))

    result = project.run(mode, "-m", mode.replace("--", "").replace("-", "_"), "--delta-allow=break no.such.table")

    assert result.parseoutcomes() == {"passed" if mode == "--delta-apply" else "failed": 2, "deselected": 4}
    assert "unused" not in result.stdout.str()
    assert "consent 'break" not in result.stdout.str()


def test_a_consent_to_break_a_contract_drops_no_column(project, where):
    where(BREAK.format(expires="2999-12-31"))

    result = project.run("--delta-apply", "-m", "delta_apply", "--delta-allow=break dev.silver.orders.legacy")

    result.assert_outcomes(failed=2, deselected=4)
    result.stdout.fnmatch_lines(['*consent with --delta-allow "drop-column dev.silver.orders.legacy"*'])


def test_an_expired_consent_to_break_a_contract_stops_no_run_with_plans(project, where):
    where(entry() + BREAK.format(expires="2001-01-01"))

    result = project.run("--delta-drift", "-m", "delta_drift")

    result.assert_outcomes(failed=2, deselected=4)
    assert "expired at the end" not in result.stdout.str()


def test_what_an_expired_consent_to_break_a_contract_allows(project, where):
    where(BREAK.format(expires="2001-01-01"))
    project.pytester.makepyfile(
        test_show="""
        from pytest_delta_schema.plugin.run import contract_run

        def test_it(pytestconfig):
            options = contract_run(pytestconfig).options
            assert options.expired_consents == ("break dev.silver.**",)
            assert options.settings.consents == options.settings.project_consents == ()
        """
    )

    project.run("-k", "test_it").assert_outcomes(passed=1, deselected=4)
