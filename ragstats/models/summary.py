"""The tables of a fit: coefficients with the df of each, and what was estimated from what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.iolib.summary import Summary
from statsmodels.iolib.summary2 import Summary as Summary2
from statsmodels.iolib.table import SimpleTable
from statsmodels.iolib.tableformatting import fmt_2cols, fmt_params

from ragstats.core.working import WORKING_MODELS
from ragstats.exceptions import plural


def header(results: Any) -> list[tuple[str, str]]:
    """Return what a reader must know before the coefficients, as label and text."""
    design, inference = results.model._design, results._inference
    k = inference.moments.n_groups
    rows = [
        ("Dep. Variable", _outcome(results.model.endog_names)),
        ("Model", results.model.model_name),
        ("Estimand", _estimand(results)),
        ("Documents (K)", f"{k}"),
        ("Rows (N)", f"{inference.moments.n_rows:g}"),
        ("Rows dropped", f"{results.n_dropped} of {design.n_given}"),
        ("Groups", design.grouping.name),
        ("Covariance type", inference.adjustment.name),
        ("df", inference.rule.name),
        ("Working model", _short_working_model(results)),
    ]
    if results.absorbed:
        rows.append(("Absorbed", ", ".join(results.absorbed)))
    return rows


def _whose(inference: Any) -> str:
    """Say that each contrast has its own df, under the rules where it has."""
    return (
        "; each coefficient has its own" if inference.rule.name in ("satterthwaite", "IK") else ""
    )


def _outcome(names: Any) -> str:
    """Return the outcome's name, or those of successes and failures."""
    return str(names) if isinstance(names, str) else " + ".join(map(str, names))


def notes(results: Any) -> list[str]:
    """Return the sentences under the table."""
    inference, design = results._inference, results.model._design
    adjustment = inference.adjustment
    said = [
        f"Standard errors are clustered by {design.grouping.name!r}: {adjustment.name}"
        f" ({adjustment.description}).",
        f"Degrees of freedom: {inference.rule.description}{_whose(inference)}.",
        f"Working model: {_working_model(results)}.",
    ]
    outcome = _outcome(results.model.endog_names)
    if outcome != _cut(outcome):
        said.insert(0, f"Outcome: {outcome}.")
    if hasattr(results, "computed_by"):
        said.append(f"Computed by {results.computed_by}.")
    said += [f"{plural(n, 'row')} dropped: {reason}." for reason, n in design.dropped.items()]
    if design.aliased:
        said.append(f"Dropped as combinations of earlier columns: {', '.join(design.aliased)}.")
    said += [f"{name}: NaN, because it {reason}." for name, reason in results.reasons.items()]
    return said + [f"{remark[0].upper()}{remark[1:]}." for remark in results.remarks]


def _estimand(results: Any) -> str:
    """Name the mean of the header; rows with weights of their own are neither micro nor macro."""
    return "weighted" if results.weighted and results.estimand == "micro" else results.estimand


def _short_working_model(results: Any) -> str:
    """Name the working model in the header."""
    if hasattr(results, "family"):
        return type(results.family).__name__
    return results.working if results.weighted else "independence"


def _working_model(results: Any) -> str:
    """Say what CR2 and the df take the errors to be."""
    if hasattr(results, "family"):
        return f"independent errors with the variance function of {type(results.family).__name__}"
    if results.weighted:
        return WORKING_MODELS[results.working]
    return "independent errors of equal variance"


def coefficient_table(results: Any, alpha: float) -> pd.DataFrame:
    """Return estimate, SE, t, df, p and interval of each coefficient."""
    interval = np.asarray(results.conf_int(alpha))
    return pd.DataFrame(
        {
            "coef": np.asarray(results.params),
            "std err": np.asarray(results.bse),
            "t": np.asarray(results.tvalues),
            "df": np.asarray(results.df_inference),
            "P>|t|": np.asarray(results.pvalues),
            **dict(zip(_limits(alpha), interval.T, strict=True)),
        },
        index=list(results.model.exog_names),
    )


def _limits(alpha: float) -> list[str]:
    """Return the headers of an interval's limits."""
    return [f"[{alpha / 2:.4g}", f"{1 - alpha / 2:.4g}]"]


def summary(
    results: Any, *, yname: str | None, xname: list[str] | None, title: str | None, alpha: float
) -> Summary:
    """Return statsmodels' Summary, at most 80 columns wide for short names."""
    table = coefficient_table(results, alpha)
    names, head = _names(table, xname), _head(results, yname)
    parameters, whole = _parameters(table, names)
    smry = Summary()
    smry.tables.append(_two_columns(head, title or f"{results.model.model_name} by document"))
    smry.tables.append(parameters)
    smry.add_extra_txt(list(_wrapped([*whole, *notes(results)])))
    return smry


