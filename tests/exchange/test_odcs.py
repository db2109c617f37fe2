"""Data contracts of the Open Data Contract Standard, as models."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest

from pytest_delta_schema import Column, Table
from pytest_delta_schema.diagnostics.errors import BackendUnavailableError, DataContractError, DeclarationError
from pytest_delta_schema.exchange import from_odcs, to_ddl
from pytest_delta_schema.state.desired import desired_state
from support.snapshots import ReviewedCases

HEAD = """\
apiVersion: {version}
kind: DataContract
id: shop
version: 1.0.0
status: active
"""
SERVER = """\
servers:
  - {server: prod, type: databricks, host: x.example, catalog: prod, schema: silver}
"""


def contract(schema: str, version: str = "v3.2.0", servers: str = SERVER) -> str:
    return HEAD.format(version=version) + servers + "schema:\n" + indent(dedent(schema), "  ")


def column(text: str, version: str = "v3.2.0") -> str:
    """Return a contract of one table ``t`` with one property; its text starts in line 11."""
    return contract("- name: t\n  properties:\n" + indent(dedent(text), "    "), version)


@pytest.fixture
def read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def read(text: str | bytes, **options: str) -> list[Table]:
        Path("c.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
        return from_odcs("c.yaml", **options)

    return read


@pytest.fixture
def faults(read):
    def faults(text: str | bytes, **options: str) -> list[str]:
        with pytest.raises(DataContractError) as caught:
            read(text, **options)
        return str(caught.value).split("\n")

    return faults


def test_a_contract_becomes_models(read, caplog, reviewed):
    models = read(contract(Path(__file__).with_name("orders.odcs.yaml").read_text("utf-8")))

    assert to_ddl(models) == reviewed
    assert desired_state(models[0]).columns[10].data_type.contains_null is False
    assert caplog.messages == []


@pytest.mark.parametrize("version", ["v3.0.0", "v3.1.0", "v3.2.0"])
def test_every_version_3_is_read(read, version):
    others = "customProperties: [{property: team, value: x}]"
    (table,) = read(
        column(f"- {{name: a, logicalType: integer, physicalType: int, required: true, {others}}}", version)
    )

    assert table == Table("prod", "silver", "t", [Column("a", "int", is_nullable=False)])


SPELLINGS = {
    "tinyint": "TINYINT BYTE",
    "smallint": "SMALLINT SHORT",
    "int": "INT INTEGER Int",
    "bigint": "BIGINT LONG",
    "float": "FLOAT REAL",
    "double": "DOUBLE",
    "decimal(10,0)": "DECIMAL DEC NUMERIC DECIMAL(10)",
    "decimal(18,2)": "DECIMAL(18,2) NUMERIC(18,2) dec(18,2)",
    "string": "STRING string",
    "varchar(10)": "VARCHAR(10)",
    "char(3)": "CHAR(3) CHARACTER(3)",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP TIMESTAMP_LTZ",
    "timestamp_ntz": "TIMESTAMP_NTZ",
    "binary": "BINARY",
    "variant": "VARIANT",
}
"""The spellings of each type in the documentation of Spark 4.2 and Databricks (data types)."""

DEPTHS = {
    "column": "{name: a, physicalType: '%s'}",
    "items": "{name: a, logicalType: array, items: {physicalType: '%s'}}",
    "field of items": "{name: a, logicalType: array, items: {logicalType: object, "
    "properties: [{name: b, physicalType: '%s'}]}}",
}
TYPES = {
    "column": "{0}",
    "items": "array<{0}>",
    "field of items": "array<struct<b: {0}>>",
}


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_physical_type_is_read_as_spark_reads_it(read, depth):
    wrong = []
    for data_type, spellings in SPELLINGS.items():
        wanted = desired_state(Table("prod", "silver", "t", [Column("a", TYPES[depth].format(data_type))])).columns
        for spelling in spellings.split():
            (table,) = read(column(f"- {DEPTHS[depth] % spelling}"))
            if desired_state(table).columns != wanted:
                wrong.append((spelling, desired_state(table).columns))
    assert wrong == []


PROPOSED = [
    ("string", ""),
    ("integer", ""),
    ("number", ""),
    ("boolean", ""),
    ("date", ""),
    ("timestamp", ""),
    ("time", ""),
    ("object", ""),
    ("array", ""),
    ("vector", "{dimensions: 3}"),
]


def test_no_type_is_guessed(faults, reviewed):
    case = ReviewedCases(faults)
    for logical, options in PROPOSED:
        lines = f"  logicalType: {logical}\n" + (f"  logicalTypeOptions: {options}\n" if options else "")
        case(f"{logical} {options}".strip(), column(f"- name: a\n{lines}"))
    assert case.text == reviewed


NOT_YAML = [
    "a: &x 1\nb: *x\n",
    "a: !!str 1\n",
    "a: !!python/object/apply:os.system [x]\n",
    "a:\n\t- 1\n",
    "a: 1\nb: 2\na: 3\n",
    "<<: {a: 1}\n",
    "1: x\n",
    "? [a]\n: 1\n",
    "a: 1\n---\nb: 2\n",
    "a: 1\nb: \0\n",
    "[" * 100_000,
    "",
    "a: é\n".encode("latin-1"),
    "a: 1\n".encode("utf-16"),
]


def test_what_is_no_plain_yaml_is_refused_in_one_line(faults, reviewed):
    case = ReviewedCases(lambda text: faults(text)[0])
    for text in NOT_YAML:
        case(repr(text)[:60], text)
    assert case.text == reviewed


STANDARD = [
    HEAD.format(version="v2.2.2"),
    "kind: DataContract\n",
    HEAD.format(version="v3.2.0").replace("1.0.0", "1.0").replace("id: shop\n", ""),
    column("- name: a\n  required: 'yes'\n  nullable: true\n  physicalType: int\n"),
    column("- {name: a, logicalType: map, physicalType: 'map<string, int>'}"),
    column("- name: a\n  logicalType: timestamp\n  physicalType: timestamp\n  deprecated: true\n", "v3.1.0"),
    column("- name: a\n  physicalType: int\n  enum: [{value: 1}]\n", "v3.1.0"),
]


def test_what_breaks_the_standard_is_refused_by_file_and_line(faults, reviewed):
    case = ReviewedCases(lambda text: sorted(faults(text)))
    for text in STANDARD:
        case.unnamed(text)
    assert case.text == reviewed


def test_no_value_of_a_file_is_shown(faults):
    secret = "dapi0123456789"  # noqa: S105 - of nobody

    assert secret not in "\n".join(faults(column(f"- {{name: a, physicalType: int, required: {secret}}}")))


def test_the_first_versions_allowed_further_fields_and_exclusive_limits(read, caplog):
    text = """
    - name: a
      logicalType: integer
      physicalType: int
      nullable: true
      logicalTypeOptions: {minimum: 0, exclusiveMinimum: true}
    """
    (table,) = read(column(text, "v3.0.2"))

    assert [check.name for check in table.checks] == ["a_minimum"]
    assert caplog.messages == [
        "prod.silver.t: c.yaml:12: schema[0].properties[0] has exclusiveMinimum, which the model does not declare"
    ]


CONTRADICTIONS = [
    "- {name: a, physicalType: int}\n- {name: A, physicalType: int}",
    "- {name: a, logicalType: object, properties: [{name: b, physicalType: int}, {name: B, physicalType: int}]}",
    "- {name: a, physicalType: VARCHAR2(3)}",
    "- {name: a, physicalType: 'struct<b: int>', properties: [{name: c, physicalType: int}]}",
    "- {name: a, physicalType: 'array<int>', items: {physicalType: bigint}}",
    "- {name: a, physicalType: int, properties: [{name: c, physicalType: int}]}",
    (
        "- {name: a, physicalType: int, primaryKey: true, primaryKeyPosition: 1}\n- {name: b, physicalType: int, "
        "primaryKey: true}"
    ),
    (
        "- {name: a, physicalType: int, partitioned: true, partitionKeyPosition: 1}\n- {name: b, physicalType: int, "
        "partitioned: true, partitionKeyPosition: 1}"
    ),
]


def test_what_contradicts_something_else_is_refused(faults, reviewed):
    case = ReviewedCases(lambda text: faults(column(text)))
    for text in CONTRADICTIONS:
        case.unnamed(text)
    assert case.text == reviewed


PARENT = """
- id: ORDERS
  name: orders
  {relations}
  properties:
    - {{name: id, physicalType: int}}
    - {{name: line, physicalType: int}}
    - {{name: parent, physicalType: int{relation}}}
    - {{name: parts, physicalType: "struct<a: int>"}}
