"""Write models into source files and prove them: those of imported tables, and those that accept drift."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pytest_delta_schema.configuration.files import shown_path
from pytest_delta_schema.delta.names import part_path
from pytest_delta_schema.diagnostics.errors import DeclarationError, os_error_text
from pytest_delta_schema.diagnostics.text import counted
from pytest_delta_schema.engine.adoption import (
    ModelOfTable,
    Module,
    Proofs,
    accepted_drift,
    differences_of,
    imported_model,
    proved,
    renamed_as_stored,
    tokens_in,
)
from pytest_delta_schema.engine.declarations import (
    BoundModel,
    Declarations,
    module_tables,
    node_name,
    snapshot_text,
    tables_of_file,
)
from pytest_delta_schema.engine.source_files import SourceFile, UnwritableFileError, write_whole
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.plan.changes import ConvertTable
from pytest_delta_schema.progress import step
from pytest_delta_schema.source_code.calls import NO_VARIABLES, table_variables
from pytest_delta_schema.source_code.edits import edited_declaration, hand_written
from pytest_delta_schema.source_code.modules import extended_module, module_source, why_unreadable
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.json_shapes import SQL_FILE, STATE_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.configuration.settings import Settings
    from pytest_delta_schema.delta.names import Aspect
    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.engine.sources import SourceRoot
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.kinds import Change
    from pytest_delta_schema.source_code.calls import Variables
    from pytest_delta_schema.source_code.text import CodeStyle
    from pytest_delta_schema.state.states import CatalogState, TableState


class ModelFault(NamedTuple):
    """Why an import or an edit of a model failed."""

    headline: str
    lines: tuple[str, ...] = ()


@dataclass(slots=True)
class ModelEdit:
    """A model that is written into a source file: that of an imported table, or one that accepts drift."""

    name: QualifiedName
    """The name of an imported table in the catalog, or of the model that is edited."""
    model: Table
    """The model that is edited; that of an imported table is the one that was made."""
    made: ModelOfTable
    expected: tuple[str, ...] = ()
    """The differences that stay, because their values may be secrets."""
    diff: str = ""
    """The edit of the source."""
    remarks: list[str] = field(default_factory=list)
    """What the model of an imported table omits."""
    fault: ModelFault | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class EditedFile:
    """A source file with the models that are written into it; what is not proven is taken back."""

    source: SourceFile
    content: Callable[[bytes | None, Sequence[ModelEdit]], bytes]
    """Its content with some models, from the content before."""
    unwritten: str
    """The headline of the fault of models that cannot be written."""
    unproven: str
    """The headline of the fault of models that cannot be taken back."""
    declared: Mapping[QualifiedName, Table] = field(default_factory=dict)
    """The models that it has declared before, of a file that an import extends."""
    edits: list[ModelEdit] = field(default_factory=list)
    before: bytes | None = field(init=False)
    proven: bytes | None = field(init=False)
    """What the file has at the end."""

    def __post_init__(self) -> None:
        self.before = self.proven = self.source.content

    def write(self, edits: Sequence[ModelEdit]) -> ModelFault | None:
        """Write it with some of its models; return why that is not possible."""
        try:
            self.source.replace(self.content(self.before, edits))
        except (DeclarationError, UnwritableFileError, UnicodeError) as error:
            return ModelFault(f"{self.unwritten}: {error}")
        return None

    def put_back(self) -> None:
        """Give the file what is proven of it; if that is not possible, it is a fault of its models."""
        try:
            if self.source.content != self.proven:
                self.source.replace(self.proven)
        except UnwritableFileError as error:
            self.note(ModelFault(f"{self.unproven}: {error}"))

    def note(self, fault: ModelFault | None) -> None:
        """Note what all of its models have as their fault."""
        for edit in self.edits:
            edit.fault = fault


@contextmanager
def _written(files: Sequence[EditedFile], title: str) -> Iterator[list[EditedFile]]:
    """Write files, and give those that could be written; at the end, each file has what is proven of it."""
    try:
        with step(title):
            for file in files:
                file.note(file.write(file.edits))
        yield [file for file in files if not any(edit.fault for edit in file.edits)]
    finally:
        for file in files:
            file.put_back()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """The tables to import, their files and their style."""

    targets: Mapping[QualifiedName, Path]
    """The file of each table, by its name in the catalog."""
    settings: Settings
    owns: Sequence[Aspect] | None
    """The aspects that the contracts manage; ``None`` for all."""
    style: CodeStyle
    root: Path
    """The folder from which messages name files."""


class ImportOutcome(NamedTuple):
    """How the import of some tables ended; all mappings are by names in the catalog."""

    written: Mapping[QualifiedName, Path]
    """The files of the tables whose models were written."""
    faults: Mapping[QualifiedName, ModelFault]
    """Why the import of a table failed, also of one that was written."""
    remarks: Mapping[QualifiedName, Sequence[str]]
    """What the model of a table omits."""


def import_tables(catalog: Catalog, options: ImportOptions) -> ImportOutcome:
    """Read tables, write their models and their snapshots, and prove that nothing differs."""
    names = sorted(options.targets)
    with step(f"reading {counted(len(names), 'table')}"):
        state = catalog.read_tables(names)
    states = {**state.tables, **state.others}
    results = {name: _model_of(state, name, states.get(name), options) for name in names}
    faults = {name: result for name, result in results.items() if isinstance(result, ModelFault)}
    edits = {name: result for name, result in results.items() if isinstance(result, ModelEdit)}
    files = _files_to_write(options, edits, faults)
    with _written(files, f"writing {counted(len(files), 'module')}") as modules:
        _prove_imports(modules, states, options.settings)
    kept = [(edit, file.source.path) for file in files if file.source.content != file.before for edit in file.edits]
    declarations = Declarations(options.settings, {edit.model.name: edit.model for edit, _ in kept})
    for edit, path in kept:
        fault = _fault_of_snapshots(path, edit.model, declarations)
        edit.fault = edit.fault or fault
    return ImportOutcome(
        {edit.name: path for edit, path in kept},
        faults | {name: edit.fault for name, edit in edits.items() if edit.fault},
        {name: edit.remarks for name, edit in edits.items() if edit.remarks},
    )


def _model_of(
    catalog: CatalogState, name: QualifiedName, state: TableState | None, options: ImportOptions
) -> ModelEdit | ModelFault:
    """Return the model of a table with what it omits, or why no module can hold one."""
    if state is None:
        problem = catalog.problem(name)
        return ModelFault(f"could not be read: {problem.message}", (str(problem),))
    if not state.exists:
        return ModelFault("is not there any more; import again")
    try:
        model = imported_model(state, options.settings, options.owns)
    except DeclarationError as error:
        return ModelFault("has something that no model can declare", (str(error),))
    tokens, reason = tokens_in(model.table), why_unreadable(model.table)
    if tokens:
        return ModelFault(
            f"was not written, because its model would hold what has the form of a token: {', '.join(tokens)}; remove"
            " it from the table, and import it again"
        )
    if reason:
        return ModelFault(
            f"was not written, because Python cannot read its model: {reason}; declare it by hand, with variables for"
            " the types inside of its columns"
        )
    edit = ModelEdit(name, model.table, model)
    if model.secrets:
        edit.remarks.append(f"not declared, because the value may be a secret: {', '.join(model.secrets)}")
    if state.not_shown:
        edit.remarks.append(f"not declared, because the catalog does not show them: {', '.join(state.not_shown)}")
    return edit


def _files_to_write(
    options: ImportOptions, edits: Mapping[QualifiedName, ModelEdit], faults: Mapping[QualifiedName, ModelFault]
) -> list[EditedFile]:
    """Return the files to write, each with its models; the docstring of a new one names the tables it lacks."""
    names_of: dict[Path, list[QualifiedName]] = {}
    for name, path in options.targets.items():
        names_of.setdefault(path, []).append(name)
    files = []
    for path, names in names_of.items():
        # What is behind the colon may name folders of this machine.
        unread = [f"{name} {faults[name].headline.partition(': ')[0]}" for name in names if name in faults]
        docstring = [f"Tables of {'.'.join(names[0][:2])}.", *unread]
        shown, tables = shown_path(path, options.root), tables_of_file(str(path)) if path.is_file() else {}
        file = EditedFile(
            source=SourceFile.read(path),
            content=partial(_module_text, docstring, table_variables(tables), options.style),
            unwritten=f"was not written to {shown}",
            unproven=f"was written to {shown} without a proof, and could not be taken back",
            declared={table.name: table for table in tables.values()},
            edits=[edits[name] for name in names if name in edits],
        )
        if file.edits:
            files.append(file)
    return files


def _module_text(
    docstring: Sequence[str], known: Variables, style: CodeStyle, before: bytes | None, edits: Sequence[ModelEdit]
) -> bytes:
    """Return the content of a module that declares models, too, or nothing but them."""
    tables = [edit.model for edit in edits]
    remarks = {edit.model.name: edit.remarks for edit in edits if edit.remarks}
    if before is None:
        return module_source(tables, docstring=docstring, remarks=remarks, style=style).encode()
    return extended_module(before, tables, known, remarks=remarks, style=style)


def _prove_imports(files: Sequence[EditedFile], states: Mapping[QualifiedName, TableState], settings: Settings) -> None:
    """Compare written models with their tables; what breaks a module, or what it had declared, is taken back."""
    if not files:
        return
    edits = [edit for file in files for edit in file.edits]
    unchanged = [BoundModel.of(table, settings).table for file in files for table in file.declared.values()]
    modules = {
        Module(str(file.source.path)): [*(edit.model.name for edit in file.edits), *file.declared] for file in files
    }
    with step(f"proving {counted(len(edits), 'model')}"):
        proofs = proved(modules, [*map(desired_state, unchanged), *(states[edit.name] for edit in edits)], settings)
    for file in files:
        facts = [proofs.unusable[edit.model.name] for edit in file.edits if edit.model.name in proofs.unusable]
        others = ", ".join(str(name) for name in file.declared if proofs.lines(name))
        facts += [f"{others} would declare something else in it"] if others else []
        if facts:
            file.note(ModelFault(f"{file.unwritten}: {facts[0]}; write its model by hand"))
            file.put_back()
            continue
        for edit in file.edits:
            lines = proofs.differences[edit.model.name]
            if lines:
                edit.remarks += [f"a model cannot declare this yet: {line}" for line in lines]
                edit.fault = ModelFault("its model differs from it", lines)
        if any(edit.fault for edit in file.edits):
            # If the remarks cannot be written, the module stays as it is, and the faults say the same.
            file.write(file.edits)
    for file in files:
        file.proven = file.source.content


def _fault_of_snapshots(path: Path, model: Table, declarations: Declarations) -> ModelFault | None:
    """Write the snapshots of a model next to the module that declares it, or return why that is not possible."""
    violations = declarations.violations(model)
    if violations:
        return ModelFault("its model breaks a rule", tuple(map(str, violations)))
    folder, table = path.parent / "__snapshots__" / path.stem, node_name(model.qualified_name)
    texts = declarations.reviewed_texts(model)
    try:
        write_whole(folder / f"{table}{SQL_FILE}", snapshot_text(texts.sql).encode())
        write_whole(folder / f"{table}{STATE_FILE}", texts.state.encode())
    except UnwritableFileError as error:
        return ModelFault(f"has no snapshot: {error}")
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptOptions:
    """How drift is accepted."""

    writes: bool
    """Whether files are edited, and not only compared with how they would be."""
    style: CodeStyle
    root: Path
    """The folder from which messages name files."""
    sources: SourceRoot


class AdoptOutcome(NamedTuple):
    """The accepted drift of tables, by the names of their models, and why that of others is not accepted."""

    adoptions: Mapping[QualifiedName, ModelEdit]
    faults: Mapping[QualifiedName, ModelFault]


def adopt_tables(gate: Gate, models: Iterable[Table], options: AdoptOptions) -> AdoptOutcome:
    """Accept the drift of some models of a gate into their source; those without drift are left out."""
    gate.state()
    results = [(model, drift_of(gate, model)) for model in {model.name: model for model in models}.values()]
    faults = {model.name: drift for model, drift in results if isinstance(drift, ModelFault)}
    edits = [ModelEdit(model.name, model, drift) for model, drift in results if isinstance(drift, ModelOfTable)]
    # Declarations of a file are edited from the first to the last.
    edits.sort(key=lambda edit: edit.model.origin.line)
    accepted = {edit.name: edit.made.table for edit in edits}
    declarations = Declarations(gate.declarations.settings, {**gate.declarations.tables, **accepted})
    files: dict[Path, EditedFile] = {}
    for edit in edits:
        edit.fault = _fault_of_model(gate, declarations, edit) or _fault_of_source(edit, files, options)
    if options.writes and files:
        _edit_files([*files.values()], gate, options)
    faults |= {edit.name: edit.fault for edit in edits if edit.fault is not None}
    return AdoptOutcome({edit.name: edit for edit in edits if edit.fault is None}, faults)


def drift_of(gate: Gate, model: Table) -> ModelOfTable | ModelFault | None:  # noqa: PLR0911 - one answer a reason
    """Return the model that accepts the drift of a table, or why there is none; ``None`` without drift."""
    violations = gate.declarations.violations(model)
    if violations:
        return ModelFault("the model breaks a rule; correct that first", tuple(map(str, violations)))
    bound, stored = gate.declarations.bound(model), gate.states(model)[1]
    if stored is None:
        return ModelFault("the table could not be read", (str(gate.state().problem(bound.name)),))
    if not stored.exists:
        return ModelFault("the table is not in the catalog; apply its model, or remove it")
    wanted, changes = _changes_of(gate, model)
    if not changes:
        return None
    if any(isinstance(change, ConvertTable) for change in changes):
        return ModelFault("the files of the table are not converted to Delta; apply its model")
    try:
        # One rename at a time: a field is only found under the new name of its struct.
        while (renamed := renamed_as_stored(gate.catalog, model, wanted, stored, changes)) is not model:
            model = renamed
            wanted, changes = _changes_of(gate, model)
        return accepted_drift(model, stored, changes, gate.declarations.settings)
    except DeclarationError as error:
        return ModelFault("no model can declare what the table has", (str(error),))


def _changes_of(gate: Gate, model: Table) -> tuple[TableState, list[Change]]:
    """Return what a model wants of its table, and how that differs from the table."""
    bound = gate.declarations.bound(model)
    # Former names would be renames to make, and not names to accept.
    wanted = replace(desired_state(bound.table), renames=())
    plan = gate.declarations.planner.plan_states([wanted], gate.state())
    actions = [action for action in (*plan.actions, *plan.mismatches) if action.table == bound.name]
    return wanted, [change for action in actions if isinstance(action, AlignTable) for change in action.changes]


def _fault_of_model(gate: Gate, declarations: Declarations, edit: ModelEdit) -> ModelFault | None:
    """Return why the model that accepts the drift of a table cannot be used; it is one of the declarations."""
    model = edit.made.table
    declared = tokens_in(edit.model)
    tokens = [path for path in tokens_in(model) if path not in declared]
    if tokens:
        shown = ", ".join(tokens)
        return ModelFault(f"its model would hold what has the form of a token: {shown}; remove it from the table")
    violations = declarations.violations(model)
    if violations:
        return ModelFault("the model that accepts its drift breaks a rule", tuple(map(str, violations)))
    rest = differences_of(declarations.bound(model).table, declarations.planner, gate.state())
    secrets = [part_path("properties", key) for key in edit.made.secrets]
    edit.expected = tuple(line for line in rest if any(f" {path}: " in line for path in secrets))
    unknown = tuple(line for line in rest if line not in edit.expected)
    return ModelFault("no model can declare what differs", unknown) if unknown else None


def _fault_of_source(edit: ModelEdit, files: dict[Path, EditedFile], options: AdoptOptions) -> ModelFault | None:
    """Add one model to the edits of its file, or return why its source is not edited."""
    model, path = edit.model, Path(edit.model.origin.path)
    shown = Path(shown_path(path, options.root)).as_posix()
    if not options.sources.is_own(model.origin.location):
        return _by_hand(edit, f"{shown} is not a file of this project")
    try:
        file = files.get(path) or EditedFile(
            source=SourceFile.read(path),
            content=partial(_edited, style=options.style),
            unwritten="its source is not edited",
            unproven="the edit of its source is not proven, and could not be taken back",
        )
        contents = [file.before or b"", _edited(file.before, [edit], options.style)]
    except OSError as error:
        return ModelFault(f"{shown} cannot be read: {os_error_text(error)}")
    except DeclarationError as error:
        return _by_hand(edit, str(error))
    old, new = (content.decode(errors="replace").splitlines() for content in contents)
    edit.diff = "\n".join(unified_diff(old, new, f"a/{shown}", f"b/{shown}", lineterm=""))
    files.setdefault(path, file).edits.append(edit)
    return None


def _by_hand(edit: ModelEdit, reason: str) -> ModelFault:
    lines = hand_written(edit.model, edit.made.table, _variables(edit.model))
    return ModelFault(f"its source is not edited, because {reason}; write by hand:", lines)


def _edited(before: bytes | None, edits: Iterable[ModelEdit], style: CodeStyle) -> bytes:
    """Return the content of a file with some edits, given in the order of their lines."""
    content, added = before or b"", 0
    for edit in edits:
        model, lines = edit.model, len(content.splitlines())
        line = model.origin.line + added
        content = edited_declaration(content, line, model, edit.made.table, _variables(model), style)
        added += len(content.splitlines()) - lines
    return content


def _variables(model: Table) -> Variables:
    """Return the variables of a model's module that hold tables."""
    module = sys.modules.get(model.origin.module)
    return table_variables(module_tables(module)) if module else NO_VARIABLES


