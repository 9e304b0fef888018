"""``B^(-1/2) Y`` for matrices ``B`` that are diagonal minus low rank, without forming ``B``.

The integral ``B^(-1/2) = (1/π) ∫ τ^(-1/2) (B + τ)⁻¹ dτ`` is discretised by the conformal map of
Hale, Higham and Trefethen (2008, SIAM J. Numer. Anal. 46(5), method 3): the error falls like
``exp(-2π² n / (log κ + 6))`` with n nodes and a spectrum inside ``[1/κ, 1]``.
"""

from __future__ import annotations

from math import ceil, log, pi, sqrt

import numpy as np
from scipy import special

from ragstats.core.segments import Floats


def inverse_root_nodes(condition: float) -> tuple[Floats, Floats]:
    """Return shifts τ and weights ω with ``b^(-1/2) ≈ Σ ω_j / (b + τ_j)`` on ``[1/condition, 1]``.

    The number of nodes is chosen for a relative error near 1e-15.
    """
    condition = max(condition, 4.0)
    lowest = 1.0 / condition  # the squared complementary modulus
    count = 2 * ceil((log(condition) + 6) * log(1e16) / (4 * pi**2))
    quarter = float(special.ellipkm1(lowest))
    lower_half = (np.arange(count // 2) + 0.5) * quarter / count
    sc, nc, dc = _jacobi_ratios(lower_half, sqrt(lowest))
    # The nodes above K/2 mirror those below: sc(K - u) = 1 / (k' sc(u)).
    shifts = np.concatenate([lowest * sc**2, 1 / sc**2])
    slopes = np.concatenate([dc * nc, dc * nc / (sqrt(lowest) * sc**2)])
    return shifts, slopes * (2 * quarter * sqrt(lowest) / (pi * count))


def _jacobi_ratios(argument: Floats, complement: float) -> tuple[Floats, Floats, Floats]:
    """Return sn/cn, 1/cn and dn/cn for the modulus ``√(1 - complement²)``.

    By the imaginary argument (Abramowitz and Stegun, 1964, 16.20) these are the functions of the
    *small* modulus ``complement``, where the descending Landen transformation (16.4) needs three
    steps and loses no digits; ``scipy.special.ellipj`` takes ``1 - complement²`` and does.
    """
    mean, geometric = 1.0, sqrt(1 - complement**2)
    ratios: list[float] = []
    half = complement
    while half > 1e-17 * mean:
        mean, geometric = (mean + geometric) / 2, sqrt(mean * geometric)
        half = half**2 / (4 * mean)  # (mean - geometric) / 2 of the step before, uncancelled
        ratios.append(half / mean)
    phase = 2 ** len(ratios) * mean * argument
    previous = phase
    for ratio in reversed(ratios):
        previous = phase
        phase = (phase + np.arcsinh(ratio * np.sinh(phase))) / 2
    return np.sinh(phase), np.cosh(phase), np.cosh(phase) / np.cosh(previous - phase)
