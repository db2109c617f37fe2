"""Accept the drift of tables into the source of their models: ``--delta-adopt``; imports write files as this does."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import pytest

from pytest_delta_schema.configuration.files import shown_path, toml
from pytest_delta_schema.delta.names import part_path
from pytest_delta_schema.diagnostics.errors import DeclarationError, DeltaSchemaError, os_error_text
from pytest_delta_schema.diagnostics.text import escaped_lines, printed
from pytest_delta_schema.engine.adoption import AcceptedDrift, ModuleToProve, accepted_drift, differences_of, proved
from pytest_delta_schema.engine.declarations import Declarations, module_tables
from pytest_delta_schema.plan.actions import AlignTable
from pytest_delta_schema.plan.changes import ConvertTable
from pytest_delta_schema.plugin.failures import CatalogUnavailable, ContractFailure
from pytest_delta_schema.plugin.items import check, share_a_catalog
from pytest_delta_schema.plugin.options import ADOPT, backend_and_location
from pytest_delta_schema.plugin.registration import ADOPT_RUN, RUN, project_folder
from pytest_delta_schema.plugin.reports import SourceRoot
from pytest_delta_schema.plugin.terminal import show_section
from pytest_delta_schema.progress import step
from pytest_delta_schema.report.text import counted
from pytest_delta_schema.source_code.calls import NO_VARIABLES, table_variables
from pytest_delta_schema.source_code.edits import edited_declaration, hand_written
from pytest_delta_schema.source_code.text import CodeStyle
from pytest_delta_schema.state.desired import desired_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pytest_delta_schema.engine.gate import Gate
    from pytest_delta_schema.execute.protocols import Catalog
    from pytest_delta_schema.models.names import QualifiedName
    from pytest_delta_schema.models.table import Table
    from pytest_delta_schema.plugin.run import ContractRun
    from pytest_delta_schema.source_code.calls import Variables


_WRITE = "write"
"""The value of ``--delta-adopt`` with which files are edited."""


class AdoptContract:
    """The check of every table with ``--delta-adopt``."""

    table: Table

    @check
    @pytest.mark.usefixtures("_delta_readable")
    def adopt(self, request: pytest.FixtureRequest, delta_catalog: Catalog) -> None:
        """The model declares what the table has, by an edit of its source if that is needed."""
        gate = request.config.stash[RUN].gate(delta_catalog)
        request.config.pluginmanager.getplugin(ADOPT_RUN).require(request.node, gate)


class AdoptRun:
    """The hooks of a run with ``--delta-adopt``, and what its items share."""

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

    def require(self, item: pytest.Function, gate: Gate) -> None:
        """Accept the drift of all tables of a catalog, unless that was done, and report that of one item."""
        if id(gate) not in self._outcomes:
            tables = [other.cls.table for other in self._run.changing if share_a_catalog(item, other)]
            try:
                self._outcomes[id(gate)] = adopt_tables(gate, tables, self._options)
            except DeltaSchemaError as error:
                raise CatalogUnavailable(str(error)) from None
        outcome, model = self._outcomes[id(gate)], item.cls.table
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

    def pytest_report_header(self) -> str:
        """Name the mode of the run and its catalog."""
        return printed(f"delta schema: {ADOPT} from {backend_and_location(self._config, self._run.options)}")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Name the files that were edited, and what to do next."""
        lines = [line for outcome in self._outcomes.values() for line in self._lines(outcome)]
        show_section(terminalreporter, lines)

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
            yield "next: pytest --delta-adopt=write makes these edits"


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
    drifts_of = {model.name: (model, _drift_of(gate, model)) for model in models}
    faults = {name: drift for name, (_, drift) in drifts_of.items() if isinstance(drift, ModelFault)}
    drifts = [(model, drift) for model, drift in drifts_of.values() if isinstance(drift, AcceptedDrift)]
    # Declarations of a file are edited from the first to the last.
    adoptions = [Adoption(model, drift) for model, drift in sorted(drifts, key=lambda pair: pair[0].origin.line)]
    accepted_models = {adoption.model.name: adoption.drift.table for adoption in adoptions}
    declarations = Declarations(gate.declarations.settings, {**gate.declarations.tables, **accepted_models})
    files: dict[Path, list[Adoption]] = {}
    for adoption in adoptions:
        adoption.fault = _fault_of_model(gate, declarations, adoption) or _fault_of_source(adoption, options)
        if adoption.fault is None:
            files.setdefault(adoption.path, []).append(adoption)
    if options.writes and files:
        _edit_files(files, gate, options)
    faults |= {adoption.model.name: adoption.fault for adoption in adoptions if adoption.fault is not None}
    return AdoptOutcome({adoption.model.name: adoption for adoption in adoptions if adoption.fault is None}, faults)


def _drift_of(gate: Gate, model: Table) -> AcceptedDrift | ModelFault | None:
    """Return the model that accepts the drift of a table, or why there is none; ``None`` without drift."""
    violations = gate.declarations.violations(model)
    if violations:
        return ModelFault("the model breaks a rule; correct that first", tuple(map(str, violations)))
    bound, stored = gate.declarations.bound(model), gate.states(model)[1]
    if stored is None:
        return ModelFault("the table could not be read", (str(gate.state().problem(bound.name)),))
    if not stored.exists:
        return ModelFault("the table is not in the catalog; apply its model, or remove it")
    # Former names would be renames to make, and not names to accept.
    wanted = replace(desired_state(bound.table), renames=())
    plan = gate.declarations.planner.plan_states([wanted], gate.state())
    actions = [action for action in (*plan.actions, *plan.mismatches) if action.table == bound.name]
    changes = [change for action in actions if isinstance(action, AlignTable) for change in action.changes]
    if any(isinstance(change, ConvertTable) for change in changes):
        return ModelFault("the files of the table are not converted to Delta; apply its model")
    try:
        return accepted_drift(model, stored, changes, gate.declarations.settings) if changes else None
    except DeclarationError as error:
        return ModelFault("no model can declare what the table has", (str(error),))


