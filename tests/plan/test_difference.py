"""Nested evolution, and contracts that let writers add columns."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import types as spark

from pytest_delta_schema import Column, Identity
from pytest_delta_schema.delta.names import ColumnPath
from pytest_delta_schema.plan import ColumnAdd, ColumnDrop, ColumnRename, TablePlanner
from pytest_delta_schema.plan.actions import change_lines
from pytest_delta_schema.plan.difference import new_names, old_names, unproven, with_assumed, with_names
from pytest_delta_schema.sql import statements
from pytest_delta_schema.state.desired import desired_state
from pytest_delta_schema.state.types import children, with_children
from pytest_delta_schema.testing.scenario import LONG as BIGINT
from pytest_delta_schema.testing.scenario import field as spark_field
from pytest_delta_schema.testing.scenario import struct as spark_struct
from support.case_tables import cases, named_cases
from support.models import TEXT, catalog, column, state, stored, table
from support.snapshots import ReviewedCases

LONG, INT = spark.LongType(), spark.IntegerType()


def field(name, kind=LONG, *, nullable=True, comment="", renamed_from=None):
    metadata = {**({"comment": comment} if comment else {}), **({"renamed_from": renamed_from} if renamed_from else {})}
    return spark.StructField(name, kind, nullable, metadata)


def struct(*fields):
    return spark.StructType(list(fields))


def plan(model, before, **options):
    """Plan from the table that ``before`` declares to ``model``."""
    there = desired_state(before)
    planned = TablePlanner(**options).plan([model], catalog(there))
    return planned, [str(line) for action in planned.actions for line in change_lines(action)]


def of(kind, **options):
    return table(Column("a", kind, **options))


def by_path(before, after):
    """Return what a plan shows, and its SQL."""
    planned, lines = plan(of(after), of(before))
    texts = [statement.sql for action in planned.actions for statement in statements(action)]
    return [*lines, *(text.removeprefix("ALTER TABLE `dev`.`silver`.`orders` ") for text in texts)]


def test_by_path(reviewed):
    array, a_map, x, y = spark.ArrayType, spark.MapType, field("x"), field("y")
    case = ReviewedCases(by_path)
    case("field added", struct(x), struct(x, field("y", TEXT, comment="Why")))
    case("field of elements added", array(struct(x)), array(struct(x, y)))
    case("field of values swapped", a_map(TEXT, struct(x)), a_map(TEXT, struct(y)))
    case("keys and values widened", a_map(INT, INT), a_map(LONG, LONG))
    case("field widened, deep", *(struct(field("g", struct(field("lat", kind)))) for kind in (INT, LONG)))
    case("another kind of type", struct(field("g", struct(x))), struct(field("g", array(LONG))))
    case("comment of a field", *(struct(field("x", comment=comment)) for comment in ("Old", "New")))
    case("order and case of fields", struct(x, y), struct(field("Y"), field("X")))
    case("elements loosened", array(LONG, containsNull=False), array(LONG))
    geo = struct(x, field("geo", struct(field("new", renamed_from="old")), renamed_from="g"))
    case("a field and one below it renamed", struct(x, field("g", struct(field("old")))), geo)
    quantity = field("quantity", LONG, nullable=True, comment="How many", renamed_from="Q")
    case("renamed, widened and commented at once", array(struct(field("q", INT))), array(struct(quantity)))
    case("a name with a dot", struct(x, field("x.y")), struct(x, field("x.y", comment="Dotted")))
    assert case.text == reviewed


RENAMED = Column("new", LONG, renamed_from="old")


def test_a_hint_is_used_once_and_is_silent_ever_after():
    with named_cases(lambda there: plan(table(RENAMED), table(*map(column, there)))[1]) as case:
        case("to do", ["old"], ["~ columns.old: old -> new (renamed)"])
        case("in another case", ["OLD"], ["~ columns.OLD: OLD -> new (renamed)"])
        case("done", ["new"], [])
        case("done, and something else to do", ["NEW", "x"], ["- columns.x: bigint -> (not in the model)"])
        case("both live", ["old", "new"], ["- columns.old: bigint -> (not in the model)"])
        case("neither", ["x"], ["+ columns.new: (absent) -> bigint", "- columns.x: bigint -> (not in the model)"])


def test_a_possible_rename_is_suggested_with_the_line_to_write():
    x, y, z = field("x"), field("y"), field("z")
    with named_cases(lambda before, after: "".join(map(str, plan(after, before)[0].notes))) as case:
        hint = (
            "dev.silver.orders: column {0} is dropped and {1} is added with the same type; if that is a rename, write"
        )
        case("column", table(column("a")), table(column("b")), f"{hint.format('a', 'b')} renamed_from='a' at b")
        fields = of(struct(x, y)), of(struct(x, z))
        case("field", *fields, f"{hint.format('a.y', 'a.z')} renamed_from='y' at a.z")
        case("another type", table(column("a")), table(column("b", INT)), "")
        case("another place", of(struct(x)), table(Column("a", struct(x)), column("x")), "")


def test_features_are_raised_before_what_needs_them_if_that_is_allowed():
    changed = ["~ columns.old: old -> new (renamed)", "~ columns.k: int -> bigint"]
    mapping = ["+ properties.delta.columnMapping.mode: (absent) -> 'name'"]
    widening = ["+ properties.delta.enableTypeWidening: (absent) -> 'true'"]
    for enable, raised in (
        ([], []),
        (["typeWidening"], widening),
        (["columnMapping"], mapping),
        (["columnMapping", "typeWidening"], [*mapping, *widening]),
    ):
        before = table(column("old"), column("k", INT))
        assert plan(table(RENAMED, column("k", LONG)), before, enable=enable)[1] == [*raised, *changed]
    # What is there is not raised again.
    properties = {"delta.columnMapping.mode": "id", "delta.enableTypeWidening": "TRUE"}
    before = replace(before, table_properties=properties)
    assert plan(table(RENAMED, column("k", LONG)), before, enable=["columnMapping", "typeWidening"])[1] == changed


PATHS = [
    ColumnRename(path=ColumnPath("a"), to="b"),
    ColumnRename(path=ColumnPath("b", "x"), to="y"),
    ColumnRename(path=ColumnPath("b", "y", "element", "p"), to="q"),
    ColumnRename(path=ColumnPath("c", "z"), to="w"),
]


def test_paths_before_and_after_all_renames():
    paths = {"a": "b", "A.X": "b.y", "a.x.element.p": "b.y.element.q", "c.z": "c.w", "c.x": "c.x"}
    paths["a.x.element.other"] = "b.y.element.other"

    for old, new in paths.items():
        before, after = ColumnPath.parse(old), ColumnPath.parse(new)
        assert with_names(before, new_names(PATHS)) == after
        assert with_names(after, old_names(PATHS)) == before


ID = Column("id", BIGINT)


def planned(model, *columns):
    plan = TablePlanner().plan([model], catalog(state(*columns)))
    dropped = [f"columns.{change.path}" for action in plan.align_tables for change in action.all(ColumnDrop)]
    return dropped, [note.path for note in plan.notes if "additive" in note.message]


def test_columns_behind_the_declared_ones_are_accepted_if_they_may_be_null():
    model, x, y = table(ID, evolution="additive"), stored("x"), stored("y")

    assert planned(model, stored(), x, y) == ([], ["columns.x", "columns.y"])
    assert planned(model, x, stored()) == (["columns.x"], [])
    assert planned(model, stored(), stored("x", is_nullable=False), y) == (["columns.x"], ["columns.y"])
    assert planned(model, x, stored(), y) == (["columns.x"], ["columns.y"])


def test_fields_of_structs_as_well():
    declared, stored_type = spark_struct(spark_field("a")), spark_struct(spark_field("a"), spark_field("b"))
    for wrap, below in (
        (lambda kind: kind, "columns.v.b"),
        (spark.ArrayType, "columns.v.element.b"),
        (lambda kind: spark.MapType(spark.StringType(), kind), "columns.v.value.b"),
    ):
        observed = desired_state(table(Column("v", wrap(stored_type)))).columns
        assert planned(table(Column("v", wrap(declared)), evolution="additive"), *observed) == ([], [below])
        assert planned(table(Column("v", wrap(declared))), *observed) == ([below], [])


PARTS = ("defaults", "generated columns", "NOT NULL in structs", "comments in structs")


def shown(columns, parts, *, is_nested=False):
    """Return columns as a catalog shows them that does not show some parts."""
    for item in columns:
        kept = item
        if is_nested and "NOT NULL in structs" in parts:
            kept = kept._replace(is_nullable=True)
        if is_nested and "comments in structs" in parts:
            kept = kept._replace(comment="")
        if item.value is not None:
            kind = "generated columns" if item.value.default is None else "defaults"
            kept = kept._replace(value=None if kind in parts else item.value)
        inner = tuple(shown(children(item.data_type), parts, is_nested=True))
        yield kept._replace(data_type=with_children(item.data_type, inner) if inner else item.data_type)


DEEP = struct(field("x", nullable=False, comment="In"), field("l", spark.ArrayType(struct(field("y", comment="Deep")))))
HIDEABLE = table(
    column(),
    Column("d", "bigint", default="1"),
    Column("g", "bigint", generated_as="id * 2"),
    Column("i", "bigint", identity=Identity(start=3)),
    Column("s", DEEP),
    Column("m", spark.MapType(LONG, DEEP)),
)


def test_what_is_not_shown_is_assumed_to_be_as_wanted_and_nothing_else_is():
    wanted = desired_state(HIDEABLE)
    for parts in (tuple(part for at, part in enumerate(PARTS) if mask >> at & 1) for mask in range(16)):
        everything = replace(wanted, columns=tuple(shown(wanted.columns, PARTS)), not_shown=parts)
        hidden = replace(everything, columns=tuple(shown(wanted.columns, parts)))

        assert with_assumed(wanted, hidden).columns == wanted.columns
        # What is shown is not assumed: those parts are missing from the table.
        missing = tuple(part for part in PARTS if part not in parts)
        assert with_assumed(wanted, everything).columns == tuple(shown(wanted.columns, missing))


def test_a_new_field_is_last_where_no_writer_has_added_one():
    model = table(ID, Column("v", spark_struct(spark_field("a"), spark_field("b"))), evolution="additive")
    observed = desired_state(table(ID, Column("v", spark_struct(spark_field("a"))), Column("theirs", BIGINT))).columns

    (action,) = TablePlanner().plan([model], catalog(state(*observed))).align_tables

    assert [(change.path, change.after) for change in action.all(ColumnAdd)] == [(ColumnPath("v", "b"), None)]


def test_new_columns_are_added_before_those_that_writers_have_added():
    def clauses(declared, *there):
        model = table(*map(column, declared), evolution="additive")
        (action,) = TablePlanner().plan([model], catalog(state(*map(stored, there)))).actions
        return statements(action)[0].sql.partition("COLUMNS (\n")[2]

    assert clauses("abc", "a", "theirs") == "  `b` BIGINT AFTER `a`,\n  `c` BIGINT AFTER `b`\n)"
    assert clauses("ab", "theirs") == "  `a` BIGINT FIRST,\n  `b` BIGINT AFTER `a`\n)"
    before, after = (Column("v", struct(field("a"), field(name))) for name in ("theirs", "b"))
    planned, _ = plan(table(after, column("c"), evolution="additive"), table(before))
    assert [change.after for change in planned.align_tables[0].all(ColumnAdd)] == [None, "a"]


def test_what_a_catalog_does_not_show_of_a_change_is_not_proven():
    def not_proven(before, after, parts=PARTS):
        there = desired_state(table(*before)) if before else replace(state(), exists=False)
        (action,) = TablePlanner().plan([table(*after)], catalog(there)).actions
        return unproven(action, replace(there, not_shown=parts))

    x, id_, filled = field("x", INT), column(), Column("d", "bigint", default="1")
    one, strict = Column("s", struct(x)), Column("s", struct(field("x", INT, nullable=False, comment="c")))
    with cases(not_proven) as case:
        case([], HIDEABLE.columns, PARTS)
        case([], [id_, strict], PARTS[2:])
        case([], [id_, column("c", comment="c", is_nullable=False)], ())
        case([id_], [id_, filled], PARTS[:1])
        case([id_], [id_, filled], PARTS[1:], ())
        case([id_], [id_, filled], (), ())
        case([id_, one], [id_, strict], PARTS[2:])
        case([id_, one], [id_, Column("s", struct(x, field("y", INT, comment="c")))], PARTS[3:])
        case([id_, filled], [id_, column("d", default="2")], PARTS[:1])
        case([id_, filled], [column(comment="c"), filled], ())


def test_what_is_hidden_follows_a_rename():
    after = Column("t", struct(field("new", comment="c", renamed_from="old")), renamed_from="s")
    before = Column("s", struct(field("old", comment="c")))
    wanted, stored = (desired_state(table(column(), item)) for item in (after, before))
    observed = replace(stored, columns=tuple(shown(stored.columns, PARTS)), not_shown=PARTS)

    assert with_assumed(wanted, observed).columns == stored.columns
