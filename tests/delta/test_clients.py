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


@pytest.mark.parametrize(
    ("client", "feature", "version", "reads", "writes"),
    [
        ("delta-spark", "deletionVectors", (2, 3), True, True),
        ("delta-spark", "typeWidening-preview", (3, 2), True, True),
        ("databricks", "typeWidening", (14, 3), False, False),
        ("trino", "deletionVectors", (430,), True, False),
        ("trino", "typeWidening", (470,), True, False),
        ("trino", "clustering", (482,), None, None),
        ("deltalake", "clustering", (1, 6, 6), False, False),
        ("deltalake", "columnMapping", (1, 6), None, None),
        ("power-bi", "timestampNtz", (), False, False),
        ("athena", "deletionVectors", (), None, None),
        ("trino", "newFeature", (470,), None, None),
    ],
)
def test_what_clients_support(client: Any, feature: Any, version: Any, reads: Any, writes: Any) -> None:
    cell = ClientFeatures().cell(client, feature)

    assert (cell.reads.of(version), cell.writes.of(version)) == (reads, writes)


def test_a_project_corrects_cells() -> None:
    features = ClientFeatures(
        [
            ("trino.clustering", "482"),
            ("athena.DELETIONVECTORS", "yes"),
            ("trino.delta.feature.newFeature-preview", "read 490, write never"),
        ],
    )

    assert features.cell("trino", "clustering").writes.of((482,)) is True
    assert features.cell("athena", "deletionVectors").reads.of(()) is True
    assert features.cell("trino", "newFeature").writes.of((490,)) is False
    assert features.cell("trino", "clustering").source == "setting client_features of the project"


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        (
            "trinoo.clustering",
            "482",
            (
                "'trinoo.clustering' begins with no client; clients are delta-spark, databricks, trino, deltalake, duckdb,"
                " fabric-spark, fabric-sql, power-bi, athena, snowflake"
            ),
        ),
        ("trino", "482", "there is no table feature ; write delta.feature. if it is newer than this package"),
        (
            "trino.clusterin",
            "482",
            (
                "there is no table feature clusterin; did you mean clustering? write delta.feature.clusterin if it is newer"
                " than this package"
            ),
        ),
        (
            "trino.clustering",
            "soon",
            (
                "trino.clustering: 'soon' names no versions; write '454', '<=481', '427..454', 'never', 'never <=481',"
                " 'yes' or 'unknown', or 'read ..., write ...'"
            ),
        ),
    ],
)
def test_a_correction_that_names_nothing(key: Any, text: Any, message: Any) -> None:
    with pytest.raises(ValueError, match=r"names no|no client|no table feature") as caught:
        ClientFeatures([(key, text)])

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("470", (470,)), ("15.4", (15, 4)), ("15.4.0", (15, 4)), ("4.0.1", (4, 0, 1)), ("0", ())],
)
def test_a_version_is_its_numbers_without_zeros_at_the_end(text: Any, numbers: Any) -> None:
    assert parse_version(text) == numbers


@pytest.mark.parametrize("text", ["", "x", "15.4 LTS", "1.", "v2", "-1", "1.5b1"])
def test_what_is_no_version(text: Any) -> None:
    with pytest.raises(ValueError, match=r"is not a version; write numbers with dots, such as 15\.4"):
        parse_version(text)


@pytest.mark.parametrize(
    ("text", "answers", "reason"),
    [
        ("454", {"453": False, "454": True, "454.0": True, "500": True}, "version 454 is the first that can"),
        ("15.4", {"15.3": False, "15.4": True, "16": True, "9.1": False}, "version 15.4 is the first that can"),
        ("<=481", {"480": None, "481": True, "490": True}, "version 481 is the first that can"),
        ("< = 481", None, ""),
        (
            "3.3.3..4.0.1",
            {"3.3": False, "3.3.3": False, "4.0": None, "4.0.1": True},
            "version 3.3.3 cannot, version 4.0.1 can",
        ),
        ("never", {"1": False, "9999": False}, "no version can"),
        ("never <=481", {"1": False, "481": False, "482": None}, "no version up to 481 can"),
        ("yes", {"0": True, "9999": True}, ""),
        (" unknown ", {"1": None}, ""),
        ("", None, ""),
        (">=454", None, ""),
        ("454, 455", None, ""),
    ],
)
def test_a_text_says_which_versions_support_a_feature(text: Any, answers: Any, reason: Any) -> None:
    if answers is None:
        with pytest.raises(ValueError, match=r"names no versions; write '454', '<=481', '427\.\.454', 'never',"):
            parse_support(text)
        return

    support = parse_support(text)

    assert {version: support.of(parse_version(version)) for version in answers} == answers
    assert reason in support.reason


@pytest.mark.parametrize(("text", "answer"), [("yes", True), ("never", False), ("unknown", None)])
def test_a_client_without_versions(text: Any, answer: Any) -> None:
    assert parse_support(text).of(()) is answer


def test_reading_and_writing_may_differ() -> None:
    first, second = Support(since="427", lacks_otherwise=True), Support(lacks_until="481")

    cells = [parse_read_and_write(text, "a page") for text in ("read 427, write never <=481", "427")]

    assert [(cell.reads, cell.writes) for cell in cells] == [(first, second), (first, first)]
    with pytest.raises(ValueError, match="'soon' names no versions"):
        parse_read_and_write("read 427, write soon", "a page")
