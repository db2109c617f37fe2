"""Verdicts and real Delta agree: the jobs of the roles run before and after the change of random pairs of contracts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema import Consent, DeltaSchemaError, Orchestrator, Settings
from pytest_delta_schema.compatibility import judge_change, worst_verdict
from support.compatibility import BASES, EDITS, JOBS, STORED, all_pairs, answer_of, changed, copied, frame, sample_pairs
from support.covering import ALL

if TYPE_CHECKING:
    from pytest_delta_schema import LocalCatalog, Table
    from support.compatibility import Answer, Pair

SCHEMA = "pairs"
ROLES = tuple(dict.fromkeys(job.role for job in JOBS))


class Played:
    """Tables of real Delta, and what the jobs of the roles have answered on those of the released contracts."""

    def __init__(self, catalog: LocalCatalog) -> None:
        self._catalog = catalog
        self._released: dict[str, dict[str, Answer]] = {}

    def released(self, base: str) -> dict[str, Answer]:
        """Return the answers on the table of a released contract; none of its jobs fails."""
        if base not in self._released:
            table = self._created(BASES[base], base)
            self._released[base] = self._answers(table, BASES[base])
            assert [answer for answer in self._released[base].values() if answer.failure] == []
        return self._released[base]

    def after(self, pair: Pair, name: str) -> dict[str, Answer]:
        """Return the answers after the change; a change that no plan makes is made by a new table."""
        table = self._created(pair.old, name)
        new = self._named(pair.new, name)
        spark = self._catalog.spark
        try:
            self._synchronise(new)
        except DeltaSchemaError:
            spark.sql(f"DROP TABLE {table}")
            self._synchronise(new)
            copied(spark, table, pair.old, new)
        answers = self._answers(table, pair.old)
        spark.sql(f"DROP TABLE {table}")
        return answers

    def _created(self, model: Table, name: str) -> str:
        self._synchronise(self._named(model, name))
        table = f"dev.{SCHEMA}.{name}"
        frame(self._catalog.spark, model, STORED).writeTo(table).append()
        return table

    def _named(self, model: Table, name: str) -> Table:
        return replace(model, schema_name=SCHEMA, table_name=name)

    def _synchronise(self, model: Table) -> None:
        consents = (
            Consent("drop-column", f"{model.qualified_name}.*", is_pattern=True),
            Consent("rewrite", model.qualified_name),
        )
        Orchestrator.over(self._catalog, settings=Settings(consents=consents)).sync_tables([model])

    def _answers(self, table: str, released: Table) -> dict[str, Answer]:
        return {job.name: answer_of(job, self._catalog.spark, table, released) for job in JOBS}


@pytest.fixture(scope="module")
def played(spark_catalog):
    spark_catalog.create_schema("dev", SCHEMA)
    yield Played(spark_catalog)
    spark_catalog.drop_schema("dev", SCHEMA)


@pytest.mark.spark
@pytest.mark.parametrize("pair", all_pairs() if ALL else sample_pairs(), ids=lambda pair: pair.name)
def test_the_verdicts_are_what_delta_does(pair, played, request):
    findings = judge_change(pair.old, pair.new, roles=ROLES)
    verdicts = {role: worst_verdict(finding for finding in findings if finding.role == role) for role in ROLES}
    number = request.node.callspec.indices["pair"]
    answers, released = played.after(pair, f"p{number}"), played.released(pair.base)

    disagreements = []
    for role, verdict in verdicts.items():
        names = {job.name for job in JOBS if job.role == role}
        differences = [*changed({name: answers[name] for name in names}, released)]
        if (verdict == "safe" and differences) or (verdict == "breaking" and not differences):
            shown = [str(finding) for finding in findings if finding.role == role]
            disagreements.append((role, verdict, differences, shown))
    assert disagreements == []


def test_every_edit_is_in_the_sample():
    assert {edit for pair in sample_pairs() for edit in pair.edits} == EDITS.keys()


def test_most_verdicts_claim_something():
    verdicts = {role: Counter[str]() for role in ROLES}
    for pair in all_pairs():
        findings = judge_change(pair.old, pair.new, roles=ROLES)
        for role in ROLES:
            verdicts[role][worst_verdict(finding for finding in findings if finding.role == role)] += 1

    assert len(all_pairs()) == 300
    assert {role: counts["safe"] + counts["breaking"] for role, counts in verdicts.items()} == {
        "readers": 195,
        "readers-by-path": 185,
        "readers-by-position": 215,
        "writers-by-position": 272,
        "writers": 267,
        "writers-by-merge": 270,
    }
