"""Facts of the Delta protocol, and the versions of Spark and Delta that are supported together."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A line of Spark, and the versions of Delta that are built for it."""

    extra: str
    spark: tuple[int, int]
    pyspark: str
    delta_spark: str
    oldest: tuple[int, int]
    newest: tuple[int, int]


PAIRS = (
    Pair(extra="spark35", spark=(3, 5), pyspark="3.5.9", delta_spark="3.3.3", oldest=(3, 3), newest=(3, 3)),
    Pair(extra="spark40", spark=(4, 0), pyspark="4.0.5", delta_spark="4.0.1", oldest=(4, 0), newest=(4, 4)),
    Pair(extra="spark41", spark=(4, 1), pyspark="4.1.4", delta_spark="4.4.0", oldest=(4, 1), newest=(4, 4)),
    Pair(extra="spark42", spark=(4, 2), pyspark="4.2.0", delta_spark="4.4.0", oldest=(4, 4), newest=(4, 4)),
)
"""The supported pairs, the newest last (source: the artefacts of Delta in Maven Central)."""

NEWEST = PAIRS[-1].newest
"""The version of Delta whose rules hold by default."""


def below(version: tuple[int, int]) -> str:
    """Return the condition of all releases up to the last one of a minor version, as packages declare it."""
    major, minor = version
    return f"<{major}.{minor + 1}"
