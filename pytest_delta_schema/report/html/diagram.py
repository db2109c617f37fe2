"""The tables of a report and their foreign keys as a drawing, and as a list; the drawing is laid out here."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import east_asian_width

from pytest_delta_schema.delta.names import folded
from pytest_delta_schema.diagnostics.text import escaped
from pytest_delta_schema.report.html.markup import MARKS, NOTHING, Html, element, joined, text
from pytest_delta_schema.report.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_delta_schema.report.run_report import TableReport


_NAME_COLUMNS = 22
_SCHEMA_COLUMNS = 30
_SIGN = 18


def diagram(tables: Sequence[TableReport], anchors: Mapping[str, str]) -> Html:
    """Return a section with all tables that have or are referenced by foreign keys; nothing if there are none."""
    by_name = {table.name: table for table in reversed(tables)}
    references = _references(by_name)
    if not references:
        return NOTHING
    drawing = drawn((reference.child, reference.parent) for reference in references)
    count = f"{counted(len(drawing.nodes), 'table')}, {counted(len(references), 'foreign key')}"
    width, height = round(drawing.width), round(drawing.height)
    routes = joined(_route(edge, points, drawing.nodes) for edge, points in drawing.routes.items())
    nodes = joined(_node(name, corner, by_name.get(name), anchors) for name, corner in drawing.nodes.items())
    picture = element(
        "svg",
        _arrow_head(),
        routes,
        nodes,
        role="img",
        aria_label=f"Diagram of {count}; the list below names all of them",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
    )
    zoom = [("out", "-", "Make the diagram smaller"), ("in", "+", "Make the diagram larger")]
    buttons = [
        *[element("button", text(sign), type="button", data_zoom=way, aria_label=name) for way, sign, name in zoom],
        element("button", text("Fit"), type="button", data_zoom="fit", aria_label="Fit the diagram into the page"),
        element("button", text("100 %"), type="button", data_zoom="full", aria_label="Show the diagram in full size"),
    ]
    return element(
        "section",
        element(
            "div",
            element("h2", text("Foreign keys"), id="foreign-keys"),
            element("span", text(count), class_="count"),
            element("div", *buttons, class_="buttons needs-script", role="group", aria_label="Size of the diagram"),
            class_="head",
        ),
        element("div", picture, class_="canvas", tabindex=0, role="region", aria_label="Diagram, scrollable"),
        element("details", element("summary", text("Foreign keys as a list")), _list(references, anchors)),
        class_="diagram",
        aria_labelledby="foreign-keys",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reference:
    child: str
    parent: str
    key: Mapping[str, Any]


def _references(by_name: Mapping[str, TableReport]) -> list[_Reference]:
    """Return the foreign keys of all tables; the models' keys, or those of the catalog where a model is not known."""
    names = {folded(alias): name for name, table in by_name.items() for alias in (table.stored_as, name) if alias}
    return [
        _Reference(child=name, parent=names.get(folded(key["parent"]), key["parent"]), key=key)
        for name, table in by_name.items()
        for key in (table.declared or table.observed or {}).get("foreign_keys", ())
    ]


def _arrow_head() -> Html:
    shape = element("path", d="M0 0 8 4 0 8Z", class_="head-shape")
    marker = element(
        "marker", shape, id="arrow", viewBox="0 0 8 8", refX=7, refY=4, markerWidth=8, markerHeight=8, orient="auto"
    )
    return element("defs", marker)


def _route(edge: Edge, points: Sequence[Point], nodes: Mapping[str, Point]) -> Html:
    child, parent = edge
    if not points:
        x, y = nodes[child].x + WIDTH, nodes[child].y
        d = f"M{x:g} {y + 12:g}c34 -8 34 {HEIGHT - 16} 0 {HEIGHT - 24}"
    else:
        steps = [f"M{points[0].x:g} {points[0].y:g}"]
        for start, end in pairwise(points):
            bend = (start.x + end.x) / 2
            straight = start.y == end.y
            steps.append(f"H{end.x:g}" if straight else f"C{bend:g} {start.y:g} {bend:g} {end.y:g} {end.x:g} {end.y:g}")
        d = "".join(steps)
    title = element("title", text(f"{child} references {parent}"))
    return element("g", title, element("path", d=d, class_="route", marker_end="url(#arrow)"))


