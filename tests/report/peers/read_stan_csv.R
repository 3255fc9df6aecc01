# Draws of all three samplers, read by rstan::read_stan_csv and summarised by posterior and rstan, against
# `giga summary --json`. Usage: Rscript read_stan_csv.R path/to/giga
packages <- c("rstan", "posterior", "jsonlite")
missing <- packages[!vapply(packages, function(p) suppressMessages(requireNamespace(p, quietly = TRUE)), TRUE)]
if (length(missing) > 0) {
  cat("skipped: R has no", paste(missing, collapse = ", "), "- install r-cran-<name> of each\n")
  quit(status = 77)
}
giga <- normalizePath(commandArgs(trailingOnly = TRUE)[1])
folder <- tempfile("giga-peer-")
dir.create(folder)
setwd(folder)
run <- function(...) {
  status <- system2(giga, c(..., "--quiet"), stdout = FALSE)
  if (status != 0) stop("giga ", paste(...), " ended with ", status)
}
failures <- 0
largest <- 0
expect <- function(holds, what) {
  if (!isTRUE(holds)) {
    cat("FAILED:", what, "\n")
    failures <<- failures + 1
  }
}
near <- function(ours, theirs, what, tolerance = 1e-6) {
  if (is.null(ours) || is.na(ours)) return(expect(is.na(theirs), what))
  difference <- abs(ours - theirs) / max(abs(theirs), 1e-12)
  largest <<- max(largest, difference)
  expect(difference <= tolerance, paste(what, "ours", format(ours, digits = 15), "theirs", format(theirs, digits = 15)))
}

loose <- function(ours, theirs, what, tolerance) {
  expect(abs(ours - theirs) <= tolerance * abs(theirs), paste(what, "ours", ours, "theirs", theirs))
}

set.seed(1)
n <- 600
x <- data.frame(a = rnorm(n, 3, 2), b = rnorm(n), `x.1` = rnorm(n), check.names = FALSE)
# Names that no file of draws could have: a comma, a formula, a reserved word, an index, a quote.
names(x) <- c("a,b", "=cmd()", "x.1")
x[["if"]] <- rnorm(n)
x[["say \"hi\""]] <- rnorm(n)
y <- rbinom(n, 1, plogis(0.5 * x[[1]] - 1 - 0.7 * x[[4]]))
write.csv(cbind(x, y = y), "data.csv", row.names = FALSE)
run("build", "data.csv", "--family", "bernoulli", "--size", "30", "--out", "coreset.csv")

samplers <- list(nuts = character(0), hmc = c("--draws", "600"), rwmh = c("--thin", "3"))
for (sampler in names(samplers)) {
  run("sample", "coreset.csv", "--sampler", sampler, samplers[[sampler]], "--out", sampler)
  files <- Sys.glob(file.path(sampler, "draws_*.csv"))
  options(warn = 2)  # a warning of read_stan_csv is a failure
  fit <- rstan::read_stan_csv(files)
  options(warn = -1)  # rstan and posterior tell of capped effective sizes
  draws <- posterior::as_draws_array(as.array(fit))
  expect(identical(dim(draws)[2], 4L), paste(sampler, "has four chains"))
  expect(all(lengths(fit@par_dims) == 0), paste(sampler, "has plain parameters only"))
  kind <- c(nuts = "NUTS(dense_e)", hmc = "HMC", rwmh = "Metropolis")[[sampler]]
  expect(identical(fit@stan_args[[1]]$sampler_t, kind), paste(sampler, "is known as", kind))
  diagnostics <- rstan::get_sampler_params(fit, inc_warmup = FALSE)
  expect(all(c("accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__") %in%
               colnames(diagnostics[[1]])), paste(sampler, "has the sampler's columns"))

  record <- jsonlite::fromJSON(paste(system2(giga, c("summary", sampler, "--json", "--quiet"), stdout = TRUE),
                                     collapse = "\n"))
  ours <- record$quantities
  run_record <- jsonlite::fromJSON(file.path(sampler, "run.json"))
  columns <- setNames(run_record$parameters$column, run_record$parameters$name)
  summary <- posterior::summarise_draws(draws, "mean", "median", "sd", "mad",
    q5 = ~ unname(quantile(.x, 0.05)), q95 = ~ unname(quantile(.x, 0.95)), "rhat", "ess_bulk", "ess_tail",
    "mcse_mean", "mcse_sd")
  monitor <- as.data.frame(rstan::monitor(as.array(fit), warmup = 0, print = FALSE))
  for (i in seq_len(nrow(ours))) {
    variable <- ours$variable[i]
    column <- if (variable == "lp__") "lp__" else columns[[variable]]
    theirs <- summary[summary$variable == column, ]
    for (figure in setdiff(names(ours), "variable"))
      near(ours[[figure]][i], theirs[[figure]], paste(sampler, variable, figure))
    # rstan 2.21 has (rank - 1/2) / S for the normal scores, posterior (rank - 3/8) / (S + 1/4) as the paper: what
    # comes of ranks agrees to three digits only.
    near(ours$mean[i], monitor[column, "mean"], paste(sampler, variable, "mean of monitor"))
    loose(ours$rhat[i], monitor[column, "Rhat"], paste(sampler, variable, "rhat of monitor"), 1e-4)
    loose(ours$ess_bulk[i], monitor[column, "Bulk_ESS"], paste(sampler, variable, "bulk ESS of monitor"), 0.01)
    loose(ours$ess_tail[i], monitor[column, "Tail_ESS"], paste(sampler, variable, "tail ESS of monitor"), 0.01)
  }
  expect(nrow(ours) == dim(draws)[3], paste(sampler, "has as many quantities"))
  if (sampler != "rwmh") {
    bfmi <- rstan::get_bfmi(fit)
    # rstan divides the squared steps by S and the variance by S - 1; the ratio of the sums is Betancourt's.
    draws_a_chain <- dim(draws)[1]
    for (c in 1:4)
      near(record$chains$e_bfmi[c] * (draws_a_chain - 1) / draws_a_chain, bfmi[c], paste(sampler, "E-BFMI of chain", c))
  }
}
cat(if (failures == 0) "all agree" else paste(failures, "disagree"), "- largest relative difference", largest, "\n")
setwd("/")
unlink(folder, recursive = TRUE)
quit(status = if (failures == 0) 0 else 1)
