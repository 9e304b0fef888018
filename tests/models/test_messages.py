"""Every wrong argument of a model is answered by one line: what came, and what would be right."""

import re

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

import ragstats as rs

SCORES = pd.DataFrame(
    {
        "score": [0.9, 0.8, 0.4, 0.5, 0.7, 0.2, 0.1, 0.3],
        "len": [3.0, 5, 2, 4, 6, 1, 2, 7],
        "doc": list("aabbccdd"),
        "system": list("xyxyxyxy"),
        "w": [1.0, 2, 1, 2, 1, 2, 1, 2],
    }
)
Y, X = SCORES["score"].to_numpy(), np.column_stack([np.ones(8), SCORES["len"]])


def ols(formula="score ~ len", data=SCORES, **options):
    return rs.ols(formula, data, **({"groups": "doc"} | options))


def wls(**options):
    return rs.wls("score ~ len", SCORES, **({"groups": "doc", "weights": "w"} | options))


def arrays(endog=Y, exog=X, **options):
    return rs.OLS(endog, exog, **({"groups": list("aabbccdd")} | options))


def logarithm_of(data):
    with np.errstate(divide="ignore"):
        return ols("score ~ np.log(len)", data)


def with_values(column, rows, value):
    changed = SCORES.astype({column: object}) if value is None else SCORES.copy()
    changed.loc[rows, column] = value
    return changed


