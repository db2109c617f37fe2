"""Source files of every form, through imports and adoptions: untouched with one error, or with the intended nodes only."""

from __future__ import annotations

import ast
import errno
import os
import re
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from pyspark.sql import types as spark

from pytest_delta_schema import Column, MemoryCatalog, QualifiedName, Settings
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.declarations import tables_of_file
from pytest_delta_schema.plugin.adoption import AdoptOptions, adopt_tables
from pytest_delta_schema.plugin.importing import ImportOptions, import_tables
from pytest_delta_schema.plugin.reports import SourceRoot
from pytest_delta_schema.plugin.source_files import SourceFile, UnwritableFileError, write_whole
from pytest_delta_schema.source_code.text import CodeStyle
from pytest_delta_schema.state import ColumnState, TableState
from pytest_delta_schema.state.desired import desired_state

FORMS = {
    "nothing": "",
    "a comment without an end": "# nothing",
    "a statement without an end": "import os\nx = 1",
    "a comment above": "#!/usr/bin/env python\n# Licence\n\nx = 1\n",
    "separators in a docstring": '"""Tables.\n\x0c\u2028\x85\x0bMore.\n"""\nimport os\n\nx = 1\n',
    "separators in a comment": "# a\u2028b\x85c\x0bd\x0ce\x1cf\nimport os\n\nx = 1\n",
    "separators in a text": 'x = "a\u2028b\x85c\x1dd"\nimport os\n\ny = """\n\x0b\n"""\n',
    "form feeds": "import os\n\x0c\nx = 1\n\x0c\ndef f():\n    return x\n\x0c",
    "a parenthesised import": "# \x0c\u2028\nfrom os import (\n    path,\x0c\n    sep,  # \x85\n)\n\nx = sep\n",
    "a statement behind an import": "# \x0b\nfrom os import sep; X = (\n    1,\n    2,\n)\n",
    "several behind an import": "import os; import re; x = 1; y = [\n    2,\n];\n",
    "a continued line": "from os import sep; \\\nX = (\n    2,\n)\nY = 3\n",
    "a continued import": "from os import \\\n    sep\nX = sep\n",
    "a continued text": "x = 'a\\\nb'\nimport os\n",
    "a docstring and a future": '"""Doc."""; from __future__ import annotations\nx = 1\n',
    "a future": '"""Doc."""\nfrom __future__ import annotations\n\nx: int = 1\n',
    "a walrus": "import os\nif (n := 3) > 2:\n    y = [n]\n",
    "f-strings": 'import os\nx = f\'{os.sep!r:>{10}}\' f"""\n{os.sep}\n"""\n',
    "comprehensions": "import os\nx = [i for i in range(3) if (k := i)]\ny = {a: b for a, b in zip(x, x)}\n",
    "decorators": "@staticmethod\ndef f():\n    import os\n    return os\n",
    "decorators below an import": "import functools\n\n@functools.lru_cache\n@staticmethod\ndef f(): return 1\n",
    "aliases": "from pytest_delta_schema import Table as T, Column as C\nimport pytest_delta_schema as p\nx = T, C, p\n",
    "stars": "from pyspark.sql.types import *\nfrom os.path import *\nx = LongType\n",
    "an import in the middle": "x = 1\nimport os\ny = os.sep\nimport re\nz = re\n",
    "an import at the end": "x = 1\ndef f(): return os\nimport os",
    "conditional imports": "try:\n    import tomllib\nexcept ImportError as error:\n    tomllib = None\n",
    "type checking": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pytest_delta_schema import Table\n",
    "names": "def list_of(list): return list\nmatch = 1\nclass type_: pass\nx = sum, open\n",
    "a match": "match [1]:\n    case [*rest]: pass\n    case {**more}: pass\n    case str() as text: pass\n",
    "tabs": "if True:\n\tx = (1,\n2)\n\ty = 3\n",
    "deep": f"x = {'-' * 90}1\ny = {' + '.join('1' * 300)}\n",
    "a class of the name": "class Table: pass\n",
    "a deleted name": "from pytest_delta_schema import Table\ndel Table\n",
    "a later name": "from pytest_delta_schema import Column\nColumn = None\n",
    "a hidden name": "import os\nglobals()['Column'] = 1\n",
}
"""Modules that can be imported, with the characters that end lines elsewhere."""

