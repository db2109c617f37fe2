"""Check over a field, added over clean rows."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, Column("s", PLACE))
after = columns(ID, Column("s", PLACE), checks=[Check("north", "s.geo.lat > 0 OR s.geo.lat IS NULL")])
rows = ()

plan = """
+ checks.north: (absent) -> s.geo.lat > 0 OR s.geo.lat IS NULL
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `north` CHECK (s.geo.lat > 0 OR s.geo.lat IS NULL);
"""

commits = 1
