"""Consents in a project file: what is a reason, and what is a last day."""

from __future__ import annotations

from datetime import date, datetime, timezone

import pytest

from pytest_delta_schema.configuration import section as section_entries
from pytest_delta_schema.configuration.section import SettingError, consents_of_entries

ENTRY = {
    "action": "drop-column",
    "path": "dev.silver.orders.legacy",
    "reason": "moved to payments",
    "expires": date(2999, 12, 31),
}


def test_a_reason_has_a_letter_or_a_digit():
    reasons = ["moved to payments", " DATA-412 ", "7", "\u79fb\u52d5", "\u200bmoved"]
    read = [consents_of_entries([ENTRY | {"reason": reason}], "allow") for reason in reasons]

    assert [consent.reason for consents in read for consent in consents] == [reason.strip() for reason in reasons]


def faults_of(**parts):
    with pytest.raises(SettingError) as caught:
        consents_of_entries([ENTRY | parts], "allow")
    return caught.value.faults


NO_REASONS = [
    "", " ", "\t\n", "\u200b", "\u2060\ufeff", "\u00ad", "\u3164", "\u115f\u1160", "\uffa0", "\u2800", "\u00a0",
    "\u202e\u2066", "\ufe0f", "\U000e0041", "-", "...", 7, True, ["moved"], date(2030, 1, 1),
]  # fmt: skip


def test_what_says_nothing_is_no_reason():
    for reason in NO_REASONS:
        (fault,) = faults_of(reason=reason)
        assert fault.startswith("allow entry 1: reason is "), reason
        assert fault.endswith("; write in words why it is given"), reason


def test_only_a_date_is_a_last_day():
    days = {
        "2999-12-31": "'2999-12-31'",
        datetime(2999, 12, 31, 10, 0, tzinfo=timezone.utc): "2999-12-31 10:00:00+00:00",
        datetime(2999, 12, 31): "2999-12-31 00:00:00",  # noqa: DTZ001 - TOML has local times
        "soon": "'soon'",
        29991231: "29991231",
        True: "True",
    }

    assert [faults_of(expires=day) for day in days] == [
        (f"allow entry 1: expires is {shown}; write a day without quotes and time: 2030-12-31",)
        for shown in days.values()
    ]


@pytest.mark.parametrize(("now", "is_expired"), [("2030-12-31T23:59:59", False), ("2031-01-01T00:00:00", True)])
def test_a_consent_expires_at_the_end_of_its_last_day_in_utc(monkeypatch, now, is_expired):
    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            assert tz is timezone.utc
            return datetime.fromisoformat(now).replace(tzinfo=tz)

    monkeypatch.setattr(section_entries, "datetime", Clock)
    consents = consents_of_entries([ENTRY | {"expires": date(2030, 12, 31)}], "allow")

    assert len(section_entries.expired(consents)) == is_expired
