"""Other partitions need all data written anew, which nobody has agreed to."""

from pytest_delta_schema.testing.parts import *

before = columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["r"])
after = columns(ID, column("r", TEXT), column("d", INT), partitioned_by=["d"])
rows = ({"id": 1, "r": "a", "d": 1}, {"id": 2, "r": "b", "d": 1}, {"id": 3, "r": None, "d": 2})


plan = """
~ layout: partitioned by (r) -> partitioned by (d)
"""

sql = """
CREATE OR REPLACE TABLE `dev`.`silver`.`orders`
USING DELTA
PARTITIONED BY (`d`)
AS SELECT * FROM `dev`.`silver`.`orders`;
"""

refused = ("DS216",)
commits = 0
