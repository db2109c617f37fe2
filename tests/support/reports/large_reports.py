"""Reports of many tables, for pictures, measurements and tests of report formats."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
from pytest_delta_schema.engine.outcomes import DataChecks, OutcomeStatement, Status, TableChange
from pytest_delta_schema.report.run_report import CheckReport, RunReport, TableReport
from support.reports.run_reports import RUN

if TYPE_CHECKING:
    from collections.abc import Mapping

SUBJECTS = (
    "customers", "orders", "order_lines", "products", "suppliers", "payments", "invoices", "shipments", "returns",
    "stores", "regions", "currencies", "employees", "carts", "cart_lines", "price_lists", "promotions", "warehouses",
    "stock_movements", "product_reviews", "customer_addresses", "payment_methods", "refunds", "tickets", "campaigns",
)  # fmt: skip
PARENTS: Mapping[str, tuple[str, ...]] = {
    "customers": ("regions",),
    "orders": ("customers", "stores", "currencies"),
    "order_lines": ("orders", "products"),
    "products": ("suppliers",),
    "payments": ("orders", "payment_methods"),
    "invoices": ("orders",),
    "shipments": ("orders", "warehouses"),
    "returns": ("order_lines",),
    "stores": ("regions",),
    "employees": ("stores", "employees"),
    "carts": ("customers",),
    "cart_lines": ("carts", "products"),
    "stock_movements": ("products", "warehouses"),
    "product_reviews": ("products", "customers"),
    "customer_addresses": ("customers",),
    "refunds": ("payments",),
    "tickets": ("customers", "employees"),
}
STATUSES = {3: Status.DRIFTED, 7: Status.BLOCKED, 11: Status.UNREADABLE, 19: Status.DRIFTED}
"""The status of some tables of each thirty; the others are in sync."""

FILE = "shop/models.py"


def large_report(tables: int, changes_per_drift: int = 3, *, all_drift: bool = False, **parts: Any) -> RunReport:
    """Return a report on tables of a shop.

    Args:
        tables: How many.
        changes_per_drift: How many changes a table has that differs.
        all_drift: Whether every table differs; else four of thirty do not match.
        **parts: Other arguments of the report.
    """
    return RunReport(
        runs=(replace(RUN, source_url="https://github.com/acme/shop/blob/0123456789abcdef0123456789abcdef01234567"),),
        tables=tuple(sorted((_table(i, changes_per_drift, all_drift) for i in range(tables)), key=lambda t: t.name)),
        **parts,
    )


def _table(number: int, changes: int, all_drift: bool) -> TableReport:
    subject = SUBJECTS[number % len(SUBJECTS)]
    generation = number // len(SUBJECTS)
    suffix = f"_{generation}" if generation else ""
    layer = ("silver", "gold", "bronze")[generation % 3]
    stored_as = f"ci.{layer}.{subject}{suffix}"
    status = Status.DRIFTED if all_drift else STATUSES.get(number % 30, Status.IN_SYNC)
    line = 10 + number * 20
    location = Location(FILE, line, 1, line + 18)
    table = TableReport(
        name=f"dev.{layer}.{subject}{suffix}",
        stored_as=stored_as,
        mode="drift",
        backend="memory",
        status=status,
        location=location,
        checks=(
            CheckReport(node_id=f"{FILE}::dev.{layer}.{subject}{suffix}::rules", check="rules", outcome="passed"),
            CheckReport(
                node_id=f"{FILE}::dev.{layer}.{subject}{suffix}::drift",
                check="drift",
                outcome="passed" if status.passes else "failed",
            ),
        ),
        observed_version=number,
    )
    parents = [f"ci.{layer}.{parent}{suffix}" for parent in PARENTS.get(subject, ())]
    declared = _state(stored_as, parents)
    if status is Status.UNREADABLE:
        message = f"the log of version {number} ends in the middle of a line"
        fault = Diagnostic(table=stored_as, message=message, remedy="restore the file from a backup", location=location)
        return replace(table, diagnostics=(fault,), declared=declared, observed_version=None)
    if status is Status.IN_SYNC:
        return replace(table, declared=declared, observed=declared)
    return replace(table, **_drift(stored_as, status, declared, line, changes))


def _state(name: str, parents: list[str]) -> dict[str, Any]:
    subject = name.rpartition(".")[2]
    address = {
        "type": "struct",
        "fields": [{"name": "street", "type": "string"}, {"name": "city", "type": "string", "is_nullable": False}],
    }
    keys = [
        {"name": f"{subject}_{number}_fk", "columns": [f"parent_{number}_id"], "parent": parent}
        for number, parent in enumerate(parents)
    ]
    return {
        "version": 1,
        "name": name,
        "comment": f"One row for each of the {subject.replace('_', ' ')}.",
        "columns": [
            {"name": "id", "type": "bigint", "is_nullable": False, "comment": "Surrogate key"},
            {"name": "amount", "type": "decimal(18,2)", "default": "0"},
            {"name": "address", "type": address},
            {"name": "note", "type": "string", "comment": "Free text of the customer"},
            {"name": "created", "type": "timestamp", "is_nullable": False},
            *({"name": key["columns"][0], "type": "bigint"} for key in keys),
        ],
        "primary_key": {"name": f"{subject}_pk", "columns": ["id"]},
        "checks": [{"name": "amount_is_positive", "expression": "amount >= 0"}],
        "foreign_keys": keys,
        "properties": {"delta.enableChangeDataFeed": "true"},
    }


def _drift(name: str, status: Status, declared: dict[str, Any], line: int, changes: int) -> dict[str, Any]:
    schema, _, subject = name.rpartition(".")
    quoted = f"`{schema.replace('.', '`.`')}`.`{subject}`"
    columns = [column for column in declared["columns"] if column["name"] != "note"]
    columns[1] = {"name": "amount", "type": "decimal(12,2)", "default": "0"}
    columns.append({"name": "legacy", "type": "string"})
    kinds = [
        ("+", "columns.note", "(absent)", "string 'Free text of the customer'", "metadata", "", "DD102"),
        ("~", "columns.amount", "decimal(12,2)", "decimal(18,2)", "feature", "readers without type widening", "DD104"),
        ("-", "columns.legacy", "string", "(not in the model)", "destructive", "", "DD103"),
    ]
    kinds += [("~", f"columns.c{n}.comment", "''", f"'Column {n}'", "metadata", "", "DD110") for n in range(changes)]
    statements = [
        (f"ALTER TABLE {quoted} ADD COLUMNS (`note` STRING COMMENT 'Free text of the customer')", "metadata"),
        (f"ALTER TABLE {quoted} ALTER COLUMN `amount` TYPE DECIMAL(18,2)", "feature"),
        (f"ALTER TABLE {quoted} DROP COLUMN `legacy`", "destructive"),
    ]
    statements += [
        (f"ALTER TABLE {quoted} ALTER COLUMN `c{n}` COMMENT 'Column {n}'", "metadata") for n in range(changes)
    ]
    blocked = Diagnostic(
        code="DS201",
        rule="ColumnDropWithoutConsent",
        table=name,
        path="columns.legacy",
        message="column legacy would be dropped with 1,204 values",
        remedy=f"consent with allow = ['drop-column {name}.legacy']",
        location=Location(FILE, line, 1, line + 18),
    )
    by_whom = "column legacy was added by version 5 (WRITE of 2026-01-14 by etl@example.com)"
    count = changes if status is Status.BLOCKED else min(changes, 2)
    return {
        "declared": declared,
        "observed": {**declared, "columns": columns},
        "changes": tuple(
            TableChange(
                table=name,
                marker=marker,
                path=path,
                before=before,
                after=after,
                risk=risk,
                loss=loss,
                code=code,
                location=Location(FILE, line + 3, 9, line + 3),
            )
            for marker, path, before, after, risk, loss, code in (kinds[:count] if changes <= 3 else kinds[:changes])
        ),
        "statements": tuple(
            OutcomeStatement(sql=sql, risk=risk)
            for sql, risk in (statements[:count] if changes <= 3 else statements[:changes])
        ),
        "diagnostics": (blocked,) if status is Status.BLOCKED else (),
        "background": (Diagnostic(severity="note", table=name, message=by_whom),),
        "data_checks": DataChecks.PASSED if status is Status.BLOCKED else DataChecks.NOT_RUN,
    }
