"""Parse SQL expressions of Spark's dialect, and only what is understood whole.

sqlglot falls back where it does not understand: a text that begins like a statement is a ``Command``, which names no
columns, and what follows a semicolon is a separate statement. Such a text is not parsed at all, so its callers
keep it as it was written.
"""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from pytest_delta_schema.delta.names import ColumnPath, folded
from pytest_delta_schema.diagnostics.text import escaped_literals, identifier
from pytest_delta_schema.sqlglot_compat import (
    DIALECT,
    STATEMENT_WORDS,
    SqlglotError,
    Token,
    TokenType,
    as_quoted_identifier,
    exp,
    parse_tokens,
)
from pytest_delta_schema.state.expressions.conditions import (
    FLIPPED,
    AllOf,
    AnyOf,
    Comparison,
    Constant,
    ExpressionError,
    Field,
    InList,
    IsNull,
    Length,
    Like,
    Unparsed,
    Value,
    negated,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pytest_delta_schema.state.expressions.conditions import Comparator, Condition, Operand, Scalar

    ValueOf = Callable[[exp.Expr], Value | None]

_STATEMENT_WORDS = {
    *STATEMENT_WORDS,
    TokenType.ALL,
    TokenType.ANY,
    TokenType.FOR,
    TokenType.SOME,
    TokenType.VALUES,
    TokenType.WITH,
}
_TEXTS = {TokenType.STRING, TokenType.RAW_STRING, TokenType.HEX_STRING, TokenType.IDENTIFIER}


def parse(text: str) -> exp.Expr | None:
    """Return the syntax tree of one expression, which all callers share; ``None`` if a part is not understood."""
    return _tree(text, None).node


@lru_cache(maxsize=4096)
def parse_exactly(text: str) -> exp.Expr | None:
    """Return the syntax tree of one expression; ``None`` also if versions of Spark may differ, as in ``'it''s'``."""
    node = parse(text)
    if node is None or any(_are_one_text(*pair) for pair in pairwise(tokens_of(text) or ())):
        return None
    operators = (part for part in node.walk() if type(part) in _LEVELS and not isinstance(part, exp.Not))
    return None if any(map(_differs, operators)) else node


def parse_quoting(text: str, names: Iterable[str]) -> exp.Expr | None:
    """Return the syntax tree of an expression in which every word that is one of some names is in back-quotes."""
    return _tree(text, frozenset(names)).node


def is_too_deep(text: str) -> bool:
    """Whether an expression is nested too deeply to be parsed, so only its text and Spark tell what it is."""
    return _tree(text, None).is_too_deep


class _Tree(NamedTuple):
    """What the parser makes of a text; a tree is too deep for the recursion over its tokens, or over the tree."""

    node: exp.Expr | None
    is_too_deep: bool = False


@lru_cache(maxsize=4096)
def _tree(text: str, quoted: frozenset[str] | None) -> _Tree:
    """Parse a text, in which some names, or words that only begin a statement elsewhere, are in back-quotes."""
    tokens = tokens_of(text)
    if not tokens or any(token.token_type is TokenType.SEMICOLON for token in tokens):
        return _Tree(None)
    if _nesting(tokens) > _DEEPEST_TOKENS:
        return _Tree(None, is_too_deep=True)
    read = [
        as_quoted_identifier(token)
        if token.token_type not in _TEXTS
        and (_is_column(token, following) if quoted is None else folded(token.text) in quoted)
        else token
        for token, following in zip(tokens, [*tokens[1:], None], strict=True)
    ]
    try:
        node = parse_tokens(read, f"({text}")
    except RecursionError:
        return _Tree(None, is_too_deep=True)
    if node is not None and _is_deep(node):
        return _Tree(None, is_too_deep=True)
    return _Tree(None if node is None or node.find(exp.Command) else node)


_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}
_PREFIXES = {TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE}
_NESTED_TYPES = {TokenType.ARRAY, TokenType.MAP, TokenType.STRUCT}
_DEEPEST_TOKENS = 25
"""The deepest nesting that is parsed: sqlglot has about 17 calls for a parenthesis, and Python 1,000 in all."""
_DEEPEST_TREE = 200
"""The deepest syntax tree that is traversed by recursion; AND and OR count once, everything else twice."""


