"""The application: its commands, and the one place where errors become exit codes.

Exit codes are 0 for success, 1 for a solve that stopped short of its target or whose result could not
be saved where it was to go, 2 for bad input (one line on stderr, nothing on stdout) and 130 after Ctrl-C.
"""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Annotated

import typer

from equipoise import __version__
from equipoise.cli.commands import LazyGroup
from equipoise.cli.output import note
from equipoise.errors import INTERRUPTED, EquipoiseError

BAD_INPUT = 2

# What Typer raises for a mistake on the command line, wherever this version of it keeps the class.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]

# What ends a command whose results cannot be printed: a reader gone, a disk full, a file too large.
_CANNOT_PRINT = (errno.EPIPE, errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO)

app = typer.Typer(
    name="equipoise",
    cls=LazyGroup,
    help="Rules of an imperfect-information game in, a certified equilibrium out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",  # the summaries hold no markup, and Markdown would take longer to lay out
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"equipoise {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version."
        ),
    ] = False,
) -> None:
    """Rules of an imperfect-information game in, a certified equilibrium out."""


def main() -> None:
    """Run the command line and exit."""
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        # Names of files and players may hold what a terminal's encoding, or any, has no bytes for.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; every error it can foresee ends here."""
    try:
        # Certificates, not warnings of libraries, tell whether numbers can be trusted.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return app(list(arguments), prog_name="equipoise", standalone_mode=False) or 0
    except EquipoiseError as error:
        return _fail(str(error))
    except _UsageError as error:
        message = getattr(error, "format_message", error.__str__)()
        # Without any argument the help has been printed, and there is no more to say.
        return _fail(message) if message else BAD_INPUT
    except MemoryError:
        return _fail("out of memory: this machine cannot hold the game, expected a smaller one.")
    except (KeyboardInterrupt, typer.Abort):
        note("interrupted")
        return INTERRUPTED
    except OSError as error:
        if error.errno not in _CANNOT_PRINT or error.filename is not None:
            raise
        # Silence the flush at exit, too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno == errno.EPIPE:
            return 1  # The reader of a pipe went away, and wants no more.
        return _fail(f"the output cannot be written ({error.strerror}), expected room for it.")


def _open_streams() -> None:
    """Open nothing where the shell has closed a stream: Python has none there, and files would take its number."""
    for name, mode in ("stdin", "r"), ("stdout", "w"), ("stderr", "w"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _fail(message: str) -> int:
    note(message)
    return BAD_INPUT