- id: CUST
  name: customers
  physicalName: gold.clients
  properties:
    - {{id: ID, name: id, physicalName: client_id, physicalType: int}}
    - {{id: NUMBER, name: number, physicalType: int}}
    - {{id: PARTS, name: parts, logicalType: object, physicalType: "struct<a: int>", properties: [
        {{id: A, name: a, physicalType: int}}]}}
- {{name: seen, physicalType: topic}}
"""


@pytest.mark.parametrize(
    ("relations", "relation", "key", "remark"),
    [
        ("", ", relationships: [{to: customers.id}]", (["parent"], ["client_id"]), ""),
        ("", ", relationships: [{to: schema/CUST/properties/ID}]", (["parent"], ["client_id"]), ""),
        (
            "relationships: [{from: [orders.id, orders.line], to: [customers.number, customers.id]}]",
            "",
            (["id", "line"], ["number", "client_id"]),
            "",
        ),
        ("", ", relationships: [{to: 'other.yaml#/schema/A/properties/B'}]", None,
         "references other.yaml#/schema/A/properties/B of another contract; declare the foreign key"),
        ("", ", relationships: [{to: customers.parts.a}]", None, "references customers.parts.a, which no foreign key can"),
        ("", ", relationships: [{to: regions.id}]", None, "references regions.id, which the contract does not have"),
    ],
)  # fmt: skip
def test_a_relationship_is_a_foreign_key(read, caplog, relations, relation, key, remark):
    orders, _ = read(contract(PARENT.format(relations=relations, relation=relation)))

    assert [(list(found.columns), str(found.parent), list(found.parent_columns)) for found in orders.foreign_keys] == (
        [(key[0], "prod.gold.clients", key[1])] if key else []
    )
    assert [message.rpartition("relationships[0] ")[2] for message in caplog.messages if "relation" in message] == (
        [remark] if remark else []
    )


def test_columns_of_a_relationship_are_as_many_as_those_that_they_reference(faults):
    text = PARENT.format(
        relations="relationships: [{from: [orders.id, orders.line], to: [customers.number]}]", relation=""
    )

    assert faults(contract(text)) == [
        (
            "c.yaml:12: schema[0].relationships[0] joins other tables, or lists of another length; "
            "write as many columns in both"
        )
    ]


TWO = """\
servers:
  - {server: dev, type: databricks, host: x.example, catalog: dev, schema: silver}
  - {server: prod, type: databricks, host: x.example, catalog: prod, schema: silver}
  - {server: files, type: s3, location: "s3://lake"}
