"""The contracts that a table had, in the projects of a run, and what a comparison with them says."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from pytest_delta_schema import Check, QualifiedName, Settings
from pytest_delta_schema.engine.comparison import ContractComparison, PastProjects
from pytest_delta_schema.engine.declarations import Declarations
from pytest_delta_schema.history.contracts import PastContract, PastContracts, PastFault
from pytest_delta_schema.state import TableState
from support.models import TEXT, column, table
from support.snapshots import TextSnapshot

SHOP, LAB = Path("shop"), Path("lab")
ORDERS, USERS = (QualifiedName("dev", "silver", name) for name in ("orders", "users"))


def past(*names, ref="main", faults=()):
    """Return the contracts of one commit; a fault is of a table, or of ``None``."""
    return PastContracts(
        ref=ref,
        commit="1" * 40,
        label=ref,
        tables={
            name: PastContract(state=TableState(name=name), file=f"{name.table}", from_sql=False) for name in names
        },
        faults=tuple(
            PastFault(table=name, files=(f"{name or 'unknown'}.state.json",), message="cannot be read", remedy="fix it")
            for name in faults
        ),
        notes=(),
    )


def test_a_table_is_found_by_its_name_in_its_own_project_first():
    here, unreadable, nowhere = past(ORDERS), past(faults=[ORDERS]), past()
    cases = {
        "its own project": ({SHOP: [here]}, ("orders", 0)),
        "nowhere": ({SHOP: [nowhere]}, (None, 0)),
        "not readable": ({SHOP: [unreadable]}, (None, 1)),
        "moved here": ({SHOP: [nowhere], LAB: [here]}, ("orders", 0)),
        "another one is not readable": ({SHOP: [here], LAB: [unreadable]}, ("orders", 0)),
        "its own is not readable": ({LAB: [here], SHOP: [unreadable]}, (None, 1)),
        "moved here and not readable": ({SHOP: [nowhere], LAB: [unreadable]}, (None, 1)),
    }
    for case, (pasts, expected) in cases.items():
        (table,) = PastProjects(pasts, {ORDERS: SHOP}).of(ORDERS)

        assert (table.contract and table.contract.file, len(table.faults)) == expected, case


def test_what_is_not_declared_any_more_is_gone_whether_it_can_be_read_or_not():
    pasts = {SHOP: [past(USERS, ref="v1"), past(ORDERS, ref="v2")], LAB: [past(faults=[USERS]), past(faults=[None])]}

    assert PastProjects(pasts, {ORDERS: SHOP}).gone() == {USERS: SHOP}
    assert PastProjects(pasts, {ORDERS: SHOP, USERS: LAB}).gone() == {}


NOTE = column("note", TEXT)
DEFAULTS = {"table_properties": {"delta.feature.allowColumnDefaults": "supported"}}
CHANGES = {
    # the table that was released, and the one that is declared
    "a dropped column": (table(column(), NOTE), table(column())),
    "columns in another order": (table(column(), NOTE), table(NOTE, column())),
    "a new column": (table(column(), NOTE), table(column(), NOTE, column("more"))),
    # A MERGE fills no column that its source lacks, whether the table has a default for it or not (Delta 4.4.0).
    "a new column that is NOT NULL": (
        table(column(), **DEFAULTS),
        table(column(), column("n", is_nullable=False, default=0), **DEFAULTS),
    ),
    "a new table": (None, table(column())),
    "a check and another layout": (
        table(column(), NOTE),
        table(column(), NOTE, partitioned_by=["note"], checks=[Check("filled", "note <> ''")]),
    ),
}


def compared(change, settings, *, shows_every_role=False):
    """Return the outcome of a change, and the consents that it needs."""
    old, new = CHANGES[change]
    declarations = Declarations(settings, {new.name: new})
    pasts = {SHOP: [past()]}
    if old is not None:
        contract = PastContract(state=Declarations(Settings(), {}).contract_state(old), file="orders", from_sql=False)
        pasts = {SHOP: [replace(past(), tables={old.name: contract})]}
    comparison = ContractComparison(
        PastProjects(pasts, {new.name: SHOP}),
        declarations,
        today=date(2026, 1, 31),
        is_complete=True,
        shows_every_role=shows_every_role,
    )
    return comparison.outcome(new), [
        ".".join(need.names[3:]).replace("\0", "") for need in comparison.needed_breaks(new.name)
    ]


def test_what_a_comparison_says(snapshot):
    lines = []
    for name in CHANGES:
        outcome, needed = compared(name, Settings())
        lines += [f"==== {name}: {outcome.status.value}, needs consent for {needed}"]
        lines += [f"{part.severity}: {part}" for part in (*outcome.diagnostics, *outcome.notes)]
    verbose, _ = compared("a dropped column", Settings(), shows_every_role=True)
    lines += ["==== every role", *map(str, verbose.notes), ""]

    assert "\n".join(lines) == snapshot(extension_class=TextSnapshot)


def test_a_snapshot_of_an_unknown_table_is_named_by_its_file():
    (named,) = PastProjects({LAB: [past(faults=[None])]}, {}).unnamed().items()

    assert (named[0], named[1][0]) == ("unknown.state.json", LAB)


def test_a_table_that_is_gone_was_in_one_of_two_releases():
    pasts = PastProjects({SHOP: [past(USERS, ref="v1"), past(ref="v2")]}, {ORDERS: SHOP})
    comparison = ContractComparison(pasts, Declarations(Settings(), {}), today=date(2026, 1, 31), is_complete=True)

    outcome = comparison.outcome_of_gone(USERS)

    assert [str(part).partition(":")[0] for part in outcome.diagnostics] == ["dev.silver.users"]


def test_a_new_table_with_the_columns_of_one_that_is_gone_is_named():
    models = {model.name: model for model in (table(), table(name="dev.silver.unread"), table(name="dev.silver.known"))}
    before = past(
        USERS, *(name for name in models if name.table == "known"), faults=[QualifiedName(*ORDERS[:2], "unread")]
    )
    pasts = PastProjects({SHOP: [before]}, dict.fromkeys(models, SHOP))
    comparison = ContractComparison(pasts, Declarations(Settings(), models), today=date(2026, 1, 31), is_complete=True)

    (diagnostic,) = comparison.outcome_of_gone(USERS).diagnostics

    assert "dev.silver.orders is new and has the same columns" in str(diagnostic)
