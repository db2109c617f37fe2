"""Every public function that is given a value of a wrong kind: one error with the remedy, never a traceback of ours."""

# mypy: disable-error-code="arg-type,call-overload,dict-item,list-item"
# Wrong values are given here to see them refused.

from __future__ import annotations

import re
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.types import LongType, StringType, StructField, StructType

from pytest_delta_schema import (
    DatabricksCatalog,
    Identity,
    LocalCatalog,
    MemoryCatalog,
    Orchestrator,
    QualifiedName,
    SessionCatalog,
    Settings,
    Table,
    UnityCatalog,
    WriteOptions,
    assert_accepts,
    assert_evolves,
    assert_frame_fits,
    assert_no_drift,
    assert_rejects,
    assert_rows_satisfy,
    assert_table_equals,
    breaking_rows,
    check_write,
    empty_frame,
    open_session,
    rows_of,
    state_text,
    to_struct_type,
)
from pytest_delta_schema.assertions.contracts import raises_constraint
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.exchange import from_ddl
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.report import model_source, plan_script, schema_diff
from pytest_delta_schema.rules import DEFAULT_PLAN_RULES, PlanValidator
from pytest_delta_schema.write_check import check_stream
from support.models import CHECKED as MODEL
from support.models import NAME
from support.snapshots import TextSnapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from syrupy.assertion import SnapshotAssertion

STRUCT = StructType([StructField("id", LongType())])
WIDER = StructType([*STRUCT, StructField("note", StringType())])
CATALOG = MemoryCatalog()
STATE = CATALOG.snapshot([MODEL])
SPARK: Any = SimpleNamespace(sql=None)

CALLS: dict[str, Callable[[Any], object]] = {
    "model_source": model_source,
    "schema_diff, left": lambda value: schema_diff(value, STRUCT),
    "schema_diff, right": lambda value: schema_diff(MODEL, value),
    "plan_script": plan_script,
    "to_struct_type": to_struct_type,
    "empty_frame, spark": lambda value: empty_frame(value, MODEL),
    "empty_frame, table": lambda value: empty_frame(SPARK, value),
    "Table.from_struct_type": lambda value: Table.from_struct_type("dev", "silver", "orders", value),
    "assert_no_drift, tables": lambda value: assert_no_drift(value, catalog=CATALOG),
    "assert_no_drift, catalog": lambda value: assert_no_drift(MODEL, catalog=value),
    "assert_rows_satisfy, frame": lambda value: assert_rows_satisfy(MODEL, value),
    "assert_rows_satisfy, model": lambda value: assert_rows_satisfy(value, SPARK),
    "assert_accepts, table": lambda value: assert_accepts(value, STRUCT),
    "assert_accepts, frame": lambda value: assert_accepts(MODEL, value),
    "assert_accepts, catalog": lambda value: assert_accepts("dev.silver.orders", STRUCT, catalog=value),
    "assert_accepts, version": lambda value: assert_accepts(MODEL, STRUCT, version=value),
    "assert_rejects, frame": lambda value: assert_rejects(MODEL, value),
    "assert_evolves, to": lambda value: assert_evolves(MODEL, WIDER, to=value),
    "check_write, frame": lambda value: check_write(MODEL, value),
    "check_write, table": lambda value: check_write(value, STRUCT),
    "check_write, table in a catalog": lambda value: check_write(value, STRUCT, catalog=CATALOG),
    "check_write, options": lambda value: check_write(MODEL, STRUCT, value),
    "check_write, mode": lambda value: check_write(MODEL, STRUCT, WriteOptions(mode=value)),
    "check_write, method": lambda value: check_write(MODEL, STRUCT, WriteOptions(method=value)),
    "plan_tables": lambda value: Orchestrator.over(CATALOG).plan_tables(value),
    "plan_tables, other_models": lambda value: Orchestrator.over(CATALOG).plan_tables([MODEL], other_models=value),
    "sync_tables": lambda value: Orchestrator.over(CATALOG).sync_tables(value),
    "Orchestrator.over": Orchestrator.over,
    "snapshot": CATALOG.snapshot,
    "read_tables": CATALOG.read_tables,
    "insert": lambda value: CATALOG.insert(value, [{"id": 1}]),
    "MemoryCatalog": MemoryCatalog,
    "MemoryCatalog, rows": lambda value: MemoryCatalog(rows=value),
    "SessionCatalog": SessionCatalog,
    "LocalCatalog, spark": lambda value: LocalCatalog(value, warehouse="warehouse"),
    "UnityCatalog": UnityCatalog,
    "DatabricksCatalog": DatabricksCatalog,
    "plan": lambda value: TablePlanner().plan(value, STATE),
    "plan, state": lambda value: TablePlanner().plan([MODEL], value),
    "TablePlanner, policy": lambda value: TablePlanner(policy=value),
    "validate_models": PlanValidator().validate_models,
    "validate_plan": PlanValidator().validate_plan,
    "PlanValidator": lambda value: PlanValidator(model_rules=value),
    "Identity": Identity,
    "rows_of": rows_of,
    "rows_of, rows": lambda value: rows_of(MODEL, value),
    "breaking_rows": breaking_rows,
    "state_text": lambda value: state_text(value, catalog=CATALOG),
    "state_text, catalog": lambda value: state_text(MODEL, catalog=value),
    "assert_table_equals": lambda value: assert_table_equals(value, [], catalog=CATALOG),
    "assert_table_equals, catalog": lambda value: assert_table_equals(MODEL, [], catalog=value),
    "assert_frame_fits, frame": lambda value: assert_frame_fits(MODEL, value),
    "assert_frame_fits, model": lambda value: assert_frame_fits(value, STRUCT),
    "delta_raises": lambda value: raises_constraint(value, check="positive"),
}

