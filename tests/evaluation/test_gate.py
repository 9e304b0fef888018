"""The gate: rules on interval limits."""

import pytest

import ragstats as rs
from ragstats.evaluation.gate import Verdict, check_gate, exit_status, parse_gate, read_gate

BASE = {
    "doc": "doc_id", "score": "hit_at_1", "system": "system", "query": "query_id",
    "estimand": "micro",
}  # fmt: skip


def gate(*rules, **changes):
    return parse_gate({**BASE, "rule": list(rules), **changes})


@pytest.fixture(scope="module")
def scores():
    return rs.datasets.load_retrieval(systems=["bm25", "tfidf"])


def test_limits_are_those_of_the_comparison(scores):
    rule = {"difference": ["tfidf", "bm25"], "lower_limit_at_least": -0.02}
    verdict = check_gate(gate(rule), scores)[0]
    row = rs.compare(scores, **BASE, baseline="bm25").differences.loc[("tfidf", "bm25")]
    assert (verdict.low, verdict.high) == pytest.approx(
        (row["low"], row["high"]), rel=1e-14
    )  # one rounding
    assert verdict.passed  # the lower limit is -0.0193
    assert exit_status([verdict]) == 0
    stricter = check_gate(gate({**rule, "lower_limit_at_least": -0.019}), scores)
    assert exit_status(stricter) == 1
    wider = check_gate(gate({**rule, "lower_limit_at_least": -0.0193}, level=0.99), scores)[0]
    assert wider.low < verdict.low


def test_means_and_several_requirements(scores):
    rule = {"mean": "bm25", "lower_limit_at_least": 0.15, "upper_limit_at_most": 0.169}
    verdicts = check_gate(gate(rule), scores)
    assert [v.passed for v in verdicts] == [True, False]  # the interval is [0.1532, 0.1693]
    assert exit_status(verdicts) == 1


def test_a_rule_that_cannot_be_answered_is_status_3():
    rule = gate({"mean": "bm25", "estimate_at_least": 0}).rules[0]
    answered = Verdict(rule, 0.2, 0.1, 0.3, True)
    unanswered = Verdict(rule, 0.2, float("nan"), float("nan"), None, "rests on 1 document")
    failed = Verdict(rule, -0.2, -0.3, -0.1, False)
    assert exit_status([answered]) == 0
    assert exit_status([answered, unanswered]) == 3
    assert exit_status([unanswered, failed]) == 1  # a failure is certain, whatever the other says


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rule": []}, r"at least one \[\[rule\]\]"),
        ({"scores": "x"}, "'scores' is not a key of a gate .did you mean 'score'"),
        ({"estimand": "mean"}, "estimand='mean' is unknown"),
        ({"level": 95}, "level=95: give the confidence level"),
        ({"rule": [{"lower_limit_at_least": 0.1}]}, "names neither mean"),
        ({"rule": [{"mean": "a"}]}, "requires nothing"),
        ({"rule": [{"mean": "a", "lower_limit": 0}]}, "'lower_limit' is unknown .did you mean"),
        (
            {"rule": [{"mean": "a", "estimate_at_least": "x"}]},
            "estimate_at_least='x' is not a number",
        ),
        ({"rule": [{"difference": ["a"], "estimate_at_least": 0}]}, r"give \[system, baseline\]"),
    ],
)
def test_a_wrong_gate_is_one_line(change, message):
    given = {**BASE, "rule": [{"mean": "a", "estimate_at_least": 0}], **change}
    with pytest.raises(ValueError, match=message) as caught:
        parse_gate(given)
    assert "\n" not in str(caught.value)


def test_files(tmp_path):
    path = tmp_path / "gate.toml"
    with pytest.raises(rs.DataError, match="is not a file"):
        read_gate(path)
    path.write_text("doc = [")
    with pytest.raises(rs.DataError, match="is not TOML"):
        read_gate(path)
    path.write_text(
        'doc = "d"\nscore = "s"\nestimand = "macro"\n[[rule]]\nlower_limit_at_least = 0.5\n'
    )
    assert read_gate(path).rules[0].bound == 0.5
