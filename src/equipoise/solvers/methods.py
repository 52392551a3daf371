"""The methods by name: what the command line offers, and when to choose which.

A name is a row of :data:`METHODS`, optionally with options and with wrappers around it, and what a
solve prints is such a name: given back, it means the same method::

    dcfr
    dcfr(dtype=float32,gamma=4)
    egt(balance=0,weights=kroer)
    shrink:iterated-smoothing           merge first what plays the same part
    eliminate:shrink:lp                 drop dominated actions first, then merge
    sampling:egt                        dynamic sampling of chance moves (Gilpin 2009, section 9.4)
    sampling(proportion=0.05):cfr+
    static(proportion=0.25):egt         one sample, drawn once (section 9.3)
    double-oracle(expand=all-best,inner=cfr+)

Options are the attributes of the method, those excepted that its row sets. Nothing is imported until a
method is asked for, so that listing them is free.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from math import e
from typing import TYPE_CHECKING, Any, NamedTuple

from equipoise.errors import EquipoiseError, require_type, short
from equipoise.solvers.options import option_names
from equipoise.solvers.saddle.cfr_table import MEMBERS

if TYPE_CHECKING:
    from equipoise.solvers.base import Method


class MethodEntry(NamedTuple):
    """Where a method lives (``module:callable``), with which arguments, and why to choose it."""

    factory: str
    arguments: dict[str, Any]
    why: str

    @property
    def module(self) -> str:
        """Module of the factory."""
        return self.factory.partition(":")[0]

    def make(self, *around: Method) -> Any:
        """Return the method with the row's arguments, ``around`` another if it is a wrapper."""
        module, _, attribute = self.factory.partition(":")
        return getattr(import_module(module), attribute)(*around, **self.arguments)


def _lp(solver: str, why: str) -> MethodEntry:
    return MethodEntry("equipoise.solvers.saddle.lp:LP", {"solver": solver}, why)


def _cfr(name: str, why: str) -> MethodEntry:
    return MethodEntry("equipoise.solvers.saddle.cfr:member", {"name": name}, why)


def _egt(why: str, **arguments: Any) -> MethodEntry:
    return MethodEntry("equipoise.solvers.saddle.egt:EGT", arguments, why)


def _smoothing(why: str, **arguments: Any) -> MethodEntry:
    return MethodEntry("equipoise.solvers.saddle.smoothing:Smoothing", arguments, why)


def _iterated(why: str, **arguments: Any) -> MethodEntry:
    return MethodEntry("equipoise.solvers.saddle.iterated:IteratedSmoothing", arguments, why)


# Smoothing without our deviations from Gilpin 2009.
_PLAIN: dict[str, Any] = {"metric": "unit", "boost": 1.0, "backtrack": False}

METHODS: dict[str, MethodEntry] = {
    "lp": _lp("dual-simplex", "exact, by dual simplex: games up to some 10,000 sequences"),
    "lp-primal": _lp("primal-simplex", "exact, by primal simplex: a cross-check of lp"),
    "lp-ipx": _lp("ipx", "exact, by interior point and crossover: larger games than lp"),
    "lp-dense": MethodEntry(
        "equipoise.solvers.saddle.lp_dense:DenseLP",
        {},
        "exact, by dense simplex: tiny games, larger ones as lp",
    ),
    "double-oracle": MethodEntry(
        "equipoise.solvers.saddle.oracle:DoubleOracle",
        {},
        "exact, on a growing part of the game: many actions of which few are played",
    ),
    **{name: _cfr(name, member.why) for name, member in MEMBERS.items()},
    "egt": _egt("excessive gap, entropy prox with global-entropy weights: O(1/gap), guaranteed"),
    "egt-kroer": _egt("excessive gap with the weights of Kroer et al.", weights="kroer"),
    "egt-gilpin": _egt("excessive gap as first published", weights="unit", growth=1.0),
    "egt-euclidean": _egt("excessive gap with the Euclidean prox: a comparison", prox="euclidean"),
    "egt-plain": _egt(
        "excessive gap without heuristics: a comparison", aggressive=False, balance=0
    ),
    "smoothing": _smoothing(
        "Nesterov's smoothing for one target gap: the baseline of iterated-smoothing"
    ),
    "smoothing-plain": _smoothing("smoothing as first published: a comparison", **_PLAIN),
    "iterated-smoothing": _iterated(
        "smoothing with shrinking targets, O(log 1/gap): small games to fine gaps"
    ),
    "iterated-smoothing-plain": _iterated(
        "iterated smoothing as first published: a comparison", gamma=e, recentre=False, **_PLAIN
    ),
}
"""Every method by its name, in the order in which ``--help`` shows them."""

WRAPPERS: dict[str, MethodEntry] = {
    "shrink": MethodEntry(
        "equipoise.solvers.saddle.reduced:Reduced",
        {"by": "shrink"},
        "shrink:METHOD first merges what plays the same part in a tree: smaller, and no less exact",
    ),
    "eliminate": MethodEntry(
        "equipoise.solvers.saddle.reduced:Reduced",
        {"by": "eliminate"},
        "eliminate:METHOD first drops dominated actions, again and again: smaller, and no less exact",
    ),
    "sampling": MethodEntry(
        "equipoise.solvers.saddle.sampling:DynamicSampling",
        {},
        "sampling:METHOD starts from a sample of the chance moves and doubles it when it overfits",
    ),
    "static": MethodEntry(
        "equipoise.solvers.saddle.sampling:Sampled",
        {},
        "static(proportion=p):METHOD solves one sample of the chance moves: fast, and never exact",
    ),
}
"""Methods around a method: ``WRAPPER:METHOD``."""

