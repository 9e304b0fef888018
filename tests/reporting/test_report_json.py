"""The JSON report: every number again from its aggregates, and nothing that does not follow."""

from __future__ import annotations

import json
import warnings
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from report_cases import COLUMNS, evaluation, report_of, stored
from scipy import stats

import ragstats as rs
from ragstats.exceptions import DataError
from ragstats.reporting.report import Report

# The formulas below sum the same numbers in another order than the package.
RELATIVE = 1e-12


def unscored() -> pd.DataFrame:
    data = evaluation()
    data.loc[data.index % 11 == 0, "hit"] = np.nan
    return data


def shipped() -> Report:
    scores = rs.datasets.load_retrieval()
    names = {"doc": "doc_id", "score": "hit_at_1", "system": "system", "query": "query_id"}
    return rs.report(scores, **names, baseline="bm25", estimand="micro")


_REPORTS = {
    "shipped": shipped,
    "small": report_of,
    "population": lambda: report_of(population_size=40),
    "pairwise": lambda: report_of(unscored(), unmatched="pairwise"),
    "level": lambda: report_of(alpha=0.2),
}
CASES = tuple(_REPORTS)


@lru_cache
def text_of(name: str) -> str:
    return _REPORTS[name]().to_json()


def case(name: str) -> dict[str, Any]:
    """Return the JSON of a case, a copy of its own."""
    loaded: dict[str, Any] = json.loads(text_of(name))
    return loaded


def close(given: float, expected: float) -> None:
    assert given == pytest.approx(expected, rel=RELATIVE, abs=1e-14)


def micro(n: np.ndarray, s: np.ndarray) -> tuple[float, float, float]:
    """The source's step 3: R, CR2, and the df from the K×K working covariance."""
    size, k = n.sum(), len(n)
    ratio = s.sum() / size
    u, h = s - ratio * n, n / size
    a = 1 / np.sqrt(1 - h)
    working = -np.outer(a * n, a * n) / size
    working[np.diag_indices(k)] += a**2 * n
    df = np.trace(working) ** 2 / np.sum(working * working)
    return ratio, float(np.sqrt(np.sum(u**2 / (1 - h))) / size), float(df)


def macro(n: np.ndarray, s: np.ndarray) -> tuple[float, float, float]:
    rates = s / n
    return float(rates.mean()), float(rates.std(ddof=1) / np.sqrt(len(n))), len(n) - 1.0


def check_estimate(given: dict[str, Any], table: dict[str, Any], rule: Any, about: Any) -> None:
    n, s = np.array(table["n"], float), np.array(table["s"], float)
    estimate, se, df = rule(n, s)
    size = about["study"]["population_size"]
    se *= np.sqrt(1 - len(n) / size) if size else 1.0
    half = stats.t.isf(about["method"]["alpha"] / 2, df) * se
    close(given["estimate"], estimate)
    close(given["se"], se)
    close(given["df"], df)
    close(given["low"], estimate - half)
    close(given["high"], estimate + half)
    assert given["documents"] == len(n)
    assert given["rows"] == n.sum()
    if "p" in given:
        close(given["p"], 2 * stats.t.sf(abs(estimate) / se, df))


@pytest.mark.parametrize("name", CASES)
def test_every_mean_and_difference_follows_from_the_aggregates(name: str) -> None:
    about = case(name)
    aggregates = about["aggregates"]
    for system, table in zip(about["systems"], aggregates["systems"], strict=True):
        assert system["name"] == table["name"]
        check_estimate(system["means"]["micro"], table, micro, about)
        check_estimate(system["means"]["macro"], table, macro, about)
    for pair, table in zip(about["pairs"], aggregates["pairs"], strict=True):
        assert (pair["system"], pair["baseline"]) == (table["system"], table["baseline"])
        check_estimate(pair["differences"]["micro"], table, micro, about)
        check_estimate(pair["differences"]["macro"], table, macro, about)


