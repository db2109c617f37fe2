"""``pytest --delta-enforce``: each constraint has to stop its row, on a scratch table."""

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
        Column("status", "varchar(7)"),
        Column("address", "struct<city: string not null>"),
        Column("amount", "decimal(18,2)"),
    ],
    primary_key=["id"],
    unique=[Unique(["number"], name="one_number")],
    foreign_keys=[ForeignKey(["customer"], customers, name="fk_customer")],
    checks=[Check("positive", "amount > 0")],
)
"""
LAX = """
from types import SimpleNamespace
import pytest
from pytest_delta_schema import MemoryCatalog
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute.protocols import RowCounts

@pytest.fixture(scope="session")
def delta_catalog():
    return Lax()

class Lax(MemoryCatalog):
    def append_rows(self, table, rows):
        {body}
"""
TAKES_ALL = "self._rows.setdefault(table, []).extend(dict(row) for row in rows)"


NOTE = (
    "  note        dev.silver.orders: not tried, because no row of this table is known that breaks it:"
    " unique constraint one_number"
)
REST = "'customer': 1, 'status': 'status1', 'address': {'city': 'city_1'}"
FAILURE = f"""\
dev.silver.orders: 4 constraints did not stop their rows: columns.id, columns.address.city, columns.status and 1 more

declared at models.py:11

  ! dev.silver.orders: not null id did not stop the row {{'id': None, {REST}, 'amount': Decimal('1.00')}}; reject such \
rows in the job that writes the table, until the cause is found in the session's settings [DS402 UnenforcedConstraint]
  ! dev.silver.orders: not null address.city did not stop the row {{'id': 1, 'customer': 1, 'status': 'status1', \
'address': {{'city': None}}, 'amount': Decimal('1.00')}}; reject such \
rows in the job that writes the table, until the cause is found in the session's settings [DS402 UnenforcedConstraint]
  ! dev.silver.orders: length status did not stop the row {{'id': 1, 'customer': 1, 'status': 'status1x', \
'address': {{'city': 'city_1'}}, 'amount': Decimal('1.00')}}; reject such \
rows in the job that writes the table, until the cause is found in the session's settings [DS402 UnenforcedConstraint]
  ! dev.silver.orders: check positive did not stop the row {{'id': 1, {REST}, 'amount': Decimal('0.00')}}; reject such \
rows in the job that writes the table, until the cause is found in the session's settings [DS402 UnenforcedConstraint]
"""


@pytest.fixture
def memory(project):
    project.settings('models = ["models"]', 'backend = "memory"')
    project.models(ORDERS)
    return project


def lax(project, body):
    project.pytester.makeconftest(LAX.replace("{body}", body))


def test_a_failure_lists_all_constraints_with_their_rows(memory):
    lax(memory, TAKES_ALL)

    result = memory.run("--delta-enforce", "models.py::dev.silver.orders::enforces")

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


FAULTS = {
    # what appending rows does, and what is shown
    "stopped by another constraint": (
        """
        if [row for row in rows if row.get("id") is None]:
            rows = [{"id": 1}]
        super().append_rows(table, rows)
        """,
        (
            "not null id did not stop the row *, because something else did: not null address.city; try it in a "
            "test with values of your own: breaking_rows(model, column=value) [[]DS402 UnenforcedConstraint]"
        ),
    ),
    "refused and written": (
        """
        try:
            super().append_rows(table, rows)
        except StatementError:
            self._rows[table].extend(rows)
            raise
        """,
        "the table has 8 rows, and took 4; this is a defect of the backend*",
    ),
    "valid rows are refused": (
        "raise StatementError('the disk is full')",
        "rows that satisfy the contract were refused: the disk is full; the first is {'id': 1, *",
    ),
    "rows of a key are refused": (
        """
        if len(rows) == 1 and rows[0].get("amount") and rows[0]["id"] and rows[0]["customer"] == 2:
            raise StatementError("no second one")
        super().append_rows(table, rows)
        """,
        "primary key pk_dev_silver_orders__id was not tried, because the row * was refused: no second one; *",
    ),
    "a key is not counted": (
        """
        super().append_rows(table, rows)
    def data_checks(self, table):
        def count_rows(*checks):
            counts = runner.count_rows(*checks)
            return RowCounts(rows=counts.rows, broken=(0, *counts.broken[1:]))
        runner = super().data_checks(table)
        return SimpleNamespace(count_rows=count_rows)
        """,
        (
            "primary key pk_dev_silver_orders__id is not named by the data check for the rows {'id': 1, *}, "
            "{'id': 1, *}; *"
        ),
    ),
    "a foreign key is not counted": (
        """
        super().append_rows(table, rows)
    def data_checks(self, table):
        def count_rows(*checks):
            counts = runner.count_rows(*checks)
            return RowCounts(rows=counts.rows, broken=(*counts.broken[:-1], 0))
        runner = super().data_checks(table)
        return SimpleNamespace(count_rows=count_rows)
        """,
        (
            "foreign key fk_customer is not named by the data check for the rows {'id': 1, *}, {*}, {*} without "
            "parents; *"
        ),
    ),
}


def test_a_row_that_is_not_stopped_by_its_constraint_fails(memory):
    for body, message in FAULTS.values():
        lax(memory, body)

        result = memory.run("--delta-enforce", "models.py::dev.silver.orders::enforces")

        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines([f"dev.silver.orders: {message}"])


UNSOLVED = """
orders = table(
    "dev.silver.orders",
    Column("id", "bigint", is_nullable=False),
    Column("sku", "string"),
    checks=[Check("known_sku", "sku RLIKE '(?i)^sku'")],
)
"""


NEVER = "never = table('dev.silver.never', Column('id', 'int'), checks=[Check('never', 'id > 1 AND id < 1')])\n"


def test_a_check_that_memory_cannot_evaluate_or_no_row_meets_is_a_failure(memory):
    memory.models("from pytest_delta_schema import Check\n" + UNSOLVED + NEVER)

    result = memory.run("--delta-enforce", "-m", "delta_enforces")

    result.assert_outcomes(failed=2)
    refused = "rows that satisfy the contract, apart from check {}, were refused: {}; the first is {}; *"
    unknown = "*the memory catalog cannot evaluate check *; test it on the local backend"
    of_sku = refused.format("known_sku", unknown, "{'id': 1, 'sku': 'sku_1'}")
    of_never = refused.format("never", "check never", "{'id': 1}")
    result.stdout.fnmatch_lines_random(
        [f"dev.silver.orders: {of_sku} [[]DS403 RefusedRow]", f"dev.silver.never: {of_never}"]
    )


SPARK_DECIDES = """
        if any(row.get("sku") is None or not row["sku"].startswith("sku") for row in rows):
            raise StatementError("CHECK constraint known_sku (sku RLIKE '(?i)^sku') violated by row with values:")
        if any(row["id"] is None for row in rows):
            raise StatementError("NOT NULL constraint violated for column: id")
        self._rows.setdefault(table, []).extend(rows)
