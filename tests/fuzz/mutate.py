"""Mutations: bytes, words, numbers and lines of text; JSON and arrays of bundles."""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS = [
    "", "0", "1", "2", "3", "-1", "-0.0", "0.5", "1/3", "1/0", "1e-400", "1e400", "-1e400", "1e308",
    "1e15", "1e-12", "nan", "inf", "-inf", "1000000000", "99999999999999999999", "9" * 5000, "0x10",
    "1_000", "true", '"x"', "[]", "{}", "é",
]  # fmt: skip
PIECES = [
    "{", "}", "[", "]", "[[", "]]", "=", ",", '"', '""', "'''", "\\", "#", "|", "  ", "\n", "\t", "\x00",
    "\ufeff", "日本", "🎲", "P1", "EFG 2 R", "NFG 1 R", "c", "p", "t", "a.b",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 10**9, 10**30, 0.5, -0.5, 1e308, float("nan"), float("inf"), "",
    "x", "kuhn", "leduc(ranks=100)", "kuhn(cards=100000)", "a\x00.efg", "x" * 100_000, [], {}, [[]],
    [1, 2], [None], {"x": 1},
]  # fmt: skip
DTYPES = ["<f8", "<f4", "<i8", "<i4", "<u4", "|b1", "<U3", "<c16", "|u1"]
_WORD = re.compile(r'"(?:[^"\\\n]|\\.)*"|[-+.\w/]+|\s+|.', re.DOTALL)
_NUMBER = re.compile(r"[-+]?[0-9.]+(?:[eE/][-+]?[0-9]+)?")


def text(data: bytes, chance: random.Random) -> bytes:
    """Damage a text at a few places."""
    for _ in range(chance.choice([1, 1, 1, 2, 3, 6])):
        data = chance.choice(_TEXT)(data, chance)
    return data


def _flip(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return b"\xff"
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _words(data: bytes, chance: random.Random) -> bytes:
    """Lose, double, swap, replace or repeat a word."""
    words = _WORD.findall(data.decode(errors="replace")) or [" "]
    here, there = chance.randrange(len(words)), chance.randrange(len(words))
    kind = chance.randrange(6)
    if kind == 0:
        del words[here]
    elif kind == 1:
        words.insert(here, words[there])
    elif kind == 2:
        words[here], words[there] = words[there], words[here]
    elif kind == 3:
        words[here] = chance.choice(PIECES)
    elif kind == 4:
        words.insert(here, chance.choice(PIECES))
    elif len(data) < 10_000:
        words[here] *= chance.choice([2, 100, 5000])
    return "".join(words).encode(errors="replace")


def _numbers(data: bytes, chance: random.Random) -> bytes:
    """Put another number in the place of one."""
    words = data.decode(errors="replace")
    found = list(_NUMBER.finditer(words))
    if not found:
        return data
    match = chance.choice(found)
    return (words[: match.start()] + chance.choice(NUMBERS) + words[match.end() :]).encode()


def _lines(data: bytes, chance: random.Random) -> bytes:
    """Lose, double or move a line."""
    lines = data.splitlines(keepends=True) or [b"\n"]
    line = lines.pop(chance.randrange(len(lines)))
    for _ in range(chance.randrange(3)):
        lines.insert(chance.randrange(len(lines) + 1), line)
    return b"".join(lines)


_TEXT: list[Callable[[bytes, random.Random], bytes]] = [
    _flip, _cut, _words, _words, _numbers, _numbers, _numbers, _lines,
]  # fmt: skip


def bundle(data: bytes, chance: random.Random) -> bytes:
    """Damage a bundle: its bytes, or what it says, with checksums that are right again."""
    if chance.random() < 0.1:
        return chance.choice([_flip, _cut])(data, chance)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        arrays = {
            name: np.load(io.BytesIO(archive.read(f"{name}.npy"))) for name in manifest["arrays"]
        }
    for _ in range(chance.choice([1, 1, 2, 3])):
        if arrays and chance.random() < 0.6:
            name = chance.choice(sorted(arrays))
            changed = _array(arrays[name], chance)
            if changed is None:
                del arrays[name]
            else:
                arrays[chance.choice([name, name, name, "stray"])] = changed
        else:
            manifest["metadata"] = _json(manifest["metadata"], chance)
    return _pack(manifest, arrays, chance)


def _pack(
    manifest: dict[str, Any], arrays: dict[str, NDArray[Any]], chance: random.Random
) -> bytes:
    """Return the bundle, now and then with a manifest that lies."""
    members, described = {}, {}
    for name, array in arrays.items():
        file = io.BytesIO()
        np.lib.format.write_array(file, array, version=(2, 0), allow_pickle=False)
        members[f"{name}.npy"] = file.getvalue()
        digest = hashlib.sha256(file.getvalue()).hexdigest()
        described[name] = {
            "dtype": array.dtype.str, "shape": list(array.shape), "sha256": digest
        }  # fmt: skip
    manifest = {**manifest, "arrays": described}
    if chance.random() < 0.15:
        manifest = _json(manifest, chance)
    packed = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if chance.random() < 0.02 else zipfile.ZIP_STORED
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _json(value: Any, chance: random.Random) -> Any:
    """Change something somewhere in ``value``, or all of it."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(sorted(value))
        if chance.random() < 0.15:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: _json(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.8:
        place = chance.randrange(len(value))
        return [*value[:place], _json(value[place], chance), *value[place + 1 :]]
    return chance.choice(VALUES)


def _array(array: NDArray[Any], chance: random.Random) -> NDArray[Any] | None:
    """Return the array with other values, another shape or type; or none at all."""
    kind = chance.randrange(8)
    changed: NDArray[Any] = np.array(array)
    if kind == 0:
        return None
    if kind == 1:
        return changed.reshape(-1)[: chance.randrange(changed.size + 1)]
    if kind == 2:
        with np.errstate(all="ignore"):
            return changed.astype(chance.choice(DTYPES))
    if kind == 3:
        return changed.reshape(1, -1)
    if kind == 4:
        return np.concatenate([changed.reshape(-1)] * 2)
    if changed.size and changed.dtype.kind in "fiu":
        flat, count = changed.reshape(-1), chance.choice([1, 1, 3, changed.size])
        places = [chance.randrange(changed.size) for _ in range(count)]
        numbers = (
            [np.nan, np.inf, -1.0, 2.0, 1e300, 0.0]
            if changed.dtype.kind == "f"
            else [0, 1, 7, 2**31 - 1]
        )
        with np.errstate(all="ignore"):
            flat[places] = np.array(chance.choice(numbers)).astype(changed.dtype)
    return changed


def line(command: str, chance: random.Random) -> list[str]:
    """Return the words of a command with values changed."""
    words = command.split()
    for _ in range(chance.choice([1, 1, 2])):
        place = chance.randrange(1, len(words))
        if words[place].startswith("--") and chance.random() < 0.9:
            continue
        values = NUMBERS[:-6] if chance.random() < 0.7 else PIECES
        numbers = list(_NUMBER.finditer(words[place]))
        if numbers and chance.random() < 0.8:
            match = chance.choice(numbers)
            words[place] = (
                words[place][: match.start()] + chance.choice(values) + words[place][match.end() :]
            )
        else:
            words[place] = chance.choice(values)
    # No shell can pass the character that ends its strings.
    return [word.replace("\x00", "") for word in words]
