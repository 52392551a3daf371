"""The methods by name: what the command line offers, and when to choose which.

A name is a row of :data:`METHODS`, optionally with options and with sampling around it::

    dcfr
    egt(weights=kroer,balance=0)
    shrink:iterated-smoothing           merge first what plays the same part
    sampling:egt                        dynamic sampling of chance moves (Gilpin 2009, section 9.4)
    sampling(proportion=0.05):cfr+
    static(proportion=0.25):egt         one sample, drawn once (section 9.3)

Options are the attributes of the method, those excepted that its row sets. Nothing is imported until a method is asked for, so that listing them is free.
"""

from __future__ import annotations

import ast
import re
from dataclasses import fields, replace
from difflib import get_close_matches
from importlib import import_module
from math import e
from typing import TYPE_CHECKING, Any, NamedTuple

from equipoise.errors import EquipoiseError
from equipoise.solvers.options import option_names
from equipoise.solvers.saddle.cfr_table import MEMBERS

if TYPE_CHECKING:
    from equipoise.solvers.base import Method


class MethodEntry(NamedTuple):
    """Where a method lives (``module:callable``), with which arguments, and why to choose it."""

    factory: str
    arguments: dict[str, Any]
    why: str


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
        "equipoise.solvers.saddle.reduced:Shrinking",
        {},
        "shrink:METHOD first merges what plays the same part in a tree: smaller, and no less exact",
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
    "on a tree, merges what plays the same part, then solves a linear program, or by dcfr beyond "
    "300,000 payoffs; on a large game with signals, dcfr, in single precision unless the gap is tiny"
)
"""What ``auto`` does, in a line (:func:`equipoise.solvers.auto.choose` does it)."""

_TERM = re.compile(r"\s*([a-z][a-z0-9+-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)


def method(name: str) -> Method:
    """Return the method that ``name`` spells (the module's docstring has the grammar)."""
    outer, separator, inner = name.partition(":")
    if not separator:
        return _make(METHODS, name)
    return _make(WRAPPERS, outer, _make(METHODS, inner))


def spelled(name: str, method: Any) -> str:
    """Return the name of ``method``: a row with the same options, or ``name(option=value, ...)``.

    :func:`method` reads it back.
    """
    default = {field.name: field.default for field in fields(method)}
    own = {option: getattr(method, option) for option in option_names(method)}
    changed = {option: value for option, value in own.items() if value != default[option]}
    kind = f"{type(method).__module__}:{type(method).__name__}"
    for row_name, row in METHODS.items():
        if row.factory == kind and row.arguments == changed:
            return row_name
    options = ",".join(f"{option}={value}" for option, value in changed.items())
    return f"{name}({options})" if options else name


def _make(table: dict[str, MethodEntry], term: str, *arguments: Any) -> Method:
    """Return what one ``name(options)`` of ``table`` makes."""
    parsed = _TERM.fullmatch(term)
    name = parsed[1] if parsed else term
    if parsed is None or name not in table:
        close = get_close_matches(name, table, n=1, cutoff=0.4)
        hint = f"did you mean '{close[0]}'?" if close else f"expected one of {', '.join(table)}."
        raise EquipoiseError(f"Method '{term}' is unknown: {hint}")
    row = table[name]
    module, _, attribute = row.factory.partition(":")
    made = getattr(import_module(module), attribute)(*arguments, **row.arguments)
    given = _options(term, parsed[2])
    known = [option for option in option_names(made) if option not in row.arguments]
    for option in given:
        if option not in known:
            allowed = f"one of {', '.join(known)}" if known else "none"
            raise EquipoiseError(f"Method '{term}': found option '{option}', expected {allowed}.")
    changed: Method = replace(made, **given)
    return changed


def _options(term: str, text: str | None) -> dict[str, Any]:
    """Read ``key=value, ...``: a value is a Python literal, a bare word, or (-)inf."""
    try:
        call = ast.parse(f"options({text or ''})", mode="eval").body
        assert isinstance(call, ast.Call)
        if call.args:
            raise ValueError
        return {keyword.arg or "**": _value(keyword.value) for keyword in call.keywords}
    except (ValueError, SyntaxError) as error:
        raise EquipoiseError(
            f"Method '{term}': found options '{text}', expected name=value, ..."
        ) from error


def _value(node: ast.expr) -> Any:
    """Return what one value means."""
    if isinstance(node, ast.Name) and node.id not in ("inf", "nan"):
        return node.id
    try:
        return ast.literal_eval(node)
    except ValueError:
        return float(ast.unparse(node))
