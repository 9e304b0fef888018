"""Each thing that a report must say: change the input, and see it change in every rendering."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from report_cases import evaluation, report_of, stored, words

from ragstats.reporting.report import Report


@dataclass(frozen=True)
class Item:
    """One item of "what to report": two inputs, what is said of each, and where JSON has it."""

    before: Callable[[], Report]
    after: Callable[[], Report]
    said_before: str
    said_after: str
    place: tuple[Any, ...]


@lru_cache
def plain() -> Report:
    return report_of()


@lru_cache
def plain_words() -> dict[str, str]:
    return words(plain())


def without(document: str) -> pd.DataFrame:
    data = evaluation()
    return data[data["doc"] != document]


def missing(system: str, rows: int) -> pd.DataFrame:
    data = evaluation()
    chosen = data.index[data["system"] == system][:rows]
    data.loc[chosen, "hit"] = np.nan
    return data


def all_hits(document: str) -> pd.DataFrame:
    data = evaluation()
    data.loc[data["doc"] == document, "hit"] = 1.0
    return data


def shuffled() -> pd.DataFrame:
    """The same scores without any likeness within documents."""
    data = evaluation()
    rng = np.random.default_rng(8)
    for _, rows in data.groupby("system"):
        data.loc[rows.index, "hit"] = rng.permutation(rows["hit"].to_numpy())
    return data


def quantiles(values: np.ndarray, form: Callable[[float], str]) -> str:
    return " ".join(form(q) for q in np.quantile(values, [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]))


def alpha_documents(data: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes and the rates of the documents of the first system."""
    found = data[data["system"] == "alpha"].groupby("doc")["hit"]
    return found.size().to_numpy(float), found.mean().to_numpy()


def sizes_row(data: pd.DataFrame) -> str:
    n, _ = alpha_documents(data)
    points = quantiles(n, lambda q: f"{q:.0f}" if q == round(q) else f"{q:.1f}")
    return f"alpha {len(n)} {n.sum():.0f} {n.mean():.1f} {points}"


def rates_row(data: pd.DataFrame) -> str:
    _, rates = alpha_documents(data)
    points = quantiles(rates, lambda q: f"{q:.3f}")
    return f"alpha {(rates == 0).mean():.0%} {(rates == 1).mean():.0%} {points}"


def icc_row(data: pd.DataFrame) -> str:
    """The one-way ANOVA estimate, from the rows themselves."""
    rows = data[data["system"] == "alpha"]
    n, rates = alpha_documents(data)
    k, size = len(n), n.sum()
    between = (n * (rates - rows["hit"].mean()) ** 2).sum() / (k - 1)
    own = rows.groupby("doc")["hit"].transform("mean")
    within = ((rows["hit"] - own) ** 2).sum() / (size - k)
    typical = (size - (n**2).sum() / size) / (k - 1)
    icc = (between - within) / (between + (typical - 1) * within)
    effect = 1 + ((n**2).sum() / size - 1) * max(icc, 0)
    return f"alpha {icc:.3f} {effect:.2f} {size / effect:.0f}"


BOOTSTRAP = SimpleNamespace(
    replicates=np.linspace(0.2, 0.5, 500), estimate=0.35, low=0.21, high=0.49, method="bootstrap-t",
    label="alpha", estimand="macro", degenerate_fraction=0.125,
)  # fmt: skip

