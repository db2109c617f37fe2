"""Case of a name differs."""

from pytest_delta_schema.testing.parts import *

before = columns(column("OrderId"))
after = columns(column("orderid", comment="c"))

plan = """
~ columns.OrderId.comment: '' -> 'c'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `OrderId` COMMENT 'c';
"""
