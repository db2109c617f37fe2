"""Misleading consents, and what they agree to at most, through the whole plugin."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from faults.bench import run_pytest, write_settings
from faults.cases import Area, require, require_clean
from support.case_tables import blocks_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from faults.bench import Bench


Thing = tuple[str, ...]

LEGACY: Thing = ("dev", "silver", "orders", "legacy")
ELSEWHERE: Thing = ("prod", "silver", "orders", "legacy")
ZIP: Thing = ("dev", "silver", "lines", "addr", "zip")
FIELD_Y: Thing = ("dev", "silver", "items", "x", "y")
COLUMN_Y: Thing = ("dev", "silver", "items.x", "y")
DOTTED: Thing = ("dev", "silver", "dots", "a.b")
BRACKETS: Thing = ("dev", "silver", "o[1]", "legacy")
LIKE_BRACKETS: Thing = ("dev", "silver", "o1", "legacy")
STAR: Thing = ("dev", "silver", "*", "legacy")
PARTS: Thing = ("dev", "silver", "parts", "partitioned by", "q")


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """One way to say something like a consent.

    ``is_plain`` says that it is as it should be, so what it agrees to has to go; otherwise it may.
    """

    args: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    """Of the section in ``pyproject.toml``, and what follows there."""
    environment: Mapping[str, str] | None = None
    agreed: tuple[Thing, ...] = ()
    is_plain: bool = False


def _allow(*consents: str) -> tuple[str, ...]:
    return tuple(f"--delta-allow={consent}" for consent in consents)


def _entry(path: str, action: str = "drop-column", expires: str = "2999-12-31", reason: str = "x") -> tuple[str, ...]:
    values = (f"action = '{action}'", f"path = '{path}'", f"reason = '{reason}'", f"expires = {expires}")
    return ("[[tool.pytest_delta_schema.allow]]", *values)


_DROP = "drop-column dev.silver"
_ORDERS = "dev.silver.orders.legacy"
_ALLOW = _allow(f"drop-column {_ORDERS}")
_ONE_RUN = f"[{{ action = 'drop-column', path = '{_ORDERS}', reason = 'x', expires = 2999-12-31 }}]"

PLAIN: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[Thing, ...]]] = {
    "a column": (_ALLOW, (), (LEGACY,)),
    "a column in capitals": (_allow("drop-column DEV.Silver.ORDERS.Legacy"), (), (LEGACY,)),
    "blanks around": (_allow(f"  {_DROP}.orders.legacy  "), (), (LEGACY,)),
    "a field": (_allow(f"{_DROP}.lines.addr.zip"), (), (ZIP,)),
    "a rewrite": (_allow("rewrite dev.silver.parts"), (), (PARTS,)),
    "two": (_allow(f"{_DROP}.orders.legacy", f"{_DROP}.lines.addr.zip"), (), (LEGACY, ZIP)),
    "a field of a struct beside a table with a dot": (_allow(f"{_DROP}.items.`x`.`y`"), (), (FIELD_Y,)),
    "a column with a dot": (_allow(f"{_DROP}.dots.`a.b`"), (), (DOTTED,)),
    "a table with a dot": (_allow(f"{_DROP}.`items.x`.y"), (), (COLUMN_Y,)),
    "an entry": ((), _entry(_ORDERS), (LEGACY,)),
    "a setting of one run": ((f"--delta-set=allow={_ONE_RUN}",), (), (LEGACY,)),
    "a pattern for a field": ((), _entry("dev.silver.lines.*.zip"), (ZIP,)),
    "a pattern over parts": ((), _entry("dev.silver.**.zip"), (ZIP,)),
}
"""Consents as they should be, as arguments, lines, and what has to go; without them the others would prove nothing."""

ON_THE_COMMAND_LINE: dict[str, str | tuple[str, Thing]] = {
    "a pattern for the column": f"{_DROP}.orders.*",
    "the table of the name *": (f"{_DROP}.*.legacy", STAR),
    "a table": f"{_DROP}.orders",
    "an empty text": "",
    "the action of a rewrite": "rewrite dev.silver.orders",
    "an action in capitals": ("DROP-COLUMN dev.silver.orders.legacy", LEGACY),
    "the beginning of a name": f"{_DROP}.orders.leg",
    "two consents in one": f"{_DROP}.orders.legacy,dev.silver.lines.addr.zip",
    "two lines": f"{_DROP}.orders.legacy\n{_DROP}.lines.addr.zip",
    "quotes around every part": ("drop-column `dev`.`silver`.`orders`.`legacy`", LEGACY),
    "a letter of another script": f"{_DROP}.orders.leg\u0430cy",
    "a tabulator for the blank": ("drop-column\tdev.silver.orders.legacy", LEGACY),
    "ambiguous: a table with a dot, or a field": f"{_DROP}.items.x.y",
    "the struct around a field": f"{_DROP}.lines.addr",
    "brackets as a class": f"{_DROP}.o[1].legacy1",
    "brackets": (f"{_DROP}.o[1].legacy", BRACKETS),
    "an asterisk that is a name": (f"{_DROP}.`*`.legacy", STAR),
    "a rewrite of a schema": "rewrite dev.silver",
    "a rewrite by the beginning": "rewrite dev.silver.part",
    "the other one of two catalogs": ("drop-column prod.silver.orders.legacy", ELSEWHERE),
}
"""Values of ``--delta-allow``, with what may go, if it is anything; ``support/consent_cases.py`` has every text."""

IN_FILES = {
    "none": Consent(),
    "an entry that has expired": Consent(lines=_entry(_ORDERS, expires="2001-01-01")),
    "an entry that expires at no time": Consent(lines=_entry(_ORDERS)[:-1]),
    "an entry without a reason": Consent(lines=_entry(_ORDERS, reason="")),
    "an entry with a blank reason": Consent(lines=_entry(_ORDERS, reason="  ")),
    "an entry of another action": Consent(lines=_entry(_ORDERS, action="rewrite")),
    "a pattern that would cross dots": Consent(lines=_entry("dev.silver.*.zip")),
    "a pattern for a catalog": Consent(lines=_entry("dev.*.legacy")),
    "a pattern for a table of three parts": Consent(lines=_entry("dev.*")),
    "a pattern for rewrites that would cross dots": Consent(lines=_entry("dev.*", action="rewrite")),
    "a pattern of question marks": Consent(lines=_entry("dev.silver.??????.leg???"), agreed=(LEGACY,)),
    "a pattern for columns": Consent(
        lines=_entry("dev.silver.*.legacy"), agreed=(LEGACY, BRACKETS, LIKE_BRACKETS, STAR)
    ),
    "brackets in an entry": Consent(lines=_entry("dev.silver.o[1].legacy"), agreed=(BRACKETS, LIKE_BRACKETS)),
    "a pattern under a binding": Consent(
        lines=_entry("prod.silver.*.legacy"), args=("--delta-bind=dev.silver=ci.x",), agreed=(ELSEWHERE,)
    ),
    "a list of texts": Consent(lines=(f"allow = ['drop-column {_ORDERS}']",)),
    "an entry in another place": Consent(lines=("[tool.pytest-delta-schema]", *_entry(_ORDERS)[1:])),
    "a setting of one run that is a text": Consent(args=(f"--delta-set=allow={_DROP}.orders.legacy",)),
    "a consent for a protected table": Consent(args=_ALLOW, lines=("protected = ['dev.silver.orders']",)),
    "a consent for a table protected by a pattern": Consent(args=_ALLOW, lines=("protected = ['dev.*']",)),
    "a consent for a table with brackets, protected": Consent(
        args=_allow(f"{_DROP}.o[1].legacy"), lines=("protected = ['dev.silver.o[1]']",)
    ),
    "a consent beyond the highest risk": Consent(args=(*_ALLOW, "--delta-max-risk=metadata")),
    "a consent by an abbreviated option": Consent(args=(f"--delta-al={_DROP}.orders.legacy",)),
    "a consent for the name in the catalog": Consent(
        args=(*_ALLOW, "--delta-bind=dev.silver.orders=prod.silver.orders", "-k", "not prod"), agreed=(ELSEWHERE,)
    ),
    "a consent in a variable of the environment": Consent(
        environment={"DELTA_ALLOW": f"{_DROP}.orders.legacy", "DELTA_SCHEMA_ALLOW": f"{_DROP}.orders.legacy"}
    ),
    "no preflight": Consent(args=("--delta-preflight=off",)),
    "restored on failure": Consent(args=("--delta-set=on_failure=restore",)),
}


def _run(name: str, consent: Consent, bench: Bench) -> None:
    folder = bench.new_folder(name)
    # Every model lacks one thing that its table has.
    for file, source in blocks_in(Path(__file__).with_suffix(".txt")).items():
        (folder / file).write_text(source, "utf-8")
    write_settings(folder, 'models = ["models"]', *consent.lines)
    text = run_pytest(folder, ["--delta-apply", "-m", "delta_apply", *consent.args], consent.environment).stdout
    require_clean(text, "the output")
    require("INTERNALERROR" not in text, f"pytest broke: {text[-600:]}")
    record = folder / "gone.json"
    gone = set(json.loads(record.read_text("utf-8"))) if record.exists() else set()
    agreed = {json.dumps(list(thing)) for thing in consent.agreed}
    require(gone <= agreed, f"gone without consent: {', '.join(sorted(gone - agreed))}")
    left = ", ".join(sorted(agreed - gone))
    require(not (left and consent.is_plain), f"agreed to and still there: {left}; {text[-600:]}")
    bench.clean(folder)


def _cases() -> dict[str, Callable[[Bench], None]]:
    consents = {
        name: Consent(args=args, lines=lines, agreed=agreed, is_plain=True)
        for name, (args, lines, agreed) in PLAIN.items()
    }
    for name, value in ON_THE_COMMAND_LINE.items():
        text, *agreed = (value,) if isinstance(value, str) else value
        consents[name] = Consent(args=_allow(text), agreed=tuple(agreed))
    return {name: partial(_run, name, consent) for name, consent in {**consents, **IN_FILES}.items()}


AREA = Area(name="consents", title="misleading consents", cases=_cases, sample=8)
