"""What an author may declare, deprecations included, and what can never be meant."""

from __future__ import annotations

import copy
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
    Parquet,
    PrimaryKey,
    Table,
    Unique,
)
from pytest_delta_schema.delta.names import TABLE, ColumnPath
from pytest_delta_schema.diagnostics.errors import DeclarationError, WrongArgumentsError
from pytest_delta_schema.exchange import to_ddl
from pytest_delta_schema.state.desired import desired_state
from support.case_tables import cases, refusal
from support.models import column, table
from support.violations import coded_violations_of

# mypy: disable-error-code="call-arg,dict-item,list-item"
# Wrong values are declared here to see them refused.


def test_the_name_of_a_table_in_sql_is_in_back_quotes():
    model = Table("Dev-EU", "silver", "back`tick", [])

    assert (model.qualified_name, model.sql_name) == ("dev-eu.silver.back`tick", "`dev-eu`.`silver`.`back``tick`")


def test_any_iterable_of_columns_is_taken():
    model = Table("dev", "silver", "orders", (Column(name, LongType()) for name in "ab"), primary_key=iter("a"))

    assert [column.name for column in model.columns] == ["a", "b"]
    assert model.primary_key == ("a",)


def test_names_and_comments_are_plain_strings_and_equal_ones_are_one_object():
    class Names(str, Enum):
        TABLE = "orders"
        KEY = "key"

    first = Column(Names.KEY, LongType(), comment=Names.KEY)
    second = Column("KEY".lower(), LongType(), comment="KEY".lower())
    model = Table("dev", "silver", Names.TABLE, [first], comment=Names.KEY, primary_key=[Names.KEY])

    assert (model.name, model.primary_key, model.comment) == (("dev", "silver", "orders"), ("key",), "key")
    assert (first.name, first.comment) == ("key", "key")
    assert {type(text) for text in (first.name, first.comment, model.comment)} == {str}
    states = [desired_state(table(made)).columns[0] for made in (first, second)]
    assert states[0].name is states[1].name
    assert states[0].comment is states[1].comment


def test_members_of_enums_of_strings_are_texts_wherever_a_text_can_stand():
    class Word(str, Enum):
        KEY = "key"

    def declared(word: str) -> Table:
        column = Column(word, "string", comment=word, tags={word: word}, renamed_from=word)
        others = [Column("d", "string", default=word), Column("g", "string", generated_as=word)]
        return Table(
            *(word, word, word),
            [column, *others],
            comment=word,
            table_properties={word: word},
            tags={word: word},
            primary_key=PrimaryKey([word], name=word),
            unique=[Unique([word], name=word)],
            checks=[Check(word, word)],
            foreign_keys=[ForeignKey([word], "a.b.c", parent_columns=[word], name=word)],
            partitioned_by=[word],
        )

    assert repr(declared(Word.KEY)) == repr(declared("key"))
    assert to_ddl([declared(Word.KEY)]) == to_ddl([declared("key")])


def test_declarations_are_values_that_cannot_be_changed():
    kinds: dict[Any, dict[str, Any]] = {
        Column: {"name": "id", "data_type": LongType(), "comment": "The id.", "default": 1},
        Identity: {"start": 5, "step": 2, "always": False},
        Check: {"name": "positive", "expression": "id > 0"},
        PrimaryKey: {"columns": ["id"], "name": "pk", "rely": True},
        Unique: {"columns": ["id"], "name": "one"},
        ForeignKey: {"columns": ["id"], "references": "dev.silver.parents", "name": "fk"},
        Deprecated: {"since": date(2026, 1, 31), "use": "other"},
    }
    for kind, arguments in kinds.items():
        value = kind(**arguments)

        assert value == kind(**arguments) == copy.copy(value) == replace(value)
        for name in arguments:
            with pytest.raises(FrozenInstanceError):
                setattr(value, name, "other")
            with pytest.raises(FrozenInstanceError):
                delattr(value, name)
        if kind is not Column:
            assert hash(value) == hash(copy.copy(value))
            assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - written right here


