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

if TYPE_CHECKING:
    from collections.abc import Callable

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


def text_of(call: Callable[[], object]) -> str:
    with pytest.raises(DeclarationError) as caught:
        call()
    return str(caught.value)


def test_a_value_of_a_wrong_kind_is_one_error() -> None:
    texts = {
        (name, value): text_of(partial(call, VALUES[value]))
        for name, call in CALLS.items()
        for value in VALUES
        if (name, value) not in MEANT
    }

    assert [
        case for case, text in texts.items() if not re.fullmatch(r".+; (create|give|make|use|write) .*", text)
    ] == []


MESSAGES: list[tuple[Callable[[], object], str]] = [
    (
        lambda: Orchestrator.over(CATALOG).sync_tables(MODEL),
        "sync_tables takes a list of Tables, and was given the Table dev.silver.orders; write [table, ...]",
    ),
    (
        lambda: Orchestrator.over(CATALOG).sync_tables({"orders": MODEL}),
        (
            "sync_tables takes a list of Tables, and was given {'orders': Table(catalog_name='dev',"
            " schema_name='silver', table_name='orders...; give its values, list(tables.values())"
        ),
    ),
    (
        lambda: Orchestrator.over(CATALOG).sync_tables(["dev.silver.orders", MODEL, None]),
        (
            "sync_tables takes a list of Tables, and the list has 'dev.silver.orders', None;"
            " give the Tables that declare them"
        ),
    ),
    (
        lambda: Orchestrator.over(CATALOG, settings="prod"),
        (
            "Orchestrator.over takes settings of the kind Settings, and was given 'prod';"
            " give Settings(...), or Settings.from_project(folder)"
        ),
    ),
    (
        lambda: assert_no_drift(MODEL, catalog=MemoryCatalog),
        (
            "assert_no_drift takes a catalog, and was given <class 'pytest_delta_schema.backends.memory.catalog.MemoryCatalog'>;"
            " give one, such as the fixture delta_catalog, or MemoryCatalog()"
        ),
    ),
    (
        lambda: CATALOG.insert("dev.silver.orders", [{"id": 1}]),
        (
            "insert takes the name of a table, and was given 'dev.silver.orders';"
            " write QualifiedName('dev', 'silver', 'orders'), or the name of a model, model.name"
        ),
    ),
    (
        lambda: CATALOG.insert(MODEL, [{"id": 1}]),
        (
            "insert takes the name of a table, and was given the Table dev.silver.orders;"
            " write model.name, or QualifiedName(catalog, schema, table)"
        ),
    ),
    (
        lambda: CATALOG.read_tables(NAME),
        (
            "read_tables takes a list of names of tables, and was given"
            " QualifiedName(catalog='dev', schema='silver', table='orders'); write [model.name, ...]"
        ),
    ),
    (
        lambda: model_source("dev.silver.orders"),
        (
            "model_source takes a Table or a TableState, and was given 'dev.silver.orders';"
            " give a model, or catalog.read_tables([name]).tables[name]"
        ),
    ),
    (
        lambda: Table.from_struct_type("dev", "silver", "orders", SimpleNamespace(schema=STRUCT)),
        (
            "Table.from_struct_type takes a StructType, and was given"
            " namespace(schema=StructType([StructField('id', LongType(), True)])); give the schema of a frame, df.schema"
        ),
    ),
    (
        lambda: PlanValidator(model_rules=[SimpleNamespace]),
        "model_rules of PlanValidator takes rules, and was given <class 'types.SimpleNamespace'>; write SimpleNamespace()",
    ),
    (
        lambda: TablePlanner(enable="typeWidening"),
        "enable of TablePlanner must be a list of names, got the bare string 'typeWidening'; write ['typeWidening']",
    ),
    (
        lambda: assert_rejects(MODEL, WIDER, reason=["extra-column"]),
        (
            "assert_rejects takes one reason, and was given ['extra-column'];"
            " write the name of a fault, such as 'extra-column'"
        ),
    ),
    (
        lambda: Settings.from_project(None),
        "Settings.from_project takes the folder of a project, and was given None; give its path",
    ),
    (
        lambda: open_session(None),
        "open_session takes the folder of the warehouse, and was given None; give its path",
    ),
    (
        lambda: LocalCatalog(SPARK, warehouse=None),
        "LocalCatalog takes the folder of the warehouse, and was given None; give its path",
    ),
    (
        lambda: raises_constraint(MODEL, check=7),
        "the constraint of delta_raises must be a string, got 7; write it in quotes",
    ),
    (
        lambda: Identity(start="1"),
        "start of Identity must be an integer, got '1'; write Identity(start=1, step=1)",
    ),
]
SEVERAL: list[tuple[Callable[[], object], list[str]]] = [
    (
        lambda: LocalCatalog(None, warehouse=None),
        [
            "LocalCatalog takes a Spark session, and was given None; give one, such as the fixture delta_spark",
            "LocalCatalog takes the folder of the warehouse, and was given None; give its path",
        ],
    ),
    (
        lambda: empty_frame("spark", "orders"),
        [
            "empty_frame takes a Table, and was given 'orders'; give the Table that declares it",
            "empty_frame takes a Spark session, and was given 'spark'; give one, such as the fixture delta_spark",
        ],
    ),
    (
        lambda: from_ddl(b"", catalog_name="dev", schema_name=1),
        [
            f"from_ddl: {argument} takes a string, and was given {given}; give the statements, or a name, as text"
            for argument, given in (("text", "b''"), ("schema_name", 1))
        ],
    ),
    (
        lambda: check_stream(1, 2),
        [
            f"check_stream takes a Table or a TableState, and was given {given}; give a model or a state as {argument}"
            for argument, given in (("old", 1), ("new", 2))
        ],
    ),
    (
        lambda: MemoryCatalog([MODEL, 1]),
        [
            f"MemoryCatalog takes the states of tables, and was given {given};"
            " create tables of models by Orchestrator.over(catalog).sync_tables"
            for given in ("the Table dev.silver.orders", 1)
        ],
    ),
    (
        lambda: PlanValidator(plan_rules=[SimpleNamespace, *DEFAULT_PLAN_RULES, "no_drops"]),
        [
            "plan_rules of PlanValidator takes rules, and was given <class 'types.SimpleNamespace'>; write SimpleNamespace()",
            "plan_rules of PlanValidator takes rules, and was given 'no_drops'; give objects with a method check",
        ],
    ),
]


def test_the_error_says_what_to_give() -> None:
    assert [text_of(call) for call, _ in MESSAGES] == [message for _, message in MESSAGES]


def test_all_faults_of_a_call_are_told() -> None:
    assert [text_of(call).split("\n") for call, _ in SEVERAL] == [messages for _, messages in SEVERAL]


def test_names_are_read_once_whatever_holds_them() -> None:
    assert list(CATALOG.read_tables({NAME: 1, QualifiedName("dev", "silver", "a"): 2}).tables) == [
        QualifiedName("dev", "silver", "a"),
        NAME,
    ]
