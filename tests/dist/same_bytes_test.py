#!/usr/bin/env python3
"""Every file that giga-mpi writes is that of giga, byte for byte, on any number of ranks and threads.

  same_bytes_test.py --prepare --giga GIGA --work DIR            makes the data, and runs the commands with giga
  same_bytes_test.py --giga-mpi P --mpirun M --work DIR --ranks 3 [--threads 1,2]   runs them on 3 ranks

Left out of the comparison: seconds, threads, what was communicated, and the work that a search did, which depends
on the timing of threads. Without --threads, commands have 1 and 2 threads by turns.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

import commands
from launcher import Launcher, own_lines

NOT_COMPARED = {"threads", "communication", "seconds", "peak_bytes", "search", "full_data", "gradients_per_second"}


def plain(value):
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items() if key not in NOT_COMPARED}
    return [plain(each) for each in value] if isinstance(value, list) else value


def comparable(path, content):
    """The content as it is, unless it is a record with times, or facts with a line for these."""
    if content.startswith(b"{"):
        return json.dumps(plain(json.loads(content)), indent=1)
    if path != "stdout":
        return content
    kept = [line for line in content.decode().splitlines() if not line.startswith(("seconds ", "ranks ", "gradients "))]
    return "\n".join(kept)


def outcome(folder, done):
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    files["stdout"] = done.stdout
    out = {name: comparable(name, content) for name, content in files.items()}
    # A simulation tells how long it took.
    said = [line for line in own_lines(done.stderr)]
    return {"exit code": done.returncode, "stderr": said, **out}


def run(command, line, threads, folder):
    words, stdin = commands.words_of(line, threads)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with open(folder / stdin if stdin else "/dev/null", "rb") as stream:
        return outcome(folder, command(words, cwd=folder, stdin=stream))


def prepare(giga, work):
    shutil.rmtree(work, ignore_errors=True)
    commands.make_data(giga, work / "data")
    for number, line in enumerate(commands.COMMANDS):
        folder = work / "giga" / commands.folder_of(number)
        want = run(lambda words, **more: subprocess.run([giga, *words], capture_output=True, timeout=120, check=False,
                                                        **more), line, 1, folder)
        want = {key: value.decode("latin-1") if isinstance(value, bytes) else value for key, value in want.items()}
        (work / f"want-{number:02d}.json").write_text(json.dumps(want))
    return 0


def differences(want, got):
    for key in sorted(want.keys() | got.keys()):
        one, other = want.get(key), got.get(key)
        if isinstance(other, bytes):
            other = other.decode("latin-1")
        if one == other:
            continue
        if one is None or other is None:
            yield f"{key}: only {'giga' if other is None else 'giga-mpi'} has it"
        elif isinstance(one, str):
            at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
            yield f"{key}: differs from byte {at} on: {one[max(0, at - 40):at + 60]!r} and {other[max(0, at - 40):at + 60]!r}"
        else:
            yield f"{key}: {one} and {other}"


def compare(program, mpirun, work, ranks, threads_wanted):
    launcher = Launcher(mpirun)
    faults = 0
    for number, line in enumerate(commands.COMMANDS):
        want = json.loads((work / f"want-{number:02d}.json").read_text())
        for threads in threads_wanted or [1 + (number + ranks) % 2]:
            folder = work / f"ranks-{ranks}-{'-'.join(map(str, threads_wanted)) or 'turns'}" / commands.folder_of(number)
            got = run(lambda words, **more: launcher.run(ranks, [program, *words], **more), line, threads, folder)
            found = list(differences(want, got))
            for fault in found:
                print(f"{line}\n  with {ranks} ranks and {threads} threads: {fault}")
            faults += len(found)
    print(f"{len(commands.COMMANDS)} commands on {ranks} ranks: {faults} differences")
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--prepare", action="store_true")
    for name in ("--giga", "--giga-mpi", "--mpirun"):
        parser.add_argument(name)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--threads", default="")
    options = parser.parse_args()
    if options.prepare:
        return prepare(options.giga, options.work)
    threads = [int(each) for each in options.threads.split(",") if each]
    return compare(options.giga_mpi, options.mpirun, options.work, options.ranks, threads)


if __name__ == "__main__":
    sys.exit(main())
