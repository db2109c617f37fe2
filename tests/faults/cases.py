"""What a fault-injection run consists of: areas, their cases, how a case ends, and what it requires."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from faults.bench import Bench

SURVIVED, FAILED, SKIPPED = "survived", "failed", "skipped"
"""How a case can end; a skipped case does not count as survived."""

SECRET = "dapi-7fc1Zq93-fault-injection-secret"  # noqa: S105 - planted, to be looked for in every text
SECRET_VARIABLE = "UNITY_CATALOG_TOKEN"  # noqa: S105 - a name


class BrokenInvariantError(Exception):
    """Something is not as it has to be after the fault."""


class NotTriedError(Exception):
    """The fault could not be injected, so nothing was proved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """One kind of fault; each case injects a fault, and raises if an invariant is broken."""

    name: str
    title: str
    cases: Callable[[], Mapping[str, Callable[[Bench], None]]]
    sample: int
    """How many cases a run of ``make test`` takes."""
    needs_jvm: bool = False
    lanes: int = 2
    """How many cases run side by side."""


class Outcome(NamedTuple):
    """How a case ended, and why it did not survive."""

    area: str
    case: str
    status: str
    reason: str = ""
    seconds: float = 0.0


def run_case(area: Area, name: str, bench: Bench) -> Outcome:
    """Run one case; nothing that it raises leaves this function."""
    started = time.monotonic()
    status, reason = SURVIVED, ""
    try:
        area.cases()[name](bench)
    except NotTriedError as error:
        status, reason = SKIPPED, str(error)
    except BrokenInvariantError as error:
        status, reason = FAILED, str(error)
    except Exception as error:  # noqa: BLE001 - whatever it is, the case did not survive
        where = traceback.extract_tb(error.__traceback__)
        steps = " < ".join(f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in reversed(where[-5:]))
        status, reason = FAILED, f"{type(error).__name__}: {error} (raised at {steps})"
    return Outcome(area.name, name, status, reason, round(time.monotonic() - started, 2))


def selection(area: Area, seed: int) -> list[str]:
    """Return the cases of an area that a run of ``make test`` takes, spread evenly over all of them."""
    cases = list(area.cases())
    if not area.sample or len(cases) <= area.sample:
        return cases[: area.sample]
    offset = seed % (len(cases) // area.sample)
    return [cases[index * len(cases) // area.sample + offset] for index in range(area.sample)]


def require(condition: object, reason: str) -> None:
    """Fail the case if an invariant does not hold."""
    if not condition:
        raise BrokenInvariantError(reason)


def require_clean(text: str, where: str) -> None:
    """Fail the case if a text for people holds a secret or a traceback."""
    shown = text if len(text) <= 1500 else f"{text[:750]} ... {text[-750:]}"
    require(SECRET not in text, f"{where} holds the secret: {shown}")
    require("Traceback (most recent call last)" not in text, f"{where} holds a traceback: {shown}")
