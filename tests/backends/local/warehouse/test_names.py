"""Names: through Spark's real parser, and between users' names and physical ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.errors import AnalysisException

from pytest_delta_schema import CatalogReadError, Orchestrator
from pytest_delta_schema.backends.local.warehouse import (
    decode,
    encode,
    encode_catalog,
    is_ambiguous,
    overlong_folder,
    physical_schema,
    translate,
)
from pytest_delta_schema.delta.names import spark_name
from pytest_delta_schema.diagnostics.text import identifier
from pytest_delta_schema.models.names import QualifiedName
from pytest_delta_schema.sql.quoting import dotted, literal
from pytest_delta_schema.testing.scenario import ODD_NAMES, ODD_TEXT, column, table
from support.delta_logs.java_characters import JAVA_17, LATER
from support.tables import NAME

pytestmark = pytest.mark.spark

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SPIKED = st.text(st.sampled_from(list("`'\"\\${}%;\n\r\t -/*😀ab_.")), max_size=12) | TEXTS
NAMES = SPIKED.filter(bool)


@pytest.fixture(scope="session")
def parser(local_session):
    return local_session.spark._jsparkSession.sessionState().sqlParser()


@given(parts=st.tuples(NAMES, NAMES, NAMES))
@settings(deadline=None)
def test_identifiers_pass_through_the_real_parser(parser, parts):
    read = parser.parseMultipartIdentifier(dotted(QualifiedName(*parts)))

    assert tuple(read.apply(index) for index in range(read.length())) == parts


@given(text=SPIKED)
@settings(deadline=None)
def test_literals_pass_through_the_real_parser(parser, text):
    assert parser.parseExpression(literal(text)).value().toString() == text


@pytest.mark.parametrize("substitute", ["true", "false"])
def test_whole_statements_keep_odd_text_whatever_the_session_substitutes(spark_catalog, substitute):
    spark = spark_catalog.spark
    before = spark.conf.get("spark.sql.variable.substitute")
    spark.conf.set("spark.sql.variable.substitute", substitute)
    try:
        for name in ODD_NAMES:
            frame = spark_catalog._session.sql(f"SELECT {literal(ODD_TEXT)} AS {identifier(name)}")
            assert (frame.columns, frame.collect()[0][0]) == ([name], ODD_TEXT)
        assert spark.conf.get("spark.sql.variable.substitute") == substitute
    finally:
        spark.conf.set("spark.sql.variable.substitute", before)


@given(part=st.text(min_size=1, max_size=20) | SPIKED.filter(bool))
def test_physical_names_lead_back(part):
    if any("\ud800" <= character <= "\udfff" for character in part):
        return
    assert decode(encode(part)) == decode(encode_catalog(part)) == part.lower()


@given(parts=st.tuples(NAMES, NAMES))
@settings(deadline=None, max_examples=200)
def test_java_and_python_name_alike(local_session, parts):
    physical = local_session.spark._jvm.pytest_delta_schema.PhysicalNames
    catalog, schema = (part.lower() for part in parts)

    assert physical.encode(schema) == encode(schema)
    assert f"{physical.encodeCatalog(catalog)}__{physical.encode(schema)}" == physical_schema(catalog, schema)
    assert physical.decode(encode(schema)) == schema


@given(
    first=st.tuples(st.text("ab_", min_size=1, max_size=6), st.text("ab_", min_size=1, max_size=6)),
    second=st.tuples(st.text("ab_", min_size=1, max_size=6), st.text("ab_", min_size=1, max_size=6)),
)
def test_two_schemas_never_share_a_physical_name(first, second):
    assert (physical_schema(*first) == physical_schema(*second)) == (first == second)


@pytest.mark.parametrize(
    ("message", "understood"),
    [
        ("`spark_catalog`.`dev__silver`.`orders` is gone", "`dev`.`silver`.`orders` is gone"),
        ("spark_catalog.dev__silver.orders", "dev.silver.orders"),
        ("no schema `dev__silver` here", "no schema `dev`.`silver` here"),
        ("dev__silver.orders, dev__silver.items", "dev.silver.orders, dev.silver.items"),
        ("`dev__hex_c3a4`.`hex_c3b6`", "`dev`.`ä`.`ö`"),
        ("xdev__silver and other__silver", "xdev__silver and other__silver"),
    ],
)
def test_messages_use_the_names_of_users(message, understood):
    assert translate(message, ["dev"]) == understood


@pytest.mark.parametrize(
    ("name", "confusing"),
    [("dev.silver.x", False), ("dev.dev__silver.x", True), ("dev.prod__silver.x", False), ("dev.dev.x", False)],
)
def test_schemas_that_look_like_physical_ones_are_known(name, confusing):
    assert is_ambiguous(QualifiedName(*name.split("."))) is confusing


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        (("dev", "silver", "x" * 255), ""),
        (("dev", "silver", "x" * 256), "x" * 256),
        (("dev", "x" * 256, "orders"), "x" * 256),
        (("x" * 256, "silver", "orders"), "x" * 256),
        (("dev", "silver", "x y" * 42), "hex_" + "782079" * 42),
        (("dev", "silver", "x y" * 41), ""),
    ],
)
def test_a_folder_that_no_file_system_takes_is_found_before_it_is_made(name, folder):
    assert overlong_folder(QualifiedName(*name)) == folder


def test_a_table_of_an_overlong_name_is_refused_in_one_line(local):
    with pytest.raises(CatalogReadError) as caught:
        Orchestrator.over(local).sync_tables([table(column(), name=f"dev.silver.{'x' * 300}")])

    assert str(caught.value) == (
        f"dev.silver.{'x' * 300}: its folder in the warehouse would be xxxxxxxxxxxxxxxxxxxx..., a name of 300 characters,"
        " and file systems take 255; choose a shorter name [DS509 UnusableName]"
    )


def test_spark_takes_some_names_for_each_other(local):
    Orchestrator.over(local).sync_tables([table(*map(column, ["i", "s", "\u03bc", "\u03c3", "ss"]))])

    def condition(name):
        try:
            local.spark.sql(f"ALTER TABLE {NAME} ADD COLUMNS (`{name}` INT)")
        except AnalysisException as error:
            return error.getCondition()
        return "added"

    taken = dict.fromkeys("\u0131\u0130\u017f\u00b5\u03c2", "FIELD_ALREADY_EXISTS")
    assert {name: condition(name) for name in (*taken, "\u00df")} == {**taken, "\u00df": "added"}


def test_spark_compares_names_by_the_recorded_characters(local_session):
    spark = local_session.spark
    # Beyond these no character has a case (the record of all of Unicode).
    characters = spark.range(2 * 65_536).where("id NOT BETWEEN 55296 AND 57343")
    for way in ("Upper", "Lower"):
        other = "id" if way == "Upper" else "other"
        folded = f"int(java_method('java.lang.Character', 'to{way}Case', int({other})))"
        characters = characters.selectExpr("id", f"{folded} AS other")
    rows = characters.where("id != other").collect()
    is_defined = spark._jvm.java.lang.Character.isDefined
    known = {character: other for character, other in LATER.items() if is_defined(ord(character))}

    assert {chr(row[0]): chr(row[1]) for row in rows} == JAVA_17 | known


@pytest.fixture(scope="session")
def takes(local_session):
    """Whether Spark takes two names of columns for each other."""
    return local_session.spark._jsparkSession.sessionState().conf().resolver().apply


def test_spark_takes_each_recorded_character_for_the_other(takes):
    assert [pair for pair in JAVA_17.items() if not takes(*pair)] == []


CASED = st.text(
    st.sampled_from([*JAVA_17, *JAVA_17.values(), "ß", "\ufb05", "\ufb06", "\u0307"]), min_size=1, max_size=3
)


@given(left=CASED, right=CASED)
@settings(deadline=None, max_examples=300)
def test_names_are_equal_for_spark_where_their_folded_forms_are(takes, left, right):
    for other in (right, left.upper(), left.lower(), left.swapcase(), left.casefold()):
        assert takes(left, other) is (spark_name(left) == spark_name(other))


I_WITHOUT_DOT = "\u0131"


@pytest.mark.parametrize(
    "clause",
    [
        f"ADD COLUMN `{I_WITHOUT_DOT}` int",
        f"RENAME COLUMN a TO `{I_WITHOUT_DOT}`",
        f"RENAME COLUMN i TO `{I_WITHOUT_DOT}`",
        f"ADD COLUMN s.`{I_WITHOUT_DOT}` int",
        f"RENAME COLUMN s.b TO `{I_WITHOUT_DOT}`",
        "ALTER COLUMN twin COMMENT 'x'",
        "ALTER COLUMN twin SET NOT NULL",
        "ALTER COLUMN twin TYPE bigint",
        "ALTER COLUMN twin FIRST",
        "DROP COLUMN twin",
        "RENAME COLUMN twin TO z",
    ],
)
def test_spark_refuses_names_that_it_takes_for_others(local, clause):
    has_twins = "twin" in clause
    columns = f"i int, a int, s struct<i: int, b: int>{f', `{I_WITHOUT_DOT}` int' if has_twins else ''}"
    local.spark.sql("CREATE SCHEMA IF NOT EXISTS dev.silver")
    local.spark.sql(f"CREATE TABLE {NAME} ({columns}) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")

    with pytest.raises(AnalysisException) as caught:
        local.spark.sql(f"ALTER TABLE {NAME} {clause.replace('twin', f'`{I_WITHOUT_DOT}`')}")

    assert caught.value.getCondition() == ("AMBIGUOUS_COLUMN_OR_FIELD" if has_twins else "FIELD_ALREADY_EXISTS")
