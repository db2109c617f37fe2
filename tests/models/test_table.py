"""What an author may declare, deprecations included, and what can never be meant."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import date, datetime, timezone
from enum import Enum
from types import ModuleType, SimpleNamespace
from typing import Any

from pyspark.sql.types import LongType, StructType

from pytest_delta_schema import Check, Column, Deprecated, ForeignKey, Parquet, PrimaryKey, Table, empty_frame
from pytest_delta_schema.delta.names import TABLE, ColumnPath
from pytest_delta_schema.diagnostics.errors import WrongArgumentsError
from pytest_delta_schema.models.declared_at import FileVersion, declarations_of
from pytest_delta_schema.models.table import conversions
from pytest_delta_schema.state.desired import desired_state
from support.case_tables import cases, refusal
from support.models import column, table
from support.snapshots import ReviewedCases
from support.violations import coded_violations_of

# mypy: disable-error-code="call-arg,dict-item,list-item"
# Wrong values are declared here to see them refused.


def test_any_iterable_of_columns_is_taken():
    model = Table("dev", "silver", "orders", (Column(name, LongType()) for name in "ab"), primary_key=iter("a"))

    assert [column.name for column in model.columns] == ["a", "b"]
    assert model.primary_key == ("a",)
    assert model.sql_name == "`dev`.`silver`.`orders`"
    assert {model: 1} == {replace(model): 1}


class Word(str, Enum):
    KEY = "key"


def test_a_member_of_an_enum_of_strings_is_its_text():
    made = Table(Word.KEY, "silver", "orders", [Column(Word.KEY, "string", comment=Word.KEY)], comment=Word.KEY)

    texts = (made.catalog_name, made.comment, made.columns[0].name, made.columns[0].comment)
    assert [(type(text), text) for text in texts] == [(str, "key")] * 4


def test_a_missing_comment_is_empty():
    assert (Column("id", LongType(), comment=None).comment, table(column(), comment=None).comment) == ("", "")


LONG = LongType()


def test_what_a_column_can_never_have_is_refused(reviewed):
    case = ReviewedCases(lambda options: refusal(lambda: Column(**{"name": "id", "data_type": LONG, **options})))
    case.unnamed({"name": ""})
    case.unnamed({"name": 7})
    case.unnamed({"default": " "})
    case.unnamed({"default": [1]})
    case.unnamed({"generated_as": 7})
    case.unnamed({"identity": 1})
    case.unnamed({"tags": ["pii"]})
    case.unnamed({"comment": 7})
    case.unnamed({"data_type": LongType})
    case.unnamed({"data_type": "bigin"})
    case.unnamed({"data_type": int})
    assert case.text == reviewed


def test_what_a_table_can_never_have_is_refused(reviewed):
    def refused(options):
        prefix, _, rest = refusal(lambda: table(*options.pop("columns", [column()]), **options)).partition(": ")
        assert prefix == "dev.silver.orders"
        return rest

    check = Check("a", "b > 0")
    case = ReviewedCases(refused)
    case.unnamed({"owns": "columns"})
    case.unnamed({"owns": ["columns", "owner"]})
    case.unnamed({"owns": {"comments": "mine"}})
    case.unnamed({"column_order": "strict"})
    case.unnamed({"partitioned_by": "id"})
    case.unnamed({"tags": {"level": 1, "team": "x", "on": True}})
    case.unnamed({"tags": {"": "x"}})
    case.unnamed({"columns": ["a", column(), 5]})
    case.unnamed({"checks": check})
    case.unnamed({"checks": ["b > 0"]})
    case.unnamed({"primary_key": "id"})
    case.unnamed({"primary_key": 7})
    case.unnamed({"primary_key": ["id", ""]})
    case.unnamed({"table_properties": [("a", "b")]})
    case.unnamed({"table_properties": {"a": ["b"]}})
    case.unnamed({"table_properties": {"": "b"}})
    assert case.text == reviewed


def test_names_of_tables_checks_and_keys_that_can_never_be_meant_are_refused(reviewed):
    case = ReviewedCases(refusal)
    case.unnamed(lambda: Table("dev", "", "t", []))
    case.unnamed(lambda: Table(None, "s", "t", []))
    for columns in ("id", 7):
        case.unnamed(lambda columns=columns: Table("dev", "silver", "orders", columns))
    case.unnamed(lambda: Check("", "a > 0"))
    for text in (" ", None):
        case.unnamed(lambda text=text: Check("a", text))
    case.unnamed(lambda: ForeignKey("a", "dev.silver.b"))
    case.unnamed(lambda: ForeignKey([], "dev.silver.b"))
    for name in ("silver.b", "dev..b"):
        case.unnamed(lambda name=name: ForeignKey(["a"], name))
    case.unnamed(lambda: ForeignKey(["a", "b"], None))
    case.unnamed(lambda: ForeignKey(["a"], "dev.silver.b", name=" "))
    case.unnamed(lambda: PrimaryKey([]))
    case.unnamed(lambda: table(column(), unique=["id"]))
    assert case.text == reviewed


def test_a_foreign_key_knows_its_parent_by_name_or_as_a_table():
    parent = table(column(), primary_key=["id"])
    keys = {
        ForeignKey(["a"], "Dev.Silver.Parents"): ("dev.silver.parents", ()),
        ForeignKey(["a"], "dev.silver.parents", parent_columns=["Id"]): ("dev.silver.parents", ("Id",)),
        ForeignKey(["a"], parent): ("dev.silver.orders", ("id",)),
        ForeignKey(["a"], parent, ["b"]): ("dev.silver.orders", ("b",)),
    }

    assert {key: (str(key.parent), key.parent_key) for key in keys} == keys
    assert ForeignKey(["a"], "dev.silver.b") == ForeignKey(["a"], "dev.silver.b") != ForeignKey(["b"], "dev.silver.b")


def test_tables_that_point_at_each_other_can_be_shown():
    left = table(column(), name="dev.silver.left", primary_key=["id"])
    right = table(column(), name="dev.silver.right", primary_key=["id"], foreign_keys=[ForeignKey(["id"], left)])
    left = replace(left, foreign_keys=[ForeignKey(["id"], right)])

    assert "table_name='right'" in repr(left)


def test_an_argument_that_does_not_exist_is_refused_with_the_right_one(reviewed):
    def refused(kind, arguments):
        usual = {Column: ("id", LONG), Check: ("a",), ForeignKey: (["a"],)}.get(kind, ())
        text = refusal(lambda: kind(*usual, **arguments), error=WrongArgumentsError)
        return text.removeprefix(f"{getattr(kind, '__name__', 'Table')} has no argument ")

    def of_struct(**options):
        return Table.from_struct_type("dev", "silver", "orders", StructType(), **options)

    case = ReviewedCases(refused)
    case.unnamed(Column, {"nullable": False})
    case.unnamed(Column, {"primary_key": True})
    case.unnamed(Column, {"NULLABLE": True, "colour": "red"})
    case.unnamed(Table, {"name": "dev.silver.orders", "columns": []})
    case.unnamed(Table, {"partition_by": ["id"], "properties": {}})
    case.unnamed(Table, {"is_bound": True})
    assert case.text == reviewed
    text = refusal(lambda: of_struct(primary_keys=["id"]), error=WrongArgumentsError)
    assert text == "Table has no argument primary_keys; write primary_key instead of primary_keys"


ONE_LINE = [Column("id", LONG)]


def test_too_few_or_too_many_arguments_are_refused_with_the_line_to_write(reviewed):
    case = ReviewedCases(refusal)
    case.unnamed(lambda: Table("dev.silver.orders", ONE_LINE))
    case.unnamed(lambda: Table("dev.silver", "orders", columns=ONE_LINE))
    case.unnamed(lambda: Table("silver", "orders", ONE_LINE))
    case.unnamed(lambda: Table("silver", "orders", ONE_LINE, "All orders"))
    case.unnamed(lambda: Table("lake.dev.silver.orders", ONE_LINE))
    case.unnamed(lambda: Table(ONE_LINE))
    case.unnamed(lambda: Table("dev", "silver", "orders"))
    case.unnamed(lambda: Table("dev", "silver", "orders", Column("id", LONG), Column("amount", LONG)))
    case.unnamed(Column)
    case.unnamed(lambda: Check("amount > 0"))
    case.unnamed(lambda: Check("a", "b > 0", "c > 0", 7))
    case.unnamed(lambda: Table("dev", "silver", "orders", [Column("id", LONG)], "All orders", {}))
    assert case.text == reviewed


JANUARY, JULY = date(2026, 1, 31), date(2026, 7, 31)
EUR = Column("amount_eur", "decimal(18,2)")
PRICE = Column("price", "struct<net: int, gross: int>")


def amount(**others):
    return Column("amount", "int", deprecated=Deprecated(JANUARY, **others))


def orders(*columns, **others):
    return Table("dev", "silver", "orders", columns or [EUR], **others)


def test_a_deprecation_that_can_never_be_meant_is_refused(reviewed):
    today = datetime(2026, 1, 31, tzinfo=timezone.utc)
    case = ReviewedCases(refusal)
    case.unnamed(lambda: Deprecated("2026-01-31"))
    case.unnamed(lambda: Deprecated(today))
    case.unnamed(lambda: Deprecated(JANUARY, sunset="July"))
    case.unnamed(lambda: Deprecated(JANUARY, sunset=JANUARY))
    case.unnamed(lambda: Deprecated(JANUARY, use=None))
    case.unnamed(Deprecated)
    case.unnamed(lambda: Column("amount", "int", deprecated=True))
    case.unnamed(lambda: orders(deprecated=JANUARY))
    assert case.text == reviewed


def test_a_replacement_is_there():
    def of_table(use):
        return orders(deprecated=Deprecated(JANUARY, use=use))

    names = "deprecated: its deprecation names"
    of_column = "columns.{0}.deprecated: the deprecation of column {0} names {1} as its replacement, which is"
    with cases(lambda model: coded_violations_of(model).replace("DS128 ", "")) as case:
        case(orders(amount(), EUR), "")
        case(orders(amount(use="AMOUNT_EUR"), EUR), "")
        case(orders(amount(use="price.net"), PRICE), "")
        case(orders(amount(use="a.b"), Column("a.b", "int")), "")
        text = f"{of_column.format('amount', 'amount_eu')} not a column; did you mean amount_eur?"
        case(orders(amount(use="amount_eu"), EUR), text)
        text = f"{of_column.format('amount', 'price.tax')} not a column; did you mean price?"
        case(orders(amount(use="price.tax"), PRICE), text)
        itself = Column("price", PRICE.data_type, deprecated=Deprecated(JANUARY, use="Price.net"))
        text = f"{of_column.format('price', 'Price.net')} dropped with it; name another column"
        case(orders(itself, EUR), text)
        case(of_table(""), "")
        case(of_table("prod.gold.orders"), "")
        text = f"{names} 'gold.orders' as its replacement, which is not the name of a table; write catalog.schema.table"
        case(of_table("gold.orders"), text)
        case(of_table("DEV.silver.orders"), f"{names} the table itself as its replacement; name another table")


def test_the_desired_state_has_the_deprecations_of_the_table_and_of_its_columns():
    model = orders(EUR, amount(use="amount_eur"), deprecated=Deprecated(JANUARY, sunset=JULY))

    assert desired_state(model).deprecated == {
        TABLE: Deprecated(JANUARY, sunset=JULY),
        ColumnPath("amount"): Deprecated(JANUARY, use="amount_eur"),
    }
    assert desired_state(orders()).deprecated == {}


def test_a_deprecation_is_not_drift():
    deprecated = orders(amount(), EUR, deprecated=Deprecated(JANUARY))

    assert desired_state(deprecated) == desired_state(orders(Column("amount", "int"), EUR))


def test_the_origin_is_the_module_level_line_even_through_a_factory(monkeypatch, tmp_path):
    module: Any = ModuleType("shop.models")
    assert (declarations_of(module), FileVersion.of(str(tmp_path / "gone.py"))) == ({}, None)
    monkeypatch.setitem(sys.modules, "shop.models", module)
    module.Table = Table
    source = "\n\ndef make(name):\n    return Table('dev', 'silver', name, [])\norders = make('a')\nmake('b')\n"

    exec(compile(source, "shop/models.py", "exec"), vars(module))  # noqa: S102 - a module in the making
    module.make("c")

    assert (module.orders.origin.module, str(module.orders.origin)) == ("shop.models", "shop/models.py:5")
    declared = {name.table: origin.line for name, origin in declarations_of(module).items()}
    assert declared == {"a": 5, "b": 6}


def test_the_conversions_that_models_consent_to():
    ways = {"a": "parquet", "b": Parquet("/b"), "c": None}
    models = [table(column(), name=f"dev.silver.{name}", convert_from=way) for name, way in ways.items()]

    assert {name.table: way for name, way in conversions(models).items()} == {"a": Parquet(), "b": Parquet("/b")}


def test_an_empty_frame_has_the_schema_of_its_model():
    session: Any = SimpleNamespace(sql=None, createDataFrame=lambda rows, schema: (rows, schema))
    made: Any = empty_frame(session, table(column("id", "int", is_nullable=False), column("c", "char(3)")))

    schema = StructType().add("id", "integer", nullable=False)
    assert made == ([], schema.add("c", "string", metadata={"__CHAR_VARCHAR_TYPE_STRING": "char(3)"}))
