"""A table as people have them, with words, dates and holes: from the file to a certified fit, and reading against pandas."""
import statistics
import subprocess

from parts.common import CORES, PEERS, PYTHON, anonymous_peak, count, number, output_of, say, table

FORMULA = ("count ~ hour + distance + temp + carrier + airport + weather + factor(month(date)) + offset(log(days))")
NUM_COLUMNS = 9  # all of them are used
STAGES = ("load", "laplace", "project", "prepare", "construct", "sample", "certify", "report", "total")
CATEGORIES = "carrier,airport,weather"
NUMBER_BYTES = 8  # a number, the code of a level and a day alike


def write_tables(bench, num_rows):
    """The table, and its three text columns alone (rows without a hole), with a constant response."""
    path, texts = bench.folder / "text.csv", bench.folder / "text_columns.csv"
    say(f"writing {count(num_rows)} rows with three text columns")
    subprocess.run([PYTHON, PEERS / "text_table.py", path, "--rows", str(num_rows)], check=True)
    with open(path) as source, open(texts, "w") as out:
        out.write(CATEGORIES + ",y\n")
        next(source)
        for line in source:
            cells = line.split(",", 3)
            if cells[2]:
                out.write(f"{cells[0]},{cells[1]},{cells[2]},1\n")
    return path, texts


def fit(bench, path, num_rows):
    command = [bench.program("tools/giga"), "fit", path, FORMULA, "--family", "negative_binomial", "--missing", "drop",
               "--json", "--quiet", "--force", "--out", bench.folder / "text_fit"]
    records, anonymous = [], 0
    repeats = bench.repeats(3)
    for i in range(repeats):
        say(f"text table, giga fit: round {i + 1} of {repeats}")
        record, peak = anonymous_peak(command)
        records.append(record)
        anonymous = max(anonymous, peak)
    seconds = {stage: statistics.median(r["seconds"][stage] for r in records) for stage in STAGES}
    first, used = records[0], NUMBER_BYTES * NUM_COLUMNS * num_rows
    peak = max(r["peak_bytes"] for r in records)
    print(f"`giga fit text.csv '{FORMULA}' --family negative_binomial --missing drop`: {count(num_rows)} rows, "
          f"{count(first['N'])} of them without a hole, {first['D']} parameters, medians of {repeats}. "
          f"{first['size']} points, {first['certificate']['verdict']} (k-hat {first['certificate']['k_hat']:.2f})\n")
    table([f"{stage}, s" for stage in STAGES], [[f"{seconds[stage]:.2f}" for stage in STAGES]])
    table(["columns used, MB", "`peak_bytes`, MB", "beside mapped files, MB", "peak over columns"],
          [[number(used / 1e6), number(peak / 1e6), number(anonymous / 1e6), f"**{peak / used:.1f}**"]])
    return {"seconds": seconds, "peak_bytes": peak, "anonymous_peak_bytes": anonymous, "column_bytes": used,
            "size": first["size"], "verdict": first["certificate"]["verdict"], "k_hat": first["certificate"]["k_hat"]}


def reading(bench, name, path, peer_words, our_words):
    peer = [PYTHON, PEERS / "read_pandas.py", path, *peer_words]
    ours = [bench.program("benchmarks/read_bench"), path, *our_words]
    checked, mine = output_of([*peer, *our_words, "--check"]), output_of(ours)  # and the file is in the page cache
    same = checked["rows"] == mine["rows"] and checked["columns"] == mine["columns"]
    readers = {"pandas": peer, "giga": ours, "giga, 1 thread": [*ours, "--threads", 1]}
    times = {reader: [] for reader in readers}
    for i in range(bench.repeats()):
        say(f"reading {name}: round {i + 1} of {bench.repeats()}")
        for reader, command in readers.items():
            times[reader].append(output_of(command)["seconds"])
    middle = {reader: statistics.median(seconds) for reader, seconds in times.items()}
    ratios = sorted(p / o for p, o in zip(times["pandas"], times["giga"]))
    row = [name, number(path.stat().st_size / 1e6), *[number(middle[reader]) for reader in readers],
           f"**{middle['pandas'] / middle['giga']:.1f}**", f"{ratios[0]:.1f} to {ratios[-1]:.1f}", "yes" if same else "**no**"]
    return row, {"seconds": times, "ratios": ratios, "same": same}


def text_table(bench):
    num_rows = 1_000_000 // bench.shrink
    path, texts = write_tables(bench, num_rows)
    results = {"rows": num_rows, "fit": fit(bench, path, num_rows)}
    everything, results["all_columns"] = reading(bench, "all columns", path, ["--categories", CATEGORIES, "--dates", "date"],
                                                 ["--drop-missing"])
    alone, results["text_columns"] = reading(bench, "text columns", texts, ["--categories", CATEGORIES], [])
    print(f"Reading it, {CORES} cores, against pandas.read_csv with `category` types and parsed dates, medians of "
          f"{bench.repeats()}. The same: numbers, codes of levels and days agree to the bit in every column\n")
    table(["", "MB", "pandas, s", "giga, s", "giga, 1 thread, s", "pandas' time over giga's", "by round", "the same"],
          [everything, alone])
    return results
