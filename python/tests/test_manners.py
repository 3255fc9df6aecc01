"""How calls behave: Ctrl-C, threads, forks, pickles, progress, and that nothing is printed."""

import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import giga

QUICK = {"family": "bernoulli", "chains": 2, "draws": 100, "warmup": 100, "size": 10}


@pytest.fixture(autouse=True)
def calm():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", giga.GigaWarning)
        yield


@pytest.fixture(scope="module")
def small():
    return giga.simulate("logistic", rows=500, seed=1)


def run(code, *words, **options):
    return subprocess.run([sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, check=False,
                          timeout=120, **options)


LONG = """
import sys, threading, time, os, signal, numpy as np, giga
X, y = giga.simulate("logistic", rows=20000, dim=10, seed=1)
def interrupt():
    time.sleep(float(sys.argv[1]))
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
began = time.monotonic()
try:
    giga.fit(X, y=y, family="bernoulli", draws=2_000_000, projection="random")
except KeyboardInterrupt:
    print(time.monotonic() - began - float(sys.argv[1]))
assert giga.fit(X[:500], y=y[:500], family="bernoulli", draws=100, chains=2, size=10) is not None
"""


@pytest.mark.parametrize("after", [0.2, 1.5, 4])
def test_ctrl_c_ends_a_job_within_two_seconds_and_the_next_one_works(after):
    made = run(LONG, after)
    assert made.returncode == 0, made.stderr
    assert 0 <= float(made.stdout) < 2


def test_ctrl_c_ends_a_simulation():
    made = run("""
import os, signal, threading, time, tempfile, giga
threading.Thread(target=lambda: (time.sleep(0.5), os.kill(os.getpid(), signal.SIGINT))).start()
folder = tempfile.mkdtemp()
try:
    giga.simulate("vectors", rows=10_000_000, dim=50, out=folder + "/V.npy")
except KeyboardInterrupt:
    print(os.listdir(folder), len(giga.simulate("logistic", rows=10)[1]))
""")
    assert made.stdout == "[] 10\n", made.stderr


def test_other_threads_run_during_a_job(small):
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.01):
            ticks.append(time.monotonic())

    other = threading.Thread(target=tick)
    other.start()
    X, y = giga.simulate("logistic", rows=3000, dim=5, seed=2)
    giga.fit(X, y=y, family="bernoulli", threads=1)
    done.set()
    other.join()
    gaps = np.diff(ticks)
    assert len(ticks) > 10 and gaps.max() < 1


