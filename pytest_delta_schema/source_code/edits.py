"""Edit a declaration in the text of a Python file: it declares another model then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_delta_schema.models.table import declared_name
from pytest_delta_schema.source_code.calls import NO_VARIABLES, table_call
from pytest_delta_schema.source_code.code_text import CodeStyle
from pytest_delta_schema.source_code.imports import Names
from pytest_delta_schema.source_code.rewriting import Rewriter
from pytest_delta_schema.source_code.source_text import Edit, SourceText
from pytest_delta_schema.source_code.table_calls import table_call_node, variables_above

if TYPE_CHECKING:
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.source_code.calls import Variables

_ONE_LINE = CodeStyle()


def edited_declaration(  # noqa: PLR0913, PLR0917 - what it is about, and how it is written
    content: bytes,
    line: int,
    declared: Table,
    wanted: Table,
    variables: Variables = NO_VARIABLES,
    style: CodeStyle = _ONE_LINE,
) -> bytes:
    """Return the content of a Python file in which the declaration at a line makes another model.

    Only what differs is edited, and imports that it needs are added; everything else stays byte for byte.

    ``declared`` is what the declaration makes now, and ``variables`` are those of the module that hold tables.

    Raises:
        NotLiteralError: If what differs is not written out in literals in a call of ``Table`` at the line, or the file
            is a notebook or a generated one.
        DeclarationError: If the file is not valid Python.
    """
    source = SourceText(content)
    source.refuse_generated()
    names = Names(source, line)
    call = table_call_node(source, names, line, declared_name(declared))
    usable = variables_above(
        source, line, {name: variable for name, variable in variables.items() if name != declared.name}
    )
    old, new = table_call(declared, usable), table_call(wanted, usable)
    edit = Edit(*source.span(call), Rewriter(source, names, style, source.newline(line)).code(call, "", old, new))
    edited = source.edited([edit, *names.edits(style)])
    return SourceText(edited).edited(())
