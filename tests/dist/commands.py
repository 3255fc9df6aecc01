"""Command lines: all verbs, families, formats, methods and samplers, on small tables.

Each runs in a folder of its own two levels below that of the data. Tables have three to five blocks of rows, so
that every number of ranks is tested with ranks that have none; or fifteen and more, which up to seven ranks share.
"""

import pathlib
import shlex
import subprocess

MORE = "--no-times --chains 2 --warmup 60 --draws 60 --threads {threads}"
CHAINS = "--chains 3 --warmup 60 --draws 40 --threads {threads}"
BUILD = "--threads {threads} --out coreset.csv"
DATA = "../../data"

# What the data are made by, in their folder.
TABLES = """
simulate logistic --rows 9000 --dim 3 --out logistic.csv
simulate logistic --rows 9000 --dim 3 --seed 2 --out logistic.npy
simulate logistic --rows 9000 --dim 3 --seed 3 --out logistic.svm
simulate poisson --rows 9000 --dim 2 --out poisson.csv
simulate poisson --link log --rows 9000 --dim 2 --out counts.csv
simulate gaussian --rows 9000 --dim 3 --out gaussian.csv
simulate gamma --rows 9000 --dim 2 --out gamma.csv
simulate negative_binomial --rows 9000 --dim 2 --out negative_binomial.csv
simulate student_t --rows 9000 --dim 2 --out student_t.csv
simulate vectors --rows 9000 --dim 20 --out vectors.npy
simulate logistic --rows 20000 --dim 3 --out large.csv
simulate logistic --rows 60000 --dim 3 --out shared.npy
simulate negative_binomial --rows 60000 --dim 2 --seed 4 --out shared.svm
build logistic.csv --family bernoulli --size 20 --out coreset.csv
build shared.npy --family bernoulli --size 20 --out shared_coreset.csv
sample coreset.csv --chains 3 --warmup 60 --draws 60 --out draws
fit logistic.csv --family bernoulli --chains 2 --warmup 60 --draws 60 --no-times --out fit
"""

COMMANDS = f"""
fit {DATA}/logistic.csv --family bernoulli {MORE} --out out
fit {DATA}/logistic.csv --family bernoulli --link probit --size 15 {MORE} --json --out out
fit {DATA}/logistic.npy --family bernoulli --projection random --projection-dim 60 --heldout-dim 60 {MORE} --out out
fit {DATA}/logistic.svm --family bernoulli --method giga --size 20 {MORE} --out out
fit {DATA}/logistic.csv.gz --family bernoulli --candidates 500 --sampler hmc {MORE} --out out
fit {DATA}/poisson.csv --family poisson --link softplus {MORE} --out out
fit {DATA}/counts.csv --family poisson --sampler rwmh {MORE} --out out
fit {DATA}/gaussian.csv --family gaussian --prior 'student_t(4, 0, 1)' {MORE} --out out
fit {DATA}/gaussian.csv --family gaussian --noise-scale 1 --autoscale --candidates all {MORE} --out out
fit {DATA}/gamma.csv --family gamma {MORE} --out out
fit {DATA}/negative_binomial.csv --family negative_binomial {MORE} --out out
fit {DATA}/student_t.csv --family student_t --nu 4 {MORE} --out out
fit {DATA}/trips.csv 'late ~ hour + carrier + ns(distance, 3)' --family bernoulli --categories hour {MORE} --out out
fit {DATA}/trips.csv 'delays ~ (1 | carrier) + distance' --family binomial --trials days {MORE} --out out
fit {DATA}/repeated.csv --family bernoulli --missing drop --weights n {MORE} --out out
fit - --family bernoulli --size 10 {MORE} --out out < {DATA}/short.csv
fit {DATA}/logistic.csv --family bernoulli --size 2 --strict {MORE} --out out
build {DATA}/logistic.csv --family bernoulli --size 20 {BUILD}
build {DATA}/large.csv --family bernoulli --tolerance 0.05 --json {BUILD}
build {DATA}/logistic.csv --family bernoulli --method pursuit --size 10 {BUILD}
build {DATA}/logistic.csv --family bernoulli --method frank_wolfe --selector scan --size 10 {BUILD}
build {DATA}/logistic.csv --family bernoulli --method importance --size 30 {BUILD}
build {DATA}/logistic.csv --family bernoulli --method uniform --size 30 {BUILD}
build {DATA}/poisson.csv --family poisson --pihat subsample --norm fisher --projection random --projection-dim 50 --size 9 {BUILD}
build --vectors {DATA}/vectors.npy --size 30 {BUILD}
build --vectors {DATA}/vectors.npy --selector quantised --method giga --size 30 {BUILD}
build --vectors {DATA}/vectors.npy --selector cap_tree --method pursuit --size 20 --json {BUILD}
build --loglik {DATA}/loglik.npy --tolerance 0.1 {BUILD}
sample {DATA}/coreset.csv {CHAINS} --out draws
sample {DATA}/logistic.csv --family bernoulli {CHAINS} --json --out draws
sample {DATA}/large.csv --family bernoulli --chains 1 --warmup 30 --draws 20 --threads {{threads}}
sample {DATA}/coreset.csv --sampler rwmh --thin 2 {CHAINS} --out draws
check {DATA}/logistic.csv {DATA}/coreset.csv {DATA}/draws --threads {{threads}} --out certificate.json
check {DATA}/logistic.csv {DATA}/coreset.csv --warmup 50 --draws 50 --check-rows all --threads {{threads}} --json
fit {DATA}/shared.npy --family bernoulli {MORE} --out out
fit {DATA}/shared.svm --family negative_binomial {MORE} --out out
fit '{DATA}/parts/*.csv' 'late ~ hour + carrier + ns(distance, 3)' --family bernoulli --missing drop --weights n {MORE} --out out
fit '{DATA}/parts/*.csv' 'cbind(delays, days - delays) ~ carrier + offset(distance / 1000)' --family binomial --missing drop {MORE} --out out
build {DATA}/shared.npy --family bernoulli --method giga --size 10 {BUILD}
build {DATA}/shared.npy --family bernoulli --projection random --projection-dim 50 --candidates 900 --size 10 {BUILD}
build {DATA}/shared.npy --family bernoulli --pihat subsample --pihat-rows 30000 --size 10 {BUILD}
build '{DATA}/parts/*.csv' --family poisson --response delays --features carrier,hour --missing drop --size 10 {BUILD}
sample {DATA}/shared.npy --family bernoulli --chains 1 --warmup 30 --draws 20 --threads {{threads}}
check {DATA}/shared.npy {DATA}/shared_coreset.csv --warmup 50 --draws 50 --threads {{threads}} --out certificate.json
build '{DATA}/parts/*.csv' --family poisson --response change --features hour --missing drop --size 10 {BUILD}
summary {DATA}/draws
predict {DATA}/fit {DATA}/logistic.csv --out predictions.csv
report {DATA}/fit --out report.html
simulate gaussian --rows 1000 --dim 2 --out made.csv
fit {DATA}/nothing.csv --family bernoulli {MORE} --out out
fit {DATA}/bad.csv --family bernoulli {MORE} --out out
build {DATA}/logistic.csv --family bernoulli --response z --size 10 {BUILD}
help fit
""".strip().splitlines()


