"""Ownership: which aspects of a table its contract manages, only reports, or ignores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, cast, get_args

from pytest_delta_schema.delta.names import Aspect
from pytest_delta_schema.diagnostics.errors import DeclarationError

ContractMode = Literal["manage", "report", "ignore"]
"""``manage``: applies change it. ``report``: it is drift that no apply changes. ``ignore``: it is not compared."""

MANAGE: Final = "manage"
REPORT: Final = "report"
IGNORE: Final = "ignore"
REQUIRE: Final = "require"
FORBID: Final = "forbid"
FAIL: Final = "fail"

CONTRACT_MODES: tuple[ContractMode, ...] = get_args(ContractMode)

Evolution = Literal["strict", "additive"]
"""``strict``: a column that the model does not declare is drift. ``additive``: it is accepted, with a note."""

STRICT: Final = "strict"
ADDITIVE: Final = "additive"

EVOLUTIONS: tuple[Evolution, ...] = get_args(Evolution)

ASPECTS: tuple[Aspect, ...] = get_args(Aspect)
"""All aspects; a contract manages them all by default."""

Ownership: TypeAlias = "Mapping[Aspect, ContractMode]"
"""The mode of every aspect that a contract does not manage."""

ALL_MANAGED: Ownership = MappingProxyType({})


def ownership(owns: object, subject: str) -> Ownership:
    """Return the mode of every aspect that is not managed."""
    if isinstance(owns, Mapping):
        modes = dict(owns)
    elif isinstance(owns, Iterable) and not isinstance(owns, (str, bytes)):
        managed = list(owns)
        modes = {**dict.fromkeys(ASPECTS, REPORT), **dict.fromkeys(managed, MANAGE)}
    else:
        msg = f"{subject}owns is {owns!r}; write a list of aspects, or a mode by aspect: {{'comments': 'report'}}"
        raise DeclarationError(msg)
    unknown = [repr(aspect) for aspect in modes if aspect not in ASPECTS]
    if unknown:
        noun = "aspect" if len(unknown) == 1 else "aspects"
        msg = f"{subject}owns names the unknown {noun} {', '.join(unknown)}; aspects are {', '.join(ASPECTS)}"
        raise DeclarationError(msg)
    wrong = [f"{aspect} = {mode!r}" for aspect, mode in modes.items() if mode not in CONTRACT_MODES]
    if wrong:
        msg = f"{subject}owns has {', '.join(wrong)}; write one of {', '.join(CONTRACT_MODES)}"
        raise DeclarationError(msg)
    others = {aspect: mode for aspect, mode in modes.items() if mode != MANAGE}
    return cast("Ownership", MappingProxyType(others)) if others else ALL_MANAGED


_READ_ONLY: tuple[Aspect, ...] = ("columns", "types", "comments")
"""The aspects that are compared of an object that no plan changes."""


def read_only_modes(modes: Ownership) -> Ownership:
    """Return the modes of a contract for an object that no plan changes: nothing is managed, and some is compared."""
    compared = [aspect for aspect in _READ_ONLY if modes.get(aspect) != IGNORE]
    return MappingProxyType({aspect: REPORT if aspect in compared else IGNORE for aspect in ASPECTS})
