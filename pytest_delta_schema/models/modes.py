"""The modes of a contract: what happens to a difference between a model and the catalog."""

from __future__ import annotations

from typing import Final, Literal, get_args

ContractMode = Literal["manage", "report", "ignore"]
"""``manage``: applies change it. ``report``: it is drift that no apply changes. ``ignore``: it is not compared."""

PropertyMode = Literal["manage", "report", "ignore", "require", "forbid"]
"""The modes of a contract; besides, every model has to declare a key (``require``), or none may (``forbid``)."""

UnmanagedMode = Literal["ignore", "report", "fail"]
"""What a gate does about a table that no model declares."""

Evolution = Literal["strict", "additive"]
"""``strict``: a column that the model does not declare is drift. ``additive``: it is accepted, with a note."""

MANAGE: Final = "manage"
REPORT: Final = "report"
IGNORE: Final = "ignore"
REQUIRE: Final = "require"
FORBID: Final = "forbid"
FAIL: Final = "fail"
STRICT: Final = "strict"
ADDITIVE: Final = "additive"

CONTRACT_MODES: tuple[ContractMode, ...] = get_args(ContractMode)
PROPERTY_MODES: tuple[PropertyMode, ...] = get_args(PropertyMode)
UNMANAGED_MODES: tuple[UnmanagedMode, ...] = get_args(UnmanagedMode)
EVOLUTIONS: tuple[Evolution, ...] = get_args(Evolution)
