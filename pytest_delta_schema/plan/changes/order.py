"""The order in which the changes of a table run: one table."""

from __future__ import annotations

from enum import IntEnum, auto


class Step(IntEnum):
    """The steps of an alignment, in order; readers can live with every state between two of them."""

    CONVERT = auto()
    DROP_FOREIGN_KEYS = auto()
    ENABLE_FEATURES = auto()
    """Properties, if a later change needs a table feature that they enable."""
    DROP_PRIMARY_KEY = auto()
    DROP_UNIQUE = auto()
    DROP_CHECKS = auto()
    UNSET_TAGS = auto()
    RENAME_COLUMNS = auto()
    ADD_COLUMNS = auto()
    CHANGE_TYPES = auto()
    CHANGE_CLUSTERING = auto()
    REWRITE_LAYOUT = auto()
    DROP_COLUMNS = auto()
    MOVE_COLUMNS = auto()
    CHANGE_DEFAULTS = auto()
    CHANGE_GENERATION = auto()
    CHANGE_NULLABILITY = auto()
    ADD_CHECKS = auto()
    ADD_PRIMARY_KEY = auto()
    ADD_UNIQUE = auto()
    SET_COLUMN_COMMENTS = auto()
    SET_TABLE_COMMENT = auto()
    SET_PROPERTIES = auto()
    UNSET_PROPERTIES = auto()
    REMOVE_COLUMN_MAPPING = auto()
    """Late, because dropped and renamed columns need column mapping."""
    SET_TAGS = auto()
    ADD_FOREIGN_KEYS = auto()
