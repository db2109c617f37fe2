"""The order of columns is reported and never changed."""

from pytest_delta_schema.testing.parts import *

before = columns(column("a"), column("b"))
after = columns(column("b"), column("a", comment="New"), column_order="report")
rows = ({"a": 1, "b": 2},)

plan = """
~ columns.a.comment: '' -> 'New'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `a` COMMENT 'New';
"""

matched = """
~ columns.a.order: first -> behind b
"""

commits = 1
left = ({"a": 1, "b": 2},)
