# Intervals of a clustered proportion by R survey: CR1 variance (no strata, no finite population),
# df = documents - 1. Writes svyciprop.json. Data: hit and doc of three regression cases.
suppressMessages({library(survey); library(jsonlite)})
cases <- c("int_binary_unequal", "int_dominant90", "sys2_nointercept")
out <- list(versions = list(R = as.character(getRversion()), survey = as.character(packageVersion("survey"))))
for (case in cases) {
  d <- read.csv(file.path("..", "cases", case, "data.csv"))
  d$doc <- d$doc_id
  design <- svydesign(ids = ~doc, weights = ~1, data = d)
  one <- function(method, level) {
    ci <- svyciprop(~hit, design, method = method, level = level, df = degf(design))
    unname(c(attr(ci, "ci")))
  }
  out[[case]] <- list(mean = unname(coef(svymean(~hit, design))), se = unname(c(SE(svymean(~hit, design)))),
    df = degf(design), beta95 = one("beta", .95), beta90 = one("beta", .90),
    logit95 = one("logit", .95), logit90 = one("logit", .90))
}
writeLines(toJSON(out, digits = 17, auto_unbox = TRUE, pretty = TRUE), "svyciprop.json")
