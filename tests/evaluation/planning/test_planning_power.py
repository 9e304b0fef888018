"""Power of a paired comparison: statsmodels, Miller's example, and the inverses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from statsmodels.stats.power import TTestPower

from ragstats.evaluation.planning import plan_documents
from ragstats.evaluation.planning.power import detectable_shift, power_of


def test_millers_example_needs_969():
    """(z_{α/2} + z_β)²·ω²/δ² with ω² = 1/9, δ = .03, and no variance inside the questions."""
    plan = plan_documents(sd=1 / 3, estimand="macro", difference=0.03, power=0.8, df="normal")
    assert plan.documents == 969
    z = stats.norm.isf(0.025) + stats.norm.isf(0.2)
    assert math.ceil(z**2 * (1 / 9) / 0.03**2) == 969


def test_millers_formula_with_variance_inside_the_questions():
    """n = (z_{α/2} + z_β)²(ω² + σ_A²/K_A + σ_B²/K_B)/δ²: S² is the bracket."""
    omega, a, b, k = 1 / 9, 0.2, 0.15, 4
    bracket = omega + a / k + b / k
    plan = plan_documents(
        sd=math.sqrt(bracket), estimand="macro", difference=-0.05, power=0.9, df="normal"
    )
    z = stats.norm.isf(0.025) + stats.norm.isf(0.1)
    assert plan.documents == math.ceil(z**2 * bracket / 0.05**2)


@pytest.mark.parametrize("alternative", ["two-sided", "larger", "smaller"])
@pytest.mark.parametrize("nobs", [2, 3, 8, 20, 150, 4000])
def test_power_is_that_of_statsmodels(alternative, nobs):
    """Both rest on the noncentral t of SciPy; 1e-8 leaves room for its two implementations."""
    for effect in (-0.4, -0.05, 0.02, 0.2, 0.9):
        ours = plan_documents(
            sd=0.5, estimand="macro", documents=nobs, difference=0.5 * effect,
            alternative=alternative,
        ).power  # fmt: skip
        theirs = TTestPower().power(effect, nobs, 0.05, alternative=alternative)
        if np.isnan(theirs):  # statsmodels 0.15 far out; the sign says where the power goes
            theirs = float((effect > 0) == (alternative != "smaller"))
        assert ours == pytest.approx(theirs, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize(("effect", "power"), [(0.2, 0.8), (0.05, 0.9), (0.5, 0.5), (1.5, 0.95)])
def test_documents_are_those_of_statsmodels(effect, power):
    exact = TTestPower().solve_power(effect_size=effect, power=power, alpha=0.05)
    plan = plan_documents(sd=1.0, estimand="macro", difference=effect, power=power)
    assert plan.documents == max(2, math.ceil(exact))


def test_the_normal_power_has_a_closed_form():
    plan = plan_documents(sd=1.0, estimand="macro", difference=0.2, documents=100, df="normal")
    z = stats.norm.isf(0.025)
    assert plan.power == pytest.approx(stats.norm.sf(z - 2) + stats.norm.sf(z + 2), rel=1e-14)


def test_power_by_integration():
    """P(|T| > c) with T = (Z + shift)/√(χ²/ν), by integrating over the chi-square."""
    df, shift = 7.0, 1.7
    c = stats.t.isf(0.025, df)

    def integrand(q):
        s = c * math.sqrt(q / df)
        return (stats.norm.sf(s - shift) + stats.norm.cdf(-s - shift)) * stats.chi2.pdf(q, df)

    brute = integrate.quad(integrand, 0, 200, epsabs=1e-13)[0]
    assert float(power_of(shift, df, 0.05)) == pytest.approx(brute, rel=1e-9)  # quadrature


@pytest.mark.parametrize("alternative", ["two-sided", "larger", "smaller"])
def test_a_difference_of_zero_is_found_with_probability_alpha(alternative):
    for df in (1.0, 3.0, 50.0, np.inf):
        power = float(power_of(0.0, df, 0.05, alternative))
        assert power == pytest.approx(0.05, rel=1e-10)


def test_power_stays_a_number_far_out():
    shifts = np.r_[np.linspace(0, 60, 200), 1e3, 1e6, 1e12]
    for df in (2.0, 5.0, 30.0, 1e5, np.inf):
        power = power_of(shifts, df, 0.05)
        assert np.isfinite(power).all()
        assert (np.diff(power) >= -1e-12).all()
        assert power[-1] == pytest.approx(1.0)


@given(
    power=st.floats(0.06, 0.9999),
    df=st.floats(1, 1e5) | st.just(math.inf),
    alternative=st.sampled_from(["two-sided", "larger", "smaller"]),
)
def test_the_detectable_shift_has_the_power(power, df, alternative):
    shift = detectable_shift(power, df, 0.05, alternative)
    assert (shift < 0) == (alternative == "smaller")
    assert float(power_of(shift, df, 0.05, alternative)) == pytest.approx(power, rel=1e-9)


@pytest.mark.parametrize("population", [None, 500])
@pytest.mark.parametrize("df", ["K-1", "normal"])
def test_the_three_questions_invert_each_other(population, df):
    options = {"sd": 0.4, "estimand": "micro", "population": population, "df": df}
    for k in (2, 3, 10, 77, 400):
        smallest = plan_documents(documents=k, power=0.8, **options).difference
        power = plan_documents(documents=k, difference=smallest, **options).power
        assert power == pytest.approx(0.8, rel=1e-10)
        # a hair more than the smallest difference, so that rounding cannot ask for one more
        back = plan_documents(power=0.8, difference=smallest * (1 + 1e-9), **options)
        assert back.documents == k


def test_no_smaller_number_of_documents_has_the_power():
    for difference in (0.02, 0.1, 0.35, 2.0):
        plan = plan_documents(
            sd=0.4, estimand="macro", difference=difference, power=0.8, population=900
        )
        every = [
            plan_documents(
                sd=0.4, estimand="macro", difference=difference, documents=k, population=900
            ).power
            for k in range(2, plan.documents + 1)
        ]
        assert every[-1] >= 0.8
        assert all(power < 0.8 for power in every[:-1])
        assert plan.power == every[-1]


def test_the_sign_of_the_difference():
    options = {"sd": 0.4, "estimand": "macro", "documents": 50}
    up = plan_documents(difference=0.1, **options).power
    assert plan_documents(difference=-0.1, **options).power == up
    larger = plan_documents(difference=0.1, alternative="larger", **options).power
    assert larger > up
    assert plan_documents(difference=-0.1, alternative="smaller", **options).power == larger
    assert plan_documents(difference=-0.1, alternative="larger", **options).power < 0.05
    assert plan_documents(power=0.8, alternative="smaller", **options).difference < 0


def test_what_no_number_of_documents_finds():
    options = {"sd": 0.4, "estimand": "macro"}
    zero = plan_documents(difference=0, power=0.8, **options)
    assert (zero.documents, zero.power) == (None, None)
    assert "not there to be found" in zero.reason
    wrong_side = plan_documents(difference=-0.1, power=0.8, alternative="larger", **options)
    assert wrong_side.documents is None
    assert "other side" in wrong_side.reason
    low = plan_documents(difference=0.1, power=0.04, **options)
    assert low.documents is None
    assert "power=0.04 is not above alpha=0.05" in low.reason
    assert plan_documents(documents=30, power=0.05, **options).difference is None
    chance = plan_documents(documents=30, difference=0, **options)
    assert chance.power == 0.05
    assert "probability alpha" in chance.reason


def test_a_census_finds_every_difference():
    options = {"sd": 0.4, "estimand": "macro", "documents": 30, "population": 30}
    assert plan_documents(difference=1e-9, **options).power == 1
    assert plan_documents(difference=-1e-9, alternative="larger", **options).power == 0
    assert plan_documents(power=0.8, **options).difference == 0
    tiny = plan_documents(sd=0.4, estimand="macro", difference=1e-9, power=0.8, population=30)
    assert tiny.documents == 30
    assert tiny.power == 1
    assert "census" in tiny.reason
