"""What an author may declare, deprecations included, and what can never be meant."""

from __future__ import annotations

import copy
import inspect
import pickle
import sys
from dataclasses import FrozenInstanceError, replace
from datetime import date, datetime, timezone
from enum import Enum
from typing import Any

import pytest
from pyspark.sql.types import LongType, StringType, StructField, StructType

from pytest_delta_schema import (
    Check,
    Column,
    Deprecated,
    ForeignKey,
    Identity,
    MemoryCatalog,
    Orchestrator,
    Parquet,
    PrimaryKey,
    Table,
    Unique,
)
from pytest_delta_schema.delta.names import TABLE, ColumnPath
from pytest_delta_schema.diagnostics.errors import DeclarationError, WrongArgumentsError
from pytest_delta_schema.rules import PlanValidator
from pytest_delta_schema.state.desired import desired_state
from support.models import column, table

# mypy: disable-error-code="call-arg,dict-item,list-item"
# Wrong values are declared here to see them refused.


def test_a_tables_name_is_lower_cased_and_dotted():
    assert table(column(), name="Dev.Silver.ORDERS").qualified_name == "dev.silver.orders"


def test_the_name_of_a_table_in_sql_is_in_back_quotes():
    model = Table("Dev-EU", "silver", "back`tick", [])

    assert (model.qualified_name, model.sql_name) == ("dev-eu.silver.back`tick", "`dev-eu`.`silver`.`back``tick`")


def test_columns_keep_their_spelling_and_the_list_is_a_copy():
    columns = [Column("Id", LongType())]

    model = Table("dev", "silver", "orders", columns)
    columns.clear()

    assert [column.name for column in model.columns] == ["Id"]


def test_any_iterable_of_columns_is_taken():
    model = Table("dev", "silver", "orders", (Column(name, LongType()) for name in "ab"), primary_key=iter("a"))

    assert [column.name for column in model.columns] == ["a", "b"]
    assert model.primary_key == ("a",)


def test_names_and_comments_are_plain_strings_and_equal_ones_are_one_object():
    class Names(str, Enum):
        KEY = "key"

    first = Column(Names.KEY, LongType(), comment="The_key".replace("_", " "))
    second = Column("KEY".lower(), LongType(), comment="The key")

    assert (type(first.name), first.name, first.comment) == (str, "key", "The key")
    states = [desired_state(table(made)).columns[0] for made in (first, second)]
    assert states[0].name is states[1].name
    assert states[0].comment is states[1].comment


def test_a_comment_of_a_subclass_of_str_is_a_comment():
    class Text(str):
        __slots__ = ()

    made = Table("dev", "silver", "orders", [Column("id", LongType(), comment=Text("The key"))], comment=Text("All"))

    assert (made.comment, made.columns[0].comment, type(made.columns[0].comment)) == ("All", "The key", str)


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        (Column, {"name": "id", "data_type": LongType(), "comment": "The id.", "default": 1}),
        (Identity, {"start": 5, "step": 2, "always": False}),
        (Check, {"name": "positive", "expression": "id > 0"}),
        (PrimaryKey, {"columns": ["id"], "name": "pk", "rely": True}),
        (Unique, {"columns": ["id"], "name": "one"}),
        (ForeignKey, {"columns": ["id"], "references": "dev.silver.parents", "name": "fk"}),
        (Deprecated, {"since": date(2026, 1, 31), "use": "other"}),
    ],
)
def test_declarations_are_values_that_cannot_be_changed(kind, arguments):
    value = kind(**arguments)

    assert value == kind(**arguments) == copy.copy(value) == replace(value)
    for name in arguments:
        with pytest.raises(FrozenInstanceError):
            setattr(value, name, "other")
        with pytest.raises(FrozenInstanceError):
            delattr(value, name)


def test_declarations_without_mappings_have_a_hash_and_can_be_pickled():
    for value in (Identity(5, 2), Check("positive", "id > 0"), PrimaryKey(["id"]), Deprecated(date(2026, 1, 31))):
        assert hash(value) == hash(copy.copy(value))
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - written right here


