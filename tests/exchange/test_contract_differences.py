"""Models held to data contracts: what differs, in both directions and at every depth."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from textwrap import dedent, indent

import pytest
from pyspark.sql.types import ArrayType, IntegerType

from pytest_delta_schema import Check, Column, Deprecated, ForeignKey, Table, Unique
from pytest_delta_schema.exchange.contract_differences import ContractComparison
from pytest_delta_schema.exchange.contract_file import read_contract
from pytest_delta_schema.exchange.odcs import ContractReading, place_of
from pytest_delta_schema.state.desired import desired_state
from support.snapshots import ReviewedCases

HEAD = """\
apiVersion: {version}
kind: DataContract
id: shop
version: 1.0.0
status: active
servers:
  - {{server: prod, type: databricks, host: x.example, catalog: prod, schema: s}}
schema:
"""


def compared(
    text: str, model: Table, version: str = "v3.2.0", *, comments: bool = False
) -> tuple[list[str], list[str]]:
    """Return the differences and the notes; a text without a table describes the properties of ``t``."""
    whole = dedent(text) if "- name: t" in text else "- name: t\n  properties:\n" + indent(dedent(text).strip(), "    ")
    Path("c.yaml").write_text(HEAD.format(version=version) + indent(whole, "  "), "utf-8")
    contract = read_contract("c.yaml")
    reading = ContractReading(contract, *place_of(contract))
    found = next(found for name, found in reading.tables if name == model.name)
    comparison = ContractComparison(reading, found, desired_state(model))
    assert comparison.faults == []
    differences = [f"{fault.message}; {fault.remedy}" for fault in comparison.differences(with_comments=comments)]
    return differences, [note.message for note in comparison.notes()]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def table(*columns: Column, **parts: object) -> Table:
    return Table("prod", "s", "t", columns or [Column("a", "int")], **parts)


NUMBERS = ["tinyint", "smallint", "int", "bigint", "decimal(10,0)", "decimal(10,2)", "float", "double"]
TYPES = [
    *NUMBERS,
    *("string", "varchar(10)", "varchar(5)", "char(3)", "boolean", "date", "timestamp", "timestamp_ntz", "binary"),
    *("variant", "array<int>", "map<string, int>", "struct<b: int>"),
]
TEXTS = ["string", "varchar(10)", "varchar(5)", "char(3)"]
ALLOWED = [
    ("string", "", TEXTS),
    ("string", "{maxLength: 7}", ["string", "varchar(5)", "char(3)"]),
    ("string", "{format: binary}", [*TEXTS, "binary"]),
    ("string", "{format: email}", TEXTS),
    ("integer", "", ["tinyint", "smallint", "int", "bigint", "decimal(10,0)"]),
    ("integer", "{format: i8}", ["tinyint"]),
    ("integer", "{format: i16}", ["smallint"]),
    ("integer", "{format: i32}", ["int"]),
    ("integer", "{format: i64}", ["bigint"]),
    ("integer", "{format: u8}", ["smallint"]),
    ("integer", "{format: u16}", ["int"]),
    ("integer", "{format: u32}", ["bigint"]),
    ("number", "", NUMBERS),
    ("number", "{format: f32}", ["float"]),
    ("number", "{format: f64}", ["double"]),
    ("boolean", "", ["boolean"]),
    ("date", "", ["date"]),
    ("timestamp", "", ["timestamp", "timestamp_ntz"]),
    ("timestamp", "{timezone: true}", ["timestamp"]),
    ("timestamp", "{timezone: false}", ["timestamp_ntz"]),
    ("time", "", TEXTS),
    ("object", "", ["variant", "map<string, int>", "struct<b: int>"]),
    ("array", "", ["array<int>"]),
    ("vector", "{dimensions: 3}", ["array<int>"]),
]
DEPTHS = {
    "{0}": "{{name: {1}, {0}}}",
    "struct<f: {0}>": "{{name: {1}, logicalType: object, properties: [{{name: f, {0}}}]}}",
    "array<{0}>": "{{name: {1}, logicalType: array, items: {{{0}}}}}",
    "map<string, {0}>": "{{name: {1}, logicalType: map, map: {{key: {{}}, value: {{{0}}}}}}}",
}


def types_for(said, depth="{0}", version="v3.2.0"):
    """Return the types that a column may have, or a part of it, of which a contract says something."""
    columns = {f"c{number}": data_type for number, data_type in enumerate(TYPES)}
    text = "\n".join(f"- {DEPTHS[depth].format(said, name)}" for name in columns)
    model = table(*(Column(name, depth.format(data_type)) for name, data_type in columns.items()))
    differences = {line.split(" ")[0].split(".")[1] for line in compared(text, model, version)[0]}
    return [data_type for name, data_type in columns.items() if name not in differences]


def test_a_logical_type_allows_these_types_and_no_other():
    for depth in DEPTHS:
        for logical, options, allowed in ALLOWED:
            said = f"logicalType: {logical}" + (f", logicalTypeOptions: {options}" if options else "")
            assert types_for(said, depth) == allowed, (said, depth)


def test_before_there_were_moments_a_date_is_a_day_or_a_moment():
    assert types_for("logicalType: date", version="v3.0.2") == ["date", "timestamp", "timestamp_ntz"]


def test_a_physical_type_allows_itself_alone():
    for depth in DEPTHS:
        for said in TYPES:
            assert types_for(f"physicalType: '{said}'", depth) == [said]


CHANGE = "change the model, or agree on another contract"
KEYED = [Column("a", "int", is_nullable=False), Column("b", "int", is_nullable=False)]
BOTH = "- {{name: a, physicalType: int, required: true{0}}}\n- {{name: b, physicalType: int, required: true{1}}}"
PARENT = """
- name: t
  properties:
    - {{name: a, physicalType: int{0}}}
