# Holds the columns that formulas make against R's model.matrix: names, order and values.
#
#   LC_ALL=C Rscript model_matrix.R PRINT_MATRIX [TABLES [FORMULAS]]
#
# Tables are random: numbers, a category with an empty level, texts, a logical, a number with few values, names
# that need backticks. For each table, formulas are drawn: fixed shapes with variables put in, and sums and
# products of random variables. Exit code 1 if a name, the order or a value (by more than 1e-12 of the column's
# largest) differs, or if one of the two refuses what the other accepts.
suppressMessages(library(splines))
args <- commandArgs(trailingOnly = TRUE)
program <- args[1]
tables <- if (length(args) > 1) as.integer(args[2]) else 60L
per_table <- if (length(args) > 2) as.integer(args[3]) else 10L
set.seed(20240229)

pick <- function(x, n = 1) x[sample.int(length(x), n)]

make_table <- function() {
  n <- pick(c(12L, 25L, 60L, 200L))
  words <- c("UA", "AA", "B6", "DL", "zz", "a b", "x:y", "9E")
  d <- list()
  d$x <- round(rnorm(n, 5, 3), 3)
  d$z <- c(1, 19, runif(n - 2, 0.5, 20))
  d$u <- rexp(n) + 0.01
  d$k <- as.numeric(sample(1:4, n, TRUE))
  d$big <- 1e4 + rnorm(n)
  d$a <- factor(sample(c("p", "q", "r"), n, TRUE), levels = c("p", "q", "r"))
  d$b <- factor(sample(c("lo", "hi"), n, TRUE), levels = c("hi", "lo"))
  d$e <- factor(sample(c("e1", "e3"), n, TRUE), levels = c("e1", "e2", "e3"))
  d$carrier <- c("UA", sample(words[1:sample(3:8, 1)], n - 1, TRUE))
  d$late <- sample(c(TRUE, FALSE), n, TRUE)
  d$one <- factor(rep("only", n))
  d[["dep delay"]] <- round(rnorm(n, 0, 2), 2)
  d[["air-port"]] <- sample(c("JFK", "LGA", "EWR"), n, TRUE)
  d[["2nd"]] <- rnorm(n)
  as.data.frame(d, check.names = FALSE, optional = TRUE, stringsAsFactors = FALSE)
}

numbers <- c("x", "z", "u", "k", "`dep delay`", "`2nd`")
categories <- c("a", "b", "e", "carrier", "late", "`air-port`")
number <- function() pick(c(numbers, "log(u)", "I(x^2)", "sqrt(z)", "I(x/z + 1)", "exp(-u)", "I(2 * x - z)",
                            "abs(x)", "pmin(x, z)", "pmax(x, 0, u)", "log1p(u)", "sin(2 * pi * x)", "round(z)",
                            "I((x + z)^2)", "floor(z)", "ceiling(u)", "sign(x)", "I(k%%2)", "I(z%/%3)",
                            "cos(x)", "log2(z)", "log10(z)", "expm1(-u)", "I(-x)", "I(x^3)", "I(1e-4 * big)"))
category <- function() pick(c(categories, "factor(k)", "I(x > 5)", "relevel(a, \"q\")", "relevel(b, ref = \"lo\")",
                              "factor(e)", "I(x > 4 & z < 10)", "(x >= 5)", "I(carrier == \"UA\" | late)",
                              "factor(a, levels = c(\"r\", \"q\", \"p\"))", "relevel(factor(k), \"2\")",
                              "(!late)", "I(k != 2)", "factor(late)", "I(!(x > 5))", "factor(round(z/5))"))
basis <- function() pick(c("poly(x, 2)", "poly(z, 3)", "poly(x, degree = 2, raw = TRUE)", "poly(x, 1)", "ns(x, 3)",
                           "ns(z, df = 4)", "ns(x)", "bs(x)", "bs(z, df = 5)", "bs(x, 4)", "bs(u, df = 4, degree = 2)",
                           "bs(z, knots = c(5, 10))", "ns(z, knots = c(5, 10, 15))", "poly(log(u), 2)",
                           "ns(log(z), df = 2)", "ns(x, df = 3, intercept = TRUE)", "bs(x, df = 6, intercept = TRUE)",
                           "bs(z, degree = 1, knots = 8)", "ns(z, df = 3, Boundary.knots = c(2, 18))",
                           "bs(z, df = 5, Boundary.knots = c(2, 18))", "ns(k, 2)", "bs(k, df = 4)", "poly(big, 2)",
                           "poly(k, 3)", "ns(big, 5)", "ns(x, 7)", "bs(`dep delay`, df = 4)"))
any_variable <- function() switch(sample.int(5, 1), number(), number(), category(), category(), basis())
simple <- function() pick(c(numbers[1:4], categories))

