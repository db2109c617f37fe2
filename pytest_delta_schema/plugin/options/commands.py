"""Explain codes or start a project, instead of running tests: ``--delta-explain`` and ``--delta-init``."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import TYPE_CHECKING

import pytest

from pytest_delta_schema.diagnostics.escaping import printed
from pytest_delta_schema.plugin.options.init import start_project
from pytest_delta_schema.plugin.options.registration import project_folder
from pytest_delta_schema.report.codes import explained

if TYPE_CHECKING:
    from collections.abc import Sequence


def command_output(config: pytest.Config, codes: Sequence[str] | None) -> str:
    """Explain codes, or start a project, and return what to print.

    Each value of ``--delta-explain`` is one code or several with commas between them; ``None`` is for ``--delta-init``.

    Raises:
        pytest.UsageError: If a code does not exist, or the project cannot be started; nothing is written then.
    """
    if codes is None:
        lines = start_project(project_folder(config), config)
        return "".join(f"delta schema: {printed(line)}\n" for line in lines)
    try:
        return f"{explained(codes, get_terminal_size().columns)}\n"
    except ValueError as error:
        raise pytest.UsageError(printed(str(error))) from None
