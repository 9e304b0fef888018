"""Settings of the whole suite."""

from hypothesis import settings

# The same few examples in every run, so that a failure is never a matter of luck;
# "pytest --hypothesis-profile=explore" looks for new ones.
settings.register_profile("suite", max_examples=25, deadline=None, derandomize=True, database=None)
settings.register_profile("explore", max_examples=1000, deadline=None)
settings.load_profile("suite")
