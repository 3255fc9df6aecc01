"""How close the posteriors of coresets come on the paper's data: runs accuracy_bench."""
import subprocess
import sys

from parts.common import say

DATASETS = ("ds1", "airportdelays", "biketrips", "phishing")


def accuracy(bench):
    if bench.data is None:
        say("accuracy: skipped, no folder with the paper's data was given (--data FOLDER)")
        return None
    missing = [name for name in DATASETS if not (bench.data / f"{name}.npz").exists()]
    if missing:
        say(f"accuracy: skipped, {bench.data} has no {', '.join(f'{name}.npz' for name in missing)}")
        return None
    seeds = ["1"] if bench.quick else ["1", "2", "3", "4", "5"]
    print(f"Accuracy on the paper's data, medians of {len(seeds)} seeds. KL, mean and sd compare the Laplace "
          "approximations of coreset and full posterior\n", flush=True)
    command = [bench.program("benchmarks/accuracy_bench"), bench.data, *seeds]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:  # a row at a time: the whole takes minutes
            print(line, end="", flush=True)
            lines.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    if process.returncode != 0:
        sys.exit(f"run: accuracy_bench ended with {process.returncode}")
    print(flush=True)
    return [dict(zip(lines[0], cells)) for cells in lines[2:]]
