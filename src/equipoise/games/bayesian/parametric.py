"""Parametric models: a guess at how equilibrium strategies cut the signal line into action regions.

A model (Ganzfried and Sandholm 2010, Definition 11) lists, for every player, the plans of her regions
from the lowest signals to the highest, and a partial order of the thresholds between them. As text::

    P1: bet-call |a| bet-fold |b| check-call |c| check-fold |d| bet-fold
    P2: raise/bet |e| call/bet |f| call/check |g| raise/check |h| fold/check |i| fold/bet
    order: e <= a, b <= f <= c, i <= d

A bare ``|`` names its threshold ``P1.1``, ``P1.2``, ... A *conditional* model (section 8.3.1) gives a
player one line for each history at which she acts::

    P3 after raise call: call |d| fold
    P3 after raise fold: call |e| fold

and ``P1 at start: ...`` where she acts first. Thresholds of one player at different histories that ``order`` leaves open make several models, one
for every way to order them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

from equipoise.errors import EquipoiseError
from equipoise.games.bayesian.betting_round import BettingRound, History

Pair = tuple[str, str]

_LINE = re.compile(
    r"^(?:P(?P<player>\d+)(?P<when>\s+at\s+start|\s+after\s+(?P<history>[^:]+))?|(?P<order>order))"
    r"\s*:\s*(?P<rest>.*)$"
)
# A name stands tight between its bars and apart from the plans: "bet |a| check", but "bet | check | bet".
_BAR = re.compile(r"(?<=\s)\|(\w+)\|(?=\s)|\|")


@dataclass(frozen=True)
class ParametricModel:
    """P = (T, Q, ≺): regions, names of the thresholds between them, and pairs (a, b) with a ≤ b."""

    regions: tuple[tuple[str, ...], ...]
    thresholds: tuple[tuple[str, ...], ...]
    order: frozenset[Pair] = frozenset()
    name: str = "model"

    def __post_init__(self) -> None:
        names = [t for own in self.thresholds for t in own]
        for i, (plans, own) in enumerate(zip(self.regions, self.thresholds, strict=True)):
            if not plans or len(own) != len(plans) - 1:
                raise EquipoiseError(
                    f"{self.name}, P{i + 1}: found {len(own)} thresholds, expected one between any two regions."
                )
        for name in names:
            if names.count(name) > 1:
                raise EquipoiseError(
                    f"{self.name}: found two thresholds called '{name}', expected different names."
                )
        for name in (n for pair in self.order for n in pair):
            if name not in names:
                raise EquipoiseError(
                    f"{self.name}, order: found the threshold '{name}', expected one of {', '.join(names)}."
                )
        _refuse_cycles(self.closure, self.name)

    @cached_property
    def closure(self) -> frozenset[Pair]:
        """Every pair a ≤ b that follows from the order and from the sequence of each player's regions."""
        return frozenset(_closure(self.thresholds, self.order))

    @property
    def text(self) -> str:
        """The model in the form that :func:`parse_models` reads."""
        lines = []
        for i, (plans, names) in enumerate(zip(self.regions, self.thresholds, strict=True)):
            bars = [f" |{t}| " for t in names] + [""]
            lines.append(
                f"P{i + 1}: " + "".join(p + bar for p, bar in zip(plans, bars, strict=True))
            )
        own = {pair for chain in self.thresholds for pair in pairwise(chain)}
        told = [p for p in sorted(self.order) if p not in own and not self._between(*p)]
        if told:
            lines.append("order: " + ", ".join(f"{a} <= {b}" for a, b in told))
        return "\n".join(lines)

    def _between(self, a: str, b: str) -> bool:
        """Say whether a ≤ b follows from other pairs."""
        names = (t for own in self.thresholds for t in own)
        return any((a, c) in self.closure and (c, b) in self.closure for c in names)


def _closure(chains: Iterable[Sequence[str]], order: Iterable[Pair]) -> set[Pair]:
    """Return every pair a ≤ b that follows from ``chains`` and from the pairs of ``order``."""
    below: dict[str, set[str]] = {}
    for a, b in (*order, *(pair for chain in chains for pair in pairwise(chain))):
        below.setdefault(a, set()).add(b)
        below.setdefault(b, set())
    return {(a, b) for a in below for b in _reachable(below, a)}


def _refuse_cycles(closure: Iterable[Pair], name: str) -> None:
    """Raise if the pairs of ``closure`` are no partial order."""
    pairs = set(closure)
    for a, b in sorted(pairs):
        if a != b and (b, a) in pairs:
            raise EquipoiseError(
                f"{name}, order: found the cycle {a} <= {b} <= {a}, expected a partial order."
            )


def _reachable(below: Mapping[str, set[str]], start: str) -> set[str]:
    """Return what can be reached from ``start`` in one or more steps."""
    found: set[str] = set()
    stack = list(below[start])
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack.extend(below[node])
    return found


