# R survey's answers on designs with strata of one unit, under each rule for them.
# Run: Rscript lonely.R   (writes lonely.json beside itself; only survey and jsonlite are called)
suppressMessages({library(survey); library(jsonlite)})
r <- function(x) round(x, 6)
set.seed(20240)
documents <- function(sizes, M, chunks = FALSE) {
  out <- list(); id <- 0
  for (h in names(sizes)) for (j in seq_len(sizes[[h]])) {
    id <- id + 1; u <- rnorm(1, .6, .2); Md <- sample(3:7, 1)
    md <- if (chunks) sample(1:min(3, Md), 1) else 1
    for (k in seq_len(md)) { Qc <- sample(2:5, 1); q <- sample(2:Qc, 1)
      for (i in seq_len(q)) out[[length(out) + 1]] <- data.frame(
        doc = sprintf("d%02d", id), h = h, M = M[[h]], chunk = sprintf("c%d", k), Md = Md, query = i, Qc = Qc,
        g = c("s", "t")[1 + (runif(1) < .4)], y = r(u + rnorm(1, 0, .3)), x = r(1 + rexp(1)), w = r(1 + runif(1))) } }
  do.call(rbind, out) }
one <- documents(c(a = 4, b = 3, c = 1), c(a = 20, b = 10, c = 5))
census <- documents(c(a = 4, b = 1, c = 1, e = 3), c(a = 20, b = 10, c = 1, e = 9))
two <- documents(c(a = 4, b = 4), c(a = 20, b = 10), TRUE)
both <- documents(c(a = 3, b = 1, c = 3), c(a = 15, b = 4, c = 6), TRUE)
sub <- documents(c(a = 4, b = 3), c(a = 20, b = 10), TRUE)
sub$kind <- ifelse(sub$chunk == "c1", "first", "other"); sub$Mk <- ifelse(sub$kind == "first", 2L, 4L)
pairs <- documents(c(a = 3, b = 3), c(a = 15, b = 9), TRUE)[, c("doc", "h", "M", "g", "y", "x")]
pairs <- do.call(rbind, lapply(split(pairs, pairs$doc), function(d) { d <- d[rep_len(seq_len(nrow(d)), 8), ]
  d$chunk <- rep(c("c1", "c2", "c3", "c4"), each = 2); d$kind <- ifelse(d$chunk == "c1", "first", "other"); d$Mk <- ifelse(d$kind == "first", 2L, 7L)
  d$y <- r(d$y + rnorm(8, 0, .2)); d$x <- r(d$x + runif(8)); d }))
designs <- list(
  average_below = list(data = pairs, ids = c("doc", "chunk"), strata = c("h", "kind"), fpc = c("M", "Mk")),
  one_fpc = list(data = one, ids = "doc", strata = "h", fpc = "M"),
  one_weights = list(data = one, ids = "doc", strata = "h", weights = "w"),
  census_and_lonely = list(data = census, ids = "doc", strata = "h", fpc = "M"),
  two_stage = list(data = two, ids = c("doc", "chunk"), strata = "h", fpc = c("M", "Md")),
  three_stage = list(data = both, ids = c("doc", "chunk", "query"), strata = "h", fpc = c("M", "Md", "Qc")),
  lonely_both = list(data = both, ids = c("doc", "chunk"), strata = "h", fpc = c("M", "Md")),
  strata_both = list(data = sub, ids = c("doc", "chunk"), strata = c("h", "kind"), fpc = c("M", "Mk")))
f <- function(v) if (is.null(v)) NULL else as.formula(paste("~", paste(v, collapse = " + ")))
num <- function(v) { v <- as.numeric(v); ifelse(is.nan(v) | is.na(v), "NaN", ifelse(is.infinite(v), "Inf", sprintf("%.17g", v))) }
safe <- function(e) tryCatch(suppressWarnings(e), error = function(err) list(error = conditionMessage(err)))
ask <- function(des) list(
  mean = safe({m <- svymean(~y + x, des); list(estimate = num(coef(m)), vcov = num(vcov(m)))}),
  total = safe({m <- svytotal(~y + x, des); list(estimate = num(coef(m)), vcov = num(vcov(m)))}),
  ratio = safe({m <- svyratio(~y, ~x, des); list(estimate = num(coef(m)), vcov = num(vcov(m)))}),
  domain = safe({m <- svyby(~y, ~g, des, svymean, covmat = TRUE); list(names = names(coef(m)), estimate = num(coef(m)), vcov = num(vcov(m)))}),
  glm = safe({m <- svyglm(y ~ x + g, des); list(names = names(coef(m)), estimate = num(coef(m)), vcov = num(vcov(m)), df = m$df.residual)}))
res <- lapply(designs, function(d) { options(survey.lonely.psu = "certainty")
  des <- svydesign(ids = f(d$ids), strata = f(d$strata), fpc = f(d$fpc), weights = f(d$weights), data = d$data, nest = TRUE)
  rules <- lapply(setNames(nm = c("fail", "adjust", "certainty", "average", "remove")), function(rule) { options(survey.lonely.psu = rule); ask(des) })
  c(d[setdiff(names(d), "data")], list(data = d$data, degf = degf(des), row_weights = num(weights(des)), rules = rules)) })
args <- commandArgs(FALSE); here <- dirname(sub("--file=", "", args[grep("--file=", args)]))
writeLines(toJSON(list(versions = list(R = as.character(getRversion()), survey = as.character(packageVersion("survey"))), designs = res), auto_unbox = TRUE, dataframe = "columns", digits = I(17)), file.path(here, "lonely.json"))