"""
ONE_COLUMN = "- name: t\n  physicalName: {name}\n  properties: [{{name: a, physicalType: int}}]\n"
PLACES = [
    (SERVER, "t", {}, "prod.silver.t"),
    (SERVER, "gold.T", {}, "prod.gold.t"),
    ("", "lake.gold.t", {}, "lake.gold.t"),
    (TWO, "t", {"server": "dev"}, "dev.silver.t"),
]


def test_the_servers_name_the_place_of_a_table(read):
    assert [
        read(contract(ONE_COLUMN.format(name=name), servers=servers), **options)[0].qualified_name
        for servers, name, options, _ in PLACES
    ] == [wanted for *_, wanted in PLACES]


@pytest.mark.parametrize(
    ("servers", "options", "fault"),
    [
        ("", {}, ("7: schema[0] is t, and no server names its catalog and schema; add a server that does, or write "
         "physicalName: catalog.schema.table")),
        (TWO, {}, "6: servers names different places: dev (dev.silver), prod (prod.silver); say which: from_odcs(..., server=NAME), or bind to it"),
        (TWO, {"server": "x"}, "6: servers has no server x; there are: dev, prod, files; name one of them"),
        ("", {"server": "x"}, "1: servers has no server x; there are: none; name one of them"),
    ],
    ids=["none", "several", "unknown", "no servers"],
)  # fmt: skip
def test_a_place_that_is_not_clear_is_refused(faults, servers, options, fault):
    assert faults(contract(ONE_COLUMN.format(name="t"), servers=servers), **options) == [f"c.yaml:{fault}"]


def test_a_table_is_described_once(faults):
    text = ONE_COLUMN.format(name="t") + ONE_COLUMN.format(name="T")

    assert faults(contract(text)) == [
        "c.yaml:12: schema[1] is prod.silver.t, as the object in line 9; describe a table once"
    ]


REMARKS = [
    "- {name: a, logicalType: string, physicalType: string, logicalTypeOptions: {pattern: '^x'}}",
    "- {name: a, logicalType: timestamp, physicalType: timestamp, logicalTypeOptions: {minimum: '2020-01-01T00:00:00Z'}}",
    "- {name: a, logicalType: date, physicalType: date, logicalTypeOptions: {maximum: today}}",
    "- {name: a, physicalType: int, deprecated: true}",
    "- {name: a, logicalType: array, items: {logicalType: integer, physicalType: int, logicalTypeOptions: {minimum: 0}}}",
]


def test_what_a_model_cannot_say_is_logged(read, caplog, reviewed):
    for text in REMARKS:
        (table,) = read(column(text))
        assert not table.checks
    assert "\n".join([*caplog.messages, ""]) == reviewed


def test_a_deprecated_table_is_logged(read, caplog):
    read(contract("- {name: t, deprecated: true, properties: [{name: a, physicalType: int}]}"))

    assert caplog.messages == [
        "prod.silver.t: c.yaml:9: schema[0] is deprecated, and not since when; declare deprecated=Deprecated(since)"
    ]


def test_what_no_model_can_be_is_refused(faults):
    big = f"- {{name: a, logicalType: integer, physicalType: int, logicalTypeOptions: {{maximum: {'9' * 5000}}}}}"
    path = "schema[0].properties[0].logicalTypeOptions.maximum"
    assert faults(contract("- {name: t}")) == [
        "c.yaml:9: schema[0] has no properties; describe the columns of the table"
    ]
    assert faults(column("- {name: '', physicalType: int}")) == [
        "c.yaml:9: schema[0] cannot be a model: the name of a column is empty; give it a name"
    ]
    assert faults(column(big)) == [
        f'c.yaml:11: {path} breaks the standard: this value is not of type "number"; correct it'
    ]


def test_a_file_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    with pytest.raises(DataContractError) as caught:
        from_odcs("shop.yaml")

    assert str(caught.value) == "shop.yaml: cannot be read: No such file or directory; name a data contract"


def test_a_server_is_a_name(read):
    with pytest.raises(DeclarationError) as caught:
        read(column("- {name: a, physicalType: int}"), server=1)

    assert (
        str(caught.value)
        == "from_odcs: server takes a string, and was given 1; give the name of a server of the contract"
    )


def test_without_the_extra_its_installation_is_named(read, monkeypatch):
    monkeypatch.setattr("pytest_delta_schema.exchange.contract_file.find_spec", lambda _: None)

    with pytest.raises(BackendUnavailableError) as caught:
        read("")

    assert str(caught.value) == (
        "data contracts need PyYAML, jsonschema-rs, open-data-contract-standard; "
        'run: pip install "pytest-delta-schema[odcs]"'
    )
