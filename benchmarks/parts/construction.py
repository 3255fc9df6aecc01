"""Construction from vectors: against the NumPy peer, against memory, by selector and by size."""
import statistics

from parts.common import (CORES, PEERS, PYTHON, anonymous_peak, count, fastest_settings, number, output_of,
                          peer_blas, peer_environment, say, table, warn_of_slow_blas)


def vectors(bench, rows, dim):
    return bench.simulate("vectors", bench.folder / f"gaussian_{rows}_{dim}.npy", rows=rows, dim=dim)


def build(bench, path):
    return bench.build("--vectors", path, "--method", "giga")


def construct(bench, **settings):
    words = [word for key, value in settings.items() for word in (f"--{key}", str(value))]
    say("construct_bench " + " ".join(words))
    return output_of([bench.program("benchmarks/construct_bench"), *words])


def work_seconds(record):
    return record["seconds"]["prepare"] + record["seconds"]["construct"]


def peer_command(path, size=100):
    return [PYTHON, PEERS / "giga_numpy.py", path, "--size", size]


def against_peer(bench):
    libraries = peer_blas()
    warn_of_slow_blas(libraries)
    results, rows = [], []
    for num_rows, dim in ((1_000_000, 50), (200_000, 500)):
        num_rows //= bench.shrink
        path = vectors(bench, num_rows, dim)
        coretype, threads = fastest_settings(peer_command(path, 20), work_seconds)
        ours, theirs = [], []
        output_of(build(bench, path))  # the file is in the page cache for both
        for i in range(bench.repeats()):
            say(f"N = {count(num_rows)}, J = {dim}: round {i + 1} of {bench.repeats()}")
            theirs.append(output_of(peer_command(path), peer_environment(coretype, threads)))
            ours.append(output_of(build(bench, path)))
        our_s = statistics.median(map(work_seconds, ours))
        peer_s = statistics.median(map(work_seconds, theirs))
        ratios = sorted(work_seconds(t) / work_seconds(o) for o, t in zip(ours, theirs))
        rows.append([count(num_rows), dim, 100, number(peer_s), number(our_s), f"**{peer_s / our_s:.1f}**",
                     f"{ratios[0]:.1f} to {ratios[-1]:.1f}", number(theirs[0]["relative_error"], 2),
                     number(ours[0]["relative_error"], 2), ours[0].get("selector", "")])
        results.append({"rows": num_rows, "dim": dim, "size": 100, "peer_s": peer_s, "giga_s": our_s,
                        "ratio": peer_s / our_s, "ratios": ratios, "coretype": coretype, "blas": libraries,
                        "peer_product": theirs[0]["product"], "giga_seconds": [o["seconds"] for o in ours],
                        "peer_seconds": [t["seconds"] for t in theirs]})
    print(f"GIGA against NumPy ({', '.join(libraries)}), preparation and construction, {CORES} cores, "
          f"medians of {bench.repeats()}\n")
    table(["N", "J", "M", "NumPy, s", "giga, s", "ratio", "ratio by round", "error, NumPy", "error, giga",
           "selector"], rows)
    return results


def against_bandwidth(bench):
    results = [construct(bench, rows=num_rows // bench.shrink, dim=dim, size=100, selector=selector,
                         method=method, repeats=bench.repeats())
               for num_rows, dim, selector, method in ((1_000_000, 50, "quantised", "giga"),
                                                       (1_000_000, 50, "quantised", "corrective"),
                                                       (1_000_000, 50, "scan", "giga"),
                                                       (200_000, 500, "quantised", "giga"))]
    print("One search for the best row, against plain reading of memory in the same run\n")
    table(["N", "J", "method", "selector", "ms a pass", "MB a pass", "GB/s", "memory, GB/s", "share",
           "rows rescored a pass"],
          [[count(r["rows"]), r["dim"], r["method"], r["selector"], number(r["pass_s"] * 1e3),
            number(r["bytes_per_pass"] / 1e6), number(r["pass_bytes_per_s"] / 1e9),
            number(r["bandwidth_bytes_per_s"] / 1e9), f"**{r['bandwidth_share']:.0%}**",
            number(r["rows_rescored_per_pass"])] for r in results])
    return results


