"""A renamed column keeps its default, a dropped one takes it along."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("a", default=1), column("legacy", default=2), table_properties=MAPPED)
after = columns(ID, column("b", renamed_from="a", default=1), table_properties=MAPPED)
rows = ({"id": 1},)
consents = (DROP,)

plan = """
~ columns.a: a -> b (renamed)
- columns.legacy: bigint default 2 -> (not in the model)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` RENAME COLUMN `a` TO `b`;

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
"""

commits = 2
left = ({"id": 1, "b": 1},)
