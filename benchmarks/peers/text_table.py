#!/usr/bin/python3
"""Writes a table as people have them: three text columns (12, 40 and 5 levels), a date, numbers with holes, counts.

    /usr/bin/python3 benchmarks/peers/text_table.py OUT.csv --rows 1000000

carrier, airport, weather; date; hour, distance, temp; days, over which events were counted; count, which is negative
binomial with mean days exp(s). 5% of the rows lack a value: temp, weather or distance, in turn.
"""
import argparse

import numpy as np

CHUNK = 100_000
CARRIERS = np.array(["9E", "AA", "AS", "B6", "DL", "EV", "F9", "HA", "MQ", "UA", "US", "WN"])
AIRPORTS = np.array([a + b + c for a in "BDLMS" for b in "AO" for c in "NRSX"])
WEATHER = np.array(["clear", "cloudy", "fog", "rain", "snow"])
PHI = 2.0


def rows_of(random, count):
    carrier, airport = random.integers(0, len(CARRIERS), count), random.integers(0, len(AIRPORTS), count)
    weather, day = random.integers(0, len(WEATHER), count), random.integers(0, 730, count)
    hour, days = random.integers(5, 24, count), random.integers(1, 31, count)
    distance, temp = random.integers(90, 2500, count), np.round(random.normal(12, 9, count), 1)
    date = np.datetime64("2022-01-01") + day
    month = date.astype("datetime64[M]").astype(int) % 12
    s = (-1.5 + 0.05 * (hour - 12) - 0.0002 * distance + 0.01 * temp + 0.3 * np.sin(carrier) + 0.2 * np.sin(airport)
         + 0.2 * weather * (weather > 1) + 0.2 * np.cos(2 * np.pi * month / 12))
    mean = days * np.exp(s)
    counts = random.negative_binomial(PHI, PHI / (PHI + mean))
    columns = [CARRIERS[carrier].astype(object), AIRPORTS[airport].astype(object), WEATHER[weather].astype(object),
               date.astype(str).astype(object), hour.astype(str).astype(object), distance.astype(str).astype(object),
               temp.astype(str).astype(object), days.astype(str).astype(object), counts.astype(str).astype(object)]
    for place, column in enumerate((6, 2, 5)):
        columns[column][20 * np.arange(count // 60) * 3 + 20 * place] = ""
    return columns


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    random = np.random.default_rng(3)
    with open(options.out, "w") as file:
        file.write("carrier,airport,weather,date,hour,distance,temp,days,count\n")
        for at in range(0, options.rows, CHUNK):
            columns = rows_of(random, min(CHUNK, options.rows - at))
            file.write("\n".join(map(",".join, zip(*columns))) + "\n")


if __name__ == "__main__":
    main()