def parse_models(
    text: str, betting: BettingRound | Sequence[Sequence[str]], name: str = "model"
) -> list[ParametricModel]:
    """Read a model; a conditional model may stand for several, one a linear extension (see above).

    For a game that is no betting round, give the names of every player's plans in its place.
    """
    draft = _Draft(betting, name)
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.split("#")[0].strip()
        if stripped:
            draft.read(stripped, f"{name}, line {number}")
    return draft.models()


RegionList = tuple[list[str], list[str]]
"""Plans (or actions) of successive regions, and the names of the thresholds between them."""


class _Draft:
    """Lines read so far: plain or conditional rows of every player, and the order."""

    def __init__(self, betting: BettingRound | Sequence[Sequence[str]], name: str) -> None:
        self.betting = betting if isinstance(betting, BettingRound) else None
        self.plans = betting.plans if isinstance(betting, BettingRound) else betting
        self.name = name
        self.rows: list[dict[History | None, RegionList]] = [{} for _ in self.plans]
        self.order: set[Pair] = set()

    def read(self, line: str, where: str) -> None:
        """Add one line."""
        match = _LINE.match(line)
        if match is None:
            raise EquipoiseError(
                f"{where}: found '{line}', expected 'P1: ...', 'P1 after ...: ...' or 'order: ...'."
            )
        if match["order"]:
            self.order |= _pairs(match["rest"], where)
            return
        named = match["player"].lstrip("0")
        # Longer numbers are no player's, and Python refuses to read the longest.
        player = int(named) - 1 if 0 < len(named) <= len(str(len(self.plans))) else -1
        if not 0 <= player < len(self.plans):
            raise EquipoiseError(
                f"{where}: found P{match['player']:.20}, expected P1 to P{len(self.plans)}."
            )
        history = tuple((match["history"] or "").split()) if match["when"] else None
        prefix = ".".join((f"P{player + 1}", *(history or ())))
        row = _regions(match["rest"], prefix, where)
        if history is None:
            _check_plans(self.plans[player], player, row[0], where)
        else:
            _check_actions(self.betting, player, history, row[0], where)
        known = self.rows[player]
        if history in known or (known and (history is None or None in known)):
            raise EquipoiseError(
                f"{where}: found P{player + 1} described twice, expected one description."
            )
        known[history] = row

    def models(self) -> list[ParametricModel]:
        """Return a model for every way to order the thresholds of conditional rows."""
        names = [t for rows in self.rows for _, own in rows.values() for t in own]
        for threshold in (t for pair in self.order for t in pair):
            if threshold not in names:
                raise EquipoiseError(
                    f"{self.name}, order: found the threshold '{threshold}', expected one of "
                    f"{', '.join(names)}."
                )
        chains = [own for rows in self.rows for _, own in rows.values()]
        _refuse_cycles(_closure(chains, self.order), self.name)
        combined = list(product(*(self._sequences(i) for i in range(len(self.plans)))))
        return [
            self._model(chosen, self.name if len(combined) == 1 else f"{self.name} ({k})")
            for k, chosen in enumerate(combined, start=1)
        ]

    def _sequences(self, player: int) -> list[RegionList]:
        """Return the sequences of regions that the lines of ``player`` may mean."""
        rows = self.rows[player]
        if not rows:
            raise EquipoiseError(f"{self.name}: found no line for P{player + 1}, expected one.")
        if self.betting is None or None in rows:
            return [rows[None]]
        nodes = {history: row for history, row in rows.items() if history is not None}
        return _expand(self.betting, player, nodes, self.order, self.name)

    def _model(self, chosen: Sequence[RegionList], name: str) -> ParametricModel:
        """Return the model of one combination; what the order says of thresholds that fell away goes."""
        chains = [own for rows in self.rows for _, own in rows.values()]
        kept = {t for _, own in chosen for t in own}
        order = self.order
        if not all(set(pair) <= kept for pair in order):
            order = {pair for pair in _closure(chains, order) if set(pair) <= kept}
        return ParametricModel(
            tuple(tuple(plans) for plans, _ in chosen),
            tuple(tuple(own) for _, own in chosen),
            frozenset(order),
            name,
        )


def _regions(text: str, prefix: str, where: str) -> RegionList:
    """Split ``bet |a| check | bet`` into plans and threshold names."""
    parts = _BAR.split(text)
    plans = [re.sub(r"\s*([-/])\s*", r"\1", " ".join(part.split())) for part in parts[::2]]
    if not all(plans):
        raise EquipoiseError(
            f"{where}: found an empty region in '{text}', expected a plan on each side of '|'."
        )
    return plans, [given or f"{prefix}.{k}" for k, given in enumerate(parts[1::2], start=1)]


