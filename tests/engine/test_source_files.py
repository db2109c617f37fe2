"""Source files of every form, through imports and adoptions: untouched with one error, or with the intended nodes only."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import types as spark

from faults.source_files import NEWLINE, REFUSED, TAIL, is_inserted, sources, statements
from pytest_delta_schema import Column, MemoryCatalog, Settings
from pytest_delta_schema.engine import Gate, model_writing, source_files
from pytest_delta_schema.engine.adoption import Proofs
from pytest_delta_schema.engine.declarations import tables_of_file
from pytest_delta_schema.engine.model_writing import AdoptOptions, ImportOptions, adopt_tables, import_tables
from pytest_delta_schema.engine.source_files import SourceFile, UnwritableFileError, write_whole
from pytest_delta_schema.engine.sources import SourceRoot
from pytest_delta_schema.source_code.text import CodeStyle
from pytest_delta_schema.state import ColumnState, TableState
from pytest_delta_schema.state.desired import desired_state


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
    else:
        monkeypatch.setattr(Path, "write_bytes", _full)

    with pytest.raises(UnwritableFileError) as raised:
        source.replace(b"y = 1\n")

    assert fault in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1
    assert path.read_bytes() == (b"x = 2\n" if way == "changed" else b"x = 1\r\n")
    assert not list(tmp_path.glob(".*"))


def _full(path, content):
    with path.open("wb") as file:
        file.write(content[:2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


ITEMS = "from pytest_delta_schema import Column, Table\nNAME = Table('dev', 'silver', 'NAME', [Column('id', 'int')])\n"


@pytest.mark.parametrize(
    ("written", "is_proven", "fault", "is_edited"),
    [
        (0, True, "its source is not edited: disk full", False),
        (1, False, "the edit of its source is not proven, and could not be taken back: disk full", True),
        (2, False, "its source is not edited: disk full", False),
        (9, False, "the edit of its source was taken back, because this still differs", False),
    ],
    ids=["at the edit", "when it is taken back", "at the second try", "never"],
)
def test_a_disk_that_is_full_while_an_adoption_runs(tmp_path, monkeypatch, written, is_proven, fault, is_edited):
    path = tmp_path / "models.py"
    path.write_text(ITEMS.replace("NAME", "items"), "utf-8")
    model = tables_of_file(str(path))["items"]
    left = [None] * written

    def write(target, content):
        if not left:
            msg = "disk full"
            raise UnwritableFileError(msg)
        left.pop()
        write_whole(target, content)

    monkeypatch.setattr(source_files, "write_whole", write)
    if not is_proven:
        monkeypatch.setattr(model_writing, "proved", lambda *_: Proofs({model.name: ("~ a: b -> c",)}))
    gate = Gate(
        MemoryCatalog([desired_state(replace(model, columns=[Column("id", "bigint")]))]), [model], settings=Settings()
    )
    options = AdoptOptions(writes=True, style=CodeStyle(), root=tmp_path, sources=SourceRoot(tmp_path))

    outcome = adopt_tables(gate, [model], options)

    assert outcome.adoptions == {}
    assert outcome.faults[model.name].headline == fault
    assert ("bigint" in path.read_text("utf-8")) is is_edited
