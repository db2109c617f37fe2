"""The modes of a contract: what happens to a difference between a model and the catalog."""

from __future__ import annotations

from typing import Final, Literal, get_args

ContractMode = Literal["manage", "report", "ignore"]
"""``manage``: applies change it. ``report``: it is drift that no apply changes. ``ignore``: it is not compared."""

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
EVOLUTIONS: tuple[Evolution, ...] = get_args(Evolution)
