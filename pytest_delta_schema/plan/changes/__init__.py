"""Changes: values that say what changes in an existing table, one file for each aspect.

None of them can be built empty, so a plan with a change in it always changes something.
"""

from __future__ import annotations

from typing import Union

from pytest_delta_schema.plan.changes import (
    checks,
    columns,
    comments,
    conversion,
    defaults,
    foreign_keys,
    layout,
    primary_keys,
    properties,
    tags,
    types,
    unique,
)
from pytest_delta_schema.plan.changes.checks import *
from pytest_delta_schema.plan.changes.columns import *
from pytest_delta_schema.plan.changes.comments import *
from pytest_delta_schema.plan.changes.conversion import *
from pytest_delta_schema.plan.changes.defaults import *
from pytest_delta_schema.plan.changes.foreign_keys import *
from pytest_delta_schema.plan.changes.layout import *
from pytest_delta_schema.plan.changes.primary_keys import *
from pytest_delta_schema.plan.changes.properties import *
from pytest_delta_schema.plan.changes.tags import *
from pytest_delta_schema.plan.changes.types import *
from pytest_delta_schema.plan.changes.unique import *

Change = Union[  # noqa: UP007 - a union of classes at run time, on every supported Python
    checks.ChecksChange,
    columns.ColumnsChange,
    comments.CommentsChange,
    conversion.ConversionChange,
    defaults.DefaultsChange,
    foreign_keys.ForeignKeysChange,
    layout.LayoutChange,
    primary_keys.PrimaryKeysChange,
    properties.PropertiesChange,
    tags.TagsChange,
    types.TypesChange,
    unique.UniqueChange,
]
