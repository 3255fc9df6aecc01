"""The gallery: small simulated tables, fitted by the command when the site is built, and their reports."""

import math
import pathlib
import random
import shlex
import subprocess


def flights(path):
    """Delays by carrier, with 12 carriers of which some have few rows."""
    r = random.Random(7)
    carriers = [f"C{k:02d}" for k in range(12)]
    effects = {c: r.gauss(0, 0.7) for c in carriers}
    with open(path, "w", encoding="utf-8") as out:
        print("hour,distance,carrier,late", file=out)
        for _ in range(20000):
            carrier = carriers[min(int(r.expovariate(0.35)), 11)]
            hour, distance = r.randrange(5, 24), round(r.lognormvariate(6.5, 0.6))
            s = -2.2 + 0.12 * (hour - 5) - 0.0003 * distance + effects[carrier]
            print(hour, distance, carrier, "yes" if r.random() < 1 / (1 + math.exp(-s)) else "no", sep=",", file=out)


def visits(path):
    """Counts that vary far more than those of a Poisson distribution with the same mean."""
    r = random.Random(3)
    with open(path, "w", encoding="utf-8") as out:
        print("age,income,visits", file=out)
        for _ in range(20000):
            age, income = r.randrange(18, 90), round(r.lognormvariate(3.2, 0.5), 1)
            mean = math.exp(-1.0 + 0.02 * age - 0.005 * income) * r.gammavariate(0.7, 1 / 0.7)
            count, left = 0, mean - r.expovariate(1)
            while left > 0:
                count, left = count + 1, left - r.expovariate(1)
            print(age, income, count, sep=",", file=out)


EXAMPLES = [
    {"name": "certified", "title": "A logistic fit, certified",
     "say": "100,000 rows, 10 features. A few dozen rows are enough: the certificate says that their posterior, corrected, "
            "is that of all rows, and nothing speaks against the model.",
     "make": "giga simulate logistic --rows 100000 --dim 10 --out certified.csv",
     "fit": "giga fit certified.csv --family bernoulli --out certified"},
    {"name": "groups", "title": "Groups", "table": flights,
     "say": "Delays of 20,000 flights with an effect for each of 12 carriers, whose standard deviation is learnt; carriers with "
            "few flights are drawn towards the others.",
     "fit": "giga fit groups.csv 'late ~ hour + distance + (1 | carrier)' --family bernoulli --out groups"},
    {"name": "not-certified", "title": "A coreset that is too small",
     "say": "The same kind of table, and a size that leaves about one row for each of its 11 parameters. The certificate fails: the "
            "report says so first, and says what to do.",
     "make": "giga simulate logistic --rows 20000 --dim 10 --out not-certified.csv",
     "fit": "giga fit not-certified.csv --family bernoulli --size 12 --out not-certified"},
    {"name": "wrong-model", "title": "A model that the data speak against", "table": visits,
     "say": "Counts that vary more than a Poisson distribution allows. The coreset is certified, which is no word on the "
            "model; the model check has one, and names the family to use.",
     "fit": "giga fit wrong-model.csv 'visits ~ age + income' --family poisson --out wrong-model"},
    {"name": "better-model", "title": "The same counts under a better model", "table": visits,
     "say": "`negative_binomial` learns how much the counts vary, and nothing speaks against it.",
     "fit": "giga fit better-model.csv 'visits ~ age + income' --family negative_binomial --out better-model"},
]


def run(giga, command, folder):
    words = shlex.split(command)
    result = subprocess.run([giga, *words[1:]], cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{command}: exit code {result.returncode}: {result.stderr.strip()}")
    return result.stdout


def make(giga, work, out):
    """Fits everything in `work`; the page and the reports go to `out`."""
    work, out = pathlib.Path(work), pathlib.Path(out)
    work.mkdir(parents=True, exist_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    page = ["# Gallery of reports", "",
            "Reports as `giga fit` writes them, one HTML file each, complete in itself. The tables are simulated; the site's "
            "build fitted them with these commands. [How to read a report](../docs/report.md) explains the charts.", ""]
    for example in EXAMPLES:
        name = example["name"]
        if "table" in example:
            example["table"](work / f"{name}.csv")
        else:
            run(giga, example["make"], work)
        printed = run(giga, example["fit"], work)
        (out / f"{name}.html").write_bytes((work / name / "report.html").read_bytes())
        facts = [line for line in printed.splitlines() if line.startswith(("coreset ", "error ", "certificate ", "model check "))]
        if len(facts) < 3:  # a fit that is not certified says nothing of the model
            raise RuntimeError(f"{example['fit']}: its output lacks the lines that the gallery shows:\n{printed}")
        commands = [example[key] for key in ("make", "fit") if key in example]
        page += [f"## {example['title']}", "", example["say"], "", *(f"    {command}" for command in commands), "",
                 "It says, below its table:", "", *(f"    {line}" for line in facts), "",
                 f"[Open the report]({name}.html)", ""]
    (out / "README.md").write_text("\n".join(page), encoding="utf-8")
