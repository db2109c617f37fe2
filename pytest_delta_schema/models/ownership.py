"""Ownership: which aspects of a table its contract manages, only matches, or leaves to others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from pytest_delta_schema.errors import DeclarationError

ASPECTS = ("columns", "types", "values", "constraints", "comments", "properties", "layout", "tags")
"""What can be owned; a contract owns all of it unless it says otherwise."""

MANAGE, MATCH, IGNORE = MODES = ("manage", "match", "ignore")
"""Managed aspects are brought in line; matched ones are drift that no apply changes; ignored ones are not compared."""

ALL_MANAGED: Mapping[str, str] = MappingProxyType({})


def ownership(owns: object, subject: str) -> Mapping[str, str]:
    """Return the mode of every aspect that is not managed.

    Args:
        owns: The managed aspects, the others being matched; or a mode by aspect, the others being managed.
        subject: Whose it is, for the message.

    Raises:
        DeclarationError: If it names something that is no aspect or no mode.
    """
    if isinstance(owns, Mapping):
        modes = dict(owns)
    elif isinstance(owns, Iterable) and not isinstance(owns, (str, bytes)):
        managed = list(owns)
        modes = {**dict.fromkeys(ASPECTS, MATCH), **dict.fromkeys(managed, MANAGE)}
    else:
        msg = f"{subject}owns is {owns!r}; write a list of aspects, or a mode by aspect: {{'comments': 'match'}}"
        raise DeclarationError(msg)
    strangers = [repr(each) for each in modes if each not in ASPECTS]
    if strangers:
        msg = f"{subject}owns names {', '.join(strangers)}, which is no aspect; aspects are {', '.join(ASPECTS)}"
        raise DeclarationError(msg)
    wrong = [f"{aspect} = {mode!r}" for aspect, mode in modes.items() if mode not in MODES]
    if wrong:
        msg = f"{subject}owns says {', '.join(wrong)}; write one of {', '.join(MODES)}"
        raise DeclarationError(msg)
    found = {aspect: mode for aspect, mode in modes.items() if mode != MANAGE}
    return MappingProxyType(found) if found else ALL_MANAGED
