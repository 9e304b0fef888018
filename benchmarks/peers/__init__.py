"""The same regression in ragstats and in other programs: time, memory and numbers, side by side.

``data`` makes the rows, ``catalogue`` names the peers, ``worker.py`` and ``worker.R`` run one of
them in a process of its own, ``measure`` times it within limits, ``agreement`` compares the
numbers, ``machine`` says where it ran, and ``table`` writes it down.
"""
