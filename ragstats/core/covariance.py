"""The three routes from rows or moments to the contributions of the documents.

Whatever the working model, the inference needs four arrays (:class:`Contributions`), all in the
orthonormal basis of the weighted design, so that a contrast c of the coefficients becomes
``c @ transform``. With ``v_g = A_g' W_g X_g C``:

====================  =======================================================================
``score`` (K, p)      ``v_g' e_g``
``own`` (K, p, p)     working covariance of the fitted score with itself, ``v_g' Var(e_g) v_g``
``overlap`` (K,r,p)   ``X_g' v_g``, through which documents share the fit, with ``middle`` (r, r)
====================  =======================================================================

The working covariance P of the contributions to contrasts c and d is then ``c'own_g d`` for a
document with itself and ``-(overlap_g c)' middle (overlap_h d)`` for two, K×K and never formed.

The textbook's ``diag(a) - ζRζ'`` is the same, but as leverages near 1 its two terms grow like
``1/(1 - λ)`` and cancel; under CR2 ``own`` is known without them, because that is what CR2 is for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragstats.core.adjustment import (
    SINGULAR_LEVERAGE,
    Adjustment,
    leverage_power,
    singular_directions,
)
from ragstats.core.batched import apply, multiply
from ragstats.core.moments import ClusterMoments
from ragstats.core.rational import inverse_root_nodes
from ragstats.core.segments import Codes, Floats, Segments


@dataclass(frozen=True, slots=True)
class Contributions:
    """What each document contributes to the sandwich and to its degrees of freedom.

    Attributes
    ----------
    score : ndarray (K, p)
        Adjusted scores; the meat is ``score' score``.
    own : ndarray (K, p, p)
        Working covariance of each document's score with itself.
    overlap : ndarray (K, r, p)
        With ``middle``, the working covariance of two documents' scores.
    middle : ndarray (r, r)
        The identity for weights that are inverse variances.
    reference : ndarray (p, p)
        Working variance of the unadjusted scores, the scale of the variance of a contrast.
    heavy : ndarray of int
        Documents of high leverage, at most 4p, whose products are not taken from sums.
    transform : ndarray (p, p)
        ``C`` of the orthonormal basis; the bread is ``C C'``.
    factor : float
        Multiplier of the variance.
    singular : dict of int to ndarray (p, k)
        Documents with leverage 1, and the directions which they alone identify.
    """

    score: Floats
    own: Floats
    overlap: Floats
    middle: Floats
    reference: Floats
    heavy: np.ndarray
    transform: Floats
    factor: float
    singular: dict[int, Floats]

    @property
    def plain_middle(self) -> bool:
        """Whether ``middle`` is the identity: weights that are inverse variances."""
        return bool(self.middle.shape[0] == self.own.shape[1])

    def covariance(self) -> Floats:
        """Return the sandwich (p, p)."""
        rows = self.score @ self.transform.T
        return self.factor * (rows.T @ rows)


@dataclass(frozen=True, slots=True)
class WeightedProducts:
    """The further moments that identity working variance needs (route 2), orthonormal basis.

    Attributes
    ----------
    plain : ndarray (K, p, p)
        ``X_g' X_g``.
    squared : ndarray (K, p, p)
        ``X_g' W_g² X_g``.
    plain_cross : ndarray (K, p)
        ``X_g' e_g``.
    """

    plain: Floats
    squared: Floats
    plain_cross: Floats


def inverse_variance(moments: ClusterMoments, adjustment: Adjustment) -> Contributions:
    """Route 1: ``Φ = W⁻¹``, weights constant within documents (or no root needed).

    Every type is a function of the p×p leverages: Bell and McCaffrey (2002), eq. 5, in the form of
    the identity ``Q_g'(I - Q_g Q_g')^(-s) = (I - G_g)^(-s) Q_g'``.
    """
    gram = moments.gram
    if not adjustment.power:
        own = gram - multiply(gram, gram)
        return contributions(
            moments, adjustment, moments.cross, own, gram, singular_directions(gram)
        )
    adjusted = leverage_power(gram, adjustment.power)
    overlap = multiply(gram, adjusted.values)
    # (I-G)^(-s) G (I-G) (I-G)^(-s): G for the root, overlap for the inverse.
    own = _without(gram, adjusted.singular) if adjustment.power == 0.5 else overlap
    score = apply(adjusted.values, moments.cross)
    return contributions(moments, adjustment, score, own, overlap, adjusted.singular)


#: Documents whose leverages sum to more than this are heavy.
HEAVY = 0.25


def contributions(
    moments: ClusterMoments,
    adjustment: Adjustment,
    score: Floats,
    own: Floats,
    overlap: Floats,
    singular: dict[int, Floats],
    *,
    middle: Floats | None = None,
    reference: Floats | None = None,
) -> Contributions:
    """Put the arrays together; ``middle`` and ``reference`` are the identity by default."""
    identity = np.eye(moments.n_columns)
    return Contributions(
        score=score,
        own=own,
        overlap=overlap,
        middle=identity if middle is None else middle,
        reference=identity if reference is None else reference,
        heavy=np.flatnonzero(np.einsum("kii->k", moments.gram) > HEAVY),
        transform=moments.transform,
        factor=_factor(moments, adjustment),
        singular=singular,
    )


def _without(gram: Floats, singular: dict[int, Floats]) -> Floats:
    """Return the leverages without the directions that one document alone identifies."""
    if not singular:
        return gram
    left = gram.copy()
    for group, directions in singular.items():
        left[group] -= directions @ directions.T
    return left


def own_of_root(
    known: Floats, spread: Floats, overlap: Floats, middle: Floats, singular: dict[int, Floats]
) -> Floats:
    """Return ``own`` under CR2: as known, and by subtraction for documents with leverage 1.

    CR2's adjustment gives the residuals of a document their working variance back, so ``own`` is
    ``X_g' W_g Φ_g W_g X_g``; a pseudo-inverse root does so in part only.
    """
    if not singular:
        return known
    own = known.copy()
    for group in singular:
        own[group] = spread[group] - overlap[group].T @ middle @ overlap[group]
    return own


def identity_variance(
    moments: ClusterMoments, products: WeightedProducts, adjustment: Adjustment
) -> Contributions:
    """Route 2: ``Φ = I`` with any weights (sampling weights, working independence).

    ``(I-H)(I-H)'`` of a document is the identity plus a matrix of rank 2p in the span of
    ``Y_g = [X_g, W_g X_g]``, so its inverse root costs an eigendecomposition of size 2p.
    """
    p = moments.n_columns
    total = products.squared.sum(axis=0)
    identity = np.eye(p)
    middle = np.block([[-total, identity], [identity, np.zeros((p, p))]])
    gram = np.concatenate(
        [
            np.concatenate([products.plain, moments.gram], axis=2),
            np.concatenate([moments.gram, products.squared], axis=2),
        ],
        axis=1,
    )
    cross = np.concatenate([products.plain_cross, moments.cross], axis=1)
    if adjustment.name == "CR2":
        mixing, singular = _identity_root(gram, -middle), singular_directions(moments.gram)
    else:  # no root: v_g = W_g X_g f(G_g)
        adjusted = leverage_power(moments.gram, adjustment.power)
        mixing = np.concatenate([np.zeros_like(adjusted.values), adjusted.values], axis=1)
        singular = adjusted.singular
    overlap = gram @ mixing
    turned = mixing.transpose(0, 2, 1)
    spread = turned @ overlap
    if adjustment.name == "CR2":
        own = own_of_root(products.squared, spread, overlap, middle, singular)
    else:
        own = spread - overlap.transpose(0, 2, 1) @ middle @ overlap
    return contributions(
        moments, adjustment, apply(turned, cross), own, overlap, singular,
        middle=middle, reference=total,
    )  # fmt: skip


def _identity_root(gram: Floats, core: Floats) -> Floats:
    """Return T_g (K, 2p, p) with ``A_g W_g X_g = Y_g T_g``, A_g the inverse root of I + Y Q Y'."""
    p = core.shape[0] // 2
    eigenvalues, vectors = np.linalg.eigh(gram)
    floor = 8 * p * np.finfo(float).eps * eigenvalues[:, -1:]
    kept = eigenvalues > floor
    length = np.sqrt(np.where(kept, eigenvalues, 0.0))
    inverse_length = np.where(kept, 1 / np.where(kept, length, 1.0), 0.0)
    factor = vectors * length[:, None, :]  # L, with gram = L L'
    inner = factor.transpose(0, 2, 1) @ core @ factor
    size = np.maximum(1.0, np.abs(inner).max(axis=(1, 2), initial=0.0))
    values, directions = np.linalg.eigh(inner)
    positive = 1 + values > SINGULAR_LEVERAGE * size[:, None]
    root = np.where(positive, np.where(positive, 1 + values, 1.0) ** -0.5, 0.0) - 1
    change = (directions * root[:, None, :]) @ directions.transpose(0, 2, 1)
    mixing = (vectors * inverse_length[:, None, :]) @ change @ factor[:, p:, :].transpose(0, 2, 1)
    mixing[:, np.arange(p, 2 * p), np.arange(p)] += 1
    return np.asarray(mixing)