def _nesting(tokens: Iterable[Token]) -> int:
    """Return how deeply tokens are nested in brackets, CASE, signs and the arguments of types."""
    deepest = depth = signs = types = 0
    previous = None
    for kind in (token.token_type for token in tokens):
        signs = signs + 1 if kind in _PREFIXES else 0
        depth += (kind in _OPENING) - (kind in _CLOSING)
        if kind is TokenType.LT and previous in _NESTED_TYPES:
            types += 1
        elif kind is TokenType.GT and types:
            types -= 1
        deepest = max(deepest, depth + signs + types)
        previous = kind
    return deepest


def _is_deep(root: exp.Expr) -> bool:
    """Whether a syntax tree is deeper than what is traversed by recursion."""
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > _DEEPEST_TREE:
            return True
        below = depth + (1 if isinstance(node, exp.Connector) else 2)
        waiting += [(child, below) for child in node.iter_expressions()]
    return False


def _is_column(token: Token, following: Token | None) -> bool:
    """Whether a word that begins a statement elsewhere is a column: Spark has no other use for it in expressions."""
    is_word = token.token_type in _STATEMENT_WORDS or (token.token_type is TokenType.VAR and token.text.upper() == "IF")
    return is_word and (following is None or following.token_type is not TokenType.L_PAREN)


def tokens_of(text: str) -> list[Token] | None:
    """Return the tokens of an expression; ``None`` if it has none."""
    try:
        return DIALECT.tokenize(f"({text}")[1:]
    except SqlglotError:
        return None


def folded_tokens(text: str) -> str:
    """Return a text that is not understood, without its white space, its comments and the case of words."""
    tokens = tokens_of(text)
    if tokens is None:
        return text
    written = ""
    for token, previous in zip(tokens, [None, *tokens], strict=False):
        separator = "" if previous is None or _are_one_text(previous, token) else " "
        written += separator + (repr(token.text) if token.token_type in _TEXTS else folded(token.text))
    return written


def keywords_in(text: str, names: Iterable[str]) -> list[str]:
    """Return the keywords of a text that are one of some names in lower case and not in back-quotes."""
    known = set(names)
    words = (token.text for token in tokens_of(text) or () if token.token_type not in {*_TEXTS, TokenType.VAR})
    return [word for word in dict.fromkeys(words) if folded(word) in known]


def _are_one_text(left: Token, right: Token) -> bool:
    """Whether two literals have nothing between them, such as those of ``'it''s'``."""
    return left.token_type is right.token_type is TokenType.STRING and left.end + 1 == right.start


_PREDICATE = 1
_LEVELS: dict[type[exp.Expr], int] = {
    kind: level
    for level, kinds in enumerate(
        (
            (exp.Escape,),
            # NOT is one as an operand: `x NOT IN (y)` is read as `NOT (x IN (y))`. `<=>` is a comparison, and
            # IS NOT DISTINCT FROM, for which sqlglot has the same node, is a predicate.
            (
                *(exp.Between, exp.ILike, exp.In, exp.Is, exp.Like, exp.Not, exp.RegexpLike),
                *(exp.NullSafeEQ, exp.NullSafeNEQ),
            ),
            (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NEQ),
            (exp.BitwiseOr,),
            (exp.BitwiseXor,),
            (exp.BitwiseAnd,),
            (exp.BitwiseLeftShift, exp.BitwiseRightShift),
            (exp.Add, exp.DPipe, exp.Sub),
            (exp.Div, exp.IntDiv, exp.Mod, exp.Mul),
            (exp.BitwiseNot, exp.Collate, exp.Neg),
        )
    )
    for kind in kinds
}
"""The operators of Spark below AND and OR, the weakest first."""

