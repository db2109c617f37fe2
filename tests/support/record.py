"""Record what Delta answers, one line of JSON for each question; a recording continues where it was stopped.

Run it as ``python -m support.record`` in the folder of the tests, with the names of records as arguments, or without
for all of them. A line stays as long as its question has the same digest; remove it from the file to ask again.

* ``pairs``: what the jobs of pairs of contracts meet, half an hour;
* ``evolved``: what streams do over a change to the next contract, and the features that it enables, an hour;
* ``frames`` and ``statements``: what every way to write an empty frame comes to, a quarter of an hour each;
* ``streams``: what streams do over a change, half an hour. The answers are data of the package.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pytest_delta_schema import LocalCatalog, Merge, WriteOptions

    Line = dict[str, Any]

TESTS = Path(__file__).parents[1]
PAIRS, EVOLVED = (TESTS / "compatibility" / f"{name}-4.4.0.jsonl" for name in ("pairs", "evolved"))
FRAMES, STATEMENTS = (TESTS / "write_check" / f"{name}-4.4.0.jsonl" for name in ("frames", "statements"))


def _version(distribution: str) -> str:
    """Return the installed version; ``""`` where only a client of Spark is installed."""
    with suppress(PackageNotFoundError):
        return version(distribution)
    return ""


VERSIONS = {
    name: _version(distribution)
    for name, distribution in (("delta", "delta-spark"), ("spark", "pyspark"), ("delta-rs", "deltalake"))
}


def digest_of(question: object) -> str:
    """Return eight digits that are others for another question."""
    return hashlib.sha256(repr(question).encode()).hexdigest()[:8]


def recorded(path: Path) -> dict[str, Line]:
    """Return the lines of a record by their names."""
    if not path.exists():
        return {}
    _, *lines = path.read_text("utf-8").splitlines()
    return {line["name"]: line for line in map(json.loads, lines)}


def versions(path: Path) -> Mapping[str, str]:
    """Return the versions that answered."""
    found: Mapping[str, str] = json.loads(path.read_text("utf-8").partition("\n")[0])
    return found


def record(path: Path, questions: Mapping[str, str], answer: Callable[[str], Line]) -> None:
    """Ask what a record does not have yet, two questions at once, and write each answer at once."""
    known = {name: line for name, line in recorded(path).items() if line["of"] == questions.get(name)}
    _write(path, known.values())
    missing = [name for name in questions if name not in known]
    with ThreadPoolExecutor(2) as pool:
        begun, waiting = time.monotonic(), {pool.submit(answer, name): name for name in missing}
        try:
            for number, done in enumerate(as_completed(waiting), 1):
                name = waiting[done]
                known[name] = {"name": name, "of": questions[name], **done.result()}
                with path.open("a", encoding="utf-8") as file:
                    file.write(_text(known[name]))
                sys.stderr.write(f"{number} of {len(missing)}: {name} ({time.monotonic() - begun:.0f} s)\n")
        finally:
            pool.shutdown(cancel_futures=True)
    _write(path, (known[name] for name in questions))


def _write(path: Path, lines: Any) -> None:
    path.write_text("".join([_text(VERSIONS), *map(_text, lines)]), encoding="utf-8")


def _text(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"


FAST = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.streaming.pollingDelay": "100ms",
    "spark.databricks.delta.properties.defaults.checkpointInterval": "1000",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -Xms1g -Xmn500m",
}
"""Settings of a session of half an hour in which tables have a few rows."""


@contextmanager
def local_catalog() -> Iterator[LocalCatalog]:
    """Start Spark over a warehouse in memory, where the machine has one."""
    from pytest_delta_schema import LocalCatalog  # noqa: PLC0415 - the tests read records without it
    from pytest_delta_schema.backends.local.start import catalog_conf, session_conf, start_session  # noqa: PLC0415

    memory = Path("/dev/shm")  # noqa: S108 - the folder of Linux for files in memory
    warehouse = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    conf = {**catalog_conf(("dev",), warehouse), **session_conf(warehouse), **FAST}
    try:
        with start_session(warehouse, conf, archive=False) as session:
            session.spark.sparkContext.setLogLevel("OFF")
            yield LocalCatalog(session.spark, warehouse=warehouse)
    finally:
        shutil.rmtree(warehouse, ignore_errors=True)


def record_pairs(catalog: LocalCatalog) -> None:
    """Record the jobs that fail on a released table, and what they meet on the next one."""
    from support.jobs import Players  # noqa: PLC0415 - it loads Spark
    from support.pairs import BASES, Pair, all_pairs  # noqa: PLC0415

    players = Players(catalog)
    pairs = {pair.name: pair for pair in all_pairs()}
    bases = {base: Pair(base, ()).digest for base in BASES}

    def answer(name: str) -> Line:
        if name in bases:
            return {"fails": players.failures(name)}
        return {"meets": players.differences(pairs[name])}

    record(PAIRS, {**bases, **{name: pair.digest for name, pair in pairs.items()}}, answer)
    players.close()


def record_evolved(catalog: LocalCatalog) -> None:
    """Record what streams do over the change of a table to the next contract, and the features that it enables."""
    from support.pairs import all_pairs  # noqa: PLC0415
    from support.streams import StreamPlayers  # noqa: PLC0415 - it loads Spark

    players = StreamPlayers(catalog)
    # By their digests, so that what is recorded is a random part wherever it stops.
    pairs = {pair.name: pair for pair in sorted(all_pairs(), key=lambda pair: pair.digest)}
    record(EVOLVED, {name: pair.digest for name, pair in pairs.items()}, lambda name: players.meet(pairs[name]))
    players.close()


def record_ways(
    path: Path, ways_of: Callable[[str], Iterable[tuple[str, str, WriteOptions | Merge]]], catalog: LocalCatalog
) -> None:
    """Record what ways to write empty frames come to."""
    from support.agreement import Stage  # noqa: PLC0415 - it loads Spark
    from support.writes import PAIRS, digest  # noqa: PLC0415

    def answer(name: str) -> Line:
        stage = Stage(catalog, PAIRS[name])
        outcomes: dict[str, dict[str, list[str]]] = {}
        for method, mode, options in ways_of(name):
            outcomes.setdefault(stage.run(options), {}).setdefault(method, []).append(mode)
        stage.close()
        return {
            "outcomes": {
                outcome: {method: ", ".join(modes) for method, modes in methods.items()}
                for outcome, methods in outcomes.items()
            }
        }

    record(path, {name: digest(name, ways_of(name)) for name in PAIRS if any(ways_of(name))}, answer)


def record_frames(catalog: LocalCatalog) -> None:
    """Record what every way to write an empty frame comes to."""
    from support.writes import ways  # noqa: PLC0415

    record_ways(FRAMES, ways, catalog)


def record_statements(catalog: LocalCatalog) -> None:
    """Record what statements with an empty source come to."""
    from support.writes import statement_ways  # noqa: PLC0415

    record_ways(STATEMENTS, statement_ways, catalog)


def record_streams(catalog: LocalCatalog) -> None:
    """Record what streams do over each change, as data of the package."""
    from pytest_delta_schema.write_check.streams import RECORD, STREAM_KINDS  # noqa: PLC0415
    from support.streams import CASES, play  # noqa: PLC0415 - it loads Spark

    answers = json.loads(RECORD.read_text("utf-8"))["answers"]
    for name in (name for name in CASES if name not in answers):
        verdicts = {kind: play(catalog, CASES[name], kind) for kind in STREAM_KINDS}
        answers[name] = {kind: [one.answer, one.condition, list(one.remedy)] for kind, one in verdicts.items()}
        RECORD.write_text(_streams_text({name: answers[name] for name in CASES if name in answers}), "utf-8")
        sys.stderr.write(f"{name}: {', '.join(f'{kind} {one.answer}' for kind, one in verdicts.items())}\n")


def _streams_text(answers: Mapping[str, Mapping[str, object]]) -> str:
    """Return the file of the package, with one line for each stream."""
    lines = []
    for name, kinds in answers.items():
        cells = (f"      {json.dumps(kind)}: {json.dumps(answer)}" for kind, answer in kinds.items())
        lines.append(f"    {json.dumps(name)}: {{\n" + ",\n".join(cells) + "\n    }")
    head = "".join(f"  {json.dumps(key)}: {json.dumps(VERSIONS[key])},\n" for key in ("delta", "spark"))
    return "{\n" + head + '  "answers": {\n' + ",\n".join(lines) + "\n  }\n}\n"


RECORDINGS: Mapping[str, Callable[[LocalCatalog], None]] = {
    "pairs": record_pairs,
    "evolved": record_evolved,
    "frames": record_frames,
    "statements": record_statements,
    "streams": record_streams,
}


if __name__ == "__main__":
    with local_catalog() as the_catalog:
        for topic in sys.argv[1:] or RECORDINGS:
            RECORDINGS[topic](the_catalog)
