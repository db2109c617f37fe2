"""The order of clustering columns counts, and changes in place."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("r", TEXT), column("d", INT), clustered_by=["r", "d"])
after = columns(ID, column("r", TEXT), column("d", INT), clustered_by=["d", "r"])
rows = ({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2})

plan = """
~ layout: clustered by (r, d) -> clustered by (d, r)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` CLUSTER BY (`d`, `r`);
"""

commits = 1