_HIGHEST = len(_LEVELS)


def _differs(node: exp.Expr) -> bool:
    """Whether Spark may group an operator and its operands differently."""
    level = _LEVELS[type(node)]
    left, *others = (_LEVELS.get(type(operand), _HIGHEST) for operand in _own_operands(node))
    least = level + 1 if level == _PREDICATE else level
    return left < least or any(other <= level for other in others)


def _own_operands(node: exp.Expr) -> Iterator[exp.Expr]:
    keys = ("this",) if isinstance(node, exp.In) else ("this", "expression", "low", "high")
    return (operand for key in keys if isinstance(operand := node.args.get(key), exp.Expr))


def paths_in(text: str) -> tuple[ColumnPath, ...]:
    """Return the paths of the columns of an expression; see :func:`pytest_delta_schema.state.expressions.paths_in`."""
    node = parse(text)
    if node is None:
        return ()
    return tuple(ColumnPath(*(folded(part.name) for part in chain)) for chain in _chains(node))


def with_columns(text: str, names: Mapping[ColumnPath, str]) -> str:
    """Return an expression with renamed columns; see :func:`pytest_delta_schema.state.expressions.with_columns`."""
    node = parse(text)
    if node is None:
        return text
    replaced: dict[int, tuple[int, str]] = {}
    for chain in _chains(node):
        path = ColumnPath(*(part.name for part in chain))
        for prefix, part in zip(path.prefixes(), chain, strict=True):
            name = names.get(prefix)
            if name is not None:
                if "start" not in part.meta:
                    return text  # sqlglot does not say where a field named true, false or null is
                # Offsets are those of the text behind one bracket.
                replaced[part.meta["start"] - 1] = part.meta["end"], identifier(name)
    written = text
    for start, (end, name) in sorted(replaced.items(), reverse=True):
        written = f"{written[:start]}{name}{written[end:]}"
    return written


def _chains(node: exp.Expr) -> Iterator[list[exp.Expr]]:
    """Yield the names that lead to each column, or field of a struct, of an expression."""
    for column in node.find_all(exp.Column):
        chain = _chain(column)
        if not _is_argument(column, folded(chain[0].name)):
            yield chain


def _is_argument(column: exp.Column, name: str) -> bool:
    """Whether a name is an argument of a lambda around it."""
    scope = column.find_ancestor(exp.Lambda)
    while scope is not None:
        if any(folded(argument.name) == name for argument in scope.expressions):
            return True
        scope = scope.find_ancestor(exp.Lambda)
    return False


def _chain(column: exp.Column) -> list[exp.Expr]:
    """Return the parts of a column's name, and the fields that are read from it."""
    chain: list[exp.Expr] = list(column.parts)
    last: exp.Expr = column
    while isinstance(last.parent, exp.Dot) and last.parent.this is last:
        last = last.parent
        chain.append(last.expression)
    return chain


_FLIPPED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
}


def canonical(text: str) -> str:
    """Return an expression in canonical form; see :func:`pytest_delta_schema.state.expressions.canonical`."""
    text = escaped_literals(text)
    node = parse_exactly(text)
    return folded_tokens(text) if node is None else _write(node)


def simplified(text: str) -> str:
    """Return an expression in its simplest form; see :func:`pytest_delta_schema.state.expressions.simplified`."""
    node = parse_exactly(escaped_literals(text))
    return canonical(text) if node is None else _write(_plain(node), ordered=False)


def _write(node: object, *, ordered: bool = True) -> str:  # noqa: PLR0911 - one form a kind of node
    def write(part: object) -> str:
        return _write(part, ordered=ordered)

    match node:
        case exp.Paren():
            return write(node.this)
        case exp.Connector():
            operands = [write(operand) for operand in _chain_operands(node, type(node))]
            return f"{type(node).__name__}({', '.join(operands if ordered else sorted(operands))})"
        case exp.Identifier():
            return f"`{folded(node.name)}`"
        case exp.Literal():
            return repr(node.name) if node.is_string else node.name.lower()
        case exp.Anonymous():
            return f"{node.name.lower()}({', '.join(map(write, node.expressions))})"
        case exp.Expr():
            parts = [f"{key}={write(value)}" for key, value in sorted(node.args.items()) if value]
            return f"{type(node).__name__}({', '.join(parts)})"
        case list():
            return f"[{', '.join(map(write, node))}]"
    return str(node)


