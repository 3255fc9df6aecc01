"""What every part of the benchmarks uses: programs and their output, tables, the surroundings of a peer."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PEERS = ROOT / "benchmarks" / "peers"
CORES = len(os.sched_getaffinity(0))
SYSTEM_OPENBLAS = pathlib.Path("/usr/lib/x86_64-linux-gnu/openblas-pthread")
PYTHON = "/usr/bin/python3"  # the one that has Debian's NumPy


def say(text):
    print(text, file=sys.stderr, flush=True)


def table(headers, rows):
    print("| " + " | ".join(headers) + " |")
    print("|" + "---|" * len(headers))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print(flush=True)


def number(value, digits=3):
    return f"{value:.{digits}g}"


def count(value):
    return f"{value:,}".replace(",", " ")


def output_of(command, environment=None):
    done = subprocess.run([str(word) for word in command], env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"run: '{' '.join(map(str, command))}' ended with {done.returncode}")
    return json.loads(done.stdout)


class Bench:
    """The programs of one build, a temporary folder, and how much is asked of them."""

    def __init__(self, options, folder):
        self.build_dir = options.build_dir
        self.quick = options.quick
        self.shrink = 10 if options.quick else 1
        self.asked_repeats = options.repeats
        self.peer_rows = options.peer_rows
        self.shard_rows = options.shard_rows
        self.data = options.data
        self.folder = folder

    def program(self, place):
        path = self.build_dir / place
        if not path.exists():
            sys.exit(f"run: no {path}; first: cmake --preset release && cmake --build --preset release")
        return path

    def repeats(self, usual=5):
        return self.asked_repeats or (2 if self.quick else usual)

    def simulate(self, what, path, **settings):
        if not path.exists():
            words = [word for key, value in settings.items() for word in (f"--{key}", str(value))]
            say(f"simulating {what} {' '.join(words)}")
            subprocess.run([self.program("tools/giga"), "simulate", what, *words, "--quiet", "--seed", "1",
                            "--out", path], check=True, stdout=subprocess.DEVNULL)
        return path

    def build(self, *words, size=100):
        return [self.program("tools/giga"), "build", *words, "--size", size, "--json", "--quiet", "--force",
                "--out", self.folder / "coreset.csv"]


def anonymous_peak(command):
    """The run record, and the most anonymous memory seen: what a process holds beside the files it maps."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen([str(word) for word in command], stdout=out)
        peak = 0
        while process.poll() is None:
            try:
                status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            except OSError:
                break
            peak = max(peak, sum(int(line.split()[1]) * 1024 for line in status.splitlines()
                                 if line.startswith(("RssAnon", "RssShmem"))))
            time.sleep(0.002)
        if process.wait() != 0:
            sys.exit(f"run: '{' '.join(map(str, command))}' failed")
        out.seek(0)
        return json.load(out), peak


# --- Python peers ------------------------------------------------------------------------------------


def detected_coretype():
    """What OpenBLAS should take this CPU for; releases older than the CPU guess too low."""
    info = pathlib.Path("/proc/cpuinfo").read_text()
    fields = dict(line.split(":", 1) for line in info.split("\n\n")[0].splitlines() if ":" in line)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    flags = fields.get("flags", "").split()
    if "avx512bw" in flags and fields.get("vendor_id") == "GenuineIntel":
        return "SkylakeX"
    if fields.get("vendor_id") == "AuthenticAMD" and int(fields.get("cpu family", 0)) >= 23:
        return "Zen"
    return "Haswell" if "avx2" in flags else None


def peer_environment(coretype=None, threads=CORES):
    environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads))
    environment.pop("OPENBLAS_CORETYPE", None)
    if coretype:
        environment["OPENBLAS_CORETYPE"] = coretype
    if SYSTEM_OPENBLAS.exists():  # even where Debian's alternatives prefer the reference BLAS
        paths = [str(SYSTEM_OPENBLAS), os.environ.get("LD_LIBRARY_PATH", "")]
        environment["LD_LIBRARY_PATH"] = ":".join(filter(None, paths))
    return environment


def peer_blas():
    """The name of the library that NumPy's products run in."""
    probe = ("import json, numpy; numpy.ones((2, 2)) @ numpy.ones((2, 2)); "
             "print(json.dumps(sorted({line.split()[-1].split('/')[-1] for line in open('/proc/self/maps') "
             "if 'blas' in line.split('/')[-1]})))")
    return output_of([PYTHON, "-c", probe], peer_environment(None))


def warn_of_slow_blas(libraries):
    if not any(name in library for library in libraries for name in ("openblas", "mkl", "blis")):
        print("**NumPy runs on a reference BLAS here; the ratios flatter us. "
              "Run scripts/install-dependencies --benchmarks first.**\n")


def fastest_settings(command, seconds, thread_counts=(CORES,)):
    """Of OpenBLAS: the default or the detected core type, and the number of threads, that serve a peer best."""
    times = {}
    for settings in [(coretype, threads) for coretype in dict.fromkeys([None, detected_coretype()])
                     for threads in dict.fromkeys(thread_counts)]:
        say(f"peer with OPENBLAS_CORETYPE={settings[0] or '(unset)'}, {settings[1]} threads")
        times[settings] = min(seconds(output_of(command, peer_environment(*settings))) for _ in range(2))
    return min(times, key=times.get)
