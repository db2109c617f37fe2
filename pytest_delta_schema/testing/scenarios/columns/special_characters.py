"""Special characters in names, comments and properties."""

from __future__ import annotations

from pytest_delta_schema.testing.parts import MAPPED, ODD_NAMES, ODD_TEXT, column, columns
from pytest_delta_schema.testing.scenario import Scenario

SPECIAL_CHARACTERS: tuple[Scenario, ...] = (
    Scenario(
        name="basics/special_characters_in_comments_and_properties_created",
        before=None,
        after=columns(column(comment=ODD_TEXT), comment=ODD_TEXT, table_properties={ODD_TEXT: ODD_TEXT}),
        plan=r"""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 1 column
+ columns.id: (absent) -> bigint
+ comment: (absent) -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
+ properties.quote ' double " back \ slash
new line	tab ${x} $y `tick` -- ; %s 😀 中: (absent) -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
""",
        sql=r"""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `id` BIGINT COMMENT 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中'
)
USING DELTA
COMMENT 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中'
TBLPROPERTIES (
  'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中' = 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中'
);
""",
    ),
    Scenario(
        name="basics/special_characters_in_comments_and_properties_set",
        before=columns(column()),
        after=columns(column(comment=ODD_TEXT), comment=ODD_TEXT, table_properties={ODD_TEXT: ODD_TEXT}),
        plan=r"""
~ columns.id.comment: '' -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
~ comment: '' -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
+ properties.quote ' double " back \ slash
new line	tab ${x} $y `tick` -- ; %s 😀 中: (absent) -> 'quote \' double " back \\ slash\nnew line\ttab ${x} $y `tick` -- ; %s 😀 中'
""",
        sql=r"""
ALTER TABLE `dev`.`silver`.`orders` ALTER COLUMN
  `id` COMMENT 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中';

COMMENT ON TABLE `dev`.`silver`.`orders` IS 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中';

ALTER TABLE `dev`.`silver`.`orders` SET TBLPROPERTIES (
  'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中' = 'quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中'
);
""",
    ),
    Scenario(
        name="basics/special_characters_in_names_added_commented_set_not_null",
        before=columns(*[column(name) for name in ODD_NAMES[:3]], table_properties=MAPPED),
        after=columns(
            *[column(name, is_nullable=False, comment="c") for name in ODD_NAMES[:3]],
            *[column(name) for name in ODD_NAMES[3:5]],
            table_properties=MAPPED,
        ),
        plan=r"""
+ columns.`${x}`: (absent) -> bigint
+ columns.`emoji 😀`: (absent) -> bigint
~ columns.`back``tick`: nullable -> not null
~ columns.`double"quote`: nullable -> not null
~ columns.`quote\u0027quote`: nullable -> not null
~ columns.`back``tick`.comment: '' -> 'c'
~ columns.`double"quote`.comment: '' -> 'c'
~ columns.`quote\u0027quote`.comment: '' -> 'c'
""",
        sql="""
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
""",
    ),
    Scenario(
        name="basics/special_characters_in_names_created",
        before=None,
        after=columns(*[column(name) for name in ODD_NAMES], table_properties=MAPPED),
        plan=r"""
+ schema dev.silver: (absent) -> created
+ table: (absent) -> created with 12 columns
+ columns.`back``tick`: (absent) -> bigint
+ columns.`quote\u0027quote`: (absent) -> bigint
+ columns.`double"quote`: (absent) -> bigint
+ columns.`${x}`: (absent) -> bigint
+ columns.`emoji 😀`: (absent) -> bigint
+ columns.`new\u000aline`: (absent) -> bigint
+ columns.`brack]et`: (absent) -> bigint
+ columns.`colon::colon`: (absent) -> bigint
+ columns.`a.b`: (absent) -> bigint
+ columns.`semi;colon`: (absent) -> bigint
+ columns.`percent%s`: (absent) -> bigint
+ columns.中: (absent) -> bigint
+ properties.delta.columnMapping.mode: (absent) -> 'name'
""",
        sql="""
CREATE SCHEMA IF NOT EXISTS `dev`.`silver`;

CREATE TABLE `dev`.`silver`.`orders` (
  `back``tick` BIGINT,
  `quote'quote` BIGINT,
  `double"quote` BIGINT,
  `${x}` BIGINT,
  `emoji 😀` BIGINT,
  `new
line` BIGINT,
  `brack]et` BIGINT,
  `colon::colon` BIGINT,
  `a.b` BIGINT,
  `semi;colon` BIGINT,
  `percent%s` BIGINT,
  `中` BIGINT
)
USING DELTA
TBLPROPERTIES (
  'delta.columnMapping.mode' = 'name'
);
""",
    ),
    Scenario(
        name="basics/special_characters_in_a_property_unset",
        before=columns(column(), table_properties={ODD_TEXT: "x", "plain": "y"}),
        after=columns(column(), table_properties={ODD_TEXT: None}),
        plan=r"""
- properties.quote ' double " back \ slash
new line	tab ${x} $y `tick` -- ; %s 😀 中: 'x' -> (absent)
""",
        sql=r"""
ALTER TABLE `dev`.`silver`.`orders` UNSET TBLPROPERTIES IF EXISTS ('quote \' double " back \\ slash\nnew line\ttab \u0024{x} $y `tick` -- ; %s 😀 中');
""",
    ),
)
