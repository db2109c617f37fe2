"""Hold models to a data contract: where they differ, by the path in the table and the line of the contract."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from pytest_delta_schema.delta.names import ColumnPath, folded
from pytest_delta_schema.diagnostics.errors import Location, diagnostic_of, note
from pytest_delta_schema.diagnostics.faults import ContractDiffers
from pytest_delta_schema.models.ownership import IGNORE
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.plan.kinds import ADD, DROP, ChangeLine
from pytest_delta_schema.plan.planner import TablePlanner
from pytest_delta_schema.state.expressions.conditions import Comparison, InList, conjuncts
from pytest_delta_schema.state.states import CatalogState
from pytest_delta_schema.state.types import StructState, children, with_children

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_delta_schema.delta.names import Aspect
    from pytest_delta_schema.diagnostics.errors import Diagnostic
    from pytest_delta_schema.exchange.odcs import ContractReading, Element
    from pytest_delta_schema.state.expressions.conditions import Condition
    from pytest_delta_schema.state.states import CheckState, ForeignKeyState, KeyState, TableState
    from pytest_delta_schema.state.types import ColumnState, DataTypeState


class ContractComparison:
    """The comparison of one table with what a contract says of it."""

    def __init__(self, reading: ContractReading, found: Element, model: TableState) -> None:
        known = len(reading.faults)
        self._contract = reading.contract
        self._found = found
        self._model = model
        self._said = reading.draft(found, model.name, model.columns)
        self._places = reading.places
        self._is_described = reading.is_described
        self.faults = reading.faults[known:]
        """What the contract says that cannot be: then nothing is compared."""

    def differences(self, *, with_comments: bool) -> Iterator[Diagnostic]:
        """Yield where the model and the contract disagree."""
        ignored: list[Aspect] = ["defaults", "properties", "tags"]
        if not with_comments:
            ignored.append("comments")
        wanted = replace(self._wanted(), ownership=dict.fromkeys(ignored, IGNORE), column_order=IGNORE, checks=())
        plan = TablePlanner().compared(wanted, CatalogState(tables={wanted.name: replace(self._model, checks=())}))
        for line in chain.from_iterable(map(change_lines, plan.actions)):
            if not line.path.startswith("properties"):
                yield self._difference(line)
        for check, held in self._unstated_limits():
            if held is not None:
                yield self._difference(ChangeLine.of(f"checks.{check.name}", held.expression, check.expression))
        if self._contract.has("deprecated"):
            yield from self._deprecations()

    def _deprecations(self) -> Iterator[Diagnostic]:
        """Yield what is deprecated on one side only: the table, or a column that both have."""
        places = {"": self._found, **self._places}
        said = {folded(path) for path, found in places.items() if found.values.get("deprecated")}
        declared = {folded(f"columns.{path.text}") if path.text else "" for path in self._model.deprecated}
        if said != declared:
            known = {"", *(folded(f"columns.{ColumnPath(column.name).text}") for column in self._model.columns)}
            for path in places:
                if folded(path) in (said ^ declared) & known:
                    is_said = folded(path) in said
                    before, after = ("not deprecated", "deprecated") if is_said else ("deprecated", "not deprecated")
                    yield self._difference(ChangeLine.of(path or "table", before, after))

    def notes(self) -> Iterator[Diagnostic]:
        """Yield the limits that no CHECK of the model decides."""
        for check, held in self._unstated_limits():
            if held is None:
                line = self._contract.line(self._places[f"checks.{check.name}"].path)
                message = f"no CHECK decides {check.expression}, which {self._contract.path}:{line} says"
                yield note(ContractDiffers, self._model.name, f"checks.{check.name}", message)

    def _difference(self, line: ChangeLine) -> Diagnostic:
        path = folded(line.path)
        places = [place for place in self._places if path == folded(place) or path.startswith(f"{folded(place)}.")]
        found = self._places[max(places, key=len)] if places else self._found
        number = self._contract.line(found.path)
        where = f"{self._contract.path}:{number}"
        if line.marker == ADD:
            fact, remedy = f"{line.after} in {where} and absent from the model", "declare it in the model"
        elif line.marker == DROP:
            fact, remedy = f"{line.before} in the model and absent from {where}", "describe it in the contract"
        else:
            fact = f"{line.before} in the model and {line.after} in {where}"
            remedy = "change the model, or agree on another contract"
        location, message = Location(self._contract.path, number), f"{line.path} is {fact}"
        return diagnostic_of(
            ContractDiffers, self._model.name, message, path=line.path, remedy=remedy, location=location
        )

    def _wanted(self) -> TableState:
        """Return the state of the model as the contract says it; what no contract says is as in the model."""
        said, model = self._said.state(), self._model
        stored = {folded(column.name): column for column in model.columns}
        is_unique = {folded(found.name) for found in self._found.listed("properties") if found.values.get("unique")}
        single = {folded(key.columns[0]): key for key in model.unique if len(key.columns) == 1}
        same = [key for name, key in single.items() if name in is_unique]
        return replace(
            model,
            columns=tuple(_as_stored(column, stored.get(folded(column.name), column)) for column in said.columns),
            table_comment=said.table_comment,
            primary_key=self._primary_key(said.primary_key),
            unique=(
                *(key for key in model.unique if len(key.columns) > 1),
                *same,
                *(key for key in said.unique if folded(key.columns[0]) not in single),
            ),
            foreign_keys=self._foreign_keys(said.foreign_keys),
            partitioning=self._in_order(said.partitioning, model.partitioning, "partitionKeyPosition"),
            renames=(),
        )

    def _primary_key(self, said: KeyState | None) -> KeyState | None:
        stored = self._model.primary_key
        if said is None or stored is None:
            return said
        return stored._replace(columns=self._in_order(said.columns, stored.columns, "primaryKeyPosition"))

    def _in_order(self, said: Sequence[str], stored: tuple[str, ...], field: str) -> tuple[str, ...]:
        """Return the names that the contract says; in the order of the model if the contract says none."""
        has_order = any(found.values.get(field, -1) > 0 for found in self._found.listed("properties"))
        spelled = {folded(name): name for name in stored}
        same = tuple(spelled.get(folded(name), name) for name in said)
        return stored if not has_order and {*same} == {*stored} else same

    def _foreign_keys(self, said: Sequence[ForeignKeyState]) -> tuple[ForeignKeyState, ...]:
        """Return the keys that the contract says, and those of the model that it cannot say."""
        stored = {(tuple(map(folded, key.columns)), key.parent): key for key in self._model.foreign_keys}
        keys = []
        for key in said:
            other = stored.pop((tuple(map(folded, key.columns)), key.parent), key)
            is_same = [*map(folded, other.parent_columns)] in [[], [*map(folded, key.parent_columns)]]
            keys.append(other if is_same else key._replace(name=other.name, rely=other.rely))
        can_say = self._contract.has("relationships")
        return (*keys, *(key for key in stored.values() if not can_say or not self._is_described(key.parent)))

    def _unstated_limits(self) -> Iterator[tuple[CheckState, CheckState | None]]:
        """Yield the limits that no CHECK states, each with the CHECK that limits the same to a different value."""
        if not self._said.checks:
            return
        from pytest_delta_schema.state.expressions.parsing import condition_of  # noqa: PLC0415 - only limits need it

        conditions = [(held, part) for held in self._model.checks for part in conjuncts(condition_of(held.expression))]
        for check in self._said.checks:
            said = condition_of(check.expression)
            if said not in [condition for _, condition in conditions]:
                yield check, next((held for held, condition in conditions if _are_rivals(said, condition)), None)


def _are_rivals(said: Condition, held: Condition) -> bool:
    if isinstance(said, Comparison) and isinstance(held, Comparison):
        return (said.left, said.operator) == (held.left, held.operator)
    return isinstance(said, InList) and isinstance(held, InList) and said.operand == held.operand


def _as_stored(said: ColumnState, stored: ColumnState) -> ColumnState:
    """Return a column of a contract with what the contract does not say of it."""
    return said._replace(data_type=_with_nulls_of(said.data_type, stored.data_type), value=stored.value)


def _with_nulls_of(said: DataTypeState, stored: DataTypeState) -> DataTypeState:
    """Return a type whose elements and values may be NULL as in the stored one, unless the contract forbids it."""
    if type(said) is not type(stored) or isinstance(said, str):
        return said
    known = {folded(part.name): part for part in children(stored)}
    parts = []
    for part in children(said):
        other = known.get(folded(part.name), part)
        is_nullable = part.is_nullable and (other.is_nullable or isinstance(said, StructState))
        parts.append(part._replace(data_type=_with_nulls_of(part.data_type, other.data_type), is_nullable=is_nullable))
    return with_children(said, tuple(parts))
