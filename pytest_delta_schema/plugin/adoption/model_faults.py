"""Why the model of a table was not written, or not as it should be."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from pytest_delta_schema.diagnostics.escaping import escaped_lines
from pytest_delta_schema.plugin.outcomes.failures import ContractFailure


class ModelFault(NamedTuple):
    """Why an import or an edit of a model failed."""

    headline: str
    lines: tuple[str, ...] = ()


def fail(name: str, fault: ModelFault) -> NoReturn:
    """Fail the item of a table.

    Raises:
        ContractFailure: Always.
    """
    headline = f"{name}: {fault.headline}"
    raise ContractFailure(headline, "\n".join(map(escaped_lines, fault.lines)), name)