def _edit_files(files: Sequence[EditedFile], gate: Gate, options: AdoptOptions) -> None:
    """Edit files, and prove the edits; those that fail are taken back."""
    proof = AdoptionProof(gate, [edit for file in files for edit in file.edits])
    with _written(files, f"editing {counted(len(files), 'file')}") as written:
        edits = [edit for file in written for edit in file.edits]
        with step(f"proving {counted(len(edits), 'model')}"):
            failed = proof.failures(edits)
        names, suspects = {edit.name for edit in edits}, []
        for file in written:
            # Any of the edits may be what changes other models.
            if failed.keys() - names or any(edit.name in failed for edit in file.edits):
                file.put_back()
                suspects.append(file)
            else:
                file.proven = file.source.content
                proof.watch(file.edits)
        for file in suspects:
            number = counted(len(file.edits), "model")
            with step(f"proving {number} of {shown_path(file.source.path, options.root)} one by one"):
                _prove_one_by_one(file, proof)


def _prove_one_by_one(file: EditedFile, proof: AdoptionProof) -> None:
    """Keep those edits of a file that can be proven together."""
    proven: list[ModelEdit] = []
    for edit in file.edits:
        tried = [*proven, edit]
        edit.fault = file.write(tried)
        if edit.fault is not None:
            continue
        failed = proof.failures(tried)
        own = [failed[part.name] for part in tried if part.name in failed]
        fact = "the edit of its source was taken back, because"
        if own:
            edit.fault = ModelFault(f"{fact} this still differs", own[0])
        elif failed:
            lines = tuple(f"{name}: {line}" for name, new in failed.items() for line in new)
            edit.fault = ModelFault(f"{fact} it changes what other models declare; write by hand", lines)
        else:
            proven = tried
            file.proven = file.source.content
    file.put_back()
    proof.watch(proven)


