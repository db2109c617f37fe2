"""Comments of fields."""

from pytest_delta_schema.testing.parts import *

before = columns(
    ID,
    Column("a", struct(field("x", comment="Old"), field("y"))),
    Column("l", spark.ArrayType(struct(field("z")))),
)
after = columns(
    ID,
    Column("a", struct(field("x"), field("y", comment="New"))),
    Column("l", spark.ArrayType(struct(field("z", comment="it's"))), comment="List"),
)
rows = ({"id": 1, "a": {"x": 1, "y": 2}},)

plan = """
~ columns.l.comment: '' -> 'List'
~ columns.a.x.comment: 'Old' -> ''
~ columns.a.y.comment: '' -> 'New'
~ columns.l.element.z.comment: '' -> "it's"
"""

sql = r"""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `l` COMMENT 'List',
  `a`.`x` COMMENT '',
  `a`.`y` COMMENT 'New';

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `l`.`element`.`z` COMMENT 'it\'s';
"""

commits = 2
left = ({"id": 1, "a": {"x": 1, "y": 2}, "l": None},)
