"""All areas, in the order in which they are run."""

from __future__ import annotations

from faults.plugin_runs import commands, consents, disks
from faults.processes import doubles, first_reads, kills, races
from faults.readers import near_spark, near_writers
from faults.scenario_runs import boundaries, names, names_local
from faults.unity_server import servers

AREAS = (
    boundaries.MEMORY_AREA,
    names.AREA,
    servers.AREA,
    first_reads.AREA,
    consents.AREA,
    commands.AREA,
    near_writers.AREA,
    boundaries.LOCAL_AREA,
    names_local.AREA,
    kills.AREA,
    doubles.AREA,
    races.AREA,
    near_spark.AREA,
    disks.AREA,
)
