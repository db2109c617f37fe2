"""Comments cleared and created empty are one."""

from pytest_delta_schema.testing.parts import *

before = columns(column(comment=""))
after = columns(column(comment=None), comment=None)

plan = ""

sql = ""
