"""What tests of faults share: a fit on ranks that can be started, hit and taken up again.

The input has 30,000 rows: three ranks hold their own rows of it, and a fit takes a second or two.
"""

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from launcher import Launcher

SOON_S = 10
BUILD_ID_HEAD = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"  # the note of an ELF file that comes before it
options = argparse.Namespace()


class LauncherWaits(Exception):
    """The launcher goes on although all its ranks have ended."""


def own_processes(root_pid, name):
    """Processes below `root_pid` whose program has that name and that have not ended."""
    parents, names = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        before, _, after = stat.rpartition(")")
        state, parent = after.split()[:2]
        parents[int(entry.name)] = int(parent)
        if state != "Z":
            names[int(entry.name)] = before.partition("(")[2]
    found = []
    for pid, own in names.items():
        above = pid
        while above in parents and above != root_pid:
            above = parents[above]
        if above == root_pid and own == name:
            found.append(pid)
    return sorted(found)


class FaultCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = options.work
        shutil.rmtree(cls.work, ignore_errors=True)
        cls.work.mkdir(parents=True)
        cls.launcher = Launcher(options.mpirun)
        cls.giga("simulate", "logistic", "--rows", "30000", "--dim", "4", "--out", "data.csv")
        cls.fit = ["fit", "data.csv", "--family", "bernoulli", "--no-times", "--quiet", "--threads", "1",
                   "--draws", "2000"]
        cls.giga(*cls.fit, "--out", "want")
        cls.want = {path.name: path.read_bytes() for path in (cls.work / "want").iterdir()}

    @classmethod
    def giga(cls, *words):
        subprocess.run([options.giga, *words], cwd=cls.work, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=120)

    def ranks(self, ranks, *words, **more):
        return self.launcher.run(ranks, [options.giga_mpi, *words], cwd=self.work, **more)

    def assert_same_fit(self, folder):
        got = {path.name: path.read_bytes() for path in (self.work / folder).iterdir()}
        self.assertEqual(sorted(self.want), sorted(got))
        for name, content in self.want.items():
            self.assertEqual(content, got[name], name)

    def on_rank(self, rank, otherwise):
        """A program that runs its arguments, but on one rank does `otherwise`, which ends with exec."""
        script = self.work / "on_rank.sh"
        script.write_text("#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n"
                          f'if [ "$rank" = {rank} ]; then {otherwise}; fi\nexec "$@"\n')
        script.chmod(0o755)
        return str(script)

    def in_a_folder_of_its_own(self, rank, content):
        """A program that runs its arguments, and on one rank finds another data.csv than the others."""
        (self.work / "other").mkdir(exist_ok=True)
        (self.work / "other" / "data.csv").unlink(missing_ok=True)
        (self.work / "other" / "data.csv").write_bytes(content)
        return self.on_rank(rank, 'cd other; exec "$@"')

    def without_permission(self, rank):
        """The same, and there it may not be read. Root may read all files, unless that is taken away from it."""
        script = self.in_a_folder_of_its_own(rank, (self.work / "data.csv").read_bytes())
        (self.work / "other" / "data.csv").chmod(0)
        if os.geteuid() != 0:
            return script
        os.chown(self.work / "other" / "data.csv", 65534, 65534)
        return self.on_rank(rank, 'cd other; exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"')

    def another_build(self, rank):
        """A program that runs its arguments, and on one rank a copy of giga-mpi that the linker has given another ID."""
        content = bytearray(pathlib.Path(options.giga_mpi).read_bytes())
        begin = content.index(BUILD_ID_HEAD) + len(BUILD_ID_HEAD)
        content[begin:begin + 20] = bytes(255 - value for value in content[begin:begin + 20])
        other = self.work / "another" / "giga-mpi"
        other.parent.mkdir(exist_ok=True)
        other.write_bytes(content)
        other.chmod(0o755)
        return self.on_rank(rank, f'shift; exec {other} "$@"')

    def started_fit(self, ranks, out, around=()):
        """mpirun, whose process group is its own."""
        shutil.rmtree(self.work / out, ignore_errors=True)
        return self.launcher.start(ranks, [*around, options.giga_mpi, *self.fit, "--out", out], cwd=self.work,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def ended(self, process):
        """Seconds until it ended, and what was said."""
        begin = time.monotonic()
        try:
            said = process.communicate(timeout=2 * SOON_S)[1]
        except subprocess.TimeoutExpired:
            alive = own_processes(process.pid, "giga-mpi")
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if not alive:
                raise LauncherWaits from None
            self.fail(f"the job hangs, with {len(alive)} ranks alive")
        seconds = time.monotonic() - begin
        self.assertLess(seconds, SOON_S)
        return seconds, said

    def resumed(self, out, ranks):
        if not (self.work / out / "partial" / "request.json").exists():
            if (self.work / out / "run.json").exists():
                # It had ended before, but for letting go of its folder.
                (self.work / out / ".giga-lock").unlink(missing_ok=True)
                return
            # Nothing to go on with: the same command again.
            done = self.ranks(ranks, *self.fit, "--out", out)
        else:
            done = self.ranks(ranks, "fit", "--resume", out, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr.decode())


def parse_options(argv):
    parser = argparse.ArgumentParser()
    for name in ("--giga", "--giga-mpi", "--mpi-ranks", "--mpirun"):
        parser.add_argument(name, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    _, rest = parser.parse_known_args(argv[1:], namespace=options)
    return argv[:1] + rest
