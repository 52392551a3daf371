"""Parts of kernels are compiled into them, and only there."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from equipoise.numerics.kernels import EXACT, PART

IN_ANOTHER_PROCESS = """
import numpy as np
from equipoise.sequence.treeplex import Blocks
from equipoise.solvers.saddle.regret import Stretch, reach_blocks

def of(*numbers):
    return np.array(numbers, dtype=np.uint32)

# One set of four actions, which takes the part for any number of them.
blocks = Blocks(of(1), of(4), of(1), of(0), of(2**32 - 1), of(0))
plan, average = np.ones(5), np.zeros(5)
on = Stretch(blocks, np.uint32(0), np.uint32(1), np.uint32(0), plan, plan)
play, factors = np.array([0.0, 3.0, -1.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0, 0.5, 0.0])
reach_blocks(on, play, average, factors, np.zeros(1), np.zeros((2, 1)))
print(plan[1:].tolist(), average[1:].tolist(), sum(reach_blocks.stats.cache_hits.values()))
"""


@njit(**PART)
def _square(x):
    return x * x


@njit(**PART)
def _squares(numbers):
    total = numbers[0] * 0
    for i in range(len(numbers)):
        total += _square(numbers[i])
    return total


@njit(**{**EXACT, "cache": False})
def _length(numbers):
    return _squares(numbers) ** 0.5


@njit(**{**EXACT, "cache": False})
def _twice(numbers):
    return _squares(numbers) + _squares(numbers)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_parts_within_parts_compute_what_they_say(dtype):
    numbers = np.array([2, 3, 6], dtype=dtype)
    assert _length(numbers) == 7
    assert _twice(numbers) == 98


def test_no_machine_code_is_made_of_a_part():
    _length(np.arange(3.0))
    for kernel, is_code in ((_length, True), (_squares, False)):
        made = next(iter(kernel.overloads.values()))
        address = made.library.get_pointer_to_function(made.fndesc.mangled_name)
        assert (address != 0) == is_code, kernel


def test_a_kernel_that_was_kept_is_loaded_with_its_parts(tmp_path):
    """A second process finds the kernel in the cache, and needs no part of it."""
    where = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "EQUIPOISE_CACHE": str(tmp_path)}
    told = [
        subprocess.run(
            [sys.executable, "-c", IN_ANOTHER_PROCESS], env=where, capture_output=True, text=True
        )
        for _ in range(2)
    ]
    numbers = "[0.75, 0.0, 0.25, 0.0] [0.375, 0.0, 0.125, 0.0]"
    assert [run.stdout.strip() for run in told] == [f"{numbers} 0", f"{numbers} 1"], told[0].stderr