def test_a_class_below_a_declaration_has_its_constructor():
    class Key(Column):
        pass

    key = Key("id", "bigint", comment="The id.")

    assert (type(key), key.name, key.data_type, key.comment, key.tags) == (Key, "id", LongType(), "The id.", {})


def test_members_of_an_enum_name_tables_and_the_columns_of_keys():
    class Names(str, Enum):
        TABLE = "orders"
        KEY = "key"

    model = Table("dev", "silver", Names.TABLE, [Column(Names.KEY, LongType())], primary_key=[Names.KEY])

    assert (model.name, model.primary_key) == (("dev", "silver", "orders"), ("key",))


def test_a_missing_comment_is_empty():
    assert (Column("id", LongType(), comment=None).comment, table(column(), comment=None).comment) == ("", "")


def test_defaults_of_a_table():
    model = table(column())

    assert (model.comment, model.table_properties, model.primary_key) == ("", {}, ())


@pytest.mark.parametrize(
    "key", ["comment", "CURRENT_DEFAULT", "delta.generationExpression", "__CHAR_VARCHAR_TYPE_STRING", "other"]
)
def test_metadata_of_a_field_that_is_null_declares_nothing(key):
    made = Table.from_struct_type(
        "dev", "silver", "orders", StructType([StructField("a", StringType(), True, {key: None})])
    )

    assert made.columns == (Column("a", StringType()),)


def test_the_origin_is_the_module_level_line_even_through_a_factory():
    namespace: dict[str, Any] = {"__name__": "shop.models"}
    source = "\n\ndef make():\n    return Table('dev', 'silver', 'orders', [])\norders = make()\n"
    namespace["Table"] = Table

    exec(compile(source, "shop/models.py", "exec"), namespace)  # noqa: S102 - a module in the making

    origin = namespace["orders"].origin
    assert (origin.module, str(origin)) == ("shop.models", "shop/models.py:5")


def test_the_origin_of_a_table_that_a_test_makes_is_in_that_test():
    line = sys._getframe().f_lineno + 1
    models = [Table("dev", "silver", "a", []), Table.from_struct_type("dev", "silver", "b", StructType())]

    assert [str(model.origin) for model in models] == [f"{__file__}:{line}"] * 2


