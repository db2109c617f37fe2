"""The explanations of all codes, and that their examples are true."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest

import pytest_delta_schema
from pytest_delta_schema import MemoryCatalog, Settings, Table
from pytest_delta_schema.compatibility import judge_change
from pytest_delta_schema.delta.names import Part
from pytest_delta_schema.engine.gate import Gate
from pytest_delta_schema.plan.kinds import KINDS
from pytest_delta_schema.report.codes import CodeInfo, all_codes, explained
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from pytest_delta_schema import Diagnostic
    from pytest_delta_schema.engine.outcomes import TableChange

INFOS = {info.code: info for info in all_codes()}
NAMES: dict[str, Any] = {}
exec("from pytest_delta_schema import *", NAMES)  # noqa: S102 - the names that a reader of an example has

NOT_RUN = {
    "DD126": "files in a folder",
    "DD201": "a catalog with entries",
    "DD202": "a catalog with entries",
    "DD203": "a catalog with entries",
    "DD301": "several tables",
    "DC141": "files in a folder",
    "DS100": "a rule of a project",
    "DS217": "files in a folder",
    "DS127": "a snapshot",
    "DS402": "rows of a scratch table",
    "DS403": "rows of a scratch table",
    "DS225": "a workspace that does not show RELY",
    "DS218": "a backend that lacks a statement",
    "DS305": "a refused parent",
    "DS401": "no catalog",
}
"""The codes whose examples are not compared with a catalog, because they need what stands here."""

REPORTED = ("DS5", "DS6", "DS7")
"""The codes whose examples are messages."""


def test_every_code_of_the_package_is_explained_once_and_in_order():
    sources = "".join(path.read_text("utf-8") for path in Path(pytest_delta_schema.__file__).parent.rglob("*.py"))

    codes = [info.code for info in all_codes()]

    assert codes == sorted(re.findall(r'^    code = "(D[CDS]\d{3})"$', sources, flags=re.MULTILINE))
    assert len({*codes}) == len(codes) > 85
    assert len({info.name for info in all_codes()}) == len(codes)


def test_every_kind_of_change_is_explained():
    assert [kind.drift.code for kind in KINDS.values() if kind.drift.code not in INFOS] == []


@pytest.mark.parametrize("info", INFOS.values(), ids=INFOS)
def test_every_explanation_is_whole(info):
    assert info.summary.endswith(".")
    assert "\n" not in info.summary
    assert not info.details or info.details.endswith(".")
    assert info.remedy.endswith(".")
    assert info.remedy[0].isupper()
    assert info.example
    assert max(map(len, info.example.splitlines())) <= 96
    assert not re.search(r"Args:|Remedy:|Example:|:\w+:`", info.meaning + info.remedy + info.example)


def _is_path(path: str) -> bool:
    """Whether a path leads to a part of a table, to the table, or to its schema."""
    return path in {"", "table"} or path.startswith("schema ") or path.partition(".")[0] in get_args(Part)


@pytest.mark.parametrize("code", [code for code in INFOS if code.startswith("DC") and code not in NOT_RUN])
def test_an_example_is_a_contract_before_and_after_the_change(code):
    names: dict[str, Any] = dict(NAMES)
    exec(INFOS[code].example, names)  # noqa: S102 - the text under test

    findings = judge_change(names["old"], names["new"])

    assert {finding.code for finding in findings} == {code}
    assert [finding.path for finding in findings if not _is_path(finding.path)] == []


@pytest.mark.parametrize(
    "code", [code for code in INFOS if code not in NOT_RUN and not code.startswith((*REPORTED, "DC"))]
)
def test_an_example_has_the_fault(code):
    names: dict[str, Any] = dict(NAMES)
    exec(INFOS[code].example, names)  # noqa: S102 - the text under test
    stored, settings = names.pop("stored", None), names.get("settings", Settings())
    models = [value for value in names.values() if isinstance(value, Table)]
    parents = [model for model in models if model is names.get("parent")]
    present = [desired_state(table) for table in (stored, *parents) if table is not None]
    catalog = MemoryCatalog(present, rows={} if stored is None else {stored.name: names.get("rows", [])})
    gate = Gate(catalog, models, settings=replace(settings, preflight=settings.preflight or "count"))
    validator = gate.declarations.validator

    parts: list[TableChange | Diagnostic] = [
        *validator.model_violations(gate.declarations.bound(model).table for model in models)
    ]
    if all(part.code != code for part in parts):
        plan, outcomes = gate.plan(*models), [*map(gate.drift, models)]
        parts += validator.plan_violations(plan)
        for outcome in outcomes:
            parts += [*outcome.changes, *outcome.diagnostics]

    assert code in {part.code for part in parts}, f"no plan and no rule has the code of {INFOS[code].name}"
    assert [part.path for part in parts if not _is_path(part.path)] == []


MESSAGES = {"DS402", "DS403", "DD201", "DD202", "DD203", "DD301", "DS127"}
"""The others of them whose examples are messages."""


@pytest.mark.parametrize("code", [code for code in NOT_RUN if code not in MESSAGES])
def test_an_example_that_is_not_run_is_python(code):
    ast.parse(INFOS[code].example)


def test_a_code_is_described_by_its_class_alone():
    assert INFOS["DS216"] == CodeInfo(
        code="DS216",
        name="RewriteWithoutConsent",
        stage="plan",
        summary="The layout changes, or column mapping is removed, so all data has to be rewritten, without consent.",
        details="",
        remedy=(
            "Declare the layout or the mode that the table has, or consent to the rewrite by name (``--delta-allow``)."
        ),
        example=(
            'columns = [Column("id", "bigint"), Column("day", "date")]\n'
            'stored = Table("dev", "silver", "orders", columns)\n'
            'model = Table("dev", "silver", "orders", columns, partitioned_by=["day"])'
        ),
    )


DD105 = """\
DD105 NullabilityDiffers: a difference between a model and the catalog

A column or a field may be NULL in the model and not in the table, or the other
way round.

Forbidding NULL reads all rows; rows that hold NULL forbid it.

Remedy: Apply the model, or declare the nullability that the table has
(is_nullable).

Example:

    stored = Table("dev", "silver", "orders", [Column("id", "bigint")])
    model = Table("dev", "silver", "orders", [Column("id", "bigint", is_nullable=False)])"""


@pytest.mark.parametrize("texts", [["DD105"], ["dd105"], [" dd105 ,"], ["DD105", "DD105,dd105"]])
def test_a_code_is_explained_as_text(texts):
    assert explained(texts, 80) == DD105


def test_several_codes_are_explained_in_their_order():
    text = explained(["ds206,DD102"], 300)

    assert re.findall(r"^D\w+ \w+: .*$", text, re.MULTILINE) == [
        "DS206 DropWithoutConsent: a rule for plans",
        "DD102 ColumnMissing: a difference between a model and the catalog",
    ]
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["DS999"], "there is no code DS999; did you mean DS709 or DS509 or DS219?"),
        (
            ["DS206", "dd12,x"],
            (
                "there is no code DD12; did you mean DD127 or DD126 or DD125?\n"
                "there is no code X; codes are DS, DD or DC and three digits, such as DS206"
            ),
        ),
        ([" , "], "no code is named; write one, such as DS206 or DD102, or several with commas between them"),
    ],
)
def test_unknown_codes_are_named_with_the_nearest_ones(texts, message):
    with pytest.raises(ValueError, match="code") as caught:
        explained(texts, 80)

    assert str(caught.value) == message
