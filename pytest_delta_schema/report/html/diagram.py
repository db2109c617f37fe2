"""The tables of a report and their foreign keys as a drawing, and as a list."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

from pytest_delta_schema.delta.names.folded_names import folded
from pytest_delta_schema.diagnostics.escaping import escaped
from pytest_delta_schema.report.html.layered_graph import HEIGHT, WIDTH, drawn
from pytest_delta_schema.report.html.markup import NOTHING, Html, element, joined, text
from pytest_delta_schema.report.html.status_marks import MARKS
from pytest_delta_schema.report.text.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_delta_schema.report.html.layered_graph import Edge, Point
    from pytest_delta_schema.report.report_entries import TableReport

_NAME_COLUMNS = 22
_SCHEMA_COLUMNS = 30
_SIGN = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reference:
    child: str
    parent: str
    key: Mapping[str, Any]


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
    state = table.status.value if table else "not in this report"
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