LONG = LongType()
TABLE_ARGUMENTS = (
    "catalog_name, schema_name, table_name, columns, comment, table_properties, primary_key, checks, foreign_keys,"
    " partitioned_by, clustered_by, column_order, owns, evolution, convert_from, tags, unique, clients, read_only,"
    " deprecated"
)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Column("", LONG), "the name of a column is empty; give it a name"),
        pytest.param(lambda: Column("  ", LONG), "the name of a column is empty; give it a name", id="blank"),
        (lambda: Column(7, LONG), "the name of a column must be a string, got 7; write it in quotes"),
        (
            lambda: table(column(), owns="columns"),
            "dev.silver.orders: owns is 'columns'; write a list of aspects, or a mode by aspect: {'comments': 'report'}",
        ),
        (
            lambda: table(column(), owns=["columns", "owner"]),
            (
                "dev.silver.orders: owns names the unknown aspect 'owner'; aspects are columns, types, defaults,"
                " primary_keys, unique, foreign_keys, checks, comments, properties, layout, tags"
            ),
        ),
        (
            lambda: table(column(), owns={"values": "ignore", "constraints": "manage"}),
            (
                "dev.silver.orders: owns names the unknown aspects 'values', 'constraints'; aspects are columns, types,"
                " defaults, primary_keys, unique, foreign_keys, checks, comments, properties, layout, tags"
            ),
        ),
        (
            lambda: table(column(), owns={"comments": "mine"}),
            "dev.silver.orders: owns has comments = 'mine'; write one of manage, report, ignore",
        ),
        (
            lambda: table(column(), column_order="strict"),
            "dev.silver.orders: column_order is 'strict'; write one of manage, report, ignore",
        ),
        (
            lambda: table(column(), partitioned_by="id"),
            "dev.silver.orders: partitioned_by must be a list of names, got the bare string 'id'; write ['id']",
        ),
        (
            lambda: Column("id", LONG, default=[1]),
            "column id: default is [1]; write a number, a boolean or the text of an expression",
        ),
        (
            lambda: Column("id", LONG, tags=["pii"]),
            "column id: tags must be a mapping, got ['pii']; write {'key': 'value'}, or {'key': ''}",
        ),
        (
            lambda: table(column(), tags={"level": 1, "team": "x", "on": True}),
            (
                "dev.silver.orders: tag level has the value 1, on has the value True; write a text, '' for a tag without"
                " a value, or None for its absence"
            ),
        ),
        (lambda: table(column(), tags={"": "x"}), "dev.silver.orders: a key of tags is empty; give it a name"),
        (lambda: Column("id", LONG, comment=7), "column id: comment must be a string, got 7; write it in quotes"),
        (
            lambda: table(column(), comment=b"All orders"),
            "dev.silver.orders: comment must be a string, got b'All orders'; write it in quotes",
        ),
        (lambda: Column("id", LONG, default=" "), "column id: default is empty; write an expression"),
        (
            lambda: Column("id", LONG, generated_as=7),
            "column id: generated_as must be a string, got 7; write it in quotes",
        ),
        (
            lambda: Column("id", LONG, identity=1),
            "column id: identity is 1; write Identity(start, step), or True",
        ),
        (
            lambda: Column("id", LongType),
            "column id: data_type is the class LongType, not a type; write LongType()",
        ),
        (
            lambda: Column("id", "bigin"),
            "column id: data_type 'bigin' is not a Spark type: there is no type bigin; did you mean bigint?",
        ),
        (
            lambda: Column("id", int),
            (
                "column id: data_type is <class 'int'>, which is not a Spark type; use one of pyspark.sql.types,"
                " such as LongType()"
            ),
        ),
        (lambda: Table("dev", "", "orders", []), "schema_name of a table is empty; give it a name"),
        (lambda: Table(None, "s", "t", []), "catalog_name of a table must be a string, got None; write it in quotes"),
        (
            lambda: Table("dev", "silver", "orders", "id"),
            "dev.silver.orders: columns must be a list of Column, got 'id'; write [Column(...), ...]",
        ),
        (
            lambda: Table("dev", "silver", "orders", 7),
            "dev.silver.orders: columns must be a list of Column, got 7; write [Column(...), ...]",
        ),
        (
            lambda: Table("dev", "silver", "orders", [Column("id", LONG), "a", ("b", LONG)]),
            (
                "dev.silver.orders: columns[1] is 'a', columns[2] is ('b', LongType()), not a Column;"
                " write Column(name, data_type)"
            ),
        ),
        (
            lambda: Table("dev", "silver", "orders", [], checks=Check("a", "b > 0")),
            "dev.silver.orders: checks must be a list of Check, got Check(name='a', expression='b > 0'); write [Check(...), ...]",
        ),
        (
            lambda: Table("dev", "silver", "orders", [], checks=["b > 0"]),
            "dev.silver.orders: checks[0] is 'b > 0', not a Check; write Check(name, expression)",
        ),
        (lambda: Check("", "a > 0"), "the name of a check is empty; give it a name"),
        (lambda: Check("a", " "), "check a: expression is ' '; write a SQL condition, such as 'amount >= 0'"),
        (lambda: Check("a", None), "check a: expression is None; write a SQL condition, such as 'amount >= 0'"),
        (
            lambda: Table("dev", "silver", "orders", [], foreign_keys=ForeignKey(["a"], "dev.silver.b", name="fk")),
            (
                "dev.silver.orders: foreign_keys must be a list of ForeignKey, got ForeignKey(columns=('a',),"
                " references='dev.silver.b', parent_columns=(), name='fk', rely=False); write [ForeignKey(...), ...]"
            ),
        ),
        (
            lambda: Table("dev", "silver", "orders", [], foreign_keys=["a"]),
            "dev.silver.orders: foreign_keys[0] is 'a', not a ForeignKey; write ForeignKey(columns, references)",
        ),
        (
            lambda: ForeignKey("a", "dev.silver.b"),
            "columns of a foreign key must be a list of names, got the bare string 'a'; write ['a']",
        ),
        (lambda: ForeignKey([], "dev.silver.b"), "a foreign key has no columns; name at least one"),
        (
            lambda: ForeignKey(["a"], "silver.b"),
            "'silver.b' does not name a table; write catalog.schema.table, or give the Table itself",
        ),
        (
            lambda: ForeignKey(["a"], "dev..b"),
            "'dev..b' does not name a table; write catalog.schema.table, or give the Table itself",
        ),
        (
            lambda: ForeignKey(["a", "b"], None),
            "foreign key (a, b): references is None; give a Table or its dotted name",
        ),
        (
            lambda: ForeignKey(["a"], "dev.silver.b", parent_columns="id"),
            "parent_columns of a foreign key must be a list of names, got the bare string 'id'; write ['id']",
        ),
        (lambda: ForeignKey(["a"], "dev.silver.b", name=" "), "the name of a foreign key is empty; give it a name"),
        (
            lambda: Table("dev", "silver", "orders", [], primary_key="id"),
            "dev.silver.orders: primary_key must be a list of names, got the bare string 'id'; write ['id']",
        ),
        (
            lambda: Table("dev", "silver", "orders", [], primary_key=7),
            "dev.silver.orders: primary_key must be a list of names, got 7; write a list of strings",
        ),
        (
            lambda: Table("dev", "silver", "orders", [], primary_key=["id", ""]),
            "dev.silver.orders: primary_key[1] is empty; give it a name",
        ),
        (
            lambda: Table("dev", "silver", "orders", [], table_properties=[("a", "b")]),
            "dev.silver.orders: table_properties must be a mapping, got [('a', 'b')]; write {'key': 'value'}",
        ),
        (
            lambda: Table("dev", "silver", "orders", [], table_properties={"a": ["b"]}),
            "dev.silver.orders: property a has the value ['b']; write a string, a number, a boolean or None",
        ),
        (
            lambda: Table("dev", "silver", "orders", [], table_properties={"": "b"}),
            "dev.silver.orders: a key of table_properties is empty; give it a name",
        ),
    ],
)
def test_what_can_never_be_meant_is_refused_at_construction(build, message):
    with pytest.raises(DeclarationError) as caught:
        build()

    assert str(caught.value) == message