def test_a_class_below_a_declaration_has_its_constructor():
    class Key(Column):
        pass

    key = Key("id", "bigint", comment="The id.")

    assert (type(key), key.name, key.data_type, key.comment, key.tags) == (Key, "id", LongType(), "The id.", {})


def test_a_missing_comment_is_empty():
    assert (Column("id", LongType(), comment=None).comment, table(column(), comment=None).comment) == ("", "")


def test_metadata_of_a_field_that_is_null_declares_nothing():
    keys = ("comment", "CURRENT_DEFAULT", "delta.generationExpression", "__CHAR_VARCHAR_TYPE_STRING", "other")
    fields = [StructField(f"c{at}", StringType(), True, {key: None}) for at, key in enumerate(keys)]

    made = Table.from_struct_type("dev", "silver", "orders", StructType(fields))

    assert made.columns == tuple(Column(field.name, StringType()) for field in fields)


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


def test_what_a_column_can_never_have_is_refused():
    with cases(lambda options: refusal(lambda: Column(**{"name": "id", "data_type": LONG, **options}))) as case:
        case({"name": ""}, "the name of a column is empty; give it a name")
        case({"name": "  "}, "the name of a column is empty; give it a name")
        case({"name": 7}, "the name of a column must be a string, got 7; write it in quotes")
        case({"comment": 7}, "column id: comment must be a string, got 7; write it in quotes")
        case({"default": " "}, "column id: default is empty; write an expression")
        case({"default": [1]}, "column id: default is [1]; write a number, a boolean or the text of an expression")
        case({"generated_as": 7}, "column id: generated_as must be a string, got 7; write it in quotes")
        case({"identity": 1}, "column id: identity is 1; write Identity(start, step), or True")
        case(
            {"tags": ["pii"]}, "column id: tags must be a mapping, got ['pii']; write {'key': 'value'}, or {'key': ''}"
        )
        case({"data_type": LongType}, "column id: data_type is the class LongType, not a type; write LongType()")
        case(
            {"data_type": "bigin"},
            "column id: data_type 'bigin' is not a Spark type: there is no type bigin; did you mean bigint?",
        )
        case(
            {"data_type": int},
            "column id: data_type is <class 'int'>, which is not a Spark type; use one of pyspark.sql.types, such as LongType()",
        )


ASPECTS = "aspects are columns, types, defaults, primary_keys, unique, foreign_keys, checks, comments, properties, layout, tags"


def test_what_a_table_can_never_have_is_refused():
    def refused(options):
        prefix, _, rest = refusal(lambda: table(*options.pop("columns", [column()]), **options)).partition(": ")
        assert prefix == "dev.silver.orders"
        return rest

    check, key = Check("a", "b > 0"), ForeignKey(["a"], "dev.silver.b", name="fk")
    with cases(refused) as case:
        case(
            {"owns": "columns"},
            "owns is 'columns'; write a list of aspects, or a mode by aspect: {'comments': 'report'}",
        )
        case({"owns": ["columns", "owner"]}, f"owns names the unknown aspect 'owner'; {ASPECTS}")
        case({"owns": {"x": "ignore", "y": "manage"}}, f"owns names the unknown aspects 'x', 'y'; {ASPECTS}")
        case({"owns": {"comments": "mine"}}, "owns has comments = 'mine'; write one of manage, report, ignore")
        case({"column_order": "strict"}, "column_order is 'strict'; write one of manage, report, ignore")
        case({"partitioned_by": "id"}, "partitioned_by must be a list of names, got the bare string 'id'; write ['id']")
        case(
            {"tags": {"level": 1, "team": "x", "on": True}},
            "tag level has the value 1, on has the value True; write a text, '' for a tag without a value, or None for its"
            " absence",
        )
        case({"tags": {"": "x"}}, "a key of tags is empty; give it a name")
        case({"comment": b"All"}, "comment must be a string, got b'All'; write it in quotes")
        case(
            {"columns": ["a", column(), 5]},
            "columns[0] is 'a', columns[2] is 5, not a Column; write Column(name, data_type)",
        )
        case({"checks": check}, f"checks must be a list of Check, got {check!r}; write [Check(...), ...]")
        case({"checks": ["b > 0"]}, "checks[0] is 'b > 0', not a Check; write Check(name, expression)")
        case(
            {"foreign_keys": key},
            f"foreign_keys must be a list of ForeignKey, got {key!r}; write [ForeignKey(...), ...]",
        )
        case({"foreign_keys": ["a"]}, "foreign_keys[0] is 'a', not a ForeignKey; write ForeignKey(columns, references)")
        case({"primary_key": "id"}, "primary_key must be a list of names, got the bare string 'id'; write ['id']")
        case({"primary_key": 7}, "primary_key must be a list of names, got 7; write a list of strings")
        case({"primary_key": ["id", ""]}, "primary_key[1] is empty; give it a name")
        case(
            {"table_properties": [("a", "b")]},
            "table_properties must be a mapping, got [('a', 'b')]; write {'key': 'value'}",
        )
        case(
            {"table_properties": {"a": ["b"]}},
            "property a has the value ['b']; write a string, a number, a boolean or None",
        )
        case({"table_properties": {"": "b"}}, "a key of table_properties is empty; give it a name")


