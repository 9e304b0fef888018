"""The parts of all files → one long table, with the guards that look across rows and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from ragstats.exceptions import DataError, plural
from ragstats.io.readers.assemble import Part
from ragstats.io.readers.ids import shown
from ragstats.io.readers.options import UNSCORED
from ragstats.io.readers.scores import Scores

KEY = ["system", "query_id", "repetition"]


def combine(
    parts: Sequence[Part], unscored: str, sha256: Mapping[str, str], formats: Sequence[str]
) -> Scores:
    """Put files together, refuse what contradicts itself, and apply the unscored policy.

    Raises
    ------
    DataError
        If a (system, query, repetition) is there twice, a query belongs to two documents, or
        files give different kinds of document or query.
    """
    scores = tuple(dict.fromkeys(s for part in parts for s in part.scores))
    covariates = [
        c for c in dict.fromkeys(c for p in parts for c in p.covariates) if c not in scores
    ]
    _check_files(parts)
    frame = _stacked(parts)
    _check_repeated(frame)
    _check_documents(frame)
    counted = _count_unscored(frame, scores)
    frame, policy = _apply(frame, scores, unscored)
    notes = (*(note for part in parts for note in part.notes), *_warned(counted), *policy)
    return Scores(
        frame=_typed(frame[["query_id", "doc_id", "system", "repetition", *scores, *covariates]]),
        score_columns=scores,
        document_field="; ".join(dict.fromkeys(part.document_field for part in parts)),
        unscored=counted,
        notes=tuple(dict.fromkeys(notes)),
        sha256=dict(sha256),
        format=", ".join(dict.fromkeys(formats)),
    )


def _stacked(parts: Sequence[Part]) -> pd.DataFrame:
    if len(parts) == 1:
        return parts[0].frame
    kinds = {str(part.frame["repetition"].dtype) for part in parts}
    frames = [part.frame for part in parts]
    if len(kinds) > 1:  # numbers in one file and names in another: all are names
        frames = [f.assign(repetition=f["repetition"].astype(str).astype(object)) for f in frames]
    return pd.concat(frames, ignore_index=True)


def _check_files(parts: Sequence[Part]) -> None:
    systems = {system for part in parts for system in part.frame["system"]}
    if any(part.numbered for part in parts) and (len(parts) > 1 or len(systems) > 1):
        raise DataError(
            "query: no field is named like a query, and row numbers do not pair the rows of "
            "several systems or files; pass query= with what identifies the question"
        )
    for part in parts:
        half = [s for s in part.covariates if any(s in other.scores for other in parts)]
        if half:
            raise DataError(f"score {half[0]!r}: numbers in one file, and not in another")
    fields = list(dict.fromkeys(part.document_field for part in parts))
    if len(fields) > 1:
        raise DataError(
            f"doc: the files have their documents in different fields ({'; '.join(fields)})"
        )


def _check_repeated(frame: pd.DataFrame) -> None:
    twice = frame.duplicated(KEY)
    if not twice.any():
        return
    first = frame[twice].iloc[0]
    at = f"system {first['system']!r}, query {first['query_id']!r}"
    raise DataError(
        f"{int(twice.sum())} of {len(frame)} rows repeat a (system, query, repetition), first: "
        f"{at}; name what tells them apart with system=, query= or repetition=, or give several "
        "files as {system name: path}"
    )


def _check_documents(frame: pd.DataFrame) -> None:
    pairs = frame[["query_id", "doc_id"]].drop_duplicates()
    split = pairs["query_id"].duplicated()
    if not split.any():
        return
    query = pairs.loc[split, "query_id"].iloc[0]
    documents = pairs.loc[pairs["query_id"] == query, "doc_id"].tolist()
    count = pairs.loc[split, "query_id"].nunique()
    raise DataError(
        f"{plural(count, 'query belongs', 'queries belong')} to more than one document (first:"
        f" {query!r} to "
        f"{shown(documents)}); if query ids start anew in each document, name both in query="
    )


def _count_unscored(frame: pd.DataFrame, scores: Sequence[str]) -> pd.DataFrame:
    missing = frame[list(scores)].isna()
    rows = [
        (system, score, len(group), int(missing.loc[group.index, score].sum()))
        for system, group in frame.groupby("system", sort=False)
        for score in scores
    ]
    table = pd.DataFrame(rows, columns=["system", "score", "rows", "unscored"])
    return table.assign(share=table["unscored"] / table["rows"])


def _warned(counted: pd.DataFrame) -> list[str]:
    some = counted[counted["unscored"] > 0]
    return [
        f"system {row['system']!r}, score {row['score']!r}: {row['unscored']} of {row['rows']} "
        f"rows have no score ({row['share']:.1%})"
        for row in some.to_dict("records")
    ]


def _apply(
    frame: pd.DataFrame, scores: Sequence[str], unscored: str
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    columns = list(scores)
    missing = frame[columns].isna()
    count = int(missing.to_numpy().sum())
    if count == 0:
        return frame, ()
    if unscored == "raise":
        raise DataError(
            f"{plural(count, 'score is', 'scores are')} missing and unscored='raise'; pass"
            " unscored='keep', 'drop', 'zero' or 'one' to say what they are"
        )
    value = UNSCORED[unscored]
    if value is not None:
        filled = frame.assign(**{c: frame[c].fillna(value) for c in columns})
        return filled, (f"unscored={unscored!r}: {count} missing scores set to {value:g}",)
    if unscored == "keep":
        return frame, (f"unscored='keep': {count} missing scores are NaN in the table",)
    empty = missing.all(axis=1)
    kept = frame.loc[~empty].reset_index(drop=True)
    if kept.empty:
        raise DataError(f"unscored='drop': none of the {plural(len(frame), 'row')} has a score")
    left = count - int(empty.sum()) * len(columns)
    note = (
        f"unscored='drop': {int(empty.sum())} of {plural(len(frame), 'row')} without any score"
        " dropped"
    )
    return kept, (f"{note}; {left} missing scores stay NaN" if left else note,)


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Ids and texts as pandas' own text type, which formulas and joins understand."""
    ids = dict.fromkeys(("query_id", "doc_id", "system"), "str")
    if frame["repetition"].dtype == object:
        ids["repetition"] = "str"
    return frame.astype(ids).infer_objects()
