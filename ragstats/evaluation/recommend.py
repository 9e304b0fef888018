"""Which interval: a recommendation from what the documents look like, with its evidence."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import numpy as np

from ragstats.evaluation.diagnostics import FEW_DF, MOSTLY_TIES, SKEWED, diagnose, near_bound
from ragstats.evaluation.evidence import (
    PAGES,
    TIED,
    TIES,
    covered_by_wild,
    near_a_bound,
    nearest_study,
    percent,
)
from ragstats.evaluation.means import MeanResults
from ragstats.evaluation.shown import WIDTH, wrapped

#: With at most this many documents the wild bootstrap is shown beside CR2.
FEW_DOCUMENTS = 12
#: Above this share of tied documents the share is said, and why t is kept.
MANY_TIES = 1 / 3


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A method, and why.

    Attributes
    ----------
    method : str
        A name for ``conf_int(method=…)``.
    beside : tuple of str
        Methods to show beside it.
    reasons : tuple of str
        What in the data led to it, with the evidence.
    cautions : tuple of str
        What it does not cure.
    check : str
        The call that tries it on the user's own corpus.
    """

    method: str
    beside: tuple[str, ...]
    reasons: tuple[str, ...]
    cautions: tuple[str, ...]
    check: str

    def __str__(self) -> str:
        lines = [
            f"method={self.method!r}"
            + (f", beside {', '.join(self.beside)}" if self.beside else "")
        ]
        lines += [f"because {reason}" for reason in self.reasons]
        lines += [f"but {caution}" for caution in self.cautions]
        call = textwrap.wrap(self.check, WIDTH - 2, subsequent_indent="  ")
        lines = [*wrapped(*lines), "check it on your own corpus:", *(f"  {line}" for line in call)]
        return "\n".join(lines)


def recommend(mean: MeanResults) -> Recommendation:
    """Recommend an interval for a mean, or for the mean of paired differences.

    The rules; what is said for them was found in studies that can be rerun
    (``ragstats.evaluation.evidence`` has the numbers), of samples of 20 and of 80 of the shipped
    pages, and of eight very unequal documents:

    * the t interval with CR2 and its df is the default, for micro and macro means;
    * with at most 12 documents, or ν below 4, the restricted wild cluster bootstrap goes beside it;
      it is no cure near a bound;
    * 0/1 scores whose 95 % t interval reaches a bound take Korn-Graubard;
    * tied differences are kept on t, where bootstraps by document cover less;
    * a bootstrap-t or percentile interval is never the recommendation.

    Parameters
    ----------
    mean : MeanResults
        Of scores, or of differences.

    Returns
    -------
    Recommendation

    References
    ----------
    Imbens and Kolesár (2016), REStat 98(4); Cameron, Gelbach and Miller (2008), REStat 90(3); Korn
    and Graubard (1998), Survey Methodology 24(2).

    Examples
    --------
    >>> import ragstats as rs
    >>> d = rs.datasets.load_eight_documents()
    >>> r = rs.recommend(rs.micro_mean("d", d, groups="doc"))
    >>> r.method, r.beside
    ('t', ('wild',))
    """
    if not isinstance(mean, MeanResults):
        raise TypeError(
            f"mean is a {type(mean).__name__}; give rs.micro_mean(…), rs.macro_mean(…) or one of"
            " the results of a comparison"
        )
    facts = diagnose(mean.documents)
    method, beside = "t", []
    reasons, cautions = [_of_pages(mean, facts.n_documents)], []
    if facts.n_documents <= FEW_DOCUMENTS or mean.df < FEW_DF:
        beside.append("wild")
        reasons.append(
            f"K = {facts.n_documents} and ν = {mean.df:.1f}: with eight very unequal documents the"
            f" restricted wild bootstrap covered {covered_by_wild()} away from a bound, and"
            f" {near_a_bound('wild')} for 0/1 scores of mean .92"
        )
    if _binary(mean) and near_bound(mean.estimate, mean.se, mean.df):
        method = "korn-graubard"
        reasons.append(
            f"the 0/1 mean {mean.estimate:.3f} is near a bound, where t covered"
            f" {near_a_bound('cr2')} and Korn-Graubard {near_a_bound('korn-graubard')}"
        )
    ties = _share_tied(mean)
    if ties > MANY_TIES:
        k = nearest_study(TIED, facts.n_documents)
        first, second = (f"{100 * share:.0f}" for share in TIES)
        reasons.append(
            f"{ties:.0%} of the documents are tied: where {first} and {second} % were, bootstraps"
            f" by document covered {percent(*TIED['bootstraps'][k])} with {k} pages, and t"
            f" {percent(*TIED['t'][k])}"
        )
    if ties > MOSTLY_TIES:
        cautions.append("the difference rests on the few documents that are not tied")
    if abs(facts.rates["skewness"]) > SKEWED:
        cautions.append("strong skewness between documents lowers the coverage of every method")
    check = (
        f"rs.simulate_coverage(mean.documents, documents={facts.n_documents},"
        f' estimand="{mean.estimand}", replace=True, methods="closed-form", replications=1000,'
        " seed=1)"
    )
    return Recommendation(method, tuple(beside), tuple(reasons), tuple(cautions), check)


def _of_pages(mean: MeanResults, n_documents: int) -> str:
    """Say what the t interval covered in samples of about as many of the shipped pages."""
    k = nearest_study(PAGES, n_documents)
    if mean.estimand == "macro":
        return (
            "the macro mean is a mean of K rates, for which t(K-1) covered"
            f" {percent(*PAGES['t(K-1)'][k])} in samples of {k} of the shipped pages"
        )
    return (
        f"CR2 with its own df covered {percent(*PAGES['CR2 t(df)'][k])} in samples of {k} of the"
        f" shipped pages, CR1 {percent(*PAGES['CR1 t(K-1)'][k])}"
    )


def _binary(mean: MeanResults) -> bool:
    table = mean.documents
    return bool(
        np.allclose(table.squares, table.totals, rtol=1e-9, atol=0)
        and (table.totals <= table.counts).all()
    )


def _share_tied(mean: MeanResults) -> float:
    """Return the share of differences that are 0; a score that is often 0 is not a tie."""
    table = mean.documents
    if (table.totals >= 0).all():
        return 0.0
    return float((np.abs(table.totals) <= 1e-12 * table.counts).mean())
