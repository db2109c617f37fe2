"""The supported pairs of Spark and Delta, as the project installs them."""

from __future__ import annotations

import re
import sys

import pytest

from pytest_delta_schema.delta import PAIRS
from support.pages import ROOT


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tomllib came with Python 3.11")
def test_each_pair_is_an_extra_that_keeps_an_installed_pyspark_of_its_line() -> None:
    import tomllib  # noqa: PLC0415 - from Python 3.11 on

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    wanted = {
        "spark35": ["delta-spark==3.3.3", "pyspark>=3.5.3,<3.6"],
        "spark40": ["delta-spark==4.0.1", "pyspark>=4.0,<4.1"],
        "spark41": ["delta-spark==4.4.0", "pyspark>=4.1,<4.2"],
        "spark42": ["delta-spark==4.4.0", "pyspark==4.2.0"],
    }

    assert [pair.extra for pair in PAIRS] == list(wanted), "delta/__init__.py has other pairs"
    assert {name: extras.get(name) for name in wanted} == wanted, "pyproject.toml has other extras"
    assert extras["spark"] == extras[PAIRS[-1].extra], "the extra spark of pyproject.toml is not the newest pair"


def test_the_pins_of_a_pair_are_its_versions() -> None:
    for pair in PAIRS:
        path = ROOT / "constraints.txt" if pair is PAIRS[-1] else ROOT / "constraints" / f"{pair.extra}.txt"
        pins = dict(re.findall(r"^([\w-]+)==(\S+)", path.read_text("utf-8"), re.MULTILINE))

        assert (pins["pyspark"], pins["delta-spark"]) == (pair.pyspark, pair.delta_spark), path.relative_to(ROOT)
        assert pair.pyspark.startswith("{}.{}.".format(*pair.spark))


def test_a_line_of_spark_has_the_versions_of_delta_that_are_built_for_it() -> None:
    assert {pair.spark: (pair.oldest, pair.newest) for pair in PAIRS} == {
        (3, 5): ((3, 3), (3, 3)),
        (4, 0): ((4, 0), (4, 4)),
        (4, 1): ((4, 1), (4, 4)),
        (4, 2): ((4, 4), (4, 4)),
    }