ITEMS = {
    "population": Item(
        plain,
        lambda: report_of(population="the manuals of 2024"),
        "not stated: which documents do these stand for?",
        "Population: The manuals of 2024.",
        ("study", "population"),
    ),
    "design: what was drawn": Item(
        plain,
        lambda: report_of(design="simple random sample"),
        "not stated: how were the documents drawn?",
        "Simple random sample.",
        ("study", "design"),
    ),
    "design: levels": Item(
        plain,
        lambda: report_of(levels="documents, then ten chunks of each"),
        "not stated: what was drawn at each level",
        "Documents, then ten chunks of each.",
        ("study", "levels"),
    ),
    "design: fraction stated": Item(
        plain,
        lambda: report_of(fraction=0.25),
        "not stated: how many documents are there in all?",
        "25.0% of the documents, as stated; the intervals do not use it",
        ("study", "fraction"),
    ),
    "design: fraction from M": Item(
        plain,
        lambda: report_of(population_size=56),
        "no correction: the documents are taken as few of very many",
        "14 of 56 documents (25.0%); variances are multiplied by 1 - K/M.",
        ("method", "finite_population_correction"),
    ),
    "estimand": Item(
        plain,
        lambda: report_of(estimand="macro"),
        "Which of them answers the question was not stated.",
        "the macro mean of hit, the mean score of a typical document.",
        ("study", "estimand"),
    ),
    "why that estimand": Item(
        plain,
        lambda: report_of(estimand="micro", why_estimand="users ask about chunks"),
        "not stated: why does that mean answer the question?",
        "Users ask about chunks.",
        ("study", "why_estimand"),
    ),
    "K": Item(
        plain,
        lambda: report_of(without("doc-03")),
        "14 documents, not from rows",
        "13 documents, not from rows",
        ("systems", 0, "documents"),
    ),
    "N and the sizes of the documents": Item(
        plain,
        lambda: report_of(without("doc-03")),
        sizes_row(evaluation()),
        sizes_row(without("doc-03")),
        ("systems", 0, "diagnostics", "sizes", "mean"),
    ),
    "interval method": Item(
        plain,
        lambda: report_of(cov_type="CR1", df="K-1"),
        "CR2 by document (bias-reduced linearization).",
        "CR1 by document (K/(K-1)).",
        ("method", "cov_type"),
    ),
    "level": Item(
        plain,
        lambda: report_of(alpha=0.1),
        "95% is nominal.",
        "90% is nominal.",
        ("method", "alpha"),
    ),
    "resampling unit": Item(
        plain,
        lambda: report_of(bootstrap=BOOTSTRAP),
        "the document, in any bootstrap; none was run for this report.",
        "the document: 500 replicates (bootstrap-t).",
        ("bootstrap",),
    ),
    "effective df": Item(
        lambda: report_of(estimand="micro"),
        lambda: report_of(estimand="micro", df="K-1"),
        "the rule satterthwaite",
        "the rule K-1",
        ("systems", 0, "means", "micro", "df"),
    ),
    "ICC": Item(
        plain,
        lambda: report_of(shuffled()),
        icc_row(evaluation()),
        icc_row(shuffled()),
        ("systems", 0, "diagnostics", "icc", "value"),
    ),
    "DEFF": Item(
        plain,
        lambda: report_of(shuffled()),
        icc_row(evaluation()),
        icc_row(shuffled()),
        ("systems", 0, "diagnostics", "design_effect", "value"),
    ),
    "documents at 1": Item(
        plain,
        lambda: report_of(all_hits("doc-00")),
        rates_row(evaluation()),
        rates_row(all_hits("doc-00")),
        ("systems", 0, "diagnostics", "share_one"),
    ),
    "distribution of the rates": Item(
        plain,
        lambda: report_of(all_hits("doc-00")),
        rates_row(evaluation()),
        rates_row(all_hits("doc-00")),
        ("systems", 0, "diagnostics", "rates"),
    ),
    "what is left out": Item(
        plain,
        lambda: report_of(left_out="judges change from week to week"),
        "The index is fixed: other documents in it would change the ranks.",
        "Judges change from week to week.",
        ("left_out",),
    ),
    "unscored share": Item(
        plain,
        lambda: report_of(missing("beta", 4), unmatched="pairwise"),
        "Unscored rows: none; every row has a score.",
        f"beta: 4 rows ({4 / len(evaluation()) * 3:.1%}) without a score.",
        ("systems", 1, "unscored_share"),
    ),
}


