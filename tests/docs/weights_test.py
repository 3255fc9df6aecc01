"""That a tool of docs/weights.md, by the code of the page, has the posterior that `giga sample` has of the same coreset:
that of the page's example, and that of a formula with categories, which the page builds as late.csv.

    weights_test.py --giga PATH --root REPOSITORY rstanarm|brms|stan|sklearn

Means and standard deviations may differ by 4 standard errors of their difference, both Monte Carlo errors counted; the
mode of scikit-learn by a ten-thousandth of a posterior standard deviation, also for the other families. Exit code 77:
the tool is not installed.
"""
import argparse
import json
import pathlib
import sys
import tomllib

import pages
import run_page

PAGE = "docs/weights.md"
NEEDS = {"rstanarm": "Rscript -e 'library(rstanarm); library(jsonlite)'",
         "brms": "Rscript -e 'library(brms); library(jsonlite); library(BH); library(RcppEigen)'",
         "stan": "Rscript -e 'library(rstan); library(jsonlite); library(BH); library(RcppEigen)'",
         "sklearn": "python3 -c 'import numpy, sklearn'"}
TOOLS = [*NEEDS, "pymc", "numpyro"]
# Debian's rstan looks for Boost in a package of R that is empty there.
R_PROFILE = '''if (dir.exists("/usr/include/boost"))
  setHook(packageEvent("rstan", "onLoad"), function(...) rstan::rstan_options(boost_lib = "/usr/include"))
'''
# Coresets of the other families, with the names that the page has: data that are simulated, and options of the build. A
# count that is taken for a label, or a scale that is forgotten, moves the mode by many standard deviations.
OTHER_FAMILIES = {"counts": ("poisson --link log --theta 0.5,-0.3,1", "--family poisson --prior-scale 0.5"),
                  "real numbers": ("gaussian --theta 1,-2,3 --noise-scale 2",
                                   "--family gaussian --noise-scale 2 --prior-scale 0.5"),
                  "no intercept": ("gaussian --theta 1,-2,3", "--family gaussian --noise-scale 1 --no-intercept")}
# Formulas on the table that the page takes for granted, for the tools that learn the noise or take offsets.
IN_BOTH = ["'distance ~ hour + origin' --family gamma",
           "'delays ~ hour + carrier + offset(log(days))' --family negative_binomial",
           "'cbind(delays, days - delays) ~ hour + origin' --family binomial --link probit",
           "'late ~ hour + carrier' --family bernoulli --link probit"]
FORMULAS = {"rstanarm": IN_BOTH,
            "brms": [*IN_BOTH, "'temp ~ hour + origin' --family gaussian", "'temp ~ hour + origin' --family student_t --nu 5",
                     "'temp ~ hour + origin' --family student_t --prior-nu 'gamma(20, 2)'"],
            "sklearn": ["'cbind(delays, days - delays) ~ hour + origin' --family binomial"]}
STANDARD_ERRORS = 4
MODE_TOLERANCE = 1e-4  # of a standard deviation; the solver's own is far below
run_page.TIMEOUT_S = 900  # brms and rstan compile, on a busy machine for minutes


def tool_of(command):
    """The tool that a command of the page belongs to; None for those that make the coreset."""
    return next((tool for tool in TOOLS if f"fit_{tool}." in command or f"from_{tool}" in command), None)


def succeed(shell, command):
    code, output = shell.run(command)
    if code != 0:
        sys.exit(f"'{command}' ended with {code}:\n{output}")
    return output


def follow_page(shell, markdown, tool):
    """Runs the page for one tool; what the tool's own commands print."""
    for command in run_page.Table(tomllib.loads((run_page.HERE / "pages.toml").read_text()), PAGE).fixtures:
        succeed(shell, command)
    steps = pages.steps(markdown)
    for step in steps:
        if step.kind == "file":
            shell.write(step.name, step.text)
    commands = [step.text for step in steps if step.kind == "command"]
    own = [command for command in commands if tool_of(command) == tool]
    if not own:
        sys.exit(f"{PAGE} has no command for {tool}")
    for command in commands:
        if tool_of(command) is None:
            succeed(shell, command)
    return "".join(succeed(shell, command) for command in own)


