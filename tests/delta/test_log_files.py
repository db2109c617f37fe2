"""Values of other kinds in the actions of a log, as Delta 4.4.0 takes or refuses them."""

from __future__ import annotations

from typing import Any

from pytest_delta_schema.delta.log_files import value_of_another_kind

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
