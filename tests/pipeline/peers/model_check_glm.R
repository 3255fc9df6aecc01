# What model_check_glm.sh has fitted, by glm and lm. The observed statistics of giga are means over draws of the
# posterior, which are 1 / N off in the residuals: a percent or so here.
check <- function(folder) jsonlite::fromJSON(file.path(folder, "run.json"))$model_check
observed <- function(check, of) check$statistics$observed[check$statistics$of == of]
near <- function(what, giga, r, within) {
  cat(sprintf("%-34s giga %9.4f  R %9.4f\n", what, giga, r))
  if (!(abs(giga - r) <= within)) stop(what, " differs by more than ", within)
}

counts <- read.csv("counts.csv")
fit <- glm(y ~ ., poisson, counts)
pearson <- sum(residuals(fit, "pearson")^2) / df.residual(fit)
seen <- check("counts")
near("dispersion of counts", observed(seen, "dispersion"), pearson, 0.02 * pearson)
near("share of zeros", observed(seen, "zeros"), mean(counts$y == 0), 1e-9)
near("zeros by the model", with(seen$statistics, mean[of == "zeros"]), mean(exp(-fitted(fit))), 0.003)
near("sd of counts", observed(seen, "sd"), sd(counts$y), 1e-9)
near("size of the finding", with(seen$findings, size[misfit == "dispersion"]), pearson, 0.02 * pearson)

heavy <- read.csv("heavy.csv")
r <- residuals(lm(y ~ ., heavy))
moment <- function(k) mean((r - mean(r))^k)
seen <- check("heavy")
near("skewness of residuals", observed(seen, "skewness"), moment(3) / moment(2)^1.5, 0.05)
kurtosis <- moment(4) / moment(2)^2
near("kurtosis of residuals", observed(seen, "kurtosis"), kurtosis, 0.02 * kurtosis)
stopifnot("tails" %in% seen$findings$misfit)

labels <- read.csv("labels.csv")
fit <- glm(y > 0 ~ ., binomial, labels)
bins <- check("labels")$bins
stopifnot(nrow(bins) == 10)
decile <- ceiling(10 * rank(fitted(fit), ties.method = "first") / nrow(labels))
for (b in 1:10) {
  p <- fitted(fit)[decile == b]
  near(paste("fitted share of decile", b), bins$fitted[b], mean(p), 0.003)
  # At the edge of a decile a row or two may fall on the other side.
  near(paste("observed share of decile", b), bins$observed[b], mean(labels$y[decile == b] > 0), 0.012)
  near(paste("standard error of decile", b), bins$error[b], sqrt(sum(p * (1 - p))) / length(p), 0.004)
}

spread <- read.csv("spread.csv")
fit <- lm(y ~ x, spread)
z <- cbind(spread$x - mean(spread$x), 1)
inverse <- solve(crossprod(z))
white <- inverse %*% crossprod(z * residuals(fit)) %*% inverse
ratio <- sqrt(white[1, 1] / (summary(fit)$sigma^2 * inverse[1, 1]))
seen <- check("spread")
near("sd by White over that of lm", with(seen$findings, size[misfit == "spread"]), ratio, 0.01)
