"""All stored columns are of writers; the declared one goes in front."""

from pytest_delta_schema.testing.parts import *

before = columns(column("theirs"))
after = columns(column("id"), evolution="additive")

plan = "+ columns.id: (absent) -> bigint"

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `id` BIGINT FIRST
);
"""
