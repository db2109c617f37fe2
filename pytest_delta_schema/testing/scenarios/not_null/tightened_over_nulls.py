"""Tightened over NULLs."""

from pytest_delta_schema.testing.parts import *

before = columns(column(), column("b"))
after = columns(ID, column("b", is_nullable=False), column("new"), comment="New")
rows = ({"id": 1, "b": None}, {"id": None, "b": None}, {"id": 3, "b": 3})

plan = """
+ columns.new: (absent) -> bigint
~ columns.b: nullable -> not null
~ columns.id: nullable -> not null
~ comment: '' -> 'New'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `new` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `b` SET NOT NULL,
  `id` SET NOT NULL;

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'New';
"""

refused = ("DS301", "DS301")
commits = 0
