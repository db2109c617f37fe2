"""A project in which one hostile text is every kind of name, comment and value, in the models and in the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.plugin_project import CATALOG, HEAD

if TYPE_CHECKING:
    from pathlib import Path

_MODELS = """
from pyspark.sql.types import StringType, StructType
from pytest_delta_schema import Check, ForeignKey, Unique
BAD = __bad__
MAPPED = {"delta.columnMapping.mode": "name"}

def made(name, *columns, **options):
    return Table("dev", "silver", name, [Column("id", StringType()), *columns], **options)

of_table = made(BAD)
of_schema = Table("dev", BAD, "orders", [Column("id", StringType())])
of_catalog = Table(BAD, "silver", "orders", [Column("id", StringType())])
of_column = made("column", Column(BAD, StringType()), table_properties=MAPPED)
of_field = made("field", Column("s", StructType().add(BAD, "string")), table_properties=MAPPED)
unmapped = made("unmapped", Column(BAD, StringType()))
FOLDER = BAD.replace(chr(0), "")
of_layout = made("layout", Column(FOLDER, StringType()), partitioned_by=[FOLDER], table_properties=MAPPED)
of_clustering = made("clustering", Column(BAD, StringType()), clustered_by=[BAD], table_properties=MAPPED)
no_column = made("no_column", partitioned_by=[BAD], clustered_by=[BAD], primary_key=[BAD])
of_key = made("key", Column(BAD, StringType(), is_nullable=False), primary_key=[BAD], table_properties=MAPPED)
of_foreign_key = made("foreign", Column(BAD, StringType()), table_properties=MAPPED,
    foreign_keys=[ForeignKey([BAD], "dev.silver.key", [BAD], name=BAD)])
of_check = made("check", checks=[Check(BAD, "id <> '" + BAD + "'")])
of_unique = made("unique", unique=[Unique(["id"], name=BAD)])
of_field_comment = made("field_comment", Column("s", StructType().add("f", "string", metadata={"comment": BAD})))
of_broken_check = made("broken", checks=[Check("c", "id <> <> " + BAD)])
of_comment = made("comment", Column("b", StringType(), comment=BAD), comment=BAD)
of_property = made("property", table_properties={"team": BAD, BAD: "x"})
of_tag = made("tag", Column("b", StringType(), tags={BAD.replace(":", ""): BAD}), tags={BAD.replace(":", ""): BAD})
of_default = made("default", Column("b", StringType(), default="'" + BAD + "'"),
    table_properties={"delta.feature.allowColumnDefaults": "supported"})
of_broken_default = made("broken_default", Column("b", StringType(), default=BAD))
of_generated = made("generated", Column("g", StringType(), generated_as="concat(id, '" + BAD + "')"))
of_rename = made("rename", Column(BAD, StringType(), renamed_from=BAD + "old"), table_properties=MAPPED)
"""
_HELD = """Hostile([
    TableState(name=QualifiedName("dev", "silver", kind), columns=(TEXT, *columns), **options)
    for kind, columns, options in [
        ("column", (OLD._replace(name=BAD + "2"),), {}),
        ("field", (OLD._replace(name="s"),), {}),
        ("key", (OLD._replace(name=BAD, data_type="string"),), {"table_properties": {"delta.columnMapping.mode": "name"}}),
        ("check", (), {"checks": (CheckState(BAD + "2", "id > '" + BAD + "'"),)}),
        ("comment", (OLD._replace(name="b", data_type="string", comment=BAD + "2"),), {"table_comment": BAD + "2"}),
        ("property", (), {"table_properties": {"team": BAD + "2"}}),
        ("rename", (), {}),
        ("unique", (), {}),
        ("field_comment", (OLD._replace(name="s"),), {}),
        ("tag", (OLD._replace(name="b", data_type="string"),), {"tags": {ColumnPath(): {BAD.replace(":", ""): BAD + "2"}}}),
        (BAD + "unmanaged", (), {}),
    ]
])"""
_CONFTEST = """
from dataclasses import replace
from pytest_delta_schema import QualifiedName
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.state import CheckState, IntroducedBy

BAD = __bad__
TEXT = ID._replace(data_type="string", is_nullable=True)

class Hostile(MemoryCatalog):
    def snapshot(self, models):
        seen = super().snapshot(models)
        name = QualifiedName("dev", "silver", "layout")
        if name in seen.tables:
            problem = Diagnostic(table=str(name), message="the server says " + BAD, remedy="look into " + BAD)
            seen = replace(seen, tables={k: v for k, v in seen.tables.items() if k != name}, problems={name: problem})
        return seen

    def introduced_by(self, table, paths):
        return tuple(IntroducedBy(path=path, version=1, operation="WRITE" + BAD, time="now", user_metadata=BAD) for path in paths)

    def past_columns(self, table, paths):
        raise StatementError("no log: " + BAD)

    def run(self, statement):
        if statement.table.table in ("property", "default") and "SCHEMA" not in statement.sql:
            raise StatementError("the server says " + BAD.replace(chr(10), ""))
        super().run(statement)
"""

_TESTS = """
import logging

import models
import pytest
from pyspark.sql.types import IntegerType, StructType
from pytest_delta_schema import Orchestrator, assert_accepts, assert_no_drift, state_text

BAD = models.BAD
NAMES = ["column", "field", "key", "check", "comment", "property", "tag", "unique"]

@pytest.mark.parametrize("name", NAMES)
def test_drift(name, delta_catalog):
    assert_no_drift(getattr(models, f"of_{name}"), catalog=delta_catalog)

def test_snapshot(delta_catalog, delta_snapshot):
    assert state_text("dev.silver.key", catalog=delta_catalog) == delta_snapshot

def test_text(delta_catalog):
    assert state_text("dev.silver.check", catalog=delta_catalog) == ""

def test_state(delta_catalog):
    assert delta_catalog.snapshot([models.of_comment]).tables == {}

def test_write():
    assert_accepts(models.of_column, StructType().add(BAD, IntegerType()))

def test_failed_apply(delta_catalog):
    Orchestrator.over(delta_catalog).sync_tables([models.of_property])

def test_invalid():
    models.made("two", *models.of_column.columns, primary_key=[BAD, BAD], partitioned_by=BAD)

def test_logs():
    logging.getLogger("pytest_delta_schema").warning("about %s", BAD)
    logging.getLogger("pytest_delta_schema").info("%s", BAD)
    logging.getLogger("pytest_delta_schema.java").debug("stack\\n\\tat %s", BAD)
    pytest.fail("to show the log")
"""


def write_hostile_project(folder: Path, text: str) -> None:
    """Write the models and the conftest file."""
    models = HEAD + _MODELS.replace("__bad__", repr(text))
    (folder / "models.py").write_text(models, "utf-8")
    conftest = CATALOG.replace("{catalog}", _HELD) + _CONFTEST.replace("__bad__", repr(text))
    (folder / "conftest.py").write_text(conftest, "utf-8")
    (folder / "test_library.py").write_text(_TESTS, "utf-8")
