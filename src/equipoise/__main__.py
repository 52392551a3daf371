"""``python -m equipoise``: the command line where no script is installed."""

from equipoise.cli import main

main()
