"""Parts of the reference pages: public names, settings, capabilities, clients, verdicts and findings."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest_delta_schema
from pytest_delta_schema import DatabricksCatalog, MemoryCatalog, UnityCatalog
from pytest_delta_schema.backends.spark.versions import OPEN_SOURCE_DELTA as LOCAL
from pytest_delta_schema.backends.spark_session.catalog import CLASSIC, REMOTE
from pytest_delta_schema.compatibility import column_faults, table_faults
from pytest_delta_schema.configuration.section import COMPATIBILITY_KEYS, CONSENT_KEYS, STORE_KEYS
from pytest_delta_schema.configuration.values import one_of
from pytest_delta_schema.delta.clients import KNOWN_CLIENTS, cells_of_package
from pytest_delta_schema.delta.protocol import WRITER_FEATURES
from pytest_delta_schema.settings.table import DEFAULT_ROLES, OPTIONS, ROLES, SETTINGS
from pytest_delta_schema.sql import StatementKind
from pytest_delta_schema.testing import SCENARIOS
from pytest_delta_schema.testing.scenario_runner import planned_statements
from pytest_delta_schema.write_check import findings as module
from support.case_tables import blocks_in
from support.pages import markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_delta_schema.execute import Capabilities
    from pytest_delta_schema.settings.table import Setting, SettingKind
    from pytest_delta_schema.sql import Statement


_ROLE = re.compile(r":\w+:`~?(?:[\w.]+\.)?(\w+)`")
_LITERAL = re.compile(r"``([^`\n]+)``(?!`)")
_FORWARD = re.compile(r"ForwardRef\('([^']+)'\)|'([A-Z]\w*)'")
_HOME = "pytest_delta_schema"
_SOURCES = Path(pytest_delta_schema.__file__).parent
_WIDTH = 100


def section(name: str, value: object) -> str:
    """Return the section of one public name."""
    return "\n\n".join([f"### `{name}`", *_paragraphs(name, value), *_members(name, value)])


def summary(name: str, value: object) -> str:
    """Return the first paragraph of the docstring of a public name on one line."""
    if members := get_args(value):
        return f"One of {_listed(member.__name__ for member in members)}."
    text = inspect.getdoc(value) if callable(value) else _text_of_constant(name)
    return _line((text or "").partition("\n\n")[0])


def _text_of_constant(name: str) -> str:
    """Return the text below the definition of a constant."""
    pattern = re.compile(rf'^{name}\b[^\n]* = (?:(?!\n\n).)*?\n"""(.*?)"""', re.DOTALL | re.MULTILINE)
    (text,) = (match[1] for path in _SOURCES.rglob("*.py") for match in pattern.finditer(path.read_text("utf-8")))
    return text


def markdown(docstring: str) -> str:
    """Return the text of a docstring with its roles and literals as code."""
    return _LITERAL.sub(r"`\1`", _ROLE.sub(r"`\1`", docstring))


def _members(name: str, value: object) -> Iterator[str]:
    if not isinstance(value, type):
        return
    for member in _public_members(value):
        attribute = inspect.getattr_static(value, member)
        if isinstance(attribute, (property, cached_property)):
            yield f"#### `{name}.{member}`"
            yield from _texts(attribute)
        else:
            yield from (f"#### `{name}.{member}`", *_paragraphs(member, getattr(value, member)))


def _public_members(value: type) -> list[str]:
    """Return the documented methods and properties of a class, those of its bases included."""
    homes = [base for base in reversed(value.__mro__) if base.__module__.startswith(_HOME)]
    names = dict.fromkeys(member for base in homes for member in vars(base) if not member.startswith("_"))
    return [name for name in names if _is_method(inspect.getattr_static(value, name))]


def _is_method(attribute: object) -> bool:
    documented = attribute.__func__ if isinstance(attribute, (classmethod, staticmethod)) else attribute
    return (inspect.isfunction(documented) or isinstance(attribute, (property, cached_property))) and bool(
        inspect.getdoc(documented)
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _paragraphs(name: str, value: Any) -> Iterator[str]:
    """Yield the signature of something callable, and what its docstring says."""
    if not callable(value):
        yield f"A tuple of {_listed(type(item).__name__ for item in value)}."
        return
    try:
        signature = inspect.signature(value)
    except ValueError:  # an exception that is made from its text alone
        yield from _texts(value)
        return
    parameters = [_with_default(value, parameter) for parameter in signature.parameters.values()]
    yield f"```text\n{_call(name, parameters, signature)}\n```"
    yield from _texts(value)


def _texts(value: object) -> Iterator[str]:
    import griffe  # noqa: PLC0415 - there is none for Python 3.10

    for part in griffe.Docstring(inspect.getdoc(value) or "").parse("google", warnings=False):
        kind = part.kind
        if kind is griffe.DocstringSectionKind.text:
            yield markdown(part.value)
        elif kind is griffe.DocstringSectionKind.parameters:
            yield _arguments(part.value)
        elif kind in (griffe.DocstringSectionKind.returns, griffe.DocstringSectionKind.yields):
            yield f"*{kind.value.capitalize()}:* {_line(' '.join(item.description for item in part.value))}"
        elif kind is griffe.DocstringSectionKind.raises:
            yield "*Raises:*"
            yield "\n".join(f"* `{item.annotation}`: {_line(item.description)}" for item in part.value)
        else:
            msg = f"a docstring has a section of the kind {kind.value}, which the reference does not show"
            raise ValueError(msg)


def _arguments(items: list[Any]) -> str:
    return markdown_table(("argument", "meaning"), ((f"`{item.name}`", _cell(item.description)) for item in items))


def _with_default(value: object, parameter: inspect.Parameter) -> inspect.Parameter:
    """Return a parameter with the value that a factory of a dataclass makes as its default."""
    if not is_dataclass(value):
        return parameter
    made = {field.name: field.default_factory() for field in fields(value) if field.default_factory is not MISSING}
    return parameter.replace(default=made[parameter.name]) if parameter.name in made else parameter


def _call(name: str, parameters: list[inspect.Parameter], signature: inspect.Signature) -> str:
    """Return a signature on one line, or a line for each parameter."""
    result = signature.return_annotation
    end = "" if result in (signature.empty, None, "None") else f" -> {_annotation(result)}"
    public = [parameter for parameter in parameters if parameter.name != "self" and not parameter.name.startswith("_")]
    shown = list(_parameters(public))
    line = f"{name}({', '.join(shown)}){end}"
    return line if len(line) <= _WIDTH else "\n".join([f"{name}(", *(f"    {text}," for text in shown), f"){end}"])


def _parameters(parameters: Iterable[inspect.Parameter]) -> Iterator[str]:
    """Yield each parameter as code has it, and ``*`` before the first one that needs its name."""
    is_named = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not is_named:
            yield "*"
        is_named = parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        yield _parameter(parameter)


def _parameter(parameter: inspect.Parameter) -> str:
    text = parameter.name
    if parameter.kind is parameter.VAR_POSITIONAL:
        text = f"*{text}"
    elif parameter.kind is parameter.VAR_KEYWORD:
        text = f"**{text}"
    if parameter.annotation is not parameter.empty:
        text += f": {_annotation(parameter.annotation)}"
    if parameter.default is parameter.empty:
        return text
    default = repr(dict(parameter.default) if isinstance(parameter.default, Mapping) else parameter.default)
    return f"{text} = {'...' if '<' in default else default}"


def _annotation(annotation: Any) -> str:
    """Return a type as the source has it; a named tuple evaluates it in part."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return _FORWARD.sub(r"\1\2", text)


