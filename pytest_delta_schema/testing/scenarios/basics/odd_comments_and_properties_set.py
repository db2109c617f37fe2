"""Odd comments and properties, set."""

from pytest_delta_schema.testing.parts import *

before = columns(column())
after = columns(column(comment=ODD_TEXT), comment=ODD_TEXT, table_properties={ODD_TEXT: ODD_TEXT})

plan = r"""
~ columns.id.comment: '' -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
~ comment: '' -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
+ properties.quote ' double " back \ slash
new line	tab ${x} $y `tick` -- ; %s 😀 中: (absent) -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
"""

sql = r"""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` COMMENT 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中';

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中';

ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中' = 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中'
);
"""
