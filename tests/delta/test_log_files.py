"""Values of other kinds in the actions of a log, as Delta 4.4.0 takes or refuses them."""

from __future__ import annotations

from typing import Any

from pytest_delta_schema.delta.log_files import LogListing, value_of_another_kind

CASES: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, ""),
    "texts of any kind": ({"commitInfo": {"operation": 5, "txnId": []}, "metaData": None}, ""),
    "nulls": ({"commitInfo": None, "txn": {"version": None}}, ""),
    "unknown action": ({"other": 5}, ""),
    "unknown key": ({"add": {"other": 5}}, ""),
    "good values": ({"add": {"size": 5, "dataChange": True, "partitionValues": {}}}, ""),
    "action of a text": ({"add": "x"}, "add"),
    "metadata of a list": ({"metaData": []}, "metaData"),
    "time of a text": ({"commitInfo": {"timestamp": "now"}}, "commitInfo.timestamp"),
    "parameters of a list": ({"commitInfo": {"operationParameters": []}}, "commitInfo.operationParameters"),
    "number of a boolean": ({"add": {"size": True}}, "add.size"),
    "path of a list": ({"remove": {"path": []}}, "remove.path"),
    "two actions": ({"protocol": {}, "other": {}, "metaData": {}}, "protocol and metaData"),
    "large number": ({"txn": {"version": 2**63}}, "txn.version"),
    "largest number": ({"txn": {"version": 2**63 - 1}}, ""),
}


def test_kinds() -> None:
    assert {name: value_of_another_kind(action) for name, (action, _) in CASES.items()} == {
        name: path for name, (_, path) in CASES.items()
    }


def test_checkpoints_have_parts_or_are_of_the_second_version() -> None:
    uuid = "80a083e8-7026-4e79-81be-64bd76c43a11"
    second = [f"{3:020d}.checkpoint.{uuid}.{kind}" for kind in ("json", "parquet")]
    parts = [f"{3:020d}.checkpoint.{number:010d}.{2:010d}.parquet" for number in (1, 2)]

    def newest(*names: str) -> tuple[int, tuple[str, ...]]:
        listing = LogListing.of(names)
        return listing.checkpoint, listing.second_checkpoints

    assert newest(*second, *parts, f"{2:020d}.checkpoint.{uuid}.json") == (3, tuple(second))
    assert newest(*parts) == newest(f"{3:020d}.checkpoint.parquet") == (3, ())
    assert newest(parts[0]) == newest(f"{3:020d}.checkpoint.{uuid[:-1]}.json") == (-1, ())