"""


def test_a_check_of_which_no_row_is_known_is_left_to_spark_and_noted(memory):
    memory.models("from pytest_delta_schema import Check\n" + UNSOLVED)
    lax(memory, SPARK_DECIDES)

    result = memory.run("--delta-enforce", "-m", "delta_enforces")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["  note *: not tried, because no row of this table is known that breaks it: check known_sku"],
    )


def test_constraints_that_only_an_unsolved_check_stops_are_noted(memory):
    keys = UNSOLVED.replace("checks=", "primary_key=['id'], checks=")
    memory.models("from pytest_delta_schema import Check\n" + keys)
    lax(memory, SPARK_DECIDES.replace("if any(", "if len(rows) == 1 or any(", 1))

    result = memory.run("--delta-enforce", "-m", "delta_enforces")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["  note *that breaks it: check known_sku, not null id, primary key *"])


NARROW = """
import pytest
from pytest_delta_schema import MemoryCatalog

@pytest.fixture(scope="session")
def delta_catalog():
    return Narrow()

class Narrow(MemoryCatalog):
    append_rows = property()
"""


def test_a_catalog_that_cannot_append_rows_fails(memory):
    memory.pytester.makeconftest(NARROW)

    result = memory.run("--delta-enforce", "models.py::dev.silver.customers::enforces")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["dev.silver.customers: the catalog Narrow cannot append rows; give it append_rows"])


def test_a_declaration_that_breaks_a_rule_is_shown_once(memory):
    memory.models("orders = table('dev.silver.orders', Column('id', 'int'), primary_key=['id'])")

    result = memory.run("--delta-enforce", "--deselect", "models.py::dev.silver.orders::ddl")

    result.assert_outcomes(failed=1, skipped=1)
    alone = memory.run("--delta-enforce", "-m", "delta_enforces")
    alone.assert_outcomes(failed=1)
    alone.stdout.fnmatch_lines(["  blocked     dev.silver.orders: *"])


CREATED = """
import pytest
from pytest_delta_schema import MemoryCatalog

class Watched(MemoryCatalog):
    def drop_schema(self, catalog, schema):
        print("dropped", sorted(str(name) for name in self.table_names(catalog, schema)))
        super().drop_schema(catalog, schema)
        assert not self._tables and not self._rows

    def append_rows(self, table, rows):
        assert table.catalog == "CATALOG" and table.schema.startswith("test_main_"), table
        {fault}

@pytest.fixture(scope="session")
def delta_catalog():
    return Watched()
