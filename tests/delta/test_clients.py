"""The table of clients and table features, and what a project corrects in it."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_delta_schema.delta.clients import (
    _TABLE,
    KNOWN_CLIENTS,
    LOOKED_UP,
    ClientFeatures,
    Support,
    cells_of_package,
    parse_read_and_write,
    parse_support,
    parse_version,
)
from pytest_delta_schema.delta.protocol import FEATURES
from pytest_delta_schema.models.clients import parse_client
from support.case_tables import cases, refusal
from support.snapshots import ReviewedCases


def test_every_cell_names_a_known_client_a_known_feature_versions_and_a_source() -> None:
    cells = {(client, feature): cell for client in KNOWN_CLIENTS for feature, cell in cells_of_package(client).items()}

    assert len(cells) > 90
    assert [key for key in cells if key[1] not in FEATURES] == []
    assert [key for key, cell in cells.items() if not cell.source.endswith(f", {LOOKED_UP}")] == []
    used = {source for known in KNOWN_CLIENTS.values() for _, source in known.features.values()}
    assert used == set(_TABLE["sources"])


def test_versions_are_said_of_clients_with_versions_only() -> None:
    texts = {(client, text) for client, known in KNOWN_CLIENTS.items() for text, _ in known.features.values()}
    numbered = {client for client, text in texts if any(sign.isdigit() for sign in text)}

    assert numbered == {client for client, known in KNOWN_CLIENTS.items() if known.has_versions}


def test_every_example_and_every_synonym_names_a_client() -> None:
    assert [parse_client(known.example).name for known in KNOWN_CLIENTS.values()] == list(KNOWN_CLIENTS)
    synonyms = [synonym for known in KNOWN_CLIENTS.values() for synonym in known.synonyms]
    assert len(synonyms) == 8
    assert not {*KNOWN_CLIENTS}.intersection(synonyms)


def test_what_clients_support() -> None:
    def support(client: Any, feature: str, version: tuple[int, ...]) -> tuple[bool | None, bool | None]:
        cell = ClientFeatures().cell(client, feature)
        return cell.reads.of(version), cell.writes.of(version)

    with cases(support) as case:
        case("delta-spark", "deletionVectors", (2, 3), (True, True))
        case("delta-spark", "typeWidening-preview", (3, 2), (True, True))
        case("databricks", "typeWidening", (14, 3), (False, False))
        case("trino", "deletionVectors", (430,), (True, False))
        case("trino", "typeWidening", (470,), (True, False))
        case("trino", "clustering", (482,), (None, None))
        case("deltalake", "clustering", (1, 6, 6), (False, False))
        case("deltalake", "columnMapping", (1, 6), (None, None))
        case("power-bi", "timestampNtz", (), (False, False))
        case("athena", "deletionVectors", (), (None, None))
        case("trino", "newFeature", (470,), (None, None))


def test_a_project_corrects_cells() -> None:
    features = ClientFeatures(
        [
            ("trino.clustering", "482"),
            ("athena.DELETIONVECTORS", "yes"),
            ("trino.delta.feature.newFeature-preview", "read 490, write never"),
        ]
    )

    assert features.cell("trino", "clustering").writes.of((482,)) is True
    assert features.cell("athena", "deletionVectors").reads.of(()) is True
    assert features.cell("trino", "newFeature").writes.of((490,)) is False
    assert features.cell("trino", "clustering").source == "setting client_features of the project"


def test_a_correction_that_names_nothing(reviewed: object) -> None:
    case = ReviewedCases(lambda key, text: refusal(lambda: ClientFeatures([(key, text)]), error=ValueError))
    case.unnamed("trinoo.clustering", "482")
    case.unnamed("trino", "482")
    case.unnamed("trino.clusterin", "482")
    case.unnamed("trino.clustering", "soon")
    assert case.text == reviewed


def test_a_version_is_its_numbers_without_zeros_at_the_end() -> None:
    versions = {"470": (470,), "15.4": (15, 4), "15.4.0": (15, 4), "4.0.1": (4, 0, 1), "0": ()}

    assert {text: parse_version(text) for text in versions} == versions
    for text in ("", "x", "15.4 LTS", "1.", "v2", "-1", "1.5b1"):
        with pytest.raises(ValueError, match=r"is not a version; write numbers with dots, such as 15\.4"):
            parse_version(text)


def test_a_text_says_which_versions_support_a_feature() -> None:
    def answers(text: str, *versions: str) -> tuple[str, list[bool | None]]:
        support = parse_support(text)
        return support.reason, [support.of(parse_version(version)) for version in versions]

    with cases(answers) as case:
        first, cannot = "version {} is the first that can", "no version up to 481 can"
        case("454", "453", "454", "454.0", "500", (first.format(454), [False, True, True, True]))
        case("15.4", "15.3", "15.4", "16", "9.1", (first.format(15.4), [False, True, True, False]))
        case("<=481", "480", "481", "490", (first.format(481), [None, True, True]))
        between = "version 3.3.3 cannot, version 4.0.1 can"
        case("3.3.3..4.0.1", "3.3", "3.3.3", "4.0", "4.0.1", (between, [False, False, None, True]))
        case("never", "0", "9999", ("no version can", [False, False]))
        case("never <=481", "1", "481", "482", (cannot, [False, False, None]))
    assert [parse_support("yes").of(version) for version in ((), (9999,))] == [True, True]
    assert [parse_support(" unknown ").of(version) for version in ((), (1,))] == [None, None]
    for text in ("< = 481", "", ">=454", "454, 455"):
        with pytest.raises(ValueError, match=r"names no versions; write '454', '<=481', '427\.\.454', 'never',"):
            parse_support(text)


def test_reading_and_writing_may_differ() -> None:
    first, second = Support(since="427", lacks_otherwise=True), Support(lacks_until="481")

    cells = [parse_read_and_write(text, "a page") for text in ("read 427, write never <=481", "427")]

    assert [(cell.reads, cell.writes) for cell in cells] == [(first, second), (first, first)]
    with pytest.raises(ValueError, match="'soon' names no versions"):
        parse_read_and_write("read 427, write soon", "a page")