REFUSED = {"a class of the name", "a deleted name", "a later name", "a hidden name"}
"""Those to which no declaration can be added."""

COOKIES = {
    "plain": ("", "utf-8"),
    "byte-order mark": ("", "utf-8-sig"),
    "utf-8": ("# coding: utf-8\n", "utf-8"),
    "latin-1": ("# -*- coding: latin-1 -*-\n# é\n", "latin-1"),
    "cp1252": ("\n# vim: set fileencoding=cp1252 :\n", "cp1252"),
    "shift_jis": ("# coding=shift_jis\n# 表\n", "shift_jis"),
}
NEWLINE = re.compile(rb"\r\n|\r|\n")
NEWLINES = {"LF": "\n", "CR LF": "\r\n", "CR": "\r"}


class Source(NamedTuple):
    """A file."""

    number: int
    form: str
    content: bytes

    @property
    def name(self) -> QualifiedName:
        return QualifiedName("dev", "silver", f"t{self.number}")


def sources(tail: str = "") -> list[Source]:
    """Return files of every form, in half of the combinations of encodings and ends of lines."""
    made = []
    for number, (form, cookie, newline) in enumerate(product(FORMS, COOKIES, NEWLINES)):
        head, codec = COOKIES[cookie]
        body = FORMS[form]
        if tail and body and not body.endswith("\n"):
            body += "\n"
        text = (head + body + tail.replace("NAME", f"t{number}")).replace("\n", NEWLINES[newline])
        made.append(Source(number, form, text.encode(codec, "replace")))
    return [source for source in made if source.number % 2 == 0 or source.form in REFUSED]


