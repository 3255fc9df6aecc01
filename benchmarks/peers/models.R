# One of the models that giga fit is held against, on all rows, by rstanarm or (student_t) by brms. Prints JSON.
#
#   Rscript models.R MODEL DATA.csv chains cores warmup draws seed
#
# Priors are those of `giga fit --prior 'normal(0, 2.5)' --autoscale`: rstanarm's defaults, which are written out
# here. brms has no autoscale, so that scales are computed for it. Both apply the prior of the intercept to the
# predictor at the mean of all columns, as giga does.
suppressPackageStartupMessages({
  library(jsonlite)
  library(posterior)
})

words <- commandArgs(trailingOnly = TRUE)
model <- words[1]
data <- read.csv(words[2], stringsAsFactors = TRUE)
number <- function(i) as.integer(words[i])
options(mc.cores = number(4))

by_rstanarm <- function(formula, family, ..., fitter = "stan_glm") {
  suppressPackageStartupMessages(library(rstanarm))
  begin <- proc.time()[["elapsed"]]
  fit <- get(fitter)(formula, data = data, family = family, prior = normal(0, 2.5, autoscale = TRUE),
                  prior_aux = exponential(1, autoscale = TRUE), ..., chains = number(3), warmup = number(5),
                  iter = number(5) + number(6), seed = number(7), refresh = 0)
  wall <- proc.time()[["elapsed"]] - begin
  draws <- as.array(fit)
  # Variances of groups, Sigma[g:x,x], as the standard deviations that giga has, sd[x g].
  of_groups <- grepl("^Sigma\\[", dimnames(draws)$parameters)
  draws[, , of_groups] <- sqrt(draws[, , of_groups])
  dimnames(draws)$parameters <- sub("^Sigma\\[(.*):(.*),.*\\]$", "sd[\\2 \\1]", dimnames(draws)$parameters)
  list(wall = wall, draws = as_draws_array(draws), stanfit = fit$stanfit,
       tool = paste("rstanarm", packageVersion("rstanarm")))
}

by_brms <- function(formula, family) {
  suppressPackageStartupMessages(library(brms))
  if (dir.exists("/usr/include/boost")) rstan::rstan_options(boost_lib = "/usr/include")  # where Debian has it
  sd_all <- function(x) sqrt(mean((x - mean(x))^2))
  y <- model.response(model.frame(formula, data))
  x <- model.matrix(formula, data)[, -1]
  prior <- set_prior(sprintf("normal(%.17g, %.17g)", mean(y), 2.5 * sd_all(y)), class = "Intercept") +
    set_prior(sprintf("exponential(%.17g)", 1 / sd_all(y)), class = "sigma") +
    set_prior("gamma(2, 0.1)", class = "nu")
  for (column in colnames(x))
    prior <- prior + set_prior(sprintf("normal(0, %.17g)", 2.5 * sd_all(y) / sd_all(x[, column])), class = "b",
                               coef = column)
  compiled <- brm(formula, data = data, family = family, prior = prior, chains = 0)
  begin <- proc.time()[["elapsed"]]
  fit <- update(compiled, recompile = FALSE, chains = number(3), warmup = number(5), iter = number(5) + number(6),
                seed = number(7), refresh = 0)
  draws <- as_draws_array(fit)
  variables(draws) <- sub("^b_Intercept$", "(Intercept)", variables(draws))
  variables(draws) <- sub("^b_", "", variables(draws))
  list(wall = proc.time()[["elapsed"]] - begin, draws = draws, stanfit = fit$fit,
       tool = paste("brms", packageVersion("brms")))
}

fit <- switch(model,
  gaussian = by_rstanarm(temp ~ hour + distance + carrier, gaussian(),
                         prior_intercept = normal(mean(data$temp), 2.5, autoscale = TRUE)),
  binomial = by_rstanarm(late ~ hour + carrier + origin * distance, binomial(),
                         prior_intercept = normal(0, 2.5, autoscale = TRUE)),
  neg_binomial_2 = by_rstanarm(delays ~ hour + carrier + distance + offset(log(days)), neg_binomial_2(),
                               prior_intercept = normal(0, 2.5, autoscale = TRUE)),
  Gamma = by_rstanarm(minutes ~ hour + carrier + distance, Gamma("log"),
                      prior_intercept = normal(0, 2.5, autoscale = TRUE)),
  groups = by_rstanarm(missed ~ hour + distance + (1 | tail), binomial(),  # sd of tails ~ exponential(1)
                       prior_intercept = normal(0, 2.5, autoscale = TRUE), prior_covariance = decov(1, 1, 1, 1),
                       fitter = "stan_glmer"),
  student_t = by_brms(error ~ hour + distance + carrier, student()),
  stop("no model ", model))

summary <- summarise_draws(fit$draws, mean, sd, "mcse_mean", "mcse_sd", "ess_bulk", "rhat")
seconds <- rstan::get_elapsed_time(fit$stanfit)  # of each chain, compilation not included
cat(toJSON(list(tool = fit$tool, wall = fit$wall, chain_seconds = unname(rowSums(seconds)), summary = summary),
           auto_unbox = TRUE, digits = NA))