VALUES = {
    "None": None,
    "a string": "dev.silver",
    "names": ["dev.silver.orders"],
    "a list of None": [None],
    "a class": MemoryCatalog,
}


MEANT = {
    ("assert_no_drift, catalog", "None"),
    ("assert_table_equals, catalog", "None"),
    ("state_text, catalog", "None"),
}
"""In a run of pytest, no catalog is the catalog of the run."""

LINE = Orchestrator.over(CATALOG)
OTHERS: dict[str, Callable[[], object]] = {
    "one model": lambda: LINE.sync_tables(MODEL),
    "a dictionary of models": lambda: LINE.sync_tables({"orders": MODEL}),
    "a list of several kinds": lambda: LINE.sync_tables(["dev.silver.orders", MODEL, None]),
    "settings": lambda: Orchestrator.over(CATALOG, settings="prod"),
    "a class of catalogs": lambda: assert_no_drift(MODEL, catalog=MemoryCatalog),
    "the text of a name": lambda: CATALOG.insert("dev.silver.orders", [{"id": 1}]),
    "the model of a name": lambda: CATALOG.insert(MODEL, [{"id": 1}]),
    "one name": lambda: CATALOG.read_tables(NAME),
    "the text of a model": lambda: model_source("dev.silver.orders"),
    "a frame": lambda: Table.from_struct_type("dev", "silver", "orders", SimpleNamespace(schema=STRUCT)),
    "a class of rules": lambda: PlanValidator(model_rules=[SimpleNamespace]),
    "one feature": lambda: TablePlanner(enable="typeWidening"),
    "several reasons": lambda: assert_rejects(MODEL, WIDER, reason=["extra-column"]),
    "no folder of a project": lambda: Settings.from_project(None),
    "no warehouse of a session": lambda: open_session(None),
    "no warehouse": lambda: LocalCatalog(SPARK, warehouse=None),
    "a number as a constraint": lambda: raises_constraint(MODEL, check=7),
    "a text as a number": lambda: Identity(start="1"),
    "neither a session nor a warehouse": lambda: LocalCatalog(None, warehouse=None),
    "neither a session nor a model": lambda: empty_frame("spark", "orders"),
    "neither a text nor a schema": lambda: from_ddl(b"", catalog_name="dev", schema_name=1),
    "neither of two states": lambda: check_stream(1, 2),
    "neither of two tables": lambda: MemoryCatalog([MODEL, 1]),
    "several rules": lambda: PlanValidator(plan_rules=[SimpleNamespace, *DEFAULT_PLAN_RULES, "no_drops"]),
}
"""Calls that answer with another remedy, or with several faults."""


def text_of(call: Callable[[], object]) -> str:
    with pytest.raises(DeclarationError) as caught:
        call()
    return str(caught.value)


def test_a_value_of_a_wrong_kind_is_one_error_with_a_remedy(snapshot: SnapshotAssertion) -> None:
    texts = {
        f"{name} = {value}": text_of(partial(call, VALUES[value]))
        for name, call in CALLS.items()
        for value in VALUES
        if (name, value) not in MEANT
    }
    others = {name: text_of(call) for name, call in OTHERS.items()}

    assert [
        case for case, text in texts.items() if not re.fullmatch(r".+; (create|give|make|use|write) .*", text)
    ] == []
    shown = "\n\n".join(f"{case}:\n{text}" for case, text in (texts | others).items())
    assert f"{shown}\n" == snapshot(extension_class=TextSnapshot)


def test_names_are_read_once_whatever_holds_them() -> None:
    assert list(CATALOG.read_tables({NAME: 1, QualifiedName("dev", "silver", "a"): 2}).tables) == [
        QualifiedName("dev", "silver", "a"),
        NAME,
    ]
