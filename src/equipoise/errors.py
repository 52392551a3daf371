"""The one kind of error a user sees.

An error is a sentence that names the place, what was found there and what was expected. The command
line prints it on one line and exits with 2; it never shows a traceback for bad input.
"""


class EquipoiseError(ValueError):
    """Bad input, told in one sentence: place, what was found, what was expected."""


def quoted(text: str) -> str:
    """Return ``text`` in quotes, cut to a length that fits a sentence."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
