# NUTS on all rows by rstanarm: the job of `giga sample`. Prints JSON.
#
#   Rscript rstanarm.R DATA.csv chains cores warmup draws seed
#
# The features of DATA.csv are standardised already, so that rstanarm's centring changes nothing, and the prior
# is N(0, 1) for intercept and coefficients alike, as giga's.
suppressPackageStartupMessages({
  library(rstanarm)
  library(jsonlite)
  library(posterior)
})

words <- commandArgs(trailingOnly = TRUE)
number <- function(i) as.integer(words[i])
data <- read.csv(words[1])
options(mc.cores = number(3))

unit <- normal(0, 1, autoscale = FALSE)
begin <- proc.time()[["elapsed"]]
fit <- stan_glm(y ~ ., data = data, family = binomial(), prior = unit, prior_intercept = unit,
                chains = number(2), warmup = number(4), iter = number(4) + number(5), seed = number(6),
                refresh = 0)
wall <- proc.time()[["elapsed"]] - begin

# stan_glm keeps no warm-up draws, so leapfrog steps are counted after it.
steps <- sapply(rstan::get_sampler_params(fit$stanfit, inc_warmup = FALSE), function(s) sum(s[, "n_leapfrog__"]))
seconds <- rstan::get_elapsed_time(fit$stanfit)  # of each chain, compilation not included
draws <- as_draws_array(as.array(fit))
summary <- summarise_draws(draws, mean, sd, "mcse_mean", "mcse_sd", "ess_bulk", "ess_tail", "rhat")
cat(toJSON(list(wall = wall, chain_seconds = unname(rowSums(seconds)), step_seconds = unname(seconds[, "sample"]),
                leapfrog_steps = unname(steps),
                version = as.character(packageVersion("rstanarm")), summary = summary),
           auto_unbox = TRUE, digits = NA))
