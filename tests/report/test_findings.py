"""What a report finds wrong, worst first, with fingerprints, and the explanation of each code."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest_delta_schema
from pytest_delta_schema import MemoryCatalog, Settings, Table
from pytest_delta_schema.compatibility import judge_change
from pytest_delta_schema.delta.names import Part
from pytest_delta_schema.diagnostics.errors import Diagnostic, Location
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.outcomes import Status, TableChange
from pytest_delta_schema.report.codes import all_codes, explained
from pytest_delta_schema.report.run_report import (
    PROJECT_FILE,
    Consents,
    Run,
    RunReport,
    TableReport,
    findings,
    fingerprint,
    fingerprints,
)
from pytest_delta_schema.state.desired import desired_state
from support.reports import DRIFTED, IN_SYNC, sample_report
from support.snapshots import TextSnapshot

FAULT = Diagnostic(table="", message="the server does not answer", remedy="start it", concerns_run=True)


def test_worst_first(snapshot):
    """Each finding has its location; a run has that of its project file."""
    lines = [
        f"{finding.location} {finding.severity} {finding.kind}: {finding.text}"
        for finding in findings(sample_report(faults=(FAULT,)))
    ]

    assert "\n".join([*lines, ""]) == snapshot(extension_class=TextSnapshot)


def findings_of(*tables):
    return findings(sample_report(*tables, unmanaged=(), consents=Consents()))


def test_what_is_a_finding_of_one_table():
    (change, *_) = DRIFTED.changes
    nowhere = replace(DRIFTED, location=None, changes=(replace(change, location=None),))
    notes = (
        Diagnostic(severity="note", table="t", message="only a remark"),
        Diagnostic(severity="warning", table="t", message="act on it"),
    )
    (unplaced,), (warning,), (unmanaged,) = map(
        findings_of,
        (nowhere, replace(IN_SYNC, notes=notes), replace(DRIFTED, changes=(replace(change, aspect="comments"),))),
    )
    passing = [replace(DRIFTED, status=status) for status in Status if status.passes]

    assert unplaced.location == PROJECT_FILE
    assert (warning.severity, warning.text) == ("warning", "dev.silver.regions: act on it")
    assert unmanaged.message == (
        "columns.note: (absent) -> string 'free text'; no apply changes it, because the model does not manage comments"
    )
    assert [findings_of(table) for table in passing] == [()] * len(passing)


def test_a_table_that_does_not_exist_is_one_finding():
    creation = TableChange(
        table="ci.silver.orders",
        marker="+",
        path="table",
        before="(absent)",
        after="created with 1 column",
        code="DD101",
    )
    column = replace(creation, path="columns.id", after="int")
    child = replace(column, table="ci.silver.items", path="foreign_keys.fk", after="(order_id)")
    table = replace(DRIFTED, changes=(creation, column, child))

    assert [finding.message for finding in findings_of(table)] == [
        "table: (absent) -> created with 1 column",
        "ci.silver.items foreign_keys.fk: (absent) -> (order_id)",
    ]


ORDERS = "dev.silver.orders"
KEY = "foreign_keys.fk_dev_silver_orders__customer_id"


def _table(name: str, *changes: TableChange, **parts) -> TableReport:
    parts = {"stored_as": name.replace("dev.", "ci."), **parts}
    return TableReport(name=name, mode="drift", status=Status.DRIFTED, changes=changes, **parts)


def _change(table: str = "ci.silver.orders", **parts) -> TableChange:
    return TableChange(
        **{"marker": "~", "path": "columns.id", "before": "int", "after": "bigint", **parts},
        table=table,
        code="DD104",
    )


def _report(*tables: TableReport, **parts) -> RunReport:
    return RunReport(**{"runs": (Run(mode="drift", bindings=(("dev", "ci"),)),), "tables": tables, **parts})


def test_the_fingerprints_of_all_versions_are_the_same():
    digits = [
        (("DD104", ORDERS, "columns.id", "bigint"), "db130b4d021f5573c3052a8010338831"),
        (("DD104", ORDERS, "columns.id", "bigint", 2), "61b7a047bd9849fbc30812247f1c7203"),
        (("DS201", ORDERS, "", ""), "f9e16ef4ad117cca45d2d9da50b17145"),
        (("DD102", "dév.silver.😀", "columns.\ud800\n\0", "string"), "7db9306a68f5e64c41311efa4da172e5"),
    ]

    assert [(parts, fingerprint(*parts[:4], occurrence=(*parts, 1)[4])) for parts, _ in digits] == digits


def test_a_fingerprint_does_not_depend_on_what_may_change_nor_on_bindings():
    others = [
        _change(before="smallint"),
        _change(marker="+", risk="metadata", loss="readers", location=Location("shop/models.py", 99)),
        _change(table="dev.silver.orders"),
    ]
    bound, plain = (
        [
            _change(table=f"{catalog}.silver.orders", path=f"schema {catalog}.silver", after="created"),
            _change(
                table=f"{catalog}.silver.orders",
                path=KEY,
                after=f"(customer_id) references {catalog}.silver.customers (id) rely",
            ),
        ]
        for catalog in ("ci", "dev")
    )

    first, *rest = (fingerprints(_report(_table(ORDERS, change))) for change in (_change(), *others))
    unbound = _report(_table(ORDERS, *plain, stored_as=ORDERS), runs=(Run(mode="drift"),))

    assert rest == [first] * len(others)
    assert first.tables[0].changes == (fingerprint("DD104", ORDERS, "columns.id", "bigint"),)
    assert fingerprints(_report(_table(ORDERS, *bound))) == fingerprints(unbound)


INFOS = {info.code: info for info in all_codes()}
NAMES: dict[str, Any] = {}
exec("from pytest_delta_schema import *", NAMES)  # noqa: S102 - the names that a reader of an example has
NOT_RUN = {
    "DD126": "files in a folder",
    "DD201": "a catalog with entries",
    "DD202": "a catalog with entries",
    "DD203": "a catalog with entries",
    "DD301": "several tables",
    "DC141": "files in a folder",
    "DS100": "a rule of a project",
    "DS217": "files in a folder",
    "DS127": "a snapshot",
    "DS130": "a data contract",
    "DS402": "rows of a scratch table",
    "DS403": "rows of a scratch table",
    "DS225": "a workspace that does not show RELY",
    "DS218": "a backend that lacks a statement",
    "DS305": "a refused parent",
    "DS401": "no catalog",
}
"""The codes whose examples are not compared with a catalog, because they need what stands here."""
REPORTED = ("DS5", "DS6", "DS7")
"""The codes whose examples are messages."""


def test_every_code_of_the_package_is_explained_once_and_in_order():
    sources = "".join(path.read_text("utf-8") for path in Path(pytest_delta_schema.__file__).parent.rglob("*.py"))

    codes = [info.code for info in all_codes()]

    assert codes == sorted(re.findall(r'^    code = "(D[CDS]\d{3})"$', sources, flags=re.MULTILINE))
    assert len({*codes}) == len(codes) > 85
    assert len({info.name for info in all_codes()}) == len(codes)


def _is_path(path: str) -> bool:
    """Whether a path leads to a part of a table, to the table, or to its schema."""
    return path in {"", "table"} or path.startswith("schema ") or path.partition(".")[0] in get_args(Part)


def names_of(code: str) -> dict[str, Any]:
    """Return the names that an example defines."""
    names: dict[str, Any] = dict(NAMES)
    exec(INFOS[code].example, names)  # noqa: S102 - the text under test
    return names


def judged(code: str) -> set[str]:
    """Return the codes that an example of a changed contract has, and the paths that lead to no part of a table."""
    names = names_of(code)
    found = judge_change(names["old"], names["new"], released_on=names.get("released_on"))
    return {finding.code for finding in found} | {finding.path for finding in found if not _is_path(finding.path)}


def test_an_example_is_a_contract_before_and_after_the_change():
    codes = [code for code in INFOS if code.startswith("DC") and code not in NOT_RUN]

    assert {code: judged(code) for code in codes} == {code: {code} for code in codes}


def parts_of(code: str) -> list[TableChange | Diagnostic]:
    """Return what the rules and the plan say about the models of an example."""
    names = names_of(code)
    stored, settings = names.pop("stored", None), names.get("settings", Settings())
    models = [value for value in names.values() if isinstance(value, Table)]
    parents = [model for model in models if model is names.get("parent")]
    present = [desired_state(table) for table in (stored, *parents) if table is not None]
    catalog = MemoryCatalog(present, rows={} if stored is None else {stored.name: names.get("rows", [])})
    gate = Gate(catalog, models, settings=replace(settings, preflight=settings.preflight or "count"))
    validator = gate.declarations.validator
    parts: list[TableChange | Diagnostic] = [
        *validator.model_violations(gate.declarations.bound(model).table for model in models),
    ]
    if all(part.code != code for part in parts):
        plan, outcomes = gate.plan(*models), [*map(gate.drift, models)]
        parts += validator.plan_violations(plan)
        for outcome in outcomes:
            parts += [*outcome.changes, *outcome.diagnostics]
    return parts


def test_an_example_has_the_fault():
    codes = [code for code in INFOS if code not in NOT_RUN and not code.startswith((*REPORTED, "DC"))]
    shown = {code: parts_of(code) for code in codes}

    assert [code for code, parts in shown.items() if code not in {part.code for part in parts}] == []
    assert [(code, part.path) for code, parts in shown.items() for part in parts if not _is_path(part.path)] == []


def test_codes_are_explained_as_text(snapshot):
    named = [["DD105"], ["dd105"], [" dd105 ,"], ["DD105", "DD105,dd105"]]
    texts = [explained(["DD105"], 80), explained(["ds206,DD102"], 300)]

    assert {explained(codes, 80) for codes in named} == {texts[0]}
    assert max(map(len, texts[1].splitlines())) <= 100
    assert "\n\n".join([*texts, ""]) == snapshot(extension_class=TextSnapshot)
