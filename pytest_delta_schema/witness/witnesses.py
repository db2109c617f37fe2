"""Write the witness of each finding, run it, and say whether it confirms the finding."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.backends.local.session.supported_versions import installed
from pytest_delta_schema.delta.spark_pairs import NEWEST
from pytest_delta_schema.diagnostics.errors import os_error_text
from pytest_delta_schema.diagnostics.witness import Witness
from pytest_delta_schema.progress import step
from pytest_delta_schema.witness.answers import is_confirmed
from pytest_delta_schema.witness.runner import Runner
from pytest_delta_schema.witness.script import NoScript, witness_of

if TYPE_CHECKING:
    from pytest_delta_schema.compatibility.finding import CompatibilityFinding
    from pytest_delta_schema.diagnostics.witness import WitnessResult
    from pytest_delta_schema.state.states import TableState


class Witnesses:
    """Writes the witnesses of a run to a folder, which messages name as ``shown``, and runs them in one process."""

    def __init__(self, folder: Path, shown: str) -> None:
        self._folder = folder
        self._shown = Path(shown)
        self._runner = Runner()

    def close(self) -> None:
        """End the process in which scripts run."""
        self._runner.close()

    def of(self, finding: CompatibilityFinding, old: TableState, new: TableState | None) -> Witness | None:
        """Return what shows a finding; ``None`` for one that is not judged."""
        if finding.verdict == "not judged":
            return None
        script = witness_of(finding, old, new)
        if isinstance(script, NoScript):
            return Witness(result="no witness", reason=script.reason)
        shown, path = (self._shown / script.file).as_posix(), self._folder / script.file
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(script.text, "utf-8")
        except OSError as error:
            return Witness(result="no witness", reason=f"{shown} cannot be written: {os_error_text(error)}")
        with step(f"running the witness {script.file}"):
            answers = self._runner.answers(path)
        if answers is None:
            return Witness(result="not run", file=shown, script=script.text, reason=self._runner.fault)
        before, after = answers
        result: WitnessResult = "confirmed" if is_confirmed(script.text, before, after) else "not confirmed"
        return Witness(
            result=result,
            file=shown,
            script=script.text,
            before=str(before),
            after=str(after),
            reason="" if result == "confirmed" else other_delta(installed().get("delta-spark", "")),
        )


def other_delta(version: str) -> str:
    """Return that verdicts are not those of an installed Delta; ``""`` if they are."""
    judged = ".".join(map(str, NEWEST))
    return "" if version.startswith(f"{judged}.") else f"as verdicts are those of Delta {judged}, and not of {version}"