def test_names_of_tables_checks_and_keys_that_can_never_be_meant_are_refused():
    with cases(refusal) as case:
        case(lambda: Table("dev", "", "t", []), "schema_name of a table is empty; give it a name")
        case(
            lambda: Table(None, "s", "t", []),
            "catalog_name of a table must be a string, got None; write it in quotes",
        )
        for columns in ("id", 7):
            case(
                lambda columns=columns: Table("dev", "silver", "orders", columns),
                f"dev.silver.orders: columns must be a list of Column, got {columns!r}; write [Column(...), ...]",
            )
        case(lambda: Check("", "a > 0"), "the name of a check is empty; give it a name")
        for text in (" ", None):
            case(
                lambda text=text: Check("a", text),
                f"check a: expression is {text!r}; write a SQL condition, such as 'amount >= 0'",
            )
        case(
            lambda: ForeignKey("a", "dev.silver.b"),
            "columns of a foreign key must be a list of names, got the bare string 'a'; write ['a']",
        )
        case(lambda: ForeignKey([], "dev.silver.b"), "a foreign key has no columns; name at least one")
        for name in ("silver.b", "dev..b"):
            case(
                lambda name=name: ForeignKey(["a"], name),
                f"'{name}' does not name a table; write catalog.schema.table, or give the Table itself",
            )
        case(
            lambda: ForeignKey(["a", "b"], None),
            "foreign key (a, b): references is None; give a Table or its dotted name",
        )
        case(
            lambda: ForeignKey(["a"], "dev.silver.b", parent_columns="id"),
            "parent_columns of a foreign key must be a list of names, got the bare string 'id'; write ['id']",
        )
        case(lambda: ForeignKey(["a"], "dev.silver.b", name=" "), "the name of a foreign key is empty; give it a name")
        case(lambda: PrimaryKey([]), "a primary key has no columns; name at least one")
        case(lambda: Unique([]), "a unique constraint has no columns; name at least one")
        case(
            lambda: Unique("mail"),
            "columns of a unique constraint must be a list of names, got the bare string 'mail'; write ['mail']",
        )
        case(lambda: Unique(["mail"], name=" "), "the name of a unique constraint is empty; give it a name")
        case(
            lambda: table(column(), unique=["id"]),
            "dev.silver.orders: unique[0] is 'id', not a Unique; write Unique(columns)",
        )


def test_a_foreign_key_knows_its_parent_by_name_or_as_a_table():
    parent = table(column(), primary_key=["id"])
    keys = {
        ForeignKey(["a"], "Dev.Silver.Parents"): ("dev.silver.parents", ()),
        ForeignKey(["a"], "dev.silver.parents", parent_columns=["Id"]): ("dev.silver.parents", ("Id",)),
        ForeignKey(["a"], parent): ("dev.silver.orders", ("id",)),
        ForeignKey(["a"], parent, ["b"]): ("dev.silver.orders", ("b",)),
    }

    assert {key: (str(key.parent), key.parent_key) for key in keys} == keys


