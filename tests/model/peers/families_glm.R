# In the folder of families_glm.sh: coefficients, sigma, phi and shape at the mode of all rows by giga, within 1e-6 of
# those that R finds.
exact <- glm.control(epsilon = 1e-12, maxit = 100)

# The array "laplace" of a run.json: objects with a name, a mean and an sd.
laplace_of <- function(folder) {
  text <- paste(readLines(file.path(folder, "run.json")), collapse = " ")
  array <- sub('.*"laplace": *\\[([^]]*)\\].*', "\\1", text)
  pattern <- '"name": *"([^"]*)", *"mean": *([^,]*), *"sd": *([^ }]*)'
  each <- regmatches(array, gregexpr(pattern, array))[[1]]
  part <- function(k) sub(pattern, paste0("\\", k), each)
  data.frame(name = part(1), mean = as.numeric(part(2)), sd = as.numeric(part(3)))
}

labels <- function(link) {
  data <- read.csv(paste0(link, ".csv"))
  data$y <- (data$y + 1) / 2
  coef(glm(y ~ ., binomial(link), data, control = exact))
}
gaussian_mode <- function() {
  fit <- lm(y ~ ., read.csv("gaussian.csv"))
  c(coef(fit), sigma = sqrt(mean(resid(fit)^2)))
}
counts_mode <- function() {
  fit <- MASS::glm.nb(y ~ ., read.csv("negative_binomial.csv"), control = exact)
  c(coef(fit), phi = fit$theta)
}
gamma_mode <- function() {
  fit <- glm(y ~ ., Gamma("log"), read.csv("gamma.csv"), control = exact)
  c(coef(fit), shape = MASS::gamma.shape(fit, it.lim = 100, eps.max = 1e-12)$alpha)
}
known <- list(probit = labels("probit"), cloglog = labels("cloglog"), gaussian = gaussian_mode(),
              negative_binomial = counts_mode(), gamma = gamma_mode())
for (name in names(known)) {
  found <- laplace_of(name)
  # What theta has the logarithm of is recorded with the moments of a lognormal distribution.
  spread <- log1p((found$sd / found$mean)^2)
  positive <- found$name %in% c("sigma", "phi", "shape")
  mode <- ifelse(positive, exp(log(abs(found$mean)) - spread / 2), found$mean)
  names(mode) <- sub("(intercept)", "(Intercept)", found$name, fixed = TRUE)
  apart <- max(abs(mode[names(known[[name]])] - known[[name]]))
  cat(sprintf("%-18s %.1e\n", name, apart))
  if (!(apart < 1e-6)) quit(status = 1)
}
