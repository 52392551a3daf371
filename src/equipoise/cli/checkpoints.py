"""Where a solve is saved, and what makes it safe to continue one.

The strategy goes to ``OUT``; while a solve is short of its target, ``OUT.checkpoint`` beside it holds
all that is needed to continue. A checkpoint knows the game, the method with its parameters, and the
seed it belongs to, and is refused for any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.sequence.build import SequenceForm
    from equipoise.solvers.base import Arrays, Method
    from equipoise.strategy.store import Bundle

SUFFIX = ".eqp"

# A point measured again must have the same bounds, up to the order of summation.
_SAME = 1e-9


def default_file(spec: str) -> Path:
    """Return the file in the current folder that a solve of ``spec`` is saved to."""
    from equipoise.games.base import FILES

    name = Path(spec).stem if Path(spec).suffix.lower() in FILES else spec
    return Path(re.sub(r"[^A-Za-z0-9._+]+", "-", name).strip("-.") + SUFFIX)


def checkpoint_of(out: Path) -> Path:
    """Return the checkpoint beside ``out``."""
    return out.with_name(f"{out.name}.checkpoint")


def require_free(out: Path, name: str, fingerprint: str, force: bool) -> None:
    """Raise if saving a strategy of the game ``name`` at ``out`` would destroy something else."""
    from equipoise.files import require_writable
    from equipoise.strategy.store import load_strategy

    require_writable(out)
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
    }


def saver(path: Path, own: dict[str, Any]) -> Callable[[Arrays], None]:
    """Return the function that a solve calls to be saved at ``path``."""
    from equipoise.strategy.store import CHECKPOINT, save

    return lambda state: save(path, CHECKPOINT, state, own)


def require_same(path: Path, checkpoint: Bundle, own: dict[str, Any], form: SequenceForm) -> None:
    """Raise unless ``checkpoint``, loaded from ``path``, belongs to this game and solve."""
    held = checkpoint.metadata
    if held.get("fingerprint") != own["fingerprint"]:
        found = f"game '{held.get('game')}'"
        expected = f"'{form.name}' as it is now, through the same abstraction if there is one"
    elif held.get("method") != own["method"]:
        found, expected = f"algorithm {held.get('method')}", own["method"]
    elif held.get("seed") != own["seed"]:
        found, expected = f"seed {held.get('seed')}", own["seed"]
    else:
        _require_same_bounds(path, checkpoint, form)
        return
    raise EquipoiseError(
        f"{path}: found a solve with {found}, expected {expected}: solve without --resume to start "
        "anew."
    )


def _require_same_bounds(path: Path, checkpoint: Bundle, form: SequenceForm) -> None:
    """Measure the saved point again: its bounds change if payoffs or chances have changed."""
    from equipoise.solvers.base import log_rows, measure

    arrays = checkpoint.arrays
    if "best.x" not in arrays:
        return
    (row,) = log_rows(arrays["best_row"])
    bounds = measure(form, arrays["best.x"], arrays["best.y"])
    scale = 1.0 + abs(row.lower) + abs(row.upper)
    if any(abs(a - b) > _SAME * scale for a, b in zip(bounds, (row.lower, row.upper), strict=True)):
        raise EquipoiseError(
            f"{path}: found bounds {row.lower:.9g} and {row.upper:.9g} that are now {bounds[0]:.9g} "
            f"and {bounds[1]:.9g}, expected the payoffs of '{form.name}' to be unchanged: solve "
            "without --resume to start anew."
        )