def quantities(shell, folder):
    """Mean, sd and their standard errors by parameter, on the standardised scale."""
    record = json.loads(succeed(shell, f"giga summary {folder} --json 2> /dev/null"))
    found = {q["variable"].replace("(intercept)", "intercept").replace(":", "_"): q for q in record["quantities"]}
    return {name: q for name, q in found.items() if name.startswith(("std_", "log_"))}


def compare_draws(shell, tool):
    succeed(shell, "rm -rf long && giga sample coreset.csv --draws 10000 --seed 7 --quiet --out long")
    ours, theirs = quantities(shell, "long"), quantities(shell, f"from_{tool}")
    wrong = [] if set(ours) == set(theirs) else [f"parameters differ: {sorted(ours)} and {sorted(theirs)}"]
    for name in sorted(set(ours) & set(theirs)):
        for what in ("mean", "sd"):
            a, b = ours[name], theirs[name]
            error = (a["mcse_" + what] ** 2 + b["mcse_" + what] ** 2) ** 0.5
            z = (b[what] - a[what]) / error
            print(f"{name} {what}: giga {a[what]:.4f}, {tool} {b[what]:.4f}, {z:+.1f} standard errors")
            if not abs(z) <= STANDARD_ERRORS:
                wrong.append(f"{what} of {name} is {z:+.1f} standard errors off")
    return wrong


def compare_mode(shell, printed):
    record = json.loads((pathlib.Path(shell.folder.name) / "draws" / "run.json").read_text())["laplace"]
    found = [float(line.split(",")[1]) for line in printed.splitlines() if line.startswith("std_")]
    wrong = [] if len(found) == len(record["mode"]) else [f"{len(found)} parameters, not {len(record['mode'])}"]
    for ours, sd, theirs in zip(record["mode"], record["sd"], found):
        print(f"mode: giga {ours:.6f}, scikit-learn {theirs:.6f}")
        if not abs(theirs - ours) <= MODE_TOLERANCE * sd:
            wrong.append(f"the mode is {(theirs - ours) / sd:+.2g} standard deviations off")
    return wrong


def compare_other_modes(shell, markdown):
    own = [step.text for step in pages.steps(markdown) if step.kind == "command" and tool_of(step.text) == "sklearn"]
    wrong = []
    for name, (data, options) in OTHER_FAMILIES.items():
        succeed(shell, f"giga simulate {data} --rows 500 --quiet --force --out simulated.csv")
        succeed(shell, f"giga build simulated.csv {options} --size 12 --quiet --force --out coreset.csv")
        succeed(shell, "giga sample coreset.csv --quiet --force --out draws")
        printed = "".join(succeed(shell, command) for command in own)
        wrong += [f"{name}: {what}" for what in compare_mode(shell, printed)]
    return wrong


def compare_formulas(shell, markdown, tool):
    """The same again for late.csv, and for FORMULAS."""
    fit = next(step.text for step in pages.steps(markdown)
               if step.kind == "command" and f"fit_{tool}." in step.text)
    wrong = []
    for model in [None, *FORMULAS.get(tool, [])]:
        if model:
            succeed(shell, f"giga build departures.csv {model} --size 60 --quiet --force --out late.csv")
        succeed(shell, f"cp late.csv coreset.csv && cp late.json coreset.json && rm -rf draws from_{tool}")
        succeed(shell, "giga sample coreset.csv --quiet --out draws")
        printed = succeed(shell, fit)
        found = compare_mode(shell, printed) if tool == "sklearn" else compare_draws(shell, tool)
        wrong += [f"{model or 'late.csv'}: {what}" for what in found]
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--giga", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("tool", choices=list(NEEDS))
    options = parser.parse_args()
    with run_page.Shell(options.giga.resolve(), options.root) as shell:
        shell.write("profile.R", R_PROFILE)
        shell.environment["R_PROFILE_USER"] = "profile.R"
        if shell.run(NEEDS[options.tool])[0] != 0:
            print(f"skipped: this fails: {NEEDS[options.tool]}")
            return 77
        markdown = (options.root / PAGE).read_text()
        printed = follow_page(shell, markdown, options.tool)
        if options.tool == "sklearn":
            wrong = compare_mode(shell, printed) + compare_other_modes(shell, markdown)
        else:
            wrong = compare_draws(shell, options.tool)
        wrong += compare_formulas(shell, markdown, options.tool)
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
