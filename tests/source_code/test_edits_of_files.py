"""Files in which declarations are edited: encodings, several tables, foreign keys, and files that are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Check, Column, ForeignKey, Parquet, PrimaryKey, Table
from pytest_delta_schema.source_code.calls import Variable
from pytest_delta_schema.source_code.edits import edited_declaration
from pytest_delta_schema.source_code.text import NotLiteralError
from support.case_tables import blocks_in, cases, named_cases, refusal

IMPORTS = (
    "from pyspark.sql.types import LongType, StructType\nfrom pytest_delta_schema import Column, ForeignKey, Table\n"
)
PLAIN = 't = Table("dev", "s", "t", [Column("id", LongType())])\n'


def made(content: bytes | str) -> dict[str, Table]:
    namespace: dict[str, object] = {}
    exec(compile(content, "contracts.py", "exec"), namespace)  # noqa: S102 - what is tested
    return {name: value for name, value in namespace.items() if isinstance(value, Table)}


def changed(content: bytes | str, name: str = "t", variables=None, **changes) -> str:
    """Return the text of a file in which a variable has other values; it is proven that it has."""
    raw = content.encode() if isinstance(content, str) else content
    declared = made(raw)[name]
    wanted = replace(declared, **changes)
    after = edited_declaration(raw, declared.origin.line, declared, wanted, variables or {})
    assert made(after)[name] == wanted
    return after.decode()


def fault(content: str, name: str = "t", **changes) -> str:
    """Return why an edit is refused; ``""`` if it is not."""
    return refusal(lambda: changed(content, name, **changes), error=NotLiteralError)


def test_bytes_around_a_declaration_stay():
    for head in (b"# coding: latin-1\n# \xe9\n", b"\xef\xbb\xbf# \xc3\xa9\r\n", b"x = '''\r\n\x0c'''; y = 1 \t\n"):
        content = head + (IMPORTS + PLAIN).encode()
        declared = made(content)["t"]
        wanted = replace(declared, comment="東é")

        edited = edited_declaration(content, declared.origin.line, declared, wanted)

        assert edited.startswith(head + IMPORTS.encode())
        assert made(edited)["t"] == wanted
        assert (b'comment="\\u6771\xe9"' in edited) == (b"latin" in head)


def test_tables_of_a_file_are_edited_one_after_the_other():
    other = 'u = Table("dev", "s", "u", [Column("id", LongType())])\n'
    source = f"{IMPORTS}{PLAIN}class Models:\n    {other}\nu = Models.u\n"
    wanted = {"checks": [Check("c", "id > 0")]}

    after = changed(changed(source, "u", **wanted), "t", comment="x")

    assert after == (
        IMPORTS.replace("Column,", "Check, Column,")
        + 't = Table("dev", "s", "t", [Column("id", LongType())], comment="x")\n'
        + 'class Models:\n    u = Table("dev", "s", "u", [Column("id", LongType())], checks=[Check("c", "id > 0")])\n\nu = Models.u\n'
    )


def test_a_foreign_key_gets_another_parent_or_other_columns():
    source = (
        f'{IMPORTS}p = Table("dev", "s", "p", [Column("id", LongType())], primary_key=["id"])\n'
        't = Table("dev", "s", "t", [Column("id", LongType()), Column("b", LongType())],'
        ' foreign_keys=[ForeignKey(["id"], p), ForeignKey(["b"], "DEV.s.q", ["x"])])\n'
    )
    tables = made(source)
    declared = tables["t"]
    other = ForeignKey(["b"], "dev.s.q", ["y"])
    keys = [ForeignKey(["id"], tables["p"], ["b"]), ForeignKey(["b"], tables["p"]), other]
    names = {tables["p"].name: Variable("p", ("id",))}

    wanted, line = replace(declared, foreign_keys=keys), declared.origin.line
    after = edited_declaration(source.encode(), line, declared, wanted, names)

    assert after.decode() == source.replace(
        'ForeignKey(["id"], p), ForeignKey(["b"], "DEV.s.q", ["x"])',
        'ForeignKey(["id"], p, parent_columns=["b"]), ForeignKey(["b"], p),'
        ' ForeignKey(["b"], "dev.s.q", parent_columns=["y"])',
    )
    none = edited_declaration(after, line, wanted, replace(wanted, foreign_keys=()), names)
    assert "foreign_keys" not in none.decode()


def test_options_of_a_table_that_a_struct_declares_are_edited():
    source = f'{IMPORTS}t = Table.from_struct_type("dev", "s", "t", StructType().add("id", LongType()), comment="a")\n'

    assert changed(source, comment="b") == source.replace('"a"', '"b"')
    assert fault(source, columns=[Column("x", spark.LongType())]) == "line 3 does not give the argument columns"


def test_values_that_are_written_in_several_ways():
    head = 'import pytest_delta_schema as pds\nt = pds.Table("dev", "s", "t", [pds.Column("id", "long")]'
    parquet, key = "convert_from=pds.Parquet()", 'primary_key=pds.PrimaryKey(["id"])'
    with cases(lambda before, changes: changed(f"{head}, {before})\n", **changes).removeprefix(head)) as case:
        case(parquet, {"convert_from": Parquet("/x")}, ', convert_from=pds.Parquet("/x"))\n')
        case(parquet, {"convert_from": None}, ")\n")
        case(key, {"primary_key": ()}, ")\n")
        case(key, {"primary_key": PrimaryKey(["ID"])}, ', primary_key=pds.PrimaryKey(["ID"]))\n')
        case('table_properties={"a": "1"}', {"table_properties": {"a": "2"}}, ', table_properties={"a": "2"})\n')
        case('foreign_keys=[pds.ForeignKey(["id"], "dev.s.p")]', {"foreign_keys": ()}, ")\n")


def test_parts_that_are_not_literal_are_refused():
    def refused(before, wanted):
        declared = made(f"{IMPORTS}{before}\n")["t"]
        call = f"{IMPORTS}{before}\n".encode(), declared.origin.line, declared, made(IMPORTS + wanted)["t"]
        return refusal(edited_declaration, *call, error=NotLiteralError)

    with named_cases(refused) as case:
        for name, block in blocks_in(Path(__file__).with_name("parts.txt")).items():
            case(name, *block.removesuffix("\n").split("\n---\n"))


def test_a_file_that_says_it_is_generated_is_refused():
    for head in ("# Generated by make\n", "#!/usr/bin/python\n\n  # DO NOT EDIT\n", "# @generated\n"):
        text = fault(head + IMPORTS + PLAIN, comment="x")
        assert text.endswith(" says that the file is generated; change what makes it")


def test_what_is_not_in_the_head_of_a_file_does_not_make_it_generated():
    source = f"# models\nx = '''\n# %%\n'''  # generated by hand\n# do not edit\n{IMPORTS}{PLAIN}"

    assert 'comment="x"' in changed(source, comment="x")


def test_a_file_that_cannot_be_read_is_refused():
    declared = made(IMPORTS + PLAIN)["t"]
    with cases(lambda content: refusal(edited_declaration, content, 1, declared, declared)) as case:
        case(b"x = (\n", "it is not valid Python: '(' was never closed (<unknown>, line 1)")
        case(b"x = '\xff'\n", "it is not valid Python: invalid or missing encoding declaration")
        encoded = "its encoding utf-7 writes other bytes than it has; save it as UTF-8"
        case(b"# coding: utf-7\nx = '+AGE-'\n", encoded)


def test_code_that_does_not_make_the_model_is_refused():
    declared = made(IMPORTS + PLAIN)["t"]
    wanted = replace(declared, columns=[Column("id", spark.DateType())])

    def reason(columns):
        source = f'{IMPORTS}t = Table("dev", "s", "t", [{columns}])\n'
        with pytest.raises(NotLiteralError) as raised:
            edited_declaration(source.encode(), 3, declared, wanted)
        return raised.value.reason

    else_ = "declares something else than the model has; edit it where the model gets its value"
    with cases(reason) as case:
        case('Column("id", "nonsense")', else_)
        case('Column("id", "long"), Column("id", "long")', else_)
        case('Column("id", StructType(*FIELDS))', "gives a part of the declaration with * or **")
        case('Column("id", StructType(field for field in FIELDS))', "has a comprehension")
        case('Column("id", kind())', "has a call of kind that is not a declaration in literals")
        case('Column(name for name in "ab")', "has a call of Column that is not a declaration in literals")


def test_the_columns_of_a_parent_that_are_not_written_need_no_edit():
    source = (
        f'{IMPORTS}p = Table("dev", "s", "p", [Column("id", LongType())], primary_key=["id"])\n'
        't = Table("dev", "s", "t", [Column("id", LongType())], foreign_keys=[ForeignKey(["id"], p)])\n'
    )
    declared = made(source)["t"]
    wanted = replace(declared, foreign_keys=[ForeignKey(["id"], "dev.s.p")])

    assert edited_declaration(source.encode(), declared.origin.line, declared, wanted) == source.encode()
