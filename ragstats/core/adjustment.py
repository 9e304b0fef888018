"""The covariance types, in one table.

In the orthonormal basis of the design the leverage of document g is a symmetric matrix ``G_g``
with eigenvalues in [0, 1]. Every type is ``Σ_g f(G_g) u_g u_g' f(G_g) · factor`` with
``f(λ) = (1 - λ)^(-power)``, and 0 where λ = 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import nan

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from ragstats.core.batched import multiply
from ragstats.core.segments import Floats, empty
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
    "CRV3": "pyfixest's CRV3 is 'CR3' here times sqrt(K(N-1)/((K-1)(N-p))) in the SE",
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

    A polynomial serves the documents whose leverages are small, an eigendecomposition the others.
    The trace bounds the largest eigenvalue, so it decides. Power 0 is the identity everywhere.
    """
    if not power:
        identity = np.broadcast_to(np.eye(gram.shape[1]), gram.shape)
        return LeveragePower(identity, singular_directions(gram))
    values = empty(*gram.shape)
    trace = np.einsum("kii->k", gram)
    exactly = []
    for start in range(0, len(gram), BLOCK):
        block = slice(start, start + BLOCK)
        bound, degree = _polynomial_for(trace[block])
        values[block] = _evaluate(_coefficients(power, bound, degree), gram[block])
        exactly.append(start + np.flatnonzero(~(trace[block] <= bound)))
    index = np.concatenate(exactly)
    if index.size:
        eigenvalues, vectors = np.linalg.eigh(gram[index])
        at_one = eigenvalues > 1 - SINGULAR_LEVERAGE
        root = np.where(at_one, 0.0, np.where(at_one, 1.0, 1 - eigenvalues) ** -power)
        values[index] = (vectors * root[:, None, :]) @ vectors.transpose(0, 2, 1)
    return LeveragePower(values, singular_directions(gram))


#: Documents at a time: their matrices stay in the cache of a core.
BLOCK = 4096
#: (largest trace, degree) of the polynomials: on [0, largest] the error is below 1e-15.
POLYNOMIALS = ((8e-6, 2), (1e-2, 5), (7e-2, 8))
#: A polynomial is good enough for a block when it leaves at most this share of it over.
LEFT_OVER = 0.02


def _polynomial_for(trace: Floats) -> tuple[float, int]:
    """Return the cheapest polynomial that serves nearly all documents, else the widest."""
    enough = (
        row for row in POLYNOMIALS if np.count_nonzero(trace > row[0]) <= LEFT_OVER * len(trace)
    )
    return next(enough, POLYNOMIALS[-1])


@lru_cache
def _coefficients(power: float, bound: float, degree: int) -> Floats:
    """Return the polynomial that interpolates ``(1 - λ)^(-power)`` at the Chebyshev points.

    What is interpolated is the difference to 1, whose rounding is small as the leverages are.
    """
    chebyshev = Chebyshev.interpolate(
        lambda x: np.expm1(-power * np.log1p(-x)), degree, domain=[0.0, bound]
    )
    coefficients = np.array(chebyshev.convert(kind=Polynomial).coef, float)
    coefficients[0] += 1.0
    return coefficients


def _evaluate(coefficients: Floats, gram: Floats) -> Floats:
    """Evaluate a polynomial of degree 2, 5, 8, … at K matrices.

    In groups of three terms with Horner's rule in ``G³`` (Paterson and Stockmeyer, 1973), which
    takes half the products.
    """
    square = multiply(gram, gram)
    cube = multiply(square, gram) if len(coefficients) > 3 else square
    work, group, value = (np.empty_like(square) for _ in range(3))
    for low in range(len(coefficients) - 3, -1, -3):
        constant, linear, quadratic = coefficients[low : low + 3]
        np.multiply(square, quadratic, out=group)
        group += np.multiply(gram, linear, out=work)
        np.einsum("kii->ki", group)[...] += constant
        if low + 3 < len(coefficients):
            group += multiply(value, cube, out=work)
        value, group = group, value
    return value


def singular_directions(gram: Floats) -> dict[int, Floats]:
    """Return the documents with leverage 1 and the directions which they alone identify."""
    singular = {}
    candidates = np.flatnonzero(np.einsum("kii->k", gram) > 1 - SINGULAR_LEVERAGE)
    if candidates.size:
        eigenvalues, vectors = np.linalg.eigh(gram[candidates])
        for row in np.flatnonzero(eigenvalues[:, -1] > 1 - SINGULAR_LEVERAGE):
            at_one = eigenvalues[row] > 1 - SINGULAR_LEVERAGE
            singular[int(candidates[row])] = vectors[row][:, at_one]
    return singular
