"""The contracts of today."""

from shop.history import CUSTOMERS, VERSIONS

delta_tables = [CUSTOMERS, VERSIONS["10_partitions_for_the_archive"]]