def test_a_single_column_in_place_of_a_list_is_refused():
    with pytest.raises(DeclarationError, match=r"dev\.silver\.orders: columns must be a list of Column, got Column\("):
        Table("dev", "silver", "orders", Column("id", StringType()))


@pytest.mark.parametrize(
    ("key", "parent", "columns"),
    [
        (ForeignKey(["a"], "Dev.Silver.Parents"), "dev.silver.parents", ()),
        (ForeignKey(["a"], "dev.silver.parents", parent_columns=["Id"]), "dev.silver.parents", ("Id",)),
        (ForeignKey(["a"], table(column(), primary_key=["id"])), "dev.silver.orders", ("id",)),
        (ForeignKey(["a"], table(column(), primary_key=["id"]), ["b"]), "dev.silver.orders", ("b",)),
    ],
)
def test_a_foreign_key_knows_its_parent_by_name_or_as_a_table(key, parent, columns):
    assert (str(key.parent), key.parent_key) == (parent, columns)


def test_tables_that_point_at_each_other_can_be_shown():
    left = table(column(), name="dev.silver.left", primary_key=["id"])
    right = table(column(), name="dev.silver.right", primary_key=["id"], foreign_keys=[ForeignKey(["id"], left)])
    left = replace(left, foreign_keys=[ForeignKey(["id"], right)])

    assert "table_name='right'" in repr(left)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: Column("id", LONG, nullable=False),
            "Column has no argument nullable; write is_nullable instead of nullable",
        ),
        (
            lambda: Column(name="id", type=LONG, not_null=True),
            (
                "Column has no argument type, not_null; write data_type instead of type,"
                " is_nullable=False instead of not_null"
            ),
        ),
        (
            lambda: Column("id", LONG, primary_key=True),
            "Column has no argument primary_key; write primary_key of the Table instead of primary_key",
        ),
        (lambda: Column("id", LONG, coment="x"), "Column has no argument coment; write comment instead of coment"),
        (
            lambda: Column("id", LONG, NULLABLE=True, colour="red"),
            (
                "Column has no argument NULLABLE, colour; write is_nullable instead of NULLABLE; its arguments are name,"
                " data_type, is_nullable, comment, default, generated_as, identity, renamed_from, tags, deprecated"
            ),
        ),
        (
            lambda: Table(name="dev.silver.orders", columns=[]),
            "Table has no argument name; write catalog_name, schema_name and table_name instead of name",
        ),
        (
            lambda: table(column(), partition_by=["id"], properties={}),
            (
                "Table has no argument partition_by, properties; write partitioned_by instead of partition_by,"
                " table_properties instead of properties"
            ),
        ),
        (
            lambda: table(column(), engines=["trino>=470"]),
            "Table has no argument engines; write clients instead of engines",
        ),
        (
            lambda: Table.from_struct_type("dev", "silver", "orders", StructType(), primary_keys=["id"]),
            "Table has no argument primary_keys; write primary_key instead of primary_keys",
        ),
        (
            lambda: table(column(), is_bound=True),
            "Table has no argument is_bound; its arguments are " + TABLE_ARGUMENTS,
        ),
        (lambda: Check("a", sqltext="b > 0"), "Check has no argument sqltext; write expression instead of sqltext"),
        (
            lambda: ForeignKey(["a"], parent="dev.silver.b"),
            "ForeignKey has no argument parent; write references instead of parent",
        ),
        (lambda: Identity(increment=2), "Identity has no argument increment; write step instead of increment"),
        (lambda: Parquet(folder="x"), "Parquet has no argument folder; write path instead of folder"),
        (lambda: Unique(colums=["a"]), "Unique has no argument colums; write columns instead of colums"),
    ],
)
def test_an_argument_that_does_not_exist_is_refused_with_the_right_one(build, message):
    with pytest.raises(WrongArgumentsError) as caught:
        build()

    assert str(caught.value) == message
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, DeclarationError)


