"""Which changes `make test-mutants` tries, which tests meet them first, and which survivors are known."""

from __future__ import annotations

from mutants.checkouts import nearest_first
from mutants.sample import Mutant, equivalents, is_noticeable, outdated, shuffled

CODE = """\
from typing import TYPE_CHECKING, cast
if TYPE_CHECKING:
    a = 1 + 2
Either = A | B
LIMIT = 1 | 2
@dataclass(frozen=True)
class Value:
    field: int | None = 1
def add(x: int | str = 1 + 1) -> int | None:
    return cast(int | None, x + 1)
def scale(a, /, b, *, c=a * b, **d): ...
def grow(a, /): return [*a, 2]
class Reader(Protocol):
    def read(self, *, again: bool = True): ...
class Stream(Protocol[T]):
    limit = 3
"""
NOTICEABLE = ("1 | 2", "1\ndef", "1 + 1", "x + 1", "* b", "*a, 2")
NOT_NOTICEABLE = (
    *("1 + 2", "A | B", "True", "int | None = 1", "int | str", "int | None:", "int | None, x"),
    *("/, b", "*, c", "/)", "True): ...", "3"),
)


def test_positions_that_no_test_can_notice_are_not_mutated():
    noticeable = is_noticeable(CODE)

    def position(text):
        before = CODE[: CODE.index(text)]
        return before.count("\n") + 1, len(before) - before.rfind("\n") - 1

    assert tuple(text for text in (*NOTICEABLE, *NOT_NOTICEABLE) if noticeable(position(text))) == NOTICEABLE


def test_a_seed_gives_the_same_order_and_one_mutant_of_each_position():
    mutants = [Mutant("a.py", line, 0, operator, 0) for line in range(20) for operator in "xyz"]

    order = list(shuffled(mutants, 7))

    assert order == list(shuffled(mutants[::-1], 7)) != list(shuffled(mutants, 8))
    assert sorted(mutant.line for mutant in order) == list(range(20))


def test_tests_of_the_module_come_first_then_those_of_its_package():
    own, other, package, last = (
        f"tests/{path}.py::test"
        for path in ("plan/test_comparison", "rules/test_comparison", "plan/test_x", "a/test_x")
    )

    assert nearest_first("pytest_delta_schema/plan/comparison.py", [last, package, other, own]) == [
        *(own, other, package, last)
    ]


def test_an_equivalent_change_that_cannot_be_made_is_noticed(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\ny = 2\n  y = 2\n")
    listed = tmp_path / "equivalent.txt"
    changes = (("a.py", "x = 1"), ("b.py", "x = 1"), ("a.py", "x = 3"), ("a.py", "y = 2"))
    listed.write_text("\n\n".join(f"{file}:1\n- {before}\n+ x = 2\nx is not used" for file, before in changes))

    assert equivalents(listed) == {(file, before, "x = 2"): "x is not used" for file, before in changes}
    assert list(outdated(listed, tmp_path)) == [
        "b.py does not exist: 'x = 1'",
        "a.py has 0 lines 'x = 3'",
        "a.py has 2 lines 'y = 2'",
    ]
    assert list(outdated()) == []