def _pairs(text: str, where: str) -> set[Pair]:
    """Read chains such as ``a <= b <= c, d <= e``."""
    pairs: set[Pair] = set()
    for chain in text.split(","):
        names = [part.strip() for part in re.split(r"<=?", chain)]
        if len(names) < 2 or not all(re.fullmatch(r"[\w.]+", n) for n in names):
            raise EquipoiseError(
                f"{where}: found '{chain.strip()}', expected a chain such as 'a <= b <= c'."
            )
        pairs |= set(pairwise(names))
    return pairs


def _check_plans(known: Sequence[str], player: int, plans: Sequence[str], where: str) -> None:
    for plan in plans:
        if plan not in known:
            raise EquipoiseError(
                f"{where}: found the plan '{plan}' of P{player + 1}, expected one of {', '.join(known)}."
            )


def _check_actions(
    betting: BettingRound | None, player: int, history: History, actions: Sequence[str], where: str
) -> None:
    acting, known = (None, ()) if betting is None else betting.actions.get(history, (None, ()))
    if acting != player:
        raise EquipoiseError(
            f"{where}: found '{' '.join(history)}', expected a history after which P{player + 1} acts."
        )
    for action in actions:
        if action not in known:
            raise EquipoiseError(
                f"{where}: found the action '{action}', expected one of {', '.join(known)}."
            )


def _expand(
    betting: BettingRound,
    player: int,
    nodes: Mapping[History, RegionList],
    order: set[Pair],
    name: str,
) -> list[RegionList]:
    """Turn one line a history into sequences of plans, one for every order of the thresholds."""
    for history, (acting, _) in betting.actions.items():
        if acting == player and history not in nodes:
            raise EquipoiseError(
                f"{name}: found no line 'P{player + 1} after {' '.join(history)}', expected one."
            )
    chains = [(history, own) for history, (_, own) in nodes.items()]
    known = {t for _, own in chains for t in own}
    before = _closure([own for _, own in chains], order)
    sequences = []
    for extension in _extensions(sorted(known), before):
        at = {history: 0 for history, _ in chains}
        plans = [betting.plan_of(player, {h: nodes[h][0][k] for h, k in at.items()})]
        kept: list[str] = []
        for threshold in extension:
            history = next(h for h, own in chains if threshold in own)
            at[history] += 1
            plan = betting.plan_of(player, {h: nodes[h][0][k] for h, k in at.items()})
            # A change at a history her own earlier action rules out is no change of plan.
            if plan != plans[-1]:
                plans.append(plan)
                kept.append(threshold)
        if (plans, kept) not in sequences:
            sequences.append((plans, kept))
    return sequences


def _extensions(names: list[str], before: set[Pair]) -> Iterator[list[str]]:
    """Yield every linear extension of the relation ``before`` on ``names``."""
    if not names:
        yield []
    for name in names:
        if not any(b == name and a in names for a, b in before):
            for rest in _extensions([n for n in names if n != name], before):
                yield [name, *rest]


def embeddings(short: Sequence[str], long: Sequence[str]) -> int:
    """Count the ways in which ``short`` is a (not necessarily contiguous) subsequence of ``long``."""
    counts = [1] + [0] * len(short)
    for item in long:
        for k in range(len(short), 0, -1):
            if short[k - 1] == item:
                counts[k] += counts[k - 1]
    return counts[-1]


def refines(model: ParametricModel, coarse: ParametricModel) -> bool:
    """Say whether ``model`` is a refinement of ``coarse`` (Definition 12)."""
    return all(embeddings(q, p) > 0 for p, q in zip(model.regions, coarse.regions, strict=True))


def us_refines(model: ParametricModel, coarse: ParametricModel) -> bool:
    """Say whether ``model`` is a US-refinement of ``coarse``: the subsequences are unique (Definition 13)."""
    return all(embeddings(q, p) == 1 for p, q in zip(model.regions, coarse.regions, strict=True))


def common_refinement(models: Sequence[ParametricModel]) -> tuple[tuple[str, ...], ...]:
    """Return, for every player, a shortest sequence of regions that contains those of every model."""
    merged = []
    for sequences in zip(*(m.regions for m in models), strict=True):
        longest: tuple[str, ...] = ()
        for sequence in sorted(sequences, key=len, reverse=True):
            longest = _supersequence(longest, sequence)
        merged.append(longest)
    return tuple(merged)


def _supersequence(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    """Return a shortest common supersequence of ``a`` and ``b``."""
    best: dict[tuple[int, int], tuple[str, ...]] = {}
    for i in range(len(a), -1, -1):
        for j in range(len(b), -1, -1):
            if i == len(a) or j == len(b):
                best[i, j] = a[i:] + b[j:]
            elif a[i] == b[j]:
                best[i, j] = (a[i], *best[i + 1, j + 1])
            else:
                best[i, j] = min((a[i], *best[i + 1, j]), (b[j], *best[i, j + 1]), key=len)
    return best[0, 0]
