"""Databricks refuses a CHECK where the default collation is not UTF8_BINARY, and so does a plan, before it runs."""

from __future__ import annotations

import pytest

from pytest_delta_schema import Check, MemoryCatalog, Orchestrator, UnsafePlanError
from pytest_delta_schema.backends.databricks.reading import default_collation
from pytest_delta_schema.diagnostics.errors import StatementError
from pytest_delta_schema.engine.gate import Gate
from pytest_delta_schema.engine.outcomes import Status
from support.catalogs.databricks import Doubled, Workspace
from support.tables import column, table

PLAIN = [column()]
CHECKS = [Check("positive", "id > 0"), Check("small", "id < 9")]


class Collated(Workspace):
    """A workspace with default collations.

    Args:
        of_table: What follows the columns in CREATE statements.
        of_schema: The rows of DESCRIBE SCHEMA EXTENDED.
    """

    def __init__(self, of_table="", of_schema=()):
        super().__init__(MemoryCatalog())
        self.of_table, self.of_schema = of_table, of_schema

    def rows(self, sql):
        rows = super().rows(sql)
        for answer, prefix in ((self.of_table, "SHOW CREATE TABLE"), (self.of_schema, "DESCRIBE SCHEMA EXTENDED")):
            if sql.startswith(prefix) and isinstance(answer, StatementError):
                raise answer
        if sql.startswith("DESCRIBE SCHEMA EXTENDED"):
            keys = ("database_description_item", "database_description_value")
            return [dict(zip(keys, row, strict=True)) for row in self.of_schema]
        if sql.startswith("SHOW CREATE TABLE"):
            return [{"createtab_stmt": f"{rows[0]['createtab_stmt']}\n{self.of_table}"}]
        return rows

    @property
    def questions(self):
        """The queries about collations."""
        return [sql for sql in self.asked if sql.startswith(("SHOW CREATE", "DESCRIBE SCHEMA EXTENDED"))]


def existing(workspace):
    Orchestrator.over(workspace.backend).sync_tables([table(*PLAIN)])
    return Doubled(workspace)


def new(workspace):
    workspace.backend.create_schema("dev", "silver")
    return Doubled(workspace)


OF_TABLE = (
    "the databricks backend cannot add check: the default collation of the table is UTF8_LCASE, and Databricks takes"
    " a CHECK under UTF8_BINARY only; leave the checks out, or run ALTER TABLE `dev`.`silver`.`orders` DEFAULT"
    " COLLATION UTF8_BINARY, which changes columns that are added later only"
)
OF_SCHEMA = (
    "the databricks backend cannot create table: the default collation of the schema is UNICODE_CI, and Databricks"
    " takes a CHECK under UTF8_BINARY only; leave the checks out, or run ALTER SCHEMA `dev`.`silver` DEFAULT"
    " COLLATION UTF8_BINARY, which changes columns that are added later only"
)
REFUSED = [
    (existing, Collated(of_table="DEFAULT COLLATION utf8_lcase"), OF_TABLE),
    (new, Collated(of_schema=[("Comment", "UNICODE"), ("Collation", "UNICODE_CI")]), OF_SCHEMA),
]


@pytest.mark.parametrize(("catalog_of", "workspace", "message"), REFUSED, ids=["table", "schema"])
def test_a_check_is_refused_before_anything_runs(catalog_of, workspace, message):
    catalog, model = catalog_of(workspace), table(*PLAIN, checks=CHECKS, comment="Orders")
    before = catalog.snapshot([model])

    with pytest.raises(UnsafePlanError) as caught:
        Orchestrator.over(catalog).sync_tables([model])
    outcome = Gate(catalog, [model]).drift(model)

    assert {diagnostic.fact for diagnostic in caught.value.diagnostics} == {message}
    assert outcome.status is Status.BLOCKED
    assert {diagnostic.fact for diagnostic in outcome.diagnostics} == {message}
    assert catalog.snapshot([model]) == before
    assert len(workspace.questions) == 1


GONE = StatementError("no permission", condition="PERMISSION_DENIED")


@pytest.mark.parametrize(
    ("catalog_of", "workspace"),
    [
        (existing, Collated()),
        (existing, Collated(of_table="DEFAULT COLLATION UTF8_BINARY")),
        (existing, Collated(of_table="COMMENT 'DEFAULT COLLATION UNICODE'")),
        (existing, Collated(of_table="DEFAULT COLLATION")),
        (existing, Collated(of_table="COMMENT 'it")),
        (existing, Collated(of_table=GONE)),
        (new, Collated()),
        (new, Collated(of_schema=[("Collation", "UTF8_BINARY")])),
        (new, Collated(of_schema=GONE)),
    ],
)
def test_a_check_runs_where_no_other_collation_is_shown(catalog_of, workspace):
    catalog, model = catalog_of(workspace), table(*PLAIN, checks=CHECKS)

    Orchestrator.over(catalog).sync_tables([model])

    assert len(workspace.questions) == 1


@pytest.mark.parametrize("catalog_of", [existing, new])
def test_plans_without_checks_read_no_collation(catalog_of):
    workspace = Collated(of_table="DEFAULT COLLATION UNICODE", of_schema=[("Collation", "UNICODE")])

    Orchestrator.over(catalog_of(workspace)).sync_tables([table(*PLAIN, comment="Orders")])

    assert workspace.questions == []


@pytest.mark.parametrize(
    ("created", "collation"),
    [
        ("CREATE TABLE t (a STRING) USING delta DEFAULT COLLATION UNICODE_CI_AI CLUSTER BY (a)", "UNICODE_CI_AI"),
        ("CREATE TABLE t (a STRING DEFAULT collation('x') COLLATE UNICODE) USING delta", ""),
        ("CREATE TABLE t (`DEFAULT` STRING) COMMENT 'x' DEFAULT COLLATION `utf8_lcase`", "UTF8_LCASE"),
    ],
)
def test_the_default_collation_follows_the_columns(created, collation):
    assert default_collation(created) == collation
