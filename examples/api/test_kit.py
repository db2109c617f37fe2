"""The kit for backends: reading logs and metadata, without a JVM; ``examples/backend`` is a whole backend."""

import json
from io import BytesIO
from pathlib import Path

import msgspec
import pytest

from models import orders
from pytest_delta_schema.backends.kit import (
    MALFORMED,
    NO_CONNECTION,
    OPEN_SOURCE_DELTA,
    PROPERTY_PREFIX,
    DataQueries,
    LocalFiles,
    LogFiles,
    NameMap,
    NameSet,
    Stamp,
    UnreadableTable,
    build_decoders,
    cancel_on_interrupt,
    children,
    created_state,
    escaped,
    first_line,
    folded,
    is_a_view,
    is_damaged,
    is_not_delta,
    local_folder,
    map_concurrently,
    may_generate_columns,
    parse_databricks_type,
    problem,
    read_all_until_settled,
    reading_log,
    redacted_uri,
    refuse_kind,
    refused,
    required_table_names,
    running_in_spark,
    snapshot_names,
    split_properties,
    state_keys,
    state_of_log,
    statements_per_column,
    step,
    without_files,
)
from pytest_delta_schema.diagnostics.errors import DeclarationError, Diagnostic, StatementError
from pytest_delta_schema.execute import ABSENT, Lag, Version, version_of
from pytest_delta_schema.plan import SetColumnComments
from pytest_delta_schema.sql import (
    Statement,
    StatementKind,
    describe_detail,
    describe_history,
    dotted,
    identifier,
    literal,
)
from pytest_delta_schema.state import CatalogState, ColumnPath, ColumnState, KeyState, LogFacts, StructState, TableState

NAME = orders.name
PROTOCOL = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["appendOnly"]}
FIELD = {"name": "id", "type": "long", "nullable": False, "metadata": {}}
METADATA = {
    "id": "5e9e6d3b",
    "description": "Orders",
    "format": {"provider": "parquet", "options": {}},
    "schemaString": json.dumps({"type": "struct", "fields": [FIELD]}),
    "partitionColumns": [],
    "configuration": {},
}


@pytest.fixture
def folder(tmp_path):
    log = tmp_path / "_delta_log"
    log.mkdir()
    actions = [{"commitInfo": {"operation": "CREATE TABLE"}}, {"protocol": PROTOCOL}, {"metaData": METADATA}]
    (log / f"{0:020d}.json").write_text("\n".join(map(json.dumps, actions)))
    return str(tmp_path)


def test_state_of_log(folder):
    location = f"file:{folder}"  # as DESCRIBE DETAIL shows it

    state = state_of_log(NAME, LocalFiles(local_folder(location)))

    assert (state.version, state.table_comment) == (0, "Orders")


def test_log_files(folder):
    class StoredFiles(LogFiles):  # of a store that holds contents by name, as those of a bucket
        path = "bucket/orders/_delta_log"

        def __init__(self, contents):
            self.contents = contents

        def names(self):
            return list(self.contents)

        def open(self, name):
            return BytesIO(self.contents[name])

        def stamp(self, name):
            return Stamp(modified=0, size=len(self.contents[name]))

    files = StoredFiles({file.name: file.read_bytes() for file in Path(folder, "_delta_log").iterdir()})

    assert state_of_log(NAME, files).table_comment == "Orders"


def test_reading_log(folder):
    with reading_log(NAME, LocalFiles(folder)) as log:
        operations, first = [commit.operation for commit in log.commits()], log.facts(0)

    assert operations == ["CREATE TABLE"]
    assert first.columns == (ColumnState("id", "bigint", is_nullable=False, comment=""),)


def test_log_facts():
    state = LogFacts(METADATA, PROTOCOL, version=3).state(NAME)

    assert state.columns == (ColumnState("id", "bigint", is_nullable=False, comment=""),)
    assert state.table_properties["delta.feature.appendOnly"] == "supported"


def test_property_prefix():
    emulated = {f"{PROPERTY_PREFIX}delta.parquet.compression.codec": "zstd"}  # as open-source Delta holds it

    state = LogFacts({**METADATA, "configuration": emulated}, PROTOCOL).state(NAME)

    assert state.table_properties["delta.parquet.compression.codec"] == "zstd"


def test_may_generate_columns():
    assert may_generate_columns({"minWriterVersion": 7, "writerFeatures": ["generatedColumns"]})
    assert not may_generate_columns(PROTOCOL)


def test_state_keys():
    keys = state_keys([KeyState("pk", ("id",))])  # in any order, with foreign keys

    assert TableState(name=NAME, **keys).primary_key.columns == ("id",)


def test_children():
    address = StructState((ColumnState("street", "string", is_nullable=True, comment=""),))

    assert [field.name for field in children(address)] == ["street"]


def test_parse_databricks_type():
    assert parse_databricks_type("DECIMAL(10, 2)") == "decimal(10,2)"
    assert children(parse_databricks_type("struct<a:int,b:array<string>>"))[0].data_type == "int"


def test_created_state():
    shown = "CREATE TABLE dev.silver.orders (id BIGINT NOT NULL COMMENT 'Key') USING delta"  # by SHOW CREATE TABLE

    assert created_state(shown, NAME).columns == (ColumnState("id", "bigint", is_nullable=False, comment="Key"),)


