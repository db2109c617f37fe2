"""The list of all rules, which reports and reference pages are made from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest_delta_schema
from pytest_delta_schema.rules.registry import all_rules
from pytest_delta_schema.rules.rule import RuleInfo

PACKAGE = Path(pytest_delta_schema.__file__).parent


def test_every_code_of_the_package_is_in_the_list_once_and_in_order():
    sources = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))

    codes = [rule.code for rule in all_rules()]

    assert codes == sorted(set(re.findall(r'^    code = "(DS\d{3})"$', sources, flags=re.MULTILINE)))
    assert len(codes) > 45


def test_every_name_is_used_once_and_every_docstring_explains_the_fault():
    rules = all_rules()

    assert len({rule.name for rule in rules}) == len(rules)
    assert [rule.name for rule in rules if not rule.summary.endswith(".") or not rule.details.endswith(".")] == []
    assert [rule.name for rule in rules if "Args:" in rule.details] == []


def test_a_rule_is_described_by_its_class_alone():
    (rule,) = (rule for rule in all_rules() if rule.code == "DS216")

    assert rule == RuleInfo(
        code="DS216",
        name="RewriteWithoutConsent",
        stage="plan",
        summary="The layout changes so that all data has to be rewritten, without consent.",
        details="Declare the layout that the table has, or consent to the rewrite by name (``--delta-allow``).",
    )