def _line(text: str) -> str:
    return " ".join(markdown(text).split())


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")


BACKENDS = {
    "memory": MemoryCatalog.capabilities,
    "local": LOCAL,
    "session, classic": CLASSIC,
    "session, Spark Connect": REMOTE,
    "unity": UnityCatalog.capabilities,
    "databricks": DatabricksCatalog.capabilities,
}
APART = (StatementKind.REGISTER_TABLE, StatementKind.RESTORE_TABLE)
"""Part of no scenario: a path belongs to one machine, and only an apply that stops midway restores."""


@cache
def played() -> list[list[Statement]]:
    """Return the statements of every scenario that goes through."""
    return [planned_statements(scenario) for scenario in SCENARIOS if not scenario.refused_by]


def counts() -> Counter[StatementKind]:
    """Count the scenarios that run each kind of statement to its end."""
    return Counter(
        kind for played_statements in played() for kind in {statement.kind for statement in played_statements}
    )


def capabilities_table() -> str:
    """Return the table of the statements that each backend runs."""
    seen = counts()
    rows = (
        [kind.value, *(_how(can, kind) for can in BACKENDS.values()), str(seen[kind])]
        for kind in StatementKind
        if kind not in APART
    )
    return markdown_table(["statement", *BACKENDS, "scenarios"], rows)


def _how(can: Capabilities, kind: StatementKind) -> str:
    played_statements = [statement for scenario in played() for statement in scenario if statement.kind is kind]
    refused = sum(can.refuses(statement) is not None for statement in played_statements)
    if played_statements and refused == len(played_statements):
        return "refused"
    ways = ["refused in parts"] * bool(refused) + ["one by one"] * (kind in can.splits)
    emulated = "emulated" if kind in can.emulates else "emulated in parts"
    return ", ".join(ways) or (emulated if any(map(can.is_emulated, played_statements)) else "yes")


def tables() -> str:
    """Return a section for each client, with one row for each feature of which something is known."""
    return "\n\n".join(_section(client) for client in KNOWN_CLIENTS)


