"""Fingerprints of changes and diagnostics."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
from pytest_delta_schema.engine.outcomes import Status, TableChange
from pytest_delta_schema.report.run_report import Run, RunReport, TableReport, fingerprint, fingerprints
from support.reports.run_reports import DRIFTED, UNMANAGED, sample_report

ORDERS, CUSTOMERS = "dev.silver.orders", "dev.silver.customers"
KEY = "foreign_keys.fk_dev_silver_orders__customer_id"


def _table(name: str, *changes: TableChange, **parts) -> TableReport:
    parts = {"stored_as": name.replace("dev.", "ci."), **parts}
    return TableReport(name=name, mode="drift", status=Status.DRIFTED, changes=changes, **parts)


def _change(table: str = "ci.silver.orders", **parts) -> TableChange:
    return TableChange(
        **{"marker": "~", "path": "columns.id", "before": "int", "after": "bigint", **parts}, table=table, code="DD104"
    )


def _report(*tables: TableReport, **parts) -> RunReport:
    return RunReport(**{"runs": (Run(mode="drift", bindings=(("dev", "ci"),)),), "tables": tables, **parts})


@pytest.mark.parametrize(
    ("parts", "digits"),
    [
        (("DD104", ORDERS, "columns.id", "bigint"), "db130b4d021f5573c3052a8010338831"),
        (("DD104", ORDERS, "columns.id", "bigint", 2), "61b7a047bd9849fbc30812247f1c7203"),
        (("DS201", ORDERS, "", ""), "f9e16ef4ad117cca45d2d9da50b17145"),
        (("DD102", "dév.silver.😀", "columns.\ud800\n\0", "string"), "7db9306a68f5e64c41311efa4da172e5"),
    ],
)
def test_the_fingerprints_of_all_versions_are_the_same(parts, digits):
    assert fingerprint(*parts[:4], **({"occurrence": parts[4]} if parts[4:] else {})) == digits


@pytest.mark.parametrize(
    "parts",
    [
        ("DD104", "a.b", "c", ""),
        ("DD104", "a.b.c", "", ""),
        ("DD104", "a.b", "", "c"),
        ("DD104", "a.b", 'c", "', ""),
        ("DD104a", ".b", "c", ""),
        ("DD104", "a.b", "c\0", ""),
    ],
)
def test_parts_are_kept_apart(parts):
    others = {("DD104", "a.b", "c", ""), ("DD104", "a.b.c", "", ""), ("DD104", "a.b", "", "c")} - {parts}

    assert fingerprint(*parts) not in {fingerprint(*other) for other in others}


@pytest.mark.parametrize(
    "other",
    [
        _change(before="smallint"),
        _change(marker="+", risk="metadata", loss="readers", location=Location("shop/models.py", 99)),
        _change(table="dev.silver.orders"),
    ],
    ids=["before", "risk and location", "name of the model"],
)
def test_a_fingerprint_does_not_depend_on_what_may_change(other):
    first, second = (fingerprints(_report(_table(ORDERS, change))) for change in (_change(), other))

    assert first == second
    assert first.tables[0].changes == (fingerprint("DD104", ORDERS, "columns.id", "bigint"),)


def test_a_fingerprint_does_not_depend_on_bindings():
    changes = [
        _change(path="schema ci.silver", after="created"),
        _change(path=KEY, after="(customer_id) references ci.silver.customers (id) rely"),
    ]
    bound = _report(_table(ORDERS, *changes))
    plain = _report(
        _table(
            ORDERS,
            _change(table=ORDERS, path="schema dev.silver", after="created"),
            _change(table=ORDERS, path=KEY, after="(customer_id) references dev.silver.customers (id) rely"),
            stored_as=ORDERS,
        ),
        runs=(Run(mode="drift"),),
    )

    assert fingerprints(bound) == fingerprints(plain)


@pytest.mark.parametrize(
    ("bindings", "name"),
    [
        ((("dev", "ci"),), "dev.silver.lines"),
        ((("dev.silver", "ci.silver"),), "dev.silver.lines"),
        ((("dev.silver.lines", "ci.silver.lines"),), "dev.silver.lines"),
        ((("dev", "other"),), "ci.silver.lines"),
        ((("dev", "c"),), "ci.silver.lines"),
        ((("dev", "ci"), ("test", "ci")), "ci.silver.lines"),
        ((), "ci.silver.lines"),
    ],
    ids=["catalog", "schema", "table", "other", "part of a name", "ambiguous", "none"],
)
def test_a_table_without_an_entry_is_named_by_the_bindings(bindings, name):
    report = _report(_table(CUSTOMERS, _change("ci.silver.lines")), runs=(Run(mode="drift", bindings=bindings),))

    assert fingerprints(report).tables[0].changes == (fingerprint("DD104", name, "columns.id", "bigint"),)


def test_the_change_of_another_table_is_numbered_after_its_own():
    report = _report(_table(CUSTOMERS, _change()), _table(ORDERS, _change(), _change()))
    orders = ("DD104", ORDERS, "columns.id", "bigint")

    of_customers, of_orders = fingerprints(report).tables

    assert of_orders.changes == (fingerprint(*orders), fingerprint(*orders, occurrence=2))
    assert of_customers.changes == (fingerprint(*orders, occurrence=3),)


def test_every_part_of_a_report_has_a_fingerprint_of_its_own():
    fault = Diagnostic(table="", message="the server cannot be reached")
    note = DRIFTED.notes[0]
    report = sample_report(
        replace(DRIFTED, diagnostics=(note, replace(note, message="another")), mode="apply"),
        DRIFTED,
        faults=(fault, fault),
    )

    made = fingerprints(report)

    assert [
        [*map(len, (table.changes, table.diagnostics, table.notes, table.background))] for table in made.tables
    ] == [
        [2, 2, 1, 1],
        [2, 0, 1, 1],
    ]
    assert (len(made.unmanaged), len(made.faults)) == (1, 2)
    flat = [
        digits
        for table in made.tables
        for digits in (*table.changes, *table.diagnostics, *table.notes, *table.background)
    ]
    flat += [*made.unmanaged, *made.faults]
    assert len({*flat}) == len(flat) == 13
    assert fingerprints(report) == made


def test_a_diagnostic_without_a_code_has_the_name_of_its_rule():
    named = replace(UNMANAGED, rule="NoSpaces", path="columns.id")

    assert fingerprints(sample_report(unmanaged=(named,))).unmanaged == (
        fingerprint("NoSpaces", "dev.silver", "columns.id", ""),
    )
