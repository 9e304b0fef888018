"""Statements that hold for every sample."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ragstats.evaluation.survey import SurveyDesign, ratio_mean

SCORES = st.integers(0, 64).map(lambda i: i / 64)
FEW = settings(max_examples=40, deadline=None)
RTOL = 1e-9  # of sums of at most a few hundred terms with cancellation


@st.composite
def samples(draw):
    """Documents in strata, chunks in documents, with population sizes."""
    rows = []
    doc = 0
    for stratum in range(draw(st.integers(1, 3))):
        k = draw(st.integers(2, 5))
        population = k + draw(st.integers(0, 20))
        for _ in range(k):
            doc += 1
            c = draw(st.integers(2, 4))
            chunks = c + draw(st.integers(0, 5))
            for chunk in range(c):
                rows += [
                    (doc, stratum, population, chunk, chunks, draw(SCORES))
                    for _ in range(draw(st.integers(1, 3)))
                ]
    data = pd.DataFrame(rows, columns=["doc", "h", "M", "chunk", "C", "y"])
    assume(data["y"].nunique() > 1)
    return data


@FEW
@given(samples())
@pytest.mark.filterwarnings("ignore:.*do not vary")
def test_mean_without_strata_is_cr1(data):
    table = data.groupby("doc")["y"].agg(["size", "sum"])
    k, n = len(table), len(data)
    mean = data["y"].mean()
    u = table["sum"] - mean * table["size"]
    result = SurveyDesign(data, ids="doc").mean("y")
    assert result.se == pytest.approx(np.sqrt(k / (k - 1) * (u**2).sum()) / n, rel=RTOL, abs=1e-14)
    assert result.df == k - 1
    other = ratio_mean(table, n="size", s="sum")
    assert other.se == pytest.approx(result.se, rel=RTOL, abs=1e-14)


@FEW
@given(samples())
@pytest.mark.filterwarnings("ignore:.*do not vary")
def test_two_stages_by_hand(data):
    """Section 7 of the design notes, with loops: û_d, s²_û, s²_e by document and stratum."""
    design = SurveyDesign(data, ids=["doc", "chunk"], strata="h", fpc=["M", "C"])
    result = design.mean("y")
    w = design.weights
    n_hat = w.sum()
    rate = (w * data["y"]).sum() / n_hat
    v = 0.0
    for _, stratum in data.groupby("h"):
        k, m = stratum["doc"].nunique(), stratum["M"].iloc[0]
        u_hat = []
        for _, d in stratum.groupby("doc"):
            e = (d["y"] - rate).groupby(d["chunk"]).sum()
            c, big_c = len(e), d["C"].iloc[0]
            u_hat.append(big_c / c * e.sum())
            v += m / k * big_c**2 * (1 - c / big_c) * e.var(ddof=1) / c
        v += m**2 * (1 - k / m) * np.var(u_hat, ddof=1) / k
    assert result.estimate == pytest.approx(rate, rel=RTOL)
    assert result.se == pytest.approx(np.sqrt(v) / n_hat, rel=RTOL, abs=1e-13)
    assert result.df == data["doc"].nunique() - data["h"].nunique()


@FEW
@given(samples(), st.randoms(use_true_random=False))
@pytest.mark.filterwarnings("ignore:.*do not vary")
def test_row_order(data, random):
    order = list(range(len(data)))
    random.shuffle(order)
    kwds = {"ids": ["doc", "chunk"], "strata": "h", "fpc": ["M", "C"]}
    a = SurveyDesign(data, **kwds).total("y")
    b = SurveyDesign(data.iloc[order], **kwds).total("y")
    assert b.estimate == pytest.approx(a.estimate, rel=RTOL)
    assert b.se == pytest.approx(a.se, rel=RTOL, abs=1e-10)


@FEW
@given(samples(), st.floats(1e-6, 1e6))
@pytest.mark.filterwarnings("ignore:.*do not vary")
def test_weight_scale(data, scale):
    data = data.assign(w=1.0 + data["chunk"], v=(1.0 + data["chunk"]) * scale)
    a, b = (SurveyDesign(data, ids="doc", strata="h", weights=w).mean("y") for w in ("w", "v"))
    assert b.estimate == pytest.approx(a.estimate, rel=RTOL)
    assert b.se == pytest.approx(a.se, rel=RTOL, abs=1e-13)


@FEW
@given(samples())
@pytest.mark.filterwarnings("ignore:.*do not vary")
def test_an_integer_weight_is_so_many_equal_rows(data):
    times = 1 + data["chunk"] % 3
    weighted = SurveyDesign(data.assign(w=times), ids="doc", strata="h", weights="w").mean("y")
    repeated = SurveyDesign(data.loc[data.index.repeat(times)], ids="doc", strata="h").mean("y")
    assert weighted.estimate == pytest.approx(repeated.estimate, rel=RTOL)
    assert weighted.se == pytest.approx(repeated.se, rel=RTOL, abs=1e-13)


@FEW
@given(samples())
@pytest.mark.filterwarnings("ignore:.*do not vary")
def test_domains_add_up_to_the_total(data):
    """Totals of two complementary domains and of everything: V is quadratic in z."""
    data = data.assign(a=data["y"] * (data["chunk"] == 0), b=data["y"] * (data["chunk"] != 0))
    design = SurveyDesign(data, ids=["doc", "chunk"], strata="h", fpc=["M", "C"])
    parts, whole = design.total(["a", "b"]), design.total("y")
    both = parts.contrast([1, 1])
    assert both.estimate == pytest.approx(whole.estimate, rel=RTOL)
    assert both.se == pytest.approx(whole.se, rel=1e-7, abs=1e-7)  # a and b may nearly cancel
