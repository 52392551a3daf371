"""The road from rules to a certified strategy, the same for every family of games.

The verbs are the commands: :func:`load`, :func:`abstract`, :func:`solve` (abstract, solve, lift,
certify), :func:`certify`, :func:`open`. What a family of games does in its own way is behind one protocol
(:mod:`equipoise.road.families`); identity of games and files, checkpoints, resume and status are here.
"""

from equipoise.lazy import attach

_HOME: dict[str, str] = {
    "Result": "equipoise.road.result",
    "abstract": "equipoise.road.verbs",
    "certify": "equipoise.road.verbs",
    "load": "equipoise.road.verbs",
    "open": "equipoise.road.verbs",
    "solve": "equipoise.road.verbs",
}

__all__ = [*_HOME]

__getattr__, __dir__ = attach(__name__, _HOME)