@pytest.mark.parametrize("name", CASES)
def test_the_cr1_errors_and_the_descriptions_follow_too(name: str) -> None:
    about = case(name)
    size = about["study"]["population_size"]
    for system, table in zip(about["systems"], about["aggregates"]["systems"], strict=True):
        n, s, ss = (np.array(table[c], float) for c in ("n", "s", "ss"))
        k, total = len(n), n.sum()
        remaining = 1 - k / size if size else 1.0
        u = s - s.sum() / total * n
        close(
            system["means_cr1"]["micro"]["se"],
            np.sqrt(remaining * k / (k - 1) * (u**2).sum()) / total,
        )
        close(system["means_cr1"]["macro"]["df"], k - 1)
        found = system["diagnostics"]
        close(found["share_zero"], (s == 0).mean())
        close(found["share_one"], (s == n).mean())
        close(found["sizes"]["median"], np.median(n))
        close(found["rates"]["q75"], np.quantile(s / n, 0.75))
        between = (n * (s / n - s.sum() / total) ** 2).sum() / (k - 1)
        within = (ss - s**2 / n).sum() / (total - k)
        typical = (total - (n**2).sum() / total) / (k - 1)
        icc = (between - within) / (between + (typical - 1) * within)
        assert found["icc"]["value"] == pytest.approx(icc, rel=1e-9)  # a difference of squares
        lost = sum(table["unscored"]["n"])
        assert system["unscored"] == lost
        close(system["unscored_share"], lost / (lost + total))
        if lost:
            bounds = system["bounds"]["micro"]
            close(bounds["all_0"], s.sum() / (total + lost))
            close(bounds["all_1"], (s.sum() + lost) / (total + lost))


def test_pairs_store_both_systems() -> None:
    """The correlation and the gain of pairing need the rates of both, on the paired queries."""
    about = stored(report_of(unscored(), unmatched="pairwise"))
    for pair, table in zip(about["pairs"], about["aggregates"]["pairs"], strict=True):
        n, left, right = (np.array(table[c], float) for c in ("n", "s_system", "s_baseline"))
        close(0.0, np.abs(left - right - np.array(table["s"], float)).max())
        ra, rb = left / n, right / n
        close(pair["diagnostics"]["correlation"]["value"], np.corrcoef(ra, rb)[0, 1])
        gain = (ra - rb).std(ddof=1) / np.hypot(ra.std(ddof=1), rb.std(ddof=1))
        close(pair["diagnostics"]["gain"]["value"], gain)
        close(pair["diagnostics"]["share_tied"], (np.abs(ra - rb) < 1e-12).mean())


@pytest.mark.parametrize("unmatched", ["error", "stacked"])
def test_the_report_has_the_numbers_of_compare(unmatched: str) -> None:
    data = evaluation()
    about = stored(report_of(data, unmatched=unmatched, baseline="beta"))
    for estimand in ("micro", "macro"):
        c = rs.compare(
            data, **COLUMNS, baseline="beta", estimand=estimand,
            unmatched=unmatched,
        )  # fmt: skip
        for pair in about["pairs"]:
            row = c.differences.loc[(pair["system"], pair["baseline"])]
            for name in ("estimate", "se", "df", "low", "high", "p"):
                close(pair["differences"][estimand][name], row[name])
        test = c.joint_test()
        for name, value in {"statistic": test.statistic, "p": test.pvalue}.items():
            assert about["joint"][estimand][name] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_a_report_read_back_is_the_same_in_every_rendering(name: str, tmp_path: Path) -> None:
    about = case(name)
    again = Report.from_json(about)
    assert json.loads(again.to_json()) == about
    path = tmp_path / "report.json"
    text = again.to_json(path)
    assert path.read_text(encoding="utf-8") == text
    second = Report.from_json(path)
    assert second.to_text() == again.to_text()
    assert second.to_markdown() == again.to_markdown()


def test_a_bootstrap_is_kept_and_read_back() -> None:
    drawn = SimpleNamespace(
        replicates=np.random.default_rng(1).normal(0.4, 0.1, 999), estimate=0.4, low=0.2,
        high=np.nan, method="bca", degenerate_fraction=0.01,
    )  # fmt: skip
    report = report_of(bootstrap={"alpha, macro": drawn})
    about = stored(report)["bootstrap"][0]
    assert about["high"] == {"value": None, "reason": "the bootstrap gave none"}
    assert sum(about["histogram"]["counts"]) == 999
    assert "alpha, macro" in report.to_text()
    assert Report.from_json(stored(report)).to_json() == report.to_json()


