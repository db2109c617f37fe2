"""Accept the drift of tables into the source of their models: ``--delta-adopt``."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from pytest_delta_schema.configuration.files import shown_path, toml
from pytest_delta_schema.delta.names import part_path
from pytest_delta_schema.diagnostics.errors import DeclarationError, DeltaSchemaError, os_error_text
from pytest_delta_schema.diagnostics.text import escaped_lines
from pytest_delta_schema.engine.adoption import (
    AcceptedDrift,
    ModuleToProve,
    Proofs,
    accepted_drift,
    differences_of,
    proved,
    renamed_as_stored,
    tokens_in,
)
from pytest_delta_schema.engine.declarations import Declarations, module_tables
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.plan.changes import ConvertTable
from pytest_delta_schema.plugin.failures import CatalogUnavailable, ContractFailure
from pytest_delta_schema.plugin.items import share_a_catalog
from pytest_delta_schema.plugin.options import ADOPT, chosen_catalog
from pytest_delta_schema.plugin.registration import project_folder
from pytest_delta_schema.plugin.source_files import SourceFile, UnwritableFileError
from pytest_delta_schema.plugin.sources import SourceRoot
from pytest_delta_schema.progress import step
from pytest_delta_schema.report.text import counted
from pytest_delta_schema.source_code.calls import NO_VARIABLES, table_variables
from pytest_delta_schema.source_code.edits import edited_declaration, hand_written
from pytest_delta_schema.source_code.text import NEWLINE, CodeStyle
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pytest

    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plan.kinds import Change
    from pytest_delta_schema.plugin.items import ContractItem
    from pytest_delta_schema.plugin.run import ContractRun
    from pytest_delta_schema.source_code.calls import Variables
    from pytest_delta_schema.state.states import TableState


_WRITE = "write"
"""The value of ``--delta-adopt`` with which files are edited."""


class AdoptRun:
    """What the items of a run with ``--delta-adopt`` share."""

    def __init__(self, config: pytest.Config, run: ContractRun) -> None:
        self._config = config
        self._run = run
        self._options = AdoptOptions(
            writes=run.options.adopt == _WRITE,
            style=code_style(project_folder(config)),
            root=config.rootpath,
            sources=SourceRoot(config.rootpath),
        )
        self._outcomes: dict[int, AdoptOutcome] = {}

    def require(self, item: ContractItem, gate: Gate) -> None:
        """Accept the drift of all tables of a catalog, unless that was done, and report that of one item."""
        if id(gate) not in self._outcomes:
            tables = [other.table for other in self._run.changing if share_a_catalog(item, other)]
            try:
                self._outcomes[id(gate)] = adopt_tables(gate, tables, self._options)
            except DeltaSchemaError as error:
                raise CatalogUnavailable(str(error)) from None
        outcome, model = self._outcomes[id(gate)], item.table
        fault = outcome.faults.get(model.name)
        if fault is not None:
            fail(model.qualified_name, fault)
        adoption = outcome.adoptions.get(model.name)
        if adoption is None:
            return
        if not self._options.writes:
            lines = tuple(adoption.diff.splitlines())
            fail(model.qualified_name, ModelFault("its table differs; --delta-adopt=write makes this edit", lines))
        if adoption.drift.secrets:
            headline = f"accepted, but for what may be secret: {', '.join(adoption.drift.secrets)}"
            fail(model.qualified_name, ModelFault(headline, adoption.expected))

    def summary_lines(self) -> list[str]:
        """Return the files that were edited, and what to do next."""
        return [line for outcome in self._outcomes.values() for line in self._lines(outcome)]

    def _lines(self, outcome: AdoptOutcome) -> Iterator[str]:
        adoptions, failed = outcome.adoptions, len(outcome.faults)
        accepted = "accepted and proven" if self._options.writes else "with differences that could be accepted"
        yield f"{ADOPT}: {counted(len(adoptions), 'table')} {accepted}{f', {failed} failed' if failed else ''}"
        files: dict[str, list[str]] = {}
        for name, adoption in sorted(adoptions.items()):
            files.setdefault(shown_path(adoption.path, self._config.rootpath), []).append(str(name))
        verb = "edited" if self._options.writes else "would edit"
        yield from (f"  {verb:<11} {file}: {', '.join(names)}" for file, names in sorted(files.items()))
        if files and self._options.writes:
            changed = " ".join(sorted(files))
            yield f"next: review git diff {changed}, then pytest --snapshot-update, then commit both"
        elif files:
            yield f"next: pytest --delta-adopt=write{chosen_catalog(self._config)} makes these edits"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptOptions:
    """How drift is accepted."""

    writes: bool
    """Whether files are edited, and not only compared with how they would be."""
    style: CodeStyle
    root: Path
    """The folder from which messages name files."""
    sources: SourceRoot


@dataclass(slots=True)
class Adoption:
    """How the drift of one table is accepted."""

    model: Table
    drift: AcceptedDrift
    expected: tuple[str, ...] = ()
    """The differences that stay, because their values may be secrets."""
    diff: str = ""
    """The edit of the source."""
    fault: ModelFault | None = None

    @property
    def path(self) -> Path:
        """The file of the model."""
        return Path(self.model.origin.path)


class AdoptOutcome(NamedTuple):
    """The accepted drift of tables, by the names of their models, and why that of others is not accepted."""

    adoptions: Mapping[QualifiedName, Adoption]
    faults: Mapping[QualifiedName, ModelFault]


def adopt_tables(gate: Gate, models: Iterable[Table], options: AdoptOptions) -> AdoptOutcome:
    """Accept the drift of some models of a gate into their source; those without drift are left out."""
    gate.state()
    drifts_of = {model.name: (model, drift_of(gate, model)) for model in models}
    faults = {name: drift for name, (_, drift) in drifts_of.items() if isinstance(drift, ModelFault)}
    drifts = [(model, drift) for model, drift in drifts_of.values() if isinstance(drift, AcceptedDrift)]
    # Declarations of a file are edited from the first to the last.
    adoptions = [Adoption(model, drift) for model, drift in sorted(drifts, key=lambda pair: pair[0].origin.line)]
    accepted_models = {adoption.model.name: adoption.drift.table for adoption in adoptions}
    declarations = Declarations(gate.declarations.settings, {**gate.declarations.tables, **accepted_models})
    sources: dict[Path, SourceFile] = {}
    files: dict[Path, list[Adoption]] = {}
    for adoption in adoptions:
        adoption.fault = _fault_of_model(gate, declarations, adoption) or _fault_of_source(adoption, sources, options)
        if adoption.fault is None:
            files.setdefault(adoption.path, []).append(adoption)
    if options.writes and files:
        edited = [
            EditedFile(sources[path], sources[path].content or b"", edits, options.style)
            for path, edits in files.items()
        ]
        _edit_files(edited, gate, options)
    faults |= {adoption.model.name: adoption.fault for adoption in adoptions if adoption.fault is not None}
    return AdoptOutcome({adoption.model.name: adoption for adoption in adoptions if adoption.fault is None}, faults)


def drift_of(gate: Gate, model: Table) -> AcceptedDrift | ModelFault | None:  # noqa: PLR0911 - one answer a reason
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


def _fault_of_model(gate: Gate, declarations: Declarations, adoption: Adoption) -> ModelFault | None:
    """Return why the model that accepts the drift of a table cannot be used; it is one of the declarations."""
    model = adoption.drift.table
    declared = tokens_in(adoption.model)
    tokens = [path for path in tokens_in(model) if path not in declared]
    if tokens:
        shown = ", ".join(tokens)
        return ModelFault(f"its model would hold what has the form of a token: {shown}; remove it from the table")
    violations = declarations.violations(model)
    if violations:
        return ModelFault("the model that accepts its drift breaks a rule", tuple(map(str, violations)))
    rest = differences_of(declarations.bound(model).table, declarations.planner, gate.state())
    secrets = [part_path("properties", key) for key in adoption.drift.secrets]
    adoption.expected = tuple(line for line in rest if any(f" {path}: " in line for path in secrets))
    unknown = tuple(line for line in rest if line not in adoption.expected)
    return ModelFault("no model can declare what differs", unknown) if unknown else None


def _fault_of_source(adoption: Adoption, sources: dict[Path, SourceFile], options: AdoptOptions) -> ModelFault | None:
    """Note how the source of one model is edited, or return why it is not."""
    model, shown = adoption.model, Path(shown_path(adoption.path, options.root)).as_posix()
    if not options.sources.is_own(model.origin.location):
        return _by_hand(adoption, f"{shown} is not a file of this project")
    try:
        if adoption.path not in sources:
            sources[adoption.path] = SourceFile.read(adoption.path)
        original = sources[adoption.path].content or b""
        edited = _edited(original, [adoption], options.style)
    except OSError as error:
        return ModelFault(f"{shown} cannot be read: {os_error_text(error)}")
    except DeclarationError as error:
        return _by_hand(adoption, str(error))
    old, new = (content.decode(errors="replace").splitlines() for content in (original, edited))
    adoption.diff = "\n".join(unified_diff(old, new, f"a/{shown}", f"b/{shown}", lineterm=""))
    return None


def _by_hand(adoption: Adoption, reason: str) -> ModelFault:
    model = adoption.model
    lines = hand_written(model, adoption.drift.table, _variables(model))
    return ModelFault(f"its source is not edited, because {reason}; write by hand:", lines)


def _edited(original: bytes, adoptions: Iterable[Adoption], style: CodeStyle) -> bytes:
    """Return the content of a file with some edits, given in the order of their lines."""
    content, added = original, 0
    for adoption in adoptions:
        model, before = adoption.model, len(_NEWLINE.findall(content))
        line = model.origin.line + added
        content = edited_declaration(content, line, model, adoption.drift.table, _variables(model), style)
        added += len(_NEWLINE.findall(content)) - before
    return content


_NEWLINE = re.compile(NEWLINE.pattern.encode())


def _variables(model: Table) -> Variables:
    """Return the variables of a model's module that hold tables."""
    module = sys.modules.get(model.origin.module)
    return table_variables(module_tables(module)) if module else NO_VARIABLES


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file with the edits of it, in the order of their lines."""

    source: SourceFile
    original: bytes
    """Its content before any edit."""
    adoptions: Sequence[Adoption]
    style: CodeStyle

    def content(self, adoptions: Iterable[Adoption]) -> bytes:
        """Return its content with some of the edits."""
        return _edited(self.original, adoptions, self.style)


def _edit_files(files: Sequence[EditedFile], gate: Gate, options: AdoptOptions) -> None:
    """Edit files, and prove the edits; those that fail are taken back."""
    proof = AdoptionProof(gate, [adoption for file in files for adoption in file.adoptions])
    kept = {id(file): file.original for file in files}
    try:
        with step(f"editing {counted(len(files), 'file')}"):
            written = [file for file in files if _is_written(file)]
        edits = [adoption for file in written for adoption in file.adoptions]
        with step(f"proving {counted(len(edits), 'model')}"):
            failed = proof.failures(edits)
        suspects = []
        for file in written:
            # Any of the edits may be what changes other models.
            if failed.others or not failed.models.keys().isdisjoint(edit.model.name for edit in file.adoptions):
                _put_back(file, file.original)
                suspects.append(file)
            else:
                kept[id(file)] = file.content(file.adoptions)
                proof.watch(file.adoptions)
        for file in suspects:
            number = counted(len(file.adoptions), "model")
            with step(f"proving {number} of {shown_path(file.source.path, options.root)} one by one"):
                kept[id(file)] = _proven_content(file, proof)
    finally:
        for file in files:
            _put_back(file, kept[id(file)])


def _is_written(file: EditedFile) -> bool:
    """Write all edits of a file; if it cannot be written, that is a fault of its models."""
    try:
        file.source.replace(file.content(file.adoptions))
    except UnwritableFileError as error:
        for adoption in file.adoptions:
            adoption.fault = ModelFault(f"its source is not edited: {error}")
        return False
    return True


def _put_back(file: EditedFile, content: bytes) -> None:
    """Give a file what is proven of it; if that fails, it is a fault of its models."""
    try:
        if file.source.content != content:
            file.source.replace(content)
    except UnwritableFileError as error:
        for adoption in file.adoptions:
            adoption.fault = ModelFault(f"the edit of its source is not proven, and could not be taken back: {error}")


def _proven_content(file: EditedFile, proof: AdoptionProof) -> bytes:
    """Return the content of a file with those of the edits that can be proven together."""
    proven: list[Adoption] = []
    content = file.original
    for adoption in file.adoptions:
        tried = [*proven, adoption]
        edited = file.content(tried)
        try:
            file.source.replace(edited)
        except UnwritableFileError as error:
            adoption.fault = ModelFault(f"its source is not edited: {error}")
            continue
        failed = proof.failures(tried)
        if not failed.models and not failed.others:
            proven, content = tried, edited
        elif failed.models:
            lines = next(iter(failed.models.values()))
            adoption.fault = ModelFault("the edit of its source was taken back, because this still differs", lines)
        else:
            lines = tuple(f"{name}: {line}" for name, new in failed.others.items() for line in new)
            adoption.fault = ModelFault(
                "the edit of its source was taken back, because it changes what other models declare; write by hand",
                lines,
            )
    _put_back(file, content)
    proof.watch(proven)
    return content


class FailedProofs(NamedTuple):
    """What speaks against some edits, by the names of models."""

    models: Mapping[QualifiedName, tuple[str, ...]]
    """How edited models still differ from their tables."""
    others: Mapping[QualifiedName, tuple[str, ...]]
    """How other models differ that did not before."""


class AdoptionProof:
    """Proves edits: the edited models declare what is stored, and no other declared model gets a new difference."""

    def __init__(self, gate: Gate, adoptions: Iterable[Adoption]) -> None:
        self._gate = gate
        edited = {adoption.model.name for adoption in adoptions}
        tables = gate.declarations.tables.values()
        others = [table for table in tables if table.name not in edited and Path(table.origin.path).is_file()]
        proofs = self._proofs(others)
        # A module that only the tests of a project can import says nothing, before an edit as after it.
        self._others = [table for table in others if table.name in proofs.differences]
        self._allowed = {table.name: proofs.differences[table.name] for table in self._others}

    def watch(self, adoptions: Iterable[Adoption]) -> None:
        """Treat models whose edits are proven as others from now on."""
        for adoption in adoptions:
            self._others.append(adoption.model)
            self._allowed[adoption.model.name] = adoption.expected

    def failures(self, adoptions: Sequence[Adoption]) -> FailedProofs:
        """Return what speaks against some edits, which are in the files."""
        proofs = self._proofs([*self._others, *(adoption.model for adoption in adoptions)])
        models = {adoption.model.name: proofs.lines(adoption.model.name) for adoption in adoptions}
        expected = {adoption.model.name: adoption.expected for adoption in adoptions}
        new = {
            name: tuple(line for line in proofs.lines(name) if line not in allowed)
            for name, allowed in self._allowed.items()
        }
        return FailedProofs(
            {name: lines for name, lines in models.items() if lines != expected[name]},
            {name: lines for name, lines in new.items() if lines},
        )

    def _proofs(self, models: Sequence[Table]) -> Proofs:
        """Compare models, as their files declare them, with their tables."""
        if not models:
            return Proofs({})
        modules: dict[tuple[str, str], list[QualifiedName]] = {}
        for model in models:
            modules.setdefault((model.origin.path, model.origin.module), []).append(model.name)
        requests = [ModuleToProve(path, tuple(names), dotted) for (path, dotted), names in modules.items()]
        return proved(requests, map(self._state, models), self._gate.declarations.settings)

    def _state(self, model: Table) -> TableState:
        """Return what was read of a table, or else what its model declares, which an edit must not change."""
        gate = self._gate
        desired, stored = gate.states(model)
        return stored if stored is not None and stored.exists else desired


class ModelFault(NamedTuple):
    """Why an import or an edit of a model failed."""

    headline: str
    lines: tuple[str, ...] = ()


def fail(name: str, fault: ModelFault) -> NoReturn:
    """Fail the item of a table."""
    headline = f"{name}: {fault.headline}"
    raise ContractFailure(headline, "\n".join(map(escaped_lines, fault.lines)), name)


def code_style(folder: Path) -> CodeStyle:
    """Return the style that ruff's configuration in a folder, or above it, asks for; ruff's default without one."""
    for parent in (folder, *folder.parents):
        for name in (".ruff.toml", "ruff.toml", "pyproject.toml"):
            section = _ruff_section(parent / name)
            if section is not None:
                width, formats = section.get("line-length"), section.get("format")
                quotes = formats.get("quote-style") if isinstance(formats, dict) else None
                style = CodeStyle(quote="'" if quotes == "single" else '"')
                return style._replace(width=width) if isinstance(width, int) and width > 0 else style
    return CodeStyle()


def _ruff_section(path: Path) -> dict[str, Any] | None:
    """Return what a file says about ruff; ``None`` if it says nothing, or cannot be read."""
    try:
        values = toml(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    tool = values.get("tool", {}) if path.name == "pyproject.toml" else {"ruff": values}
    section = tool.get("ruff") if isinstance(tool, dict) else None
    return section if isinstance(section, dict) else None
