"""``python -m equipoise``, and what the script ``equipoise`` runs."""

from __future__ import annotations

import sys

from equipoise.errors import INTERRUPTED, remark


def main() -> None:
    """Import the command line and run it; Ctrl-C may come as early as that."""
    try:
        from equipoise.cli import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        sys.stderr.write(f"{remark('interrupted')}\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
