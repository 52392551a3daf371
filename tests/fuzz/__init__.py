"""Whatever files, strategies and rules hold: a result, or one sentence, soon and in little memory.

``python -m tests.fuzz --seconds 60 [--seed 1]`` mutates small files of every format (games as trees,
matrices and TOML, strategies as text and as bundles with valid checksums, rules in Python) and runs the
commands of the command line on them. A command may succeed (exit 0), stop short (1) or refuse in one line
(2). Faults are tracebacks, other exits and outputs, more than 10 s of processor time and more than 1 GB of
memory; the inputs of each are kept in a folder with the command that repeats it.

Case ``i`` of a seed depends on the two numbers alone.
"""
