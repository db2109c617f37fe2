"""All logs that are written by hand, by names that say what is odd."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.hand_made_logs import checkpoints, files, schemas

if TYPE_CHECKING:
    from collections.abc import Mapping

    from support.hand_made_logs.files import Write

CASES: Mapping[str, Write] = {
    **files.ACTION_CASES,
    **schemas.CASES,
    **files.FEATURE_CASES,
    **files.FILE_CASES,
    **checkpoints.CHECKPOINT_CASES,
    **checkpoints.SECOND_CHECKPOINT_CASES,
}

SCHEMAS_ONLY = schemas.CASES.keys() | files.FEATURE_CASES.keys()
"""Logs whose list of files is the same in all."""