def varying_inverse_variance(
    rows: Floats,
    residuals: Floats,
    working_variance: Floats,
    codes: Codes,
    moments: ClusterMoments,
    adjustment: Adjustment,
) -> Contributions:
    """Route 3: ``Φ = W⁻¹`` with weights varying within documents, and every GLM; CR2 only.

    In whitened rows ``A_g`` needs the inverse root of ``B_g = D² - DQ(DQ)'``, D the working
    variances: diagonal minus rank p. A rational approximation turns it into p×p solves, whatever
    the size of the document.

    Parameters
    ----------
    rows : ndarray (N, p)
        ``Q``, the orthonormal basis.
    residuals : ndarray (N,)
        Whitened.
    working_variance : ndarray (N,)
        ``1/w`` of a single row (frequencies left out), of any scale.
    codes : ndarray of int (N,)
        Documents.
    moments, adjustment
        As in :func:`inverse_variance`.
    """
    n_groups = moments.n_groups
    largest = np.zeros(n_groups)
    np.maximum.at(largest, codes, working_variance)
    variance = working_variance / largest[codes]  # D B^(-1/2) does not see the scale of D
    singular = singular_directions(moments.gram)
    root = _diagonal_minus_gram_root(rows, variance, codes, moments.gram, singular)
    scaled = root * variance[:, None]
    segments = Segments(codes, n_groups)
    overlap = segments.cross(rows, scaled)
    spread = segments.gram(scaled) if singular else moments.gram
    own = own_of_root(moments.gram, spread, overlap, np.eye(moments.n_columns), singular)
    score = segments.cross(scaled, residuals)
    return contributions(moments, adjustment, score, own, overlap, singular)


