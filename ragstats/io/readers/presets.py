"""The evaluators whose files differ only in where things stand: one row of a table each.

A new format is a new row: where its records are, which fields are the query, the system and
the repetition, which fields are scores, and how it marks an evaluation that went wrong.

Fields are dotted paths; ``a|b`` is the first of the two that is there, and ``^a`` a field of
the whole file instead of one of its records. Patterns must match the whole path; their groups,
joined by ``_``, name the score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ragstats.io.readers.raw import OCCURRENCE


@dataclass(frozen=True, slots=True)
class Failure:
    """How a record says that its evaluation went wrong.

    ``field`` is a pattern. Without ``equals`` any value there is a failure. A pattern with a
    group fails only the score of that name; without one it fails the record.
    """

    field: str
    equals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preset:
    """One evaluator's format.

    ``requires`` are fields of a record, and ``top`` fields of the whole file, that only this
    evaluator writes. ``query`` and ``system`` are parts that are joined; every part of
    ``system`` but the first is used only where it varies within the file. ``other_columns``
    says that users add columns of their own, among them scores, ids and systems. ``passes``
    are the fields beside a score that say from where on it passes, and whether it did.
    """

    title: str
    writer: str
    requires: tuple[str, ...] = ()
    top: tuple[str, ...] = ()
    records: tuple[str, ...] = ("",)
    take: tuple[str, ...] = ()
    named_lists: Mapping[str, str] = field(default_factory=dict)
    packed: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    repetition: str | None = None
    scores: tuple[str, ...] = ()
    other_columns: bool = False
    metric: str | None = None
    value: str | None = None
    variant: str | None = None
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    failed: tuple[Failure, ...] = ()
    passes: tuple[str, str] | None = None
    covariates: tuple[str, ...] = ()
    hint: str = ""


_RAGAS_SAMPLE = (
    *("user_input", "retrieved_contexts", "reference_contexts", "retrieved_context_ids"),
    *("reference_context_ids", "response", "multi_responses", "reference", "rubrics"),
    *("persona_name", "query_style", "query_length", "reference_tool_calls", "reference_topics"),
    *("question", "answer", "contexts", "ground_truth", "ground_truths"),
)

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "inspect": Preset(
            title="Inspect log (.eval or .json)",
            writer="inspect_ai 0.3.285",
            top=("eval", "samples"),
            records=("samples",),
            take=("id", "epoch", "scores", "metadata", "error", "invalidation"),
            query=("id",),
            system=("^eval.model",),
            repetition="epoch",
            scores=(r"scores\.([^.]+)\.value", r"scores\.([^.]+)\.value\.(.+)"),
            failed=(Failure(r"error(?:\..+)?"), Failure(r"invalidation(?:\..+)?")),
            covariates=(r"metadata\..+",),
            hint="In Inspect the document stands in the samples' metadata.",
        ),
        "ragas": Preset(
            title="Ragas to_pandas() table",
            writer="ragas 0.4.3",
            requires=(
                "user_input|question",
                "retrieved_contexts|reference_contexts|contexts|response",
            ),
            query=("user_input|question",),
            repetition=OCCURRENCE,
            other_columns=True,
            covariates=(r".+",),
            hint="Ragas writes no document: join one to its table before or after evaluating.",
        ),
        "promptfoo": Preset(
            title="promptfoo JSON output",
            writer="promptfoo 0.123.1, summary version 3",
            requires=("testIdx", "promptIdx", "success"),
            records=("results.results", "results"),
            take=(
                *("testIdx", "promptIdx", "provider", "vars", "metadata", "success", "score"),
                *("namedScores", "failureReason", "gradingResult"),
            ),
            query=("testIdx",),
            system=("provider.label|provider.id|provider", "promptIdx"),
            repetition=OCCURRENCE,
            scores=(r"(score)", r"(success)", r"namedScores\.(.+)"),
            # `error` also holds the reason of a failed assertion, which is an outcome.
            failed=(
                Failure(r"failureReason", ("2",)),
                Failure(r"gradingResult\.metadata\.graderError", ("true",)),
            ),
            covariates=(r"vars\..+", r"metadata\..+"),
        ),
        "deepeval": Preset(
            title="DeepEval test_run_*.json",
            writer="deepeval 4.3.1",
            top=("testCases",),
            records=("testCases",),
            take=("name", "metricsData", "metadata", "tags", "input"),
            named_lists={"metricsData": "name"},
            query=("name",),
            system=("^identifier",),
            scores=(r"metricsData\.(.+)\.score",),
            failed=(Failure(r"metricsData\.(.+)\.error"),),
            passes=("threshold", "success"),
            covariates=(r"metadata\..+", "input"),
        ),
        "phoenix": Preset(
            title="Phoenix experiment (CSV or JSON)",
            writer="arize-phoenix 20.26.1",
            requires=("example_id", "repetition_number"),
            named_lists={"annotations": "name"},
            packed=("input", "metadata", "reference_output"),
            query=("example_id",),
            repetition="repetition_number",
            scores=(r"annotation_(.+)_score", r"annotations\.(.+)\.score"),
            failed=(
                Failure(r"error"),
                Failure(r"annotation_(.+)_error"),
                Failure(r"annotations\.(.+)\.error"),
            ),
            covariates=(r"(input|metadata|reference_output)(\..+)?", "latency_ms"),
        ),
        "langsmith": Preset(
            title="LangSmith ExperimentResults.to_pandas() table",
            writer="langsmith 0.15.1",
            requires=("example_id", "execution_time"),
            query=("example_id",),
            repetition=OCCURRENCE,
            scores=(r"feedback\.(.+)",),
            failed=(Failure("error"),),
            covariates=(r"(inputs|reference|metadata)\..+", "execution_time"),
        ),
        "langfuse": Preset(
            title="Langfuse scores (CSV, JSON or JSON lines)",
            writer="langfuse 5.0.4",
            requires=("traceId|trace_id", "name", "value", "dataType|data_type"),
            records=("data", ""),
            query=("traceId|trace_id",),
            system=("datasetRunId|dataset_run_id",),
            metric="name",
            value="value",
            variant="source",
            # The number of a categorical score is the index of its label, and 0 by default.
            only={"dataType|data_type": ("NUMERIC", "BOOLEAN")},
            covariates=(r"metadata\..+",),
            hint="Langfuse keeps the document in the trace: pass documents= from traceId to it.",
        ),
    }
)

RAGAS_SAMPLE_FIELDS = frozenset(_RAGAS_SAMPLE)
