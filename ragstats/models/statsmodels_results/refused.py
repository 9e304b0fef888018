"""What a fit with documents as clusters does not offer, and what it takes from a plain fit.

Statistics of single rows are those of statsmodels' own fit of the same rows. Whatever would pass a
robust covariance, or rows that are not independent, through n-p degrees of freedom says no.
"""

from __future__ import annotations

from typing import Any, NoReturn

SMALLER_MODEL = (
    "compares sums of squares or likelihoods of independent rows, which documents are not; use"
    " wald_test on the coefficients that the smaller model leaves out"
)
SINGLE_ROWS = (
    "tests single rows as if all were independent; for the influence of documents compare fits"
    " without one, and for measures of single rows take get_influence()"
)
EMPIRICAL = (
    "is an empirical likelihood of independent rows, which documents are not; use t_test or"
    " conf_int"
)
SCORE = "takes the rows as independent; refit with the extra columns and use wald_test"
PENALTY = (
    "has no sandwich of this form: constrained and penalized estimates are not the maximum of their"
    " model; use fit()"
)
FROM_FORMULA = "does not know the documents; write rs.ols(formula, data, groups='doc_id')"
MARGINS = (
    "uses the normal distribution for every effect; average_marginal_effects() has the same"
    " averages with the df of each"
)


class Refused:
    """A method of statsmodels that these results do not have, with the reason and the way out."""

    def __init__(self, reason: str):
        self.reason = reason

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.__doc__ = f"Refused: it {self.reason}."

    def __get__(self, results: Any, owner: type | None = None) -> Any:
        """Return itself, which raises when it is called."""
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise."""
        raise NotImplementedError(f"{self.name} {self.reason}")


class OfRows:
    """A statistic of the rows, as statsmodels computes it; it says so when the rows are gone."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name
        self.__doc__ = f"{name} of the rows; see statsmodels."

    def __get__(self, results: Any, owner: type | None = None) -> Any:
        """Return the statistic, from the cache when it was computed before the rows went."""
        if results is None:
            return self
        if results._without_rows and self.name not in results._cache:
            raise ValueError(rows_gone(self.name))
        return getattr(super(self.owner, results), self.name)


class OfPlainFit:
    """A statistic of statsmodels' own fit of the same rows."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.__doc__ = f"{name} of statsmodels' own fit of the same rows, documents left aside."

    def __get__(self, results: Any, owner: type | None = None) -> Any:
        """Return the statistic or method of the plain fit."""
        if results is None:
            return self
        return getattr(plain_fit(results, self.name), self.name)


def plain_fit(results: Any, name: str) -> Any:
    """Return statsmodels' own fit of the same rows, with its own covariance.

    Raises
    ------
    ValueError
        If the rows are gone, or effects were absorbed.
    """
    if results._without_rows:
        raise ValueError(rows_gone(name))
    if results.absorbed:
        raise ValueError(
            f"{name}: the leverage of rows with absorbed effects ({', '.join(results.absorbed)}) is"
            " not known; put the effects into the formula"
        )
    if "_plain" not in results._cache:
        model = results.model.plain_model()
        results._cache["_plain"] = model.fit(**_start(results))
    return results._cache["_plain"]


def _start(results: Any) -> dict[str, Any]:
    """Start the iterations of a GLM where they end."""
    return {"start_params": results.params, "tol": 1e-12} if hasattr(results, "family") else {}


def rows_gone(name: str) -> str:
    """Return the error about a statistic of rows that are not there."""
    return (
        f"{name} needs the rows, and these results keep one row per document; fit with rs.ols,"
        " rs.wls or rs.glm, and do not remove the data, to have it"
    )