def _node(name: str, corner: Point, table: TableReport | None, anchors: Mapping[str, str]) -> Html:
    schema, _, short = name.rpartition(".")
    tone = MARKS[table.status].tone if table else "other"
    state = table.label if table else "not in this report"
    x, y = corner
    box = element("rect", x=f"{x:g}", y=f"{y:g}", width=WIDTH, height=HEIGHT, rx=6)
    left = x + 12 + (_SIGN + 6 if table else 0)
    sign = NOTHING
    if table:
        href = f"#shape-{MARKS[table.status].shape}"
        sign = element("use", href=href, x=f"{x + 11:g}", y=f"{y + 14:g}", width=_SIGN, height=_SIGN)
    label = element("text", text(_shortened(short, _NAME_COLUMNS)), x=f"{left:g}", y=f"{y + 19:g}", class_="name")
    below = f"{_shortened(schema, _SCHEMA_COLUMNS - len(state))} \u00b7 {state}"
    line = element("text", text(below), x=f"{left:g}", y=f"{y + 35:g}", class_="state")
    content = [element("title", text(f"{name}: {state}")), box, sign, label, line]
    if table is None:
        return element("g", *content, class_="node other")
    # The list below has the same links for the keyboard.
    return element("a", *content, href=f"#{anchors[name]}", tabindex=-1, class_=f"node {tone}")


def _shortened(name: str, columns: int) -> str:
    """Shorten a name in its middle, because tables of one project often begin and end alike."""
    shown = escaped(name)
    widths = [2 if east_asian_width(character) in "WF" else 1 for character in shown]
    if sum(widths) <= columns:
        return shown
    kept: list[str] = []
    room = columns - 1
    front, back = 0, len(shown) - 1
    tail: list[str] = []
    while front <= back:
        at_front = len(kept) <= len(tail)
        index = front if at_front else back
        room -= widths[index]
        if room < 0:
            break
        (kept if at_front else tail).append(shown[index])
        front, back = (front + 1, back) if at_front else (front, back - 1)
    return f"{''.join(kept)}\u2026{''.join(reversed(tail))}"


def _list(references: Sequence[_Reference], anchors: Mapping[str, str]) -> Html:
    items = [
        element(
            "li",
            _link(reference.child, anchors),
            text(f" ({', '.join(reference.key['columns'])}) references "),
            _link(reference.parent, anchors),
            text(f" ({', '.join(parents)})" if (parents := reference.key.get("parent_columns")) else ""),
        )
        for reference in references
    ]
    return element("ul", *items, class_="references")


def _link(name: str, anchors: Mapping[str, str]) -> Html:
    return element("a", text(name), href=f"#{anchors[name]}") if name in anchors else element("span", text(name))


WIDTH = 216
"""The width of a node."""

HEIGHT = 46
"""The height of a node."""

_BETWEEN_LAYERS = 72
_BETWEEN_NODES = 18
_BEND_HEIGHT = 8
_MARGIN = 24
_SWEEPS = 6
_LONGEST_WITH_BENDS = 12
_PAGE_WIDTH = 1180


class Point(NamedTuple):
    """A position, in pixels from the upper left corner."""

    x: float
    y: float


Edge = tuple[str, str]
"""From a node to the node that it references."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The positions of nodes and edges."""

    width: float
    height: float
    nodes: Mapping[str, Point]
    """The upper left corner of each."""
    routes: Mapping[Edge, tuple[Point, ...]]
    """The points through which each edge goes, from its first node to its second; none for an edge from a node to
    itself."""


def drawn(edges: Iterable[Edge]) -> Drawing:
    """Lay out all nodes that have edges; parts without a connection are placed next to and below each other."""
    distinct = sorted(set(edges))
    parts = [_laid_out(part) for part in _connected(distinct)]
    # The largest parts come first; parts of one size stay in the order of their names.
    parts.sort(key=lambda part: -len(part.nodes))
    return _packed(parts)


