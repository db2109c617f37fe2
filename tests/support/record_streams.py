"""Record what streams do over every change, as data of the package: the answers of ``check_stream``.

Run it as ``python -m support.record_streams`` in the folder of the tests; it takes half an hour. Names of changes
as arguments record only those again, and ``several`` the pairs and triples, with which ``check_stream`` is compared.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from pytest_delta_schema import LocalCatalog, open_session
from pytest_delta_schema.write_check.streams import RECORD, STREAM_KINDS
from support.streams import CASES, SEVERAL, SEVERAL_RECORD, play

SEVERAL_NAME = "several"
VERSIONS = {"delta": "4.4.0", "spark": "4.2.0"}


def main() -> None:
    """Record the answers, and write the file after each change."""
    names = sys.argv[1:] or [*CASES, SEVERAL_NAME]
    known = json.loads(RECORD.read_text("utf-8"))["answers"] if sys.argv[1:] else {}
    warehouse = Path(tempfile.mkdtemp())
    session = open_session(warehouse)
    session.spark.sparkContext.setLogLevel("OFF")
    catalog = LocalCatalog(session.spark, warehouse=warehouse)
    for name in names:
        if name == SEVERAL_NAME:
            SEVERAL_RECORD.write_text(json.dumps(several(catalog), indent=2) + "\n", "utf-8")
            continue
        begun = time.monotonic()
        answers = {}
        for kind in STREAM_KINDS:
            verdict = play(catalog, CASES[name], kind)
            answers[kind] = [verdict.answer, verdict.condition, list(verdict.remedy)]
        known[name] = answers
        write(known)
        shown = ", ".join(f"{kind} {answer[0]}" for kind, answer in answers.items())
        sys.stderr.write(f"{name}: {shown} ({time.monotonic() - begun:.0f} s)\n")


def several(catalog: LocalCatalog) -> dict[str, str]:
    """Return what streams do over several changes at once."""
    by_name: dict[str, str] = {}
    for name, (case, kind) in SEVERAL.items():
        by_name[name] = play(catalog, case, kind).answer
        sys.stderr.write(f"{name}: {by_name[name]}\n")
    return by_name


def write(answers: dict[str, dict[str, list[object]]]) -> None:
    """Write the file of the package, with one line for each stream."""
    lines = []
    for name in (name for name in CASES if name in answers):
        cells = (f"      {json.dumps(kind)}: {json.dumps(answer)}" for kind, answer in answers[name].items())
        lines.append(f"    {json.dumps(name)}: {{\n" + ",\n".join(cells) + "\n    }")
    head = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in VERSIONS.items())
    RECORD.write_text("{\n" + head + '  "answers": {\n' + ",\n".join(lines) + "\n  }\n}\n", "utf-8")


if __name__ == "__main__":
    main()
