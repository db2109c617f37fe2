"""Nothing that models, catalogs, servers or users say reaches a terminal or a report as it could be obeyed."""

from __future__ import annotations

import re

import pytest

from pytest_delta_schema.escaping import HIDDEN

BAD = "x\x1b[31m\x00\x07\x7f\x85\x9b\u202e\u2028\u200b\r\t\n::error::owned"

MODELS = f"""
from pyspark.sql.types import StringType, StructType
from pytest_delta_schema import Check, ForeignKey
BAD = {BAD!r}
MAPPED = {{"delta.columnMapping.mode": "name"}}

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
of_broken_check = made("broken", checks=[Check("c", "id <> <> " + BAD)])
of_comment = made("comment", Column("b", StringType(), comment=BAD), comment=BAD)
of_property = made("property", table_properties={{"team": BAD, BAD: "x"}})
of_tag = made("tag", Column("b", StringType(), tags={{BAD.replace(":", ""): BAD}}), tags={{BAD.replace(":", ""): BAD}})
of_default = made("default", Column("b", StringType(), default="'" + BAD + "'"),
    table_properties={{"delta.feature.allowColumnDefaults": "supported"}})
of_broken_default = made("broken_default", Column("b", StringType(), default=BAD))
of_generated = made("generated", Column("g", StringType(), generated_as="concat(id, '" + BAD + "')"))
of_rename = made("rename", Column(BAD, StringType(), renamed_from=BAD + "old"), table_properties=MAPPED)
"""
HELD = f"""Hostile([
    stored("dev.silver." + kind, ID._replace(data_type="string", is_nullable=True), *columns, **options)
    for kind, columns, options in [
        ("column", (OLD._replace(name=BAD + "2"),), {{}}),
        ("field", (OLD._replace(name="s"),), {{}}),
        ("key", (OLD._replace(name=BAD, data_type="string"),), {{"table_properties": {{"delta.columnMapping.mode": "name"}}}}),
        ("check", (), {{"checks": (CheckState(BAD + "2", "id > '" + BAD + "'"),)}}),
        ("comment", (OLD._replace(name="b", data_type="string", comment=BAD + "2"),), {{"table_comment": BAD + "2"}}),
        ("property", (), {{"table_properties": {{"team": BAD + "2"}}}}),
        ("rename", (), {{}}),
        ("tag", (OLD._replace(name="b", data_type="string"),), {{"tags": {{(): {{BAD.replace(":", ""): BAD + "2"}}}}}}),
        (BAD + "unmanaged", (), {{}}),
    ]
])
BAD = {BAD!r}
"""
CONFTEST = """
from dataclasses import replace
from pytest_delta_schema import QualifiedName
from pytest_delta_schema.errors import StatementError
from pytest_delta_schema.state import CheckState, IntroducedBy

BAD = {bad!r}

class Hostile(MemoryCatalog):
    def snapshot(self, models):
        seen = super().snapshot(models)
        name = QualifiedName("dev", "silver", "layout")
        if name in seen.tables:
            problem = Diagnostic(table=str(name), message="the server says " + BAD, remedy="look into " + BAD)
            seen = replace(seen, tables={{k: v for k, v in seen.tables.items() if k != name}}, problems={{name: problem}})
        return seen

    def introduced_by(self, table, paths):
        return tuple(IntroducedBy(path, 1, "WRITE" + BAD, "now", BAD) for path in paths)

    def past_columns(self, table, paths):
        raise StatementError("no log: " + BAD)

    def run(self, statement):
        if statement.table.table in ("property", "default") and "SCHEMA" not in statement.sql:
            raise StatementError("the server says " + BAD.replace(chr(10), ""))
        super().run(statement)
"""


@pytest.fixture
def hostile(project):
    project.ini("delta_models = models", "delta_unmanaged = report", "delta_owned_properties = true")
    project.models(MODELS)
    project.catalog(HELD.partition("\nBAD")[0])
    conftest = project.path / "conftest.py"
    conftest.write_text(conftest.read_text() + CONFTEST.format(bad=BAD))
    return project


def names(*more):
    """Names as SQL quotes them, in which nothing is changed."""
    spelled = [BAD, BAD.replace("\0", ""), f"{BAD}2", f"{BAD}old", f"pk_dev_silver_key__{BAD}", *more]
    # What XML cannot hold at all, pytest writes in a way of its own; pytest 8.4 leaves DEL, which XML can hold.
    kept = "" if pytest.version_tuple >= (9,) else "\x7f"
    replaced = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]".replace(kept, "")
    spelled += [re.sub(replaced, lambda match: f"#x{ord(match[0]):02X}", name) for name in spelled]
    return sorted((f"`{name}`" for name in spelled), key=len, reverse=True)


def outputs(project, *args):
    """Run pytest, and return all that it has written, less names in SQL."""
    result = project.run(*args, "-vv", "-rA", "--junitxml=report.xml", subprocess=True)
    texts = {}
    for name in ("stdout", "stderr", *(["report.xml"] if result.ret == 1 else [])):
        text = project.path.joinpath(name).read_bytes().decode("utf-8", "surrogatepass")
        for quoted in names():
            text = text.replace(quoted, "NAME")
        texts[name] = text
    return result, texts


def check(texts):
    for name, text in texts.items():
        hidden = [
            text[max(0, match.start() - 60) : match.end() + 20]
            for match in re.finditer(HIDDEN, text.replace("\n", " "))
        ]
        assert not hidden, (name, hidden[:5])
        assert "\n::error::" not in text, (name, text.split("\n::error::")[0][-200:])


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("--delta-drift", "--delta-preflight=count"),
        ("--delta-apply", "--delta-on-failure=restore"),
    ],
    ids=" ".join,
)
def test_nothing_is_obeyed(hostile, workers, args):
    result, texts = outputs(hostile, *args, "--delta-backend=memory", *workers)

    assert result.ret == 1
    assert "INTERNALERROR" not in texts["stdout"]
    assert "Traceback" not in texts["stdout"]
    assert "x\\u001b[31m\\u0000\\u0007\\u007f\\u0085\\u009b\\u202e\\u2028\\u200b" in texts["stdout"]
    check(texts)


def test_usage_errors_are_escaped(hostile):
    hostile.ini(
        "delta_models = models",
        "delta_bind = dev.silver=ci."
        + BAD.partition("\r")[0].replace("\x00", "").replace("\x85", "").replace("\u2028", ""),
    )

    for arg in (
        "--delta-allow=drop-column dev.silver.orders." + BAD.replace("\x00", ""),
        "--delta-allow=drop-column dev.silver.none.`" + BAD.replace("\x00", "") + "`",
        "--delta-bind=a=" + BAD.replace("\x00", ""),
        "--delta-backend=" + BAD.replace("\x00", ""),
        "--delta-max-risk=" + BAD.replace("\x00", ""),
    ):
        result, texts = outputs(hostile, "--delta-drift", arg)
        assert result.ret == pytest.ExitCode.USAGE_ERROR, arg
        check(texts)
