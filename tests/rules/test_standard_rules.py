"""No rule is forgotten: each class in ``rules`` that checks tables or plans is a standard rule."""

from __future__ import annotations

import ast
from pathlib import Path

from pytest_delta_schema import rules
from pytest_delta_schema.rules.validator import default_model_rules, default_plan_rules

FOLDER = Path(rules.__file__).parent


def test_every_rule_is_a_standard_rule():
    standard = {type(rule).__name__ for rule in (*default_model_rules(), *default_plan_rules())}
    written = {
        node.name: path.relative_to(FOLDER).as_posix()
        for path in FOLDER.rglob("*.py")
        if path.name != "reported_rules.py"
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and "code = " in ast.unparse(node) and "def check(" in ast.unparse(node)
    }

    assert standard
    forgotten = {name: file for name, file in written.items() if name not in standard}
    assert forgotten == {}, "rules/validator.py lacks rules"
    assert standard <= written.keys()
