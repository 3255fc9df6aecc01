"""The method `corrective` on vectors of regressions, against the NumPy peer."""
import statistics
import subprocess

from parts.common import (CORES, PEERS, PYTHON, count, fastest_settings, number, output_of, peer_blas,
                          peer_environment, say, table, warn_of_slow_blas)
from parts.construction import work_seconds

# Kind, N, J, M, and the rank or the number of features. With these the error at M is 0.003 to 0.02, so that no
# step is lost to rounding.
CASES = (("likelihood", 20_000, 500, 200, 12), ("likelihood", 5_000, 2_000, 800, 40),
         ("regression", 20_000, 500, 200, 20), ("regression", 5_000, 2_000, 800, 20))


def vectors(bench, kind, num_rows, dim, rank):
    path = bench.folder / f"{kind}_{num_rows}_{dim}_{rank}.npy"
    if kind == "likelihood":
        return bench.simulate("vectors", path, rows=num_rows, dim=dim, kind=kind, rank=rank)
    data = bench.simulate("logistic", bench.folder / f"logistic_{num_rows}_{rank}.csv", rows=num_rows, dim=rank)
    if not path.exists():
        subprocess.run([PYTHON, PEERS / "regression_vectors.py", data, path, "--projection-dim", str(dim)],
                       check=True, env=peer_environment())
    return path


def peer_command(path, size):
    return [PYTHON, PEERS / "corrective_numpy.py", path, "--size", size]


def corrective(bench):
    libraries = peer_blas()
    warn_of_slow_blas(libraries)
    results, rows = [], []
    repeats = bench.repeats(3)
    for kind, num_rows, dim, size, rank in CASES:
        num_rows, size = num_rows // bench.shrink, size // bench.shrink
        path = vectors(bench, kind, num_rows, dim, rank)
        coretype, threads = fastest_settings(peer_command(path, max(size // 4, 1)), work_seconds, (1, CORES))
        command = bench.build("--vectors", path, "--method", "corrective", size=size)
        ours, theirs = [], []
        for i in range(repeats):
            say(f"{kind}, N = {count(num_rows)}, J = {dim}, M = {size}: round {i + 1} of {repeats}")
            theirs.append(output_of(peer_command(path, size), peer_environment(coretype, threads)))
            ours.append(output_of(command))
        our_s = statistics.median(map(work_seconds, ours))
        peer_s = statistics.median(map(work_seconds, theirs))
        ratios = sorted(work_seconds(t) / work_seconds(o) for o, t in zip(ours, theirs))
        search, steps = ours[0]["search"], ours[0]["steps"]
        rows.append([kind, count(num_rows), dim, size, number(peer_s), number(our_s), f"**{peer_s / our_s:.2f}**",
                     f"{ratios[0]:.2f} to {ratios[-1]:.2f}", theirs[0]["steps"], steps,
                     number(theirs[0]["relative_error"]), number(ours[0]["relative_error"]),
                     number(theirs[0]["kkt_violation"], 1), f"{search['rows_rescored'] / steps / num_rows:.0%}"])
        results.append({"kind": kind, "rank": rank, "rows": num_rows, "dim": dim, "size": size,
                        "peer_s": peer_s, "giga_s": our_s, "ratio": peer_s / our_s, "ratios": ratios,
                        "coretype": coretype, "threads": threads, "blas": libraries,
                        "peer_product": [t["product"] for t in theirs],
                        "peer_error": theirs[0]["relative_error"], "giga_error": ours[0]["relative_error"],
                        "peer_steps": theirs[0]["steps"], "giga_steps": steps, "giga_search": search,
                        "giga_seconds": [o["seconds"] for o in ours],
                        "peer_seconds": [t["seconds"] for t in theirs]})
    print(f"`corrective` against NumPy and SciPy ({', '.join(libraries)}), preparation and construction, "
          f"{CORES} cores, medians of {repeats}\n")
    table(["vectors", "N", "J", "M", "NumPy, s", "giga, s", "ratio", "ratio by round", "steps, NumPy",
           "steps, giga", "error, NumPy", "error, giga", "KKT violation, NumPy", "rows rescored a pass, giga"], rows)
    return results
