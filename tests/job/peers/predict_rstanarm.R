# `tables` writes train.csv and new.csv; `compare` fits the models of predict_rstanarm.sh with rstanarm and holds
# its predictions for the new rows against those of giga, in Monte Carlo standard errors.
suppressPackageStartupMessages({
  library(rstanarm)
  library(posterior)
})
bound <- 5  # of 1,200 comparisons, many of them of the same draws: less than 1e-3 that any is beyond it by chance
independent <- 8000  # of the 16,000 draws of giga, at least

write_tables <- function() {
  set.seed(4)
  n <- 1060
  data <- data.frame(hour = sample(5:23, n, TRUE), carrier = sample(c("AA", "B6", "UA"), n, TRUE),
                     distance = round(runif(n, 0.1, 2.5), 3), days = sample(1:30, n, TRUE))
  effect <- c(AA = 0, B6 = 0.5, UA = -0.3)[data$carrier]
  data$temp <- round(10 + 0.4 * data$hour + 3 * effect * data$distance + rnorm(n, 0, 4), 3)
  data$late <- ifelse(runif(n) < plogis(0.1 * (data$hour - 14) + effect), "yes", "no")
  data$delays <- rnbinom(n, size = 1.5, mu = data$days * exp(0.05 * (data$hour - 12) + effect - 1))
  write.csv(data[1:1000, ], "train.csv", row.names = FALSE, quote = FALSE)
  write.csv(data[1001:1060, 1:4], "new.csv", row.names = FALSE, quote = FALSE)
}

failures <- 0
check <- function(model, what, z) {
  cat(sprintf("%s: %s: %d rows, largest |z| %.1f\n", model, what, length(z), max(abs(z))))
  if (!all(is.finite(z)) || any(abs(z) > bound)) {
    cat("  beyond the bound\n")
    failures <<- failures + 1
  }
}

# draws: of one row a column; chains of 1000 below each other.
compare_model <- function(model, fit, new, offset = NULL) {
  ours <- read.csv(paste0(model, ".csv"))
  expected <- posterior_epred(fit, newdata = new, offset = offset)
  drawn <- posterior_predict(fit, newdata = new, offset = offset, seed = 3)
  in_chains <- function(x) matrix(x, ncol = 4)
  spread <- apply(expected, 2, sd)
  error <- apply(expected, 2, function(x) mcse_mean(in_chains(x)))
  check(model, "mean of the expected response", (ours$epred_mean - colMeans(expected)) /
          sqrt(error^2 + spread^2 / independent))
  error <- apply(expected, 2, function(x) mcse_sd(in_chains(x)))
  check(model, "sd of the expected response", (ours$epred_sd - spread) /
          sqrt(error^2 + spread^2 / (2 * independent)))
  n <- nrow(drawn)
  spread <- apply(drawn, 2, sd)
  check(model, "mean of a new observation", (ours$new_mean - colMeans(drawn)) /
          (spread * sqrt(1 / n + 1 / independent)))
  # The sd of s^2 is sqrt((m4 - m2^2) / n), that of s half of it over s. That of a label follows from its mean.
  fourth <- apply(drawn, 2, function(x) mean((x - mean(x))^4))
  if (max(drawn) > 1)
    check(model, "sd of a new observation", (ours$new_sd - spread) /
            (sqrt(fourth - spread^4) / (2 * spread) * sqrt(1 / n + 1 / independent)))
  # A share p of theirs is at most our quantile: as near as a discrete distribution allows.
  for (p in c(0.05, 0.5, 0.95)) {
    quantile <- ours[[sprintf("new_q%g", 100 * p)]]
    below <- colMeans(sweep(drawn, 2, quantile, "<"))
    up_to <- colMeans(sweep(drawn, 2, quantile, "<="))
    off <- ifelse(p < below, p - below, ifelse(p > up_to, p - up_to, 0))
    check(model, sprintf("quantile %g of a new observation", p), off / sqrt(p * (1 - p) * (1 / n + 1 / independent)))
  }
}

compare <- function() {
  options(mc.cores = 2)
  train <- read.csv("train.csv", stringsAsFactors = TRUE)
  new <- read.csv("new.csv", stringsAsFactors = TRUE)
  fitted <- function(formula, family, ...) {
    stan_glm(formula, data = train, family = family, prior = normal(0, 2.5, autoscale = TRUE),
             prior_aux = exponential(1, autoscale = TRUE), ..., seed = 1, refresh = 0)
  }
  unit <- normal(0, 2.5, autoscale = TRUE)
  compare_model("gaussian", fitted(temp ~ hour + carrier * distance, gaussian(),
                                   prior_intercept = normal(mean(train$temp), 2.5, autoscale = TRUE)), new)
  compare_model("binomial", fitted(late ~ hour + carrier, binomial(), prior_intercept = unit), new)
  compare_model("neg_binomial_2", fitted(delays ~ hour + carrier + offset(log(days)), neg_binomial_2(),
                                         prior_intercept = unit), new, offset = log(new$days))
  quit(status = if (failures > 0) 1 else 0)
}

if (commandArgs(trailingOnly = TRUE)[1] == "tables") write_tables() else compare()