def contrast_summary(
    frame: pd.DataFrame, *, alpha: float, title: str | None, reason: str
) -> Summary:
    """Return the table of contrasts, each with its own df, in at most 80 columns.

    Parameters
    ----------
    frame : DataFrame (q, 7)
        Estimate, SE, t, df, p and interval of each contrast.
    alpha : float
        One minus the level of the intervals.
    title : str, optional
        What stands above the table.
    reason : str
        Why a statistic is NaN; empty otherwise.
    """
    names = list(map(str, frame.index))
    frame = frame.set_axis([*frame.columns[:5], *_limits(alpha)], axis=1)
    table, whole = _parameters(frame, names, title or "Contrasts by document")
    smry = Summary()
    smry.tables.append(table)
    smry.add_extra_txt(list(_wrapped([*whole, *([f"NaN: {reason}."] if reason else [])])))
    return smry


def _two_columns(head: list[tuple[str, str]], title: str) -> SimpleTable:
    """Set the header in two columns of label and value."""
    half = (len(head) + 1) // 2
    padded = [*head, *[("", "")] * (2 * half - len(head))]
    rows = [
        (f"{left}:", _cut(value), f"{right}:" if right else "", _cut(other))
        for (left, value), (right, other) in zip(padded[:half], padded[half:], strict=True)
    ]
    formats = dict(fmt_2cols)
    formats["colsep"] = "  "
    formats["data_fmts"] = ["%s", "%s", "%s", "%s"]
    formats["colwidths"] = [17, 20, 17, 20]
    formats["data_aligns"] = "lrlr"
    return SimpleTable(rows, title=title, txt_fmt=formats)


def _cut(value: str, width: int = 20) -> str:
    """Shorten what is too long for the header; the notes have it whole."""
    return value if len(value) <= width else value[: width - 1] + "…"


#: Columns of a summary.
WIDTH = 80

#: Columns of the coefficient table: 80 in all with names of up to 22 characters.
_WIDTHS = [8, 8, 7, 6, 6, 8, 8]


def _parameters(
    table: pd.DataFrame, names: list[str], title: str | None = None
) -> tuple[SimpleTable, list[str]]:
    """Set the table of estimates; names that leave no room for it are cut, and returned whole."""
    data = [
        [
            _number(row.iloc[0]),
            _number(row.iloc[1]),
            f"{row.iloc[2]:.3f}",
            f"{row.iloc[3]:.1f}",
            _pvalue(row.iloc[4]),
            _number(row.iloc[5]),
            _number(row.iloc[6]),
        ]
        for _, row in table.iterrows()
    ]
    formats = {**fmt_params, "colsep": " ", "colwidths": _WIDTHS, "data_fmts": ["%s"] * 7}

    def tabled(stubs: list[str]) -> SimpleTable:
        return SimpleTable(data, list(table.columns), stubs, title=title, txt_fmt=formats)

    labels, whole = _fitting(names, tabled(names).as_text())
    return tabled(labels), whole


def _fitting(names: list[str], text: str) -> tuple[list[str], list[str]]:
    """Cut and number the names for which a table is too wide, and return those whole."""
    over = max(map(len, text.splitlines())) - WIDTH
    if over <= 0:
        return names, []
    room = max(map(len, names)) - over
    long = {i: f"({i})" for i, name in enumerate(names, 1) if len(name) > room}
    labels = [
        _cut(f"{long[i]} {name}", max(room, len(long[i]))) if i in long else name
        for i, name in enumerate(names, 1)
    ]
    return labels, [f"{number} {names[i - 1]}" for i, number in long.items()]


def _number(value: float) -> str:
    return f"{value:.4f}" if 1e-3 <= abs(value) < 1e4 or value == 0 else f"{value:#.4g}"


def _pvalue(value: float) -> str:
    return "<0.001" if value < 0.0005 else f"{value:.3f}"


def _wrapped(lines: Iterable[str]) -> Iterable[str]:
    """Break sentences at 78 columns."""
    import textwrap

    for line in lines:
        yield from textwrap.wrap(line, 78, subsequent_indent="  ")


def summary2(
    results: Any,
    *,
    yname: str | None = None,
    xname: list[str] | None = None,
    title: str | None,
    alpha: float,
    float_format: str,
) -> Summary2:
    """Return statsmodels' second kind of summary, with the df column."""
    smry = Summary2()
    smry.add_title(title or f"Results: {results.model.model_name} by document")
    smry.add_dict(dict(_head(results, yname)), ncols=2)
    table = coefficient_table(results, alpha)
    table.columns = ["Coef.", "Std.Err.", "t", "df", "P>|t|", *table.columns[5:]]
    # Names stay whole, however wide: people look up rows of this table by them.
    smry.add_df(table.set_axis(_names(table, xname)), float_format=float_format)
    for line in notes(results):
        smry.add_text(line)
    return smry


def _head(results: Any, yname: str | None) -> list[tuple[str, str]]:
    """Return the header, with another name of the outcome where one is given."""
    head = header(results)
    return head if yname is None else [("Dep. Variable", yname), *head[1:]]


def _names(table: pd.DataFrame, xname: list[str] | None) -> list[str]:
    """Return the names of the coefficients, or others in their place.

    Raises
    ------
    ValueError
        If there are not as many as coefficients.
    """
    if xname is None:
        return list(table.index)
    if len(xname) != len(table):
        raise ValueError(f"xname has {plural(len(xname), 'name')} for {len(table)} coefficients")
    return list(xname)
