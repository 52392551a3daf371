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
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError

if TYPE_CHECKING:
    from equipoise.sequence.build import SequenceForm
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
    from equipoise.strategy.store import load_solved

    require_writable(out)
    require_writable(checkpoint_of(out))
    if force or not out.exists():
        return
    advice = "name another --out, or add --force to replace it"
    try:
        held = load_solved(out, verify=False).metadata
    except EquipoiseError:
        raise EquipoiseError(
            f"{out}: found a file that is no strategy, expected a free name: {advice}."
        ) from None
    # That of a strategy by buckets names the game first, and then the buckets.
    if str(held.get("fingerprint")).partition("/")[0] != fingerprint:
        raise EquipoiseError(
            f"{out}: found a strategy of '{held.get('game')!s:.80}', expected a free name or one of "
            f"'{name}': {advice}."
        )


@dataclass(frozen=True)
class Checkpoints:
    """Where an unfinished solve is kept: beside ``out``, about every ``seconds``."""

    out: Path
    seconds: float = 30.0
    resume: bool = False
    note: Callable[[str], None] = lambda sentence: None

    @property
    def place(self) -> Path:
        """The file."""
        return checkpoint_of(self.out)

    def before(self) -> Bundle | None:
        """Return what an earlier solve left to resume, if that is wanted and there is any."""
        from equipoise.strategy.store import CHECKPOINT, load

        if self.resume and self.place.exists():
            return load(self.place, CHECKPOINT)
        if self.resume:
            self.note(f"{self.place}: no such checkpoint, starting from the beginning.")
        elif self.place.exists():
            self.note(
                f"{self.place}: an unfinished solve, which this one replaces; --resume would "
                "continue it."
            )
        return None

    def saver(self, own: dict[str, Any]) -> Callable[[Arrays], None]:
        """Return the function that a solve with the identity ``own`` calls to be saved.

        A disk that is full now may have room later, and a solve is worth more than its checkpoint:
        what goes wrong is said once, and the solve goes on.
        """
        from equipoise.strategy.store import CHECKPOINT, save

        said: set[str] = set()

        def checkpoint(state: Arrays) -> None:
            try:
                save(self.place, CHECKPOINT, state, own)
            except EquipoiseError as error:
                if str(error) not in said:
                    said.add(str(error))
                    self.note(f"{error} The solve goes on without this checkpoint.")

        return checkpoint

    def require(self, held: Bundle, own: dict[str, Any]) -> None:
        """Raise unless the checkpoint ``held`` is of the solve with the identity ``own``."""
        was, now = held.metadata, own
        if was.get("fingerprint") != now["fingerprint"]:
            found = f"game '{was.get('game')!s:.80}'"
            expected = f"'{now['game']}' as it is now, through the same abstraction if there is one"
        elif str(was.get("method"))[:1].isupper():
            # Methods were once named by the repr of their class, and their arrays laid out otherwise.
            found, expected = "an earlier version of Equipoise", "one with this version"
        elif was.get("method") != now["method"]:
            found, expected = f"method {was.get('method')!s:.200}", now["method"]
        elif was.get("unit") != now.get("unit"):
            found, expected = "payoffs of another size", f"those of '{now['game']}' as it is now"
        elif was.get("seed") != now["seed"]:
            found, expected = f"seed {was.get('seed')!s:.80}", now["seed"]
        else:
            return
        raise EquipoiseError(
            f"{self.place}: found a solve with {found}, expected {expected}: solve without --resume "
            "to start anew."
        )


def save_somewhere(
    out: Path, write: Callable[[Path], None], note: Callable[[str], None]
) -> Path | None:
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


def require_same_point(path: Path, checkpoint: Bundle, form: SequenceForm) -> Arrays:
    """Raise unless the best plans of ``checkpoint`` are plans of ``form``, with the same bounds.

    The saved point is measured again: its bounds change if payoffs or chances have changed. Return the arrays to
    continue from: an earlier version left what player 1 is paid whatever happens out of bounds, which get it back.
    """
    import numpy as np

    from equipoise.solvers.base import measure
    from equipoise.solvers.log import log_array, log_rows, require_log

    arrays = checkpoint.arrays
    try:
        require_log(arrays)
    except EquipoiseError as error:
        raise EquipoiseError(f"{path}: {error}") from None
    if "best_row" not in arrays:
        return arrays
    for name, size in (("best.x", form.X.size), ("best.y", form.Y.size)):
        plan = arrays.get(name)
        if plan is None or plan.shape != (size,) or plan.dtype.kind != "f":
            raise EquipoiseError(
                f"{path}: array {name} is missing or has another shape, expected ({size},) numbers."
            )
        if not np.isfinite(plan).all():
            raise EquipoiseError(f"{path}: array {name} has numbers out of range.")
    (row,) = log_rows(arrays["best_row"])
    shift, measured = form.units.shift, measure(form, arrays["best.x"], arrays["best.y"])
    slack = _SAME * form.units.stake + float(np.spacing(abs(shift)))

    def is_logged(above: float) -> bool:
        """Say whether the row has the bounds that were measured, and ``above`` more."""
        pairs = zip(measured, (row.lower, row.upper), strict=True)
        return all(abs(above + now - was) <= slack for now, was in pairs)

    if is_logged(shift):
        return arrays
    if is_logged(0.0):
        return arrays | {
            name: log_array([row.moved(shift) for row in log_rows(arrays[name])])
            for name in ("log", "best_row")
        }
    lower, upper = (shift + bound for bound in measured)
    raise EquipoiseError(
        f"{path}: found bounds {row.lower:.9g} and {row.upper:.9g} that are now {lower:.9g} "
        f"and {upper:.9g}, expected the payoffs of '{form.name}' to be unchanged: solve "
        "without --resume to start anew."
    )
