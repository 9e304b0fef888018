"""``python -m ragstats``."""

from ragstats.cli import main

main()
