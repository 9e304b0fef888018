"""A fit as data and an R script that reproduces it with clubSandwich.

The columns of the design go to R as numbers, x1, x2, …: then no difference of factor coding, of
contrasts or of transformations can stand between the two programs, and any name or level is safe.
``columns.csv`` says which column is which term.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ragstats.exceptions import DataError

#: Files of a cross-check.
DATA, COLUMNS, SCRIPT, ANSWER, JOINT = "data.csv", "columns.csv", "check.R", "out.csv", "joint.csv"

#: Our df rules → clubSandwich's names of the t test and of the joint test.
R_TESTS = {
    "satterthwaite": ("Satterthwaite", "HTZ"),
    "K-1": ("naive-t", "Naive-F"),
    "K-p": ("naive-tp", "Naive-Fp"),
    "normal": ("z", "chi-sq"),
}

_R_FAMILIES = {
    "Binomial": "quasibinomial",
    "Poisson": "quasipoisson",
    "Gamma": "Gamma",
    "Gaussian": "gaussian",
    "InverseGaussian": "inverse.gaussian",
}
_R_LINKS = {
    "Logit": "logit",
    "Probit": "probit",
    "CLogLog": "cloglog",
    "Cauchy": "cauchit",
    "Log": "log",
    "Identity": "identity",
    "InversePower": "inverse",
    "Sqrt": "sqrt",
    "InverseSquared": "1/mu^2",
}


@dataclass(frozen=True, slots=True)
class RFit:
    """The parts of an R call."""

    frame: pd.DataFrame
    columns: pd.DataFrame
    call: str
    covariance: str
    notes: tuple[str, ...]
    again: tuple[str, ...] = ()


def to_clubsandwich(results: Any, directory: str | Path) -> Path:
    """Write data and an R script that reproduces a fit with clubSandwich.

    Parameters
    ----------
    results : OLSResults, WLSResults or GLMResults
        With their rows.
    directory : path
        Made when it is not there; ``data.csv``, ``columns.csv`` and ``check.R`` are written to it,
        and R writes ``out.csv`` and ``joint.csv`` beside them.

    Returns
    -------
    Path
        The script.

    Raises
    ------
    DataError
        If the rows were not kept, the df rule is one that clubSandwich does not have, or the
        family or link has no R name here.

    Examples
    --------
    >>> import tempfile, ragstats as rs
    >>> d = rs.datasets.load_eight_documents()
    >>> r = rs.ols("b ~ a", d, groups="doc").fit()
    >>> with tempfile.TemporaryDirectory() as there:
    ...     to_clubsandwich(r, there).name
    'check.R'
    """
    if results.model.exog is None:
        raise DataError(
            "results: a cross-check needs the rows, which were not kept; fit with rs.ols"
        )
    rule = results._inference.rule.name
    if rule not in R_TESTS:
        raise DataError(
            f"results: df={rule!r} is not offered by clubSandwich (for Imbens-Kolesár see the R"
            f" package dfadjust); refit with one of {', '.join(map(repr, R_TESTS))}"
        )
    fit = _fit(results)
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for stale in (ANSWER, JOINT):
        (directory / stale).unlink(missing_ok=True)
    fit.frame.to_csv(directory / DATA, index=False, float_format="%.17g")
    fit.columns.to_csv(directory / COLUMNS, index=False)
    path = directory / SCRIPT
    path.write_text(_script(results, fit, *R_TESTS[rule]), encoding="utf-8")
    return path


def _fit(results: Any) -> RFit:
    """Return the numbers and the R call of a fit."""
    model = results.model
    absorbed = getattr(model, "absorbed_rows", None)
    exog = np.asarray(model.data.orig_exog if absorbed is None else absorbed.exog, float)
    endog = np.asarray(model.data.orig_endog if absorbed is None else absorbed.endog, float)
    names = list(model.exog_names)
    if absorbed is not None:
        positions = model._design.columns
        exog = exog[:, positions]
    short = [f"x{j + 1}" for j in range(exog.shape[1])]
    frame = pd.DataFrame(exog, columns=short)
    frame.insert(0, "y", endog.ravel())
    frame.insert(1, "document", model._design.grouping.codes + 1)
    columns = pd.DataFrame({"column": short, "term": names})
    terms = " + ".join(["0", *short])
    if absorbed is not None:
        from ragstats.models.absorb import effect_codes

        for i, codes in enumerate(effect_codes(absorbed).values(), 1):
            frame[f"a{i}"] = codes + 1
            terms = terms.replace("0 + ", "", 1) if i == 1 else terms
            terms += f" + factor(a{i})"
    if hasattr(results, "family"):
        return _glm(results, frame, columns, terms)
    notes: list[str] = []
    if model._weights is None:
        return RFit(frame, columns, f"lm(y ~ {terms}, data = d)", "", tuple(notes))
    frame["w"] = model._weights
    inverse = results.working == "inverse_var"
    if inverse:
        notes.append(
            "The weights are inverse variances here (macro means too); clubSandwich's default for"
            " lm(weights=) is identity, which gives another SE and other df."
        )
    covariance = f", inverse_var = {'TRUE' if inverse else 'FALSE'}"
    return RFit(frame, columns, f"lm(y ~ {terms}, data = d, weights = w)", covariance, tuple(notes))


def _glm(results: Any, frame: pd.DataFrame, columns: pd.DataFrame, terms: str) -> RFit:
    model, family = results.model, results.family
    kind, link = type(family).__name__, type(family.link).__name__
    if kind not in _R_FAMILIES or link not in _R_LINKS:
        raise DataError(
            f"results: family {kind} with link {link} has no counterpart in the R script"
        )
    if model._has_freq_weights and (model.freq_weights != 1).any():
        repeats = np.asarray(model.freq_weights)
        if (repeats != np.round(repeats)).any():
            raise DataError(
                "results: freq_weights that are not whole numbers have no R counterpart"
            )
    arguments = ""
    if model._has_var_weights:
        frame["w"] = model.var_weights
        arguments += ", weights = w"
    if np.size(model._offset_exposure) > 1:
        frame["shift"] = model._offset_exposure
        arguments += ", offset = shift"
    if model._has_freq_weights:
        repeats = np.asarray(model.freq_weights).astype(int)
        frame = frame.loc[frame.index.repeat(repeats)]
    call = (
        f'glm(y ~ {terms}, data = d, family = {_R_FAMILIES[kind]}(link = "{_R_LINKS[link]}")'
        f"{arguments}, control = glm.control(epsilon = 1e-15, maxit = 200))"
    )
    # glm() keeps the weights of the step before the last; a second fit starts where it ended.
    again = (f"fit <- {call[:-1]}, start = coef(fit))",)
    return RFit(frame, columns, call, "", (), again)


def _script(results: Any, fit: RFit, test: str, joint: str) -> str:
    """Return the text of the R script."""
    cov_type = results._inference.adjustment.name
    p = len(fit.columns)
    constant = results.model.data.const_idx
    tested = [j + 1 for j in range(p) if j != constant]
    wanted = ", ".join(f'"x{j}"' for j in tested)
    lines = [
        "# Cross-check of a ragstats fit with R clubSandwich.",
        f"# Outcome: {_comment(results.model.endog_names)}. Terms: columns.csv.",
        *(f"# {note}" for note in fit.notes),
        '# install.packages("clubSandwich") if it is missing; run: Rscript check.R',
        "suppressMessages(library(clubSandwich))",
        f'd <- read.csv("{DATA}")',
        f"fit <- {fit.call}",
        *fit.again,
        f'V <- vcovCR(fit, cluster = d$document, type = "{cov_type}"{fit.covariance})',
        f'ct <- coef_test(fit, vcov = V, test = "{test}")',
        f'ci <- conf_int(fit, vcov = V, test = "{test}")',
        "pick <- function(a, ...) {",
        "  for (n in c(...)) if (!is.null(a[[n]])) return(a[[n]])",
        "  rep(NA, nrow(a))",
        "}",
        "rows <- names(coef(fit))[!is.na(coef(fit))]",
        f'keep <- match(paste0("x", seq_len({p})), rows)',
        "out <- data.frame(column = rows, estimate = ct$beta, se = ct$SE,",
        '  df = pick(ct, "df_Satt", "df_t", "df_tp", "df_z", "df"),',
        '  p = pick(ct, "p_Satt", "p_t", "p_tp", "p_z", "p_val"),',
        "  low = ci$CI_L, high = ci$CI_U)[keep, ]",
        "out[] <- lapply(out, function(v) if (is.numeric(v)) format(v, digits = 17) else v)",
        f'write.csv(out, "{ANSWER}", row.names = FALSE, quote = TRUE)',
    ]
    if len(tested) > 1 and cov_type == "CR2":
        lines += [
            f"R <- matrix(0, {len(tested)}, length(rows)); "
            f"for (i in seq_len({len(tested)})) R[i, match(c({wanted})[i], rows)] <- 1",
            f'w <- tryCatch(Wald_test(fit, constraints = R, vcov = V, test = "{joint}"),',
            "  error = function(e) NULL)  # a singular covariance: R stops, ragstats says why",
            "if (!is.null(w)) {",
            "joint <- data.frame(statistic = w$Fstat, df_num = w$df_num, df_denom = w$df_denom,"
            " p = w$p_val)",
            "joint[] <- lapply(joint, format, digits = 17)",
            f'write.csv(joint, "{JOINT}", row.names = FALSE)',
            "}",
        ]
    lines.append('cat("clubSandwich", as.character(packageVersion("clubSandwich")), "\\n")')
    return "\n".join(lines) + "\n"


def _comment(text: object) -> str:
    """Return a name on one line, safe inside a comment."""
    return str(text).replace("\n", " ").replace("\r", " ")