class AdoptionProof:
    """Proves edits: the edited models declare what is stored, and no other declared model gets a new difference."""

    def __init__(self, gate: Gate, edits: Iterable[ModelEdit]) -> None:
        self._gate = gate
        edited = {edit.name for edit in edits}
        tables = gate.declarations.tables.items()
        others = [name for name, table in tables if name not in edited and Path(table.origin.path).is_file()]
        # A module that only the tests of a project can import says nothing, before an edit as after it.
        self._allowed = dict(self._proofs(others).differences)

    def watch(self, edits: Iterable[ModelEdit]) -> None:
        """Treat models whose edits are proven as others from now on."""
        self._allowed |= {edit.name: edit.expected for edit in edits}

    def failures(self, edits: Iterable[ModelEdit]) -> dict[QualifiedName, tuple[str, ...]]:
        """Return the differences that speak against some edits, which are in the files, by the names of models."""
        expected = {**self._allowed, **{edit.name: edit.expected for edit in edits}}
        proofs = self._proofs(expected)
        new = {
            name: tuple(line for line in proofs.lines(name) if line not in allowed)
            for name, allowed in expected.items()
        }
        return {name: lines for name, lines in new.items() if lines}

    def _proofs(self, names: Iterable[QualifiedName]) -> Proofs:
        """Compare models, as their files declare them, with their tables."""
        modules: dict[Module, list[QualifiedName]] = {}
        states = []
        for model in map(self._gate.declarations.tables.__getitem__, names):
            modules.setdefault(Module(model.origin.path, model.origin.module), []).append(model.name)
            # What no catalog has is compared with what its model declares, which an edit must not change.
            desired, stored = self._gate.states(model)
            states.append(stored if stored is not None and stored.exists else desired)
        return proved(modules, states, self._gate.declarations.settings) if modules else Proofs({})
