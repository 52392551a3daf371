"""Small faults: every change to a module that mutation testing tries."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

_COMPARE = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
_ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Mod: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitXor: ast.BitAnd,
}  # fmt: skip
_PAIRS = (
    ("min", "max"),
    ("minimum", "maximum"),
    ("argmin", "argmax"),
    ("any", "all"),
    ("floor", "ceil"),
)
_SWAPS = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}


class Mutant(NamedTuple):
    """A changed module: where, what stood there, what stands there now, and the whole source."""

    line: int
    before: str
    after: str
    source: str


def mutants(source: str) -> list[Mutant]:
    """Return every mutant of ``source``, in order."""
    lines = [line.encode() for line in source.splitlines(keepends=True)]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text, found = b"".join(lines), []
    for node, new in _changes(ast.parse(source)):
        low = starts[node.lineno - 1] + node.col_offset
        high = starts[node.end_lineno - 1] + node.end_col_offset
        put = ast.unparse(new) if isinstance(new, ast.stmt) else f"({ast.unparse(new)})"
        changed = b"%b%b%b" % (text[:low], put.encode(), text[high:])
        with contextlib.suppress(SyntaxError):
            if ast.dump(ast.parse(changed)) != ast.dump(ast.parse(text)):
                before = " ".join(text[low:high].decode().split())
                found.append(Mutant(node.lineno, before, ast.unparse(new), changed.decode()))
    return found


def _changes(tree: ast.AST) -> Iterator[tuple[Any, ast.AST]]:
    """Yield a node and what to put in its place, for every change that is tried."""
    for node in _walk(tree):
        if isinstance(node, ast.Compare):
            for i, op in enumerate(node.ops):
                for other in _COMPARE[type(op)]:
                    ops = [*node.ops[:i], other(), *node.ops[i + 1 :]]
                    yield node, ast.Compare(node.left, ops, node.comparators)
        elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            yield node, ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right)
        elif isinstance(node, ast.AugAssign):
            if type(node.op) in _ARITHMETIC:
                yield node, ast.AugAssign(node.target, _ARITHMETIC[type(node.op)](), node.value)
            yield node, ast.Pass()
        elif isinstance(node, ast.BoolOp):
            yield (
                node,
                ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values),
            )
        elif isinstance(node, ast.UnaryOp):
            yield node, node.operand
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            yield from ((node, ast.Constant(value)) for value in _other_constants(node.value))
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            yield from ((node, ast.Subscript(node.value, s)) for s in _other_slices(node.slice))
        elif isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name) and function.id in _SWAPS:
                yield function, ast.Name(_SWAPS[function.id])
            elif isinstance(function, ast.Attribute) and function.attr in _SWAPS:
                yield function, ast.Attribute(function.value, _SWAPS[function.attr])
        elif isinstance(node, ast.If | ast.While | ast.IfExp):
            if not isinstance(node.test, ast.Compare | ast.UnaryOp):
                yield node.test, ast.UnaryOp(ast.Not(), node.test)
        elif isinstance(node, ast.Return) and node.value is not None:
            yield node, ast.Return(ast.Constant(None))
        elif _is_removable(node):
            yield node, ast.Pass()


def _is_removable(node: ast.AST) -> bool:
    """Say whether the statement can be left out without leaving a name undefined at once."""
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Subscript | ast.Attribute)
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return is_call or isinstance(node, ast.Raise | ast.Break | ast.Continue)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield nodes in order, without annotations, decorators, messages and checks of lengths."""
    yield node
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.keyword) and node.arg == "strict"):
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child)


def _other_constants(value: float) -> Sequence[float]:
    if isinstance(value, bool):
        return (not value,)
    return (1 - value,) if value in (0, 1) else (value + 1, value - 1)


def _other_slices(cut: ast.Slice) -> Iterator[ast.Slice]:
    one = ast.Constant(1)
    low = one if cut.lower is None else ast.BinOp(cut.lower, ast.Add(), one)
    yield ast.Slice(low, cut.upper, cut.step)
    high = ast.Constant(-1) if cut.upper is None else ast.BinOp(cut.upper, ast.Sub(), one)
    yield ast.Slice(cut.lower, high, cut.step)
