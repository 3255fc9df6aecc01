#!/usr/bin/python3
"""pandas.read_csv: the peer that reading is measured against.

    /usr/bin/python3 benchmarks/peers/read_pandas.py DATA.csv [--check]

The C engine with its defaults, which do not round every number correctly. --check reads again with
float_precision="round_trip", outside the clock, and adds for every column the sum of its values' bit patterns
modulo 2^64, and the share of values that the default got wrong. Prints one JSON object.
"""
import argparse
import json
import os
import sys
import time

import numpy as np
import pandas as pd


def bits(frame, column):
    return frame[column].to_numpy(dtype=np.float64).view(np.uint64)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="CSV with a header")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    start = time.perf_counter()
    frame = pd.read_csv(options.data, engine="c")
    seconds = time.perf_counter() - start

    record = {"seconds": seconds, "bytes": os.path.getsize(options.data), "rows": len(frame)}
    if options.check:
        exact = pd.read_csv(options.data, engine="c", float_precision="round_trip")
        record["columns"] = {name: int(bits(exact, name).sum(dtype=np.uint64)) for name in exact}
        wrong = sum(int((bits(frame, name) != bits(exact, name)).sum()) for name in exact)
        record["wrong_share"] = wrong / exact.size
    json.dump(record, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
