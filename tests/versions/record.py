"""Record what ran in an environment, and write the tables of the documentation from the records."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as ET
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_delta_schema import delta
from versions.environments import BY_TOOL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from versions.environments import Environment

FOLDER = Path(__file__).parent
BACKENDS = {
    "TestLocal": "local",
    "test_scenarios": "local",
    "TestClassic": "session, classic",
    "TestConnect": "session, Spark Connect",
    "test_on_delta": "writes by statements",
}
"""The backend that each test class with scenarios runs, and what the sample of a module is about."""

_VERSIONS = """
import json, platform
from importlib.metadata import distributions
names = ("pyspark", "pyspark-client", "delta-spark", "pytest", "syrupy")
versions = {item.metadata["Name"].replace("_", "-"): item.version for item in distributions()}
known = {name: versions[name] for name in names if name in versions}
print(json.dumps({"python": platform.python_version(), **known}))
"""


def record(environment: Environment, python: Path, results: Path, *, covering: bool = False) -> str:
    """Write the record of an environment from the JUnit report of its run, and return what it counts in one line."""
    answer = subprocess.run([str(python), "-c", _VERSIONS], capture_output=True, text=True, check=True)
    counted = outcomes(results, BACKENDS if environment.name not in BY_TOOL else {})
    facts = {
        "versions": json.loads(answer.stdout),
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "command": f"make test-versions VERSIONS={environment.name}{' COVERING=1' * covering}",
        "outcomes": counted,
    }
    (FOLDER / f"{environment.name}.json").write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", "utf-8")
    ran = sum(outcome["ran"] for outcome in counted.values())
    skipped = sum(sum(outcome["skipped"].values()) for outcome in counted.values())
    return f"{ran} ran, {skipped} skipped, {sum(len(outcome['failed']) for outcome in counted.values())} failed"


def outcomes(results: Path, backends: dict[str, str]) -> dict[str, Any]:
    """Count a JUnit report: by backend, or all as one, those that ran, those skipped by reason, and name failures."""
    by_backend: dict[str, Any] = {}
    for case in ET.parse(results).getroot().iter("testcase"):
        path, _, test_class = case.get("classname", "").rpartition(".")
        backend = backends[test_class] if backends else "tests without a JVM"
        outcome = by_backend.setdefault(backend, {"ran": 0, "skipped": {}, "failed": []})
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            scenario = case.get("name", "").partition("[")[2].removesuffix("]")
            name = f"{path.rpartition('.')[2]}.{test_class}.{case.get('name', '')}"
            outcome["failed"].append((scenario if backends else "") or name)
        elif skipped is not None:
            reason = skipped.get("message", "")
            outcome["skipped"][reason] = outcome["skipped"].get(reason, 0) + 1
        else:
            outcome["ran"] += 1
    return by_backend


def records() -> dict[str, Any]:
    """Return the records of the environments that were run, by their names, the newest pair first."""
    paths = {name: FOLDER / f"{name}.json" for name in (*(pair.extra for pair in reversed(delta.PAIRS)), *BY_TOOL)}
    return {name: json.loads(path.read_text("utf-8")) for name, path in paths.items() if path.exists()}


def pairs_table() -> str:
    """Return the table of the pairs, with their last runs."""
    known = records()
    lines = ["| pyspark | delta-spark | extra | last run | with | command |", "| --- | --- | --- | --- | --- | --- |"]
    for pair in reversed(delta.PAIRS):
        is_newest = pair is delta.PAIRS[-1]
        pyspark, extras = (pair.pyspark, ", `spark`") if is_newest else (f"{pair.pyspark.rpartition('.')[0]}.x", "")
        run = _last_run(known.get(pair.extra), ("pyspark", "delta-spark", "python"))
        lines.append(f"| {pyspark} | {pair.delta_spark} | `{pair.extra}`{extras} | {run} |")
    return "\n".join(lines)


def tools_table() -> str:
    """Return the table of the versions of Python, pytest and syrupy, with their last runs."""
    known = records()
    lines = ["| environment | last run | with | command |", "| --- | --- | --- | --- |"]
    for name, environment in BY_TOOL.items():
        shown = ("python", "pyspark-client") if environment.is_client else ("python", "pytest", "syrupy")
        lines.append(f"| `{name}` | {_last_run(known.get(name), shown)} |")
    return "\n".join(lines)


def _last_run(facts: Any, names: Iterable[str]) -> str:
    if facts is None:
        return "not yet | |"
    versions = ", ".join(f"{'Python' if name == 'python' else name} {facts['versions'][name]}" for name in names)
    return f"{facts['date']} | {versions} | `{facts['command']}`"
