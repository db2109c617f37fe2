"""What differs between versions of pyspark, py4j and Delta."""
