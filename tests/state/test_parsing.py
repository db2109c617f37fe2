"""SQL expressions: which are equal, which differ in form only, how they are grouped, and which are no conditions."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from decimal import Decimal
from functools import partial

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.sqlglot_compat import DIALECT, exp
from pytest_delta_schema.state.expressions import (
    ExpressionError,
    canonical,
    columns_in,
    condition_faults,
    default_faults,
    evaluate,
    paths_in,
    row_faults,
    simplified,
    with_columns,
)
from pytest_delta_schema.state.expressions.conditions import Unparsed
from pytest_delta_schema.state.expressions.parsing import (
    condition_of,
    is_too_deep,
    literals_in,
    parse,
    parse_exactly,
    require_wide,
)
from support.case_tables import cases, refusal
from support.snapshots import ReviewedCases

SAME = [
    ("a > 0", "A>0"),
    ("a > 0", "`a` > 0"),
    ("a > 0", "(a) > (0)"),
    ("a > 0", "a > 0 -- positive"),
    ("a > 0", "a /* the amount */ > 0"),
    ("st.a > 0", "st . a > 0"),
    ("m['k'] is not null", "m [ 'k' ] IS NOT NULL"),
    ("a > 0 and b > 0 and c > 0", "a > 0 AND (b > 0 AND c > 0)"),
    ("a = 1 or b = 2 and c = 3", "a = 1 or (b = 2 and c = 3)"),
    ("length(name) > 3", "LENGTH ( name ) > 3"),
    ("my_function(a) > 3", "MY_FUNCTION ( A ) > 3"),
    ("a <> 1", "a != 1"),
    ("a >= -1", "a >= - 1"),
    ("d > date '2020-01-01'", "d > DATE '2020-01-01'"),
    ("not parsable ((", "not   parsable\n(("),
]
DIFFERENT = [
    ("a > 0", "a > 1"),
    ("a > 0", "a >= 0"),
    ("a > 0", "a > '0'"),
    ("a > 0", "a > 0.0"),
    ("name = 'x'", "name = 'X'"),
    ("(a or b) and c", "a or b and c"),
    ("a - (b - c) > 0", "a - b - c > 0"),
    ("st.a > 0", "st.b > 0"),
    ("a between 1 and 2", "a between 2 and 1"),
    ("length(a) > 1", "upper(a) > 1"),
    ("a is null", "a is not null"),
    ("a like 'x%'", "a rlike 'x%'"),
    ("cast(a as int) > 0", "cast(a as bigint) > 0"),
    ("a = a", "true"),
]
COSMETIC = [
    ("a between 1 and 5", "a >= 1 and a <= 5"),
    ("5 < a", "a > 5"),
    ("0 = a", "a = 0"),
    ("b > 0 and a > 0", "a > 0 and b > 0"),
    ("not (a between 1 and 5)", "not (5 >= a and 1 <= a)"),
    ("(0) < (a)", "a > 0"),
]
COLUMNS = {
    "a": "bigint",
    "b": "int",
    "name": "string",
    "flag": "boolean",
    "st": "struct<a: bigint>",
    "xs": "array<int>",
}


def test_the_same():
    assert [(left, right) for left, right in SAME if canonical(left) != canonical(right)] == []


def test_different():
    assert [(left, right) for left, right in DIFFERENT if canonical(left) == canonical(right)] == []
    assert [(left, right) for left, right in DIFFERENT if simplified(left) == simplified(right)] == []


def test_equal_after_simplification_only():
    assert [(left, right) for left, right in COSMETIC if canonical(left) == canonical(right)] == []
    assert [(left, right) for left, right in COSMETIC if simplified(left) != simplified(right)] == []


def test_columns():
    with cases(columns_in) as case:
        case("A > b", ("a", "b"))
        case("st.a > st.b", ("st",))
        case("forall(xs, x -> x > a)", ("xs", "a"))
        case("1 = 1", ())
        case("((", ())


def test_literals():
    with cases(literals_in) as case:
        case("a > 5 AND (a < 7.50 OR b IN ('x', 'y')) AND c <> 5", (5, Decimal("7.50"), "x", "y"))
        case("d >= DATE '2024-02-01' AND a > -1 AND b IS NOT NULL", (date(2024, 2, 1), "2024-02-01", -1, 1))
        case("a > b", ())
        case("a >", ())


def test_what_is_computed_in_a_narrow_type():
    narrow, wide = {"t": "tinyint", "f": "float", "i": "int"}, {"t": "int", "f": "double", "i": "int"}
    parts = {"t + t > 5": "t + t", "i > 5 AND (t) * t > 5": "(t) * t", "(t + t) - f > 5": "(t + t) - f", "-t > 5": "-t"}

    for text, part in parts.items():
        assert f"{part} is computed" in refusal(require_wide, text, narrow, error=ExpressionError)
        require_wide(text, wide)
    for text in ("t + i > 5", "i + i > 5", "-i > 5", "t > 5 AND f < 3", "t + t >"):
        require_wide(text, narrow)


def test_faults(reviewed):
    case = ReviewedCases(lambda text: condition_faults(text, COLUMNS))
    for text in (
        *("a > 0", "flag", "not flag", "st.a > 0", "forall(xs, x -> x > 0)", "exists(xs, x -> x > 0)"),
        *("some_function(a)", "cast(name as boolean)", "coalesce(a > 0, true)", "a >", "a > 0) or (true"),
        *("a in (select 1)", "exists (select 1)", "sum(a) > 0", "row_number() over (order by a) = 1", "rand() > a"),
        *("name = current_user() or uuid() = name or now() > name", "x > 0 and y > 0", "a + 1", "'text'", "(a)"),
        "cast(a as int)",
    ):
        case(text, text)
    assert case.text == reviewed


def test_a_word_of_statements_is_a_column():
    for word in ("alter", "comment", "describe", "fetch", "kill", "pragma", "show", "with"):
        for text in (f"{word} > 0", f"{word}>0", f"0 < {word}", f"`{word}` > 0"):
            assert columns_in(text) == (word,)
            assert list(condition_faults(text, {word: "int"})) == []
            assert simplified(text) == simplified(f"`{word}` > 0")
        assert with_columns(f"{word} > 0", {ColumnPath(word): "new"}) == "`new` > 0"


def test_one_expression_to_its_end():
    texts = [
        "comment is no sql at all ((",
        "show tables",
        "load data",
        "a > 0; drop table x",
        "a > 0;",
        "a > 0) or (a < 0",
    ]
    for text in (*texts, "a, b", "a > 0 b", "a as b", "if >", ""):
        assert list(condition_faults(text, {"a": "int", "b": "int"})) == ["cannot be parsed"]
        assert columns_in(text) == ()


def test_a_keyword_that_is_a_column_needs_back_quotes():
    with cases(lambda text: list(condition_faults(text, dict.fromkeys(("a", "select", "case"), "int")))) as case:
        case("select > 0", ["cannot be parsed; put select in back-quotes"])
        case("a > 0 and case = 1", ["cannot be parsed; put case in back-quotes"])
        case("`select` > 0", [])
        case("select >", ["cannot be parsed"])


def test_the_argument_of_a_lambda_hides_a_column_inside_it_only():
    with cases(lambda text: sorted(map(str, paths_in(text)))) as case:
        case("exists(tags, x -> x > 0) and x > 1", ["tags", "x"])
        case("exists(tags, X -> x.y > 0) and b > 1", ["b", "tags"])
        case("transform(x, x -> transform(ys, y -> x + y + z)) = y", ["x", "y", "ys", "z"])
        case("aggregate(xs, 0, (acc, x) -> acc + x + b) > acc", ["acc", "b", "xs"])


def test_what_is_not_understood_equals_its_tokens():
    for text in ("a ~~ ( b", "show tables  like 'x'"):
        assert canonical(f"  {text} ".replace("  ", " ").upper().replace("'X'", "'x'")) == canonical(text)
        assert canonical(text) != canonical(f"{text} c")
    assert canonical("a = 'open") == "a = 'open"
    assert columns_in("a = 'open") == ()


def test_a_renamed_column_is_all_that_changes():
    with cases(lambda text: with_columns(text, {ColumnPath("a"): "b"})) as case:
        case("a <> 'it''s'", "`b` <> 'it''s'")
        case("a rlike r'\\d'", "`b` rlike r'\\d'")
        case("date( A )>d", "date( `b` )>d")
        case("s = parse_json('{}')  -- {} or a", "s = parse_json('{}')  -- {} or a")
        case("exists(tags, a -> a > 0) and a > 1", "exists(tags, a -> a > 0) and `b` > 1")


def test_a_field_that_cannot_be_located_is_kept():
    for word in ("true", "false", "null"):
        assert with_columns(f"s.{word} > 0", {ColumnPath("s", word): "new"}) == f"s.{word} > 0"
        assert with_columns(f"s.`{word}` > 0", {ColumnPath("s", word): "new"}) == "s.`new` > 0"


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


def test_what_is_grouped_otherwise_equals_its_tokens():
    for forms in GROUPED_OTHERWISE:
        text, in_spark, _ = forms
        assert len({*map(canonical, forms)}) == len({*map(simplified, forms)}) == 3
        assert canonical(text.replace(" ", "  ").replace("a", "A")) == canonical(text)
        assert sorted(columns_in(text)) == sorted(columns_in(in_spark))
        assert isinstance(condition_of(text), Unparsed)
        with pytest.raises(ExpressionError):
            evaluate(text, [{}], ["a", "b", "c"])


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


GROUPING_ATOMS = st.sampled_from(["a", "b", "c", "1", "2.5", "'x'", "-1", "s.f"])
PREFIXES = st.sampled_from(["", "", "", "- ", "~ "])
SUFFIXES = st.sampled_from(
    ["", "", "", " is null", " is true", " between 1 and 2", " not in (1, 2)", " in (1)", " like 'x'", " rlike 'z'"]
)
SYMBOLS = ["=", "<>", "<", ">=", "+", "-", "*", "/", "%", "div", "||", "&", "^", "|", "and", "or"]
GROUPING_OPERANDS = st.tuples(PREFIXES, GROUPING_ATOMS, SUFFIXES).map("".join)


@pytest.mark.spark
@given(
    first=GROUPING_OPERANDS,
    rest=st.lists(st.tuples(st.sampled_from(SYMBOLS), GROUPING_OPERANDS), min_size=1, max_size=3),
)
def test_what_is_understood_is_grouped_as_in_spark(spark_tree, first, rest):
    text = " ".join([first, *(f"{symbol} {operand}" for symbol, operand in rest)])
    node, tree = parse_exactly(text), spark_tree(text)
    # No table has what Spark refuses, and Spark groups long chains of AND in the middle.
    assume(node is not None and tree is not None and sum(symbol in {"and", "or"} for symbol, _ in rest) < 3)

    assert tree == spark_tree(with_parentheses(node))


NESTED = {
    "parentheses": lambda depth: "(" * depth + "a" + ")" * depth + " > 1",
    "unclosed": lambda depth: "(" * depth,
    "cases": lambda depth: "CASE WHEN a THEN " * depth + "1" + " END" * depth,
    "types": lambda depth: "CAST(a AS " + "array<" * depth + "int" + ">" * depth + ") IS NULL",
    "not": lambda depth: "NOT " * depth + "a",
    "dots": lambda depth: ".".join(["a"] * depth) + " > 1",
    "conjunction": lambda depth: " AND ".join(["a > 1"] * depth),
    "sum": lambda depth: " + ".join(["a"] * depth) + " > 1",
}


def below(frames, function):
    """Call a function from a deeper frame, as the runs of projects do."""
    return function() if frames == 0 else below(frames - 1, function)


@pytest.mark.parametrize("form", NESTED)
def test_no_depth_of_an_expression_ends_in_a_traceback(form):
    for depth in (10, 100, 2000):
        text = NESTED[form](depth)
        below(150, partial(use, text, f"  {text}\n", depth))
        assert [*condition_faults(text, {"a": "int"})] == [] or depth <= 100 or form == "conjunction"


def use(text, spaced, depth):
    assert canonical(text) == canonical(spaced)
    assert canonical(text) != canonical(f"{text} -1")
    simplified(text)
    condition_of(text)
    assert with_columns(text, {}) == text
    assert set(paths_in(text)) <= {ColumnPath(*["a"] * size) for size in range(1, depth + 1)}
    [*condition_faults(text, {"a": "int"})]
    with suppress(ExpressionError):
        evaluate(text, [{"a": 1}], ["a"])


def test_the_depth_that_is_parsed():
    """It depends on the text alone, so two equal texts are compared in the same way wherever that is."""
    limits = {"parentheses": (25, 26), "cases": (25, 26), "types": (24, 25), "not": (25, 26), "conjunction": (197, 198)}
    limits["sum"] = (99, 101)
    parsed = [NESTED[form](most) for form, (most, _) in limits.items()]
    parsed += [" AND ".join(["CAST(a AS array<int>) IS NULL"] * 60), "a < 1 AND " * 60 + "a > 1 AND a < 1"]
    parsed += ["(a > 0) AND " * 150 + "b > 0", "a > - 1 AND " * 150 + "b > - 1"]

    for text in (*parsed, *(NESTED[form](least) for form, (_, least) in limits.items())):
        is_parsed, names = text in parsed, "b, a" if "b" in text else "a"
        assert (parse(text) is not None) == is_parsed
        assert (below(150, partial(parse, text)) is not None) == is_parsed
        assert is_too_deep(text) == (not is_parsed)
        assert not [*row_faults(text, ["a", "b"])]
        faults = [f"names {names}, but a default cannot use columns"] if is_parsed else []
        assert [*default_faults(text, "bigint")] == faults


def test_a_parser_that_recurses_too_deeply(monkeypatch):
    def recurse(*_):
        raise RecursionError

    monkeypatch.setattr("pytest_delta_schema.state.expressions.parsing.parse_tokens", recurse)

    assert parse("a > 7770") is None
    assert is_too_deep("a > 7770")
    assert canonical("A > 7770") == "a > 7770"
