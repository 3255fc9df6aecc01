#!/usr/bin/env python3
"""One rank fails, and all end: soon, with what is to be said, and so that the work can go on.

  faults_test.py --giga G --giga-mpi P --mpi-ranks Q --mpirun M --work DIR

many_faults_test.py has hundreds of them.
"""

import os
import random
import signal
import subprocess
import sys
import time
import unittest

from fault_case import SOON_S, FaultCase, options, own_processes, parse_options
from launcher import own_lines

KILLS = 4


class Faults(FaultCase):
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

    def test_a_rank_with_another_file_is_named(self):
        size = (self.work / "data.csv").stat().st_size
        around = self.in_a_folder_of_its_own(1, b"x,y\n" + b"1,oops\n" * 3)
        done = self.launcher.run(2, [around, options.giga_mpi, *self.fit, "--out", "alone"], cwd=self.work)
        self.assertEqual(done.returncode, 64)
        self.assertEqual(own_lines(done.stderr),
                         [f"giga: error: the ranks were not started alike: rank 0 sees that data.csv has {size} bytes, "
                          "rank 1 sees that data.csv has 25 bytes"])
        # Of the same size, but damaged where rank 1 reads: bad data of the table, told as one process tells it.
        damaged = (self.work / "data.csv").read_bytes()
        around = self.in_a_folder_of_its_own(1, damaged[:-20] + b"oops" + damaged[-16:])
        done = self.launcher.run(2, [around, options.giga_mpi, *self.fit, "--out", "alone"], cwd=self.work)
        self.assertEqual(done.returncode, 65, done.stderr.decode())
        said = own_lines(done.stderr)
        self.assertEqual(len(said), 1, said)
        self.assertTrue(said[0].startswith("giga: error: data.csv: row 30000 (line 30001), column"), said)
        self.assertFalse((self.work / "alone").exists())

    def test_a_rank_without_permission_is_named(self):
        around = self.without_permission(1)
        done = self.launcher.run(2, [around, options.giga_mpi, *self.fit, "--out", "alone"], cwd=self.work)
        self.assertEqual(own_lines(done.stderr), ["giga: error: rank 1: data.csv: no permission to read it; change its mode or "
                                                  "run as its owner"])
        self.assertEqual(done.returncode, 66)
        self.assertFalse((self.work / "alone").exists())

    def test_ranks_of_another_build_are_told(self):
        around = self.another_build(2)
        done = self.launcher.run(3, [around, options.giga_mpi, *self.fit, "--out", "alone"], cwd=self.work)
        said = own_lines(done.stderr)
        self.assertEqual(len(said), 1, said)
        self.assertRegex(said[0], "^giga: error: the ranks were not started alike: rank 0 runs build [0-9a-f]{40}, "
                                  "rank 2 runs build [0-9a-f]{40}$")
        self.assertEqual(done.returncode, 64)

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
        random_numbers = random.Random(1)
        longest = 0
        for number in range(KILLS):
            process = self.started_fit(3, "killed")
            time.sleep(random_numbers.uniform(0.3, 2))
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
            # In the middle: the request is there, and the work is not done in a millisecond.
            while not (self.work / "stopped" / "partial" / "request.json").exists() and process.poll() is None:
                time.sleep(0.001)
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
    unittest.main(argv=parse_options(sys.argv))
