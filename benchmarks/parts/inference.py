"""MCMC on all rows of ds1, by giga and by rstanarm: the same posterior, and how fast each gets there."""
import math
import shutil
import statistics
import subprocess
import time

from parts.common import CORES, PEERS, PYTHON, count, number, output_of, say, table

CHAINS, WARMUP, DRAWS = 4, 1000, 1000
STANDARDISE = """
import sys, numpy
archive = numpy.load(sys.argv[1])
x, y = archive["X"].astype(float), archive["y"].astype(float)
x = (x - x.mean(0)) / x.std(0)
names = ",".join([f"x{j + 1}" for j in range(x.shape[1])] + ["y"])
y = numpy.where(y > 0, 1, 0)
numpy.savetxt(sys.argv[2], numpy.column_stack([x, y]), delimiter=",", header=names, comments="", fmt="%.17g")
"""


def ours(bench, path, seed):
    """Rates and moments of one run, of the standardised coefficients."""
    folder = bench.folder / "draws"
    giga = bench.program("tools/giga")
    record = output_of([giga, "sample", path, "--family", "bernoulli", "--chains", CHAINS, "--warmup", WARMUP,
                        "--draws", DRAWS, "--seed", seed, "--threads", CORES, "--json", "--quiet", "--force",
                        "--out", folder])
    summary = output_of([giga, "summary", folder, "--json", "--quiet"])
    rows = {row["variable"].removeprefix("std_").strip("()"): row for row in summary["quantities"]
            if row["variable"].startswith("std_")}
    seconds = sum(chain["seconds"] for chain in record["chains"]) / min(CORES, CHAINS)
    return {"seconds": seconds, "wall": record["seconds"]["total"],
            "steps_a_second": record["gradients"] / seconds, "moments": rows}


def fit(bench, path, seed):
    """Seconds of giga fit, as a user waits for them: from the CSV file to the report."""
    command = [bench.program("tools/giga"), "fit", path, "--family", "bernoulli", "--seed", seed, "--threads", CORES,
               "--json", "--quiet", "--force", "--out", bench.folder / "fit"]
    begin = time.monotonic()
    record = output_of(command)
    return {"seconds": time.monotonic() - begin, "size": record["size"], "k_hat": record["certificate"]["k_hat"]}


def theirs(path, seed):
    record = output_of(["Rscript", PEERS / "rstanarm.R", path, CHAINS, CORES, WARMUP, DRAWS, seed])
    rows = {"intercept" if row["variable"] == "(Intercept)" else row["variable"]: row
            for row in record["summary"]}
    # What the chains took on their cores, without starting R, building the model and gathering the draws.
    cores = min(CORES, CHAINS)
    return {"seconds": sum(record["chain_seconds"]) / cores, "wall": record["wall"],
            "steps_a_second": cores * sum(record["leapfrog_steps"]) / sum(record["step_seconds"]),
            "moments": rows, "version": record["version"]}


def rates(run):
    return {"steps": run["steps_a_second"],
            "ess": min(row["ess_bulk"] for row in run["moments"].values()) / run["seconds"]}


def furthest(a, b, value, error):
    return max(abs(a["moments"][name][value] - row[value]) / math.hypot(a["moments"][name][error], row[error])
               for name, row in b["moments"].items())


def inference(bench):
    if bench.data is None or not (bench.data / "ds1.npz").exists():
        say("inference: skipped, no folder with ds1.npz was given (--data FOLDER)")
        return None
    probe = ["Rscript", "-e", "for (p in c('rstanarm', 'posterior', 'jsonlite')) stopifnot(requireNamespace(p))"]
    if shutil.which("Rscript") is None or subprocess.run(probe, capture_output=True).returncode != 0:
        say("inference: skipped, R has no rstanarm, posterior or jsonlite "
            "(scripts/install-dependencies --benchmarks)")
        return None
    source, path = bench.data / "ds1.npz", bench.folder / "ds1.csv"
    subprocess.run([PYTHON, "-c", STANDARDISE, str(source), str(path)], check=True)
    repeats = bench.repeats(3)
    mine, peer, fits = [], [], []
    for i in range(repeats):
        say(f"inference, ds1, all rows: round {i + 1} of {repeats}")
        peer.append(theirs(path, i + 1))
        mine.append(ours(bench, path, i + 1))
        fits.append(fit(bench, path, i + 1))
    our_rates, peer_rates = [rates(run) for run in mine], [rates(run) for run in peer]

    def middle(runs, key):
        return statistics.median(run[key] for run in runs)

    ratios = {key: sorted(a[key] / b[key] for a, b in zip(our_rates, peer_rates)) for key in ("steps", "ess")}
    print(f"NUTS on all rows of ds1, {CHAINS} chains of {WARMUP} + {DRAWS} on {CORES} cores: giga against rstanarm "
          f"{peer[0]['version']}, medians of {repeats}. Rates are by the seconds of the chains, for both: without reading, setting up and summarising\n")
    table(["", "rstanarm", "giga", "ratio", "by round"],
          [["seconds, all", number(middle(peer, "wall")), number(middle(mine, "wall")),
            number(middle(peer, "wall") / middle(mine, "wall")), ""],
           ["seconds of the chains", number(middle(peer, "seconds")), number(middle(mine, "seconds")),
            number(middle(peer, "seconds") / middle(mine, "seconds")), ""],
           *[[label, count(round(middle(peer_rates, key))), count(round(middle(our_rates, key))),
              f"**{statistics.median(ratios[key]):.1f}**", f"{ratios[key][0]:.1f} to {ratios[key][-1]:.1f}"]
             for key, label in (("steps", "leapfrog steps a second"), ("ess", "least bulk ESS a second"))]])
    means = max(furthest(a, b, "mean", "mcse_mean") for a, b in zip(mine, peer))
    sds = max(furthest(a, b, "sd", "mcse_sd") for a, b in zip(mine, peer))
    gains = sorted(b["wall"] / a["seconds"] for a, b in zip(fits, peer))
    sizes = ", ".join(f"{run['size']} points with k-hat {run['k_hat']:.2f}" for run in fits)
    print(f"`giga fit` of the same file with its defaults, from the CSV to the report: {number(middle(fits, 'seconds'))} s, "
          f"**{statistics.median(gains):.0f} times** less than stan_glm ({gains[0]:.0f} to {gains[-1]:.0f}); {sizes}.\n")
    compared = repeats * len(peer[0]["moments"])
    print(f"Of {compared} means and {compared} sds the furthest apart are {means:.1f} and {sds:.1f} Monte Carlo "
          "standard errors.\n")
    return {"ratios": ratios, "fit": fits, "fit_gains": gains, "furthest_mean_z": means, "furthest_sd_z": sds,
            **{who: [{**rate, "seconds": run["seconds"], "wall": run["wall"]} for rate, run in zip(some, runs)]
               for who, some, runs in (("giga", our_rates, mine), ("rstanarm", peer_rates, peer))}}