def _connected(edges: Sequence[Edge]) -> list[list[Edge]]:
    """Divide edges into those of connected parts."""
    leaders: dict[str, str] = {}

    def leader(node: str) -> str:
        path = []
        while leaders.setdefault(node, node) != node:
            path.append(node)
            node = leaders[node]
        leaders.update(dict.fromkeys(path, node))
        return node

    for child, parent in edges:
        leaders[leader(child)] = leader(parent)
    parts: defaultdict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        parts[leader(edge[0])].append(edge)
    return list(parts.values())


def _laid_out(edges: Sequence[Edge]) -> Drawing:
    nodes = sorted({node for edge in edges for node in edge})
    turned = _edges_of_cycles(nodes, [edge for edge in edges if edge[0] != edge[1]])
    upwards = [((edge[1], edge[0]) if edge in turned else edge, edge) for edge in edges if edge[0] != edge[1]]
    layer_of = _layers(nodes, [edge for edge, _ in upwards])
    layers: list[list[str]] = [[] for _ in range(max(layer_of.values()) + 1)]
    for node in nodes:
        layers[layer_of[node]].append(node)
    chain_of = {upward: _chain(upward, layer_of, layers) for upward in dict.fromkeys(edge for edge, _ in upwards)}
    chains = {edge: chain_of[upward] for upward, edge in upwards}
    links = [link for chain in chain_of.values() for link in pairwise(chain)]
    neighbours: defaultdict[str, list[str]] = defaultdict(list)
    for left, right in links:
        neighbours[left].append(right)
        neighbours[right].append(left)
    heights = defaultdict(lambda: _BEND_HEIGHT, dict.fromkeys(nodes, HEIGHT))
    _order_layers(layers, neighbours)
    tops = _tops(layers, neighbours, heights)
    step = WIDTH + _BETWEEN_LAYERS
    corners = {node: Point(layer * step, tops[node]) for layer, row in enumerate(layers) for node in row}
    routes = {}
    for edge, chain in chains.items():
        points: list[Point] = []
        for node in chain:
            x, y = corners[node]
            middle = y + heights[node] / 2
            ends = [Point(x + WIDTH, middle)] if node == chain[0] else [Point(x, middle)]
            points += ends if node in layer_of else [Point(x, middle), Point(x + WIDTH, middle)]
        # A chain starts on the left, which is where most edges end.
        routes[edge] = tuple(points) if edge in turned else tuple(reversed(points))
    return Drawing(
        width=(len(layers) - 1) * step + WIDTH,
        height=max(top + heights[node] for node, top in tops.items()),
        nodes={node: corners[node] for node in nodes},
        routes={**routes, **{edge: () for edge in edges if edge[0] == edge[1]}},
    )


def _edges_of_cycles(nodes: Sequence[str], edges: Sequence[Edge]) -> frozenset[Edge]:
    """Return edges that close a cycle on a depth-first walk; without them, or turned, there is none."""
    parents: defaultdict[str, list[str]] = defaultdict(list)
    for child, parent in edges:
        parents[child].append(parent)
    closing = set()
    done: set[str] = set()
    for start in nodes:
        if start in done:
            continue
        active = {start}
        stack = [(start, iter(parents[start]))]
        while stack:
            node, rest = stack[-1]
            for parent in rest:
                if parent in active:
                    closing.add((node, parent))
                elif parent not in done:
                    active.add(parent)
                    stack.append((parent, iter(parents[parent])))
                    break
            else:
                stack.pop()
                active.remove(node)
                done.add(node)
    return frozenset(closing)


