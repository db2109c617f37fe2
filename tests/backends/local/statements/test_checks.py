"""CHECK constraints on real Delta: what they cost, what they refuse, and what Delta itself reports."""

from __future__ import annotations

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import ApplyError, Check, Orchestrator, Settings, UnsafePlanError
from pytest_delta_schema.backends import constraint_error
from pytest_delta_schema.backends.local.warehouse import table_folder
from pytest_delta_schema.backends.rows import DataQueries
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.execute import RowCounts
from pytest_delta_schema.execute.preflight import COUNT, LIMIT
from pytest_delta_schema.plan import CheckAdd, NotNull
from pytest_delta_schema.sql import Statement, StatementKind
from pytest_delta_schema.state import CheckState
from support.tables import NAME, column, operations, table

pytestmark = pytest.mark.spark

POSITIVE = Check("positive", "id > 0")


def run(catalog, text):
    catalog.run(Statement(table=NAME, kind=StatementKind.SET_PROPERTIES, sql=text))


def test_checks_are_part_of_the_one_commit_that_creates_and_are_enforced(local):
    Orchestrator.over(local).sync_tables([table(column(), checks=[POSITIVE, Check("Small", "id < 9 -- really")])])

    assert local.version(NAME) == 0
    local.insert(NAME, [{"id": 5}])
    for row in ({"id": 0}, {"id": 9}, {"id": None}):
        with pytest.raises(StatementError, match=r"CHECK constraint (positive|small)"):
            local.insert(NAME, [row])


def test_adding_costs_one_commit_that_history_names(local):
    Orchestrator.over(local).sync_tables([table(column())])
    local.insert(NAME, [{"id": 1}])

    Orchestrator.over(local).sync_tables([table(column(), checks=[POSITIVE])])

    assert local.version(NAME) == 2
    assert operations(local)[-1] == "ADD CONSTRAINT"


def test_rows_that_break_a_check_block_everything_and_nothing_is_changed(local):
    Orchestrator.over(local).sync_tables([table(column())])
    local.insert(NAME, [{"id": 0}, {"id": None}, {"id": 1}])

    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(local).sync_tables([table(column(), column("b"), comment="New", checks=[POSITIVE])])

    assert str(caught.value) == (
        "dev.silver.orders: check positive (id > 0) cannot be added, because 2 rows break it, of 3, such as id = 0, NULL; correct them (they are"
        " listed by SELECT * FROM `dev`.`silver`.`orders` WHERE NOT coalesce((id > 0), false)), or change the check"
        " [DS302 RowsViolateCheck]"
    )
    assert local.version(NAME) == 1
    assert (
        len(local.spark.sql("SELECT * FROM `dev`.`silver`.`orders` WHERE NOT coalesce((id > 0), false)").collect()) == 2
    )


def test_all_demands_are_counted_in_one_query(local, monkeypatch):
    Orchestrator.over(local).sync_tables([table(column(), column("b"))])
    local.insert(NAME, [{"id": 0, "b": 1}, {"id": None, "b": None}])
    queries = []
    ask = local._session.sql
    monkeypatch.setattr(local._session, "sql", lambda text: (queries.append(text), ask(text))[1])

    data_checks = [
        NotNull(ColumnPath("id")),
        NotNull(ColumnPath("b")),
        CheckState("x", "id > 0"),
        CheckState("y", "b = 1"),
    ]
    counts = local.data_checks(NAME).count_rows(data_checks)

    assert counts == RowCounts(rows=2, broken=(1, 1, 2, 1))
    assert len(queries) == 1


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("no_such_function(id)", "UNRESOLVED_ROUTINE"),
        ("length(id)", "DATATYPE_MISMATCH"),
        ("coalesce(id, 1)", "DATATYPE_MISMATCH"),
        ("id.field > 0", "INVALID_EXTRACT_BASE_FIELD_TYPE"),
    ],
)
def test_what_only_spark_knows_is_refused_before_the_table_is_made(local, warehouse, expression, message):
    with pytest.raises(ApplyError) as caught:
        Orchestrator.over(local).sync_tables([table(column(), checks=[Check("c", expression)])])

    assert f"dev.silver.orders: check c ({expression}) is refused by Spark: [{message}" in str(caught.value)
    assert not table_folder(warehouse, NAME).exists()


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("ADD CONSTRAINT __CHAR_VARCHAR_STRING_LENGTH_CHECK__ CHECK (id > 0)", "DELTA_INVALID_CONSTRAINT_NAME"),
        ("ADD CONSTRAINT POSITIVE CHECK (id > 5)", "DELTA_CONSTRAINT_ALREADY_EXISTS"),
        ("ADD CONSTRAINT c CHECK (id + 1)", "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT"),
        ("ADD CONSTRAINT c CHECK (id > 1)", "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"),
    ],
)
def test_the_four_errors_of_deltas_own_command(local, text, condition):
    Orchestrator.over(local).sync_tables([table(column(), checks=[POSITIVE])])
    local.insert(NAME, [{"id": 1}])

    with pytest.raises(StatementError) as caught:
        run(local, f"ALTER TABLE dev.silver.orders {text}")

    assert caught.value.condition == condition
    assert local.version(NAME) == 1


