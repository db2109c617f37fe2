"""Every public function that is given a value of a wrong kind: one error with the remedy, never a traceback of ours."""

# mypy: disable-error-code="arg-type,call-overload,dict-item,list-item"
# Wrong values are given here to see them refused.

from __future__ import annotations

import re
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.types import LongType, StructField, StructType

from pytest_delta_schema import (
    DatabricksCatalog,
    Identity,
    LocalCatalog,
    MemoryCatalog,
    Orchestrator,
    Table,
    UnityCatalog,
    WriteOptions,
    assert_accepts,
    check_write,
    empty_frame,
    rows_of,
    to_struct_type,
)
from pytest_delta_schema.diagnostics.errors import DeclarationError
from pytest_delta_schema.exchange import from_ddl
from pytest_delta_schema.plan import TablePlanner
from pytest_delta_schema.report import model_source, schema_diff
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.state import CatalogState
from pytest_delta_schema.write_check import check_stream
from support.models import CHECKED as MODEL
from support.snapshots import TextSnapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from syrupy.assertion import SnapshotAssertion

STRUCT = StructType([StructField("id", LongType())])
CATALOG = MemoryCatalog()
SPARK: Any = SimpleNamespace(sql=None)

CALLS: dict[str, Callable[[Any], object]] = {
    "model_source": model_source,
    "schema_diff, left": lambda value: schema_diff(value, STRUCT),
    "to_struct_type": to_struct_type,
    "empty_frame, table": lambda value: empty_frame(SPARK, value),
    "Table.from_struct_type": lambda value: Table.from_struct_type("dev", "silver", "orders", value),
    "assert_accepts, version": lambda value: assert_accepts(MODEL, STRUCT, version=value),
    "check_write, frame": lambda value: check_write(MODEL, value),
    "check_write, table": lambda value: check_write(value, STRUCT),
    "check_write, table in a catalog": lambda value: check_write(value, STRUCT, catalog=CATALOG),
    "check_write, options": lambda value: check_write(MODEL, STRUCT, value),
    "check_write, method": lambda value: check_write(MODEL, STRUCT, WriteOptions(method=value)),
    "sync_tables": lambda value: Orchestrator.over(CATALOG).sync_tables(value),
    "Orchestrator.over": Orchestrator.over,
    "read_tables": CATALOG.read_tables,
    "insert": lambda value: CATALOG.insert(value, [{"id": 1}]),
    "MemoryCatalog": MemoryCatalog,
    "UnityCatalog": UnityCatalog,
    "DatabricksCatalog": DatabricksCatalog,
    "plan": lambda value: TablePlanner().plan(value, CatalogState(tables={})),
    "plan, state": lambda value: TablePlanner().plan([MODEL], value),
    "TablePlanner, policy": lambda value: TablePlanner(policy=value),
    "validate_models": PlanValidator().validate_models,
    "PlanValidator": lambda value: PlanValidator(model_rules=value),
    "validate_plan": PlanValidator().validate_plan,
    "Identity": Identity,
    "rows_of": rows_of,
}

VALUES = {
    "None": None,
    "a string": "dev.silver",
    "a class": MemoryCatalog,
}


LINE = Orchestrator.over(CATALOG)
OTHERS: dict[str, Callable[[], object]] = {
    "a list of several kinds": lambda: LINE.sync_tables(["dev.silver.orders", MODEL, None]),
    "the text of a name": lambda: CATALOG.insert("dev.silver.orders", [{"id": 1}]),
    "a dictionary of models": lambda: LINE.sync_tables({"orders": MODEL}),
    "the model of a name": lambda: CATALOG.insert(MODEL, [{"id": 1}]),
    "several rules": lambda: PlanValidator(plan_rules=[SimpleNamespace, "no_drops"]),
    "neither of two states": lambda: check_stream(1, 2),
    "one feature": lambda: TablePlanner(enable="typeWidening"),
    "neither a session nor a warehouse": lambda: LocalCatalog(None, warehouse=None),
    "neither a text nor a schema": lambda: from_ddl(b"", catalog_name="dev", schema_name=1),
    "neither of two tables": lambda: MemoryCatalog([MODEL, 1]),
}
"""Calls that answer with another remedy, or with several faults."""


def text_of(call: Callable[[], object]) -> str:
    with pytest.raises(DeclarationError) as caught:
        call()
    return str(caught.value)


def test_a_value_of_a_wrong_kind_is_one_error_with_a_remedy(snapshot: SnapshotAssertion) -> None:
    texts = {
        f"{name} = {value}": text_of(partial(call, VALUES[value])) for name, call in CALLS.items() for value in VALUES
    }
    others = {name: text_of(call) for name, call in OTHERS.items()}

    assert [
        case for case, text in texts.items() if not re.fullmatch(r".+; (create|give|make|use|write) .*", text)
    ] == []
    shown = "\n\n".join(f"{case}:\n{text}" for case, text in (texts | others).items())
    assert f"{shown}\n" == snapshot(extension_class=TextSnapshot)
