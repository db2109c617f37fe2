"""What stands where a Delta table is wanted, and may become one."""

from __future__ import annotations

from typing import NamedTuple

DELTA, PARQUET, NOTHING = "delta", "parquet", "nothing"


CONVERT = (
    'consent to its conversion with convert_from="parquet" if it is parquet, or declare the table under another name'
)
"""What to do about files where a Delta table is wanted."""


RESTORE_LOG = "restore _delta_log from a backup, because without it rows that were deleted or replaced come back"
"""What to do about files of a Delta table whose log is gone; a conversion of them is never the answer."""


class SourceState(NamedTuple):
    """Files that are to become a Delta table.

    Args:
        provider: What they are: ``parquet``; ``delta``, if only the catalog does not know it yet; ``nothing``, if there
            is no file; or something that nobody converts, such as ``csv``.
        path: Where they are.
        is_registered: Whether the catalog has a table of them under the name that is wanted.
        is_in_place: Whether they lie in the folder of that table, where the catalog finds it once it is Delta.
        folders: The folders that hold files, below the path, each as its parts; ``()`` is the path itself.
        files: How many files there are.
        conflict: Why the schemas of the files cannot be merged, with the first file that does not fit; ``""`` if they
            can.
        sign: The file which says that they belong to a Delta table whose log is gone; ``""`` if there is none.
    """

    provider: str
    path: str
    is_registered: bool = False
    is_in_place: bool = False
    folders: tuple[tuple[str, ...], ...] = ()
    files: int = 0
    conflict: str = ""
    sign: str = ""
