# R survey's combined and separate ratios on a table of one row per document.
# Run: Rscript separate.R   (writes separate.json beside itself; only survey and jsonlite are called)
suppressMessages({library(survey); library(jsonlite)})
set.seed(77)
K <- c(small = 7, middle = 5, large = 3); M <- c(small = 200, middle = 60, large = 3); X <- c(small = 900, middle = 1500, large = 410)
d <- data.frame(doc = sprintf("d%02d", seq_len(sum(K))), size = factor(rep(names(K), K), names(K)))
d$n <- 1 + rpois(nrow(d), c(small = 3, middle = 20, large = 130)[d$size])
d$s <- round(d$n * plogis(rnorm(nrow(d), c(small = 0, middle = .5, large = -.5)[d$size], .8)), 4)
d$M <- M[d$size]
des <- svydesign(ids = ~doc, strata = ~size, fpc = ~M, data = d)
srs <- svydesign(ids = ~doc, fpc = rep(400, nrow(d)), data = d)
none <- svydesign(ids = ~doc, strata = ~size, data = d, weights = ~1)
num <- function(v) sprintf("%.17g", as.numeric(v))
one <- function(r, des) list(estimate = num(coef(r)), se = num(SE(r)), df = degf(des))
# svyratio(separate = TRUE) of survey 4.1.1 gives NaN here; the strata are independent, so one ratio in each is the same thing
by_stratum <- lapply(names(X), function(h) svyratio(~s, ~n, subset(des, size == h)))
rates <- sapply(by_stratum, coef); variances <- sapply(by_stratum, function(r) SE(r)^2)
args <- commandArgs(FALSE); here <- dirname(sub("--file=", "", args[grep("--file=", args)]))
writeLines(toJSON(list(versions = list(R = as.character(getRversion()), survey = as.character(packageVersion("survey"))),
  data = d, population = as.list(M), totals = as.list(X),
  combined = one(svyratio(~s, ~n, des), des), combined_srs400 = one(svyratio(~s, ~n, srs), srs), combined_no_population = one(svyratio(~s, ~n, none), none),
  strata = list(names = names(X), ratio = num(rates), variance = num(variances)),
  separate = list(estimate = num(sum(X * rates) / sum(X)), se = num(sqrt(sum(X^2 * variances)) / sum(X)), df = degf(des))), auto_unbox = TRUE, dataframe = "columns", digits = I(17)), file.path(here, "separate.json"))
