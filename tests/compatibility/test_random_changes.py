"""Random changes of a contract: nothing is judged that does not change, and more changes are never better."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pytest_delta_schema import Check, Column, Identity, Table, Unique
from pytest_delta_schema.compatibility import judge_change, worst_verdict
from pytest_delta_schema.compatibility.roles import VERDICTS
from pytest_delta_schema.settings.table import ROLES
from pytest_delta_schema.testing.scenario import INT, LONG, TEXT, field, struct
from support.models import table

COLUMNS = (
    Column("a", INT),
    Column("b", TEXT),
    Column("c", LONG, is_nullable=False),
    Column("d", struct(field("x", INT))),
    Column("e", "decimal(10,2)"),
)
PROPERTIES = {"delta.enableTypeWidening": "true", "delta.columnMapping.mode": "name", "delta.appendOnly": "true"}
BASE = table(*COLUMNS, table_properties=PROPERTIES, checks=[Check("c_positive", "c > 0")])


def _column(at: int, new: Column | None):
    def edit(model: Table) -> Table:
        name = COLUMNS[at].name
        columns = [new if column.name == name else column for column in model.columns]
        return replace(model, columns=[column for column in columns if column is not None])

    return edit


def _with(**parts):
    return lambda model: replace(model, **parts)


def _added(column: Column):
    return lambda model: replace(model, columns=[*model.columns, column])


EDITS = (
    _column(0, None),
    _column(1, Column("b", "varchar(5)")),
    _column(2, Column("c", LONG)),
    _column(3, Column("d", struct(field("x", INT), field("y", TEXT)))),
    _column(4, Column("e", "decimal(12,2)")),
    _added(Column("f", INT)),
    _added(Column("g", INT, is_nullable=False)),
    _added(Column("h", LONG, identity=Identity(1, 1))),
    _with(comment="New"),
    _with(tags={"owner": "sales"}),
    _with(partitioned_by=["b"]),
    _with(unique=[Unique(["b"])]),
    _with(checks=[]),
    _with(table_properties={}),
    _with(evolution="additive"),
)
"""Changes that touch different parts of the contract."""


def verdicts(edits: set[int]) -> dict[str, int]:
    """Return how bad the worst verdict on each role is."""
    model = BASE
    for at in sorted(edits):
        model = EDITS[at](model)
    findings = judge_change(BASE, model, roles=ROLES)
    return {
        role: VERDICTS.index(worst_verdict(finding for finding in findings if finding.role == role)) for role in ROLES
    }


SETS = st.sets(st.integers(0, len(EDITS) - 1))


@given(SETS, SETS)
def test_more_changes_are_never_better_for_anybody(some_edits, more_edits):
    fewer, all_of_them = verdicts(some_edits), verdicts(some_edits | more_edits)

    assert {role: all_of_them[role] for role in ROLES if all_of_them[role] < fewer[role]} == {}


@given(SETS)
def test_a_contract_against_itself_has_no_finding(edits):
    model = BASE
    for at in sorted(edits):
        model = EDITS[at](model)

    assert judge_change(model, model, roles=ROLES) == ()


@given(SETS, st.sampled_from(["ignore", "report"]))
def test_what_no_contract_owns_adds_nothing(edits, mode):
    old, new = BASE, BASE
    for at in sorted(edits - {14}):
        new = EDITS[at](new)
    owns = dict.fromkeys(
        ["columns", "types", "defaults", "unique", "checks", "comments", "properties", "layout", "tags"],
        mode,
    )

    assert judge_change(replace(old, owns=owns), replace(new, owns=owns), roles=ROLES) == ()