TABLE = {
    # ---- groups ----
    "unknown column": (
        lambda: ols(groups="dok"),
        ValueError,
        "groups='dok' is not a column of the data (did you mean 'doc'?); columns: score, len, doc,"
        " system, w",
    ),
    "column named twice": (
        lambda: ols(data=pd.concat([SCORES, SCORES["doc"]], axis=1)),
        ValueError,
        "groups='doc' names 2 columns of the data",
    ),
    "two columns": (
        lambda: ols(groups=["doc", "system"]),
        ValueError,
        "groups=['doc', 'system'] names 2 columns, and one is needed: join them into one key if"
        " their combination is the sampling unit, or cluster by the coarser of the two",
    ),
    "frame of two columns": (
        lambda: ols(groups=SCORES[["doc", "system"]]),
        ValueError,
        "groups=['doc', 'system'] (shape (8, 2)) names 2 columns, and one is needed: join them into"
        " one key if their combination is the sampling unit, or cluster by the coarser of the two",
    ),
    "array of two columns": (
        lambda: ols(groups=np.zeros((8, 2))),
        ValueError,
        "groups=['column 0', 'column 1'] (shape (8, 2)) names 2 columns, and one is needed: join"
        " them into one key if their combination is the sampling unit, or cluster by the coarser of"
        " the two",
    ),
    "too short": (
        lambda: ols(groups=list("aabb")),
        ValueError,
        "groups has 4 values and the data have 8 rows; give one value per row, or a column name",
    ),
    "scalar": (
        lambda: ols(groups=3),
        TypeError,
        "groups=3 is neither a column name nor one value per row",
    ),
    "rows not in the index": (
        lambda: ols(groups=SCORES["doc"].iloc[:6]),
        ValueError,
        "groups: 2 of the 8 rows of the data are not in its index (length 6), for instance 6",
    ),
    "duplicate labels of the groups": (
        lambda: ols(groups=SCORES["doc"].set_axis([0, 0, *range(2, 8)])),
        ValueError,
        "groups: a Series is aligned by index, but its index has duplicates and the two differ;"
        " pass a column name, or an array of 8 values in row order",
    ),
    "duplicate labels of the data": (
        lambda: ols(data=SCORES.set_axis([0, 0, *range(2, 8)]), groups=SCORES["doc"]),
        ValueError,
        "groups: a Series is aligned by index, but the data's index has duplicates and the two"
        " differ; pass a column name, or an array of 8 values in row order",
    ),
    "missing id": (
        lambda: ols(data=with_values("doc", [2, 5], None)),
        rs.DataError,
        "groups: 2 missing document ids in 8 rows; drop those rows or give them their document (a"
        " missing id is not a document of its own)",
    ),
    "one document": (
        lambda: ols(groups=["a"] * 8),
        rs.DataError,
        "groups: 1 document, at least 2 needed (the variation between documents is what the"
        " standard error measures)",
    ),
    "a name for arrays": (
        lambda: arrays(groups="doc"),
        ValueError,
        "groups='doc' names a column, and the data are arrays without names; give one value per row",
    ),
    "no groups": (
        lambda: rs.ols("score ~ len", SCORES),
        TypeError,
        "groups is missing: the document of each row, as in rs.ols(formula, data, groups='doc_id')"
        " (a column's name, a Series or one value per row)",
    ),
    # ---- formula and data ----
    "misspelt covariate": (
        lambda: ols("score ~ lenn"),
        ValueError,
        "formula='score ~ lenn': Error evaluating factor: NameError: name 'lenn' is not defined"
        " (did you mean 'len'?); columns: score, len, doc, system, w",
    ),
    "text as the outcome": (
        lambda: ols("system ~ len"),
        ValueError,
        "formula: the outcome 'system' is text or categories; it must be numbers, or true and false",
    ),
    "two outcomes": (
        lambda: ols("score + w ~ len"),
        ValueError,
        "formula: the left side ['score', 'w'] has 2 columns; the outcome must be one column of"
        " numbers",
    ),
    "formula and data exchanged": (
        lambda: rs.ols(SCORES, "score ~ len", groups="doc"),
        TypeError,
        "formula is a DataFrame; give a string such as 'score ~ C(system)', and the data after it",
    ),
    "no rows": (lambda: ols(data=SCORES.iloc[:0]), rs.DataError, "data has no rows"),
    "no table": (
        lambda: ols(data=3),
        TypeError,
        "data is a int; give a pandas, polars or pyarrow table",
    ),
    "a path where rows are needed": (
        lambda: rs.compare("s/*.parquet", score="score", system="sys", doc="doc", estimand="micro"),
        TypeError,
        "data='s/*.parquet' is a path and no table: read the rows first (pd.read_parquet,"
        " rs.read_scores), or sum inside the files (rs.documents, rs.ols)",
    ),
    "infinite score": (
        lambda: ols(data=with_values("score", [1, 2], np.inf)),
        rs.DataError,
        "data: 2 infinite values in 'score'; scores and covariates must be finite (missing ones NaN)",
    ),
    "infinite covariate": (
        lambda: logarithm_of(with_values("len", [1], 0.0)),
        rs.DataError,
        "data: 1 infinite values in 'np.log(len)'; scores and covariates must be finite (missing"
        " ones NaN)",
    ),
    "missing rows that are not wanted": (
        lambda: ols(data=with_values("score", [1], np.nan), missing="raise"),
        rs.DataError,
        "data: 1 rows with missing score under missing='raise'",
    ),
    "only missing rows": (
        lambda: ols(data=with_values("score", range(8), np.nan)),
        rs.DataError,
        "data: none of the 8 rows is complete (8 rows with missing score)",
    ),
    "unknown missing": (
        lambda: ols(missing="dropp"),
        ValueError,
        "missing='dropp' is unknown (did you mean 'drop'?); use 'drop' or 'raise'",
    ),
    "lengths of arrays": (
        lambda: arrays(endog=Y[:5]),
        ValueError,
        "endog has 5 rows and exog has 8",
    ),
    "indexes of arrays": (
        lambda: arrays(SCORES["score"], SCORES[["len"]].set_axis(range(1, 9))),
        ValueError,
        "endog and exog have different indexes; align them first",
    ),
    "text in arrays": (
        lambda: arrays(exog=SCORES[["system"]]),
        TypeError,
        "exog: column 'system' of dtype str does not hold numbers",
    ),
    "three dimensions": (
        lambda: arrays(exog=np.ones((8, 1, 1))),
        ValueError,
        "exog has 3 dimensions; one or two are right",
    ),
    "missing arrays that are not wanted": (
        lambda: arrays(endog=np.where(Y == 0.9, np.nan, Y), missing="raise"),
        rs.DataError,
        "endog, exog: 1 rows with missing outcome under missing='raise'",
    ),
    # ---- weights and estimand ----
    "negative weights": (
        lambda: wls(weights=-SCORES["w"]),
        rs.DataError,
        "weights: 8 negative values; weights are ≥ 0",
    ),
    "missing weights": (
        lambda: wls(weights=[np.nan, *[1.0] * 7]),
        rs.DataError,
        "weights: 1 missing or infinite values in 8 rows",
    ),
    "weights of 0": (
        lambda: wls(weights=np.zeros(8)),
        rs.DataError,
        "weights: every row has weight 0",
    ),
    "no weights": (
        lambda: rs.WLS(Y, X, groups=list("aabbccdd")),
        ValueError,
        "weights is missing: give a column or one weight per row (or use rs.ols)",
    ),
    "unknown working model": (
        lambda: wls(working="inverse"),
        ValueError,
        "working='inverse' is unknown (did you mean 'inverse_var'?); use one of 'inverse_var',"
        " 'identity'",
    ),
    "unknown estimand": (
        lambda: ols(estimand="makro"),
        ValueError,
        "estimand='makro' is unknown (did you mean 'macro'?); use one of 'micro', 'macro'",
    ),
    "cells of the micro mean": (
        lambda: ols(by="system"),
        ValueError,
        "by= and unit= belong to estimand='macro'",
    ),
    "weights of the macro mean": (
        lambda: rs.WLS(Y, X, groups=list("aabbccdd"), weights=np.ones(8), estimand="macro"),
        ValueError,
        "weights= with estimand='macro': the macro estimand is itself a weighting, 1/n(document,"
        " by); give one of the two",
    ),
    "equal variances of the macro mean": (
        lambda: rs.WLS(Y, X, groups=list("aabbccdd"), working="identity", estimand="macro"),
        ValueError,
        "working='identity' with estimand='macro': macro weights are inverse variances here (then"
        " SE = sd(r)/√K); use rs.wls(weights=, working='identity') for the other",
    ),
    "missing cells": (
        lambda: ols(data=with_values("system", [3], None), estimand="macro", by="system"),
        rs.DataError,
        "by: 1 missing values in 8 rows",
    ),
    # ---- fit ----
    "misspelt covariance type": (
        lambda: ols().fit(cov_type="cr2"),
        ValueError,
        "cov_type='cr2' is unknown (did you mean 'CR2'?); use one of 'CR0', 'CR1', 'CR1p', 'CR1S',"
        " 'CR2', 'CR3'",
    ),
    "statsmodels' covariance type": (
        lambda: ols().fit(cov_type="cluster"),
        ValueError,
        "cov_type='cluster' is ambiguous: statsmodels' cov_type='cluster' is 'CR1S' here; use one"
        " of 'CR0', 'CR1', 'CR1p', 'CR1S', 'CR2', 'CR3'",
    ),
    "misspelt df": (
        lambda: ols().fit(df="satterthwait"),
        ValueError,
        "df='satterthwait' is unknown (did you mean 'satterthwaite'?); use one of 'satterthwaite',"
        " 'IK', 'K-1', 'K-p', 'normal'",
    ),
    "IK with weights": (
        lambda: wls().fit(df="IK"),
        ValueError,
        "df='IK' is defined for unweighted OLS; use df='satterthwaite' with weights, macro estimands"
        " and GLM",
    ),
    "groups given to fit": (
        lambda: ols().fit(groups="doc"),
        TypeError,
        "fit() got groups=: the documents belong to the model, as in"
        " rs.ols(formula, data, groups='doc_id').fit()",
    ),
    "statsmodels' groups given to fit": (
        lambda: ols().fit(cov_kwds={"groups": SCORES["doc"]}),
        TypeError,
        "fit() got cov_kwds=: the documents belong to the model, as in"
        " rs.ols(formula, data, groups='doc_id').fit()",
    ),
    "unknown option of fit": (
        lambda: ols().fit(covtype="CR2"),
        TypeError,
        "fit() has no argument covtype= (did you mean 'cov_type'?); it takes cov_type, df,"
        " rho_floor",
    ),
    # ---- results ----
    "unknown coefficient": (
        lambda: ols().fit().t_test("lenn = 0"),
        ValueError,
        "r_matrix='lenn = 0': unrecognized token in constraint; coefficients: Intercept, len",
    ),
    "columns of a contrast": (
        lambda: ols().fit().t_test([[1, 0, 0]]),
        ValueError,
        "r_matrix has shape (1, 3); it needs 2 columns, one a coefficient",
    ),
    "names of a contrast": (
        lambda: ols().fit().t_test(pd.DataFrame({"lenn": [1]})),
        ValueError,
        "r_matrix: column 'lenn' is not a coefficient: Intercept, len",
    ),
    "values of a contrast": (
        lambda: ols().fit().t_test((np.eye(2), [0, 1, 2])),
        ValueError,
        "r_matrix has 2 rows and 3 values to compare with",
    ),
    "missing contrast": (
        lambda: ols().fit().t_test([[np.nan, 1]]),
        ValueError,
        "r_matrix holds missing or infinite values",
    ),
    "contrast of nothing": (
        lambda: ols().fit().wald_test([[0, 0]]),
        ValueError,
        "r_matrix: row 0 is 0, so it constrains nothing",
    ),
    "unknown alternative": (
        lambda: ols().fit().t_test("len = 0", alternative="greater"),
        ValueError,
        "alternative='greater' is unknown; use one of 'two-sided', 'larger', 'smaller'",
    ),
    "unknown test": (
        lambda: ols().fit().wald_test("len = 0", test="HTZ"),
        ValueError,
        "test='HTZ' is unknown (did you mean 'AHT'?); use one of 'AHT', 'F', 'chi2'",
    ),
    "another covariance": (
        lambda: ols().fit().wald_test("len = 0", cov_p=np.eye(2)),
        ValueError,
        "cov_p= and invcov= are refused: the degrees of freedom belong to the covariance of this"
        " fit; refit with another cov_type",
    ),
    "normal t test": (
        lambda: ols().fit().t_test("len = 0", use_t=False),
        ValueError,
        "use_t=False: fit with df='normal' for the normal approximation",
    ),
    "level of confidence": (
        lambda: ols().fit().conf_int(alpha=95),
        ValueError,
        "alpha=95: give one minus the confidence level, between 0 and 1",
    ),
    "names of the coefficients": (
        lambda: ols().fit().summary(xname=["a"]),
        ValueError,
        "xname has 1 name for 2 coefficients",
    ),
    "family": (
        lambda: rs.glm("score ~ len", SCORES, groups="doc", family="binomial"),
        TypeError,
        "family='binomial' is not a statsmodels family, such as sm.families.Binomial()",
    ),
    "domain of the family": (
        lambda: rs.glm("len ~ w", SCORES, groups="doc", family=sm.families.Binomial()),
        rs.DataError,
        "endog: 7 values outside the domain of the Binomial family, for instance 3.0;"
        " they must be between 0 and 1",
    ),
}


@pytest.mark.parametrize("case", TABLE)
def test_one_line_says_what_came_and_what_would_be_right(case):
    call, kind, message = TABLE[case]
    with pytest.raises(kind, match=f"^{re.escape(message)}$"):
        call()
    assert "\n" not in message


@pytest.mark.parametrize(
    ("call", "refused"),
    [
        (lambda r: r.compare_f_test(r), "compare_f_test"),
        (lambda r: r.compare_lr_test(r), "compare_lr_test"),
        (lambda r: r.compare_lm_test(r), "compare_lm_test"),
    ],
    ids=["F", "LR", "LM"],
)
def test_comparisons_of_independent_rows_are_refused(call, refused):
    with pytest.raises(NotImplementedError, match=f"^{refused} .*wald_test"):
        call(ols().fit())
