"""Settings of the whole suite."""

import os

# Before NumPy is loaded: the matrices here are small, and threads of two test processes that wait
# for each other cost more than they give.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import settings

# The same few examples in every run, so that a failure is never a matter of luck;
# "pytest --hypothesis-profile=explore" looks for new ones.
settings.register_profile("suite", max_examples=15, deadline=None, derandomize=True, database=None)
settings.register_profile("explore", max_examples=1000, deadline=None)
settings.load_profile("suite")
