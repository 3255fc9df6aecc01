#!/usr/bin/env python3
"""Every call that may fail is made to fail, in turn: a message, the right code, nothing lost, and it can go on.

  faults_test.py --giga G --library L --work DIR            a seeded sample, and the points that once went wrong
  faults_test.py --giga G --library L --work DIR --full     all points of files, some allocations; some minutes
      --only PATTERN     scenarios whose names match; --kind KIND, --action ACTION likewise, exactly
      --allocations N    allocations that fail per scenario (default 80), spread evenly
      --threads 1,2      with which numbers of threads (--full); every action with the first, one with the others
      --show K           prints all of the first K failures in the wrong way, with a trace of an allocation

Prints a table of points and of failures in the wrong way; exit code 1 if there are any.
"""

import argparse
import concurrent.futures
import fnmatch
import itertools
import pathlib
import random
import re
import shutil
import sys
import threading
import time
from collections import Counter

from injector import Fault, Injector
from judge import Judge, is_ours
from kept import KEPT
from scenarios import OUT, copied, fill, fit, scenarios, snapshot

KILLS = ["kill-before", "kill-after"]
ACTIONS = {
    "open": ["EACCES", "EIO", "EMFILE", "ENOSPC", "EINTR", *KILLS],
    "read": ["EIO", "EINTR", "short"],
    "write": ["ENOSPC", "EIO", "EINTR", "short", "ENOSPC+", *KILLS, "kill-half"],
    "stdout": ["ENOSPC", "EINTR", "short"],
    "stderr": ["EIO", "EINTR", "short"],
    "sync": ["EIO", "ENOSPC", "EINTR", *KILLS],
    "rename": ["EIO", "EACCES", *KILLS],
    "map": ["ENOMEM", "ENODEV"],
    "size": ["ENOSPC", "EIO", "EINTR", *KILLS],
    "close": ["EIO", "EINTR"],
    "unlink": ["EACCES", "EIO", *KILLS],
    "mkdir": ["EACCES", "ENOSPC", *KILLS],
    "stat": ["EIO", "EACCES"],
    "lock": ["EINTR", "ENOLCK"],
    "thread": ["EAGAIN"],
    "alloc": ["ENOMEM", "ENOMEM+"],
}


def fault_of(kind, number, action):
    return Fault(kind, number, action.rstrip("+"), action.endswith("+"))


def actions_for(call):
    """Those that this call can meet."""
    for action in ACTIONS[call.kind]:
        # Opening for reading changes nothing that a kill could spoil, and a full disk does not matter to it.
        if call.kind == "open" and action in ("ENOSPC", *KILLS) and not is_ours(call.target):
            continue
        # These are not calls of the system: the C library makes those, and sees what becomes of them.
        if call.function in ("opendir", "fdopendir", "readdir", "readdir64", "fopen", "fopen64", "pread") \
                and action in ("EINTR", "short"):
            continue
        yield action


