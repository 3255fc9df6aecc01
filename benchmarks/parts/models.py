"""Models on 5,000 rows: `giga fit` against rstanarm and brms under the same priors, results and times."""
import math
import resource
import shutil
import statistics
import subprocess
import time

from parts.common import CORES, PEERS, PYTHON, count, number, output_of, say, table

# A row per route: labels, counts over some days, and measurements. Seen by all models through a formula.
WRITER = """
import sys, numpy
path, num_rows = sys.argv[1], int(sys.argv[2])
random = numpy.random.default_rng(5)
carriers, origins = numpy.array(["9E", "AA", "B6", "UA"]), numpy.array(["EWR", "JFK", "LGA"])
carrier, origin = random.integers(0, 4, num_rows), random.integers(0, 3, num_rows)
hour, distance = random.integers(5, 24, num_rows), random.integers(90, 2500, num_rows) / 1000
days = random.integers(1, 31, num_rows)
effect = numpy.array([0, 0.3, -0.4, 0.2])[carrier]
s = 0.08 * (hour - 12) + effect + 0.4 * distance * (origin == 1) - 0.3
late = numpy.where(random.random(num_rows) < 1 / (1 + numpy.exp(-s)), "yes", "no")
mean = days * numpy.exp(0.05 * (hour - 12) + effect - 0.2 * distance - 0.5)
delays = random.negative_binomial(1.7, 1.7 / (1.7 + mean))
minutes = random.gamma(2.5, numpy.exp(2 + 0.04 * (hour - 12) + effect + 0.5 * distance) / 2.5)
temp = 12 + 0.5 * (hour - 12) + 4 * effect - 1.5 * distance + 6 * random.standard_normal(num_rows)
error = 3 + 0.2 * (hour - 12) + 2 * effect + 0.8 * distance + 2 * random.standard_t(4, num_rows)
tail = random.integers(0, 25, num_rows)
missed_s = 0.1 * (hour - 12) - 0.4 * distance + 0.6 * random.standard_normal(25)[tail]
missed = numpy.where(random.random(num_rows) < 1 / (1 + numpy.exp(-missed_s)), "yes", "no")
with open(path, "w") as file:
    file.write("carrier,origin,hour,distance,days,late,delays,minutes,temp,error,tail,missed\\n")
    for n in range(num_rows):
        file.write(f"{carriers[carrier[n]]},{origins[origin[n]]},{hour[n]},{distance[n]},{days[n]},{late[n]},"
                   f"{delays[n]},{minutes[n]:.6g},{temp[n]:.6g},{error[n]:.6g},t{tail[n]:02d},{missed[n]}\\n")
"""
NUM_ROWS = 5000
# rstanarm's or brms's name of it; the formula and options of giga fit.
MODELS = {"gaussian": ("temp ~ hour + distance + carrier", "gaussian"),
          "binomial": ("late ~ hour + carrier + origin * distance", "bernoulli"),
          "neg_binomial_2": ("delays ~ hour + carrier + distance + offset(log(days))", "negative_binomial"),
          "Gamma": ("minutes ~ hour + carrier + distance", "gamma"),
          "groups": ("missed ~ hour + distance + (1 | tail)", "bernoulli"),
          "student_t": ("error ~ hour + distance + carrier", "student_t")}
SAME_PRIORS = ["--prior", "normal(0, 2.5)", "--autoscale"]
OUR_NAMES = {"(Intercept)": "(intercept)", "reciprocal_dispersion": "phi"}
CHAINS, WARMUP, USUAL = 4, 1000, 1000
LONG = {"groups": 15000}  # draws of a chain of the reference: groups mix more slowly
LONG_ELSE = 5000
MOST_MEAN, MOST_SD = 0.05, 0.03


def theirs(model, path, draws, seed):
    return output_of(["Rscript", PEERS / "models.R", model, path, CHAINS, CORES, WARMUP, draws, seed])


def children_cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(bench, model, path, seed):
    """Seconds of giga fit as a user waits for them, and the posterior of all rows as its certificate has it."""
    formula, family = MODELS[model]
    folder = bench.folder / f"fit_{model}"
    begin, begin_cpu = time.monotonic(), children_cpu()
    record = output_of([bench.program("tools/giga"), "fit", path, formula, "--family", family, *SAME_PRIORS,
                        "--seed", seed, "--json", "--quiet", "--force", "--out", folder])
    seconds, cpu = time.monotonic() - begin, children_cpu() - begin_cpu
    moments = {row["name"]: row["corrected"] for row in record["certificate"]["parameters"]}
    return {"seconds": seconds, "cpu": cpu, "size": record["size"], "verdict": record["certificate"]["verdict"],
            "k_hat": record["certificate"]["k_hat"], "moments": moments}