def memory(bench):
    results, rows = [], []
    for num_rows, dim in ((1_000_000, 50), (200_000, 500)):
        num_rows //= bench.shrink
        path = vectors(bench, num_rows, dim)
        say(f"memory at N = {count(num_rows)}, J = {dim}")
        record, peak = anonymous_peak(build(bench, path))
        cells = num_rows * dim
        reported = record.get("peak_bytes") or 0
        rows.append([count(num_rows), dim, number(path.stat().st_size / 1e6), number(peak / 1e6),
                     f"**{peak / cells:.2f}**", number(reported / 1e6), f"{reported / cells:.2f}"])
        results.append({"rows": num_rows, "dim": dim, "input_bytes": path.stat().st_size,
                        "anonymous_peak_bytes": peak, "anonymous_over_NJ": peak / cells,
                        "reported_peak_bytes": reported, "reported_over_NJ": reported / cells})
    print("Memory of `giga build`, M = 100: what it holds beside the mapped input, and the peak it reports\n")
    table(["N", "J", "input, MB", "beside it, MB", "beside it / NJ bytes", "`peak_bytes`, MB",
           "`peak_bytes` / NJ bytes"], rows)
    return results


def cap_tree(bench):
    results, rows = [], []
    for kind, dim in (("likelihood", 500), ("lowrank", 500), ("gaussian", 50)):
        num_rows = max(1_000_000 // bench.shrink, 150_000)  # `auto` asks for 2^17 rows
        for selector in ("quantised", "cap_tree", "auto"):
            record = construct(bench, rows=num_rows, dim=dim, size=100, kind=kind, selector=selector,
                               repeats=1 if bench.shrink > 1 else 3)
            record["asked"] = selector
            results.append(record)
            total_bytes = record["prepare_bytes_read"] + record["search_bytes_read"]
            rows.append([kind, count(num_rows), dim, selector, record["selector"], record["steps"],
                         number(record["prepare_s"]), number(record["construct_s"]),
                         number(record["prepare_s"] + record["construct_s"]),
                         number(record["search_bytes_read"] / 1e9), number(total_bytes / 1e9),
                         f"{record['rows_touched_per_pass'] / num_rows:.2%}"])
    print("Selectors: a tree of caps against codes. likelihood: intrinsic dimension 3, full rank; lowrank: rank 3, "
          "met exactly after a few steps; gaussian: isotropic\n")
    table(["vectors", "N", "J", "asked", "used", "steps", "prepare, s", "construct, s", "both, s",
           "GB read in search", "GB read in all", "rows touched a pass"], rows)
    return results


def growth(bench):
    results = []
    lines = [("N", [dict(rows=n, dim=50, size=100) for n in (125_000, 250_000, 500_000, 1_000_000)]),
             ("J", [dict(rows=200_000, dim=j, size=100) for j in (25, 50, 100, 200, 400)]),
             ("M", [dict(rows=1_000_000, dim=200, size=m) for m in (25, 50, 100, 200)])]
    for name, cases in lines:
        rows, last = [], None
        for case in cases:
            case["rows"] //= bench.shrink
            for method in ("giga", "corrective"):
                results.append(construct(bench, **case, method=method, selector="quantised",
                                         repeats=1 if bench.shrink > 1 else 3))
            plain, corrected = results[-2:]
            now = plain["prepare_s"] + plain["construct_s"]
            rows.append([count(case["rows"]), case["dim"], case["size"], number(plain["prepare_s"]),
                         number(plain["construct_s"]), number(corrected["construct_s"]),
                         f"{now / last:.2f}" if last else ""])
            last = now
        print(f"Growth with {name}\n")
        table(["N", "J", "M", "prepare, s", "giga, s", "corrective, s", "prepare + giga over the line above"], rows)
    return results
