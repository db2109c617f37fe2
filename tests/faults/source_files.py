"""Source files of every form, through imports and adoptions: untouched with one error, or with what was meant only."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import replace
from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql.types import LongType, StringType

from faults.cases import Area, require
from pytest_delta_schema import Column, MemoryCatalog, QualifiedName, Settings, Table
from pytest_delta_schema.engine import Gate
from pytest_delta_schema.engine.declarations import tables_of_file
from pytest_delta_schema.engine.model_writing import AdoptOptions, ImportOptions, adopt_tables, import_tables
from pytest_delta_schema.engine.sources import SourceRoot
from pytest_delta_schema.source_code.text import CodeStyle
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from faults.bench import Bench

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


TAIL = (
    "from pyspark.sql.types import LongType\nfrom pytest_delta_schema import Column, Table\n"
    '# \u2028\x85\x0b\x0c\nNAME = Table("dev", "silver", "NAME", [Column("id", LongType())])  # \x1c\n'
    'NAME_b = Table("dev", "silver", "NAME_b", [\n    Column("id", LongType()),  # \x0b\n])\nlast = 1\n'
)


def _run(way: str, source: Source, bench: Bench) -> None:
    folder = bench.new_folder(f"{way} {source.form}")
    path = folder / "models.py"
    path.write_bytes(source.content)
    before = statements(source.content)
    is_done = (_adopted if way == "adopt" else _imported)(folder, path, source)
    after = path.read_bytes()
    require(not list(folder.rglob("*.tmp")), "a file of the work was left")
    require(is_done is not (way == "import" and source.form in REFUSED), f"done: {is_done}")
    if not is_done:
        require(after == source.content, "the file was touched")
    elif way == "import":
        added = [part for part in statements(after) if part not in before]
        require([part for part in statements(after) if part not in added] == before, "other statements were changed")
        require(is_inserted(source.content, after), "other bytes were changed")
    else:
        imports = [[part for part in parts if "ImportFrom" not in part] for parts in (before, statements(after))]
        require(imports[0][:-3] == imports[1][:-3], "other statements were changed")
    bench.clean(folder)


def _imported(folder: Path, path: Path, source: Source) -> bool:
    """Import a table into a file; return whether that was done, and not refused."""
    catalog = MemoryCatalog([desired_state(Table(*source.name, [Column("東é", StringType(), comment="表")]))])
    options = ImportOptions(targets={source.name: path}, settings=Settings(), owns=None, style=CodeStyle(), root=folder)
    outcome = import_tables(catalog, options)
    require(bool(outcome.written) is not bool(outcome.faults), "not one of a file and a fault")
    if outcome.written:
        require(
            source.name in {table.name for table in tables_of_file(str(path)).values()}, "it declares no such table"
        )
    return bool(outcome.written)


def _adopted(folder: Path, path: Path, source: Source) -> bool:
    """Adopt the drift of the two tables of a file; return whether that was done, and not refused."""
    models = list(tables_of_file(str(path)).values())
    drifted = [replace(model, columns=[*model.columns, Column("n", LongType())]) for model in models]
    gate = Gate(MemoryCatalog([*map(desired_state, drifted)]), models, settings=Settings())
    options = AdoptOptions(writes=True, style=CodeStyle(), root=folder, sources=SourceRoot(folder))
    outcome = adopt_tables(gate, models, options)
    require(len(outcome.adoptions) + len(outcome.faults) == len(models), "a table is lost")
    if not outcome.faults:
        now = [table.columns for table in tables_of_file(str(path)).values()]
        require(now == [table.columns for table in drifted], f"{source.form}: it declares something else")
    return not outcome.faults


@cache
def _cases() -> dict[str, Callable[[Bench], None]]:
    return {
        f"{way}/{source.number} {source.form}": partial(_run, way, source)
        for way in ("import", "adopt")
        for source in sources(TAIL if way == "adopt" else "")
    }


AREA = Area(
    name="source-files", title="source files of every form, imported into and adopted", cases=_cases, sample=3, lanes=1
)
