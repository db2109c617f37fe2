"""A JVM that outlives a run, so the next run does not wait for its start; nothing here starts one by itself.

A small process, the holder, starts the JVM and ends it. A run that may use the JVM holds a lease of it, and each run
has its own Spark session.
"""
