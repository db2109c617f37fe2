"""Compare expressions; only those whose texts differ are parsed."""

from __future__ import annotations

from pytest_delta_schema.state.expressions import canonical, simplified


def equal_expressions(left: str, right: str) -> bool:
    """Whether two expressions are equal, in any form."""
    if left == right:
        return True
    return canonical(left) == canonical(right) or simplified(left) == simplified(right)


def is_cosmetic(left: str, right: str) -> bool:
    """Whether two expressions are equal and written in different forms."""
    if left == right:
        return False
    return canonical(left) != canonical(right) and simplified(left) == simplified(right)
