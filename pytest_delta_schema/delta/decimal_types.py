"""The decimal types that exist: those of Spark, Delta's protocol and parquet are the same."""

from __future__ import annotations

import re

LARGEST_PRECISION = 38
_DECIMAL = re.compile(r"decimal\( *([0-9]{1,2}) *, *([0-9]{1,2}) *\)")


def is_decimal(name: str) -> bool:
    """Whether a name is that of a decimal type with from 1 to 38 digits, of which a part follows the point.

    Some clients write blanks between them, which Spark accepts (``DataType.fromJson``, Spark 4.2.0).
    """
    match = _DECIMAL.fullmatch(name)
    return match is not None and int(match[2]) <= int(match[1]) <= LARGEST_PRECISION and int(match[1]) > 0
