"""Versions of clients, and the texts that say which of them support a table feature."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_delta_schema.delta.clients import Support, parse_read_and_write, parse_support, parse_version


@pytest.mark.parametrize(
    ("text", "numbers"), [("470", (470,)), ("15.4", (15, 4)), ("15.4.0", (15, 4)), ("4.0.1", (4, 0, 1)), ("0", ())]
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

    assert parse_read_and_write("read 427, write never <=481") == (first, second)
    assert parse_read_and_write("427") == (first, first)
    with pytest.raises(ValueError, match="'soon' names no versions"):
        parse_read_and_write("read 427, write soon")
