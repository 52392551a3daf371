"""Where a solve is saved, and what makes it safe to continue one.

The strategy goes to ``OUT``; while a solve is short of its target, ``OUT.checkpoint`` beside it holds
all that is needed to continue. A checkpoint knows the game, the method with its parameters, and the
seed it belongs to, and is refused for any other.
"""

from __future__ import annotations

import hashlib
import tempfile
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.cli.output import note
from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.sequence.build import SequenceForm
    from equipoise.solvers.base import Method
    from equipoise.solvers.driver import Arrays
    from equipoise.strategy.store import Bundle

SUFFIX = ".eqp"

# Characters that Windows forbids in names, and those that a shell takes for its own.
_FORBIDDEN = '<>:"/\\|?*'
_SIGNS = _FORBIDDEN + "()[]{}=,;&$!`'#~^%"
# Bytes of a name: 255 on most systems, less what a checkpoint and its part add.
_LONGEST = 220

# A point measured again must have the same bounds, up to the order of summation.
_SAME = 1e-9


def default_file(spec: str, ending: str = "") -> Path:
    """Return the file in the current folder that what is made of ``spec`` is saved to.

    A file of rules lends its name, in whatever script: what some system forbids in names becomes a
    dash, what is too long is cut, and a digest then keeps apart the names that differ in what was
    lost. Of a game with parameters, brackets and signs become dashes.
    """
    from equipoise.games.base import FILES

    if Path(spec).suffix.lower() not in FILES:
        name = _without("".join(spec.split()), _SIGNS) + ending
        return Path(_cut(name, name) + SUFFIX)
    name = Path(spec).stem + ending
    return Path(_cut(_without(name, _FORBIDDEN), name) + SUFFIX)


def _without(name: str, characters: str) -> str:
    """Return ``name`` with dashes for ``characters`` and for what cannot be printed."""
    return "".join(
        "-"
        if character in characters or not (character.isprintable() or _joins(character))
        else character
        for character in name
    ).strip("-. ")


def _joins(character: str) -> bool:
    """Say whether ``character`` is invisible and yet part of a word or an emoji (joiners, tags)."""
    return unicodedata.category(character) == "Cf"


def _cut(name: str, original: str) -> str:
    """Return ``name`` short enough for file systems, marked if it is not the ``original``."""
    if name == original and 0 < len(name.encode()) <= _LONGEST:
        return name
    digest = hashlib.sha256(original.encode(errors="surrogateescape")).hexdigest()[:8]
    kept = name.encode()[: _LONGEST - len(digest) - 1].decode(errors="ignore")
    return f"{kept or 'game'}-{digest}"


def checkpoint_of(out: Path) -> Path:
    """Return the checkpoint beside ``out``."""
    return out.with_name(f"{out.name}.checkpoint")


def require_free(out: Path, name: str, fingerprint: str, force: bool) -> None:
    """Raise if saving a strategy of the game ``name`` at ``out`` would destroy something else."""
    from equipoise.files import require_writable
    from equipoise.strategy.store import load_strategy

    require_writable(out)
    require_writable(checkpoint_of(out))
    if force or not out.exists():
        return
    advice = "name another --out, or add --force to replace it"
    try:
        held = load_strategy(out, verify=False)
    except EquipoiseError:
        raise EquipoiseError(
            f"{out}: found a file that is no strategy, expected a free name: {advice}."
        ) from None
    if held.fingerprint != fingerprint:
        raise EquipoiseError(
            f"{out}: found a strategy of '{held.game}', expected a free name or one of "
            f"'{name}': {advice}."
        )


def identity(form: SequenceForm, algorithm: str, method: Method, seed: int) -> dict[str, Any]:
    """Return what a checkpoint must agree on with the solve that continues it."""
    return {
        "game": form.name,
        "fingerprint": form.fingerprint,
        "algorithm": algorithm,
        "method": repr(method),
        "seed": seed,
        "unit": form.units.unit,
    }


def saver(path: Path, own: dict[str, Any]) -> Callable[[Arrays], None]:
    """Return the function that a solve calls to be saved at ``path``.

    A disk that is full now may have room later, and a solve is worth more than its checkpoint: what
    goes wrong is said once, and the solve goes on.
    """
    from equipoise.strategy.store import CHECKPOINT, save

    said: set[str] = set()

    def checkpoint(state: Arrays) -> None:
        try:
            save(path, CHECKPOINT, state, own)
        except EquipoiseError as error:
            if str(error) not in said:
                said.add(str(error))
                note(f"{error} The solve goes on without this checkpoint.")

    return checkpoint


