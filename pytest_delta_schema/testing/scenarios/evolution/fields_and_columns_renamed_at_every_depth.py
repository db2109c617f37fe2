"""Fields and columns renamed, at every depth."""

from pytest_delta_schema.testing.parts import *

before = columns(
    ID,
    Column("a", ADDRESS),
    Column("l", spark.ArrayType(struct(field("q", INT)))),
    Column("m", spark.MapType(TEXT, struct(field("u", INT)))),
    table_properties=MAPPED,
)
after = columns(
    ID,
    Column(
        "address",
        struct(
            field("city", TEXT),
            field("place", struct(field("north", spark.FloatType(), renamed_from="lat")), renamed_from="geo"),
        ),
        renamed_from="a",
    ),
    Column("l", spark.ArrayType(struct(field("quantity", INT, renamed_from="q")))),
    Column("m", spark.MapType(TEXT, struct(field("unit", INT, renamed_from="u")))),
    table_properties=MAPPED,
)
rows = ({"id": 1, "a": HOME, "l": [{"q": 1}, {"q": None}], "m": {"q": {"u": 2}}}, {"id": 2})

plan = """
~ columns.a: a -> address (renamed)
~ columns.address.geo: geo -> place (renamed)
~ columns.address.place.lat: lat -> north (renamed)
~ columns.l.element.q: q -> quantity (renamed)
~ columns.m.value.u: u -> unit (renamed)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `a` TO `address`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `address`.`geo` TO `place`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `address`.`place`.`lat` TO `north`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `l`.`element`.`q` TO `quantity`;

ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `m`.`value`.`u` TO `unit`;
"""

commits = 5
left = (
    {
        "id": 1,
        "address": {"city": "Bonn", "place": {"north": 1.5}},
        "l": [{"quantity": 1}, {"quantity": None}],
        "m": {"q": {"unit": 2}},
    },
    {"id": 2, "address": None, "l": None, "m": None},
)
