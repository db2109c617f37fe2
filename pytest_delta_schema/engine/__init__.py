"""The whole line in one call: read, plan, judge, run, read back, prove."""
