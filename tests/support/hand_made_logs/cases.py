"""All logs that are written by hand, by names that say what is odd."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.hand_made_logs import actions, checkpoints, features, files, schemas, second_checkpoints

if TYPE_CHECKING:
    from collections.abc import Mapping

    from support.hand_made_logs.writing import Write

CASES: Mapping[str, Write] = {
    **actions.CASES,
    **schemas.CASES,
    **features.CASES,
    **files.CASES,
    **checkpoints.CASES,
    **second_checkpoints.CASES,
}

SCHEMAS_ONLY = schemas.CASES.keys() | features.CASES.keys()
"""Logs whose list of files is the same in all."""
