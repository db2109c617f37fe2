"""Files where a model declares a Delta table, which a conversion may turn into one."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

DELTA, PARQUET, NOTHING = "delta", "parquet", "nothing"


CONVERT = (
    'consent to its conversion with convert_from="parquet" if it is parquet, or declare the table under another name'
)
"""The remedy for files where a model declares a Delta table."""


RESTORE_LOG = "restore _delta_log from a backup, because without it rows that were deleted or replaced come back"
"""The remedy for files of a Delta table whose log is lost. A conversion would bring deleted rows back."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """Files that a conversion would turn into a Delta table.

    Args:
        provider: Their format: ``parquet``; ``delta``, if the table exists and only the catalog does not know it;
            ``nothing``, if there is no file; or a format that cannot be converted, such as ``csv``.
        path: The folder.
        is_registered: Whether the catalog has a table over them under the declared name.
        is_in_place: Whether they are in the folder in which the catalog looks for that table.
        folders: The folders that hold files, below the path, each as its parts; ``()`` is the path itself.
        files: How many files there are.
        conflict: Why the schemas of the files cannot be merged, with the first file that does not fit; ``""`` if they
            can.
        sign: The file which shows that they belong to a Delta table whose log is lost; ``""`` if there is none.
    """

    provider: str
    path: str
    _: KW_ONLY
    is_registered: bool = False
    is_in_place: bool = False
    folders: tuple[tuple[str, ...], ...] = ()
    files: int = 0
    conflict: str = ""
    sign: str = ""