"""


ENDS = {
    # the catalog of scratch tables, what appending does, and how both tables end
    "passes": ("dev", "super().append_rows(table, rows)", {"passed": 2}),
    "fails": ("ci", TAKES_ALL, {"failed": 2}),
    "an error of others": ("dev", "raise RuntimeError('out of memory')", {"failed": 2}),
}


def test_the_scratch_table_is_dropped(memory):
    for catalog, fault, outcomes in ENDS.values():
        scratch = ['scratch_catalog = "CI"'] if catalog == "ci" else []
        memory.settings('models = ["models"]', 'backend = "memory"', *scratch)
        memory.pytester.makeconftest(CREATED.replace("{fault}", fault).replace("CATALOG", catalog))

        result = memory.run("--delta-enforce", "-m", "delta_enforces", "-s")

        result.assert_outcomes(**outcomes)
        result.stdout.fnmatch_lines(
            [f"*dropped *'{catalog}.test_main_*.customers'*", f"*dropped *'{catalog}.test_main_*.orders'*"],
        )


def test_tables_are_selected_and_the_first_failure_stops_the_run(memory):
    lax(memory, TAKES_ALL)

    memory.run("--delta-enforce", "-k", "orders and enforces").assert_outcomes(failed=1)
    stopped = memory.run("--delta-enforce", "-x", "-m", "delta_enforces", "-k", "orders or customers")

    stopped.assert_outcomes(failed=1)
    unknown = memory.run("models.py::dev.silver.orders::enforces")
    assert unknown.ret == 4
    unknown.stderr.fnmatch_lines(["*: the check enforces exists with --delta-enforce only; give that, too"])


def test_both_gates_run_at_once(memory):
    result = memory.run("--delta-drift", "--delta-enforce", "-m", "delta_drift or delta_enforces", "-v")

    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["delta schema: drift and enforce on memory"])
    result.stdout.fnmatch_lines(["*models.py::dev.silver.orders::enforces PASSED*"])
    result.stdout.fnmatch_lines(
        [
            "drift: 2 drifted, 0 statements run",
            "enforce: 2 enforced",
            "  drifted *",
            "  drifted *",
            NOTE,
            "to align the catalog: pytest --delta-apply",
            "what a code means: *",
        ],
        consecutive=True,
    )


def test_an_apply_does_not_touch_the_scratch_tables(memory):
    result = memory.run("--delta-apply", "--delta-enforce", "-m", "delta_apply or delta_enforces")

    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["apply: 2 applied, * statements run", "enforce: 2 enforced"])


SHARED = (
    "--delta-enforce creates tables, and others may use the catalogs of the backend session; name one for scratch tables"
    ' in pyproject.toml: [tool.pytest_delta_schema] scratch_catalog = "scratch"; or run it with --delta-backend=local'
)
READ_ONLY = (
    "--delta-enforce writes rows to scratch tables, which the backend databricks cannot; run it with"
    " --delta-backend=local"
)


def test_a_run_that_cannot_work_is_a_usage_error(memory):
    for backend, message in {"session": SHARED, "databricks": READ_ONLY}.items():
        result = memory.run("--delta-enforce", f"--delta-backend={backend}")

        assert result.ret == 4
        assert f"ERROR: {message}\n" in result.stderr.str()


def test_reports_show_what_was_not_stopped(memory):
    lax(memory, TAKES_ALL)

    memory.run(
        "--delta-enforce",
        "-m",
        "delta_enforces",
        "--delta-report=json:r.json",
        "--delta-report=markdown:r.md",
        "--delta-report=html:r.html",
        "--delta-report=sarif:r.sarif",
        "--delta-report=gitlab:r.gitlab",
    )

    customers, orders = json.loads((memory.path / "r.json").read_text())["tables"]
    assert (customers["outcome"], orders["outcome"], orders["mode"]) == ("not enforced", "not enforced", "enforce")
    assert [(fault["code"], fault["path"], fault["location"]["line"]) for fault in orders["diagnostics"]] == [
        ("DS402", "columns.id", 16),
        ("DS402", "columns.address.city", 20),
        ("DS402", "columns.status", 19),
        ("DS402", "checks.positive", 26),
    ]
    assert [(note["code"], note["severity"]) for note in orders["notes"]] == [("DS710", "note")]
    for name in ("r.md", "r.html", "r.sarif", "r.gitlab"):
        assert "check positive did not stop the row" in (memory.path / name).read_text(), name


def test_a_foreign_key_without_values_is_noted(memory):
    memory.models(
        "from pytest_delta_schema import ForeignKey\n"
        "parts = table('dev.silver.parts', Column('id', 'int', is_nullable=False), Column('other', 'int'),"
        " primary_key=['id'], foreign_keys=[ForeignKey(['other'], 'dev.silver.others', ['id'], name='fk_other')])\n"
        "others = table('dev.silver.others', Column('id', 'int', is_nullable=False), Column('part', 'int'),"
        " primary_key=['id'], foreign_keys=[ForeignKey(['part'], parts, name='fk_part')])\n",
    )

    result = memory.run("--delta-enforce", "-m", "delta_enforces")

    result.stdout.fnmatch_lines(
        ["enforce: 2 enforced", "  note        dev.silver.others: not tried, because *: foreign key fk_part"],
        consecutive=True,
    )
