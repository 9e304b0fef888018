"""The stored R survey cases: where they are, their data, and the same design in ragstats."""

import json
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from ragstats.evaluation.survey import SurveyDesign

ROOT = Path(__file__).resolve().parents[3]
STORED = ROOT / "tests" / "oracles" / "survey"
LIVE = ROOT.parent / "shared" / "oracle" / "survey"  # data of R packages, not kept here
SYNTHETIC = sorted(path.name for path in STORED.iterdir() if path.is_dir())
FROM_R_PACKAGES = ["svy_api", "svy_apiclus1"]


@dataclass(frozen=True)
class Case:
    name: str
    data: pd.DataFrame
    expected: dict

    @property
    def design(self):
        d = self.expected["design"]
        lonely = "certainty" if 'lonely.psu = "certainty"' in d["r_call"] else "error"
        return SurveyDesign(
            self.data,
            ids=d["ids"],
            strata=d.get("strata"),
            fpc=d.get("fpc"),
            weights=d.get("weights"),
            lonely=lonely,
        )


def folder(name):
    path = (LIVE if name in FROM_R_PACKAGES else STORED) / name
    if not path.exists():
        pytest.skip(f"{path} is not on this machine: the data belong to an R package")
    return path


def read_case(name):
    path = folder(name)
    data = pd.read_csv(path / "data.csv", keep_default_na=False, na_values=[""])
    extra = {"one": 1.0}
    if "hits" in data:
        extra["I(hits/n)"] = data["hits"] / data["n"]
    expected = json.loads((path / "expected.json").read_text(encoding="utf-8"))
    return Case(name, data.assign(**extra), expected)
