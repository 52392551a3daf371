"""Where passes over treeplexes and products of payoffs run: compiled loops, or arrays on any device.

Both have one contract, that of :class:`equipoise.sequence.treeplex.Treeplex` and
:class:`equipoise.sequence.payoffs.base.Payoff`:

* :mod:`~equipoise.sequence.backends.compiled`: Numba, on NumPy vectors; the default.
* :mod:`~equipoise.sequence.backends.arrays`: whole levels at a time, in any library that follows the
  Python array API standard (NumPy, PyTorch, CuPy), on its devices. Imports no Numba.
"""
