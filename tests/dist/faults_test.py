#!/usr/bin/env python3
"""One rank fails, and all end: soon, with what is to be said, and so that the work can go on.

  faults_test.py --giga G --giga-mpi P --mpi-ranks Q --mpirun M --work DIR
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

from launcher import Launcher, own_lines

KILLS = int(os.environ.get("GIGA_KILLS", "4"))
SOON_S = 10
options = None


def own_processes(root_pid, name):
    """Processes below `root_pid` whose program has that name."""
    parents, names = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        before, _, after = stat.rpartition(")")
        parents[int(entry.name)] = int(after.split()[1])
        names[int(entry.name)] = before.partition("(")[2]
    found = []
    for pid, own in names.items():
        above = pid
        while above in parents and above != root_pid:
            above = parents[above]
        if above == root_pid and own == name:
            found.append(pid)
    return sorted(found)


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = options.work
        shutil.rmtree(cls.work, ignore_errors=True)
        cls.work.mkdir(parents=True)
        cls.launcher = Launcher(options.mpirun)
        cls.giga("simulate", "logistic", "--rows", "60000", "--dim", "4", "--out", "data.csv")
        cls.fit = ["fit", "data.csv", "--family", "bernoulli", "--no-times", "--quiet", "--threads", "1",
                   "--draws", "6000"]
        cls.giga(*cls.fit, "--out", "want")

    @classmethod
    def giga(cls, *words):
        subprocess.run([options.giga, *words], cwd=cls.work, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=120)

    def ranks(self, ranks, *words, **more):
        return self.launcher.run(ranks, [options.giga_mpi, *words], cwd=self.work, **more)

    def assert_same_fit(self, folder):
        want = {path.name: path.read_bytes() for path in (self.work / "want").iterdir()}
        got = {path.name: path.read_bytes() for path in (self.work / folder).iterdir()}
        self.assertEqual(sorted(want), sorted(got))
        for name, content in want.items():
            self.assertEqual(content, got[name], name)

    def started_fit(self, ranks, out):
        shutil.rmtree(self.work / out, ignore_errors=True)
        return self.launcher.start(ranks, [options.giga_mpi, *self.fit, "--out", out], cwd=self.work,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def ended(self, process):
        """Seconds until it ended, and what was said."""
        begin = time.monotonic()
        try:
            said = process.communicate(timeout=2 * SOON_S)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self.fail("the job hangs")
        seconds = time.monotonic() - begin
        self.assertLess(seconds, SOON_S)
        return seconds, said

    def resumed(self, out, ranks):
        if not (self.work / out / "partial").exists():
            if (self.work / out / "run.json").exists():
                return  # it had ended before
            shutil.rmtree(self.work / out, ignore_errors=True)
            self.giga(*self.fit, "--out", out)
            return
        done = self.ranks(ranks, "fit", "--resume", out, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr.decode())

    def test_checks_hold_on_any_number_of_ranks(self):
        for ranks in (1, 2, 3, 4, 7):
            done = self.launcher.run(ranks, [options.mpi_ranks])
            self.assertEqual(done.returncode, 0, done.stderr.decode())

    def test_an_error_of_one_rank_is_told_once_by_all(self):
        for how, words in (("data", "ended: DataError part 3, row 17: not a number"),
                           ("alone", "ended: exception rank 2: part 3: no permission")):
            begin = time.monotonic()
            done = self.launcher.run(3, [options.mpi_ranks, how])
            said = [line for line in done.stderr.decode().splitlines() if line.startswith("ended")]
            self.assertEqual(said, [words])
            self.assertEqual(done.returncode, 1)
            self.assertLess(time.monotonic() - begin, SOON_S)

    def test_a_rank_that_aborts_ends_all(self):
        begin = time.monotonic()
        done = self.launcher.run(3, [options.mpi_ranks, "terminate"])
        self.assertNotEqual(done.returncode, 0)
        self.assertLess(time.monotonic() - begin, SOON_S)

    def test_a_rank_without_permission_is_named(self):
        # A program around giga-mpi that takes the file away from rank 1 once all have seen it.
        script = self.work / "without.sh"
        script.write_text('#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n'
                          '[ "$rank" = 1 ] && cd other\nexec "$@"\n')
        script.chmod(0o755)
        other = self.work / "other"
        other.mkdir(exist_ok=True)
        size = (self.work / "data.csv").stat().st_size
        (other / "data.csv").write_bytes(b"x,y\n" + b"1,oops\n" * 3)
        done = self.launcher.run(2, [str(script), options.giga_mpi, *self.fit, "--out", "alone"], cwd=self.work)
        self.assertEqual(done.returncode, 64)
        self.assertEqual(own_lines(done.stderr),
                         [f"giga: error: the ranks were not started alike: rank 0 sees that data.csv has {size} bytes, "
                          "rank 1 sees that data.csv has 25 bytes"])
        # Of the same size, but damaged where rank 1 reads: bad data of the table, told as one process tells it.
        damaged = (self.work / "data.csv").read_bytes()
        (other / "data.csv").write_bytes(damaged[:-20] + b"oops" + damaged[-16:])
        done = self.launcher.run(2, [str(script), options.giga_mpi, *self.fit, "--out", "alone"], cwd=self.work)
        self.assertEqual(done.returncode, 65, done.stderr.decode())
        said = own_lines(done.stderr)
        self.assertEqual(len(said), 1, said)
        self.assertTrue(said[0].startswith("giga: error: data.csv: row 60000 (line 60001), column"), said)
        self.assertFalse((self.work / "alone").exists())

    def test_ranks_with_other_arguments_are_told(self):
        script = self.work / "seeds.sh"
        script.write_text('#!/bin/sh\nexec "$@" --seed ${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n')
        script.chmod(0o755)
        done = self.launcher.run(3, [str(script), options.giga_mpi, *self.fit, "--out", "seeds"], cwd=self.work)
        self.assertEqual(done.returncode, 64)
        said = own_lines(done.stderr)
        self.assertEqual(len(said), 1)
        self.assertIn("the ranks were not started alike: rank 0 was started with fit data.csv", said[0])
        self.assertIn("rank 1 was started with", said[0])

    def test_a_killed_rank_ends_the_job_which_goes_on_with_other_ranks(self):
        random_numbers = random.Random(os.environ.get("GIGA_KILL_SEED", "1"))
        longest = 0
        for number in range(KILLS):
            process = self.started_fit(3, "killed")
            time.sleep(random_numbers.uniform(0.3, 4))
            pids = own_processes(process.pid, "giga-mpi")
            if pids:
                os.kill(random_numbers.choice(pids), signal.SIGKILL)
            longest = max(longest, self.ended(process)[0])
            self.resumed("killed", 1 + number % 4)
            self.assert_same_fit("killed")
        print(f"{KILLS} ranks killed; the job ended within {longest:.1f} s")

    def test_a_signal_to_one_rank_stops_all(self):
        for which in (0, 1):
            process = self.started_fit(2, "stopped")
            pids = []
            while len(pids) < 2 and process.poll() is None:
                pids = own_processes(process.pid, "giga-mpi")
            # In the middle: the request is there, and the work takes a second at least.
            while not (self.work / "stopped" / "partial" / "request.json").exists() and process.poll() is None:
                time.sleep(0.01)
            time.sleep(0.2)
            os.kill(pids[which], signal.SIGTERM)
            said = own_lines(self.ended(process)[1])
            self.assertEqual(process.returncode, 128 + signal.SIGTERM)
            self.assertEqual([line.replace("rank 1: ", "") for line in said],
                             ["giga: stopped; go on with: giga fit --resume stopped"])
            self.resumed("stopped", 3)
            self.assert_same_fit("stopped")

    def test_a_full_disk_is_told_once(self):
        done = self.ranks(2, "build", "data.csv", "--family", "bernoulli", "--size", "5", "--out", "/dev/full", "--quiet")
        self.assertEqual(done.returncode, 74)
        self.assertEqual(own_lines(done.stderr), ["giga: error: /dev/full: cannot write: No space left on device; free "
                                                  "some space and run again"])

    def test_giga_does_not_know_mpi(self):
        libraries = subprocess.run(["ldd", options.giga], capture_output=True, text=True, check=False).stdout
        self.assertNotIn("libmpi", libraries)

    def test_what_was_sent_is_in_the_record(self):
        done = self.ranks(3, "build", "data.csv", "--family", "bernoulli", "--size", "5", "--out", "sent.csv")
        self.assertRegex(done.stdout.decode(), r"(?m)^ranks +3, which sent [0-9,]+ messages with [0-9.]+ [kM]B to each other$")
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("--giga", "--giga-mpi", "--mpi-ranks", "--mpirun"):
        parser.add_argument(name, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