def _chain_operands(node: exp.Expr, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the operands of a chain of AND, or of OR, without its parentheses."""
    node = node.unnest()
    if type(node) is kind:
        yield from _chain_operands(node.this, kind)
        yield from _chain_operands(node.expression, kind)
    else:
        yield node


def _plain(node: exp.Expr) -> exp.Expr:
    """Return one tree for all forms: no ``between``, and literals on the right of comparisons."""
    # The root may be replaced, too, so it gets a parent.
    root = exp.Paren(this=node.copy())
    for between in list(root.find_all(exp.Between)):
        subject = between.this
        low = exp.GTE(this=subject.copy(), expression=between.args["low"])
        high = exp.LTE(this=subject, expression=between.args["high"])
        between.replace(exp.Paren(this=exp.And(this=low, expression=high)))
    for comparison in list(root.find_all(*_FLIPPED)):
        left, right = comparison.this.unnest(), comparison.expression.unnest()
        if _rank(left) > _rank(right):
            comparison.replace(_FLIPPED[type(comparison)](this=right, expression=left))
    plain: exp.Expr = root.this
    return plain.copy()


def _rank(node: exp.Expr) -> tuple[bool, str]:
    return isinstance(node, (exp.Literal, exp.Neg, exp.Boolean)), _write(node)


_NARROW = frozenset({"tinyint", "smallint", "float"})
_UNARY = (exp.Abs, exp.Neg)
_BINARY = (exp.Add, exp.Mod, exp.Mul, exp.Sub)


def require_wide(text: str, types: Mapping[str, object]) -> None:
    """Make sure that no part of an expression is computed as a ``tinyint``, ``smallint`` or ``float``."""
    if _NARROW.isdisjoint(map(str, types.values())):
        return
    node = parse(text)
    for part in () if node is None else node.find_all(*_UNARY, *_BINARY):
        if _is_narrow(part, types):
            msg = f"{part.sql(DIALECT)} is computed in the type of its columns, and cannot be evaluated without Spark"
            raise ExpressionError(msg)


def _is_narrow(node: exp.Expr, types: Mapping[str, object]) -> bool:
    node = node.unnest()
    if isinstance(node, exp.Column):
        return len(node.parts) == 1 and types.get(folded(node.name)) in _NARROW
    if isinstance(node, _BINARY):
        return _is_narrow(node.this, types) and _is_narrow(node.expression, types)
    return isinstance(node, _UNARY) and _is_narrow(node.this, types)


COMPARATORS: Final[dict[type[exp.Expr], Comparator]] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
"""The comparisons of SQL."""
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.(?:\d{3}){1,2})?)?(?:Z|[+-]\d\d:\d\d)?)?")
"""What every supported Python reads alike."""

INT_LIMIT: Final = 2**31
"""Whole numbers below are evaluated: the result of larger ones depends on the types of the columns."""


@lru_cache(maxsize=4096)
def condition_of(text: str) -> Condition:
    """Return the condition that an expression states; what is not understood is :class:`Unparsed`."""
    node = parse_exactly(text)
    return Unparsed(text) if node is None else condition_of_node(node, literal_of)


PREDICATES: Final[tuple[type[exp.Expr], ...]] = (
    exp.Connector,
    exp.Not,
    *COMPARATORS,
    exp.NullSafeEQ,
    exp.Between,
    exp.In,
    exp.Like,
    exp.Is,
    exp.Anonymous,
)
"""The nodes that state a condition about their operands; any other node is an operand."""


def condition_of_node(node: exp.Expr, value_of: ValueOf) -> Condition:  # noqa: PLR0911 - one form a kind of node
    """Return the condition that a syntax tree states.

    What is neither a column nor a length has the value that ``value_of`` gives: of a literal only, or of anything in
    one row.
    """
    node = node.unnest()
    match node:
        case exp.And():
            return AllOf((condition_of_node(node.this, value_of), condition_of_node(node.expression, value_of)))
        case exp.Or():
            return AnyOf((condition_of_node(node.this, value_of), condition_of_node(node.expression, value_of)))
        case exp.Not():
            return negated(condition_of_node(node.this, value_of))
        case exp.Boolean():
            return Constant(bool(node.this))
        case exp.Null():
            return Constant(None)
    if isinstance(node, PREDICATES):
        return _predicate(node, value_of) or Unparsed(node.sql(DIALECT))
    path = path_of(node)
    operand = value_of(node) if path is None else Field(path)
    return Unparsed(node.sql(DIALECT)) if operand is None else Comparison(operand, "=", Value(value=True))


def _predicate(node: exp.Expr, value_of: ValueOf) -> Condition | None:  # noqa: PLR0911 - as above
    """Return a comparison; ``None`` if it is not understood."""
    match node:
        case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE():
            return _comparison(node.this, COMPARATORS[type(node)], node.expression, value_of)
        case exp.NullSafeEQ():
            path, value = path_of(node.this.unnest()), literal_of(node.expression.unnest())
            if path is None or value is None or value.value is None:
                return None
            return AllOf((IsNull(path, is_negated=True), Comparison(Field(path), "=", value)))
        case exp.Between() if not node.args.get("symmetric"):
            low = _comparison(node.this, ">=", node.args["low"], value_of)
            high = _comparison(node.this, "<=", node.args["high"], value_of)
            return None if low is None or high is None else AllOf((low, high))
        case exp.In():
            return _among(node, value_of)
        case exp.Like():
            path, pattern = path_of(node.this.unnest()), node.expression
            if path is None or not (isinstance(pattern, exp.Literal) and pattern.is_string) or "\\" in pattern.name:
                return None
            return Like(path, pattern.name, is_negated=bool(node.args.get("negate")))
        case exp.Is():
            return _is(node, value_of)
        case exp.Anonymous() if node.name.upper() in ("ISNULL", "ISNOTNULL") and len(node.expressions) == 1:
            path = path_of(node.expressions[0].unnest())
            return None if path is None else IsNull(path, is_negated=node.name.upper() == "ISNOTNULL")
    return None


def _is(node: exp.Is, value_of: ValueOf) -> Condition | None:
    path, right = path_of(node.this.unnest()), node.expression
    if path is None:
        value = value_of(node.this) if isinstance(right, exp.Null) else None
        return None if value is None else Constant(value.value is None)
    if isinstance(right, exp.Null):
        return IsNull(path)
    if isinstance(right, exp.Boolean):
        return AllOf((IsNull(path, is_negated=True), Comparison(Field(path), "=", Value(bool(right.this)))))
    return None


def _among(node: exp.In, value_of: ValueOf) -> Condition | None:
    operand = _operand(node.this, value_of)
    values = [value_of(value.unnest()) for value in node.expressions]
    known = tuple(value.value for value in values if value is not None)
    if operand is None or not values or len(known) < len(values):
        return None
    if isinstance(operand, Value):
        return AnyOf(tuple(Comparison(operand, "=", Value(value)) for value in known))
    return InList(operand, known)


def _comparison(left: exp.Expr, operator: Comparator, right: exp.Expr, value_of: ValueOf) -> Condition | None:
    left, right = left.unnest(), right.unnest()
    replaced = _with_replacement(left, operator, right) or _with_replacement(right, FLIPPED[operator], left)
    if replaced is not None:
        return replaced
    operands = _operand(left, value_of), _operand(right, value_of)
    if operands[0] is None or operands[1] is None:
        return None
    if isinstance(operands[0], Value):
        return Comparison(operands[1], FLIPPED[operator], operands[0])
    return Comparison(operands[0], operator, operands[1])


def _with_replacement(call: exp.Expr, operator: Comparator, other: exp.Expr) -> Condition | None:
    """Return the condition of ``coalesce(column, literal)`` compared with an operand."""
    path = path_of(call.this.unnest()) if isinstance(call, exp.Coalesce) else None
    if path is None or len(call.expressions) != 1:
        return None
    given = _comparison(call.this, operator, other, literal_of)
    replaced = _comparison(call.expressions[0], operator, other, literal_of)
    if given is None or replaced is None:
        return None
    return AnyOf((AllOf((IsNull(path, is_negated=True), given)), AllOf((IsNull(path), replaced))))


def _operand(node: exp.Expr, value_of: ValueOf) -> Operand | None:
    node = node.unnest()
    if isinstance(node, exp.Length):
        path = path_of(node.this.unnest())
        return Length(path) if path is not None else value_of(node)
    path = path_of(node)
    return Field(path) if path is not None else value_of(node)


def path_of(node: exp.Expr) -> ColumnPath | None:
    """Return the path of a column, or of a field of a struct; ``None`` if an expression is more than that."""
    if isinstance(node, exp.Column):
        names = [part.name for part in node.parts if isinstance(part, exp.Identifier)]
        return ColumnPath(*names) if len(names) == len(node.parts) else None
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        above = path_of(node.this)
        return None if above is None else above.child(node.expression.name)
    return None


def literal_of(node: exp.Expr) -> Value | None:  # noqa: PLR0911 - as above
    """Return the value of a literal; ``None`` if an expression is not one."""
    if isinstance(node, exp.Null):
        return Value(None)
    if isinstance(node, exp.Boolean):
        return Value(bool(node.this))
    if isinstance(node, exp.Neg):
        inner = literal_of(node.this.unnest())
        return Value(-inner.value) if inner and type(inner.value) in (int, Decimal) else None  # type: ignore[operator]
    if isinstance(node, (exp.Cast, exp.TryCast)):
        return _typed_literal(node)
    if not isinstance(node, exp.Literal):
        return None
    if node.is_string:
        return Value(node.name)
    return Value(int(node.name)) if node.name.isdigit() else Value(Decimal(node.name))


@lru_cache(maxsize=4096)
def literals_in(text: str) -> tuple[Scalar, ...]:
    """Return the literals of an expression, each once, in its order."""
    node = parse(text)
    values = [literal_of(part) for part in (() if node is None else node.walk(bfs=False))]
    return tuple(dict.fromkeys(value.value for value in values if value is not None and value.value is not None))


def _typed_literal(node: exp.Cast | exp.TryCast) -> Value | None:
    """Return the value of a typed literal: ``DATE '2026-01-31'``, ``5L``."""
    inner = literal_of(node.this.unnest())
    if inner is None:
        return None
    if isinstance(inner.value, str):
        is_time = node.to.is_type("date") or node.to.is_type("timestamp", "timestamptz", "timestampntz")
        moment = moment_of(inner.value) if is_time else None
        if moment is None:
            return None
        return Value(moment.date() if node.to.is_type("date") else moment)
    is_kept = type(inner.value) is int and abs(inner.value) < INT_LIMIT and node.to.is_type("int", "bigint", "double")
    return inner if is_kept or (isinstance(inner.value, Decimal) and node.to.is_type("double")) else None


def moment_of(text: str) -> datetime | None:
    """Return the time that a text means in a comparison with a date or a timestamp; ``None`` if it means none."""
    if _MOMENT.fullmatch(text.strip()) is None:
        return None
    try:
        return in_utc(datetime.fromisoformat(text.strip().replace("Z", "+00:00")))
    except (ValueError, OverflowError):
        return None


def in_utc(moment: datetime) -> datetime:
    """Return a time in UTC, without a time zone; one without a time zone is taken as UTC."""
    offset = moment.utcoffset()
    return moment if offset is None else moment.replace(tzinfo=None) - offset
