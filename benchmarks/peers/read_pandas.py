#!/usr/bin/python3
"""pandas.read_csv: the peer that reading is measured against.

    /usr/bin/python3 benchmarks/peers/read_pandas.py DATA.csv [--check] [--categories a,b] [--dates c] [--drop-missing]

The C engine with its defaults, which do not round every number correctly. --check reads again with
float_precision="round_trip", outside the clock, and adds for every column the sum of its values' bit patterns
modulo 2^64, and the share of values that the default got wrong. Categories are read as such, with codes by their
sorted levels, and dates as dates; the value of a date is its day since 1970. Prints one JSON object.
"""
import argparse
import json
import os
import sys
import time

import numpy as np
import pandas as pd


def bits(frame, column):
    values = frame[column]
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.cat.codes
    elif values.dtype.kind == "M":
        values = values.astype("int64") // (24 * 3600 * 10**9)
    return values.to_numpy(dtype=np.float64).view(np.uint64)


def names(text):
    return text.split(",") if text else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="CSV with a header")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--categories", type=names, default=[], help="columns that are read as categories")
    parser.add_argument("--dates", type=names, default=[], help="columns that are read as dates")
    parser.add_argument("--drop-missing", action="store_true")
    options = parser.parse_args()

    def read(**more):
        frame = pd.read_csv(options.data, engine="c", dtype={name: "category" for name in options.categories},
                            parse_dates=options.dates or False, **more)
        return frame.dropna() if options.drop_missing else frame

    start = time.perf_counter()
    frame = read()
    seconds = time.perf_counter() - start

    record = {"seconds": seconds, "bytes": os.path.getsize(options.data), "rows": len(frame)}
    if options.check:
        exact = read(float_precision="round_trip")
        record["columns"] = {name: int(bits(exact, name).sum(dtype=np.uint64)) for name in exact}
        wrong = sum(int((bits(frame, name) != bits(exact, name)).sum()) for name in exact)
        record["wrong_share"] = wrong / exact.size
    json.dump(record, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
