"""Every number that R said about the stored regression cases, asserted or excluded with a reason."""

import json

import pytest
from regression_case import check_case, skip_unless_offered
from regression_excluded import EXCLUDED
from regression_ledger import STORED, Ledger, index, is_live, leaves, matches, read_expected

CASES = [entry["case"] for entry in index()]


@pytest.mark.parametrize("name", CASES)
def test_every_stored_number(name):
    expected = read_expected(name)
    skip_unless_offered(expected["model"]["class"])
    ledger = Ledger(name, expected, EXCLUDED)
    check_case(ledger)
    assert not ledger.problems, "\n".join(ledger.problems)
    assert not ledger.unaccounted(), "neither asserted nor excluded: " + "; ".join(
        ledger.unaccounted()
    )


def test_no_exclusion_is_stale():
    stored = [name for name in CASES if not is_live(name)]
    used = {
        pattern
        for name in stored
        for path, _ in leaves(read_expected(name))
        for pattern in matches(EXCLUDED, name, path)
    }
    about_live_cases = {
        pattern for pattern in EXCLUDED if "real_" in pattern or "_plm*:" in pattern
    }
    assert set(EXCLUDED) - used - about_live_cases <= {"*:model.plm_args.*", "*:model.offset"}


def test_the_index_lists_every_stored_case():
    folders = {path.name for path in STORED.iterdir() if path.is_dir()}
    assert folders == {name for name in CASES if not is_live(name)}
    index_file = json.loads((STORED / "index.json").read_text(encoding="utf-8"))
    assert index_file["n"] == len(CASES)
