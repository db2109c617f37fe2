"""Comments cleared and created empty are one."""

from support.parts import *

before = columns(column(comment=""))
after = columns(column(comment=None), comment=None)

plan = ""

sql = ""
