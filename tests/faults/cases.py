"""What a fault-injection run consists of: areas, their cases, and how a case ends."""

from __future__ import annotations

import hashlib
import random
import time
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from faults.bench import Bench

SURVIVED, FAILED, SKIPPED = "survived", "failed", "skipped"
"""How a case can end; a skipped case does not count as survived."""


class BrokenInvariantError(Exception):
    """Something is not as it has to be after the fault."""


class NotTriedError(Exception):
    """The fault could not be injected, so nothing was proved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One fault at one place.

    Args:
        area: Name of its area.
        name: Unique in the area and the same for the same seed.
        values: What the area needs to run it.
    """

    area: str
    name: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def random(self, seed: int) -> random.Random:
        """Return the case's own source of random numbers, the same for the same seed."""
        digest = hashlib.sha256(f"{seed}/{self.area}/{self.name}".encode()).digest()
        return random.Random(digest)  # noqa: S311 - reproducible, nothing is kept secret with it


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a case ended.

    Args:
        case: Which.
        status: ``survived``, ``failed`` or ``skipped``.
        reason: Why it did not survive.
        seconds: How long it took.
    """

    case: Case
    status: str
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """One kind of fault.

    Args:
        name: As in ``--only``.
        title: As in the table.
        cases: Returns all cases for a seed.
        run: Injects the fault of a case and checks every invariant; raises if one is broken.
        sample: How many cases a run of ``make test`` takes; 0 for none.
        needs_jvm: Whether a JVM is started for it.
        lanes: How many cases run side by side.
    """

    name: str
    title: str
    cases: Callable[[int], Sequence[Case]]
    run: Callable[[Case, Bench], None]
    sample: int
    needs_jvm: bool = False
    lanes: int = 2


def run_case(area: Area, case: Case, bench: Bench) -> Outcome:
    """Run one case; nothing that it raises leaves this function."""
    started = time.monotonic()
    status, reason = SURVIVED, ""
    try:
        area.run(case, bench)
    except NotTriedError as error:
        status, reason = SKIPPED, str(error)
    except BrokenInvariantError as error:
        status, reason = FAILED, str(error)
    except Exception as error:  # noqa: BLE001 - whatever it is, the case did not survive
        where = traceback.extract_tb(error.__traceback__)
        steps = " < ".join(f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in reversed(where[-5:]))
        status, reason = FAILED, f"{type(error).__name__}: {error} (raised at {steps})"
    return Outcome(case=case, status=status, reason=reason, seconds=time.monotonic() - started)


def selection(area: Area, seed: int) -> list[Case]:
    """Return the cases of an area that a run of ``make test`` takes, spread evenly over all of them."""
    cases = area.cases(seed)
    if not area.sample or len(cases) <= area.sample:
        return list(cases)[: area.sample]
    offset = seed % (len(cases) // area.sample)
    return [cases[index * len(cases) // area.sample + offset] for index in range(area.sample)]