def test_tables_that_point_at_each_other_can_be_shown():
    left = table(column(), name="dev.silver.left", primary_key=["id"])
    right = table(column(), name="dev.silver.right", primary_key=["id"], foreign_keys=[ForeignKey(["id"], left)])
    left = replace(left, foreign_keys=[ForeignKey(["id"], right)])

    assert "table_name='right'" in repr(left)


def test_an_argument_that_does_not_exist_is_refused_with_the_right_one():
    def refused(kind, arguments):
        usual = {Column: ("id", LONG), Check: ("a",), ForeignKey: (["a"],)}.get(kind, ())
        text = refusal(lambda: kind(*usual, **arguments), error=WrongArgumentsError)
        return text.removeprefix(f"{getattr(kind, '__name__', 'Table')} has no argument ")

    def of_struct(**options):
        return Table.from_struct_type("dev", "silver", "orders", StructType(), **options)

    of_column = "name, data_type, is_nullable, comment, default, generated_as, identity, renamed_from, tags, deprecated"
    with cases(refused) as case:
        case(Column, {"nullable": False}, "nullable; write is_nullable instead of nullable")
        kept = "type, not_null; write data_type instead of type, is_nullable=False instead of not_null"
        case(Column, {"type": LONG, "not_null": True}, kept)
        case(Column, {"primary_key": True}, "primary_key; write primary_key of the Table instead of primary_key")
        case(Column, {"coment": "x"}, "coment; write comment instead of coment")
        unknown = f"NULLABLE, colour; write is_nullable instead of NULLABLE; its arguments are {of_column}"
        case(Column, {"NULLABLE": True, "colour": "red"}, unknown)
        name = "name; write catalog_name, schema_name and table_name instead of name"
        case(Table, {"name": "dev.silver.orders", "columns": []}, name)
        both = "partition_by, properties; write partitioned_by instead of partition_by, table_properties instead of properties"
        case(Table, {"partition_by": ["id"], "properties": {}}, both)
        case(Table, {"engines": ["trino>=470"]}, "engines; write clients instead of engines")
        case(Table, {"is_bound": True}, f"is_bound; its arguments are {TABLE_ARGUMENTS}")
        case(Check, {"sqltext": "b > 0"}, "sqltext; write expression instead of sqltext")
        case(ForeignKey, {"parent": "dev.silver.b"}, "parent; write references instead of parent")
        case(Identity, {"increment": 2}, "increment; write step instead of increment")
        case(Parquet, {"folder": "x"}, "folder; write path instead of folder")
        case(Unique, {"colums": ["a"]}, "colums; write columns instead of colums")
        case(Deprecated, {"since": JANUARY, "replacement": "x"}, "replacement; write use instead of replacement")
    text = refusal(lambda: of_struct(primary_keys=["id"]), error=WrongArgumentsError)
    assert text == "Table has no argument primary_keys; write primary_key instead of primary_keys"


ONE_LINE = [Column("id", LONG)]


