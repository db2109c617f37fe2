"""A table is clustered for the first time, which raises its protocol."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("r", TEXT), column("d", INT))
after = columns(ID, column("r", TEXT), column("d", INT), clustered_by=["r", "d"])
rows = ({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2})

plan = """
~ layout: neither partitioned nor clustered -> clustered by (r, d)
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` CLUSTER BY (`r`, `d`);
"""

commits = 1
