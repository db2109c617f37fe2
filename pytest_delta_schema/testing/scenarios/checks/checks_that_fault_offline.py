"""Checks that fault offline."""

from pytest_delta_schema.testing.parts import *

before = columns(ID)
after = columns(ID, checks=[Check("now", "id < unix_timestamp(current_timestamp())"), Check("gone", "b > 0")])

plan = """
+ checks.gone: (absent) -> b > 0
+ checks.now: (absent) -> id < unix_timestamp(current_timestamp())
"""

sql = """
ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `gone` CHECK (b > 0);

ALTER TABLE `dev`.`silver`.`orders` ADD CONSTRAINT `now` CHECK (id < unix_timestamp(current_timestamp()));
"""

refused = ("DS111", "DS111")
commits = 0
