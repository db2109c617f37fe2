"""Show failed checks: one line in the summary, all details above it, and no traceback of this package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.escaping import escaped_lines
from pytest_delta_schema.plugin.pytest_compat import Failed, failure_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_delta_schema.errors import Location
    from pytest_delta_schema.models.declared_at import DeclaredAt
    from pytest_delta_schema.plugin.pytest_compat import TerminalRepr


class ContractFailure(Exception):  # noqa: N818 - a finding, not a malfunction
    """A check did not pass.

    Args:
        headline: One line.
        body: Everything else; only its SQL may hold control characters.
    """

    def __init__(self, headline: str, body: str = "") -> None:
        self.headline = one_line([headline])
        self.body = body
        super().__init__(f"{self.headline}\n\n{body}" if body else self.headline)


class NotOpened(Failed):
    """The catalog could not be opened, so that no table was checked.

    Args:
        reason: One line.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason, pytrace=False)


_NOT_OPENED = pytest.StashKey[bool]()


_POINTER = "not checked, because the catalog could not be opened; the first error of this run says why"


def shown_once(config: pytest.Config, error: NotOpened) -> str:
    """Return the report of an item whose catalog could not be opened: the reason once, then a reference to it.

    Args:
        config: The run's configuration.
        error: The error of the item.
    """
    is_first = not config.stash.get(_NOT_OPENED, False)
    config.stash[_NOT_OPENED] = True
    return str(error) if is_first else _POINTER


def representation(failure: ContractFailure, origin: DeclaredAt) -> TerminalRepr:
    """Show a failure at the model's declaration.

    The chain form is the only one that keeps its one-line summary on CI, in JUnit and across xdist alike.
    """
    text = f"{failure.headline}\n\n{failure.body}\n" if failure.body else f"{failure.headline}\n"
    return failure_at(origin.path, origin.line, failure.headline, text)


def one_line(parts: Iterable[object]) -> str:
    """Join parts to one line, so that a summary of many failures stays readable."""
    return " ".join(" ".join(escaped_lines(part).split()) for part in parts)


def relative(location: Location, root: Path) -> str:
    """Write file and line of a declaration, relative to a folder.

    Args:
        location: The declaration.
        root: The folder, such as the root of the project.
    """
    path = Path(location.file)
    return str(location._replace(file=str(path.relative_to(root) if path.is_relative_to(root) else path)))