class Bench:
    """A scenario with its folder, and what an undisturbed run leaves there."""

    def __init__(self, scenario, injector, work, threads):
        self.scenario, self.injector = scenario, injector
        self.words = [*scenario.words, *threads]
        self.name = scenario.name + (f", {' '.join(threads)}" if threads else "")
        self.work = work / re.sub(r"\W+", "-", self.name)
        shutil.rmtree(self.work, ignore_errors=True)
        self.template = self.work / "template"
        fill(self.template, scenario, injector.giga, self.stop)
        self.places = threading.local()
        self.next_place = itertools.count()
        folder = self.place()
        before = snapshot(folder)
        self.whole = self.run(folder)
        if self.whole.code != scenario.code:
            raise RuntimeError(f"{self.name}: {self.whole.code} {self.whole.error}")
        self.judge = Judge(scenario, before, snapshot(folder), self.work, self.whole.calls)

    def place(self):
        if not hasattr(self.places, "folder"):
            self.places.folder = self.work / f"run-{next(self.next_place)}"
        copied(self.template, self.places.folder)
        return self.places.folder

    def run(self, folder, fault=None, words=None, trace=False):
        return self.injector.run(words or self.words, folder, str(folder) + ".log", fault, self.scenario.stdin, trace)

    def stop(self, folder):
        """A fit that was killed once its chains were saved."""
        trial = folder.parent / "trial"
        shutil.copytree(folder, trial)
        calls = self.injector.run(fit(), trial, str(trial) + ".log").calls
        saved = [call for call in calls if call.kind == "rename" and call.target.endswith("partial/state.json")]
        killed = self.injector.run(fit(), folder, str(trial) + ".log", Fault("rename", saved[-1].number, "kill-after"))
        if killed.code != -9:
            raise RuntimeError(f"a fit to stop ended with {killed.code}: {killed.error}")
        (folder / OUT / ".giga-lock").unlink()
        shutil.rmtree(trial)

    def points(self, allocations, actions=None):
        """Every fault that there is to try: of all calls, the first so many actions; and of some allocations."""
        found = []
        for call in self.whole.calls:
            if call.kind != "alloc":
                found += [fault_of(call.kind, call.number, action) for action in list(actions_for(call))[:actions]]
                continue
            step = max(1, call.number // max(1, allocations))
            numbers = range(1 + step // 2, call.number + 1, step)
            found += [fault_of("alloc", number, "ENOMEM") for number in numbers]
            found += [fault_of("alloc", number, "ENOMEM+") for number in list(numbers)[::5]]
        return found

    def try_out(self, fault, trace=False):
        """What went wrong, or None; and whether the fault was met at all."""
        folder = self.place()
        outcome = self.run(folder, fault, trace=trace)
        if outcome.hit is None:  # a run with other times than the first
            return None, False
        found = snapshot(folder)
        if fault.kills:
            wrong = None if outcome.code == -9 else f"not killed: {outcome.code}"
            wrong = wrong or self.judge.parts(found, killed=True)
        else:
            wrong = self.judge.failure(fault, outcome, found)
        if wrong is None and outcome.code != self.scenario.code:
            wrong = self.go_on(folder, found, fault.kills)
        if wrong is None:
            return None, True
        return f"{wrong}\n      at {outcome.hit.function} {outcome.hit.target}" + \
            (f"\n{outcome.error}" if trace else ""), True

    def go_on(self, folder, found, killed):
        """The run that comes after leaves what an undisturbed one leaves."""
        words = self.words
        if self.scenario.goes_on and (self.scenario.keeps_parts or f"{OUT}/partial/request.json" in found):
            words = self.scenario.goes_on
        elif self.judge.difference(found, self.judge.after) is None:
            return None
        elif killed and self.scenario.code == 0 and not {"--force", "--resume", "reproduce"} & set(words):
            words = [*words, "--force"]
        outcome = self.run(folder, words=words)
        return self.judge.gone_on(outcome, snapshot(folder), killed)


def kept_points(bench):
    """Points that once went wrong, found by what they are about."""
    for name, kind, pattern, action, which in KEPT:
        if name != bench.scenario.name:
            continue
        if kind == "alloc":
            yield fault_of(kind, which, action)
            continue
        met = [call for call in bench.whole.calls if call.kind == kind and fnmatch.fnmatch(call.target, pattern)]
        if not met:
            raise RuntimeError(f"kept point of {name}: no {kind} of {pattern}")
        for call in met if which is None else [met[which]]:
            yield fault_of(kind, call.number, action)


def sweep(bench, faults, options, table, wrongs):
    def one(fault):
        return fault, *bench.try_out(fault)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for fault, wrong, met in pool.map(one, faults):
            key = (bench.name, fault.kind)
            table[key, "points"] += met
            if wrong is None:
                continue
            table[key, "wrong"] += 1
            wrongs.append((bench, fault, wrong))
            print(f"wrong: {bench.name}: {fault}: {wrong}", flush=True)


def print_table(table, full):
    keys = sorted({key for key, _ in table})
    rows = Counter()
    if full:
        print("\n| scenario | kind | points | in the wrong way |\n|---|---|---:|---:|")
    for key in keys:
        points, wrong = table[key, "points"], table[key, "wrong"]
        rows["points"] += points
        rows["wrong"] += wrong
        if full:
            print(f"| {key[0]} | {key[1]} | {points} | {wrong} |")
    print(f"\n{rows['points']} points, {rows['wrong']} failures in the wrong way")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--giga", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="*")
    parser.add_argument("--kind")
    parser.add_argument("--action")
    parser.add_argument("--allocations", type=int, default=80)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--sample", type=int, default=10, help="points per scenario, without --full")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    options.work = options.work.resolve()
    injector = Injector(options.giga, options.library)
    chosen = random.Random(options.seed)
    table, wrongs = Counter(), []
    begun = time.monotonic()
    for scenario in scenarios():
        if not fnmatch.fnmatch(scenario.name, options.only) or not (options.full or scenario.quick):
            continue
        numbers = options.threads.split(",") if options.full else ["1"]
        for threads in numbers:
            alone = scenario.words[0] in ("summary", "report")  # they have no threads
            if alone and threads != "1":
                continue
            try:
                bench = Bench(scenario, injector, options.work, [] if alone else ["--threads", threads])
            except ImportError as missing:
                print(f"{scenario.name}: left out, {missing}; apt-get install python3-numpy")
                continue
            faults = bench.points(options.allocations, None if threads == numbers[0] else 1)
            if options.kind:
                faults = [fault for fault in faults if fault.kind == options.kind]
            if options.action:
                faults = [fault for fault in faults if fault.action == options.action]
            if not options.full:
                faults = [*kept_points(bench), *chosen.sample(faults, min(options.sample, len(faults)))]
            sweep(bench, faults, options, table, wrongs)
            if options.full:
                points = sum(count for (key, what), count in table.items() if what == "points" and key[0] == bench.name)
                print(f"{bench.name}: {points} points, {time.monotonic() - begun:.0f} s", flush=True)
            shutil.rmtree(bench.work, ignore_errors=True)
    for bench, fault, _ in wrongs[:options.show]:
        bench.work.mkdir(parents=True, exist_ok=True)
        again = Bench(bench.scenario, injector, options.work, bench.words[len(bench.scenario.words):])
        print(f"\n{bench.name}: {fault}: {again.try_out(fault, trace=True)[0]}")
    print_table(table, options.full)
    sys.exit(1 if wrongs or not table else 0)


if __name__ == "__main__":
    main()
