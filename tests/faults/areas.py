"""All areas, in the order in which they are run."""

from __future__ import annotations

from faults import (
    boundaries,
    commands,
    consents,
    disks,
    doubles,
    first_reads,
    kills,
    names,
    names_local,
    near_spark,
    near_writers,
    races,
    servers,
    source_files,
    texts,
)

AREAS = (
    boundaries.MEMORY_AREA,
    names.AREA,
    texts.AREA,
    servers.AREA,
    first_reads.AREA,
    consents.AREA,
    commands.AREA,
    source_files.AREA,
    near_writers.AREA,
    boundaries.LOCAL_AREA,
    names_local.AREA,
    kills.AREA,
    doubles.AREA,
    races.AREA,
    near_spark.AREA,
    disks.AREA,
)
