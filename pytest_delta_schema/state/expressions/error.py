"""The error of expressions that cannot be evaluated."""


class ExpressionError(Exception):
    """An expression that cannot be evaluated without Spark."""