def test_an_undeclared_check_is_drift_and_is_dropped_even_in_mixed_case(local):
    Orchestrator.over(local).sync_tables([table(column())])
    run(local, "ALTER TABLE dev.silver.orders ADD CONSTRAINT theirs CHECK (id > 0)")
    run(
        local,
        "CREATE TABLE dev.silver.mixed (id BIGINT) USING DELTA TBLPROPERTIES ('delta.constraints.Theirs' = 'id > 0')",
    )
    models = [table(column()), table(column(), name="dev.silver.mixed")]

    result = Orchestrator.over(local).sync_tables(models)

    assert [statement.kind for statement in result.statements] == [StatementKind.DROP_CHECK, StatementKind.DROP_CHECK]
    assert Orchestrator.over(local).plan_tables(models).is_empty


def test_what_delta_stores_is_never_drift(local):
    expressions = [
        "id>0 and(name is null or length(name)<10)",
        "st.a > -1 or `st`.`a` IS NULL",
        "name in ('a','b''c', \"d\") or id=1",
        "id BETWEEN 1 AND 1e3 /* wide */",
        "not(id<=>7) AND id%2<>5",
        "case when id>0 then true else name like 'x%' end",
        "cast(name as int) is null or id::int > 0",
        "date '2020-01-01' < timestamp '2021-01-01 00:00:00'",
        "exists(xs, x -> x > 0) or xs is null",
        "name = r'it\\d' or (id << 1) > 0",
        "m['k'] = 1 or m is null",
    ]
    columns = [
        column(),
        column("name", spark.StringType()),
        column("st", spark.StructType([spark.StructField("a", spark.LongType())])),
        column("xs", spark.ArrayType(spark.IntegerType())),
        column("m", spark.MapType(spark.StringType(), spark.IntegerType())),
    ]
    model = table(*columns, checks=[Check(f"c{i}", text) for i, text in enumerate(expressions)])
    Orchestrator.over(local).sync_tables([table(*columns)])

    Orchestrator.over(local).sync_tables([model])

    assert Orchestrator.over(local).plan_tables([model]).is_empty
    assert local.version(NAME) == len(expressions)


def test_text_that_deltas_command_would_change_is_kept_exactly(local):
    Orchestrator.over(local).sync_tables([table(column(), column("name", spark.StringType()))])
    quoted = Check("quoted", "name <> 'it\\'s' AND name <> 'it''s'")
    model = table(column(), column("name", spark.StringType()), checks=[quoted])

    Orchestrator.over(local).sync_tables([model])

    assert local.snapshot([model]).tables[NAME].checks == (CheckState("quoted", quoted.expression),)
    local.insert(NAME, [{"name": "its"}])
    with pytest.raises(StatementError, match="quoted"):
        local.insert(NAME, [{"name": "it's"}])


def test_another_check_of_that_name_is_an_error(local):
    Orchestrator.over(local).sync_tables([table(column(), checks=[POSITIVE])])
    change = CheckAdd(name="Positive", expression="id > 5")

    with pytest.raises(StatementError, match="there is a check Positive already; read the table again"):
        local.run(Statement(table=NAME, kind=StatementKind.ADD_CHECK, sql="", changes=(change,)))

    assert local.version(NAME) == 0


