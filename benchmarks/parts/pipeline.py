"""The whole job, from a CSV file to a coreset: against pandas, NumPy and SciPy, and giga's time and memory."""
import statistics

from parts.common import (CORES, PEERS, PYTHON, anonymous_peak, count, fastest_settings, number, output_of,
                          peer_blas, peer_environment, say, table, warn_of_slow_blas)

NUM_FEATURES, PROJECTION_DIM = 20, 500
STAGES = ("load", "laplace", "project", "prepare", "construct", "total")


def data(bench, rows):
    return bench.simulate("logistic", bench.folder / f"logistic_{rows}.csv", rows=rows, dim=NUM_FEATURES)


def build(bench, path):
    return bench.build(path, "--family", "bernoulli", "--projection", "random", "--norm", "fisher",
                       "--projection-dim", PROJECTION_DIM)


def total(record):
    return record["seconds"]["total"]


def medians(records):
    return {stage: statistics.median(r["seconds"][stage] for r in records) for stage in STAGES}


def print_errors(ours, theirs):
    """Both errors of both; whether they are within a factor of 2, as different random numbers allow."""
    rows, alike = [], True
    for key, name in (("relative_error", "projected error"), ("heldout_error", "held-out error")):
        ratio = theirs[key] / ours[key]
        alike = alike and 0.5 <= ratio <= 2
        rows.append([name, number(theirs[key]), number(ours[key]), f"{ratio:.2f}"])
    table(["", "Python", "giga", "ratio"], rows)
    print("The errors are alike, within a factor of 2.\n" if alike else
          "**The errors differ by more than a factor of 2: the two did not do the same job.**\n")
    return alike


def against_python(bench):
    libraries = peer_blas()
    warn_of_slow_blas(libraries)
    num_rows = bench.peer_rows or 500_000 // bench.shrink
    path = data(bench, num_rows)

    def command_for(file):
        return [PYTHON, PEERS / "pipeline_numpy.py", file, "--size", 100, "--projection-dim", PROJECTION_DIM]

    settings = fastest_settings(command_for(data(bench, min(num_rows, 100_000))), total, (1, CORES))
    command = command_for(path)
    output_of(build(bench, path))  # the file is in the page cache for both
    repeats = bench.repeats(3)
    ours, theirs = [], []
    for i in range(repeats):
        say(f"pipeline, N = {count(num_rows)}: round {i + 1} of {repeats}")
        theirs.append(output_of(command, peer_environment(*settings)))
        ours.append(output_of(build(bench, path)))

    our_s, peer_s = medians(ours), medians(theirs)
    ratios = sorted(total(t) / total(o) for o, t in zip(ours, theirs))
    ratio = peer_s["total"] / our_s["total"]
    print(f"From a CSV file to a coreset: giga against pandas, NumPy and SciPy ({', '.join(libraries)}; "
          f"OPENBLAS_CORETYPE {settings[0] or 'unset'}, {settings[1]} BLAS threads), N = {count(num_rows)}, "
          f"{NUM_FEATURES} features, J = {PROJECTION_DIM}, M = 100, {CORES} cores, medians of {repeats}. "
          "Starting Python, importing and writing the coreset are not counted\n")
    table(["stage", "Python, s", "giga, s"],
          [[stage, f"{peer_s[stage]:.3f}", f"{our_s[stage]:.3f}"] for stage in STAGES])
    table(["ratio of totals", "by round", "Python, peak MB", "giga, peak MB"],
          [[f"**{ratio:.1f}**", f"{ratios[0]:.1f} to {ratios[-1]:.1f}", number(theirs[0]["peak_bytes"] / 1e6),
            number(ours[0]["peak_bytes"] / 1e6)]])
    alike = print_errors(ours[0], theirs[0])
    errors = {who: {key: record[key] for key in ("relative_error", "heldout_error", "size", "peak_bytes")}
              for who, record in (("giga", ours[0]), ("peer", theirs[0]))}
    return {"rows": num_rows, "features": NUM_FEATURES, "dim": PROJECTION_DIM, "giga_s": our_s, "peer_s": peer_s,
            "ratio": ratio, "ratios": ratios, "coretype": settings[0], "blas_threads": settings[1],
            "blas": libraries, "errors_alike": alike, **errors,
            "giga_seconds": [o["seconds"] for o in ours], "peer_seconds": [t["seconds"] for t in theirs]}


def alone(bench):
    num_rows = 1_000_000 // bench.shrink
    path = data(bench, num_rows)
    repeats = bench.repeats(3)
    records = []
    for i in range(repeats):
        say(f"giga alone, N = {count(num_rows)}: round {i + 1} of {repeats}")
        records.append(output_of(build(bench, path)))
    say("once more, watching its memory")
    _, anonymous = anonymous_peak(build(bench, path))
    seconds = medians(records)
    peak = max(r["peak_bytes"] for r in records)
    bound = 1.3 * (num_rows * PROJECTION_DIM + 8 * num_rows * (NUM_FEATURES + 1)) + 100e6
    print(f"giga alone, N = {count(num_rows)}, {NUM_FEATURES} features, J = {PROJECTION_DIM}, M = 100, "
          f"medians of {repeats}, a file of {number(path.stat().st_size / 1e6)} MB\n")
    table([f"{stage}, s" for stage in STAGES], [[f"{seconds[stage]:.3f}" for stage in STAGES]])
    table(["`peak_bytes`, MB", "beside mapped files, MB", "1.3 (N J + 8 N (D + 1)) + 100 MB", "share of it"],
          [[number(peak / 1e6), number(anonymous / 1e6), f"{number(bound / 1e6)} MB", f"**{peak / bound:.0%}**"]])
    print("Within the bound.\n" if peak <= bound else "**Above the bound.**\n", flush=True)
    return {"rows": num_rows, "seconds": seconds, "peak_bytes": peak, "anonymous_peak_bytes": anonymous,
            "bound_bytes": bound, "within_bound": peak <= bound, "text_bytes": path.stat().st_size,
            "relative_error": records[0]["relative_error"], "heldout_error": records[0]["heldout_error"]}


def pipeline(bench):
    return {"against_python": against_python(bench), "alone": alone(bench)}