@pytest.mark.parametrize("name", ITEMS)
def test_an_item_changes_in_every_rendering(name: str) -> None:
    item = ITEMS[name]
    before, after = item.before(), item.after()
    for rendering, text in (plain_words() if before is plain() else words(before)).items():
        assert item.said_before in text, rendering
        assert item.said_after not in text, rendering
    for rendering, text in words(after).items():
        assert item.said_after in text, rendering
    assert at(stored(before), item.place) != at(stored(after), item.place)


def at(value: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        value = value[step]
    return value


def test_unscored_rows_bound_both_means() -> None:
    """All unscored 0, all unscored 1: computed here from the rows, shown in every rendering."""
    data = missing("beta", 4)
    rows = data[data["system"] == "beta"]
    report = report_of(data, unmatched="pairwise")
    bounds = stored(report)["systems"][1]["bounds"]
    said = words(report)
    for fill in (0, 1):
        filled = rows.assign(hit=rows["hit"].fillna(fill))
        micro = filled["hit"].mean()
        macro = filled.groupby("doc")["hit"].mean().mean()
        assert bounds["micro"][f"all_{fill}"] == pytest.approx(micro, rel=1e-13)
        assert bounds["macro"][f"all_{fill}"] == pytest.approx(macro, rel=1e-13)
        for text in said.values():
            assert f"{micro:.4f}" in text
            assert f"{macro:.4f}" in text


def test_a_document_without_a_scored_row_counts_in_the_bounds() -> None:
    data = evaluation()
    lost = (data["system"] == "beta") & (data["doc"] == "doc-00")
    data.loc[lost, "hit"] = np.nan
    bounds = stored(report_of(data, unmatched="pairwise"))["systems"][1]["bounds"]["macro"]
    beta = data[data["system"] == "beta"]
    for fill in (0, 1):
        expected = beta.assign(hit=beta["hit"].fillna(fill)).groupby("doc")["hit"].mean().mean()
        assert bounds[f"all_{fill}"] == pytest.approx(expected, rel=1e-13)


def test_scores_outside_0_and_1_have_no_such_bounds() -> None:
    data = missing("beta", 4)
    data["hit"] *= 5
    report = report_of(data, unmatched="pairwise")
    bounds = stored(report)["systems"][1]["bounds"]["micro"]
    assert bounds["all_0"] is None
    assert "run from 0 to 5" in bounds["reason"]
    for text in words(report).values():
        assert "No bounds of the means: beta: the scores run from 0 to 5" in text
        assert "if all were 1" not in text
        assert "at 0" not in text
        assert "n/a" not in text
    for text in words(report_of(missing("beta", 4), unmatched="pairwise")).values():
        assert "at 0 at 1 min" in text


def test_diagnostics_and_aggregates_are_put_in_their_place() -> None:
    for text in plain_words().values():
        assert "They are diagnostics and do not replace the computation by document" in text
        assert "They do not replace the row records" in text
    notes = " ".join(stored(plain())["notes"])
    assert "do not replace the computation by document" in notes
    assert "do not replace the records of rows" in notes


def test_the_hash_of_the_input_is_said_or_its_absence_is() -> None:
    given = report_of(source="scores.csv", sha256="ab" * 32)
    assert stored(given)["source"] == {"name": "scores.csv", "sha256": "ab" * 32, "reason": ""}
    absent = stored(plain())["source"]
    assert absent["sha256"] is None
    assert absent["reason"] == "the data did not come from a file"
    for text in words(given).values():
        assert "ab" * 32 in text


def test_what_is_not_stated_is_asked_for_by_name() -> None:
    names = ("population", "design", "levels", "fraction", "estimand", "why_estimand")
    assert tuple(stored(plain())["study"]["not_stated"]) == names
    full = report_of(
        population="p", design="d", levels="l", fraction=0.5, estimand="micro", why_estimand="w"
    )
    assert stored(full)["study"]["not_stated"] == {}
    for text in words(full).values():
        assert "not stated" not in text


def test_queries_of_one_system_are_counted() -> None:
    report = report_of(missing("beta", 4), unmatched="pairwise")
    for text in words(report).values():
        assert "Left out, answered by only one system: 4 queries of beta - alpha" in text