def _layers(nodes: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """Return the layer of each node: one more than the highest of those that it references."""
    children: defaultdict[str, list[str]] = defaultdict(list)
    waiting = dict.fromkeys(nodes, 0)
    for child, parent in edges:
        children[parent].append(child)
        waiting[child] += 1
    layers = dict.fromkeys(nodes, 0)
    ready = [node for node in nodes if not waiting[node]]
    roots = list(ready)
    while ready:
        parent = ready.pop()
        for child in children[parent]:
            layers[child] = max(layers[child], layers[parent] + 1)
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    # A node that references none is placed as near as possible to those that reference it.
    return {**layers, **{root: min(layers[child] for child in children[root]) - 1 for root in roots if children[root]}}


def _chain(edge: Edge, layer_of: Mapping[str, int], layers: list[list[str]]) -> list[str]:
    """Return the nodes of an edge from left to right, and add a bend in each layer between them."""
    child, parent = edge
    first, last = layer_of[parent] + 1, layer_of[child]
    if last - first > _LONGEST_WITH_BENDS:
        return [parent, child]
    bends = []
    for layer in range(first, last):
        # No name of a table has a line end in it.
        bend = f"{child}\n{parent}\n{layer}"
        layers[layer].append(bend)
        bends.append(bend)
    return [parent, *bends, child]


def _order_layers(layers: list[list[str]], neighbours: Mapping[str, list[str]]) -> None:
    """Order each layer by the mean position of its neighbours in the adjacent layer, in alternating direction."""
    position = {node: index for row in layers for index, node in enumerate(row)}
    layer_of = {node: layer for layer, row in enumerate(layers) for node in row}
    for sweep in range(_SWEEPS):
        step = 1 if sweep % 2 == 0 else -1
        for row in layers[::step]:

            def mean(node: str, step: int = step) -> float:
                near = [
                    position[other]
                    for other in neighbours.get(node, ())
                    if (layer_of[node] - layer_of[other]) * step > 0
                ]
                return sum(near) / len(near) if near else position[node]

            row.sort(key=mean)
            position.update({node: index for index, node in enumerate(row)})


def _tops(
    layers: Sequence[Sequence[str]], neighbours: Mapping[str, list[str]], heights: Mapping[str, int]
) -> dict[str, float]:
    """Return the vertical position of each node: near to its neighbours, below the node before it in its layer."""
    tops: dict[str, float] = {}
    for row in layers:
        offset = 0.0
        for node in row:
            tops[node] = offset
            offset += heights[node] + _BETWEEN_NODES
    for sweep in range(_SWEEPS):
        for row in layers[:: 1 if sweep % 2 == 0 else -1]:
            wanted = []
            for node in row:
                near = [tops[other] + heights[other] / 2 for other in neighbours.get(node, ())]
                wanted.append(sum(near) / len(near) - heights[node] / 2 if near else tops[node])
            tops.update(zip(row, _apart(wanted, [heights[node] + _BETWEEN_NODES for node in row]), strict=True))
    highest = min(tops.values())
    return {node: round(top - highest, 1) for node, top in tops.items()}


def _apart(wanted: Sequence[float], sizes: Sequence[int]) -> list[float]:
    """Return positions as near as possible to the wanted ones, in the same order and without overlaps."""
    blocks: list[tuple[float, int]] = []
    before = 0
    offsets = []
    for value, size in zip(wanted, sizes, strict=True):
        offsets.append(before)
        mean, count = value - before, 1
        while blocks and blocks[-1][0] > mean:
            other, others = blocks.pop()
            mean, count = (mean * count + other * others) / (count + others), count + others
        blocks.append((mean, count))
        before += size
    starts = [mean for mean, count in blocks for _ in range(count)]
    return [start + offset for start, offset in zip(starts, offsets, strict=True)]


def _packed(parts: Sequence[Drawing]) -> Drawing:
    """Place drawings in rows that are as wide as a page, or as the widest drawing."""
    limit = max([_PAGE_WIDTH, *(part.width for part in parts)])
    x = y = row_height = width = 0.0
    nodes: dict[str, Point] = {}
    routes: dict[Edge, tuple[Point, ...]] = {}
    for part in parts:
        if x and x + part.width > limit:
            x, y, row_height = 0.0, y + row_height + 2 * _MARGIN, 0.0
        left, top = x + _MARGIN, y + _MARGIN
        nodes.update({node: Point(left + corner.x, top + corner.y) for node, corner in part.nodes.items()})
        routes.update(
            {edge: tuple(Point(left + at.x, top + at.y) for at in route) for edge, route in part.routes.items()}
        )
        x += part.width + 2 * _MARGIN
        row_height = max(row_height, part.height)
        width = max(width, x)
    return Drawing(width=width, height=y + row_height + 2 * _MARGIN, nodes=nodes, routes=routes)