def save_somewhere(out: Path, write: Callable[[Path], None]) -> Path | None:
    """Write a result to ``out``, or, if that fails, to a temporary folder; return where it is.

    What was computed for hours must not end for want of room: then there is no file, and the caller
    still shows the result.
    """
    try:
        write(out)
    except EquipoiseError as error:
        place = _elsewhere(out, write)
        saved = "It is not saved" if place is None else f"It is saved as {place} instead"
        note(f"{error} {saved}: --out names another place.")
        return place
    return out


def _elsewhere(out: Path, write: Callable[[Path], None]) -> Path | None:
    """Write to a new folder among the temporary ones; return the file, or nothing if that fails."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="equipoise-"))
    except OSError:
        return None
    try:
        write(folder / out.name)
    except EquipoiseError:
        folder.rmdir()
        return None
    return folder / out.name


def require_same(path: Path, checkpoint: Bundle, own: dict[str, Any], form: SequenceForm) -> None:
    """Raise unless ``checkpoint``, loaded from ``path``, belongs to this game and solve."""
    held = checkpoint.metadata
    if held.get("fingerprint") != own["fingerprint"]:
        found = f"game '{held.get('game')!s:.80}'"
        expected = f"'{form.name}' as it is now, through the same abstraction if there is one"
    elif held.get("unit") != own["unit"]:
        found, expected = "payoffs of another size", f"the payoffs of '{form.name}' to be unchanged"
    elif held.get("method") != own["method"]:
        found, expected = f"algorithm {held.get('method')!s:.200}", own["method"]
    elif held.get("seed") != own["seed"]:
        found, expected = f"seed {held.get('seed')!s:.80}", own["seed"]
    else:
        _require_arrays(path, checkpoint, form)
        _require_same_bounds(path, checkpoint, form)
        return
    raise EquipoiseError(
        f"{path}: found a solve with {found}, expected {expected}: solve without --resume to start "
        "anew."
    )


def _require_arrays(path: Path, checkpoint: Bundle, form: SequenceForm) -> None:
    """Raise unless the counters, the log and the best point have the shapes they must have.

    What a method keeps of its own is compared with a fresh run of it when the solve begins.
    """
    import numpy as np

    from equipoise.strategy.store import log_of, require_log

    arrays = checkpoint.arrays
    best = {"best.x": (form.X.size,), "best.y": (form.Y.size,), "best_row": (1, 6)}
    rows = len(arrays["log"]) if "log" in arrays and arrays["log"].ndim else 0
    shapes: dict[str, tuple[int, ...]] = {"run_counters": (2,), "log": (rows, 6)}
    if not best.keys().isdisjoint(arrays):
        shapes |= best
    for name, shape in shapes.items():
        found = arrays.get(name)
        kind = "i" if name == "run_counters" else "f"
        if found is None or found.shape != shape or found.dtype.kind != kind:
            raise EquipoiseError(
                f"{path}: array {name} is missing or has another shape, expected {shape} numbers."
            )
        if not np.isfinite(found).all() or (kind == "i" and found.min() < 0):
            raise EquipoiseError(f"{path}: array {name} has numbers out of range.")
    if rows:
        log_of(path, checkpoint)
    if "best_row" in arrays:
        require_log(path, arrays["best_row"])


def _require_same_bounds(path: Path, checkpoint: Bundle, form: SequenceForm) -> None:
    """Measure the saved point again: its bounds change if payoffs or chances have changed."""
    from equipoise.solvers.base import measure
    from equipoise.solvers.driver import log_rows

    arrays = checkpoint.arrays
    if "best.x" not in arrays:
        return
    (row,) = log_rows(arrays["best_row"])
    bounds = measure(form, arrays["best.x"], arrays["best.y"])
    slack = _SAME * form.units.stake
    if any(abs(a - b) > slack for a, b in zip(bounds, (row.lower, row.upper), strict=True)):
        raise EquipoiseError(
            f"{path}: found bounds {row.lower:.9g} and {row.upper:.9g} that are now {bounds[0]:.9g} "
            f"and {bounds[1]:.9g}, expected the payoffs of '{form.name}' to be unchanged: solve "
            "without --resume to start anew."
        )
