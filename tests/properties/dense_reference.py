"""The definitions written out with n×n and K×K matrices: slow, and independent of ragstats.

Bell and McCaffrey (2002) with Pustejovsky and Tipton's (2018) working model: with weights W and
working covariance Φ (both diagonal here), ``H = X M X'W``, ``M = (X'WX)⁻¹``, residuals e,
``v_g = A_g' W_g X_g M`` and ``V = Σ v_g'e_g e_g'v_g``.
"""

from dataclasses import dataclass

import numpy as np

COVARIANCE_TYPES = ("CR0", "CR1", "CR1p", "CR1S", "CR2", "CR3")


@dataclass(frozen=True)
class Dense:
    """A fit by definition."""

    coefficients: np.ndarray  # (p,)
    covariance: np.ndarray  # (p, p)
    directions: list  # per document, (I - H)' v_g: (N, p)
    phi: np.ndarray  # (N,)

    def working_covariance(self, c, d):
        """Return ``P^{cd}`` (K, K)."""
        left = np.array([direction @ c for direction in self.directions])
        right = np.array([direction @ d for direction in self.directions])
        return (left * self.phi) @ right.T

    def df(self, contrast):
        """Return the Satterthwaite df of a contrast (p,)."""
        working = self.working_covariance(contrast, contrast)
        return np.trace(working) ** 2 / np.sum(working**2)

    def eta(self, rows):
        """Return the df of the Wishart approximation for constraints (q, p)."""
        q = len(rows)
        omega = np.array([[np.trace(self.working_covariance(s, t)) for t in rows] for s in rows])
        values, vectors = np.linalg.eigh(omega)
        rows = vectors @ np.diag(values**-0.5) @ vectors.T @ rows
        total = 0.0
        for s in rows:
            for t in rows:
                crossed = self.working_covariance(s, t)
                first, second = self.working_covariance(s, s), self.working_covariance(t, t)
                total += np.sum(first * second) + np.sum(crossed * crossed.T)
        return q * (q + 1) / total

    def wald(self, rows):
        """Return the Wald statistic of ``rows @ coefficients = 0``."""
        gap = rows @ self.coefficients
        return gap @ np.linalg.solve(rows @ self.covariance @ rows.T, gap)


def symmetric_inverse_root(matrix):
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    kept = values > 1e-11 * values[-1]
    return (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T


def factor(cov_type, k, n, p):
    table = {"CR1": k / (k - 1), "CR1S": k * (n - 1) / ((k - 1) * (n - p))}
    if cov_type == "CR1p":
        return k / (k - p) if k > p else np.nan
    return table.get(cov_type, 1.0)


def dense_fit(design, outcome, groups, *, weights=None, working="inverse_var", cov_type="CR2"):
    """Fit by the definitions."""
    n, p = design.shape
    w = np.ones(n) if weights is None else np.asarray(weights, float)
    phi = np.ones(n) if working == "identity" else 1 / w
    bread = np.linalg.inv(design.T @ (w[:, None] * design))
    hat = design @ bread @ design.T * w
    maker = np.eye(n) - hat
    coefficients = bread @ design.T @ (w * outcome)
    residuals = outcome - design @ coefficients
    scores, directions = [], []
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        block = maker[rows]
        if cov_type == "CR2":
            root = np.sqrt(phi[rows])
            inner = root[:, None] * (block * phi @ block.T) * root
            adjusted = root[:, None] * symmetric_inverse_root(inner) * root
        elif cov_type == "CR3":
            adjusted = np.linalg.inv(block[:, rows])
        else:
            adjusted = np.eye(rows.size)
        v = adjusted.T @ (w[rows, None] * design[rows]) @ bread
        scores.append(v.T @ residuals[rows])
        directions.append(block.T @ v)
    scores = np.array(scores)
    scale = factor(cov_type, len(scores), n, p)
    return Dense(coefficients, scale * scores.T @ scores, directions, phi)
