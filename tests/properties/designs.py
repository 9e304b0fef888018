"""Small random designs for the properties."""

from dataclasses import dataclass

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import ragstats as rs

#: Weights and what they mean: the three routes of ragstats, and plain OLS.
ROUTES = ("ols", "constant", "identity", "varying")


@dataclass(frozen=True)
class Sample:
    """Rows of documents, with a design of full rank in which no document has leverage 1."""

    design: np.ndarray
    outcome: np.ndarray
    groups: np.ndarray
    weights: np.ndarray | None
    working: str

    def take(self, rows):
        weights = None if self.weights is None else self.weights[rows]
        return Sample(
            self.design[rows], self.outcome[rows], self.groups[rows], weights, self.working
        )

    @property
    def model(self):
        """The model in ragstats."""
        if self.weights is None:
            return rs.OLS(self.outcome, self.design, groups=self.groups)
        return rs.WLS(
            self.outcome,
            self.design,
            groups=self.groups,
            weights=self.weights,
            working=self.working,
        )

    def fit(self, cov_type="CR2", df="satterthwaite"):
        return self.model.fit(cov_type=cov_type, df=df)


def is_regular(sample):
    """Whether the design has full rank and every document a leverage below 1."""
    design, groups = sample.design, sample.groups
    if len(design) <= design.shape[1] or np.linalg.cond(design) > 1e3:
        return False
    root = 1.0 if sample.weights is None else np.sqrt(sample.weights)[:, None]
    basis, _ = np.linalg.qr(design * root)
    grams = (basis[groups == g].T @ basis[groups == g] for g in np.unique(groups))
    return max(np.linalg.eigvalsh(gram)[-1] for gram in grams) < 0.999


def random_weights(rng, route, groups):
    if route == "ols":
        return None
    if route == "constant":
        return rng.uniform(0.2, 5, groups.max() + 1)[groups]
    return np.exp(rng.normal(0, 1, groups.size))


@st.composite
def samples(draw, routes=ROUTES, columns=3, min_docs=4):
    """Draw a sample: the intercept, row-level, binary and document-level columns."""
    p = draw(st.integers(1, columns))
    sizes = draw(st.lists(st.integers(1, 6), min_size=max(min_docs, p + 2), max_size=10))
    route = draw(st.sampled_from(routes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    groups = np.repeat(np.arange(len(sizes)), sizes)
    kinds = [
        rng.normal(size=groups.size),
        rng.integers(0, 2, groups.size).astype(float),
        rng.normal(size=len(sizes))[groups],
    ]
    design = np.column_stack([np.ones(groups.size), *(kinds[i] for i in rng.permutation(3))])[:, :p]
    weights = random_weights(rng, route, groups)
    outcome = rng.normal(size=groups.size) + rng.normal(size=len(sizes))[groups]
    order = rng.permutation(groups.size)
    working = "identity" if route == "identity" else "inverse_var"
    sample = Sample(design, outcome, groups, weights, working).take(order)
    assume(is_regular(sample))
    return sample
