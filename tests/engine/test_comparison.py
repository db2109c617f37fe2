"""The contracts that a table had, in the projects of a run."""

from __future__ import annotations

from pathlib import Path

from pytest_delta_schema import QualifiedName
from pytest_delta_schema.engine.comparison import PastProjects
from pytest_delta_schema.history.contracts import PastContract, PastContracts, PastFault
from pytest_delta_schema.state import TableState

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


def test_each_commit_is_looked_at_in_the_order_of_the_options():
    projects = PastProjects({SHOP: [past(ORDERS, ref="v2"), past(ref="v1")]}, {ORDERS: SHOP})

    assert [(table.ref, table.contract is None) for table in projects.of(ORDERS)] == [("v2", False), ("v1", True)]
    assert projects.has_several_refs
    assert not PastProjects({SHOP: [past()]}, {}).has_several_refs


def test_what_is_not_declared_any_more_is_gone_whether_it_can_be_read_or_not():
    pasts = {SHOP: [past(USERS, ref="v1"), past(ORDERS, ref="v2")], LAB: [past(faults=[USERS]), past(faults=[None])]}

    assert PastProjects(pasts, {ORDERS: SHOP}).gone() == {USERS: SHOP}
    assert PastProjects(pasts, {ORDERS: SHOP, USERS: LAB}).gone() == {}


def test_a_snapshot_of_an_unknown_table_is_named_by_its_file():
    (named,) = PastProjects({LAB: [past(faults=[None])]}, {}).unnamed().items()

    assert (named[0], named[1][0]) == ("unknown.state.json", LAB)
