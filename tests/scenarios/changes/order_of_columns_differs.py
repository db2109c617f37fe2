"""Order of columns differs."""

from support.parts import *

before = columns(column("a"), column("b"))
after = columns(column("b"), column("a"))

plan = ""

sql = ""