AUTO = (
    "on a tree, merges what plays the same part, then solves a linear program, by a double oracle where "
    "little of a large one is played, or by dcfr beyond 300,000 payoffs; on a large game with signals, dcfr, in single precision unless the gap is tiny"
)
"""What ``auto`` does, in a line (:func:`equipoise.solvers.auto.choose` does it)."""

_TERM = re.compile(r"\s*([a-z][a-z0-9+-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_WORD = re.compile(r"(?!inf$|nan$)[a-z][a-z0-9+-]*(\(.*\))?(:[a-z].*)?")  # or a method's name


def method(name: str) -> Method:
    """Return the method that ``name`` spells (the module's docstring has the grammar)."""
    require_type("Method", name, str, "a name such as 'lp' or 'dcfr(gamma=4)'")
    *around, inner = _split(name, ":")
    made = _read(METHODS, inner)
    outer = [term.partition("(")[0].strip() for term in around]
    for term in outer:
        if outer.count(term) > 1:
            raise EquipoiseError(f"Method '{name}': found '{term}' twice, expected it once.")
    for term in reversed(around):
        made = _read(WRAPPERS, term, made)
    return made


def _split(text: str, mark: str) -> list[str]:
    """Split ``text`` at the marks that are not within brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def spelled(method: Any) -> str:
    """Return the name of ``method``: its nearest row, with the options that differ from the row's.

    :func:`method` reads it back.
    """
    inner = getattr(method, "method", None)
    around, table = ((), METHODS) if inner is None else ((inner,), WRAPPERS)
    names: list[tuple[int, int, str]] = []
    for name, row in table.items():
        if row.module != type(method).__module__:
            continue
        if type(made := _made(table, name, *around)) is type(method):
            own = {option: getattr(method, option) for option in option_names(made)}
            changed = {k: v for k, v in own.items() if v != getattr(made, k)}
            if not changed.keys() & row.arguments.keys():
                names.append((len(changed), len(names), _spell(name, changed)))
    own_name = min(names, default=(0, 0, type(method).__name__))[2]
    return own_name if inner is None else f"{own_name}:{inner.name}"


def _spell(name: str, options: dict[str, Any]) -> str:
    """Return ``name(option=value, ...)``, options in the order of the alphabet."""
    told = ",".join(f"{option}={_text(value)}" for option, value in sorted(options.items()))
    return f"{name}({told})" if told else name


def _text(value: Any) -> str:
    """Return what :func:`_value` reads as ``value``."""
    if isinstance(value, tuple):
        return f"({','.join(_text(part) for part in value)})"
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _read(table: dict[str, MethodEntry], term: str, *around: Method) -> Method:
    """Return what one ``name(options)`` of ``table`` makes, ``around`` a method if it is a wrapper."""
    parsed = _TERM.fullmatch(term)
    name = parsed[1] if parsed else term
    if parsed is None or name not in table:
        close = get_close_matches(name, table, n=1, cutoff=0.4)
        hint = f"did you mean '{close[0]}'?" if close else f"expected one of {', '.join(table)}."
        raise EquipoiseError(f"Method '{term}' is unknown: {hint}")
    row, made = table[name], _made(table, name, *around)
    given = _options(term, parsed[2])
    known = [option for option in option_names(made) if option not in row.arguments]
    for option in given:
        if option not in known:
            allowed = f"one of {', '.join(known)}" if known else "none"
            raise EquipoiseError(f"Method '{term}': found option '{option}', expected {allowed}.")
    changed: Method = replace(made, **given)
    return changed


def _made(table: dict[str, MethodEntry], name: str, *around: Method) -> Any:
    """Return what the row ``name`` of ``table`` makes; rows may come from outside."""
    row = table[name]
    try:
        return row.make(*around)
    except (TypeError, KeyError) as error:
        raise EquipoiseError(
            f"Method '{name}': found a row whose {row.factory} does not take {short(row.arguments)} ({error}), "
            "expected arguments that it knows."
        ) from error


def _options(term: str, text: str | None) -> dict[str, Any]:
    """Read ``key=value, ...``: a value is a Python literal, a word (a method's name is one), or (-)inf."""
    given: dict[str, Any] = {}
    try:
        for part in _split(text or "", ",") if text else ():
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if not key.isidentifier() or not equals or key in given:
                raise ValueError
            given[key] = _value(value)
    except (ValueError, SyntaxError) as error:
        raise EquipoiseError(
            f"Method '{term}': found options '{text}', expected name=value, ..."
        ) from error
    return given


def _value(text: str) -> Any:
    """Return what one value means."""
    if _WORD.fullmatch(text):
        return text
    if text.startswith("(") and text.endswith(")"):
        return tuple(_value(part.strip()) for part in _split(text[1:-1], ",") if part.strip())
    try:
        return ast.literal_eval(text)
    except ValueError:
        return float(text)
