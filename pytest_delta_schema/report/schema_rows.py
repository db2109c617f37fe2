"""The schema that a model wants and the one that the catalog holds, in rows that can be shown side by side."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from pytest_delta_schema.delta.names import Part, folded, path_text
from pytest_delta_schema.plan.kinds import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_PARTS: tuple[Part, ...] = get_args(Part)
_SUBTYPES = {"array": ("element", "contains_null"), "map": ("value", "value_contains_null")}


class SchemaRow(NamedTuple):
    """One part of a schema; a named tuple, because a report has ten thousands of them."""

    group: str
    label: str
    depth: int = 0
    """How many parts it is inside of; 0 for a column."""
    declared: tuple[str, ...] = ()
    """What the model wants, in lines; none if it wants no such part."""
    observed: tuple[str, ...] = ()
    """What the catalog holds, in lines; none if it holds no such part."""
    differs: bool = False
    """Whether a change of the table is about it."""

    @property
    def is_same(self) -> bool:
        """Whether both sides are one text, and none of it changes."""
        return self.declared == self.observed and not self.differs

    @property
    def verdict(self) -> str:
        """What is to be said about two sides that are not the same."""
        if not self.differs:
            return "accepted"
        if self.declared and self.observed:
            return "differs"
        return "only in the model" if self.declared else "only in the catalog"


class _Part(NamedTuple):
    group: str
    label: str
    lines: tuple[str, ...]
    above: tuple[str, ...] = ()


def schema_rows(
    declared: Mapping[str, Any] | None, observed: Mapping[str, Any] | None, changed: Iterable[str]
) -> tuple[SchemaRow, ...]:
    """Match the parts of two states by their paths; those of the model come first, in its order."""
    wanted = dict(_parts(declared or {}))
    stored = {} if observed is None or not observed.get("exists", True) else dict(_parts(observed))
    parts = {**wanted, **{path: part for path, part in stored.items() if path not in wanted}}
    differing = {_row_path(folded(path), parts) for path in changed}
    if observed is not None and not stored:
        differing.update(parts)
    one_sided = differing & (wanted.keys() ^ stored.keys())
    differing.update(path for path, part in parts.items() if not one_sided.isdisjoint(part.above))
    return tuple(
        SchemaRow(
            group=part.group,
            label=part.label,
            depth=len(part.above),
            declared=wanted[path].lines if path in wanted else (),
            observed=stored[path].lines if path in stored else (),
            differs=path in differing,
        )
        for path in _in_order(parts)
        for part in [parts[path]]
        if part.group != "properties" or path in wanted or path in differing
    )


def _row_path(path: str, parts: Mapping[str, object]) -> str:
    """Return the path of the row to which a change belongs: the longest that it starts with; ``""`` for none."""
    while path and path not in parts:
        path = path.rpartition(".")[0]
    return path


def _in_order(parts: Mapping[str, _Part]) -> list[str]:
    """Sort paths by kind, and put what only one side has behind what it is inside of."""
    rank = {path: index for index, path in enumerate(parts)}

    def position(path: str) -> tuple[int, ...]:
        return (_PARTS.index(path.partition(".")[0]), *(rank[above] for above in parts[path].above), rank[path])

    return sorted(parts, key=position)


def _parts(state: Mapping[str, Any]) -> Iterator[tuple[str, _Part]]:
    tags = {folded(path): values for path, values in state.get("tags", {}).items()}
    deprecations = {folded(path): values for path, values in state.get("deprecated", {}).items()}
    for column in state.get("columns", ()):
        yield from _columns(column, (), tags, deprecations)
    for part in _PARTS:
        yield from _rows_of(part, state.get(part))
    for verb in ("partitioned", "clustered"):
        if columns := state.get(f"{verb}_by"):
            yield "layout", _Part(group="table", label="layout", lines=(f"{verb} by {_list(columns)}",))
    if "" in deprecations:
        yield "deprecated", _Part(group="table", label="deprecated", lines=(_deprecation(deprecations[""]),))
    for key, value in tags.get("", {}).items():
        yield folded(f"tags.{key}"), _Part(group="table", label=f"tag {key}", lines=(_value(value),))
    for key, value in state.get("properties", {}).items():
        yield folded(f"properties.{key}"), _Part(group="properties", label=key, lines=(_value(value),))


def _rows_of(part: Part, value: Any) -> Iterator[tuple[str, _Part]]:
    """Yield the rows of a part that is one text, one object, or a list of objects with names."""
    label = part.replace("_", " ")
    match value:
        case str():
            yield part, _Part(group="table", label=label, lines=(value,))
        case {"columns": _}:
            yield part, _Part(group="constraints", label=label, lines=(_constraint(value),))
        case [{"name": _, "columns": _} | {"name": _, "expression": _}, *_] if part != "columns":
            for item in value:
                text = f"unique {_constraint(item)}" if part == "unique" else _constraint(item)
                yield folded(f"{part}.{item['name']}"), _Part(group="constraints", label=item["name"], lines=(text,))


def _columns(
    column: Mapping[str, Any],
    above: tuple[str, ...],
    tags: Mapping[str, Mapping[str, str | None]],
    deprecations: Mapping[str, Mapping[str, Any]],
) -> Iterator[tuple[str, _Part]]:
    name, data_type = column["name"], column["type"]
    identity = column.get("identity")
    path = f"{above[-1] if above else 'columns'}.{_part_of_path(name)}"
    lines = [_type_text(data_type) if column.get("is_nullable", True) else f"{_type_text(data_type)} not null"]
    if column.get("default") is not None:
        lines.append(f"default {column['default']}")
    if column.get("generated_as") is not None:
        lines.append(f"generated always as ({column['generated_as']})")
    if identity:
        lines.append(f"identity ({identity['start']} by {identity['step']})")
    if column.get("comment"):
        lines.append(column["comment"])
    own_path = path.removeprefix("columns.")
    if tags:
        column_tags = tags.get(own_path, {})
        lines += [f"tag {key}: {_value(value)}" for key, value in column_tags.items()]
    if own_path in deprecations:
        lines.append(_deprecation(deprecations[own_path]))
    yield path, _Part("columns", name, tuple(lines), above)
    for inner in _inner_columns(data_type):
        yield from _columns(inner, (*above, path), tags, deprecations)


@lru_cache(maxsize=8192)
def _part_of_path(name: str) -> str:
    """Return a name as paths of changes and the keys of tags have it."""
    return folded(path_text((name,)))


def _inner_columns(data_type: Any) -> list[Mapping[str, Any]]:
    """Return what has its own rows: the fields of a struct, and of one in an array or a map."""
    if isinstance(data_type, str):
        return []
    if data_type["type"] == "struct":
        return list(data_type["fields"])
    inner, nullable = _SUBTYPES[data_type["type"]]
    value = data_type[inner]
    has_fields = not isinstance(value, str)
    return [{"name": inner, "type": value, "is_nullable": data_type.get(nullable, True)}] if has_fields else []


def _type_text(data_type: Any) -> str:
    """Return a type; what has its own rows is omitted."""
    if isinstance(data_type, str):
        return data_type
    kind: str = data_type["type"]
    if kind == "struct":
        return kind
    inner, nullable = _SUBTYPES[kind]
    null = "" if data_type.get(nullable, True) else " not null"
    element = "..." if _inner_columns(data_type) else f"{data_type[inner]}{null}"
    return f"map<{_type_text(data_type['key'])}, {element}>" if kind == "map" else f"array<{element}>"


def _constraint(values: Mapping[str, Any]) -> str:
    if "expression" in values:
        return str(values["expression"])
    parent_columns = f" {_list(values['parent_columns'])}" if values.get("parent_columns") else ""
    parent = f" references {values['parent']}{parent_columns}" if "parent" in values else ""
    return f"{_list(values['columns'])}{parent}{' rely' if values.get('rely') else ''}"


def _deprecation(values: Mapping[str, Any]) -> str:
    parts = [f"deprecated since {values['since']}"]
    parts += [f"{name} {values[name]}" for name in ("use", "sunset") if values.get(name)]
    return ", ".join(parts)


def _list(names: Iterable[str]) -> str:
    return f"({', '.join(names)})"


def _value(value: str | None) -> str:
    return ABSENT if value is None else value
