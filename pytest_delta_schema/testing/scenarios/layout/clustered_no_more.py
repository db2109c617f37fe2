"""Clustering goes."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("r", TEXT), column("d", INT), clustered_by=["r"])
after = columns(ID, column("r", TEXT), column("d", INT))
rows = ({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2})

plan = """
~ layout: clustered by (r) -> neither partitioned nor clustered
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` CLUSTER BY NONE;
"""

commits = 1