ONE_LINE = [Column("id", LONG)]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: Table("dev.silver.orders", ONE_LINE),
            (
                "Table was given the name 'dev.silver.orders', whose three parts are three arguments;"
                ' write Table("dev", "silver", "orders", [...])'
            ),
        ),
        (
            lambda: Table("dev.silver", "orders", columns=ONE_LINE),
            (
                "Table was given the name 'dev.silver.orders', whose three parts are three arguments;"
                ' write Table("dev", "silver", "orders", [...])'
            ),
        ),
        (
            lambda: Table("silver", "orders", ONE_LINE),
            (
                "Table was given the name 'silver.orders', and a name has three parts: catalog, schema and table;"
                ' write Table("catalog", "silver", "orders", [...])'
            ),
        ),
        (
            lambda: Table("orders", columns=ONE_LINE, comment="All orders"),
            (
                "Table was given the name 'orders', and a name has three parts: catalog, schema and table;"
                ' write Table("catalog", "schema", "orders", [...])'
            ),
        ),
        (
            lambda: Table("lake.dev.silver.orders", ONE_LINE),
            (
                "Table was given the name 'lake.dev.silver.orders', and a name has three parts: catalog, schema and"
                ' table; write Table("dev", "silver", "orders", [...])'
            ),
        ),
        (
            lambda: Table("silver", "orders", ONE_LINE, "All orders"),
            (
                "Table was given the name 'silver.orders', and a name has three parts: catalog, schema and table;"
                ' write Table("catalog", "silver", "orders", [...])'
            ),
        ),
        (
            lambda: Table(ONE_LINE),
            (
                "Table was given no name, and a name has three parts: catalog, schema and table;"
                ' write Table("catalog", "schema", "table", [...])'
            ),
        ),
        (
            lambda: Table("dev", "silver", "orders"),
            'Table dev.silver.orders lacks columns; write Table("dev", "silver", "orders", [Column("id", LongType()), ...])',
        ),
        (
            lambda: Column("id"),
            "Column('id') lacks data_type; write Column(name, data_type), such as Column(\"id\", LongType())",
        ),
        (
            Column,
            'Column() lacks name, data_type; write Column(name, data_type), such as Column("id", LongType())',
        ),
        (
            lambda: Check("amount > 0"),
            (
                "Check('amount > 0') lacks expression; write Check(name, expression),"
                ' such as Check("positive_amount", "amount > 0")'
            ),
        ),
        (
            lambda: ForeignKey(["customer_id"]),
            (
                "ForeignKey(['customer_id']) lacks references; write ForeignKey(columns, references),"
                ' such as ForeignKey(["customer_id"], "dev.silver.customers")'
            ),
        ),
        (PrimaryKey, 'PrimaryKey() lacks columns; write PrimaryKey(columns), such as PrimaryKey(["id"])'),
        (Unique, 'Unique() lacks columns; write Unique(columns), such as Unique(["email"])'),
        (
            lambda: Check("a", "b > 0", "c > 0", 7),
            "Check takes at most 2 arguments, and was given 'c > 0', 7 as well; its arguments are name, expression",
        ),
        (
            lambda: Column("id", LONG, False, "The id."),
            (
                "Column takes name, data_type, is_nullable by position, and was given 'The id.' as well;"
                " write it by name: comment=, default=, generated_as=, identity=, renamed_from=, tags=, deprecated="
            ),
        ),
        (
            lambda: Table("dev", "silver", "orders", [Column("id", LONG)], "All orders", {}),
            (
                "Table takes catalog_name, schema_name, table_name, columns by position, and was given 'All orders', {} as"
                " well; write them by name: comment=, table_properties=, primary_key=, checks=, foreign_keys=,"
                " partitioned_by=, clustered_by=, column_order=, owns=, evolution=, convert_from=, tags=, unique=, clients=, read_only=,"
                " deprecated="
            ),
        ),
    ],
)
def test_too_few_or_too_many_arguments_are_refused_with_the_line_to_write(build, message):
    with pytest.raises(DeclarationError) as caught:
        build()

    assert str(caught.value) == message


