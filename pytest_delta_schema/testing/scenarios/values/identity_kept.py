"""An identity column is commented, renamed and tightened; rows keep their numbers."""

from pytest_delta_schema.testing.parts import *

before = columns(column(identity=True), column("a", TEXT), table_properties=MAPPED)
after = columns(
    column("number", is_nullable=False, comment="Counted", identity=True, renamed_from="id"),
    column("a", TEXT),
    table_properties=MAPPED,
)
rows = ({"a": "x"}, {"a": "y"})

plan = """
~ columns.id: id -> number (renamed)
~ columns.number: nullable -> not null
~ columns.number.comment: '' -> 'Counted'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `id` TO `number`;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `number` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `number` COMMENT 'Counted';
"""

commits = 3
left = ({"number": 1, "a": "x"}, {"number": 2, "a": "y"})
