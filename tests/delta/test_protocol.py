"""Table features: which properties enable them, and what clients lose by them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_delta_schema.delta.protocol import (
    FEATURES,
    READER_FEATURES,
    WRITER_FEATURES,
    feature_named,
    feature_of,
    feature_of_type,
    is_read_by_clients,
    loss,
    missing_features,
    needed_by_property,
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
    ("enabled", "text"),
    [
        ([], ""),
        (["delta.minreaderversion"], "clients of older protocols lose the table"),
        (
            ["columnMapping", "clustering"],
            "clients that do not know clustering, columnMapping can neither read nor write the table",
        ),
        (
            ["clustering", "delta.minwriterversion"],
            "clients that do not know clustering can no longer write the table",
        ),
        (
            ["variantType-preview"],
            "clients that do not know variantType-preview can neither read nor write the table",
        ),
        (["newFeature"], "clients that do not know newFeature can neither read nor write the table"),
    ],
)
def test_what_clients_lose(enabled: Any, text: Any) -> None:
    assert loss(enabled) == text


@pytest.mark.parametrize(
    ("key", "value", "needed"),
    [
        ("delta.minWriterVersion", "7", {"delta.minwriterversion"}),
        ("delta.enableRowTracking", "true", {"rowTracking", "domainMetadata"}),
        ("delta.feature.variantShredding", "supported", {"delta.feature.variantShredding", "variantType"}),
        ("delta.enableRowTracking", "false", set()),
        ("team", "true", set()),
    ],
)
def test_what_a_property_needs(key: Any, value: Any, needed: Any) -> None:
    assert needed_by_property(key, value) == needed


@pytest.mark.parametrize(
    ("needed", "supported", "missing"),
    [
        (["rowTracking", "domainMetadata"], ["domainMetadata"], {"rowTracking"}),
        (["typeWidening"], ["typeWidening-preview"], set()),
        (["variantShredding-preview"], ["variantShredding"], set()),
        (["delta.feature.typeWidening"], ["typeWidening-preview"], {"typeWidening"}),
        (["delta.feature.TypeWidening"], ["typeWidening"], set()),
        (["delta.minwriterversion"], [], {"delta.minwriterversion"}),
    ],
)
def test_what_a_table_lacks(needed: Any, supported: Any, missing: Any) -> None:
    assert missing_features(needed, supported) == missing


@pytest.mark.parametrize(
    ("data_type", "feature"),
    [("variant", "variantType"), ("string collate UTF8_LCASE", "collations"), ("string", None), ("timestamp", None)],
)
def test_the_feature_of_a_type(data_type: Any, feature: Any) -> None:
    assert feature_of_type(data_type) == feature