def test_calls_from_several_threads_give_what_one_gives(small):
    X, y = small
    expected = giga.fit(X, y=y, **QUICK).draws.values
    out = [None] * 4

    def call(k):
        out[k] = giga.fit(X, y=y, **QUICK).draws.values

    threads = [threading.Thread(target=call, args=(k,)) for k in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert all((each == expected).all() for each in out)


# Features of the file stay in it; it is cut once it has been read.
CUT = """
import os, numpy as np, giga
X, y = giga.simulate("logistic", rows=60000, dim=4, seed=1)
np.save("t.npy", np.column_stack([X, y]))
def cut(stage, done, total):
    if stage != "load" and os.path.getsize("t.npy") > 4096:
        os.truncate("t.npy", 4096)
try:
    giga.fit("t.npy", family="bernoulli", memory="1M", draws=20000, progress=cut)
except giga.IoError as error:
    print(error)
print(giga.fit(X[:500], y=y[:500], family="bernoulli", draws=100, chains=2, size=10) is not None, os.listdir())
"""


# Others may take the signal before giga is loaded, or later.
@pytest.mark.parametrize("before", ["", "import faulthandler; faulthandler.enable()",
                                    "import giga, faulthandler; faulthandler.enable()"])
def test_a_file_that_is_cut_is_an_error_and_the_interpreter_lives_on(tmp_path, before):
    made = subprocess.run([sys.executable, "-c", before + CUT], cwd=tmp_path, capture_output=True, text=True,
                          check=False, timeout=120)
    assert made.returncode == 0, made.stderr
    assert made.stdout == ("t.npy: became shorter or unreadable while it was read; run again\n"
                           "True ['t.npy']\n")


def test_a_fork_after_a_fit_can_fit(small):
    made = run("""
import os, giga
X, y = giga.simulate("logistic", rows=500, seed=1)
options = dict(family="bernoulli", chains=2, draws=50, warmup=50, size=5)
first = giga.fit(X, y=y, **options).draws.values
child = os.fork()
if child == 0:
    os._exit(0 if (giga.fit(X, y=y, **options).draws.values == first).all() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    assert made.stdout == "0\n", made.stderr


def test_results_survive_pickling(small, tmp_path):
    X, y = small
    fit = giga.fit(X, y=y, times=False, **QUICK)
    back = pickle.loads(pickle.dumps(fit))
    assert (back.draws.values == fit.draws.values).all() and (back.draws.weights == fit.draws.weights).all()
    assert back.record == fit.record and back.notes == fit.notes and repr(back) == repr(fit)
    assert back.files() == fit.files()
    assert back.summary().equals(fit.summary())
    assert back.coreset.rows.tolist() == fit.coreset.rows.tolist()
    assert (back.predict(X[:5]).mean == fit.predict(X[:5]).mean).all()
    again = pickle.loads(pickle.dumps(back))
    assert again.files() == fit.files()
    coreset = giga.build(X, y=y, family="bernoulli", size=8)
    copied = pickle.loads(pickle.dumps(coreset))
    assert copied.files() == coreset.files() and copied.data.columns.keys() == coreset.data.columns.keys()
    sampled = giga.sample(coreset, chains=2, draws=50)
    assert (pickle.loads(pickle.dumps(sampled)).draws.values == sampled.draws.values).all()
    assert pickle.loads(pickle.dumps(fit.certificate)).safe == fit.safe
    error = pickle.loads(pickle.dumps(giga.DataError("row 3")))
    assert isinstance(error, ValueError) and str(error) == "row 3"


def test_a_run_that_is_read_back_is_the_same(small, tmp_path):
    X, y = small
    made = giga.fit(X, y=y, out=tmp_path / "fit", times=False, **QUICK)
    back = giga.read(tmp_path / "fit")
    assert back.record == made.record and back.notes
    with_times, without = ([line for line in repr(each).splitlines() if not line.startswith("seconds")]
                           for each in (made, back))
    assert with_times == without and len(repr(back).splitlines()) == len(without)
    assert back.safe == made.safe and back.certificate.sentence == made.certificate.sentence
    assert (back.draws.values == made.draws.values).all() and (back.draws.sampled == made.draws.sampled).all()
    assert back.summary().equals(made.summary()) and back.summary(corrected=False).equals(made.summary(corrected=False))
    for name, values in made.draws.stats.items():
        assert (back.draws.stats[name] == values).all(), name
    assert back.coreset.weights.tolist() == made.coreset.weights.tolist()


def test_nothing_is_printed(small):
    made = run("""
import warnings; warnings.simplefilter("ignore")
import giga
X, y = giga.simulate("logistic", rows=3000, seed=1)
fit = giga.fit(X, y=y, family="bernoulli")
coreset = giga.build(X, y=y, family="bernoulli")
other = giga.build(-X[:1000], y=y[:1000], family="bernoulli")
giga.check(X, coreset, y=y); giga.sample(coreset); fit.predict(X); fit.report(); giga.merge(coreset, other)
""")
    assert made.returncode == 0, made.stderr
    assert made.stdout == made.stderr == ""


def test_progress_is_told_and_may_end_the_job(small):
    X, y = giga.simulate("logistic", rows=4000, dim=8, seed=1)
    seen = []
    giga.fit(X, y=y, family="bernoulli", progress=lambda *at: seen.append(at))
    assert seen and {stage for stage, _, _ in seen} <= {"load", "laplace", "project", "prepare", "construct", "sample",
                                                         "certify", "report"}
    assert all(0 <= done and (total == 0 or done <= total) for _, done, total in seen)
    with pytest.raises(ZeroDivisionError):
        giga.fit(X, y=y, family="bernoulli", draws=10**6, progress=lambda *at: 1 // 0)
    with pytest.raises(TypeError, match="progress= is a int"):
        giga.fit(X, y=y, family="bernoulli", progress=3)


def test_a_bar_is_drawn_on_stderr_and_removed():
    made = run("""
import giga, warnings; warnings.simplefilter("ignore")
X, y = giga.simulate("logistic", rows=5000, dim=10, seed=1)
giga.fit(X, y=y, family="bernoulli", draws=6000, progress=True)
""")
    assert made.returncode == 0 and made.stdout == "" and made.stderr != ""


def test_what_speaks_against_a_result_is_a_warning(small):
    X, y = small
    with pytest.warns(giga.GigaWarning, match="not safe|not certified|k-hat") as told:
        giga.fit(X, y=y, family="bernoulli", size=1, chains=2, draws=200)
    assert all(each.filename == __file__ for each in told if each.category is giga.GigaWarning)
    with pytest.raises(giga.NotSafe) as error:
        giga.fit(X, y=y, family="bernoulli", size=1, chains=2, draws=200, strict=True)
    assert isinstance(error.value.result, giga.Fit) and not error.value.result.safe


def test_the_data_are_not_kept(small):
    import weakref

    class Array(np.ndarray):
        pass

    X = small[0].copy().view(Array)
    fit = giga.fit(X, y=small[1], **QUICK)
    gone = weakref.ref(X)
    del X
    assert gone() is None and fit.draws is not None


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="the sanitizer keeps what was freed")
def test_memory_does_not_grow_with_calls(small):
    X, y = small
    def resident():
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    for _ in range(20):
        giga.build(X, y=y, family="bernoulli", size=3, threads=1)
    before = resident()
    for _ in range(150):
        giga.build(X, y=y, family="bernoulli", size=3, threads=1)
    assert resident() - before < 6000, "kB"


def test_reprs_are_what_the_command_tells(small):
    X, y = small
    fit = giga.fit(X, y=y, **QUICK)
    assert fit.certificate.k_hat == fit.record["certificate"]["k_hat"] is not None
    assert "certificate" in repr(fit) and "<array>: 500 rows" in repr(fit)
    page = fit._repr_html_()
    assert "<pre" in page and "&lt;array&gt;" in page
    assert fit.report().startswith("<!DOCTYPE html>")
    assert fit.sample_weight().shape == (500,) and np.isclose(fit.sample_weight().sum(), fit.coreset.weights.sum())
    assert list(fit.summary().index[:3]) == fit.names
    assert os.path.isdir(fit._on_disk())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_extension_shows_only_its_entry():
    if not shutil.which("nm"):
        pytest.skip("nm is not installed: apt-get install binutils")
    told = subprocess.run(["nm", "--dynamic", "--defined-only", giga._giga.__file__], capture_output=True, text=True, check=True)
    assert [line.split()[-1] for line in told.stdout.splitlines()] == ["PyInit__giga"]
