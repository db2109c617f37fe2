"""The reference of the public names, in Markdown: the signature, the meaning and the arguments, from signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest_delta_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ROLE = re.compile(r":\w+:`~?(?:[\w.]+\.)?(\w+)`")
_LITERAL = re.compile(r"``([^`\n]+)``(?!`)")
_FORWARD = re.compile(r"ForwardRef\('([^']+)'\)|'([A-Z]\w*)'")
_HOME = "pytest_delta_schema"
_SOURCES = Path(pytest_delta_schema.__file__).parent
_WIDTH = 100


def section(name: str, value: object) -> str:
    """Return the section of one public name.

    Args:
        name: The name.
        value: What it is: a class, a function, a type alias or a constant.
    """
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


def table(head: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> str:
    """Return a table."""
    rows = [head, tuple("---" for _ in head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _members(name: str, value: object) -> Iterator[str]:
    if not isinstance(value, type):
        return
    for member in _public_members(value):
        attribute = inspect.getattr_static(value, member)
        if isinstance(attribute, property):
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
    return (inspect.isfunction(documented) or isinstance(attribute, property)) and bool(inspect.getdoc(documented))


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
    return table(("argument", "meaning"), ((f"`{item.name}`", _cell(item.description)) for item in items))


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