shapes <- list(
  function() paste("~", number(), "+", category()),
  function() paste("~", number(), "*", category()),
  function() paste("~", category(), "*", category()),
  function() paste("~", category(), ":", category()),
  function() paste("~ 0 +", category(), "+", category()),
  function() paste("~", number(), ":", category(), "- 1"),
  function() paste("~", category(), "/", number()),
  function() paste("~", category(), "/", category(), "/", number()),
  function() paste0("~ (", simple(), " + ", simple(), " + ", simple(), ")^2"),
  function() paste0("~ (", simple(), " + ", simple(), " + ", simple(), " + ", category(), ")^3"),
  function() paste0("~ (", simple(), " + ", simple(), ") %in% ", category()),
  function() { a <- category(); b <- any_variable(); paste0("~ ", a, " * ", b, " - ", a, ":", b) },
  function() { a <- category(); b <- category(); paste0("~ ", a, " * ", b, " - ", a) },
  function() { a <- category(); b <- category(); paste0("~ ", a, " + ", a, ":", b, ":", number()) },
  function() paste("~", basis(), "+", category()),
  function() paste("~", basis(), "*", category()),
  function() paste("~", basis(), ":", basis()),
  function() paste("~ 0 +", basis(), ":", category(), "+", number()),
  function() "~ . - one",
  function() paste("~ . - one - carrier +", category(), ":", number()),
  function() "~ (x + a + b + `dep delay`) * late",
  function() paste("~ one +", number()),
  function() paste("~", number(), "+ 0 + 1 +", category(), "+", number(), "-", number()),
  function() paste("~ -1 +", category(), "*", category(), "*", number()),
  function() paste("~", any_variable(), "+", any_variable(), "*", any_variable(), "+", any_variable()),
  function() paste("~", any_variable(), ":", any_variable(), "+", any_variable()),
  function() paste("~ 0 +", number(), "*", category(), "+ offset(log(u))"),
  function() paste("~", category(), "+", category(), ":", category(), ":", category()),
  function() paste0("~ ", category(), "*", category(), "*", category(), "-", "a:b"),
  function() paste("~ 1"))

hex <- function(x) paste(sprintf("%a", x), collapse = " ")
column_lines <- function(name, values) {
  if (is.numeric(values)) return(c(paste("number", name), hex(values)))
  f <- if (is.logical(values)) factor(values, levels = c(FALSE, TRUE)) else factor(values, levels = if (is.factor(values)) levels(values) else sort(unique(values)))
  c(paste("category", nlevels(f), name), levels(f), paste(as.integer(f) - 1L, collapse = " "))
}

# Every shape once in a while: the k-th formula of all takes shape k modulo their number.
cases <- list()
lines <- character()
drawn <- 0L
for (t in seq_len(tables)) {
  d <- make_table()
  lines <- c(lines, paste("table", nrow(d)), unlist(lapply(names(d), function(j) column_lines(j, d[[j]]))))
  for (f in seq_len(per_table)) {
    drawn <- drawn + 1L
    text <- shapes[[(drawn - 1L) %% length(shapes) + 1L]]()
    lines <- c(lines, paste("formula", text))
    cases[[drawn]] <- list(text = text, data = d)
  }
}
input <- tempfile()
writeLines(lines, input)
output <- system2(program, stdin = input, stdout = TRUE)

failures <- 0L
fail <- function(case, ...) {
  failures <<- failures + 1L
  if (failures <= 20) cat("FAILED ", case$text, ": ", ..., "\n", sep = "")
}
at <- 1L
worst <- 0
columns <- 0L
refused <- 0L
for (case in cases) {
  # R wants two levels of every category that a formula mentions, giga only of those in terms.
  kept <- if (startsWith(case$text, "~ . - one")) case$data[names(case$data) != "one"] else case$data
  text <- sub("- one", "", case$text)
  want <- tryCatch(suppressWarnings(model.matrix(as.formula(text), kept)), error = function(e) e)
  head <- output[at]
  at <- at + 1L
  if (startsWith(head, "error")) {
    refused <- refused + 1L
    if (!inherits(want, "error")) fail(case, "R has ", ncol(want), " columns; giga: ", head)
    next
  }
  count <- as.integer(sub("columns ", "", head))
  names <- output[at - 1L + seq_len(count)]
  at <- at + count
  rows <- output[at - 1L + seq_len(nrow(case$data))]
  at <- at + nrow(case$data)
  if (inherits(want, "error")) {
    fail(case, "giga has ", count, " columns; R: ", conditionMessage(want))
    next
  }
  if (!identical(names, colnames(want))) {
    fail(case, "names are ", paste(names, collapse = " | "), " and not ", paste(colnames(want), collapse = " | "))
    next
  }
  got <- matrix(as.numeric(unlist(strsplit(rows, " "))), nrow = nrow(case$data), byrow = TRUE)
  size <- pmax(1, apply(abs(want), 2, max))
  apart <- max(abs(sweep(got - want, 2, size, "/")))
  columns <- columns + count
  if (!is.finite(apart) || apart > 1e-12) fail(case, "a value differs by ", format(apart))
  else worst <- max(worst, apart)
}
if (at != length(output) + 1L) fail(list(text = "output"), "has lines left over")
cat(length(cases), "formulas on", tables, "tables,", length(unique(vapply(cases, `[[`, "", "text"))), "of them different;",
    columns, "columns;", refused, "refused by both; largest difference", format(worst), "; failures:", failures, "\n")
quit(status = if (failures > 0 || refused > length(cases) / 4) 1 else 0)