def test_columns_that_are_no_list_are_told_before_what_follows_them():
    with pytest.raises(DeclarationError, match=r"dev\.silver\.orders: columns must be a list of Column, got Column\("):
        Table("dev", "silver", "orders", Column("id", LONG), Column("amount", LONG))


def test_the_signature_of_a_declaration_is_that_of_its_fields():
    assert ", ".join(inspect.signature(Table).parameters) == TABLE_ARGUMENTS


JANUARY, JULY = date(2026, 1, 31), date(2026, 7, 31)
EUR = Column("amount_eur", "decimal(18,2)")
PRICE = Column("price", "struct<net: int, gross: int>")


def amount(**others):
    return Column("amount", "int", deprecated=Deprecated(JANUARY, **others))


def orders(*columns, **others):
    return Table("dev", "silver", "orders", columns or [EUR], **others)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: Deprecated("2026-01-31"),
            "since of Deprecated is '2026-01-31', which is not a datetime.date; write date(2026, 1, 31)",
        ),
        (
            lambda: Deprecated(datetime(2026, 1, 31, tzinfo=timezone.utc)),
            (
                "since of Deprecated is datetime.datetime(2026, 1, 31, 0, 0, tzinfo=datetime.timezone.utc), which is not a"
                " datetime.date; write date(2026, 1, 31)"
            ),
        ),
        (
            lambda: Deprecated(JANUARY, sunset="July"),
            "sunset of Deprecated is 'July', which is not a datetime.date; write date(2026, 1, 31)",
        ),
        (
            lambda: Deprecated(JANUARY, sunset=JANUARY),
            "sunset of Deprecated is 2026-01-31, which is not after since, 2026-01-31; write a later day",
        ),
        (
            lambda: Deprecated(JANUARY, use=None),
            "use of Deprecated must be a string, got None; write the name of what replaces it in quotes",
        ),
        (Deprecated, "Deprecated() lacks since; write Deprecated(since), such as Deprecated(date(2026, 1, 31))"),
        (
            lambda: Deprecated(JANUARY, replacement="amount_eur"),
            "Deprecated has no argument replacement; write use instead of replacement",
        ),
        (
            lambda: Column("amount", "int", deprecated=True),
            "column amount: deprecated is True; write Deprecated(date(2026, 1, 31))",
        ),
        (
            lambda: orders(deprecated=JANUARY),
            "dev.silver.orders: deprecated is datetime.date(2026, 1, 31); write Deprecated(date(2026, 1, 31))",
        ),
    ],
)  # fmt: skip
def test_what_can_never_be_meant_is_refused(build, message):
    with pytest.raises(DeclarationError) as caught:
        build()

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        pytest.param(orders(amount(), EUR), [], id="nothing replaces it"),
        pytest.param(orders(amount(use="AMOUNT_EUR"), EUR), [], id="a column in another case"),
        pytest.param(orders(amount(use="price.net"), PRICE), [], id="a field"),
        pytest.param(orders(amount(use="a.b"), Column("a.b", "int")), [], id="a column with a dot in its name"),
        pytest.param(
            orders(amount(use="amount_eu"), EUR),
            [
                (
                    "columns.amount.deprecated: the deprecation of column amount names amount_eu as its replacement, which is"
                    " not a column; did you mean amount_eur?"
                ),
            ],
            id="no column",
        ),
        pytest.param(
            orders(amount(use="price.tax"), PRICE),
            [
                (
                    "columns.amount.deprecated: the deprecation of column amount names price.tax as its replacement, which is"
                    " not a column; did you mean price?"
                ),
            ],
            id="no field",
        ),
        pytest.param(
            orders(Column("price", PRICE.data_type, deprecated=Deprecated(JANUARY, use="Price.net")), EUR),
            [
                (
                    "columns.price.deprecated: the deprecation of column price names Price.net as its replacement, which is"
                    " dropped with it; name another column"
                ),
            ],
            id="a part of itself",
        ),
        pytest.param(orders(deprecated=Deprecated(JANUARY)), [], id="nothing replaces the table"),
        pytest.param(orders(deprecated=Deprecated(JANUARY, use="prod.gold.orders")), [], id="another table"),
        pytest.param(
            orders(deprecated=Deprecated(JANUARY, use="gold.orders")),
            [
                (
                    "deprecated: its deprecation names 'gold.orders' as its replacement, which is not the name of a table;"
                    " write catalog.schema.table"
                ),
            ],
            id="no name of a table",
        ),
        pytest.param(
            orders(deprecated=Deprecated(JANUARY, use="DEV.silver.orders")),
            ["deprecated: its deprecation names the table itself as its replacement; name another table"],
            id="the table itself",
        ),
    ],
)
def test_a_replacement_is_there(model, expected):
    violations = PlanValidator().model_violations([model])

    assert [f"{item.path}: {item.message}; {item.remedy}" for item in violations] == expected
    assert {item.code for item in violations} <= {"DS128"}


def test_the_desired_state_has_the_deprecations_of_the_table_and_of_its_columns():
    model = orders(EUR, amount(use="amount_eur"), deprecated=Deprecated(JANUARY, sunset=JULY))

    assert desired_state(model).deprecated == {
        TABLE: Deprecated(JANUARY, sunset=JULY),
        ColumnPath("amount"): Deprecated(JANUARY, use="amount_eur"),
    }
    assert desired_state(orders()).deprecated == {}


def test_a_deprecation_is_not_drift():
    model = orders(amount(), EUR, deprecated=Deprecated(JANUARY))
    plain = orders(Column("amount", "int"), EUR)
    engine = Orchestrator.over(MemoryCatalog())
    engine.sync_tables([plain])

    assert engine.plan_tables([model]).is_empty
    assert desired_state(model) == desired_state(plain)
