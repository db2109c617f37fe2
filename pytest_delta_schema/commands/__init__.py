"""Commands outside of a pytest run; ``cli`` has all but the translation, which needs pyspark."""
