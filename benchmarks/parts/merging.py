"""Coresets of shards, merged, against one build of all rows: points, errors told and true, posteriors, where the mode is taken."""
import json
import subprocess

import numpy

from parts.common import count, number, output_of, say, table

SHARDS = (2, 8, 64)
DIM = 10
THETA = ",".join(["1", "-0.5"] * (DIM // 2) + ["-1"])


def simulated(bench, rows):
    path = bench.folder / f"merge_{rows}.npy"
    if not path.exists():
        say(f"simulating {count(rows)} rows")
        subprocess.run([bench.program("tools/giga"), "simulate", "logistic", "--rows", str(rows), "--dim", str(DIM),
                        "--theta", THETA, "--quiet", "--out", path], check=True)
    return path


def shards_of(bench, all_rows, num_shards, kind):
    """Files of the shards. `sorted`: each has a slice of the first feature, as of a time that drifts."""
    data = numpy.load(all_rows, mmap_mode="r")
    order = numpy.argsort(data[:, 0], kind="stable") if kind == "sorted" else numpy.arange(len(data))
    paths = []
    for s, part in enumerate(numpy.array_split(order, num_shards)):
        paths.append(bench.folder / f"shard_{s}.npy")
        numpy.save(paths[-1], data[part])
    return paths


def build(bench, path, out, *more):
    command = [bench.program("tools/giga"), "build", path, "--family", "bernoulli", "--json", "--quiet", "--force",
               "--out", out, *more]
    return output_of(command)


def check(bench, data, coreset):
    return output_of([bench.program("tools/giga"), "check", data, coreset, "--json", "--quiet", "--draws", "4000"])


def mode_of_expansions(files, merged):
    """The mode of the prior and the sum of the quadratic expansions at the shards' own modes, in the merged scale."""
    dim = merged["D"]
    mean, scale = (numpy.array(merged["standardisation"][key]) for key in ("mean", "scale"))
    hessian, gradient = -numpy.eye(dim), numpy.zeros(dim)
    for file in files:
        own_mean, own_scale = (numpy.array(file["standardisation"][key]) for key in ("mean", "scale"))
        a = numpy.zeros((dim, dim))
        a[range(dim - 1), range(dim - 1)] = own_scale / scale
        a[-1, :-1], a[-1, -1] = (own_mean - mean) / scale, 1
        h = numpy.zeros((dim, dim))
        h[numpy.tril_indices(dim)] = file["sums"]["hessian"]
        h = h + h.T - numpy.diag(numpy.diag(h))
        hessian += a.T @ h @ a
        gradient += a.T @ (numpy.array(file["sums"]["gradient"]) - h @ numpy.array(file["sums"]["point"]))
    return numpy.linalg.solve(-hessian, gradient)


def compare(bench, all_rows, num_shards, kind):
    """One line of the tables, and its figures."""
    giga, folder = bench.program("tools/giga"), bench.folder
    say(f"{num_shards} shards, {kind}")
    paths = shards_of(bench, all_rows, num_shards, kind)
    coresets = [folder / f"coreset_{s}.csv" for s in range(num_shards)]
    runs = [build(bench, path, out) for path, out in zip(paths, coresets)]
    for path in paths:
        path.unlink()
    merged = output_of([giga, "merge", *coresets, "--out", folder / "merged.csv", "--json", "--quiet", "--force"])
    union = output_of([giga, "merge", *coresets, "--union", "--out", folder / "union.csv", "--json", "--quiet", "--force"])
    whole = build(bench, all_rows, folder / "whole.csv")

    # The posterior of all rows: that of the coreset of all of them, corrected by its certificate.
    checks = {name: check(bench, all_rows, folder / f"{name}.csv") for name in ("merged", "union", "whole")}
    def moments(name, which):
        parameters = [p[which] for p in checks[name]["certificate"]["parameters"] if p["scale"] == "standardised"]
        return (numpy.array([p[key] for p in parameters]) for key in ("mean", "sd"))

    true_mean, true_sd = moments("whole", "corrected")

    def against_all(name):
        mean, sd = moments(name, "coreset")
        certificate = checks[name]["certificate"]
        return {"error": float(numpy.sqrt(certificate["fisher_full_whitened"] / len(mean))),
                "mean_off": float(numpy.abs((mean - true_mean) / true_sd).max()),
                "sd_off": float(numpy.abs(sd / true_sd - 1).max()), "k_hat": certificate["k_hat"]}

    files = [json.loads(path.with_suffix(".json").read_text()) for path in coresets]
    companion = json.loads((folder / "merged.json").read_text())
    mode = numpy.array(whole["pihat"]["mean"])
    union_mode = numpy.array(output_of([giga, "sample", folder / "union.csv", "--json", "--quiet", "--draws", "10",
                                        "--warmup", "10"])["laplace"]["mode"])
    in_sds = lambda theta: float(numpy.abs((theta - mode) / numpy.array(whole["pihat"]["sd"])).max())
    return {"shards": num_shards, "kind": kind, "rows": merged["N"],
            "points": {"shards": union["size"], "merged": merged["size"], "whole": whole["size"]},
            "told": {"merged": [merged["error_bound"], merged["usual_error"]],
                     "union": [union["error_bound"], union["usual_error"]]},
            "true": {name: against_all(name) for name in checks}, "distance": max(i["distance"] for i in merged["inputs"]),
            "mode_off": {"union": in_sds(union_mode), "expansions": in_sds(mode_of_expansions(files, companion)),
                         "corrected": in_sds(numpy.array(companion["sums"]["point"]))},
            "seconds": {"shards": sum(r["seconds"]["total"] for r in runs), "merge": merged["seconds"]["total"],
                        "whole": whole["seconds"]["total"]}}


def merging(bench):
    rows_each = 100_000 // bench.shrink
    results = []
    for num_shards in SHARDS:
        all_rows = simulated(bench, num_shards * rows_each)
        for kind in ("alike", "sorted"):
            results.append(compare(bench, all_rows, num_shards, kind))
        all_rows.unlink()
    print(f"Coresets of shards of {count(rows_each)} rows of a logistic regression, D = {DIM + 1}, merged, against one build of "
          "all rows. `sorted`: each shard has a slice of the first feature. Errors of the gradient in posterior standard "
          "deviations per parameter, told by the merge (at most, usually) and true, over the posterior; means off and sds off "
          "are the largest of a parameter, against all rows\n")
    table(["shards", "", "points: shards, merged, all at once", "told: at most, usually", "true: merged, all at once",
           "means off, sd", "sds off", "k-hat", "build of shards, merge, all at once, s"],
          [[r["shards"], r["kind"], f"{r['points']['shards']}, {r['points']['merged']}, {r['points']['whole']}",
            ", ".join(number(x, 2) for x in r["told"]["merged"]),
            f"**{number(r['true']['merged']['error'], 2)}**, {number(r['true']['whole']['error'], 2)}",
            ", ".join(number(r["true"][name]["mean_off"], 2) for name in ("merged", "whole")),
            ", ".join(f"{r['true'][name]['sd_off']:.1%}" for name in ("merged", "whole")),
            ", ".join(f"{r['true'][name]['k_hat']:.2f}" for name in ("merged", "whole")),
            ", ".join(number(r["seconds"][name], 2) for name in ("shards", "merge", "whole"))] for r in results])
    print("The union of all points as it is, and how far three places for the mode are from that of all rows\n")
    table(["shards", "", "told of the union: at most, usually", "true", "distance of a mode, at most", "mode of the union, sd",
           "of the expansions", "of the union, corrected"],
          [[r["shards"], r["kind"], ", ".join(number(x, 2) for x in r["told"]["union"]),
            f"**{number(r['true']['union']['error'], 2)}**", number(r["distance"], 2),
            *[number(r["mode_off"][name], 2) for name in ("union", "expansions", "corrected")]] for r in results])
    return results
