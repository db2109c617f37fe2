"""Build the decoders of msgspec in one thread, before several threads decode.

msgspec stores what it knows about a type before that is complete, so a first use of the type in several threads
at once can crash the process (seen: SIGSEGV with msgspec 0.22.0).
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

_BUILDING = Lock()
_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {}


def build_decoders(kinds: Iterable[Any]) -> None:
    """Build the decoders of types, unless they are built already; call it when a catalog is opened."""
    with _BUILDING:
        _DECODERS.update({kind: msgspec.json.Decoder(kind) for kind in kinds if kind not in _DECODERS})


def decoder_of(kind: Any) -> msgspec.json.Decoder[Any]:
    """Return a decoder that was built."""
    return _DECODERS[kind]
