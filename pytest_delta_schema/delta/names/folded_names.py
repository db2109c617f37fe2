"""Names that match without case, as the names of columns, constraints and properties of Delta do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, ValuesView

    from typing_extensions import Self


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name."""
        ...


_N = TypeVar("_N", bound=Named)
_V = TypeVar("_V")


def folded(name: str) -> str:
    """Return the form of a name that equals the form of every other spelling."""
    return name.lower()


def same_name(left: str, right: str) -> bool:
    """Whether two names are equal without regard to case."""
    return left.lower() == right.lower()


def spark_name(name: str) -> str:
    """Return the form of a name that equals that of every name which Spark takes for it when a column is added.

    Spark compares character by character, in upper case and then in lower case (Spark 4.2.0): i with and without a
    dot are one name, as are s and the long s, mu and the micro sign, and both small sigmas. In a log these are several.
    Java 17 knows the letters of Unicode 13. Letters that came later, such as those of Vithkuqi, have two cases for
    newer versions of Java and Python only.
    """
    return name.lower() if name.isascii() else "".join(map(_spark_character, name))


def _spark_character(character: str) -> str:
    upper = character.upper()
    lower = (upper if len(upper) == 1 else character).lower()
    # Java has one character for each; only a capital I with a dot has two in lower case.
    return lower[0]


def same_names(left: Iterable[str], right: Iterable[str]) -> bool:
    """Whether two lists hold the same names in the same order."""
    return [*map(folded, left)] == [*map(folded, right)]


class NameSet(frozenset[str]):
    """Names to look up without regard to case; iteration yields them folded."""

    __slots__ = ()

    def __new__(cls, names: Iterable[str] = ()) -> Self:
        """Return the set of the names, folded."""
        return super().__new__(cls, [name.lower() for name in names])

    @classmethod
    def of(cls, items: Iterable[Named]) -> Self:
        """Return the names of columns, checks or other things that have one."""
        return super().__new__(cls, [item.name.lower() for item in items])

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.lower())


class NameMap(Generic[_V]):
    """Values by names to look up without regard to case; iteration yields the names folded, in their order.

    Of two spellings the last one counts.
    """

    __slots__ = ("_values",)

    def __init__(self, items: Iterable[tuple[str, _V]] = ()) -> None:
        self._values = {name.lower(): value for name, value in items}

    @staticmethod
    def of(items: Iterable[_N]) -> NameMap[_N]:
        """Return columns, checks or other things by their names."""
        named: NameMap[_N] = NameMap()
        named._values = {item.name.lower(): item for item in items}
        return named

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._values

    def __getitem__(self, name: str) -> _V:
        return self._values[name.lower()]

    def __setitem__(self, name: str, value: _V) -> None:
        self._values[name.lower()] = value

    def get(self, name: str) -> _V | None:
        """Return the value of a name, if there is one."""
        return self._values.get(name.lower())

    def setdefault(self, name: str, value: _V) -> _V:
        """Return the value of a name, which is set if it had none before.

        Args:
            name: The name, in any case.
            value: What it is set to then.
        """
        return self._values.setdefault(name.lower(), value)

    def pop(self, name: str) -> _V | None:
        """Remove a name, and return its value, if there is one."""
        return self._values.pop(name.lower(), None)

    def values(self) -> ValuesView[_V]:
        """Return the values in the order of their names."""
        return self._values.values()
