"""``pytest --delta-enforce``: each constraint has to stop its row, on a scratch table; see ``test_kit/test_enforcement.py``."""

from __future__ import annotations

import json

import pytest

ORDERS = """
from pytest_delta_schema import Check, Column, ForeignKey, Table, Unique

customers = Table("dev", "silver", "customers", [Column("id", "bigint", is_nullable=False)], primary_key=["id"])
orders = Table(
    "dev",
    "silver",
    "orders",
    [
        Column("id", "bigint", is_nullable=False),
        Column("number", "bigint", identity=True),
        Column("customer", "bigint"),
        Column("amount", "decimal(18,2)"),
    ],
    primary_key=["id"],
    unique=[Unique(["number"], name="one_number")],
    foreign_keys=[ForeignKey(["customer"], customers, name="fk_customer")],
    checks=[Check("positive", "amount > 0")],
)
"""
CATALOG = """
import pytest
from pytest_delta_schema import MemoryCatalog

class Watched(MemoryCatalog):
    def drop_schema(self, catalog, schema):
        print("dropped", sorted(str(name) for name in self.table_names(catalog, schema)))
        super().drop_schema(catalog, schema)
        assert not self._tables and not self._rows

    def append_rows(self, table, rows):
        {append}

@pytest.fixture(scope="session")
def delta_catalog():
    return Watched()
"""
TAKES_ALL = "self._rows.setdefault(table, []).extend(dict(row) for row in rows)"
NOTE = (
    "  note        dev.silver.orders: not tried, because no row of this table is known that breaks it:"
    " unique constraint one_number"
)
UNTIL = "reject such rows in the job that writes the table, until the cause is found in the session's settings"
FAILURE = f"""\
dev.silver.orders: 2 constraints did not stop their rows: columns.id, checks.positive

declared at models.py:11

  ! dev.silver.orders: not null id did not stop the row {{'id': None, 'customer': 1, 'amount': Decimal('1.00')}}; {UNTIL} \
[DS402 UnenforcedConstraint]
  ! dev.silver.orders: check positive did not stop the row {{'id': 1, 'customer': 1, 'amount': Decimal('0.00')}}; {UNTIL} \
[DS402 UnenforcedConstraint]
"""


@pytest.fixture
def memory(project):
    project.settings('models = ["models"]', 'backend = "memory"')
    project.models(ORDERS)
    return project


def appending(project, body):
    project.pytester.makeconftest(CATALOG.replace("{append}", body))


def test_a_failure_lists_all_constraints_with_their_rows_also_in_reports(memory):
    appending(memory, TAKES_ALL)
    kinds = ("json", "md", "html", "sarif", "gitlab")
    reports = [f"--delta-report={kind.replace('md', 'markdown')}:r.{kind}" for kind in kinds]

    result = memory.run("--delta-enforce", "models.py::dev.silver.orders::enforces", *reports)

    result.assert_outcomes(failed=1)
    assert FAILURE in result.stdout.str()
    result.stdout.fnmatch_lines(
        [
            "enforce: 1 not enforced",
            f"  not enforced  {FAILURE.partition(chr(10))[0]}",
            NOTE,
            "what a code means: delta-schema explain DS402",
        ],
        consecutive=True,
    )
    (orders,) = json.loads((memory.path / "r.json").read_text())["tables"]
    assert (orders["outcome"], orders["mode"]) == ("not enforced", "enforce")
    assert [(fault["code"], fault["path"], fault["location"]["line"]) for fault in orders["diagnostics"]] == [
        ("DS402", "columns.id", 16),
        ("DS402", "checks.positive", 24),
    ]
    assert [(note["code"], note["severity"]) for note in orders["notes"]] == [("DS710", "note")]
    for kind in kinds:
        assert "check positive did not stop the row" in (memory.path / f"r.{kind}").read_text(), kind


def test_the_scratch_table_is_dropped_after_an_error_of_others(memory):
    memory.settings('models = ["models"]', 'backend = "memory"', 'scratch_catalog = "CI"')
    appending(memory, "raise RuntimeError('out of memory')")

    result = memory.run("--delta-enforce", "-m", "delta_enforces", "-s")

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines([f"*dropped *'ci.test_main_*.{name}'*" for name in ("customers", "orders")])


READ_ONLY = "view = table('dev.silver.view', Column('id', 'int'), read_only=True)\n"


def test_both_gates_run_at_once_and_nothing_of_a_read_only_contract_can_be_enforced(memory):
    memory.models(ORDERS + READ_ONLY)

    result = memory.run("--delta-drift", "--delta-enforce", "-m", "delta_drift or delta_enforces", "-v", "-rs")

    result.assert_outcomes(passed=2, failed=3, skipped=1)
    result.stdout.fnmatch_lines(["delta schema: drift and enforce on memory"])
    result.stdout.fnmatch_lines(["*models.py::dev.silver.orders::enforces PASSED*"])
    result.stdout.fnmatch_lines(
        ["drift: 3 drifted, 0 statements run", "enforce: 2 enforced", "  drifted *", NOTE, "to align the catalog: *"]
    )
    result.stdout.fnmatch_lines(["SKIPPED * the contract is read-only; nothing of it can be enforced"])
