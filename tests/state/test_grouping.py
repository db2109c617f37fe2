"""Operators that sqlglot groups in a different way than Spark are kept as they are written."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_delta_schema.sqlglot_compat import DIALECT, exp
from pytest_delta_schema.state.expressions import ExpressionError, canonical, columns_in, evaluate, simplified
from pytest_delta_schema.state.expressions.conditions import Unparsed
from pytest_delta_schema.state.expressions.parsing import condition_of, parse, parse_exactly

GROUPED_ALIKE = [
    "a = b",
    "a = b and c <> 1 or not b in (2)",
    "a < b = c",
    "a - b - c",
    "a * b + c % 2 > 1",
    "-a * b",
    "a + b || c",
    "a & b ^ c | a",
    "a || b = c",
    "a not in (1) and b is not null",
    "a + 1 between b and c * 2",
    "a like 'x' and b",
    "a like 'x/%' escape '/'",
    "not a like 'x/%' escape '/'",
    "a = (b in (c))",
    "(a = b) in (c)",
    "a > 0 is null",
    "exists(t, x -> x > 1 and x < 3)",
    "mod(a + 1, 2) = 1",
    "a collate UTF8_LCASE = 'b'",
    "case when a = b then c end > 1",
    "a::int + 1",
]
GROUPED_OTHERWISE = [
    ("a = b in (c)", "(a = b) in (c)", "a = (b in (c))"),
    ("a = b < c", "(a = b) < c", "a = (b < c)"),
    ("a <> b >= c", "(a <> b) >= c", "a <> (b >= c)"),
    ("a = b between 1 and 2", "(a = b) between 1 and 2", "a = (b between 1 and 2)"),
    ("a = b not in (c)", "(a = b) not in (c)", "a = (b not in (c))"),
    ("a > b like 'x'", "(a > b) like 'x'", "a > (b like 'x')"),
    ("a rlike 'x' = b", "a rlike ('x' = b)", "(a rlike 'x') = b"),
    ("a || b - c", "(a || b) - c", "a || (b - c)"),
    ("a & b || c", "a & (b || c)", "(a & b) || c"),
    ("a ^ b & c", "a ^ (b & c)", "(a ^ b) & c"),
    ("a | b ^ c", "a | (b ^ c)", "(a | b) ^ c"),
]


@pytest.mark.parametrize("text", GROUPED_ALIKE)
def test_what_is_grouped_alike_is_understood(text):
    assert parse_exactly(text) is not None


@pytest.mark.parametrize(("text", "in_spark", "in_sqlglot"), GROUPED_OTHERWISE)
def test_what_is_grouped_otherwise_equals_its_tokens(text, in_spark, in_sqlglot):
    forms = [text, in_spark, in_sqlglot]

    assert len({*map(canonical, forms)}) == len({*map(simplified, forms)}) == 3
    assert canonical(text.replace(" ", "  ").replace("a", "A")) == canonical(text)
    assert sorted(columns_in(text)) == sorted(columns_in(in_spark))
    assert isinstance(condition_of(text), Unparsed)
    with pytest.raises(ExpressionError):
        evaluate(text, [{}], ["a", "b", "c"])


@pytest.mark.parametrize("text", ["a in (1) = b", "a like 'x' is null"])
def test_what_spark_refuses_is_not_understood(text):
    assert parse_exactly(text) is None


def test_a_doubled_quote_is_neither_one_text_nor_two():
    texts = ["a = 'it''s'", "a = 'it' 's'", "a = 'its'", "a = 'it\\'s'"]

    assert len({*map(canonical, texts)}) == 4
    assert canonical("A='it''s'") == canonical("a = 'it''s'")


@pytest.fixture(scope="session")
def spark_tree(local_session):
    """Return the syntax tree of Spark as SQL in which every operator has parentheses; ``None`` for what it refuses."""
    parser = local_session.spark._jsparkSession.sessionState().sqlParser()

    def tree(text):
        try:
            return parser.parseExpression(text).sql().lower()
        except Exception:  # noqa: BLE001 - Spark refuses it
            return None

    return tree


def with_parentheses(node):
    """Write a syntax tree of sqlglot so that nothing is left to group."""
    root = exp.Paren(this=node.copy())
    for part in list(root.find_all(exp.Binary, exp.Unary, exp.Between, exp.In)):
        if not isinstance(part, (exp.Paren, exp.Dot)) and not isinstance(part.parent, exp.Paren):
            part.replace(exp.Paren(this=part.copy()))
    return root.sql(DIALECT)


@pytest.mark.spark
@pytest.mark.parametrize(("text", "in_spark", "in_sqlglot"), GROUPED_OTHERWISE)
def test_spark_groups_otherwise(spark_tree, text, in_spark, in_sqlglot):
    assert spark_tree(text) == spark_tree(in_spark) != spark_tree(in_sqlglot)
    assert canonical(with_parentheses(parse(text))) == canonical(in_sqlglot)


ATOMS = st.sampled_from(["a", "b", "c", "1", "2.5", "'x'", "-1", "s.f"])
PREFIXES = st.sampled_from(["", "", "", "- ", "~ "])
SUFFIXES = st.sampled_from(
    ["", "", "", " is null", " is true", " between 1 and 2", " not in (1, 2)", " in (1)", " like 'x'", " rlike 'z'"]
)
SYMBOLS = ["=", "<>", "<", ">=", "+", "-", "*", "/", "%", "div", "||", "&", "^", "|", "and", "or"]
OPERANDS = st.tuples(PREFIXES, ATOMS, SUFFIXES).map("".join)


@pytest.mark.spark
@given(first=OPERANDS, rest=st.lists(st.tuples(st.sampled_from(SYMBOLS), OPERANDS), min_size=1, max_size=3))
def test_what_is_understood_is_grouped_as_in_spark(spark_tree, first, rest):
    text = " ".join([first, *(f"{symbol} {operand}" for symbol, operand in rest)])
    node, tree = parse_exactly(text), spark_tree(text)
    # No table has what Spark refuses, and Spark groups long chains of AND in the middle.
    assume(node is not None and tree is not None and sum(symbol in {"and", "or"} for symbol, _ in rest) < 3)

    assert tree == spark_tree(with_parentheses(node))
