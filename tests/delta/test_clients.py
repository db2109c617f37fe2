"""The table of clients and table features, and what a project corrects in it."""

from __future__ import annotations

import pytest

from pytest_delta_schema.delta.clients import (
    _TABLE,
    KNOWN_CLIENTS,
    LOOKED_UP,
    ClientFeatures,
    cells_of_package,
    parse_support,
    parse_version,
)
from pytest_delta_schema.delta.protocol import FEATURES
from support.case_tables import cases, refusal
from support.snapshots import ReviewedCases


def test_every_cell_names_a_known_client_a_known_feature_versions_and_a_source() -> None:
    cells = {(client, feature): cell for client in KNOWN_CLIENTS for feature, cell in cells_of_package(client).items()}

    assert len(cells) > 90
    assert [key for key in cells if key[1] not in FEATURES] == []
    assert [key for key, cell in cells.items() if not cell.source.endswith(f", {LOOKED_UP}")] == []
    used = {source for known in KNOWN_CLIENTS.values() for _, source in known.features.values()}
    assert used == set(_TABLE["sources"])


def test_a_correction_that_names_nothing(reviewed: object) -> None:
    case = ReviewedCases(lambda key, text: refusal(lambda: ClientFeatures([(key, text)]), error=ValueError))
    case.unnamed("trinoo.clustering", "482")
    case.unnamed("trino", "482")
    case.unnamed("trino.clusterin", "482")
    case.unnamed("trino.clustering", "soon")
    assert case.text == reviewed


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


def test_a_project_corrects_cells() -> None:
    features = ClientFeatures([("trino.CLUSTERING", "read 490, write never")])

    assert features.cell("trino", "clustering").reads.of((490,)) is True
    assert features.cell("trino", "clustering").writes.of((490,)) is False
