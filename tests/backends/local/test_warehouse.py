"""Files of the warehouse, which Spark writes without starting processes, and the names of its tables."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError

from pytest_delta_schema import Column, Orchestrator, QualifiedName, assert_no_drift
from pytest_delta_schema.backends.local.launch import FILE_SYSTEMS
from pytest_delta_schema.backends.local.warehouse import (
    decode,
    encode,
    encode_catalog,
    is_ambiguous,
    overlong_folder,
    physical_schema,
    table_folder,
    translate,
)
from pytest_delta_schema.delta.names import spark_name
from pytest_delta_schema.sql import dotted, literal
from support.models import NAME, column, table
from support.strategies import JAVA_17, LATER

pytestmark = pytest.mark.spark


def mode_of(path):
    return path.stat().st_mode & 0o7777


def test_files_and_folders_of_a_table_can_be_read_by_others(local, warehouse):
    Orchestrator.over(local).sync_tables([table(column("id"))])
    local.insert(NAME, [{"id": 1}])
    folder = table_folder(warehouse, NAME)

    names = sorted(path.name for path in folder.iterdir())
    data = [path for path in folder.iterdir() if path.suffix == ".parquet"]

    assert [f".{path.name}.crc" for path in data] == [name for name in names if name.startswith(".part-")]
    assert len(data) == 1
    assert {mode_of(path) for path in [folder, *folder.rglob("*")] if path.is_dir()} == {0o755}
    assert {mode_of(path) for path in folder.rglob("*") if path.is_file()} == {0o644}


def test_a_rename_replaces_a_file_only_if_it_may(local_session, tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("new")
    target.write_text("old")
    jvm = local_session.spark._jvm
    conf = jvm.org.apache.hadoop.conf.Configuration()
    for key, name in FILE_SYSTEMS.items():
        conf.set(key.removeprefix("spark.hadoop."), name)
    context = jvm.org.apache.hadoop.fs.FileContext.getFileContext(jvm.java.net.URI("file:///"), conf)
    options = jvm.java.lang.Class.forName("org.apache.hadoop.fs.Options$Rename")

    def rename(how):
        array = jvm.java.lang.reflect.Array.newInstance(options, 1)
        array[0] = getattr(jvm.org.apache.hadoop.fs.Options.Rename, how)
        context.rename(*(jvm.org.apache.hadoop.fs.Path(str(path)) for path in (source, target)), array)

    with pytest.raises(Py4JJavaError, match="FileAlreadyExistsException"):
        rename("NONE")

    assert (source.read_text(), target.read_text()) == ("new", "old")
    rename("OVERWRITE")
    assert (source.exists(), target.read_text()) == (False, "new")


def test_a_table_behind_a_link_is_written_there(local, warehouse, tmp_path):
    Orchestrator.over(local).sync_tables([table(column("id"))])
    folder = table_folder(warehouse, NAME)
    elsewhere = tmp_path / "elsewhere"
    shutil.move(folder, elsewhere)
    folder.symlink_to(elsewhere)

    local.insert(NAME, [{"id": 1}])

    assert folder.is_symlink()
    assert sorted(path.name for path in elsewhere.glob("_delta_log/*.json")) == [
        "00000000000000000000.json",
        "00000000000000000001.json",
    ]
    assert local.spark.table("dev.silver.orders").count() == 1


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


def test_messages_use_the_names_of_users():
    messages = {
        "`spark_catalog`.`dev__silver`.`orders` is gone": "`dev`.`silver`.`orders` is gone",
        "spark_catalog.dev__silver.orders": "dev.silver.orders",
        "no schema `dev__silver` here": "no schema `dev`.`silver` here",
        "dev__silver.orders, dev__silver.items": "dev.silver.orders, dev.silver.items",
        "`dev__hex_c3a4`.`hex_c3b6`": "`dev`.`ä`.`ö`",
        "xdev__silver and other__silver": "xdev__silver and other__silver",
    }
    assert {message: translate(message, ["dev"]) for message in messages} == messages


def test_schemas_that_look_like_physical_ones_are_known():
    names = {"dev.silver.x": False, "dev.dev__silver.x": True, "dev.prod__silver.x": False, "dev.dev.x": False}
    assert {name: is_ambiguous(QualifiedName(*name.split("."))) for name in names} == names


def test_a_folder_that_no_file_system_takes_is_found_before_it_is_made():
    long = "x" * 256
    folders = {
        ("dev", "silver", "x" * 255): "",
        ("dev", "silver", long): long,
        ("dev", long, "orders"): long,
        (long, "silver", "orders"): long,
        ("dev", "silver", "x y" * 42): "hex_" + "782079" * 42,
        ("dev", "silver", "x y" * 41): "",
    }
    assert {name: overlong_folder(QualifiedName(*name)) for name in folders} == folders


def test_tables_in_folders_of_other_forms_are_changed_where_they_are(local, warehouse):
    paths = ["silver/UPPER", "Raw-Data/Orders"]
    models = []
    for path in paths:
        local.spark.range(3).write.format("delta").save(str(warehouse / "dev" / path))
        models.append(
            table(Column("id", "bigint"), Column("added", "string"), name=f"dev.{path.lower().replace('/', '.')}")
        )

    Orchestrator.over(local).sync_tables(models)

    assert_no_drift(models, catalog=local)
    folders = sorted(path for schema in ("silver", "Raw-Data") for path in (warehouse / "dev" / schema).iterdir())
    assert folders == sorted(warehouse / "dev" / path for path in paths)
    for model in models:
        assert len(list(local.rows(model.name))) == 3
        local.drop_table(model.name)
    assert not any(folder.exists() for folder in folders)


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


CASED = st.text(
    st.sampled_from([*JAVA_17, *JAVA_17.values(), "ß", "\ufb05", "\ufb06", "\u0307"]),
    min_size=1,
    max_size=3,
)


@given(left=CASED, right=CASED)
@settings(deadline=None, max_examples=300)
def test_names_are_equal_for_spark_where_their_folded_forms_are(takes, left, right):
    for other in (right, left.upper(), left.lower(), left.swapcase(), left.casefold()):
        assert takes(left, other) is (spark_name(left) == spark_name(other))
