"""Table features: which properties enable them, and what clients lose by them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_delta_schema.delta.features import (
    FEATURES,
    READER_FEATURES,
    WRITER_FEATURES,
    feature_named,
    feature_of,
    is_read_by_clients,
    loss,
)


def test_every_feature_concerns_readers_or_writers_only() -> None:
    assert sorted({*READER_FEATURES, *WRITER_FEATURES}) == list(FEATURES)
    assert set(READER_FEATURES).isdisjoint(WRITER_FEATURES)


@pytest.mark.parametrize(
    ("key", "value", "feature"),
    [
        ("delta.enableDeletionVectors", "true", "deletionVectors"),
        ("DELTA.ENABLEDELETIONVECTORS", True, "deletionVectors"),
        ("delta.enableDeletionVectors", "false", None),
        ("delta.enableDeletionVectors", None, None),
        ("delta.columnMapping.mode", "name", "columnMapping"),
        ("delta.columnMapping.mode", "id", "columnMapping"),
        ("delta.columnMapping.mode", "none", None),
        ("delta.checkpointPolicy", "v2", "v2Checkpoint"),
        ("delta.checkpointPolicy", "classic", None),
        ("delta.feature.clustering", "supported", "clustering"),
        ("delta.feature.newFeature", "enabled", "newFeature"),
        ("delta.feature.clustering", None, None),
        ("delta.logRetentionDuration", "interval 3 days", None),
        ("team", "true", None),
    ],
)
def test_a_property_enables_a_feature(key: Any, value: Any, feature: Any) -> None:
    assert feature_of(key, value) == feature


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("clustering", "clustering"),
        ("DeletionVectors", "deletionVectors"),
        ("typeWidening-preview", "typeWidening"),
        ("delta.feature.newFeature", "newFeature"),
    ],
)
def test_names_of_features(text: Any, name: Any) -> None:
    assert feature_named(text) == name


@pytest.mark.parametrize(
    ("feature", "is_read"),
    [("clustering", False), ("collations-preview", False), ("variantType-preview", True), ("newFeature", True)],
)
def test_readers_have_to_know_a_feature_unless_it_is_known_to_concern_writers_only(feature: Any, is_read: Any) -> None:
    assert is_read_by_clients(feature) is is_read


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("delta.minReaderVersion", "clients of older protocols lose the table"),
        ("delta.columnMapping.mode", "clients that do not know columnMapping can neither read nor write the table"),
        ("delta.feature.clustering", "clients that do not know clustering can no longer write the table"),
        (
            "delta.feature.variantType-preview",
            "clients that do not know variantType-preview can neither read nor write the table",
        ),
    ],
)
def test_what_clients_lose(key: Any, text: Any) -> None:
    assert loss(key) == text
