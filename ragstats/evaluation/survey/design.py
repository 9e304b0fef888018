"""`SurveyDesign`: estimates from a sample with strata, finite populations and stages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import patsy

from ragstats.exceptions import DataError, plural, shown

from .assemble import assemble
from .columns import Bools, Floats, Labels, frame_of, names_of, numbers, optional_labels, scored
from .estimates import SurveyEstimate
from .glm import SurveyGLMResults, fit_glm
from .influence import ratio_influence, total_influence
from .plan import DesignFacts, build_plan


class SurveyDesign:
    """A sample of documents (and of chunks and queries in them) from a finite corpus.

    In R survey's terms: nested ids, strata, finite population corrections and weights; the
    variances are linearized (Taylor).

    Parameters
    ----------
    data : pandas.DataFrame
        One row per observation.
    ids : str or list of str
        Columns of the sampled units, from the first stage down: documents, chunks, queries.
        Labels are read within the stratum and within the unit above, so a chunk ``"1"`` of two
        documents is two chunks, and a document label that occurs in two strata is two
        documents; the latter is said in the notes of every result.
    strata : str or list of (str or None), optional
        Columns of the strata: of the first stage, or one for each stage (None: no strata).
    fpc : str or list of str, optional
        Columns of the finite population correction by stage, constant in each stratum: either
        sampling fractions (all in (0, 1]) or population sizes (all at least the number of
        sampled units; infinite allowed). The rule is applied to each stage on its own; a mix is
        an error. Stages below the last `fpc` count as fully enumerated. Without `fpc` the
        first stage counts as drawn with replacement and later ids add nothing.
    weights : str, optional
        Column of non-negative weights. By default the inverse of the sampling fractions of all
        stages, or 1 without `fpc`.
    lonely : {"error", "adjust", "certainty", "average", "remove"}
        What to do with a stratum of one sampled unit that is not all there is:
        ``"error"`` names it; ``"adjust"`` centres its unit at zero instead of at its own mean,
        which is conservative; ``"certainty"`` and ``"remove"`` let it add no variance (the two
        differ in what they say, not in numbers); ``"average"`` gives it the mean variance of
        the other strata (in the same unit above).

    Raises
    ------
    ValueError
        If a column is unknown, has missing labels, or does not describe a sample; if a stratum
        has one unit and ``lonely="error"``.
    TypeError
        If `data` is not a pandas frame or a column is not given by name.

    See Also
    --------
    ratio_mean : The same for a table of one row per document.

    Notes
    -----
    The degrees of freedom are first-stage units minus strata, counted over those with a row in
    the domain (Korn and Graubard's count, R's ``degf(subset(...))``); totals use the whole
    design, because a unit without scored rows adds a true 0 to them.

    Small-sample corrections of the CR2 and Satterthwaite type are not offered here: they are
    derived for sampled clusters of one population with a working model, and there is no general
    theory for strata, finite populations and stages. With few documents in a stratum the
    intervals are too short; simulate the coverage on your own corpus.

    References
    ----------
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed. Wiley. Sections 2.11 (ratios), 2.12
    (subpopulations), 5.4 (strata), 6.11 (combined ratio), 10.3 and 10.8 (two and three stages).

    Lumley, T. (2004). Analysis of complex survey samples. Journal of Statistical Software 9(8).

    Lumley, T. (2010). Complex Surveys: A Guide to Analysis Using R. Wiley.

    Examples
    --------
    Two of five small documents and both large ones were sampled:

    >>> import pandas as pd
    >>> from ragstats.evaluation.survey import SurveyDesign
    >>> data = pd.DataFrame({
    ...     "doc": ["a", "a", "b", "c", "c", "c", "d", "d"],
    ...     "size": ["small"] * 3 + ["large"] * 5,
    ...     "M": [5] * 3 + [2] * 5,
    ...     "hit": [1, 0, 1, 1, 0, 0, 1, 1],
    ... })
    >>> design = SurveyDesign(data, ids="doc", strata="size", fpc="M")
    >>> hit = design.mean("hit")
    >>> round(hit.estimate, 4), round(hit.se, 4), hit.df
    (0.64, 0.0991, 2.0)
    >>> design.weights.tolist()
    [2.5, 2.5, 2.5, 1.0, 1.0, 1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        data: pd.DataFrame,
        *,
        ids: str | Sequence[str],
        strata: str | Sequence[str | None] | None = None,
        fpc: str | Sequence[str] | None = None,
        weights: str | None = None,
        lonely: str = "error",
    ) -> None:
        self._data = frame_of(data)
        self._plan = build_plan(
            self._data, ids=ids, strata=strata, fpc=fpc, weights=weights, lonely=lonely
        )

    @property
    def weights(self) -> pd.Series:
        """Weight of each row, (n,): how many rows of the population it stands for."""
        return pd.Series(self._plan.weights, index=self._data.index, name="weight")

    @property
    def facts(self) -> DesignFacts:
        """Rows, units, strata and rules of the design."""
        return self._plan.facts

    @property
    def df(self) -> int:
        """Degrees of freedom of the whole design: first-stage units minus strata."""
        units, strata = self._plan.count(np.ones(len(self._data), bool))
        return units - strata

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know about the design."""
        return self._plan.notes

    def __repr__(self) -> str:
        facts = self.facts
        strata = plural(facts.n_strata, "stratum", "strata")
        stages = plural(len(self._plan.stages), "stage")
        units = f"{plural(facts.n_rows, 'row')}, {plural(facts.n_psus, 'unit')}"
        return f"<SurveyDesign: {units} of {facts.ids[0]!r}, {strata}, {stages} with variance>"

    def mean(self, y: str | Sequence[str], *, missing: str = "raise") -> SurveyEstimate:
        """Estimate population means over rows.

        Parameters
        ----------
        y : str or list of str
            Numeric columns. With several, a row counts when all of them are there.
        missing : {"raise", "drop"}
            ``"drop"`` estimates over the scored rows as a domain: all units stay in the design.

        Returns
        -------
        SurveyEstimate
            In the units of `y`. The weighted mean ``Σ w y / Σ w``: for documents stratified by
            size it is the combined ratio estimate of the micro mean.

        Raises
        ------
        ValueError
            If a column is unknown or not numeric, or rows are missing and may not be.

        Examples
        --------
        >>> import pandas as pd
        >>> from ragstats.evaluation.survey import SurveyDesign
        >>> data = pd.DataFrame({"doc": [1, 1, 2, 3], "hit": [1, 0, 1, 1]})
        >>> result = SurveyDesign(data, ids="doc").mean("hit")
        >>> result.estimate, result.df
        (0.75, 2.0)
        >>> result.conf_int().round(3).tolist()
        [-0.057, 1.557]
        """
        return self._ratio("mean", y, None, missing)

    def ratio(self, y: str | Sequence[str], x: str, *, missing: str = "raise") -> SurveyEstimate:
        """Estimate ratios of population totals, ``Σ w y / Σ w x``.

        Parameters
        ----------
        y : str or list of str
            Numeric columns of the numerators.
        x : str
            Numeric column of the denominator.
        missing : {"raise", "drop"}
            As in `mean`.

        Returns
        -------
        SurveyEstimate
            Named ``y/x``.

        Raises
        ------
        ValueError
            If a column is unknown or not numeric, or rows are missing and may not be.

        Examples
        --------
        One row per document, hits and queries:

        >>> import pandas as pd
        >>> from ragstats.evaluation.survey import SurveyDesign
        >>> table = pd.DataFrame({"doc": [1, 2, 3], "n": [2, 1, 1], "s": [1, 1, 1]})
        >>> result = SurveyDesign(table, ids="doc").ratio("s", "n")
        >>> result.names, result.estimate
        (('s/n',), 0.75)
        """
        return self._ratio("ratio", y, x, missing)

    def total(self, y: str | Sequence[str], *, missing: str = "raise") -> SurveyEstimate:
        """Estimate population totals, ``Σ w y``.

        Parameters
        ----------
        y : str or list of str
            Numeric columns.
        missing : {"raise", "drop"}
            ``"drop"`` gives the total over the scored rows: a missing row adds 0.

        Returns
        -------
        SurveyEstimate
            In the units of `y`. Without `fpc` or `weights` the weights are 1 and the total is
            that of the sample.

        Raises
        ------
        ValueError
            If a column is unknown or not numeric, or rows are missing and may not be.

        Examples
        --------
        >>> import pandas as pd
        >>> from ragstats.evaluation.survey import SurveyDesign
        >>> data = pd.DataFrame({"doc": [1, 1, 2, 3], "M": 9, "hit": [1, 1, 1, 0]})
        >>> SurveyDesign(data, ids="doc", fpc="M").total("hit").estimate
        9.0
        """
        names, columns = self._outcomes(y)
        used = scored(columns, missing)
        values = np.column_stack(list(columns.values()))
        influence = total_influence(tuple(names), values, used, self._plan.weights)
        dropped = int((~used).sum())
        note = ["a missing value adds 0 to a total"] if dropped else []
        kind = f"total of {', '.join(names)}"
        return assemble(kind, influence, self._plan, dropped=dropped, notes=note)

    def domain(self, by: str | Sequence[str], y: str, *, missing: str = "raise") -> SurveyEstimate:
        """Estimate the mean of each level of a column, with their joint covariance.

        Rows outside a level have an influence of 0 on it and stay in the design: units without
        a row of the level still count in its variance (Cochran 1977, section 2.12).

        Parameters
        ----------
        by : str or list of str
            Columns whose levels, or combinations of levels, are the domains. The levels of a
            combination are joined by ``":"``.
        y : str
            Numeric column.
        missing : {"raise", "drop"}
            As in `mean`, for `by` and `y`.

        Returns
        -------
        SurveyEstimate
            One estimate for each level, named by it. A level whose rows are all in one unit
            has NaN for its SE; a level without a scored row has NaN for its mean.

        Raises
        ------
        ValueError
            If a column is unknown or not numeric, or rows are missing and may not be.

        Examples
        --------
        >>> import pandas as pd
        >>> from ragstats.evaluation.survey import SurveyDesign
        >>> data = pd.DataFrame({
        ...     "doc": [1, 1, 2, 2, 3, 3], "system": list("ABABAB"), "hit": [1, 0, 1, 1, 0, 0]})
        >>> means = SurveyDesign(data, ids="doc").domain("system", "hit")
        >>> means.estimate.round(3).to_dict()
        {'A': 0.667, 'B': 0.333}
        >>> difference = means.contrast({"B": 1, "A": -1})
        >>> round(difference.estimate, 3), round(difference.se, 3), difference.df
        (-0.333, 0.333, 2.0)
        """
        if not isinstance(y, str):
            raise TypeError(f"y={shown(y)}: give one column name")
        levels = _levels(self._data, names_of("by", by))
        values = numbers(self._data, "y", y)
        placed = np.where(levels.codes < 0, np.nan, 0.0)
        used = scored({levels.name: placed, y: values}, missing)
        member = np.arange(len(levels.values)) == levels.codes[:, None]
        domain: Bools = member & used[:, None]
        names = tuple(v.item() if isinstance(v, np.generic) else v for v in levels.values)
        influence = ratio_influence(
            names, values[:, None], np.ones((len(values), 1)), domain, self._plan.weights
        )
        kind = f"mean of {y} by {levels.name}"
        return assemble(kind, influence, self._plan, dropped=int((~used).sum()))

    def glm(
        self, formula: str, family: Any | None = None, *, missing: str = "raise"
    ) -> SurveyGLMResults:
        """Fit a generalized linear model with the design's weights and linearized covariance.

        Parameters
        ----------
        formula : str
            A patsy formula over the columns of the data; names of the caller are seen.
        family : statsmodels family, optional
            Gaussian by default, for example ``statsmodels.api.families.Binomial()``.
        missing : {"raise", "drop"}
            ``"drop"`` fits over the complete rows as a domain: all units stay in the design.

        Returns
        -------
        SurveyGLMResults
            Coefficients with first-stage units − strata + 1 − p degrees of freedom.

        Raises
        ------
        ValueError
            If the formula cannot be read, columns are collinear, rows are missing and may not
            be, or the fit has no finite solution.

        Notes
        -----
        With weights w, working weights W and scores ``w_i (y_i − μ_i) μ'_i / V(μ_i) x_i``, the
        influence on the coefficients is the score times ``(X'WX)⁻¹`` (Binder 1983, with the
        expected information). The dispersion does not enter.

        References
        ----------
        Binder, D. A. (1983). On the variances of asymptotically normal estimators from complex
        surveys. International Statistical Review 51(3), 279–292.

        Examples
        --------
        >>> import pandas as pd
        >>> from ragstats.evaluation.survey import SurveyDesign
        >>> data = pd.DataFrame({
        ...     "doc": [1, 1, 2, 2, 3, 3], "system": list("ABABAB"), "hit": [1, 0, 1, 1, 0, 0]})
        >>> fit = SurveyDesign(data, ids="doc").glm("hit ~ system")
        >>> fit.params.round(3).to_dict()
        {'Intercept': 0.667, 'system[T.B]': -0.333}
        """
        caller = patsy.EvalEnvironment.capture(1)
        return fit_glm(self._data, self._plan, formula, family, missing, caller)

    def _outcomes(self, y: str | Sequence[str]) -> tuple[list[str], dict[str, Floats]]:
        """Return the names of one outcome or several, and their columns."""
        names = names_of("y", y)
        return names, {name: numbers(self._data, "y", name) for name in names}

    def _ratio(
        self, kind: str, y: str | Sequence[str], x: str | None, missing: str
    ) -> SurveyEstimate:
        names, columns = self._outcomes(y)
        top = np.column_stack(list(columns.values()))
        bottom: Floats = np.ones((len(self._data), 1))
        if x is not None:
            if not isinstance(x, str):
                raise TypeError(f"x={shown(x)}: give one column name")
            columns[x] = numbers(self._data, "x", x)
            bottom = columns[x][:, None]
            names = [f"{name}/{x}" for name in names]
        used = scored(columns, missing)
        domain = np.broadcast_to(used[:, None], top.shape)
        influence = ratio_influence(tuple(names), top, bottom, domain, self._plan.weights)
        title = f"{kind} of {', '.join(names)}"
        return assemble(title, influence, self._plan, dropped=int((~used).sum()))


def _levels(data: pd.DataFrame, by: list[str]) -> Labels:
    """Return the levels of one column, or of combinations joined by ':', in sorted order."""
    first, *others = (optional_labels(data, "by", name, sort=True) for name in by)
    for other in others:
        pairs = first.codes * len(other.values) + other.codes
        pairs = np.where((first.codes < 0) | (other.codes < 0), -1, pairs)
        found, codes = np.unique(pairs, return_inverse=True)
        seen = found[found >= 0]
        outer, inner = np.divmod(seen, len(other.values))
        names = [f"{first.values[a]}:{other.values[b]}" for a, b in zip(outer, inner, strict=True)]
        codes = np.asarray(codes, np.int64) - int((found < 0).sum())
        first = Labels(f"{first.name}:{other.name}", codes, pd.Index(names))
    if len(first.values) == 0:
        raise DataError(f"by={by!r} has no level: every row is missing")
    return first
