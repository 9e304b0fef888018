"""What is stored for the regression cases and not asserted: pattern of "case:path" → reason."""

EXCLUDED = {
    # --- words about the case, and what the case was made with ---------------------------------
    "*:schema": "layout of the file",
    "*:group": "description",
    "*:title": "description",
    "*:tags": "description",
    "*:notes": "description",
    "*:versions.*": "programs that made the numbers",
    "*:timing_sec.*": "seconds that R took",
    # --- the question, not the answer: the call that the test repeats ---------------------------
    "*:degenerate": "input: which numbers have a meaning",
    "*:model.class": "input: the function that is called",
    "*:model.formula_*": "input: the formula",
    "*:model.family.*": "input: the family and its link",
    "*:model.weights": "input: the column of weights",
    "*:model.offset": "input: the column of offsets",
    "*:model.cluster": "input: the column of documents",
    "*:model.plm_args.*": "input: the absorbed effects",
    "*:reported": "input: which coefficients the vectors below are about, in R's spelling",
    "*:reported_patsy": "input: which coefficients the vectors below are about",
    "*:constraints.*": "input: constraints of the joint tests",
    "*:contrasts.*": "input: contrasts",
    "*:clubSandwich.*.vcovCR_args.*": "input: the working model of the variant",
    "*:dfadjust.contrasts.rows": "input: the order of the contrasts",
    "*:vcovCL.*.call": "input: R's call",
    # --- one program against another, both of them R's ------------------------------------------
    "*:dfadjust.max_rel_diff_*": "agreement of two R programs, not a result",
    "*:dfadjust.own.note": "where in the R script the formula is",
    "*:vcovCL.*.max_rel_diff_to_clubSandwich": "agreement of two R programs, not a result",
    "*:jackknife_delete_cluster.max_rel_diff_to_CR3": "agreement of two R programs, not a result",
    "*:clubSandwich_raw_scale.*": "R's own rounding on badly scaled columns (an absolute 1e-12)",
    # --- where R stops ----------------------------------------------------------------------------
    "*.error": "R stops there",
    "*.warnings": "words of R",
    # --- tests that ragstats does not offer ---------------------------------------------------------
    "*.saddlepoint.[sp]": "saddlepoint tests are not offered (and R solves them to 4 digits only)",
    "*.saddlepoint_tight.[sp]": "saddlepoint tests are not offered",
    "*.Wald_test.*.HTA.*": "only the recommended joint test, HTZ, is offered",
    "*.Wald_test.*.HTB.*": "depends on the scaling of the constraints; only HTZ is offered",
    "*.Wald_test.*.EDF.*": "only the recommended joint test, HTZ, is offered",
    "*.Wald_test.*.EDT.*": "only the recommended joint test, HTZ, is offered",
    # --- working models that ragstats does not offer; what they leave alone is asserted ---------------
    **{
        f"{variant}.{leaf}": f"{why}: not offered, and this number depends on it"
        for variant, why in {
            "*:clubSandwich.exch30": "exchangeable working errors",
            "*:clubSandwich.exch05": "exchangeable working errors",
            "*:clubSandwich.target_tv": "a working variance that is no function of the weights",
            "glm_logit:clubSandwich.target_one": "a GLM with working variance 1",
        }.items()
        for leaf in (
            "CR2.*",
            "CR*.coef_test.Satterthwaite.*",
            "CR*.conf_int.Satterthwaite.*",
            "CR*.linear_contrast.*.reference.*",
            "CR*.Wald_test.*.HTZ.*",
        )
    },
    "*_plm*:clubSandwich.ignore_FE.*": "forgets the absorbed effects in the leverages: not offered",
    # --- absorbed effects ---------------------------------------------------------------------------
    **{
        f"{case}:clubSandwich.default.{leaf}": why
        for case in ("real_grunfeld_plm_time", "real_mortality_plm")
        for leaf, why in {
            **{
                f"CR1[pS].{leaf}": "plm counts the slopes only in p; effects that cross documents are"
                " parameters here"
                for leaf in (
                    *("vcov", "se", "coef_test.tstat", "coef_test.*.p", "conf_int.*"),
                    *(f"linear_contrast.*.{k}" for k in ("se", "p", "lower", "upper")),
                    *("Wald_test.*.Fstat", "Wald_test.*.p_val"),
                )
            },
            "CR*.naive-tp.*": "plm counts the slopes only in p",
            "CR*.Wald_test.*.Naive-Fp.df_denom": "plm counts the slopes only in p",
            "CR*.Wald_test.*.Naive-Fp.p_val": "plm counts the slopes only in p",
            "CR3.*": "plm forgets the effects that cross documents in CR3: not the jackknife",
        }.items()
    },
    # --- more parameters than documents: R keeps the df of an SE that is NaN --------------------------
    **{
        f"{case}:clubSandwich.*.CR1p.{leaf}": "the SE is NaN (K < p), so ragstats gives no df"
        for case in ("docfe_*", "sys3_2clusters", "real_*_lsdv")
        for leaf in ("coef_test.naive-t.df", "linear_contrast.*.naive-t.df")
    },
    "wls_docfe:clubSandwich.*.CR1p.coef_test.naive-t.df": "the SE is NaN (K < p), so no df",
    # --- two documents: the covariance of the constraints has rank 1 ----------------------------------
    "sys3_2clusters:clubSandwich.default.CR*.Wald_test.system_zero.*": "R divides by rounding noise",
    "sys3_2clusters:clubSandwich.default.CR*.Wald_test.all_zero.*": "R divides by rounding noise",
    # --- every score is 1: residuals are 0 here and rounding noise in R -------------------------------
    **{
        f"int_all_equal:{leaf}": "the SE is 0; a statistic of R is its rounding noise"
        for leaf in (
            "clubSandwich.default.CR*.coef_test.*.p",
            "clubSandwich.default.CR*.coef_test.tstat",
            "clubSandwich.default.CR*.linear_contrast.*.p",
            "clubSandwich.default.CR*.Wald_test.*",
            "dfadjust.*.df_IK*",
            "dfadjust.own.rho*",
            "dfadjust.own.sig*",
            "estimatr.*.p",
        )
    },
    # --- second opinions that are known to differ ------------------------------------------------------
    "aliased_column:estimatr.*": "estimatr drops the earlier of two collinear columns, so the model "
    "has other coefficients",
    "docfe_*:vcovCL.CR[23].se": "NaN where a leverage is 1",
    "wls_docfe:vcovCL.CR[23].se": "NaN where a leverage is 1",
    "cov_saturated_cluster:vcovCL.CR[23].se": "NaN or noise where a leverage is 1",
    "real_*_lsdv:vcovCL.CR[23].se": "NaN or noise where a leverage is 1",
    "glm_gamma_log:vcovCL.CR2.se": "vcovCL adjusts the weighted residuals, which is another estimator",
    **{
        f"{case}:vcovCL.CR[23].se": "vcovCL adjusts the weighted residuals: another estimator"
        for case in (
            *("glm_binomial_trials", "glm_fraclogit", "glm_logit", "glm_poisson", "glm_probit"),
            *("wls_invvar", "wls_sampling", "real_bacteria", "real_epil", "real_sat_meta"),
        )
    },
    "int_macro_binary:vcovCL.CR2.se": "vcovCL has no working model of equal variances",
    "wls_macro_systems:vcovCL.CR2.se": "vcovCL has no working model of equal variances",
}
