"""What is left out, how it was computed, what the aggregates are for, and the versions."""

from __future__ import annotations

from ragstats.core.adjustment import ADJUSTMENTS
from ragstats.core.dof import DF_RULES
from ragstats.evaluation.pairs import UNMATCHED
from ragstats.reporting.blocks import Bullets, Paragraph, Section, Term, Terms
from ragstats.reporting.facts import Facts
from ragstats.reporting.versions import SCHEMA
from ragstats.reporting.words import clean, count, prose, sentence


def left_out(facts: Facts) -> Section:
    """Write what no interval here covers."""
    items = tuple(sentence(prose(item)) for item in facts.stated.everything_left_out)
    return Section("left-out", "What is left out", (Bullets(items),))


def method(facts: Facts) -> Section:
    """Write how the intervals were computed, and the unit that is drawn and redrawn."""
    doc = clean(facts.aggregates.columns.doc)
    kind, rule = ADJUSTMENTS[facts.method.cov_type], DF_RULES[facts.method.df]
    level = facts.method.level
    items = [
        Term("Interval", f"t at {level}: estimate ± t(ν) × SE, with ν of its own each time."),
        Term("Standard errors", f"{kind.name} by document ({kind.description})."),
        Term(
            "Degrees of freedom",
            f"ν by the rule {rule.name}: {rule.description}. ν describes the approximation; it is"
            " not a number of documents, so K and ν are shown apart.",
        ),
        Term("Working model", _WORKING),
        Term("Sampling unit", f"the document ({doc}); rows only weigh it."),
        Term("Resampling unit", _resampling(facts)),
        Term("Finite population", _finite(facts)),
    ]
    if facts.pairs:
        items.append(Term("Pairs", _pairs(facts)))
    items.append(
        Term(
            "Coverage",
            f"{level} is nominal. Whether the intervals cover that often on such documents can be"
            " tried on your own corpus: rs.simulate_coverage.",
        )
    )
    return Section("method", "How it was computed", (Terms(tuple(items)),))


_WORKING = (
    "independent rows: of equal variance for micro, of variance proportional to the rows of their"
    " document for macro (weights 1/n)."
)


def _resampling(facts: Facts) -> str:
    if not facts.bootstraps:
        return "the document, in any bootstrap; none was run for this report."
    runs = [
        f"{count(b.replicates)} replicates ({clean(b.method) or 'bootstrap'})"
        for b in facts.bootstraps
    ]
    return f"the document: {'; '.join(runs)}."


def _finite(facts: Facts) -> str:
    size, k = facts.stated.population_size, facts.n_documents
    if size is None:
        return "no correction: the documents are taken as few of very many."
    return (
        f"variances × (1 − K/M) = {1 - k / size:.4f}, with K = {count(k)} and M = {count(size)}; no"
        " bootstrap uses it."
    )


def _pairs(facts: Facts) -> str:
    query = facts.aggregates.columns.query
    if query is None:
        return "no column of queries was named, so systems are matched by document only."
    return f"matched by {clean(query)}; {UNMATCHED[facts.method.unmatched]}."


def aggregates_note(facts: Facts) -> Section:
    """Write what the aggregates can do and what they cannot."""
    return Section(
        "aggregates",
        "Aggregates and records",
        (
            Paragraph(
                "The aggregates by document (n, Σs, Σs² for each system and each difference) give"
                " every number here again; they are in the JSON report. They do not replace the row"
                " records: keep those for auditing ranks, local dependence and errors in time."
            ),
        ),
    )


def about(facts: Facts) -> Section:
    """Write where the data came from, and which versions computed this."""
    stated = facts.stated
    columns = facts.aggregates.columns
    named = {"documents": columns.doc, "scores": columns.score, "systems": columns.system,
             "queries": columns.query}  # fmt: skip
    used = ", ".join(f"{what} {clean(c)}" for what, c in named.items() if c is not None)
    items = (
        Term("Data", prose(stated.source) or "a table in memory, not named."),
        Term("SHA-256", clean(stated.sha256) or "none: the data did not come from a file."),
        Term("Columns", f"{used}."),
        Term("Versions", ", ".join(f"{name} {v}" for name, v in facts.versions.items())),
        Term("Schema", SCHEMA),
    )
    return Section("about", "About", (Terms(items),))
