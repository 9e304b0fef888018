# One peer of R in a process of its own: Rscript worker.R KEY FOLDER WARM_FOLDER; see worker.py.

suppressPackageStartupMessages(library(jsonlite))

say <- function(...) {
  cat(toJSON(list(...), auto_unbox = TRUE, digits = NA, na = "null"), "\n", sep = "")
  flush(stdout())
}

read_rows <- function(folder) {
  size <- fromJSON(file.path(folder, "size.json"))
  n <- size$rows
  design <- matrix(readBin(file.path(folder, "design.bin"), "double", n * size$columns), n)
  data.frame(
    y = readBin(file.path(folder, "outcome.bin"), "double", n),
    x1 = design[, 2], x2 = design[, 3], x3 = design[, 4],
    doc = readBin(file.path(folder, "groups.bin"), "integer", n)
  )
}

# Bell and McCaffrey's CR2 with the df of Imbens and Kolesar (2016), as their equations say it:
# roots of n_g x n_g matrices, and the K x K matrix G' Omega G of each coefficient.
dense_brl <- function(data) {
  x <- cbind(1, data$x1, data$x2, data$x3)
  n <- nrow(x)
  bread <- solve(crossprod(x))
  residuals <- drop(data$y - x %*% (bread %*% crossprod(x, data$y)))
  documents <- lapply(split(seq_len(n), data$doc), function(i) {
    xg <- x[i, , drop = FALSE]
    of_hat <- eigen(diag(length(i)) - xg %*% bread %*% t(xg), symmetric = TRUE)
    root <- ifelse(of_hat$values > 1e-10, 1 / sqrt(of_hat$values), 0)
    v <- of_hat$vectors %*% (root * crossprod(of_hat$vectors, xg %*% bread))
    list(score = crossprod(v, residuals[i]), square = colSums(v^2), inner = crossprod(xg, v),
         v1 = colSums(v), x1 = colSums(xg), e1 = sum(residuals[i]), size = length(i))
  })
  rows <- function(name) t(vapply(documents, function(d) c(d[[name]]), numeric(ncol(x))))
  size <- vapply(documents, `[[`, 0, "size")
  e1 <- vapply(documents, `[[`, 0, "e1")
  rho <- if (all(size == 1)) 0 else (sum(e1^2) - sum(residuals^2)) / (sum(size^2) - n)
  sigma2 <- max(mean(residuals^2) - rho, 0)
  x1 <- rows("x1")
  df <- vapply(seq_len(ncol(x)), function(j) {
    inner <- t(vapply(documents, function(d) d$inner[, j], numeric(ncol(x))))
    square <- rows("square")[, j]
    v1 <- rows("v1")[, j]
    cross <- (v1 * x1) %*% bread %*% t(inner)  # K x K
    p <- diag(sigma2 * square + rho * v1^2) - rho * (cross + t(cross)) +
      inner %*% bread %*% (rho * crossprod(x1) %*% bread - sigma2 * diag(ncol(x))) %*% t(inner)
    sum(diag(p))^2 / sum(p^2)
  }, 0)
  list(se = sqrt(rowSums(vapply(documents, function(d) d$score^2, numeric(ncol(x))))), df = df)
}

# package: what must be installed; fit: what is timed; values: its numbers.
clubsandwich_cr2 <- function(data) {
  fit <- lm(y ~ x1 + x2 + x3, data)
  list(fit = fit, vcov = clubSandwich::vcovCR(fit, cluster = data$doc, type = "CR2"))
}
peers <- list(
  estimatr = list(
    package = "estimatr",
    fit = function(data) {
      estimatr::lm_robust(y ~ x1 + x2 + x3, data, clusters = doc, se_type = "CR2")
    },
    values = function(r) list(se = unname(r$std.error), df = unname(r$df))
  ),
  clubsandwich = list(
    package = "clubSandwich",
    fit = function(data) {
      r <- clubsandwich_cr2(data)
      clubSandwich::coef_test(r$fit, vcov = r$vcov, test = "Satterthwaite")
    },
    values = function(r) list(se = r$SE, df = r$df_Satt)
  ),
  dense = list(package = "base", fit = dense_brl, values = identity),
  `clubsandwich-joint` = list(
    package = "clubSandwich",
    fit = function(data) {
      r <- clubsandwich_cr2(data)
      clubSandwich::Wald_test(
        r$fit, constraints = clubSandwich::constrain_zero(2:4), vcov = r$vcov, test = "HTZ"
      )
    },
    values = function(r) list(F = r$Fstat, df = r$df_denom)
  )
)

status <- function(field) {
  lines <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  line <- grep(paste0("^", field), lines, value = TRUE)
  if (length(line)) as.numeric(gsub("[^0-9]", "", line)) / 1024 else NaN
}
forget_peak <- function() {
  tryCatch(cat("5", file = "/proc/self/clear_refs"), error = function(e) NULL)
}

turn <- function(fit) {
  taken <- numeric()
  while (length(taken) < 10 && sum(taken) < 0.25) {
    gc(full = TRUE)
    start <- as.numeric(Sys.time())
    fit()
    taken <- c(taken, as.numeric(Sys.time()) - start)
  }
  taken
}

main <- function(key, folder, warm) {
  peer <- peers[[key]]
  if (!requireNamespace(peer$package, quietly = TRUE)) {
    say(absent = paste(peer$package, "is not installed"))
    return(invisible())
  }
  suppressMessages(peer$fit(read_rows(warm)))
  data <- read_rows(folder)
  versions <- list(R = paste(R.version$major, R.version$minor, sep = "."))
  versions[["LAPACK of R"]] <- basename(La_library())
  if (peer$package != "base") versions[[peer$package]] <- format(packageVersion(peer$package))
  say(ready = TRUE, versions = versions)
  input <- file("stdin", "r")
  while (length(command <- readLines(input, 1))) {
    if (command == "turn") {
      say(seconds = I(turn(function() peer$fit(data))))
      next
    }
    gc(full = TRUE)
    forget_peak()
    before <- status("VmRSS")
    start <- as.numeric(Sys.time())
    result <- tryCatch(peer$fit(data), error = identity)
    seconds <- as.numeric(Sys.time()) - start
    if (inherits(result, "error")) {
      told <- conditionMessage(result)
      if (!grepl("cannot allocate|too large|memory", told)) stop(told)
      say(no_memory = told)
      return(invisible())
    }
    say(seconds = seconds, memory = status("VmHWM") - before, values = peer$values(result))
  }
}

do.call(main, as.list(commandArgs(trailingOnly = TRUE)))