- name: p
  properties:
    - {{name: id, physicalType: int, primaryKey: true}}
"""
TO_PARENT = ", relationships: [{to: p.id}]"
CASES = {
    "the same": ("- {name: A, physicalType: INTEGER}", table()),
    "a column of the contract": ("- {name: a, physicalType: int}\n- {name: b, physicalType: date}", table()),
    "a column of the model": ("- {name: a, physicalType: int}", table(Column("a", "int"), Column("b", "date"))),
    "a kind as physical type": (
        (
            "- {name: a, physicalType: array, logicalType: array, items: {physicalType: object, logicalType: object, "
            "properties: [{name: x, logicalType: integer}]}}"
        ),
        table(Column("a", "array<struct<x: int>>")),
    ),
    "a type": ("- {name: a, physicalType: bigint}", table()),
    "a type that needs a feature": (
        "- {name: a, physicalType: timestamp_ntz}\n- {name: b, physicalType: variant}",
        table(Column("a", "timestamp"), Column("b", "string")),
    ),
    "a type that is not allowed": ("- {name: a, logicalType: boolean}", table()),
    "another kind": ("- {name: a, logicalType: array, items: {physicalType: int}}", table()),
    "required": ("- {name: a, physicalType: int, required: true}", table()),
    "elements of which nothing is said, and that are never NULL": (
        "- {name: a, physicalType: array<int>}",
        table(Column("a", ArrayType(IntegerType(), containsNull=False))),
    ),
    "a column of the contract without a physical type": (
        "- {name: a, physicalType: int}\n- {name: b, logicalType: date}\n- {name: c}",
        table(),
    ),
    "a key": (BOTH.format(", primaryKey: true", ", primaryKey: true"), table(*KEYED, primary_key=["b", "a"])),
    "a key of the contract": (BOTH.format(", primaryKey: true", ""), table(*KEYED)),
    "unique": (BOTH.format(", unique: true", ""), table(*KEYED, unique=[Unique(["A"], name="u")])),
    "unique in the contract": (BOTH.format(", unique: true", ""), table(*KEYED)),
    "partitions": (BOTH.format(", partitioned: true", ""), table(*KEYED, partitioned_by=["a"])),
    "clusters, which a contract cannot say": (BOTH.format("", ""), table(*KEYED, clustered_by=["a"])),
    "a foreign key": (PARENT.format(TO_PARENT), table(foreign_keys=[ForeignKey(["a"], "prod.s.p", name="f")])),
    "a foreign key of the contract": (PARENT.format(TO_PARENT), table()),
    "a foreign key of the model": (PARENT.format(""), table(foreign_keys=[ForeignKey(["a"], "prod.s.p", name="f")])),
    "what a contract cannot say": (
        "- {name: a, physicalType: int}",
        table(Column("a", "int", default=1, tags={"x": "y"}), table_properties={"team": "x"}, tags={"x": "y"}),
    ),
    "deprecated in the contract": ("- {name: a, physicalType: int, deprecated: true}", table()),
    "a deprecated table": (
        "- name: t\n  deprecated: true\n  properties:\n    - {name: a, physicalType: int}",
        table(deprecated=Deprecated(date(2026, 1, 31))),
    ),
}


def test_what_differs(reviewed):
    case = ReviewedCases(lambda text, model: compared(text, model)[0])
    for name, (text, model) in CASES.items():
        case(name, text, model)
    assert case.text == reviewed


def test_descriptions_are_compared_if_the_project_wants_it():
    text = "- name: t\n  description: x\n  properties:\n    - {name: a, physicalType: int, description: y}"

    assert compared(text, table(Column("a", "int", comment="z")), comments=True)[0] == [
        f"columns.a.comment is 'z' in the model and 'y' in c.yaml:12; {CHANGE}",
        f"comment is '' in the model and 'x' in c.yaml:9; {CHANGE}",
    ]


def test_relationships_and_deprecations_are_no_differences_where_the_version_lacks_them():
    model = table(
        Column("a", "int", deprecated=Deprecated(date(2026, 1, 31))),
        foreign_keys=[ForeignKey(["a"], "prod.s.p", parent_columns=["id"])],
    )

    assert compared(PARENT.format(""), model, "v3.0.2") == ([], [])


LIMITS = [
    ("number", "decimal(10,2)", "{minimum: 0}", "a >= 0", "a >= 1"),
    ("integer", "int", "{exclusiveMinimum: 0}", "0 < a", "a > 5"),
    ("integer", "int", "{exclusiveMaximum: 9}", "a < 9", "a < 10"),
    ("date", "date", "{minimum: 2020-01-01}", "a >= DATE'2020-01-01'", "a >= DATE'2021-01-01'"),
    ("string", "string", "{minLength: 2}", "length(a) >= 2", "length(a) >= 3"),
]


@pytest.mark.parametrize(("logical", "data_type", "options", "same", "other"), LIMITS)
def test_a_limit_is_a_check(logical, data_type, options, same, other):
    text = f"- {{name: a, logicalType: {logical}, physicalType: '{data_type}', logicalTypeOptions: {options}}}"
    model = table(Column("a", data_type), Column("b", "int"))

    def found(*checks: str) -> tuple[int, int]:
        checked = replace(model, checks=[Check(f"c{number}", text) for number, text in enumerate(checks)])
        differences, notes = compared(f"{text}\n- {{name: b, physicalType: int}}", checked)
        return len(differences), len(notes)

    assert [found(same), found(f"b > 0 AND {same}"), found(other), found("b > 0"), found()] == [
        (0, 0),
        (0, 0),
        (1, 0),
        (0, 1),
        (0, 1),
    ]


def test_an_enumeration_is_a_check():
    text = "- {name: a, physicalType: string, enum: [{value: x}, {value: y}]}"
    model = table(Column("a", "string"))

    assert compared(text, replace(model, checks=[Check("c", "a IN ('x', 'y')")])) == ([], [])
    assert compared(text, replace(model, checks=[Check("c", "a IN ('x')")])) == (
        [f"checks.a_enum is a IN ('x') in the model and `a` IN ('x', 'y') in c.yaml:11; {CHANGE}"],
        [],
    )
    assert compared(text, model) == ([], ["no CHECK decides `a` IN ('x', 'y'), which c.yaml:11 says"])