def test_too_few_or_too_many_arguments_are_refused_with_the_line_to_write():
    whole = (
        "Table was given the name 'dev.silver.orders', whose three parts are three arguments;"
        ' write Table("dev", "silver", "orders", [...])'
    )
    parts, writes = (
        "and a name has three parts: catalog, schema and table; write",
        'Table("catalog", "silver", "orders", [...])',
    )
    with cases(refusal) as case:
        case(lambda: Table("dev.silver.orders", ONE_LINE), whole)
        case(lambda: Table("dev.silver", "orders", columns=ONE_LINE), whole)
        case(lambda: Table("silver", "orders", ONE_LINE), f"Table was given the name 'silver.orders', {parts} {writes}")
        case(
            lambda: Table("silver", "orders", ONE_LINE, "All orders"),
            f"Table was given the name 'silver.orders', {parts} {writes}",
        )
        case(
            lambda: Table("orders", columns=ONE_LINE, comment="All orders"),
            f'Table was given the name \'orders\', {parts} Table("catalog", "schema", "orders", [...])',
        )
        case(
            lambda: Table("lake.dev.silver.orders", ONE_LINE),
            f'Table was given the name \'lake.dev.silver.orders\', {parts} Table("dev", "silver", "orders", [...])',
        )
        case(
            lambda: Table(ONE_LINE),
            f'Table was given no name, {parts} Table("catalog", "schema", "table", [...])',
        )
        case(
            lambda: Table("dev", "silver", "orders"),
            'Table dev.silver.orders lacks columns; write Table("dev", "silver", "orders", [Column("id", LongType()), ...])',
        )
        case(
            lambda: Column("id"),
            "Column('id') lacks data_type; write Column(name, data_type), such as Column(\"id\", LongType())",
        )
        case(Column, 'Column() lacks name, data_type; write Column(name, data_type), such as Column("id", LongType())')
        case(
            lambda: Check("amount > 0"),
            "Check('amount > 0') lacks expression; write Check(name, expression), such as"
            ' Check("positive_amount", "amount > 0")',
        )
        case(
            lambda: ForeignKey(["customer_id"]),
            "ForeignKey(['customer_id']) lacks references; write ForeignKey(columns, references), such as"
            ' ForeignKey(["customer_id"], "dev.silver.customers")',
        )
        case(PrimaryKey, 'PrimaryKey() lacks columns; write PrimaryKey(columns), such as PrimaryKey(["id"])')
        case(Unique, 'Unique() lacks columns; write Unique(columns), such as Unique(["email"])')
        case(
            lambda: Check("a", "b > 0", "c > 0", 7),
            "Check takes at most 2 arguments, and was given 'c > 0', 7 as well; its arguments are name, expression",
        )
        case(
            lambda: Column("id", LONG, False, "The id."),
            "Column takes name, data_type, is_nullable by position, and was given 'The id.' as well; write it by name:"
            " comment=, default=, generated_as=, identity=, renamed_from=, tags=, deprecated=",
        )
        by_name = ", ".join(f"{name}=" for name in TABLE_ARGUMENTS.split(", ")[4:])
        case(
            lambda: Table("dev", "silver", "orders", [Column("id", LONG)], "All orders", {}),
            "Table takes catalog_name, schema_name, table_name, columns by position, and was given 'All orders', {} as well;"
            f" write them by name: {by_name}",
        )


def test_columns_that_are_no_list_are_told_before_what_follows_them():
    with pytest.raises(DeclarationError, match=r"dev\.silver\.orders: columns must be a list of Column, got Column\("):
        Table("dev", "silver", "orders", Column("id", LONG), Column("amount", LONG))


JANUARY, JULY = date(2026, 1, 31), date(2026, 7, 31)
EUR = Column("amount_eur", "decimal(18,2)")
PRICE = Column("price", "struct<net: int, gross: int>")


def amount(**others):
    return Column("amount", "int", deprecated=Deprecated(JANUARY, **others))


def orders(*columns, **others):
    return Table("dev", "silver", "orders", columns or [EUR], **others)


def test_a_deprecation_that_can_never_be_meant_is_refused():
    day, today = "which is not a datetime.date; write date(2026, 1, 31)", datetime(2026, 1, 31, tzinfo=timezone.utc)
    with cases(refusal) as case:
        case(lambda: Deprecated("2026-01-31"), f"since of Deprecated is '2026-01-31', {day}")
        case(lambda: Deprecated(today), f"since of Deprecated is {today!r}, {day}")
        case(lambda: Deprecated(JANUARY, sunset="July"), f"sunset of Deprecated is 'July', {day}")
        earlier = "sunset of Deprecated is 2026-01-31, which is not after since, 2026-01-31; write a later day"
        case(lambda: Deprecated(JANUARY, sunset=JANUARY), earlier)
        nothing = "use of Deprecated must be a string, got None; write the name of what replaces it in quotes"
        case(lambda: Deprecated(JANUARY, use=None), nothing)
        case(Deprecated, "Deprecated() lacks since; write Deprecated(since), such as Deprecated(date(2026, 1, 31))")
        write = "write Deprecated(date(2026, 1, 31))"
        case(lambda: Column("amount", "int", deprecated=True), f"column amount: deprecated is True; {write}")
        case(lambda: orders(deprecated=JANUARY), f"dev.silver.orders: deprecated is {JANUARY!r}; {write}")


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
