"""Facts → JSON, layout "ragstats-report/1"; see templates/report.schema.json.

What is not a number is null, with the reason beside it. The aggregates by document come last, one
line for each system and pair.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from math import isfinite, isinf
from typing import Any

from ragstats.core.hypothesis import JointTest
from ragstats.evaluation.diagnostics import Diagnostics, PairDiagnostics
from ragstats.evaluation.pairs import UNMATCHED
from ragstats.reporting.blocks import Bullets, Content, Findings, Paragraph
from ragstats.reporting.facts import (
    Beside,
    BootstrapFacts,
    Estimate,
    Facts,
    Influence,
    PairFacts,
    SystemFacts,
)
from ragstats.reporting.json_aggregates import aggregates_dict, identifier, plain
from ragstats.reporting.stated import ASKED
from ragstats.reporting.versions import SCHEMA

#: The most influential documents that are listed; the aggregates give the others.
MOST_INFLUENTIAL = 10


def to_json(facts: Facts, content: Content) -> str:
    """Return the report as JSON text."""
    head = json.dumps(to_dict(facts, content, aggregates=False), indent=2, ensure_ascii=False)
    groups = aggregates_dict(facts.aggregates)
    lines = [f"    {_line(key)}: {_value(value)}" for key, value in groups.items()]
    body = ",\n".join(lines)
    return f'{head[:-2]},\n  "aggregates": {{\n{body}\n  }}\n}}\n'


def _value(value: Any) -> str:
    """Return a list of records with one line each, and anything else on one line."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"      {_line(item)}" for item in value) + "\n    ]"
    return _line(value)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def to_dict(facts: Facts, content: Content, *, aggregates: bool = True) -> dict[str, Any]:
    """Return the report as plain lists and dicts."""
    result = {
        "schema": SCHEMA,
        "title": content.title,
        "stated_title": facts.stated.title or None,
        "summary": _summary(content),
        "source": _source(facts),
        "columns": asdict(facts.aggregates.columns),
        "study": _study(facts),
        "method": _method(facts),
        "systems": [_system(s) for s in facts.systems],
        "pairs": [_pair(p) for p in facts.pairs],
        "joint": {name: _joint(test) for name, test in facts.joint.items()},
        "bootstrap": [_bootstrap(b) for b in facts.bootstraps],
        "left_out": list(facts.stated.everything_left_out),
        "notes": [
            "the intraclass correlation and the design effect are diagnostics and do not replace"
            " the computation by document",
            "the aggregates by document give every number here; they do not replace the records of"
            " rows",
        ],
        "versions": facts.versions,
    }
    return {**result, "aggregates": aggregates_dict(facts.aggregates)} if aggregates else result


def _summary(content: Content) -> list[str]:
    """Return the sentences of the first section."""
    said: list[str] = []
    for block in content.sections[0].blocks:
        if isinstance(block, Paragraph):
            said.append(block.text)
        elif isinstance(block, Bullets):
            said += block.items
        elif isinstance(block, Findings):
            said += [
                f"{f.label} ({f.estimand}): {f.value} {f.interval}. {f.sentence}"
                for f in block.items
            ]
    return said


def _source(facts: Facts) -> dict[str, Any]:
    stated = facts.stated
    return {
        "name": stated.source or None,
        "sha256": stated.sha256 or None,
        "reason": "" if stated.sha256 else "the data did not come from a file",
    }


def _study(facts: Facts) -> dict[str, Any]:
    stated, k = facts.stated, facts.n_documents
    size = stated.population_size
    return {
        "population": stated.population or None,
        "population_size": size,
        "design": stated.design or None,
        "levels": stated.levels or None,
        "fraction": k / size if size is not None else stated.fraction,
        "fraction_used": size is not None,
        "estimand": stated.estimand,
        "why_estimand": stated.why_estimand or None,
        "documents": k,
        "not_stated": {name: ASKED[name] for name in stated.missing},
    }


def _method(facts: Facts) -> dict[str, Any]:
    method = facts.method
    return {
        "interval": "t",
        "alpha": method.alpha,
        "cov_type": method.cov_type,
        "df": method.df,
        "sampling_unit": facts.aggregates.columns.doc,
        "resampling_unit": facts.aggregates.columns.doc,
        "paired": method.paired,
        "unmatched": method.unmatched,
        "unmatched_rule": UNMATCHED[method.unmatched],
        "baseline": facts.aggregates.baseline,
        "finite_population_correction": facts.stated.population_size is not None,
    }


def quantity(value: float, reason: str) -> dict[str, Any]:
    """Return a number with the reason why it is null, if it is."""
    return {"value": plain(value), "reason": reason if not isfinite(value) else ""}


