"""How tests start ranks: the one place that knows launchers and their quirks.

Open MPI refuses root and more ranks than cores unless it is told otherwise, and looks for networks that a
machine for tests may not have; its ranks then speak by shared memory alone. MPICH needs nothing.
"""

import os
import re
import subprocess

# A line every ten seconds of a stage that takes that long, on a machine with other work: "giga: [5/7] sampling: 400/8000
# transitions, ...", or "giga: finding the posterior mode: 12 s".
PROGRESS = re.compile(r"giga: (?!note: |error: )[^:]+: (\d+/\d+ [A-Za-z]+|\d+(\.\d)? (s|min|h))(, .*)?")


class Launcher:
    def __init__(self, mpirun):
        self.mpirun = mpirun
        text = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout
        self.is_open_mpi = "Open MPI" in text or "OpenRTE" in text

    def environment(self):
        here = dict(os.environ)
        for name in ("NO_COLOR", "TERM"):
            here.pop(name, None)
        if self.is_open_mpi:
            here.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                        OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl="self,vader",
                        OMPI_MCA_btl_vader_single_copy_mechanism="none",
                        OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_plm_rsh_agent="false")
        return here

    def command(self, ranks, words):
        return [self.mpirun, "-n", str(ranks), *words]

    def start(self, ranks, words, **more):
        """A process group of its own, so that a test can end all of it."""
        return subprocess.Popen(self.command(ranks, words), env=self.environment(), start_new_session=True, **more)

    def run(self, ranks, words, timeout=120, **more):
        return subprocess.run(self.command(ranks, words), env=self.environment(), capture_output=True, timeout=timeout,
                              check=False, **more)


def own_lines(text):
    """What the command says on stderr, without what the launcher adds, and without what depends on the time it took."""
    lines = [line for line in text.decode().splitlines() if line.startswith("giga: ")]
    return [line for line in lines if not line.startswith("giga: note: plan: ") and not PROGRESS.fullmatch(line)]