def _fault_of_model(gate: Gate, declarations: Declarations, adoption: Adoption) -> ModelFault | None:
    """Return why the model that accepts the drift of a table cannot be used; it is one of the declarations."""
    model = adoption.drift.table
    violations = declarations.violations(model)
    if violations:
        return ModelFault("the model that accepts its drift breaks a rule", tuple(map(str, violations)))
    rest = differences_of(declarations.bound(model).table, declarations.planner, gate.state())
    secrets = [part_path("properties", key) for key in adoption.drift.secrets]
    adoption.expected = tuple(line for line in rest if any(f" {path}: " in line for path in secrets))
    unknown = tuple(line for line in rest if line not in adoption.expected)
    return ModelFault("no model can declare what differs", unknown) if unknown else None


def _fault_of_source(adoption: Adoption, options: AdoptOptions) -> ModelFault | None:
    """Note how the source of one model is edited, or return why it is not."""
    model, shown = adoption.model, Path(shown_path(adoption.path, options.root)).as_posix()
    if not options.sources.is_own(model.origin.location):
        return _by_hand(adoption, f"{shown} is not a file of this project")
    try:
        original = adoption.path.read_bytes()
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
        model, before = adoption.model, content.count(b"\n")
        line = model.origin.line + added
        content = edited_declaration(content, line, model, adoption.drift.table, _variables(model), style)
        added += content.count(b"\n") - before
    return content


def _variables(model: Table) -> Variables:
    """Return the variables of a model's module that hold tables."""
    module = sys.modules.get(model.origin.module)
    return table_variables(module_tables(module)) if module else NO_VARIABLES


def _edit_files(files: Mapping[Path, Sequence[Adoption]], gate: Gate, options: AdoptOptions) -> None:
    """Edit files, and prove the edits; those that fail are taken back."""
    originals = {path: path.read_bytes() for path in files}
    kept = dict(originals)
    try:
        with step(f"editing {counted(len(files), 'file')}"):
            contents = {path: _edited(originals[path], files[path], options.style) for path in files}
            written = {
                path: files[path] for path, content in contents.items() if _is_written(path, content, files[path])
            }
        with step(f"proving {counted(sum(map(len, written.values())), 'model')}"):
            proofs = _proofs(written, gate)
        for path, adoptions in written.items():
            if all(proofs[adoption.model.name] == adoption.expected for adoption in adoptions):
                kept[path] = contents[path]
                continue
            with step(f"proving {counted(len(adoptions), 'model')} of {shown_path(path, options.root)} one by one"):
                kept[path] = _proven_content(path, originals[path], adoptions, gate, options)
    finally:
        for path, content in kept.items():
            if path.read_bytes() != content:
                write_whole(path, content)


def _is_written(path: Path, content: bytes, adoptions: Iterable[Adoption]) -> bool:
    """Write a file; if it cannot be written, that is a fault of its models."""
    try:
        write_whole(path, content)
    except UnwritableFileError as error:
        for adoption in adoptions:
            adoption.fault = ModelFault(f"its source is not edited: {error}")
        return False
    return True


def _proven_content(
    path: Path, original: bytes, adoptions: Iterable[Adoption], gate: Gate, options: AdoptOptions
) -> bytes:
    """Return the content of a file with those of the edits after which no model in it differs."""
    proven: list[Adoption] = []
    content = original
    for adoption in adoptions:
        tried = [*proven, adoption]
        edited = _edited(original, tried, options.style)
        write_whole(path, edited)
        proofs = _proofs({path: tried}, gate)
        if all(proofs[other.model.name] == other.expected for other in tried):
            proven, content = tried, edited
        else:
            lines = next(proofs[other.model.name] for other in tried if proofs[other.model.name] != other.expected)
            adoption.fault = ModelFault("the edit of its source was taken back, because this still differs", lines)
    return content


def _proofs(files: Mapping[Path, Sequence[Adoption]], gate: Gate) -> dict[QualifiedName, tuple[str, ...]]:
    """Return the differences between the models in some files and their tables."""
    modules = [
        ModuleToProve(str(path), tuple(adoption.model.name for adoption in adoptions), adoptions[0].model.origin.module)
        for path, adoptions in files.items()
    ]
    states = [gate.states(adoption.model)[1] for adoptions in files.values() for adoption in adoptions]
    return proved(modules, [state for state in states if state is not None], gate.declarations.settings)


class ModelFault(NamedTuple):
    """Why an import or an edit of a model failed."""

    headline: str
    lines: tuple[str, ...] = ()


def fail(name: str, fault: ModelFault) -> NoReturn:
    """Fail the item of a table."""
    headline = f"{name}: {fault.headline}"
    raise ContractFailure(headline, "\n".join(map(escaped_lines, fault.lines)), name)


class UnwritableFileError(Exception):
    """A file cannot be written; the text names it, with the reason and the remedy."""


def write_whole(path: Path, content: bytes) -> None:
    """Write a file next to its place, and move it there."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_bytes(content)
        if path.exists():
            shutil.copymode(path, scratch)
        os.replace(scratch, path)  # noqa: PTH105 - replaces on every system
    except OSError as error:
        scratch.unlink(missing_ok=True) if scratch.parent.is_dir() else None
        msg = f"{path} cannot be written: {os_error_text(error)}; make its folder writable, or name another path"
        raise UnwritableFileError(msg) from None


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
