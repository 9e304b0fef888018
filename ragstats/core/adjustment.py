"""The covariance types, in one table.

In the orthonormal basis of the design the leverage of document g is a symmetric matrix ``G_g``
with eigenvalues in [0, 1]. Every type is ``Σ_g f(G_g) u_g u_g' f(G_g) · factor`` with
``f(λ) = (1 - λ)^(-power)``, and 0 where λ = 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import nan

import numpy as np

from ragstats.core.segments import Floats
from ragstats.exceptions import unknown_option

#: A leverage this close to 1 means that the document alone identifies a direction.
#: Leverages are of order 1 and carry an error of a few hundred eps, whatever the units of the data.
SINGULAR_LEVERAGE = 1e-11


@dataclass(frozen=True, slots=True)
class Adjustment:
    """One covariance type.

    Attributes
    ----------
    name : str
        As printed and as asked for.
    power : float
        The power of ``(1 - λ)⁻¹`` by which the residuals of a document are adjusted.
    factor : callable
        ``factor(K, N, p)``, the multiplier of the variance.
    description : str
        What the summary prints.
    source : str
        Where the type comes from, and which program's default it equals.
    """

    name: str
    power: float
    factor: Callable[[float, float, int], float]
    description: str
    source: str

    def __reduce__(self) -> tuple[Callable[[str], Adjustment], tuple[str]]:
        """Travel by name: functions of the table are not pickled."""
        return adjustment, (self.name,)


def _over(numerator: float, denominator: float) -> float:
    """Divide, with NaN where the factor is undefined (as many parameters as documents, or more)."""
    return numerator / denominator if denominator > 0 else nan


ADJUSTMENTS = {
    row.name: row
    for row in (
        Adjustment(
            "CR0", 0.0, lambda k, n, p: 1.0, "no correction", "Liang and Zeger (1986), eq. 8"
        ),
        Adjustment(
            "CR1", 0.0, lambda k, n, p: _over(k, k - 1), "K/(K-1)", "clubSandwich CR1; survey"
        ),
        Adjustment("CR1p", 0.0, lambda k, n, p: _over(k, k - p), "K/(K-p)", "clubSandwich CR1p"),
        Adjustment(
            "CR1S",
            0.0,
            lambda k, n, p: _over(k * (n - 1), (k - 1) * (n - p)),
            "K(N-1)/((K-1)(N-p))",
            "Stata; the default of statsmodels' cov_type='cluster'",
        ),
        Adjustment(
            "CR2",
            0.5,
            lambda k, n, p: 1.0,
            "bias-reduced linearization",
            "Bell and McCaffrey (2002), eq. 5",
        ),
        Adjustment(
            "CR3",
            1.0,
            lambda k, n, p: 1.0,
            "delete-one-document jackknife, centred at the estimate",
            "Bell and McCaffrey (2002), section 3; clubSandwich CR3",
        ),
    )
}

#: Names that other programs use, with what to say to who types them.
FOREIGN_NAMES = {
    "cluster": "statsmodels' cov_type='cluster' is 'CR1S' here",
    "cluster-crv3": "statsmodels' 'cluster-crv3' is 'CR3' here times sqrt((K-1)/K) in the SE",
    "cluster-jk": "its jackknife is centred at the mean of the delete-one fits, 'CR3' at the fit",
    "CRV1": "pyfixest's CRV1 is 'CR1S' here",
    "CRV3": "pyfixest's CRV3 is 'CR3' here times sqrt(K/(K-1)) in the SE",
    "HC2": "with one row per document 'CR2' is HC2",
    "HC3": "with one row per document 'CR3' is HC3",
}


def adjustment(name: str) -> Adjustment:
    """Return the row of the table, or raise the error that lists the names.

    Raises
    ------
    ValueError
        If the name is unknown; names of other programs are answered with ours.
    """
    if not isinstance(name, str):
        raise unknown_option("cov_type", name, ADJUSTMENTS)
    if name in ADJUSTMENTS:
        return ADJUSTMENTS[name]
    if name in FOREIGN_NAMES:
        listed = ", ".join(repr(n) for n in ADJUSTMENTS)
        raise ValueError(
            f"cov_type={name!r} is ambiguous: {FOREIGN_NAMES[name]}; use one of {listed}"
        )
    raise unknown_option("cov_type", name, ADJUSTMENTS)


@dataclass(frozen=True, slots=True)
class LeveragePower:
    """``f(G_g)`` for every document, and the directions that one document alone identifies.

    Attributes
    ----------
    values : ndarray (K, p, p)
        ``(I - G_g)^(-power)``, pseudo-inverse where an eigenvalue of ``G_g`` is 1.
    singular : dict of int to ndarray (p, k)
        For each document with leverage 1, an orthonormal basis of those directions.
    """

    values: Floats
    singular: dict[int, Floats]


def leverage_power(gram: Floats, power: float) -> LeveragePower:
    """Return ``(I - G)^(-power)`` for a batch of leverage matrices (K, p, p).

    A power series serves the documents whose leverages are tiny, an eigendecomposition the others.
    The trace bounds the largest eigenvalue, so it decides.
    """
    n_groups = len(gram)
    values = np.empty_like(gram)
    trace = np.einsum("kii->k", gram)
    singular: dict[int, Floats] = {}
    remaining = np.ones(n_groups, bool)
    for bound, degree in _SERIES:
        tier = remaining & (trace <= bound)
        if tier.any():
            whole = tier.all()
            block = _series(gram if whole else gram[tier], power, degree)
            if whole:
                return LeveragePower(block, singular)
            values[tier] = block
            remaining &= ~tier
    index = np.flatnonzero(remaining)
    if index.size:
        eigenvalues, vectors = np.linalg.eigh(gram[index])
        at_one = eigenvalues > 1 - SINGULAR_LEVERAGE
        root = np.where(at_one, 0.0, np.where(at_one, 1.0, 1 - eigenvalues) ** -power)
        values[index] = (vectors * root[:, None, :]) @ vectors.transpose(0, 2, 1)
        for row in np.flatnonzero(at_one.any(axis=1)):
            singular[int(index[row])] = vectors[row][:, at_one[row]]
    return LeveragePower(values, singular)


#: (largest trace, degree): the first neglected term, trace^(degree + 1), is below 1e-17.
_SERIES = ((1e-6, 2), (5e-5, 3), (1e-3, 5), (1e-2, 8))


def _series(gram: Floats, power: float, degree: int) -> Floats:
    """Return the binomial series of ``(I - G)^(-power)`` up to ``G^degree``, by Horner's rule."""
    coefficients = np.cumprod([1.0] + [(power + k) / (k + 1) for k in range(degree)])
    p = gram.shape[1]
    diagonal = np.arange(p)
    values = coefficients[degree] * gram
    for coefficient in coefficients[degree - 1 : 0 : -1]:
        values[:, diagonal, diagonal] += coefficient
        values = values @ gram
    values[:, diagonal, diagonal] += coefficients[0]
    return np.asarray(values)
