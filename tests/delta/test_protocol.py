"""Table features: which properties enable them, and what clients lose by them."""

from __future__ import annotations

from pytest_delta_schema.delta.protocol import (
    feature_named,
    feature_of,
    feature_of_type,
    is_read_by_clients,
    loss,
    missing_features,
    needed_by_property,
)
from support.case_tables import cases
from support.snapshots import ReviewedCases


def test_a_property_enables_a_feature() -> None:
    with cases(feature_of) as case:
        case("delta.enableDeletionVectors", "true", "deletionVectors")
        case("delta.enableDeletionVectors", "false", None)
        case("delta.enableDeletionVectors", None, None)
        case("delta.columnMapping.mode", "name", "columnMapping")
        case("delta.columnMapping.mode", "none", None)
        case("delta.checkpointPolicy", "v2", "v2Checkpoint")
        case("delta.checkpointPolicy", "classic", None)
        case("delta.feature.clustering", None, None)


def test_names_of_features() -> None:
    with cases(feature_named) as case:
        case("clustering", "clustering")
        case("DeletionVectors", "deletionVectors")
        case("typeWidening-preview", "typeWidening")
        case("delta.feature.newFeature", "newFeature")


def test_readers_have_to_know_a_feature_unless_it_is_known_to_concern_writers_only() -> None:
    with cases(is_read_by_clients) as case:
        case("clustering", False)
        case("collations-preview", False)
        case("variantType-preview", True)
        case("newFeature", True)


def test_what_clients_lose(reviewed: str) -> None:
    case = ReviewedCases(loss)
    for names in (
        *([], ["delta.minreaderversion"], ["columnMapping", "clustering"], ["clustering", "delta.minwriterversion"]),
        *(["variantType-preview"], ["newFeature"]),
    ):
        case(", ".join(names), names)
    assert case.text == reviewed


def test_what_a_property_needs() -> None:
    with cases(needed_by_property) as case:
        case("delta.minWriterVersion", "7", {"delta.minwriterversion"})
        case("delta.enableRowTracking", "true", {"rowTracking", "domainMetadata"})
        case("delta.feature.variantShredding", "supported", {"delta.feature.variantShredding", "variantType"})
        case("delta.enableRowTracking", "false", set())
        case("team", "true", set())


def test_what_a_table_lacks() -> None:
    with cases(missing_features) as case:
        case(["rowTracking", "domainMetadata"], ["domainMetadata"], {"rowTracking"})
        case(["typeWidening"], ["typeWidening-preview"], set())
        case(["variantShredding-preview"], ["variantShredding"], set())
        case(["delta.feature.typeWidening"], ["typeWidening-preview"], {"typeWidening"})
        case(["delta.feature.TypeWidening"], ["typeWidening"], set())
        case(["delta.minwriterversion"], [], {"delta.minwriterversion"})


def test_the_feature_of_a_type() -> None:
    with cases(feature_of_type) as case:
        case("variant", "variantType")
        case("string collate UTF8_LCASE", "collations")
        case("timestamp", None)
