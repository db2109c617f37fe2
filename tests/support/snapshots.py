"""Reviewed texts in files of their own."""

from __future__ import annotations

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode


class TextSnapshot(SingleFileSnapshotExtension):
    """A file of text."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"
