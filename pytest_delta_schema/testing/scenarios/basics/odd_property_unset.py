"""Odd property, unset."""

from pytest_delta_schema.testing.parts import *

before = columns(column(), table_properties={ODD_TEXT: "x", "plain": "y"})
after = columns(column(), table_properties={ODD_TEXT: None})

plan = r"""
- properties.quote ' double " back \ slash
new line	tab ${x} $y `tick` -- ; %s 😀 中: 'x' -> (absent)
"""

sql = r"""
ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中');
"""
