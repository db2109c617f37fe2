"""The marks of shown changes, and the words for a side that has no value; apart from the changes, for reports."""

from __future__ import annotations

ADD, DROP, CHANGE = "+", "-", "~"
ABSENT, NOT_IN_MODEL = "(absent)", "(not in the model)"
