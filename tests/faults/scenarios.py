"""What is run while calls fail: each verb, on small data, into a new place and over an old result.

A scenario is a folder as it is before, and a command in it. What the command leaves when nothing goes wrong is known
from a run with the library preloaded and no fault.
"""

import json
import pathlib
import shutil
import subprocess
from dataclasses import dataclass, field

MODEL = ["--family", "bernoulli", "--seed", "3"]
CHAINS = ["--chains", "2", "--warmup", "50", "--draws", "50"]
SIZE = ["--size", "8"]
OUT = "result"


@dataclass
class Scenario:
    name: str
    words: list                      # the command
    prepare: list                    # commands before, as lists of words
    goes_on: list | None = None      # the command that goes on after a failure; else the first one again
    stdin: str | None = None
    code: int = 0                    # of the undisturbed run
    keeps_parts: bool = False        # whatever is whole may stay after a failure
    quick: bool = False              # among those of the default tests
    copies: dict = field(default_factory=dict)  # files made by hand: name -> function(folder)


def fit(*more, out=OUT):
    return ["fit", "d.csv", *MODEL, *SIZE, *CHAINS, "--no-times", "--out", out, *more]


def old_fit():
    """Another seed, and a chain more."""
    return ["fit", "d.csv", "--family", "bernoulli", "--seed", "7", "--size", "9", "--chains", "3", "--warmup", "50",
            "--draws", "60", "--no-times", "--out", OUT]


def sample(*more, out=OUT):
    return ["sample", "d.csv", *MODEL, *CHAINS, "--out", out, *more]


def build(*more, data="d.csv", out="coreset.csv"):
    return ["build", data, *MODEL, *SIZE, "--out", out, *more]


OLD_BUILD = ["build", "d.csv", "--family", "bernoulli", "--seed", "7", "--size", "9", "--out", "coreset.csv"]
SIMULATE = ["simulate", "logistic", "--rows", "500", "--dim", "3", "--seed", "1", "--out", "d.csv"]
SIMULATE_OTHER = ["simulate", "logistic", "--rows", "300", "--dim", "3", "--seed", "2", "--out", "e.csv"]
REPRODUCE = ["reproduce", "fig1", "--out", OUT]


def gzipped(folder):
    subprocess.run(["gzip", "-k", "d.csv"], cwd=folder, check=True)


def as_npz(folder):
    import numpy  # Debian's python3-numpy; without it the scenario is left out
    table = numpy.genfromtxt(folder / "d.csv", delimiter=",", names=True)
    names = [name for name in table.dtype.names if name != "y"]
    numpy.savez_compressed(folder / "d.npz", X=numpy.column_stack([table[name] for name in names]), y=table["y"])
    numpy.save(folder / "v.npy", numpy.column_stack([table[name] for name in names]))


def as_svm(folder):
    lines = (folder / "d.csv").read_text().splitlines()
    names = lines[0].split(",")
    response = names.index("y")
    out = []
    for line in lines[1:]:
        cells = line.split(",")
        others = [cell for i, cell in enumerate(cells) if i != response]
        out.append(" ".join([cells[response]] + [f"{i + 1}:{cell}" for i, cell in enumerate(others)]))
    (folder / "d.svm").write_text("\n".join(out) + "\n")


def config(folder):
    (folder / "c.toml").write_text('size = 8\nseed = 3\n')


