"""The strategies of a folder: listed by what their files say, opened when somebody looks at one.

An id is a digest of the file's name and means nothing else, so no request can name a path.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from equipoise import bundle
from equipoise.errors import EquipoiseError, printable, quoted
from equipoise.games.base import FILES, GAMES, in_words
from equipoise.play.explore import Explorer, explorer
from equipoise.play.rulebook import rulebook
from equipoise.play.web.answers import RefusalError
from equipoise.road.checkpoints import SUFFIX
from equipoise.road.result import Result
from equipoise.road.verbs import open as open_result
from equipoise.road.verbs import rules_of
from equipoise.strategy.profile import Strategy
from equipoise.strategy.store import STRATEGY

_OPEN = 6  # results that are kept open
_FACTS = (
    "game", "family", "method", "algorithm", "status", "value", "values", "lower", "upper", "gap", "gains",
    "iterations", "seconds", "cpu_seconds", "target", "why", "abstraction", "buckets", "gain",
)  # fmt: skip


PLAYABLE = tuple(
    name
    for name, row in GAMES.items()
    if row.home.partition(":")[0].removeprefix("equipoise.games.")
    in ("trees.classic", "poker.game", "library")
)
"""Games by name that are played move by move: trees, matrices, games with signals."""


@dataclass(frozen=True)
class StoredResult:
    """A file of the folder: its id, and what it says of itself, or what is wrong with it.

    ``spec`` is the game as it was solved. Where that is a path, people are shown the name of the file alone:
    how this machine's folders are called is nobody's business.
    """

    id: str
    path: Path
    stamp: tuple[int, int]
    facts: dict[str, Any]
    fault: str | None = None
    spec: str = ""

    @property
    def name(self) -> str:
        """What it is called: the file's name without its ending."""
        return self.path.stem

    def summary(self) -> dict[str, Any]:
        """Return what a list shows of it."""
        return {
            "id": self.id,
            "name": self.name,
            "bytes": self.stamp[1],
            "modified": self.stamp[0] / 1e9,
            "fault": self.fault,
            **self.facts,
        }


class Opened:
    """A result that is open, with the explorer of its strategy."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self._lock = Lock()
        self._explorer: Explorer | None = None

    @property
    def strategy(self) -> Strategy:
        """The strategy, if it has information sets."""
        found = self.result.strategy
        if not isinstance(found, Strategy):
            raise EquipoiseError(
                f"strategy of '{self.result.spec}': found one of a {in_words(self.result.family)}, expected "
                "one with information sets."
            )
        return found

    @property
    def explorer(self) -> Explorer:
        """What knows its scenes."""
        with self._lock:
            if self._explorer is None:
                self._explorer = explorer(self.result.rules, self.strategy)
                # Who looks at a strategy will want to see more of it, or play.
                Thread(target=self._explorer.prepare, daemon=True).start()
            return self._explorer


class Library:
    """The strategy files of ``folder``."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise EquipoiseError(f"--folder: found '{folder}', expected a folder of strategies.")
        self._entries: dict[Path, StoredResult] = {}
        self._opened: OrderedDict[Path, tuple[tuple[int, int], Opened]] = OrderedDict()
        self._lock = Lock()

    def entries(self) -> list[StoredResult]:
        """Return all strategies, the newest first."""
        found = []
        for path in self.folder.glob(f"*{SUFFIX}"):
            try:
                told = path.stat()
            except OSError:
                continue  # it has gone since
            stamp = told.st_mtime_ns, told.st_size
            entry = self._entries.get(path)
            if entry is None or entry.stamp != stamp:
                entry = _entry(path, stamp)
                self._entries[path] = entry
            if entry.facts or entry.fault:
                found.append(entry)
        return sorted(found, key=lambda entry: (-entry.stamp[0], entry.name))

    def entry(self, identity: str) -> StoredResult:
        """Return the strategy called ``identity``, or refuse."""
        for entry in self.entries():
            if entry.id == identity:
                return entry
        raise RefusalError(
            404, f"strategy '{identity[:40]}': there is none, expected an id of the list."
        )

    def open(self, identity: str) -> Opened:
        """Return the strategy called ``identity``, opened."""
        entry = self.entry(identity)
        if entry.fault is not None:
            raise EquipoiseError(entry.fault)
        with self._lock:
            held = self._opened.get(entry.path)
            if held is None or held[0] != entry.stamp:
                held = entry.stamp, Opened(open_result(entry.path, self.rules(entry)))
                self._opened[entry.path] = held
            self._opened.move_to_end(entry.path)
            while len(self._opened) > _OPEN:
                self._opened.popitem(last=False)
            return held[1]

    def rules(self, entry: StoredResult) -> str | None:
        """Return the folder's file of rules that a strategy was solved from, if it was."""
        beside = self.folder / entry.facts["game"]
        is_here = beside.suffix.lower() in FILES and beside.is_file()
        return str(beside.resolve()) if is_here else None

    def game(self, name: str) -> Any:
        """Return the game called ``name``, as the list or the folder has it, to be played."""
        known = name.replace("-", "_")
        if known not in PLAYABLE and name not in self.game_files():
            raise EquipoiseError(
                f"game: found {quoted(name)}, expected one of {', '.join(PLAYABLE)}, or a file of the folder."
            )
        return _game(known if known in PLAYABLE else str((self.folder / name).resolve()))

    def game_files(self) -> list[str]:
        """Return the names of the folder's files of rules."""
        return sorted(p.name for p in self.folder.iterdir() if p.suffix.lower() in FILES)


@lru_cache(maxsize=4)
def _game(spec: str) -> Any:
    """Return the rules of a game; a few are kept."""
    found = rules_of(spec)
    rulebook(found)  # says so if it is not played move by move
    return found


def identity_of(name: str) -> str:
    """Return the id of the file called ``name``."""
    return hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:12]


def _entry(path: Path, stamp: tuple[int, int]) -> StoredResult:
    """Read what a file says of itself; nothing for files that are no strategies."""
    identity = identity_of(path.name)
    try:
        found = bundle.load(path, verify=False)
    except EquipoiseError as error:
        return StoredResult(identity, path, stamp, {}, str(error).replace(str(path), path.name))
    if found.kind not in (STRATEGY, "tournament"):
        return StoredResult(identity, path, stamp, {})
    known = found.metadata
    facts = {name: known[name] for name in _FACTS if name in known}
    spec = str(known.get("spec") or known.get("game", ""))
    if printable(spec) != spec:
        fault = f"{path.name}: found a game that cannot be printed, expected its name."
        return StoredResult(identity, path, stamp, {}, fault)
    is_file = Path(spec).suffix.lower() in FILES
    facts["game"] = Path(spec).name if is_file else spec
    facts.setdefault("family", "tournament" if found.kind == "tournament" else "zero-sum")
    return StoredResult(identity, path, stamp, facts, spec=spec)
