"""Values of the wrong kind for every option: one line that names the option, and no library's."""

import traceback

import numpy as np
import pandas as pd
import pytest
from result_cases import BOTH, ONE, bm25, comparison, table
from result_cases import scores as scores  # the fixture

import ragstats as rs

#: What no option takes.
WRONG = {
    "list": ["A", "A"],
    "dict": {"a": 1},
    "number": -2.5,
    "array": np.array([1.0, 2.0]),
    "Series": pd.Series([1, 2]),
    "frame": pd.DataFrame({"a": [1, 2]}),
    "bytes": b"x",
    "function": len,
}

#: Function → how it is called with one option changed, and the options.
CALLS = {
    "compare": (
        lambda d, **o: rs.compare(d, **{**BOTH, "estimand": "micro", **o}),
        "score system doc query estimand baseline systems unmatched covariates cov_type df population",
    ),
    "documents": (
        lambda d, **o: rs.documents(d, **{**ONE, **o}),
        "doc score by keep missing",
    ),
    "from_frame": (
        lambda d, **o: rs.DocumentTable.from_frame(table(d).frame, **{"doc": "doc_id", **o}),
        "doc by n s ss keep binary",
    ),
    "mean": (
        lambda d, **o: rs.micro_mean("rr", d, **{"groups": "doc_id", **o}),
        "groups cov_type df population missing",
    ),
    "mean of a table": (lambda d, **o: table(d).micro(**o), "system cov_type df population seed"),
    "bootstrap": (
        lambda d, **o: table(d).bootstrap(**{"estimand": "micro", "seed": 1, "n_boot": 9, **o}),
        "estimand seed n_boot method alpha strata n_jobs system level",
    ),
    "wild": (
        lambda d, **o: rs.wild_bootstrap(table(d).micro(), "Intercept = 0", **{"n_boot": 9, **o}),
        "scheme weights studentize alternative n_boot seed alpha n_jobs",
    ),
    "interval": (lambda d, **o: table(d).micro().interval(**o), "method alpha seed cap"),
    "conf_int": (lambda d, **o: table(d).micro().conf_int(**o), "method alpha n_boot"),
    "korn-graubard": (
        lambda d, **o: table(d).micro().interval("korn-graubard", **o),
        "alpha cap seed",
    ),
    "table": (lambda d, **o: comparison(d).table(**o), "alpha alternative multiplicity"),
    "equivalence": (
        lambda d, **o: comparison(d).equivalence(**{"margin": 0.1, **o}),
        "margin alpha",
    ),
    "pair": (
        lambda d, **o: comparison(d).diagnostics(**{"system": "tfidf", "baseline": "bm25", **o}),
        "system baseline",
    ),
    "scores": (
        lambda d, **o: rs.compare_scores(
            d, **{k: v for k, v in BOTH.items() if k != "score"}, **{"scores": ["rr"], **o},
            estimand="micro",
        ),
        "scores multiplicity score level",
    ),
    "coverage": (
        lambda d, **o: rs.simulate_coverage(
            bm25(d), **{**ONE, "documents": 9, "estimand": "micro", "replications": 2, **o}
        ),
        "documents estimand score doc replications methods design strata replace fpc alpha n_boot"
        " degenerate seed n_jobs",
    ),
    "plan": (
        lambda d, **o: rs.plan_documents(
            table(d), **{"halfwidth": 0.05, "estimand": "macro", **o}
        ),
        "estimand halfwidth documents power difference population alpha alternative df sd system",
    ),
    "ratio": (
        lambda d, **o: rs.ratio_mean(table(d), **o),
        "n s doc strata method lonely",
    ),
    "report": (
        lambda d, **o: rs.report(d, **{**BOTH, **o}),
        "doc score system query baseline systems unmatched estimand population_size fraction"
        " cov_type df alpha",
    ),
}  # fmt: skip
#: Options whose message speaks of what they are passed on as.
RENAMED = {("report", "population_size"), ("mean", "groups")}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize(
    ("call", "option"),
    [(name, option) for name, (_, options) in CALLS.items() for option in options.split()],
)
def test_a_value_of_the_wrong_kind_is_one_line(scores, call, option, kind):
    with pytest.raises((ValueError, TypeError)) as caught:
        CALLS[call][0](scores, **{option: WRONG[kind]})
    said = str(caught.value)
    assert "\n" not in said
    assert option in said or (call, option) in RENAMED
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert "/ragstats/" in last.filename
    assert str(last.line).startswith("raise ")


@pytest.mark.parametrize(
    ("call", "options", "message"),
    [
        ("compare", {"population": "x"}, "population='x': give the number of documents"),
        ("compare", {"population": np.nan}, "population=nan: give the number of documents"),
        ("compare", {"systems": ["bm25", "bm25"]}, "systems names 'bm25' twice"),
        ("compare", {"systems": "AB"}, "systems='AB': give a list of names of systems"),
        ("compare", {"systems": []}, "systems=[] is empty"),
        ("compare", {"score": ["rr"]}, "score is a list; give the name of one column"),
        ("compare", {"score": None}, "score is a NoneType; give the name of one column"),
        ("compare", {"covariates": 5}, "covariates=5: give terms of a formula"),
        ("compare", {"covariates": "nothere"}, "covariates='nothere': "),
        ("table", {"multiplicity": "bh"}, "multiplicity='bh' is unknown"),
        ("equivalence", {"margin": "x"}, "margin='x': give a number"),
        ("conf_int", {"alpha": "x"}, "alpha='x': give one minus the confidence level"),
        ("interval", {"seed": 1}, "seed= is not an option of method='t'; it has alpha"),
        ("scores", {"scores": ["rr", "rr"]}, "scores names 'rr' twice"),
        ("scores", {"scores": "rr"}, "scores='rr': give a list of columns"),
        ("mean of a table", {"seed": 1}, "seed= is not an option of the micro mean"),
        ("documents", {"keep": ["n"]}, "keep='n' is not a column"),
        ("report", {"query": "nothere", "system": None}, "query='nothere' is not a column"),
    ],
)
def test_what_is_said(scores, call, options, message):
    with pytest.raises((ValueError, TypeError)) as caught:
        CALLS[call][0](scores, **options)
    assert str(caught.value).startswith(message)
    assert "_ragstats" not in str(caught.value)


@pytest.mark.parametrize("name", ["n", "s", "ss"])
def test_columns_that_are_named_like_the_sums_are_refused(scores, name):
    rows = scores.rename(columns={"doc_id": name})
    message = f"doc='{name}': n, s and ss are counts and sums"
    for call in (
        lambda: rs.documents(rows, doc=name, score="rr"),
        lambda: rs.documents(iter([rows]), doc=name, score="rr"),
        lambda: rs.compare(rows, **{**BOTH, "doc": name}, estimand="micro"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
