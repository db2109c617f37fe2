"""Reports of runs for tests of report formats: small ones, large ones, and one of hostile texts."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
from pytest_delta_schema.engine.outcomes import DataChecks, OutcomeStatement, Status, TableChange
from pytest_delta_schema.report.run_report import CheckReport, Consents, Run, RunReport, TableReport

if TYPE_CHECKING:
    from collections.abc import Mapping


FILE = "shop/models.py"


def _report(name: str, status: Status, last: Any, lines: tuple[int, int], **parts: Any) -> TableReport:
    """Return the report on a table of ``dev.silver``, and on the outcome of its check for drift."""
    full_name = f"dev.silver.{name}"
    return TableReport(
        **{
            "name": full_name,
            "stored_as": f"ci.silver.{name}",
            "mode": "drift",
            "backend": "memory",
            "status": status,
            "location": Location(FILE, lines[0], 1, lines[1]),
            "checks": (CheckReport(node_id=f"{FILE}::{full_name}::drift", check="drift", outcome=last),),
            **parts,
        }
    )


def _note(message: str) -> Diagnostic:
    return Diagnostic(severity="note", table="ci.silver.orders", message=message)


DRIFTED = _report(
    "orders",
    Status.DRIFTED,
    "failed",
    (10, 20),
    checks=(
        CheckReport(node_id=f"{FILE}::dev.silver.orders::rules", check="rules", outcome="passed"),
        CheckReport(node_id=f"{FILE}::dev.silver.orders::drift", check="drift", outcome="failed"),
    ),
    observed_version=7,
    changes=(
        TableChange(
            table="ci.silver.orders",
            marker="+",
            path="columns.note",
            before="(absent)",
            after="string 'free text'",
            risk="metadata",
            code="DD102",
            location=Location(FILE, 14, 9, 14),
        ),
        TableChange(
            table="ci.silver.orders",
            marker="~",
            path="columns.amount.type",
            before="int",
            after="bigint",
            risk="feature",
            loss="readers without type widening",
            code="DD104",
            location=Location(FILE, 13, 9, 13),
        ),
    ),
    notes=(_note("the check is written in another form"),),
    background=(_note("column legacy was added by version 5 (WRITE)"),),
    statements=(
        OutcomeStatement(sql="ALTER TABLE `ci`.`silver`.`orders` ADD COLUMNS (`note` STRING)", kind="add columns"),
        OutcomeStatement(
            sql="ALTER TABLE `ci`.`silver`.`orders` ALTER COLUMN `amount` TYPE BIGINT",
            kind="change types",
            risk="feature",
        ),
    ),
)
_AT_CUSTOMERS = Location(FILE, 30, 1, 40)
_DROPPED: dict[str, Any] = {"table": "ci.silver.customers", "path": "columns.legacy", "location": _AT_CUSTOMERS}
_DROP = "ALTER TABLE `ci`.`silver`.`customers` DROP COLUMN `legacy`"
BLOCKED = _report(
    "customers",
    Status.BLOCKED,
    "failed",
    (30, 40),
    observed_version=3,
    changes=(TableChange(**_DROPPED, marker="-", before="string", after="(absent)", risk="destructive", code="DD103"),),
    diagnostics=(
        Diagnostic(
            **_DROPPED,
            code="DS201",
            rule="ColumnDropWithoutConsent",
            message="column legacy would be dropped",
            remedy="consent with allow = ['drop-column dev.silver.customers.legacy']",
        ),
    ),
    statements=(OutcomeStatement(sql=_DROP, kind="drop columns", risk="destructive"),),
    data_checks=DataChecks.PASSED,
)
_DAMAGE = "the log ends in the middle of a line"
_DAMAGED = Diagnostic(table="ci.silver.broken", message=_DAMAGE, location=Location(FILE, 50))
UNREADABLE = _report("broken", Status.UNREADABLE, "error", (50, 52), diagnostics=(_DAMAGED,))
IN_SYNC = _report("regions", Status.IN_SYNC, "passed", (60, 62), observed_version=0)
UNJUDGED = replace(IN_SYNC, status=Status.UNJUDGED)

RUN = Run(
    mode="drift",
    backend="memory",
    bindings=(("dev.silver", "ci.silver"),),
    commit="0123456789abcdef0123456789abcdef01234567",
    created="2026-01-31T12:00:00Z",
    seconds=1.5,
    tool_version="0.1.0",
)

UNMANAGED = Diagnostic(
    table="dev.silver", message="holds 1 table that no model declares: ci.silver.tmp", location=Location(FILE, 10)
)


def sample_report(*tables: TableReport, **parts: Any) -> RunReport:
    """Return a report with every status that matters; other tables and parts replace its own."""
    default: dict[str, Any] = {
        "runs": (RUN,),
        "tables": tables or (UNREADABLE, BLOCKED, DRIFTED, IN_SYNC),
        "unmanaged": (UNMANAGED,),
        "consents": Consents(unused=("drop-column dev.silver.orders.old",)),
    }
    return RunReport(**{**default, **parts})


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


def large_report(tables: int, changes_per_drift: int = 3, *, all_drift: bool = False, **parts: Any) -> RunReport:
    """Return a report on tables of a shop."""
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
    name = f"dev.{layer}.{subject}{suffix}"
    table = TableReport(
        name=name,
        stored_as=stored_as,
        mode="drift",
        backend="memory",
        status=status,
        location=location,
        checks=tuple(
            CheckReport(node_id=f"{FILE}::{name}::{check}", check=check, outcome="passed" if passes else "failed")
            for check, passes in (("rules", True), ("drift", status.passes))
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


HIDDEN_CHARACTERS = "\x00\x1b\u200b\u202e\u2066\ud800"

TEXT = f"""<script>hacked=1</script><img src=x onerror=hacked=1>"'`><!-- </details></pre>]]>&lt;{HIDDEN_CHARACTERS}\n"""
"""A text that adds elements, ends attributes and comments, and hides what follows, wherever it is not escaped; it has no dots, which part names."""

_FIXED = frozenset(
    {"code", "mode", "status", "outcome", "risk", "marker", "severity", "data_checks", "type", "version"}
)
"""What has a closed list of values, and codes, which are links."""


def hostile_report(report: RunReport) -> RunReport:
    """Return a report with :data:`TEXT` at the end of each text."""
    hostile: RunReport = _hostile(report)
    return hostile


def _hostile(value: Any) -> Any:
    if isinstance(value, str) and not isinstance(value, Enum):
        return f"{value}{TEXT}" if value else ""
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return type(value)(**_parts(parts))
    if hasattr(value, "_asdict"):
        return type(value)(**_parts(value._asdict()))
    if isinstance(value, dict):
        return _parts(value)
    return type(value)(map(_hostile, value)) if isinstance(value, (list, tuple)) else value


def _parts(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value if name in _FIXED else _hostile(value) for name, value in values.items()}