def words_of(line, threads):
    """The words of a command, and the file that is its standard input."""
    line, _, stdin = line.partition(" < ")
    return shlex.split(line.format(threads=threads)), stdin.strip() or None


def write_odd_tables(folder):
    import gzip
    import random
    import numpy
    random_numbers = random.Random(1)
    with open(folder / "logistic.csv", "rb") as plain, gzip.open(folder / "logistic.csv.gz", "wb") as packed:
        packed.write(plain.read())
    with open(folder / "trips.csv", "w", encoding="ascii") as out:
        print("carrier,hour,distance,days,delays,late", file=out)
        for _ in range(9000):
            days, distance = random_numbers.randrange(1, 20), random_numbers.randrange(90, 2500)
            delays = sum(random_numbers.random() < 0.2 + distance / 9000 for _ in range(days))
            print(random_numbers.choice(["AA", "B6", "UA"]), random_numbers.randrange(5, 9), distance, days, delays,
                  "yes" if delays > 4 else "no", sep=",", file=out)
    with open(folder / "repeated.csv", "w", encoding="ascii") as out:
        print("a,b,n,y", file=out)
        for _ in range(13000):
            a, b = random_numbers.randrange(60), random_numbers.randrange(40)
            print("NA" if random_numbers.random() < 0.01 else a, b / 8, random_numbers.randrange(1, 4),
                  int(random_numbers.random() < a / 60), sep=",", file=out)
    # Two files of different lengths; about half of all rows repeat others, and one number is no count.
    (folder / "parts").mkdir()
    for name, rows in (("a", 20000), ("b", 70000)):
        with open(folder / "parts" / f"{name}.csv", "w", encoding="ascii") as out:
            print("carrier,hour,distance,days,delays,n,change,flight,late", file=out)
            for row in range(rows):
                days, distance = random_numbers.randrange(1, 10), random_numbers.randrange(90, 1500)
                delays = random_numbers.randrange(days + 1)
                print(random_numbers.choice(["AA", "B6", "UA"]) if name == "a" or row < 69990 else "ZZ",
                      random_numbers.randrange(5, 9), "NA" if random_numbers.random() < 0.01 else distance, days, delays,
                      random_numbers.choice([0, 0.1, 1, 2.7]), -1 if name == "b" and row == 40123 else 1,
                      f'"{name}\n{row}"' if row % 777 == 5 else row, "yes" if delays > 3 else "no", sep=",", file=out)
    # MPICH's launcher gives up on standard input beyond 64 kB that is not read at once.
    with open(folder / "short.csv", "w", encoding="ascii") as out:
        print("x,y", file=out)
        for _ in range(6000):
            x = random_numbers.gauss(0, 1)
            print(f"{x:.3f},{int(random_numbers.random() < 0.5 + x / 9)}", file=out)
    lines = (folder / "logistic.csv").read_text().splitlines()
    lines[8500] = lines[8500].replace(",", ",oops", 1)
    (folder / "bad.csv").write_text("\n".join(lines) + "\n")
    numpy.save(folder / "loglik.npy", numpy.random.default_rng(1).normal(size=(30, 9000)))


def make_data(giga, folder):
    folder.mkdir(parents=True)
    for line in TABLES.strip().splitlines():
        if line.startswith("build logistic"):
            write_odd_tables(folder)
        subprocess.run([giga, *shlex.split(line), "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def folder_of(number):
    return pathlib.Path(f"{number:02d}")
