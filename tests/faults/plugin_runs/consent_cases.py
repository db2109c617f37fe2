"""Misleading consents: what is given as a consent, and what it agrees to at most."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Thing = tuple[str, ...]

LEGACY: Thing = ("dev", "silver", "orders", "legacy")
ELSEWHERE: Thing = ("prod", "silver", "orders", "legacy")
ZIP: Thing = ("dev", "silver", "lines", "addr", "zip")
FIELD_Y: Thing = ("dev", "silver", "items", "x", "y")
COLUMN_Y: Thing = ("dev", "silver", "items.x", "y")
DOTTED: Thing = ("dev", "silver", "dots", "a.b")
FIELD_B: Thing = ("dev", "silver", "fields", "a", "b")
BRACKETS: Thing = ("dev", "silver", "o[1]", "legacy")
LIKE_BRACKETS: Thing = ("dev", "silver", "o1", "legacy")
STAR: Thing = ("dev", "silver", "*", "legacy")
PARTS: Thing = ("dev", "silver", "parts", "partitioned by", "q")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentCase:
    """One way to say something like a consent.

    Args:
        allow: Values of ``--delta-allow``.
        entries: Lines of ``pyproject.toml``.
        ini: Lines of the ini file.
        args: Other arguments of pytest.
        environment: Variables.
        agreed: What may go.
        is_plain: Whether it has to go, because the consent is as it should be.
    """

    allow: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    ini: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    agreed: tuple[Thing, ...] = ()
    is_plain: bool = False


def _entry(path: str, action: str = "drop-column", expires: str = "2999-12-31", reason: str = "x") -> tuple[str, ...]:
    return (
        "[[tool.pytest_delta_schema.allow]]",
        f"action = '{action}'",
        f"path = '{path}'",
        f"reason = '{reason}'",
        f"expires = {expires}",
    )


def _plain(*consents: str, agreed: tuple[Thing, ...]) -> ConsentCase:
    return ConsentCase(allow=consents, agreed=agreed, is_plain=True)


def _nothing(*consents: str) -> ConsentCase:
    return ConsentCase(allow=consents)


_DROP = "drop-column dev.silver"

PLAIN = {
    "a column": _plain(f"{_DROP}.orders.legacy", agreed=(LEGACY,)),
    "a column in capitals": _plain("drop-column DEV.Silver.ORDERS.Legacy", agreed=(LEGACY,)),
    "blanks around": _plain(f"  {_DROP}.orders.legacy  ", agreed=(LEGACY,)),
    "a field": _plain(f"{_DROP}.lines.addr.zip", agreed=(ZIP,)),
    "a rewrite": _plain("rewrite dev.silver.parts", agreed=(PARTS,)),
    "two": _plain(f"{_DROP}.orders.legacy", f"{_DROP}.lines.addr.zip", agreed=(LEGACY, ZIP)),
    "a field of a struct beside a table with a dot": _plain(f"{_DROP}.items.`x`.`y`", agreed=(FIELD_Y,)),
    "a column with a dot": _plain(f"{_DROP}.dots.`a.b`", agreed=(DOTTED,)),
    "a table with a dot": _plain(f"{_DROP}.`items.x`.y", agreed=(COLUMN_Y,)),
    "an entry": ConsentCase(entries=_entry("dev.silver.orders.legacy"), agreed=(LEGACY,), is_plain=True),
    "a line of the ini file": ConsentCase(
        ini=(f"delta_allow = {_DROP}.orders.legacy",), agreed=(LEGACY,), is_plain=True
    ),
    "a pattern for a field": ConsentCase(entries=_entry("dev.silver.lines.*.zip"), agreed=(ZIP,), is_plain=True),
    "a pattern over parts": ConsentCase(entries=_entry("dev.silver.**.zip"), agreed=(ZIP,), is_plain=True),
}
"""Consents as they should be; without them the others would prove nothing."""

ON_THE_COMMAND_LINE = {
    "none": ConsentCase(),
    "a pattern for the column": _nothing(f"{_DROP}.orders.*"),
    "the table of the name *": ConsentCase(allow=(f"{_DROP}.*.legacy",), agreed=(STAR,)),
    "a pattern for all": _nothing("drop-column *"),
    "a pattern of four": _nothing("drop-column *.*.*.*"),
    "a question mark": _nothing(f"{_DROP}.orders.legac?"),
    "a class of characters": _nothing(f"{_DROP}.orders.[l]egacy"),
    "two asterisks": _nothing("drop-column dev.**"),
    "a table": _nothing(f"{_DROP}.orders"),
    "a schema": _nothing("drop-column dev.silver"),
    "a catalog": _nothing("drop-column dev"),
    "nothing behind the action": _nothing("drop-column"),
    "an empty text": _nothing(""),
    "a blank": _nothing(" "),
    "another action": _nothing("drop-table dev.silver.orders"),
    "the action of a rewrite": _nothing("rewrite dev.silver.orders"),
    "a rewrite of a column": _nothing("rewrite dev.silver.orders.legacy"),
    "an action in capitals": ConsentCase(allow=("DROP-COLUMN dev.silver.orders.legacy",), agreed=(LEGACY,)),
    "an action with an underscore": _nothing("drop_column dev.silver.orders.legacy"),
    "no action": _nothing("dev.silver.orders.legacy"),
    "the beginning of a name": _nothing(f"{_DROP}.orders.leg"),
    "more than a name": _nothing(f"{_DROP}.orders.legacy2"),
    "a field of the column": _nothing(f"{_DROP}.orders.legacy.x"),
    "two consents in one": _nothing(f"{_DROP}.orders.legacy,dev.silver.lines.addr.zip"),
    "two consents by a semicolon": _nothing(f"{_DROP}.orders.legacy; {_DROP}.lines.addr.zip"),
    "two lines": _nothing(f"{_DROP}.orders.legacy\n{_DROP}.lines.addr.zip"),
    "a comment behind": _nothing(f"{_DROP}.orders.legacy # all"),
    "an empty part": _nothing(f"{_DROP}..legacy"),
    "a dot behind": _nothing(f"{_DROP}.orders.legacy."),
    "a dot in front": _nothing("drop-column .dev.silver.orders.legacy"),
    "quotes around all": _nothing("drop-column `dev.silver.orders.legacy`"),
    "quotes around table and column": _nothing("drop-column dev.silver.`orders.legacy`"),
    "a quote that is not closed": _nothing("drop-column dev.silver.orders.`legacy"),
    "quotes around every part": ConsentCase(allow=("drop-column `dev`.`silver`.`orders`.`legacy`",), agreed=(LEGACY,)),
    "a quote that is doubled": _nothing("drop-column dev.silver.orders.`legacy```"),
    "double quotes": _nothing('drop-column dev.silver.orders."legacy"'),
    "wide letters": _nothing(f"{_DROP}.orders.\uff4cegacy"),
    "a letter of another script": _nothing(f"{_DROP}.orders.leg\u0430cy"),
    "a character without width": _nothing(f"{_DROP}.orders.legacy\u200b"),
    "a null character's escape": _nothing(f"{_DROP}.orders.legacy%00"),
    "a path up": _nothing(f"{_DROP}.orders.../orders.legacy"),
    "a tabulator for the blank": ConsentCase(allow=("drop-column\tdev.silver.orders.legacy",), agreed=(LEGACY,)),
    "blanks in the path": _nothing("drop-column dev . silver . orders . legacy"),
    "another catalog": _nothing("drop-column test.silver.orders.legacy"),
    "ambiguous: a table with a dot, or a field": _nothing(f"{_DROP}.items.x.y"),
    "a column with a dot, without quotes": _nothing(f"{_DROP}.dots.a.b.c"),
    "the struct around a field": _nothing(f"{_DROP}.lines.addr"),
    "a field by its own name": _nothing(f"{_DROP}.lines.zip"),
    "brackets as a class": _nothing(f"{_DROP}.o[1].legacy1"),
    "brackets": ConsentCase(allow=(f"{_DROP}.o[1].legacy",), agreed=(BRACKETS,)),
    "an asterisk that is a name": ConsentCase(allow=(f"{_DROP}.`*`.legacy",), agreed=(STAR,)),
    "a rewrite of all": _nothing("rewrite dev.silver.*"),
    "a rewrite of a schema": _nothing("rewrite dev.silver"),
    "a rewrite by the beginning": _nothing("rewrite dev.silver.part"),
    "the other one of two catalogs": ConsentCase(allow=("drop-column prod.silver.orders.legacy",), agreed=(ELSEWHERE,)),
    "a column that never was": _nothing(f"{_DROP}.orders.never_there"),
}

IN_FILES = {
    "an entry that has expired": ConsentCase(entries=_entry("dev.silver.orders.legacy", expires="2001-01-01")),
    "an entry that expires at no time": ConsentCase(entries=_entry("dev.silver.orders.legacy")[:-1]),
    "an entry without a reason": ConsentCase(entries=_entry("dev.silver.orders.legacy", reason="")),
    "an entry with a blank reason": ConsentCase(entries=_entry("dev.silver.orders.legacy", reason="  ")),
    "an entry of another action": ConsentCase(entries=_entry("dev.silver.orders.legacy", action="rewrite")),
    "a pattern that would cross dots": ConsentCase(entries=_entry("dev.silver.*.zip")),
    "a pattern for a catalog": ConsentCase(entries=_entry("dev.*.legacy")),
    "a pattern for a table of three parts": ConsentCase(entries=_entry("dev.*")),
    "a pattern for rewrites that would cross dots": ConsentCase(entries=_entry("dev.*", action="rewrite")),
    "a pattern of question marks": ConsentCase(entries=_entry("dev.silver.??????.leg???"), agreed=(LEGACY,)),
    "a pattern for columns": ConsentCase(
        entries=_entry("dev.silver.*.legacy"), agreed=(LEGACY, BRACKETS, LIKE_BRACKETS, STAR)
    ),
    "brackets in an entry": ConsentCase(entries=_entry("dev.silver.o[1].legacy"), agreed=(BRACKETS, LIKE_BRACKETS)),
    "a pattern under a binding": ConsentCase(
        entries=_entry("prod.silver.*.legacy"), args=("--delta-bind=dev.silver=ci.x",), agreed=(ELSEWHERE,)
    ),
    "a list of texts": ConsentCase(
        entries=("[tool.pytest_delta_schema]", "allow = ['drop-column dev.silver.orders.legacy']")
    ),
    "an entry in another place": ConsentCase(
        entries=("[tool.pytest-delta-schema]", *_entry("dev.silver.orders.legacy")[1:])
    ),
    "a line of the ini file with a pattern": ConsentCase(ini=(f"delta_allow = {_DROP}.*.legacy",), agreed=(STAR,)),
    "a consent for a protected table": ConsentCase(
        allow=(f"{_DROP}.orders.legacy",), ini=("delta_protected = dev.silver.orders",)
    ),
    "a consent for a table protected by a pattern": ConsentCase(
        allow=(f"{_DROP}.orders.legacy",), ini=("delta_protected = dev.*",)
    ),
    "a consent for a table with brackets, protected": ConsentCase(
        allow=(f"{_DROP}.o[1].legacy",), ini=("delta_protected = dev.silver.o[1]",)
    ),
    "a consent beyond the highest risk": ConsentCase(
        allow=(f"{_DROP}.orders.legacy",), args=("--delta-max-risk=metadata",)
    ),
    "a consent by an abbreviated option": ConsentCase(args=(f"--delta-al={_DROP}.orders.legacy",)),
    "a consent for the name in the catalog": ConsentCase(
        allow=("drop-column dev.silver.orders.legacy",),
        args=("--delta-bind=dev.silver.orders=prod.silver.orders", "-k", "not prod"),
        agreed=(ELSEWHERE,),
    ),
    "a consent in a variable of the environment": ConsentCase(
        environment={"DELTA_ALLOW": f"{_DROP}.orders.legacy", "DELTA_SCHEMA_ALLOW": f"{_DROP}.orders.legacy"}
    ),
    "no preflight": ConsentCase(args=("--delta-preflight=off",)),
    "restored on failure": ConsentCase(args=("--delta-on-failure=restore",)),
}

CONSENT_CASES: Mapping[str, ConsentCase] = {**PLAIN, **ON_THE_COMMAND_LINE, **IN_FILES}
"""All of them by name."""