def scenarios():
    resume = ["fit", "--resume", OUT]
    return [
        Scenario("fit", fit(), [SIMULATE], resume, quick=True),
        Scenario("fit --force", fit("--force"), [SIMULATE, old_fit()], resume, quick=True),
        Scenario("fit --resume", resume, [SIMULATE, "stopped fit"], resume, quick=True),
        Scenario("fit, refused", fit(), [SIMULATE, old_fit()], code=73, quick=True),
        Scenario("build", build(), [SIMULATE], quick=True),
        Scenario("build --force", build("--force"), [SIMULATE, OLD_BUILD], quick=True),
        Scenario("build, stdin", build(data="-"), [SIMULATE], stdin="d.csv"),
        Scenario("build, gzip", build(data="d.csv.gz"), [SIMULATE], copies={"gzip": gzipped}),
        Scenario("build, npz", build(data="d.npz"), [SIMULATE], copies={"npz": as_npz}),
        Scenario("build, vectors", ["build", "--vectors", "v.npy", "--size", "5", "--out", "coreset.csv"], [SIMULATE],
                 copies={"npz": as_npz}),
        Scenario("build, libsvm", build(data="d.svm"), [SIMULATE], copies={"svm": as_svm}),
        Scenario("build, config", ["build", "d.csv", "--family", "bernoulli", "--config", "c.toml", "--out",
                                   "coreset.csv"], [SIMULATE], copies={"config": config}),
        Scenario("sample", sample(), [SIMULATE], quick=True),
        Scenario("sample --force", sample("--force"),
                 [SIMULATE, ["sample", "d.csv", "--family", "bernoulli", "--seed", "7", "--chains", "3", "--warmup", "50",
                             "--draws", "60", "--out", OUT]], quick=True),
        Scenario("sample coreset", ["sample", "coreset.csv", *CHAINS, "--seed", "3", "--out", OUT], [SIMULATE, build()]),
        Scenario("reproduce", REPRODUCE, [SIMULATE], [*REPRODUCE, "--resume"], keeps_parts=True, quick=True),
        Scenario("reproduce --force", [*REPRODUCE, "--force"], [SIMULATE, [*REPRODUCE, "--seed", "7"]],
                 keeps_parts=True),
        Scenario("check", ["check", "d.csv", "coreset.csv", "draws", "--out", "certificate.json"],
                 [SIMULATE, build(), ["sample", "coreset.csv", *CHAINS, "--seed", "3", "--out", "draws"]]),
        Scenario("check --force", ["check", "d.csv", "coreset.csv", "draws", "--out", "certificate.json", "--force"],
                 [SIMULATE, build(), ["sample", "coreset.csv", *CHAINS, "--seed", "3", "--out", "draws"],
                  ["check", "d.csv", "coreset.csv", "draws", "--seed", "9", "--out", "certificate.json"]]),
        Scenario("predict", ["predict", "run", "e.csv", "--out", "p.csv"], [SIMULATE, SIMULATE_OTHER, fit(out="run")]),
        Scenario("merge --force", ["merge", "a.csv", "b.csv", "--out", "coreset.csv", "--force"],
                 [SIMULATE, SIMULATE_OTHER, build(out="a.csv"), build("--design-from", "a.csv", data="e.csv", out="b.csv"),
                  OLD_BUILD]),
        Scenario("report --force", ["report", "run", "--force"], [SIMULATE, fit(out="run"), ["report", "run", "--title",
                                                                                           "Old", "--force"]]),
        Scenario("summary", ["summary", "run"], [SIMULATE, fit(out="run")]),
        Scenario("simulate", [*SIMULATE[:-1], "new.csv"], [SIMULATE]),
        Scenario("simulate vectors", ["simulate", "vectors", "--rows", "200", "--dim", "5", "--out", "new.npy"], []),
        Scenario("build, scratch", ["build", "large.csv", *MODEL, "--size", "4", "--projection", "random",
                                    "--projection-dim", "10", "--memory", "1MB", "--scratch", ".", "--out", "coreset.csv"],
                 [["simulate", "logistic", "--rows", "140000", "--dim", "2", "--out", "large.csv"]]),
    ]


def fill(folder, scenario, giga, stop):
    """The folder as it is before. `stop` makes a stopped fit there."""
    folder.mkdir(parents=True)
    for words in scenario.prepare:
        if words == "stopped fit":
            stop(folder)
            continue
        done = subprocess.run([giga, *words], cwd=folder, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{scenario.name}: {words} ended with {done.returncode}: {done.stderr.decode()}")
    for make in scenario.copies.values():
        make(folder)


# What is measured differs between runs.
MEASURED = {"seconds", "peak_bytes", "gradients_per_second", "processor", "threads", "jobs_done"}


def without_measured(value):
    if isinstance(value, dict):
        return {key: without_measured(each) for key, each in value.items() if key not in MEASURED}
    if isinstance(value, list):
        return [without_measured(each) for each in value]
    return value


def comparable(path, content):
    """The bytes of a file but for what is measured; None of a file of which all is."""
    parts = pathlib.PurePath(path).parts
    name = parts[-1]
    if "times" in parts[:-1] or name.startswith("time_") or name in ("timing.md", "figures.html"):
        return None
    if name in ("run.json", "certificate.json"):
        try:
            return json.dumps(without_measured(json.loads(content))).encode()
        except ValueError:
            return content
    return content


def snapshot(folder):
    """Files by path, and folders with a slash at the end."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_dir() and not path.is_symlink():
            found[name + "/"] = b""
        else:
            found[name] = comparable(name, path.read_bytes())
    return found


def copied(template, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(template, folder)  # with times: a lock is held against them
