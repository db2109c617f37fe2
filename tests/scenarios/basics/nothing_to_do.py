"""Nothing to do."""

from support.parts import *

before = orders()
after = orders()

plan = ""

sql = ""