def compare(mine, summary):
    """By parameter: means in sds of the reference, relative sds, and the standard errors of these differences."""
    rows = []
    for row in summary:
        name = row["variable"]
        own = mine["moments"].get(OUR_NAMES.get(name, name))
        if own is None:
            continue
        sd = row["sd"]
        rows.append({"name": name, "mean": (own["mean"] - row["mean"]) / sd, "sd": own["sd"] / sd - 1,
                     "mean_error": math.hypot(own["mcse_mean"], row["mcse_mean"]) / sd,
                     "sd_error": math.hypot(own["mcse_sd"], row["mcse_sd"]) / sd})
    return rows


def available(model):
    tool = "brms" if model == "student_t" else "rstanarm"
    probe = ["Rscript", "-e", f"for (p in c('{tool}', 'posterior', 'jsonlite')) stopifnot(requireNamespace(p))"]
    if shutil.which("Rscript") and subprocess.run(probe, capture_output=True).returncode == 0:
        return True
    say(f"models: {model} skipped, R has no {tool}, posterior or jsonlite (scripts/install-dependencies --benchmarks; "
        "apt-get install r-cran-brms r-cran-bh r-cran-rcppeigen)")
    return False


def one_model(bench, model, path):
    draws = LONG.get(model, LONG_ELSE) // bench.shrink
    say(f"models, {model}: the reference, {CHAINS} chains of {draws}")
    reference = theirs(model, path, draws, 7)
    mine, usual = [], []
    repeats = bench.repeats(3)
    for i in range(repeats):
        say(f"models, {model}: round {i + 1} of {repeats}")
        usual.append(theirs(model, path, USUAL, i + 1))
        mine.append(ours(bench, model, path, i + 1))
    return {"tool": reference["tool"], "compared": [compare(run, reference["summary"]) for run in mine],
            "giga": [{key: run[key] for key in ("seconds", "cpu", "size", "verdict", "k_hat")} for run in mine],
            "peer": [{key: run[key] for key in ("wall", "chain_seconds")} for run in usual]}


def row_of(model, result):
    """A line of the table: the worst parameter of the first seed, with the standard error of that difference."""
    first = result["compared"][0]
    mean, sd = max(first, key=lambda r: abs(r["mean"])), max(first, key=lambda r: abs(r["sd"]))
    their_s = statistics.median(run["wall"] for run in result["peer"])
    our_s = statistics.median(run["seconds"] for run in result["giga"])
    their_cpu = statistics.median(sum(run["chain_seconds"]) for run in result["peer"])
    our_cpu = statistics.median(run["cpu"] for run in result["giga"])
    fit = result["giga"][0]
    return [model, len(first), f"{fit['size']}, {fit['verdict']} ({fit['k_hat']:.2f})",
            f"{abs(mean['mean']):.3f} ({mean['mean_error']:.3f})", f"{abs(sd['sd']):.1%} ({sd['sd_error']:.1%})",
            number(their_s), number(our_s), f"**{their_s / our_s:.0f}**", number(their_cpu), number(our_cpu),
            f"{their_cpu / our_cpu:.0f}"]


def models(bench):
    path = bench.folder / "routes.csv"
    subprocess.run([PYTHON, "-c", WRITER, str(path), str(NUM_ROWS // bench.shrink)], check=True)
    results = {model: one_model(bench, model, path) for model in MODELS if available(model)}
    if not results:
        return None
    print(f"Models on {count(NUM_ROWS // bench.shrink)} rows under the same priors: `giga fit` with its defaults against "
          f"{' and '.join(sorted({r['tool'] for r in results.values()}))}, whose means and sds are of {CHAINS} chains of "
          f"{LONG_ELSE // bench.shrink} draws ({LONG['groups'] // bench.shrink} for groups). Means in posterior sds; the "
          "largest difference of any parameter, in parentheses its Monte Carlo standard error. Times of "
          f"{CHAINS} chains of {WARMUP} + {USUAL} on {CORES} cores, without starting "
          "R and compiling, against all of giga fit\n")
    table(["model", "parameters", "points, verdict (k-hat)", "means apart", "sds apart", "peer, s", "giga fit, s", "ratio",
           "CPU s of the peer's chains", "of giga fit", "ratio"],
          [row_of(model, result) for model, result in results.items()])
    everything = [row for result in results.values() for run in result["compared"] for row in run]
    mean, sd = max(abs(row["mean"]) for row in everything), max(abs(row["sd"]) for row in everything)
    within = mean <= MOST_MEAN and sd <= MOST_SD
    print(f"Over all seeds means are within {mean:.3f} sd and sds within {sd:.1%}"
          + (".\n" if within else f": **more than {MOST_MEAN} or {MOST_SD:.0%}**.\n"), flush=True)
    return results