def estimate_dict(found: Estimate) -> dict[str, Any]:
    """Return an estimate; ``df_reason`` also says when ν is infinite."""
    names = ("se", "df", "low", "high", "p")
    numbers = {name: plain(getattr(found, name)) for name in names}
    return {
        "estimate": plain(found.value),
        **numbers,
        "documents": found.documents,
        "rows": found.rows,
        "df_reason": found.df_reason if numbers["df"] is None else "",
        "reason": found.reason,
        "beside": [_beside(item) for item in found.beside],
    }


def _beside(found: Beside) -> dict[str, Any]:
    unbounded = "no value on that side is rejected"
    reason = found.reason or "not available"
    ends = {
        name: quantity(end, unbounded if isinf(end) else reason)
        for name, end in (("low", found.low), ("high", found.high))
    }
    return {"method": found.method, **ends}


def _mean(found: Estimate) -> dict[str, Any]:
    """Return a mean; that it is 0 is no question, so it has no p-value."""
    return {name: value for name, value in estimate_dict(found).items() if name != "p"}


def _system(facts: SystemFacts) -> dict[str, Any]:
    return {
        "name": facts.aggregates.name,
        "documents": facts.diagnostics.n_documents,
        "rows": facts.rows,
        "unscored": facts.unscored,
        "unscored_share": facts.unscored_share,
        "bounds": {
            name: {"all_0": plain(b.all_0), "all_1": plain(b.all_1), "reason": b.reason}
            for name, b in facts.bounds.items()
        },
        "means": {name: _mean(mean) for name, mean in facts.means.items()},
        "means_cr1": {name: _mean(mean) for name, mean in facts.cr1.items()},
        "score_range": [facts.aggregates.lowest, facts.aggregates.highest],
        "diagnostics": _diagnostics(facts.diagnostics),
        "top_decile_share": facts.top_decile,
        "influence": {name: _influence(i) for name, i in facts.influence.items()},
        "warnings": list(facts.warnings),
    }


def _diagnostics(d: Diagnostics) -> dict[str, Any]:
    return {
        "sizes": {name: plain(v) for name, v in d.sizes.items()},
        "rates": {name: plain(v) for name, v in d.rates.items()},
        "share_zero": d.share_zero,
        "share_one": d.share_one,
        "icc": quantity(d.icc, d.icc_reason),
        "design_effect": quantity(d.design_effect if d.icc == d.icc else d.icc, d.icc_reason),
        "rows_over_design_effect": quantity(
            d.rows_over_design_effect if d.icc == d.icc else d.icc, d.icc_reason
        ),
        "effective_documents": d.effective_documents,
        "largest_share": d.largest_share,
        "largest": identifier(d.largest),
    }


def _influence(found: Influence) -> list[dict[str, Any]]:
    rows = found.table.head(MOST_INFLUENTIAL).to_dict("records")
    return [
        {
            "document": identifier(row["document"]),
            "rows": plain(row["n"]),
            "rate": plain(row["rate"]),
            "estimate": plain(row["estimate"]),
            "change": plain(row["change"]),
            "df": quantity(row["df"], "not computed for so many documents"),
        }
        for row in rows
    ]


def _pair(facts: PairFacts) -> dict[str, Any]:
    pair = facts.aggregates
    return {
        "system": pair.system,
        "baseline": pair.baseline,
        "one_sided": pair.one_sided,
        "differences": {
            name: {
                **estimate_dict(found),
                "p_holm": plain(facts.holm[name]),
                "excludes_zero": found.excludes_zero if found.has_interval else None,
            }
            for name, found in facts.differences.items()
        },
        "diagnostics": None if facts.diagnostics is None else _pairing(facts.diagnostics),
        "influence": {name: _influence(i) for name, i in facts.influence.items()},
        "warnings": list(facts.warnings),
    }


def _pairing(d: PairDiagnostics) -> dict[str, Any]:
    return {
        "correlation": quantity(d.correlation, "the rates of one of the systems do not vary"),
        "gain": quantity(d.gain, "neither system's rates vary"),
        "interaction": d.interaction,
        "share_tied": d.share_tied,
        "share_up": d.share_up,
        "share_down": d.share_down,
    }


def _joint(test: JointTest) -> dict[str, Any]:
    names = {"statistic": "statistic", "df_num": "df_num", "df_denom": "df_denom", "p": "pvalue"}
    numbers = {name: plain(getattr(test, attribute)) for name, attribute in names.items()}
    return {**numbers, "reason": test.reason}


def _bootstrap(b: BootstrapFacts) -> dict[str, Any]:
    why = b.reason or "the bootstrap gave none"
    ends = {name: quantity(getattr(b, name), why) for name in ("estimate", "low", "high")}
    return {
        "name": b.name,
        "method": b.method or None,
        **ends,
        "replicates": b.replicates,
        "degenerate": quantity(b.degenerate, "the result does not say"),
        "histogram": {"edges": list(b.edges), "counts": list(b.counts)},
    }