def statements(content: bytes) -> list[str]:
    """Return the statements of a module, as Python reads them."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        return [ast.dump(node) for node in ast.parse(content).body]
    finally:
        sys.setrecursionlimit(limit)


def is_inserted(before: bytes, after: bytes) -> bool:
    """Whether a file has all bytes that it had, with others in one place, and at its end."""
    start = next(
        (index for index, pair in enumerate(zip(before, after, strict=False)) if len({*pair}) > 1), len(before)
    )
    return any(before[split:] in after[split:] for split in range(start, -1, -1) if before[:split] == after[:split])


def test_imports_add_declarations_to_files_of_every_form(tmp_path):
    files = {source: tmp_path / f"m{source.number}.py" for source in sources()}
    for source, path in files.items():
        path.write_bytes(source.content)
    columns = (ColumnState("id", "bigint", False, ""), ColumnState("東é", "string", True, "表"))
    catalog = MemoryCatalog([TableState(name=source.name, columns=columns, table_properties={}) for source in files])
    options = ImportOptions(
        targets={source.name: path for source, path in files.items()},
        settings=Settings(),
        owns=None,
        style=CodeStyle(),
        root=tmp_path,
    )

    outcome = import_tables(catalog, options)

    assert len(files) >= 300
    assert {source.form for source in files if source.name in outcome.faults} == REFUSED
    for source, path in files.items():
        after = path.read_bytes()
        if source.form in REFUSED:
            assert after == source.content, source
            assert len(outcome.faults[source.name].headline.splitlines()) == 1
            continue
        assert is_inserted(source.content, after), source
        added = [part for part in statements(after) if part not in set(statements(source.content))]
        assert [part for part in statements(after) if part not in added] == statements(source.content), source
        assert [part.partition("(")[0] for part in added if "ImportFrom" not in part] == ["Assign"], source
        assert {*NEWLINE.findall(after)} == ({*NEWLINE.findall(source.content)} or {b"\n"}), source
        assert tables_of_file(str(path))[f"t{source.number}"].name == source.name


TAIL = (
    "from pyspark.sql.types import LongType\nfrom pytest_delta_schema import Column, Table\n"
    '# \u2028\x85\x0b\x0c\nNAME = Table("dev", "silver", "NAME", [Column("id", LongType())])  # \x1c\n'
    'NAME_b = Table("dev", "silver", "NAME_b", [\n    Column("id", LongType()),  # \x0b\n])\nlast = 1\n'
)


def test_adoptions_edit_files_of_every_form(tmp_path):
    files = {source: tmp_path / f"a{source.number}.py" for source in sources(TAIL)}
    stored, models = [], {}
    for source, path in files.items():
        path.write_bytes(source.content)
        for model in tables_of_file(str(path)).values():
            models[model.name] = model
            stored.append(desired_state(replace(model, columns=[*model.columns, Column("n", spark.StringType())])))
    gate = Gate(MemoryCatalog(stored), models.values(), settings=Settings())
    options = AdoptOptions(writes=True, style=CodeStyle(), root=tmp_path, sources=SourceRoot(tmp_path))

    outcome = adopt_tables(gate, models.values(), options)

    assert len(files) >= 300
    assert outcome.faults == {}
    for source, path in files.items():
        after = path.read_bytes()
        edited = {name: part for name, part in tables_of_file(str(path)).items() if part.name in models}
        assert [list(map(str, (column.name for column in part.columns))) for part in edited.values()] == [
            ["id", "n"]
        ] * 2
        old, new = statements(source.content), statements(after)
        assert [part for part in new if part not in old and "ImportFrom" not in part] == new[-3:-1], source
        assert [part for part in old if part not in new and "ImportFrom" not in part] == old[-3:-1], source


@pytest.mark.parametrize(
    ("way", "fault"),
    [
        ("read-only", "models.py is read-only; make it writable"),
        ("changed", "models.py has changed since it was read; run again"),
        (
            "full",
            "models.py cannot be written: No space left on device; make its folder writable, or name another path",
        ),
        ("circle", "models.py cannot be written: "),
    ],
)
def test_a_file_that_cannot_be_replaced_keeps_its_bytes(tmp_path, monkeypatch, way, fault):
    path = tmp_path / "models.py"
    path.write_bytes(b"x = 1\r\n")
    source = SourceFile.read(path)
    if way == "read-only":
        path.chmod(0o444)
    elif way == "changed":
        path.write_bytes(b"x = 2\n")
    elif way == "full":
        monkeypatch.setattr(Path, "write_bytes", _full)
    else:
        path.unlink()
        path.symlink_to(tmp_path / "other.py")
        (tmp_path / "other.py").symlink_to(path)
        source = SourceFile(path, None)

    with pytest.raises(UnwritableFileError) as raised:
        source.replace(b"y = 1\n")

    assert fault in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1
    if way != "circle":
        assert path.read_bytes() == (b"x = 2\n" if way == "changed" else b"x = 1\r\n")
    assert not list(tmp_path.glob(".*"))


def _full(path, content):
    with path.open("wb") as file:
        file.write(content[:2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("exists", [True, False], ids=["to a file", "to nothing"])
def test_links_are_followed_to_their_targets(tmp_path, exists):
    target, link = tmp_path / "deep" / "target.py", tmp_path / "models.py"
    target.parent.mkdir()
    if exists:
        target.write_bytes(b"x = 1\n")
        target.chmod(0o640)
    (tmp_path / "middle.py").symlink_to(target)
    link.symlink_to("middle.py")
    source = SourceFile.read(link)

    source.replace(b"y = 1\n")

    assert link.is_symlink()
    assert (tmp_path / "middle.py").is_symlink()
    assert target.read_bytes() == b"y = 1\n"
    assert not exists or target.stat().st_mode & 0o777 == 0o640
    source.replace(b"x = 1\n" if exists else None)
    assert (target.read_bytes() if exists else None, target.exists()) == (
        (b"x = 1\n", True) if exists else (None, False)
    )


def test_a_file_that_cannot_be_removed_is_an_error(tmp_path, monkeypatch):
    path = tmp_path / "models.py"
    path.write_bytes(b"x")
    monkeypatch.setattr(Path, "unlink", _refuse)

    with pytest.raises(
        UnwritableFileError, match=r"models\.py cannot be removed: Permission denied; remove it by hand$"
    ):
        SourceFile.read(path).replace(None)


def _refuse(_path):
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def test_a_file_is_written_whole_with_its_folders(tmp_path):
    write_whole(tmp_path / "a" / "b.py", b"x")

    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.py"]
