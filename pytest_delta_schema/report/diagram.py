"""The foreign keys between the tables of a report: as a drawing in layers, and as text for Mermaid."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import east_asian_width

from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.diagnostics.text import counted, escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_delta_schema.report.run_report import TableReport

WIDTH = 216
"""The width of a node of a drawing."""

HEIGHT = 46
"""The height of a node."""

_MARGIN = 24
_BETWEEN_LAYERS = 72
_ROW = HEIGHT + 18

MERMAID_CHARACTERS = 50_000
"""The longest text that Mermaid draws unless it is set up otherwise, as on GitHub and GitLab (Mermaid 11)."""

MERMAID_EDGES = 500
"""The most edges that it draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A foreign key."""

    child: str
    parent: str
    key: Mapping[str, Any]


def references(tables: Sequence[TableReport]) -> list[Reference]:
    """Return the foreign keys of all tables: the models' keys, or those of the catalog where a model is not known."""
    by_name = {table.name: table for table in reversed(tables)}
    names = {folded(alias): name for name, table in by_name.items() for alias in (table.stored_as, name) if alias}
    return [
        Reference(child=name, parent=names.get(folded(key["parent"]), key["parent"]), key=key)
        for name, table in sorted(by_name.items())
        for key in (table.declared or table.observed or {}).get("foreign_keys", ())
    ]


class Point(NamedTuple):
    """A position, in pixels from the upper left corner."""

    x: float
    y: float


class Line(NamedTuple):
    """A line from a node to the one that it references."""

    child: str
    parent: str
    path: str
    """How it is drawn, as SVG has it."""


class Drawing(NamedTuple):
    """The positions of nodes and lines."""

    width: float
    height: float
    nodes: Mapping[str, Point]
    """The upper left corner of each."""
    lines: Sequence[Line]


def drawn(edges: Iterable[tuple[str, str]]) -> Drawing:
    """Lay out the nodes of edges from children to parents: each layer right of that of its parents, like a tree."""
    distinct = sorted(set(edges))
    parents: dict[str, list[str]] = {name: [] for edge in distinct for name in sorted(edge)}
    for child, parent in distinct:
        if child != parent:
            parents[child].append(parent)
    layers = _layers(parents)
    rows = _rows(parents, layers)
    step = WIDTH + _BETWEEN_LAYERS
    nodes = {name: Point(_MARGIN + layer * step, _MARGIN + rows[name] * _ROW) for name, layer in layers.items()}
    return Drawing(
        width=max(corner.x for corner in nodes.values()) + WIDTH + _MARGIN,
        height=max(corner.y for corner in nodes.values()) + HEIGHT + _MARGIN,
        nodes=nodes,
        lines=[
            Line(child, parent, _path(nodes[child], nodes[parent], layers[child] - layers[parent]))
            for child, parent in distinct
        ],
    )


def _layers(parents: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the layer of each node: one more than the highest of its parents; a cycle begins at its first name."""
    children: defaultdict[str, list[str]] = defaultdict(list)
    for child, those in parents.items():
        for parent in those:
            children[parent].append(child)
    waiting = {name: len(those) for name, those in parents.items()}
    ready = [name for name, number in waiting.items() if not number]
    others = iter(sorted(parents))
    layers: dict[str, int] = {}
    while len(layers) < len(parents):
        name = ready.pop() if ready else next(name for name in others if name not in layers)
        layers[name] = 1 + max((layers[parent] for parent in parents[name] if parent in layers), default=-1)
        for child in children[name]:
            waiting[child] -= 1
            if not waiting[child] and child not in layers:
                ready.append(child)
    return layers


def _rows(parents: Mapping[str, Sequence[str]], layers: Mapping[str, int]) -> dict[str, float]:
    """Return the row of each node: its own for a node without children, else the middle of those of its children.

    A node counts as the child of its first parent in the layer before it, so no two nodes are in one position.
    """
    branches: defaultdict[str, list[str]] = defaultdict(list)
    roots: list[str] = []
    for name in sorted(parents):
        near = [parent for parent in parents[name] if layers[parent] == layers[name] - 1]
        (branches[near[0]] if near else roots).append(name)
    order: list[str] = []
    stack = roots[::-1]
    while stack:
        order.append(stack.pop())
        stack += reversed(branches[order[-1]])
    leaves = [name for name in order if not branches[name]]
    rows: dict[str, float] = {name: row for row, name in enumerate(leaves)}
    for name in reversed(order):
        if branches[name]:
            rows[name] = (rows[branches[name][0]] + rows[branches[name][-1]]) / 2
    return rows


def _path(child: Point, parent: Point, layers: int) -> str:
    """Return a straight line between the sides that face each other; one over other layers passes above their nodes."""
    if child == parent:
        return f"M{child.x + WIDTH:g} {child.y + 12:g}c34 -8 34 {HEIGHT - 16} 0 {HEIGHT - 24}"
    start, end = (child.x if layers > 0 else child.x + WIDTH), (parent.x if layers < 0 else parent.x + WIDTH)
    top, bottom = child.y + HEIGHT / 2, parent.y + HEIGHT / 2
    over = f"Q{(start + end) / 2:g} {(top + bottom) / 2 - _ROW:g} " if abs(layers) > 1 else "L"
    return f"M{start:g} {top:g}{over}{end:g} {bottom:g}"


def shortened(name: str, length: int) -> str:
    """Shorten a name in its middle, because tables of one project often begin and end alike."""
    shown = escaped(name)
    if any(east_asian_width(character) in "WF" for character in shown):
        length //= 2
    return shown if len(shown) <= length else f"{shown[: length // 2]}\u2026{shown[len(shown) - (length - 1) // 2 :]}"


_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._ ]|^ |(?<![A-Za-z0-9])[._]|[._](?![A-Za-z0-9])|(?<=www)\.")
"""What is written as a number: all that Mermaid, or the Markdown that it reads in a label, may take for markup."""


def mermaid(tables: Sequence[TableReport]) -> tuple[str, str]:
    """Return a flowchart from children to parents for Mermaid, and a sentence about what it leaves out.

    Both are ``""`` if there are no foreign keys. Tables that fail come first, with all of their keys.
    """
    fails = {table.name for table in tables if table.status.fails}
    labels = {table.name: "" if table.status.passes else table.label for table in tables}
    edges = sorted(
        {(reference.child, reference.parent) for reference in references(tables)},
        key=lambda edge: (fails.isdisjoint(edge), edge),
    )
    lines, ids, room = ["flowchart RL"], dict[str, str](), MERMAID_CHARACTERS
    for number, edge in enumerate(edges):
        new = []
        for name in edge:
            if name not in ids:
                ids[name] = f"t{len(ids) + 1}"
                new.append(f'{ids[name]}["{_label(name, labels.get(name, ""))}"]')
        new.append(f"{ids[edge[0]]} --> {ids[edge[1]]}")
        room -= sum(map(len, new)) + len(new)
        if number == MERMAID_EDGES or room < len(lines[0]):
            left_out = counted(len(edges) - number, "more pair")
            return "\n".join(lines), f"{left_out} of tables with foreign keys left out, because Mermaid draws no more."
        lines += new
    return ("\n".join(lines), "") if edges else ("", "")


def _label(name: str, state: str) -> str:
    shown = f"{name} ({state})" if state else name
    return _NOT_PLAIN.sub(lambda match: f"#{ord(match[0])};", escaped(shown))