def _section(client: str) -> str:
    known = KNOWN_CLIENTS[client]
    reader = " It only reads." if known.only_reads else ""
    head = f"## {client}\n\n{known.title}, written as `{known.example}`.{reader}"
    rows = [
        (f"`{feature}`", "writers" if feature in WRITER_FEATURES else "all", cell.text, cell.source)
        for feature, cell in sorted(cells_of_package(client).items())
    ]
    if not rows:
        return f"{head} Nothing is known about its table features, so each is a note."
    return f"{head}\n\n{markdown_table(('table feature', 'concerns', 'versions', 'source'), rows)}"


def compatibility_table() -> str:
    """Return the table of verdicts."""
    kinds = [*vars(column_faults).values(), *vars(table_faults).values()]
    rows = (
        [f"[{row.code}](#{row.code.lower()}) {row.__name__}", *(_compatibility_cell(row.cells[role]) for role in ROLES)]
        for row in kinds
        if getattr(row, "code", "")
    )
    return markdown_table(["change", *(f"`{role}`" for role in ROLES)], rows)


def _compatibility_cell(cell: str) -> str:
    return f"**{cell}**" if cell == "breaking" else cell


_TYPES: Mapping[SettingKind, str] = {
    "flag": "`true` or `false`",
    "count": "whole number",
    "seconds": "number of seconds",
    "text": "text",
    "uri": "address",
    "backend": "text",
    "folder": "path",
    "choice": "text",
    "list": "list of texts",
    "rules": "list of texts",
    "clients": "list of texts",
    "bindings": "table of texts",
    "pairs": "table of texts, numbers and booleans",
    "client features": "table of texts",
    "modes": "table of texts",
    "consents": "array of tables",
    "policies": "array of tables",
    "locations": "table",
    "stores": "array of tables",
    "store options": "table",
    "reports": "list of texts",
}
"""The types of TOML by kind."""

_INTRODUCTION, EXAMPLE, _WHERE_SET, _ENTRIES = blocks_in(Path(__file__).with_name("configuration_page.txt")).values()


def configuration_reference() -> str:
    """Return the reference page in Markdown, without a title: rules, an example, and one row for each setting."""
    options = [f"| {_option(setting)} | {_help(setting)} |" for setting in OPTIONS]
    settings = [_row(setting) for setting in SETTINGS if not setting.is_option_only]
    entries = _ENTRIES.format(
        consent=_codes(CONSENT_KEYS),
        store=_codes(STORE_KEYS),
        policy=_codes(COMPATIBILITY_KEYS),
        roles=_codes(DEFAULT_ROLES),
    )
    return "\n".join(
        [
            _INTRODUCTION,
            f"```toml\n{EXAMPLE}```\n",
            _WHERE_SET,
            *("| option | what it does |", "|---|---|", *options, ""),
            *("| setting | type | default | what it does |", "|---|---|---|---|", *settings, ""),
            entries,
        ]
    )


def _row(setting: Setting) -> str:
    what = f"As `{setting.option}`." if setting.metavar else _help(setting)
    return f"| `{setting.name}` | {_type(setting)} | {_default(setting.default)} | {what} |"


def _option(setting: Setting) -> str:
    value = setting.metavar.replace("|", "\\|")  # as tables of Markdown need it
    return f"`{setting.option}={value}`" if value else f"`{setting.option}`"


def _help(setting: Setting) -> str:
    return f"{setting.help[0].upper()}{setting.help[1:]}."


def _type(setting: Setting) -> str:
    if not setting.choices:
        return _TYPES[setting.kind]
    choices = one_of(f"`{choice}`" for choice in setting.choices)
    if setting.kind == "backend":
        return f"{choices}, or the name of an installed backend"
    return choices if setting.kind == "choice" else f"{_TYPES[setting.kind]}: {choices}"


def _default(value: object) -> str:
    match value:
        case None | () | "":
            return ""
        case tuple():
            return _codes(value)
        case bool():
            return f"`{str(value).lower()}`"
        case float():
            return f"`{value:g}`"
        case _:
            return f"`{value}`"


def _codes(names: Mapping[str, object] | tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def reported() -> dict[str, list[str]]:
    """Return what is reported under each name of a finding, from the docstrings of the functions."""
    findings: dict[str, list[str]] = {}
    for function in ast.parse(inspect.getsource(module)).body:
        for rule in _rules(function):
            summary = (ast.get_docstring(function) or "").partition("\n")[0]  # type: ignore[arg-type]
            findings.setdefault(rule, []).append(summary.removeprefix("Report ").removesuffix("."))
    return dict(sorted(findings.items()))


def findings_table() -> str:
    """Return the table of findings."""
    rows = ((f"`{rule}`", "; ".join(texts).replace("``", "`")) for rule, texts in reported().items())
    return markdown_table(("finding", "reports"), rows)


def _rules(function: ast.stmt) -> Iterator[str]:
    """Yield the names of the findings that a function builds."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "fault":
            yield from (ast.literal_eval(keyword.value) for keyword in node.keywords if keyword.arg == "rule")
