"""Give the workers of pytest-xdist as long to end as a slow machine needs."""

PATIENT_WORKERS = """
import execnet.gateway_base, xdist.workermanage

# A worker is interrupted once more five seconds after its controller, and is killed ten seconds after it.
xdist.workermanage.NodeManager.EXIT_TIMEOUT = 300
waits = execnet.gateway_base.WorkerPool.waitall
execnet.gateway_base.WorkerPool.waitall = lambda pool, timeout=None: waits(pool, timeout and 300)
"""
"""The part of a conftest that changes the limits of execnet, in the controller and in its workers."""
