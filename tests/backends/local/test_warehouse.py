"""Files of the warehouse, which Spark writes without starting processes, and the names of its tables."""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException

from pytest_delta_schema import Check, Column, Orchestrator, QualifiedName, assert_no_drift
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
from pytest_delta_schema.diagnostics.errors import CatalogReadError
from pytest_delta_schema.diagnostics.text import identifier
from pytest_delta_schema.sql import dotted, literal
from pytest_delta_schema.testing.scenario import ODD_NAMES, ODD_TEXT
from pytest_delta_schema.testing.scenario import column as names_column
from pytest_delta_schema.testing.scenario import table as names_table
from support.models import NAME, column, table
from support.strategies import JAVA_17, LATER

pytestmark = pytest.mark.spark

HADOOP = {
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.LocalFileSystem",
    "spark.hadoop.fs.AbstractFileSystem.file.impl": "org.apache.hadoop.fs.local.LocalFs",
}
KINDS = {"local": FILE_SYSTEMS, "hadoop": HADOOP}


class Files:
    """Hadoop's two interfaces to local files, in the JVM of the shared session."""

    def __init__(self, jvm, classes):
        self.jvm = jvm
        conf = jvm.org.apache.hadoop.conf.Configuration()
        for key, name in classes.items():
            conf.set(key.removeprefix("spark.hadoop."), name)
        root = jvm.java.net.URI("file:///")
        self.system = jvm.org.apache.hadoop.fs.FileSystem.newInstance(root, conf)
        self.context = jvm.org.apache.hadoop.fs.FileContext.getFileContext(root, conf)

    def path(self, path):
        return self.jvm.org.apache.hadoop.fs.Path(str(path))

    def mode(self, text):
        return self.jvm.org.apache.hadoop.fs.permission.FsPermission(text)

    def rename(self, source, target, how):
        options = self.jvm.org.apache.hadoop.fs.Options
        array = self.jvm.java.lang.reflect.Array.newInstance(
            self.jvm.java.lang.Class.forName("org.apache.hadoop.fs.Options$Rename"),
            1,
        )
        array[0] = getattr(options.Rename, how)
        self.context.rename(self.path(source), self.path(target), array)


@pytest.fixture(params=KINDS)
def files(local_session, request):
    return Files(local_session.spark._jvm, KINDS[request.param])


@pytest.fixture
def both(local_session):
    return [Files(local_session.spark._jvm, classes) for classes in KINDS.values()]


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def children(process: int) -> list[str]:
    """Return the page faults of the children that a process has waited for; each one that ends adds hundreds."""
    return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[8:11:2]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="counts processes by /proc")
def test_commits_start_no_process(local):
    jvm = local.spark._jvm
    process = jvm.java.lang.ProcessHandle.current().pid()
    # What a JVM starts once, for its first commit, is over.
    Orchestrator.over(local).sync_tables([table(column("id"))])
    local.insert(NAME, [{"id": 1}])
    before = children(process)

    local.insert(NAME, [{"id": 2}])
    Orchestrator.over(local).sync_tables([table(column("id"), column("more"), checks=[Check("positive", "id > 0")])])

    assert children(process) == before
    jvm.java.lang.Runtime.getRuntime().exec("true").waitFor()
    assert children(process) != before


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


def test_modes_are_set_as_chmod_sets_them(tmp_path, files):
    folder, file, link = tmp_path / "folder", tmp_path / "file", tmp_path / "link"
    folder.mkdir()
    file.touch()
    link.symlink_to(file)
    for before, given_mode, of_folder, of_file in (
        (0o700, "755", 0o755, 0o755),
        (0o777, "640", 0o640, 0o640),
        (0o2775, "750", 0o2750, 0o750),
        (0o6755, "755", 0o6755, 0o755),
        (0o1777, "755", 0o755, 0o755),
        (0o755, "1777", 0o1777, 0o1777),
    ):
        for path in (folder, file):
            path.chmod(before)

        files.system.setPermission(files.path(folder), files.mode(given_mode))
        files.system.setPermission(files.path(link), files.mode(given_mode))

        assert (mode_of(folder), mode_of(file)) == (of_folder, of_file), (before, given_mode)
    with pytest.raises(Py4JJavaError) as caught:
        files.system.setPermission(files.path(tmp_path / "none"), files.mode("755"))
    assert files.jvm.java.lang.Class.forName("java.io.IOException").isInstance(caught.value.java_exception)


def answer(files, interface, path):
    try:
        status = getattr(files, interface).getFileLinkStatus(files.path(path))
        link = status.getSymlink().toString() if status.isSymlink() else None
        return status.toString(), link
    except Py4JJavaError as error:
        return error.java_exception.getClass().getName(), None


