"""Compare expressions; only those that differ to the letter cost a parser."""

from __future__ import annotations


def equal_expressions(left: str, right: str) -> bool:
    """Whether two expressions say the same, in whatever form."""
    if left == right:
        return True
    from pytest_delta_schema.state.expressions import canonical, simplified

    return canonical(left) == canonical(right) or simplified(left) == simplified(right)


def is_cosmetic(left: str, right: str) -> bool:
    """Whether two expressions say the same in different forms."""
    if left == right:
        return False
    from pytest_delta_schema.state.expressions import canonical, simplified

    return canonical(left) != canonical(right) and simplified(left) == simplified(right)
