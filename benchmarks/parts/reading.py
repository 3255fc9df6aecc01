"""Reading CSV: against pandas.read_csv."""
import statistics
import subprocess

from parts.common import CORES, PEERS, PYTHON, count, number, output_of, say, table

NUM_COLUMNS = 21

# Normal numbers with 17 significant digits each, written a thousand rows at a time.
WRITER = """
import sys, numpy
path, num_rows, num_columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random = numpy.random.default_rng(1)
line = ",".join(["%.17g"] * num_columns) + "\\n"
with open(path, "w") as file:
    file.write(",".join([f"x{d + 1}" for d in range(num_columns - 1)] + ["y"]) + "\\n")
    for at in range(0, num_rows, 1000):
        block = random.standard_normal((min(1000, num_rows - at), num_columns))
        file.write(line * len(block) % tuple(block.ravel().tolist()))
"""


def text(bench, num_rows):
    path = bench.folder / f"numbers_{num_rows}.csv"
    say(f"writing {count(num_rows)} x {NUM_COLUMNS} numbers")
    subprocess.run([PYTHON, "-c", WRITER, path, str(num_rows), str(NUM_COLUMNS)], check=True)
    return path


def csv(bench):
    num_rows = 1_000_000 // bench.shrink
    path = text(bench, num_rows)
    read_bench, read_pandas = bench.program("benchmarks/read_bench"), [PYTHON, PEERS / "read_pandas.py", path]
    say("checking that both read the same numbers")  # and the file is in the page cache
    checked, ours = output_of([*read_pandas, "--check"]), output_of([read_bench, path])
    differing = [name for name, bits in checked["columns"].items() if ours["columns"].get(name) != bits]

    readers = {"pandas": read_pandas, "giga": [read_bench, path]}
    if CORES > 1:
        readers["giga, 1 thread"] = [read_bench, path, "--threads", 1]
    times = {name: [] for name in readers}
    repeats = bench.repeats()
    for i in range(repeats):
        say(f"csv: round {i + 1} of {repeats}")
        for name, command in readers.items():
            times[name].append(output_of(command)["seconds"])

    num_bytes = path.stat().st_size
    rows, results = [], []
    for name, seconds in times.items():
        middle = statistics.median(seconds)
        ratios = sorted(theirs / mine for theirs, mine in zip(times["pandas"], seconds))
        ratio = statistics.median(times["pandas"]) / middle
        against = [f"**{ratio:.1f}**", f"{ratios[0]:.1f} to {ratios[-1]:.1f}"] if name != "pandas" else ["", ""]
        rows.append([name, number(middle), number(num_bytes / middle / 1e9), *against])
        results.append({"reader": name, "seconds": seconds, "median_s": middle, "ratio": ratio, "ratios": ratios})
    print(f"Reading CSV, {count(num_rows)} x {NUM_COLUMNS} numbers of 17 digits, {number(num_bytes / 1e6)} MB, "
          f"{CORES} cores, medians of {repeats}\n")
    table(["reader", "s", "GB/s of text", "pandas' time over it", "by round"], rows)
    if ours["rows"] != checked["rows"] or differing:
        print(f"**giga and pandas (round_trip) read different numbers: {ours['rows']} and {checked['rows']} rows; "
              f"columns that differ: {', '.join(differing) or 'none'}.**\n", flush=True)
    else:
        print("giga and pandas with float_precision=\"round_trip\" read the same bits in every column. With its "
              f"default precision, which is timed, pandas has the last digits of {checked['wrong_share']:.0%} wrong\n",
              flush=True)
    return {"rows": num_rows, "columns": NUM_COLUMNS, "bytes": num_bytes, "readers": results,
            "differing_columns": differing, "pandas_wrong_share": checked["wrong_share"]}