def _diagonal_minus_gram_root(
    rows: Floats,
    variance: Floats,
    codes: Codes,
    gram: Floats,
    singular: dict[int, Floats],
) -> Floats:
    """Return ``B_g^(-1/2) Q_g`` (N, p), the pseudo-inverse where a leverage is 1."""
    n_groups, p, _ = gram.shape
    segments = Segments(codes, n_groups)
    null = _null_space(rows, variance, codes, singular)
    target = _project_out(rows, codes, null)
    smallest = np.ones(n_groups)
    np.minimum.at(smallest, codes, variance)
    shifts, slopes = inverse_root_nodes(1 / float((smallest**2 * _leverage_gap(gram)).min()))
    weighted = rows * variance[:, None]
    result = np.zeros_like(rows)
    identity = np.eye(p)
    for shift, slope in zip(shifts, slopes, strict=True):
        solve = 1 / (variance**2 + shift)
        solved = weighted * solve[:, None]
        inner = identity - segments.cross(weighted, solved)
        correction = np.linalg.solve(inner, segments.cross(solved, target))
        for j in range(p):
            result[:, j] += slope * (
                solve * target[:, j] + np.einsum("ni,ni->n", solved, correction[codes, :, j])
            )
    return _project_out(result, codes, null)


def _leverage_gap(gram: Floats) -> Floats:
    """Return 1 - λ for the largest leverage below 1 of each document, cheaply where it is small."""
    gap = 1 - np.einsum("kii->k", gram)
    close = np.flatnonzero(gap < 0.5)
    if close.size:
        eigenvalues = np.linalg.eigvalsh(gram[close])
        below = np.where(eigenvalues > 1 - SINGULAR_LEVERAGE, 0.0, eigenvalues)
        gap[close] = 1 - below.max(axis=1)
    return np.asarray(gap)


def _null_space(
    rows: Floats, variance: Floats, codes: Codes, singular: dict[int, Floats]
) -> dict[int, tuple[np.ndarray, Floats]]:
    """Return the rows and a basis of B's null space for each document with leverage 1."""
    null = {}
    for group, directions in singular.items():
        index = np.flatnonzero(codes == group)
        basis, _ = np.linalg.qr((rows[index] @ directions) / variance[index, None])
        null[group] = (index, basis)
    return null


def _project_out(
    values: Floats, codes: Codes, null: dict[int, tuple[np.ndarray, Floats]]
) -> Floats:
    """Remove the null space of each singular document."""
    if not null:
        return values
    projected = values.copy()
    for index, basis in null.values():
        projected[index] -= basis @ (basis.T @ values[index])
    return projected


def _factor(moments: ClusterMoments, adjustment: Adjustment) -> float:
    return adjustment.factor(moments.n_groups, moments.n_rows, moments.n_columns)
