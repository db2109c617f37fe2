"""The keys that open-source Delta and Databricks know."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_delta_schema.delta.properties import (
    DATABRICKS,
    OPEN_SOURCE,
    is_databricks_only,
    is_known,
    is_open_source,
    nearest_key,
)


@pytest.mark.parametrize(
    ("key", "open_source", "databricks"),
    [
        ("delta.appendOnly", True, False),
        ("DELTA.APPENDONLY", True, False),
        ("delta.constraints.a", True, False),
        ("delta.feature.anything", True, False),
        ("delta.universalFormat.config.x", True, False),
        ("team", True, False),
        ("deltas.own", True, False),
        ("delta.tuneFileSizesForRewrites", False, True),
        ("Delta.TUNEfileSizesForRewrites", False, True),
        ("delta.appendOnyl", False, False),
    ],
)
def test_who_knows_a_key(key: str, open_source: bool, databricks: bool) -> None:
    assert (is_open_source(key), is_databricks_only(key)) == (open_source, databricks)
    assert is_known(key) == (open_source or databricks)


def test_a_key_that_a_later_delta_knows_is_open_source_there() -> None:
    later = {"delta.targetfilesize"}

    assert is_open_source("delta.targetFileSize", later)
    assert not is_databricks_only("delta.targetFileSize", later)
    assert not is_open_source("delta.appendOnly", later)


def test_no_key_is_in_both_lists() -> None:
    assert [key for key in DATABRICKS if key in OPEN_SOURCE] == []


def test_the_documentation_lists_the_keys_of_databricks() -> None:
    page = Path(__file__).parents[2].joinpath("docs", "explanation", "local-backend.md").read_text("utf-8")

    assert [line.split("`")[1] for line in page.splitlines() if line.startswith("| `delta.")] == [*DATABRICKS]


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("delta.appendOnyl", "delta.appendOnly"),
        ("DELTA.TUNEFILESIZEFORREWRITES", "delta.tuneFileSizesForRewrites"),
        ("delta.???", None),
    ],
)
def test_the_nearest_key(key: str, nearest: str | None) -> None:
    assert nearest_key(key) == nearest
