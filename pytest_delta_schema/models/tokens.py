"""Read the tokens of a statement, one after the other; what is between them stays as it is written."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_delta_schema.sqlglot_compat import TokenType

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence
    from typing import NoReturn

    from pytest_delta_schema.sqlglot_compat import Token

_TEXTS = {TokenType.STRING, TokenType.RAW_STRING}
_QUOTED = {*_TEXTS, TokenType.HEX_STRING, TokenType.IDENTIFIER}
_PARENTHESES = {"(": 1, ")": -1}
_DEPTHS = {**_PARENTHESES, "[": 1, "]": -1}
_NESTED = {"ARRAY", "MAP", "STRUCT"}

CORRECT = "correct it"
REMOVE_OR_REPORT = "remove it, or report that it is not understood"
BACK_QUOTES = "put a name with other characters than letters, digits and underscores in back-quotes"

_REMEDIES = dict.fromkeys(
    ("$", "{", ":", "?", "@", "%", "&", "<", "#"), "replace the variables of the script by their values"
)


class UnreadableError(Exception):
    """A part of a statement that is not understood."""

    def __init__(self, fact: str, remedy: str, offset: int) -> None:
        super().__init__(fact)
        self.fact = fact
        self.remedy = remedy
        self.offset = offset


def refuse_sql(fact: str, remedy: str, offset: int) -> NoReturn:
    """Raise the error for a part of a statement."""
    raise UnreadableError(fact, remedy, offset)


@contextmanager
def about(subject: str) -> Iterator[None]:
    """Begin the faults inside with what they are about: ``column id``."""
    try:
        yield
    except UnreadableError as error:
        error.fact = f"{subject}: {error.fact}"
        raise


class TokenReader:
    """Reads a part of a statement."""

    def __init__(self, source: str, tokens: Sequence[Token], end: int, words: tuple[str, ...] | None = None) -> None:
        self._source = source
        self._tokens = tokens
        self._end = end
        self._position = 0
        # Each is compared four times: without this, what this package does takes half as long again.
        self._words = tuple(map(_word, tokens)) if words is None else words

    @property
    def offset(self) -> int:
        """Where the next token begins; at the end of the part, where that is."""
        return self._end if self.at_end else self._tokens[self._position].start

    @property
    def token(self) -> Token | None:
        """The token that comes next, if there is one."""
        return None if self.at_end else self._tokens[self._position]

    @property
    def at_end(self) -> bool:
        """Whether no token is left."""
        return self._position >= len(self._words)

    def word(self, ahead: int = 0) -> str:
        """Return a word or sign in upper case; ``""`` for a text, a name in back-quotes, and beyond both ends."""
        index = self._position + ahead
        return self._words[index] if 0 <= index < len(self._words) else ""

    def has(self, *words: str) -> bool:
        """Whether some words come next, which are read then."""
        end = self._position + len(words)
        if self._words[self._position : end] != words:
            return False
        self._position = end
        return True

    def later(self, beginnings: Mapping[str, Container[str]]) -> tuple[str, int] | None:
        """Return the first two of the words behind the next one that are a pair of these, and their offset."""
        words = self._words[self._position + 1 :]
        for index, (first, second) in enumerate(pairwise(words), self._position + 1):
            if first in beginnings and second in beginnings[first]:
                return f"{first} {second}", self._tokens[index].start
        return None

    def expect(self, *words: str) -> None:
        """Read some words."""
        if not self.has(*words):
            self.refuse(f"{' '.join(words)} is expected {self.here}")

    @property
    def here(self) -> str:
        """Where the reader is, for messages."""
        return "at the end" if self.at_end else f"at {self._tokens[self._position].text!r}"

    def refuse(self, fact: str, remedy: str = CORRECT) -> NoReturn:
        """Raise the error for something that comes next."""
        refuse_sql(fact, remedy, self.offset)

    def end(self) -> None:
        """Make sure that nothing is left."""
        if not self.at_end:
            self.refuse(f"{self.rest()!r} is not understood", REMOVE_OR_REPORT)

    def name(self, wanted: str) -> str:
        """Read a name, in back-quotes or as a word."""
        token = self.token
        is_quoted = token is not None and token.token_type == TokenType.IDENTIFIER
        if token is None or not (is_quoted or (_is_word(token.text) and token.token_type not in _QUOTED)):
            self.refuse(f"{wanted} is expected {self.here}", _REMEDIES.get(self.word(), CORRECT))
        return self.take()

    def take(self) -> str:
        """Read one token, and return its text without quotes and escapes."""
        self._position += 1
        return str(self._tokens[self._position - 1].text)

    def path(self, wanted: str) -> tuple[str, ...]:
        """Read a name with dots between its parts."""
        parts = [self.name(wanted)]
        while self.has("."):
            parts.append(self.name(wanted))
        if self.word() == "-":
            self.refuse(f"- follows {'.'.join(parts)}", BACK_QUOTES)
        return tuple(parts)

    @property
    def is_at_text(self) -> bool:
        """Whether a text in quotes comes next."""
        return not self.at_end and self._tokens[self._position].token_type in _TEXTS

    def text(self, wanted: str) -> str:
        """Read a text in quotes, without its escapes."""
        if not self.is_at_text:
            self.refuse(f"{wanted} is expected {self.here}", "write it in quotes")
        return self.take()

    def number(self) -> int:
        """Read a whole number."""
        sign = -1 if self.has("-") else 1
        if not self.word().isdecimal():
            self.refuse(f"a whole number is expected {self.here}")
        return sign * int(self.take())

    def until(self, stops: Callable[[TokenReader], bool], *, with_comments: bool = False) -> str:
        """Read an expression as it is written, up to a token outside of all parentheses."""
        first, depth = self._position, 0
        while not self.at_end and (depth or self._position == first or not stops(self)):
            depth += _DEPTHS.get(self.word(), 0)
            self._position += 1
        if self._position == first:
            self.refuse(f"an expression is expected {self.here}")
        end = self.offset if with_comments else self._tokens[self._position - 1].end + 1
        return self._source[self._tokens[first].start : end].strip()

    def rest(self) -> str:
        """Read all that is left, as it is written."""
        return "" if self.at_end else self.until(lambda _: False, with_comments=True)

    def skip(self) -> str:
        """Read one token, as it is written."""
        return self.until(lambda _: True)

    def group(self) -> TokenReader:
        """Read what is in parentheses, and return a reader for what is between them."""
        start = self.offset
        self.expect("(")
        first, depth = self._position, 1
        for position in range(first, len(self._words)):
            depth += _PARENTHESES.get(self._words[position], 0)
            if not depth:
                self._position = position + 1
                return self._part(first, position, self._tokens[position].start)
        self._position = len(self._words)
        refuse_sql("a parenthesis is not closed", "close it", start)

    def expression(self) -> str:
        """Read an expression in parentheses, as it is written between them."""
        start = self.offset
        inner = self.group()
        if inner.at_end:
            inner.refuse("an expression is expected between the parentheses")
        return self._source[start + 1 : inner._end].strip()  # noqa: SLF001 - the same class

    def items(self) -> list[TokenReader]:
        """Read a list in parentheses, and return a reader for each item."""
        return self.group().split()

    def split(self) -> list[TokenReader]:
        """Read all that is left as a list, and return a reader for each item."""
        readers, depth, angles, first, before = [], 0, 0, self._position, ""
        for position in range(first, len(self._words)):
            word = self._words[position]
            if word in _DEPTHS:
                depth += _DEPTHS[word]
            elif not depth:
                # The signs of a nested type, and not those of a comparison.
                angles += (word == "<" and before in _NESTED) - (word == ">" and angles > 0)
                if word == "," and not angles:
                    readers.append(self._part(first, position, self._tokens[position].start))
                    first = position + 1
            before = word
        self._position = len(self._words)
        return [*readers, self._part(first, len(self._words), self._end)]

    def _part(self, first: int, last: int, end: int) -> TokenReader:
        return TokenReader(self._source, self._tokens[first:last], end, self._words[first:last])


def _word(token: Token) -> str:
    return "" if token.token_type in _QUOTED else str(token.text).upper()


def _is_word(text: str) -> bool:
    return text.replace("_", "a").isalnum() and not text.isdecimal()
