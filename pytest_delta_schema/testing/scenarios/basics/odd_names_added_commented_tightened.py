"""Odd names, added, commented, tightened."""

from pytest_delta_schema.testing.parts import *

before = columns(*[column(name) for name in ODD_NAMES[:3]], table_properties=MAPPED)
after = columns(
    *[column(name, is_nullable=False, comment="c") for name in ODD_NAMES[:3]],
    *[column(name) for name in ODD_NAMES[3:5]],
    table_properties=MAPPED,
)

plan = """
+ columns.${x}: (absent) -> bigint
+ columns.emoji 😀: (absent) -> bigint
~ columns.back`tick: nullable -> not null
~ columns.double"quote: nullable -> not null
~ columns.quote'quote: nullable -> not null
~ columns.back`tick.comment: '' -> 'c'
~ columns.double"quote.comment: '' -> 'c'
~ columns.quote'quote.comment: '' -> 'c'
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD COLUMNS (
  `${x}` BIGINT,
  `emoji 😀` BIGINT
);

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `back``tick` SET NOT NULL,
  `double"quote` SET NOT NULL,
  `quote'quote` SET NOT NULL;

ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `back``tick` COMMENT 'c',
  `double"quote` COMMENT 'c',
  `quote'quote` COMMENT 'c';
"""
