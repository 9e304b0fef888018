"""The asv suite: how time and peak memory grow with rows, documents, columns, sources and types.

``asv run --python=same --quick``, in the folder above, runs everything once.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # asv imports this folder alone
