"""Differences between versions of pyspark, py4j and Delta."""
