"""Check the newest checkpoint of a Delta log, its sidecars, and the file that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_delta_schema.backends.logs.log_findings import BACKUP, Damage, DamageFound, Doubt, parsed_actions
from pytest_delta_schema.delta.logs.log_listing import LAST_CHECKPOINT, SIDECARS, CheckpointHint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeGuard

    from pytest_delta_schema.backends.logs.log_files import LogFiles
    from pytest_delta_schema.delta.logs.log_listing import LogListing

_MAGIC = b"PAR1"


def check_checkpoints(log: LogFiles, names: frozenset[str], listing: LogListing) -> list[Doubt]:
    """Check the files of the newest checkpoint, and return what is odd in them.

    Raises:
        DamageFound: If they are damaged.
        OSError: If one of them cannot be read.
    """
    hint = CheckpointHint.of(log.read(LAST_CHECKPOINT)) if LAST_CHECKPOINT in names else None
    hint = hint if hint and hint.version == listing.checkpoint else None
    remedy = f"delete it and {LAST_CHECKPOINT}, because all commits are there" if listing.has_all_commits else BACKUP
    doubts: list[Doubt] = []
    for name in listing.checkpoints.get(listing.checkpoint, ()):
        if name.endswith(".json"):
            doubts += _odd_in_json(log, name, remedy)
        else:
            _check_parquet(log, name, remedy)
            doubts += _odd_in_hint(log, hint, remedy) if hint else ()
    return doubts


def _odd_in_hint(log: LogFiles, hint: CheckpointHint, remedy: str) -> Iterator[Doubt]:
    """Yield what is odd in what ``_last_checkpoint`` says of a checkpoint in parquet, which Spark follows in part."""
    path = f"{log.path}/{LAST_CHECKPOINT}"
    if hint.lacks_actions:
        yield Doubt(f"{path} has the schema of a checkpoint without metadata or protocol", "delete it")
    for sidecar in hint.sidecars:
        if not _is_name(sidecar) or not _is_there(log, sidecar, remedy):
            yield Doubt(f"{path} lists the sidecar {sidecar}, which is not in {log.path}/{SIDECARS}", "delete it")
            return


def _odd_in_json(log: LogFiles, name: str, remedy: str) -> Iterator[Doubt]:
    """Check a checkpoint of the second version and its sidecars, and yield what is odd in it."""
    content, path = log.read(name), f"{log.path}/{name}"
    actions = parsed_actions(content, path, remedy)
    if len(content.splitlines()) > len(actions):
        yield Doubt(f"{path} has blank lines", remedy)
    if not any(isinstance(action.get("checkpointMetadata"), dict) for action in actions):
        yield Doubt(f"{path} lacks the version of the checkpoint", remedy)
    for action in actions:
        sidecar = action.get("sidecar")
        if isinstance(sidecar, dict):
            yield from _odd_in_reference(log, name, sidecar, remedy)


def _odd_in_reference(log: LogFiles, name: str, sidecar: Mapping[str, Any], remedy: str) -> Iterator[Doubt]:
    file = sidecar.get("path")
    if not _is_name(file):
        # Other files than those in the folder are not opened here.
        yield Doubt(f"{log.path}/{name} refers to the sidecar {file}, which is not the name of a file", remedy)
    elif not _is_there(log, file, remedy):
        raise DamageFound(Damage(f"{log.path}/{SIDECARS}/{file} is not there, and {name} needs it", remedy))
    elif sidecar.get("sizeInBytes") != log.edges(f"{SIDECARS}/{file}").size:
        yield Doubt(f"{log.path}/{name} refers to the sidecar {file} with a different size", remedy)


def _is_name(path: Any) -> TypeGuard[str]:
    """Whether the path of a sidecar is the name of a file, which can only be in the folder."""
    return isinstance(path, str) and path not in {"", ".", ".."} and not {*path} & {"/", "\\", "\0"}


def _is_there(log: LogFiles, sidecar: str, remedy: str) -> bool:
    """Check a sidecar, and return whether it is there."""
    try:
        _check_parquet(log, f"{SIDECARS}/{sidecar}", remedy)
    except FileNotFoundError:
        return False
    return True


def _check_parquet(log: LogFiles, name: str, remedy: str) -> None:
    """Require a file to begin and end like parquet: the footer, its length, and the magic bytes."""
    size, head, tail = log.edges(name)
    footer = int.from_bytes(tail[:4], "little")
    if head != _MAGIC or tail[4:] != _MAGIC or not 0 < footer <= size - len(_MAGIC) - len(tail):
        raise DamageFound(Damage(f"{log.path}/{name} is cut off or damaged: it has no parquet footer", remedy))