def test_links_are_what_hadoop_takes_them_for(tmp_path, both):
    (tmp_path / "file").write_text("text")
    (tmp_path / "folder").mkdir()
    for name, target in {"to file": "file", "to folder": "folder", "dangling": "nothing"}.items():
        (tmp_path / name).symlink_to(tmp_path / target)

    names = ("file", "folder", "to file", "to folder", "dangling", "nothing")
    for interface, scheme, name in product(("system", "context"), ("", "file:"), names):
        actual, expected = (answer(files, interface, f"{scheme}{tmp_path}/{name}") for files in both)
        assert actual == expected, (interface, scheme, name)


def test_a_rename_replaces_a_file_only_if_it_may(tmp_path, files):
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("new")
    target.write_text("old")

    with pytest.raises(Py4JJavaError, match="FileAlreadyExistsException"):
        files.rename(source, target, "NONE")

    assert (source.read_text(), target.read_text()) == ("new", "old")
    files.rename(source, target, "OVERWRITE")
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


@pytest.mark.parametrize("substitute", ["true", "false"])
def test_whole_statements_keep_odd_text_whatever_the_session_substitutes(spark_catalog, substitute):
    spark = spark_catalog.spark
    before = spark.conf.get("spark.sql.variable.substitute")
    spark.conf.set("spark.sql.variable.substitute", substitute)
    try:
        for name in ODD_NAMES:
            frame = spark_catalog.bridge.sql(f"SELECT {literal(ODD_TEXT)} AS {identifier(name)}")
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
    paths = ["silver/UPPER", "silver/Order Items", "silver/sales-eu", "Raw-Data/Orders"]
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


def test_a_table_of_an_overlong_name_is_refused_in_one_line(local):
    with pytest.raises(CatalogReadError) as caught:
        Orchestrator.over(local).sync_tables([names_table(names_column(), name=f"dev.silver.{'x' * 300}")])

    assert str(caught.value) == (
        f"dev.silver.{'x' * 300}: its folder in the warehouse would be xxxxxxxxxxxxxxxxxxxx..., a name of 300 characters,"
        " and file systems take 255; choose a shorter name [DS509 UnusableName]"
    )


def test_spark_takes_some_names_for_each_other(local):
    Orchestrator.over(local).sync_tables([names_table(*map(names_column, ["i", "s", "\u03bc", "\u03c3", "ss"]))])

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
    st.sampled_from([*JAVA_17, *JAVA_17.values(), "ß", "\ufb05", "\ufb06", "\u0307"]),
    min_size=1,
    max_size=3,
)


@given(left=CASED, right=CASED)
@settings(deadline=None, max_examples=300)
def test_names_are_equal_for_spark_where_their_folded_forms_are(takes, left, right):
    for other in (right, left.upper(), left.lower(), left.swapcase(), left.casefold()):
        assert takes(left, other) is (spark_name(left) == spark_name(other))


I_WITHOUT_DOT = "\u0131"


@pytest.mark.parametrize(
    ("more", "condition", "clauses"),
    [
        (
            "",
            "FIELD_ALREADY_EXISTS",
            [
                "ADD COLUMN twin int",
                "RENAME COLUMN a TO twin",
                "RENAME COLUMN i TO twin",
                "ADD COLUMN s.twin int",
                "RENAME COLUMN s.b TO twin",
            ],
        ),
        (
            ", twin int",
            "AMBIGUOUS_COLUMN_OR_FIELD",
            [
                *(f"ALTER COLUMN twin {change}" for change in ("COMMENT 'x'", "SET NOT NULL", "TYPE bigint", "FIRST")),
                "DROP COLUMN twin",
                "RENAME COLUMN twin TO z",
            ],
        ),
    ],
    ids=["new", "there"],
)
def test_spark_refuses_names_that_it_takes_for_others(local, more, condition, clauses):
    columns = f"i int, a int, s struct<i: int, b: int>{more}"
    local.spark.sql("CREATE SCHEMA IF NOT EXISTS dev.silver")
    mapped = "USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    local.spark.sql(f"CREATE TABLE {NAME} ({columns}) {mapped}".replace("twin", f"`{I_WITHOUT_DOT}`"))

    for clause in clauses:
        with pytest.raises(AnalysisException) as caught:
            local.spark.sql(f"ALTER TABLE {NAME} {clause.replace('twin', f'`{I_WITHOUT_DOT}`')}")
        assert caught.value.getCondition() == condition, clause
