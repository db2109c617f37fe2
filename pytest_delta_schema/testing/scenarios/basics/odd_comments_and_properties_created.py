"""Odd comments and properties, created."""

from pytest_delta_schema.testing.parts import *

before = None
after = columns(column(comment=ODD_TEXT), comment=ODD_TEXT, table_properties={ODD_TEXT: ODD_TEXT})

plan = r"""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 1 column
+ columns.id: (absent) -> bigint
+ comment: (absent) -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
+ properties.quote ' double " back \ slash
new line	tab ${x} $y `tick` -- ; %s 😀 中: (absent) -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
"""

sql = r"""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE IF NOT EXISTS `dev`.`silver`.`orders` (
  `id` BIGINT COMMENT 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中'
)
USING DELTA
COMMENT 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中'
TBLPROPERTIES (
  'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中' = 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中'
);
"""
