"""Comments cleared."""

from pytest_delta_schema.testing.parts import *

before = columns(column(comment="c"), comment="t")
after = columns(column())

plan = """
~ columns.id.comment: 'c' -> ''
~ comment: 't' -> ''
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` COMMENT '';

COMMENT ON TABLE `dev`.`silver`.`orders` IS '';
"""