def test_the_layout_is_that_of_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    place = files("ragstats.reporting").joinpath("templates/report.schema.json")
    schema = json.loads(place.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    one_document = evaluation()
    one_document = one_document[
        (one_document["system"] != "gamma") | (one_document["doc"] == "doc-01")
    ]
    others = [
        stored(report_of(evaluation().assign(hit=1.0))),
        stored(report_of(df="normal")),
        stored(report_of(query=None)),
        stored(report_of(population_size=14)),
        stored(report_of(one_document, unmatched="pairwise")),
        stored(report_of(unscored().assign(hit=lambda d: d["hit"] * 3), unmatched="pairwise")),
    ]
    for about in [*map(case, CASES), *others]:
        errors = [f"{list(e.path)}: {e.message}" for e in validator.iter_errors(about)]
        assert errors == []
    broken = case("small")
    broken["systems"][0]["means"]["micro"]["se"] = None  # null without a reason
    assert list(validator.iter_errors(broken))


def test_the_schema_knows_every_part() -> None:
    """Without jsonschema, at least the names at the top."""
    place = files("ragstats.reporting").joinpath("templates/report.schema.json")
    schema = json.loads(place.read_text(encoding="utf-8"))
    about = case("small")
    assert set(schema["properties"]) == set(about) == set(schema["required"])
    assert schema["properties"]["schema"]["const"] == about["schema"] == "ragstats-report/1"


def changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    about = case("small")
    inner = about
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return about


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("schema",), "ragstats-report/9", "schema='ragstats-report/9'"),
        (("systems", 0, "means", "micro", "se"), 0.001, "systems[0].means.micro.se is 0.001"),
        (("pairs", 1, "differences", "macro", "low"), 0.0, "pairs[1].differences.macro.low"),
        (("joint", "micro", "p"), 0.5, "joint.micro.p is 0.5"),
        (("aggregates", "systems", 0, "s", 0), 3, "but the aggregates give"),
        (("aggregates", "documents", 1), "doc-00", "an id occurs twice"),
        (("aggregates", "systems", 0, "document", 0), 99, "not in aggregates.documents"),
        (("method",), {}, "the report lacks"),
        (("aggregates",), [], "is not of the layout"),
    ],
)
def test_numbers_that_do_not_follow_are_refused(
    path: tuple[Any, ...], value: Any, said: str
) -> None:
    with pytest.raises(DataError) as error:
        Report.from_json(changed(path, value))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("content", "said"), [("{", "is not JSON"), ("[1]", "holds a list")])
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        Report.from_json(path)
    with pytest.raises(DataError, match="cannot be read"):
        Report.from_json(tmp_path / "absent.json")


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.assign(doc=d["doc"].str[4:].astype(int)),
        lambda d: d.assign(doc=d["doc"].str[4:].astype(float) / 2),
        lambda d: d.assign(doc=d["doc"].astype("category"), system=d["system"].astype("category")),
        lambda d: d.convert_dtypes(dtype_backend="pyarrow"),
        lambda d: d.assign(hit=d["hit"] > 0.5),
    ],
    ids=["whole", "fraction", "categories", "arrow", "boolean"],
)
def test_ids_and_scores_of_any_type_come_back(change: Any) -> None:
    report = report_of(change(evaluation()))
    assert Report.from_json(stored(report)).to_json() == report.to_json()


def test_what_the_estimators_warn_of_is_in_the_report_instead() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = report_of(evaluation().assign(hit=1.0))
    about = stored(report)["systems"][0]
    assert about["means"]["micro"]["se"] == 0
    assert "the documents do not differ at all" in " ".join(about["warnings"])
    difference = stored(report)["pairs"][0]["differences"]["micro"]
    assert difference["p"] is None
    assert difference["reason"] == "the scores do not vary: SE 0 and no p-value"