def test_split_properties():
    shown = {"team": "sales", "delta.minWriterVersion": "7", "delta.feature.generatedColumns": "supported"}

    stored, protocol = split_properties(shown)

    assert stored == {"team": "sales"}
    assert may_generate_columns(protocol)


def test_name_map():
    columns = NameMap([("Id", "bigint")])

    assert columns["ID"] == "bigint"
    assert "iD" in NameSet(columns)
    assert folded("Id") == "id"


def test_snapshot_names():
    assert snapshot_names([orders]) == (NAME,)  # and the parents of its foreign keys
    assert required_table_names([NAME, NAME], "read_tables") == [NAME]


def test_refuse_kind():
    with pytest.raises(DeclarationError, match=r"^MyCatalog takes a connection, and was given 3; open one$"):
        refuse_kind("MyCatalog", "a connection", 3, "open one")


def test_problem():
    diagnostic = problem(UnreadableTable, NAME, "cannot be read (no SELECT)", "give the principal SELECT on it")

    assert isinstance(diagnostic, Diagnostic)
    assert diagnostic.code == "DS502"


def test_malformed():
    with pytest.raises(MALFORMED) as raised:
        json.loads("{}")["schemaString"]

    assert is_damaged(NAME, raised.value).code == "DS503"


def test_is_a_view():
    assert is_a_view(NAME).remedy == "drop the view, or declare the table under another name"
    assert is_not_delta(NAME, "CSV").message == "is a csv table, not a Delta table"
    assert is_damaged(NAME, KeyError("schemaString")).code == "DS503"


def test_refused():
    error = StatementError("no answer; check the token", condition=NO_CONNECTION)

    diagnostic = refused(NAME, error, "give the permission")

    assert (diagnostic.concerns_run, diagnostic.remedy) == (True, "check the token")


def test_map_concurrently():
    assert map_concurrently(lambda name: name.table, [NAME], 8) == {NAME: "orders"}


def test_read_all_until_settled():
    results = {}
    answers = iter([problem(UnreadableTable, NAME, "was being written", "read it again"), TableState(name=NAME)])

    read_all_until_settled([NAME], lambda names: results.update((name, next(answers)) for name in names), results)

    assert results[NAME].exists


def test_build_decoders():
    build_decoders([dict[str, int]])  # when the catalog is opened, before threads decode

    assert msgspec.json.decode(b'{"id": 1}', type=dict[str, int]) == {"id": 1}


def test_data_queries():
    queries_run = []
    queries = DataQueries(NAME, lambda sql: queries_run.append(sql) or [(3,)], lambda _: {})

    assert queries.count_rows().rows == 3
    assert "`dev`.`silver`.`orders`" in queries_run[0]


def test_open_source_delta():
    assert StatementKind.ADD_PRIMARY_KEY in OPEN_SOURCE_DELTA.emulates  # a table property holds it


def test_without_files():
    conversion = Statement(table=NAME, kind=StatementKind.CONVERT_TABLE, sql="CONVERT TO DELTA ...")

    assert without_files(conversion).reason == "it cannot list the files first"


def test_statements_per_column():
    comments = SetColumnComments(comments={ColumnPath("id"): "Id", ColumnPath("amount"): "Amount"})
    statement = Statement(table=NAME, kind=StatementKind.COMMENT_COLUMNS, sql="ALTER TABLE ...", changes=(comments,))

    assert len(statements_per_column(statement)) == 2


@pytest.mark.spark
def test_running_in_spark(delta_spark):
    with pytest.raises(StatementError, match="TABLE_OR_VIEW_NOT_FOUND"), running_in_spark(delta_spark):
        delta_spark.sql("SELECT * FROM missing")


def test_cancel_on_interrupt():
    cancelled = []

    def cancel():
        cancelled.append("statement 7")
        return True  # it has certainly ended

    with pytest.raises(KeyboardInterrupt), cancel_on_interrupt(cancel):
        raise KeyboardInterrupt

    assert cancelled == ["statement 7"]


def test_step():
    with step(escaped("reading the catalog\n"), lambda: "3 of 7"):  # logged if it takes seconds
        pass


def test_first_line():
    assert first_line(OSError("no answer\n  at Connection.java:7")) == "no answer"
    assert redacted_uri("https://ann:secret@example.com/x?token=1") == "https://***@example.com/x?token=***"


def test_dotted():
    assert dotted(NAME) == "`dev`.`silver`.`orders`"
    assert identifier("a`b") == "`a``b`"
    assert literal("it's") == "'it\\'s'"


def test_describe_detail():
    assert describe_detail(NAME) == "DESCRIBE DETAIL `dev`.`silver`.`orders`"
    assert describe_history(NAME, limit=1) == "DESCRIBE HISTORY `dev`.`silver`.`orders` LIMIT 1"


def test_version_of():
    version: Version = version_of(CatalogState.of({NAME: TableState(name=NAME, version=3)}), NAME)

    assert version == 3
    assert version_of(CatalogState.of({NAME: TableState(name=NAME, exists=False)}), NAME) is ABSENT


def test_lag():
    assert Lag(seconds=60.0).seconds == 60  # a catalog may show a change a minute late
