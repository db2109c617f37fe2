"""A clustering column goes, so clustering changes before it."""

from pytest_delta_schema.testing.parts import *

before = columns(
    ID, Column("legacy", struct(field("a", INT))), clustered_by=["id", "legacy.a"], table_properties=MAPPED
)
after = columns(ID, clustered_by=["id"], table_properties=MAPPED)
rows = ({"id": 1, "legacy": {"a": 2}},)
consents = (DROP,)

plan = """
~ layout: clustered by (id, legacy.a) -> clustered by (id)
- columns.legacy: struct<a: int> -> (not in the model)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` CLUSTER BY (`id`);

ALTER TABLE `dev`.`silver`.`orders` DROP COLUMNS (`legacy`);
"""

commits = 2
left = ({"id": 1},)