def test_a_row_that_is_appended_during_the_data_check_stops_the_commit(local, monkeypatch):
    Orchestrator.over(local).sync_tables([table(column())])
    count = DataQueries.count_at

    def slow(*queries):
        counted = count(*queries)
        local.insert(NAME, [{"id": -1}])
        return counted

    monkeypatch.setattr(DataQueries, "count_at", slow)
    with pytest.raises(ApplyError, match="DELTA_CONCURRENT_APPEND"):
        Orchestrator.over(local).sync_tables([table(column(), checks=[POSITIVE])])

    monkeypatch.undo()
    assert local.snapshot([table(column())]).tables[NAME].checks == ()
    assert local.version(NAME) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("INSERT INTO dev.silver.orders VALUES (0, 'a', 'x', 1)", ("check", "odd `name`", {"id": "0", "name": "a"})),
        ("INSERT INTO dev.silver.orders VALUES (1, 'a', 'x', NULL)", ("not null", "w", {})),
        ("INSERT INTO dev.silver.orders VALUES (1, 'a', 'xxxx', 1)", ("length", "", {})),
        ("UPDATE dev.silver.orders SET id = -1", ("check", "odd `name`", {"id": "-1", "name": "there"})),
        (
            (
                "MERGE INTO dev.silver.orders t USING (SELECT 5L AS id) s ON t.id = s.id"
                " WHEN MATCHED THEN UPDATE SET name = 'no'"
            ),
            ("check", "odd `name`", {"id": "5", "name": "no"}),
        ),
    ],
)
@pytest.mark.parametrize("client", ["classic", "connect"])
def test_every_write_method_names_the_constraint_that_stopped_it(request, local, client, text, expected):
    columns = [
        column(is_nullable=False),
        column("name", spark.StringType()),
        column("v", spark.VarcharType(3)),
        column("w", is_nullable=False),
    ]
    model = table(*columns, checks=[Check("odd `name`", "id > 0 AND name <> 'no'")])
    Orchestrator.over(local).sync_tables([model])
    local.insert(NAME, [{"id": 5, "name": "there", "w": 1}])

    session = local.spark
    if client == "connect":
        session = request.getfixturevalue("remote")
        for key in ("spark.sql.catalog.dev", "spark.sql.catalog.dev.warehouse"):
            session.conf.set(key, local.spark.conf.get(key))

    with pytest.raises(Exception, match="DELTA_") as caught:
        session.sql(text)

    violation = constraint_error(caught.value, models=[model])
    assert type(caught.value).__module__.startswith("pyspark.errors.exceptions.connect") is (client == "connect")
    assert (violation.kind, violation.name, dict(violation.values)) == expected
    assert violation.model is (None if expected[0] == "length" else model)


@pytest.mark.parametrize("mode", [COUNT, LIMIT])
def test_a_data_check_that_misses_data_files_names_the_table_and_the_way_out(local, mode):
    Orchestrator.over(local).sync_tables([table(column(), column("b"))])
    local.insert(NAME, [{"b": 1}])
    (file,) = table_folder(local.warehouse, NAME).glob("*.parquet")
    file.unlink()

    with pytest.raises(StatementError) as caught:
        Orchestrator.over(local, settings=Settings(preflight=mode)).sync_tables(
            [table(column(is_nullable=False), column("b"))]
        )

    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith("dev.silver.orders: its rows cannot be read: [FAILED_READ_FILE.FILE_NOT_EXIST] ")
    assert text.endswith("; restore the data files of its newest version, or restore a version whose files exist")
    assert local.version(NAME) == 1

    # The second remedy helps.
    local.spark.sql(f"RESTORE TABLE {NAME} TO VERSION AS OF 0")
    Orchestrator.over(local, settings=Settings(preflight=mode)).sync_tables(
        [table(column(is_nullable=False), column("b"))]
    )
    assert local.data_checks(NAME).count_rows().rows == 0
