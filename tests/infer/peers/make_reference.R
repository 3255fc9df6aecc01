#!/usr/bin/env Rscript
# Writes tests/infer/reference/{diagnostics,psis}.json: draws, and what posterior and loo say about them.
#
#   apt-get install --no-install-recommends r-cran-posterior r-cran-loo r-cran-jsonlite
#   tests/infer/peers/make_reference.R [folder]
#
# The stored files come from R 4.2.2, posterior 1.4.0, loo 2.5.1. NA, NaN and infinities are stored as strings.
suppressPackageStartupMessages({
  library(posterior)
  library(loo)
  library(jsonlite)
})

set.seed(20210601)
short <- function(x) signif(x, 7)
normals <- function(draws, chains, f = rnorm) matrix(f(draws * chains), draws, chains)
autoregressive <- function(draws, chains, rho) {
  sapply(seq_len(chains), function(c) {
    x <- numeric(draws)
    x[1] <- rnorm(1)
    for (i in seq_len(draws - 1)) x[i + 1] <- rho * x[i] + sqrt(1 - rho^2) * rnorm(1)
    x
  })
}
with_value <- function(x, where, value) {
  x[where] <- value
  x
}

draw_sets <- list(
  iid_normal = normals(500, 4),
  ar_0.9 = autoregressive(500, 4, 0.9),
  ar_0.99_drifting = autoregressive(200, 4, 0.99),
  different_means = sweep(normals(200, 4), 2, c(0, 0.3, 1, -2), "+"),
  different_scales = sweep(normals(200, 4), 2, c(1, 0.1, 10, 100), "*"),
  cauchy = normals(300, 4, rcauchy),
  skewed = exp(2 * autoregressive(128, 3, 0.5)),
  one_chain = autoregressive(301, 1, 0.5),
  two_chains_5 = normals(5, 2),
  odd_length = autoregressive(151, 3, 0.3),
  odd_length_short = normals(7, 2),
  constant = matrix(3, 50, 4),
  one_chain_constant = with_value(normals(100, 4), cbind(1:100, 2), 1),
  each_chain_constant = matrix(rep(c(1, 2, 3, 4), each = 50), 50, 4),
  halves_constant = rbind(matrix(1, 25, 4), matrix(2, 25, 4)),
  with_nan = with_value(normals(60, 4), 17, NaN),
  with_na = with_value(normals(60, 4), 17, NA),
  with_inf = with_value(normals(60, 4), 100, Inf),
  with_both_infs = with_value(with_value(normals(60, 4), 3, -Inf), 70, Inf),
  mostly_inf = with_value(normals(20, 2), 1:30, Inf),
  infinite_at_q95 = with_value(normals(60, 2), 1:12, Inf),
  antithetic = autoregressive(300, 4, -0.8),
  antithetic_strongly = autoregressive(20, 2, -0.97),
  counts = normals(250, 4, function(n) rpois(n, 2)),
  binary = normals(100, 4, function(n) rbinom(n, 1, 0.1)),
  rare_event = normals(100, 4, function(n) rbinom(n, 1, 0.01)),
  far_from_zero = 1e6 + normals(100, 2),
  small = 1e-5 * normals(100, 2),
  equal_up_to_rounding = 1e-18 * normals(20, 2),
  draws_1 = normals(1, 1), draws_1_chains_3 = normals(1, 3),
  draws_2 = normals(2, 1), draws_3 = normals(3, 1),
  draws_4 = normals(4, 1), draws_4_chains_4 = normals(4, 4),
  draws_6 = normals(6, 1), draws_8 = normals(8, 4), draws_10 = normals(10, 1), draws_12 = normals(12, 2),
  draws_13 = autoregressive(13, 2, 0.9),
  long_chain = autoregressive(4000, 1, 0.7)
)
draw_sets <- lapply(draw_sets, short)

probabilities <- c(0, 0.05, 0.1, 0.5, 0.77, 0.95, 1)
named <- function(x) setNames(as.list(unname(x)), as.character(probabilities))

# Betancourt 2016, equation 5; posterior has no function for it.
bfmi <- function(energy) sum(diff(energy)^2) / sum((energy - mean(energy))^2)

describe <- function(x) {
  list(
    rhat = rhat(x), rhat_basic = rhat_basic(x), ess_bulk = ess_bulk(x), ess_tail = ess_tail(x),
    ess_mean = ess_mean(x), ess_sd = ess_sd(x), mcse_mean = mcse_mean(x), mcse_sd = mcse_sd(x),
    mean = mean(x), sd = sd(x), median = median(x), mad = mad(x),
    q5 = unname(quantile2(x, 0.05)), q50 = unname(quantile2(x, 0.5)), q95 = unname(quantile2(x, 0.95)),
    quantile = named(quantile2(x, probabilities)),
    ess_quantile = named(ess_quantile(x, probabilities)),
    mcse_quantile = named(mcse_quantile(x, probabilities)),
    e_bfmi = I(apply(x, 2, bfmi))
  )
}

ratio_sets <- list(
  normal = list(1, rnorm(1000)),
  normal_correlated = list(0.3, rnorm(1000)),
  normal_antithetic = list(2.5, rnorm(500)),
  light = list(1, log(runif(800))),
  tiny_spread = list(1, 1e-9 * rnorm(300)),
  heavy = list(1, 0.6 * rexp(1000)),
  k_above_1 = list(1, 1.7 * rexp(1000)),
  huge_spread = list(1, 300 * rnorm(400)),
  shifted = list(1, -54321 + 0.5 * rnorm(300)),
  short_20 = list(1, rnorm(20)),
  short_21 = list(1, rnorm(21)),
  short_26 = list(1, 2 * rnorm(26)),
  two = list(1, rnorm(2)),
  constant = list(1, rep(3, 100)),
  equal_tail = list(1, c(rnorm(80) - 3, rep(3, 20))),
  two_values = list(1, c(rep(0, 285), rep(1, 15))),
  one_large = list(1, c(rep(0, 99), 1000)),
  ties = list(1, floor(3 * rnorm(600)) / 3),
  ties_at_the_cutoff = list(1, sample(pmin(rnorm(400), 1)))
)

weigh <- function(set) {
  relative_ess <- set[[1]]
  ratios <- short(set[[2]])
  values <- short(rnorm(length(ratios)))
  p <- suppressWarnings(psis(ratios, r_eff = relative_ess))
  log_weights <- weights(p)[, 1]
  # cov.wt divides by 1 - sum of w^2.
  moments <- cov.wt(cbind(values), exp(log_weights))
  list(
    relative_ess = relative_ess, log_ratios = ratios, values = values, k_hat = unname(p$diagnostics$pareto_k),
    effective_size = unname(p$diagnostics$n_eff), tail_length = attr(p, "tail_len"), log_weights = log_weights,
    mean = unname(moments$center), sd = sqrt(moments$cov[1, 1])
  )
}

arguments <- commandArgs(trailingOnly = TRUE)
script <- sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))
folder <- if (length(arguments) > 0) arguments[1] else file.path(dirname(script), "..", "reference")
save <- function(sets, name) {
  lines <- mapply(function(set, key) {
    paste0(toJSON(key, auto_unbox = TRUE), ": ", toJSON(set, auto_unbox = TRUE, digits = I(15), na = "string"))
  }, sets, names(sets))
  writeLines(c("{", paste0(lines, c(rep(",", length(lines) - 1), "")), "}"), file.path(folder, name))
}
# Chains are the columns in R, the rows in the file.
save(lapply(draw_sets, function(x) list(draws = t(x), expected = describe(x))), "diagnostics.json")
save(lapply(ratio_sets, weigh), "psis.json")
