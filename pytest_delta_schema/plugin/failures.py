"""How a failed check reads: one line in the summary, the whole story above, and no traceback of ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest._code.code import ExceptionChainRepr, ReprFileLocation, ReprTracebackNative
from _pytest.outcomes import Failed

from pytest_delta_schema.escaping import escaped_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.errors import Location
    from pytest_delta_schema.models.declared_at import DeclaredAt


class ContractFailure(Exception):  # noqa: N818 - a finding, not a malfunction
    """A check found something.

    Args:
        headline: One line.
        body: Everything else, in which only SQL may hold what a terminal obeys.
    """

    def __init__(self, headline: str, body: str = "") -> None:
        self.headline = one_line([headline])
        self.body = body
        super().__init__(f"{self.headline}\n\n{body}" if body else self.headline)


class NotOpened(Failed):
    """The catalog could not be opened, so that nothing can be said of any table.

    Args:
        why: One line.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why, pytrace=False)


_NOT_OPENED = pytest.StashKey[bool]()


_POINTER = "not checked, because the catalog could not be opened; the first error of this run says why"


def shown_once(config: pytest.Config, error: NotOpened) -> str:
    """Return what the report of an item says whose catalog could not be opened: the first one why, others less.

    Args:
        config: The run's configuration.
        error: What stopped the item.
    """
    is_first = not config.stash.get(_NOT_OPENED, False)
    config.stash[_NOT_OPENED] = True
    return str(error) if is_first else _POINTER


def representation(failure: ContractFailure, origin: DeclaredAt) -> ExceptionChainRepr:
    """Show a failure at the model's declaration.

    The chain form is the only one that keeps its one-line summary on CI, in JUnit and across xdist alike.
    """
    text = f"{failure.headline}\n\n{failure.body}\n" if failure.body else f"{failure.headline}\n"
    place = ReprFileLocation(origin.path, origin.line, failure.headline)
    return ExceptionChainRepr([(ReprTracebackNative(text.splitlines(keepends=True)), place, None)])


def one_line(parts: Iterable[object]) -> str:
    """Join parts to one line, so that a summary of many failures stays readable."""
    return " ".join(" ".join(escaped_lines(part).split()) for part in parts)


def relative(origin: DeclaredAt | Location, root: Path) -> str:
    """Write file and line of a declaration, relative to a folder.

    Args:
        origin: The declaration.
        root: The folder, such as the root of the project.
    """
    path = Path(origin.path)
    return f"{path.relative_to(root) if path.is_relative_to(root) else path}:{origin.line}"
