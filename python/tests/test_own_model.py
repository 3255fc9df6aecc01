"""Models of one's own: a robust regression in NumPy beside its twin in C++, and everything that can go wrong."""

import math
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import giga

NU, ROWS = 4.0, 3000
CONSTANT = math.lgamma((NU + 1) / 2) - math.lgamma(NU / 2) - 0.5 * math.log(NU * math.pi)


class Robust:
    """y = <x, beta> + sigma t, t Student with 4 degrees of freedom; theta = (beta, log sigma)."""

    def __init__(self, rows=ROWS):
        random = np.random.default_rng(1)
        self.X = random.normal(size=(rows, 2))
        self.x = np.column_stack([self.X, np.ones(rows)])
        self.y = self.x @ [1.0, -2.0, 3.0] + 0.7 * random.standard_t(NU, size=rows)
        self.calls, self.threads = {"log_likelihood": 0, "gradient": 0}, set()

    def log_likelihood(self, theta, rows):
        self.calls["log_likelihood"] += 1
        self.threads.add(threading.get_ident())
        u = (self.y[rows] - self.x[rows] @ theta[:-1]) / np.exp(theta[-1])
        return CONSTANT - (NU + 1) / 2 * np.log1p(u**2 / NU) - theta[-1]

    def gradient(self, theta, rows):
        self.calls["gradient"] += 1
        x, sigma = self.x[rows], np.exp(theta[-1])
        u = (self.y[rows] - x @ theta[:-1]) / sigma
        pull = (NU + 1) * u / (NU + u**2)
        return np.column_stack([pull[:, None] * x / sigma, pull * u - 1])


SMALL = {"projection": "random", "projection_dim": 200, "size": 8, "candidates": "all", "draws": 200, "thin": 1, "chains": 2,
         "seed": 3}
OURS = {"num_rows": ROWS, "num_parameters": 4, "prior": 3}
pytestmark = [pytest.mark.filterwarnings("ignore::giga.GigaWarning"), pytest.mark.filterwarnings("ignore::RuntimeWarning")]


@pytest.fixture(scope="module")
def robust():
    return Robust()


def twin(robust, **options):
    return giga.fit(robust.X, y=robust.y, family="student_t", nu=4, standardise=False, prior="normal(0, 3)",
                    prior_sigma="lognormal(0, 3)", **options)


@pytest.mark.parametrize("pihat", ["prior", "laplace"])
@pytest.mark.parametrize("norm", ["whitened", "fisher"])
def test_coreset_agrees_with_the_twin_to_ten_digits(robust, norm, pihat):
    options = dict(SMALL, norm=norm, pihat=pihat)
    own = giga.coreset(robust.log_likelihood, robust.gradient, **OURS, **options)
    theirs = twin(robust, **options)
    assert np.array_equal(own.coreset.rows, theirs.coreset.rows)
    assert np.abs(own.coreset.weights / theirs.coreset.weights - 1).max() < 1e-10


def test_densities_agree_with_the_twin_to_ten_digits(robust):
    theirs = twin(robust, **SMALL)
    rows, weights = theirs.coreset.rows, theirs.coreset.weights
    draws = theirs.draws.sampled.reshape(-1, 4)
    ours = [weights @ robust.log_likelihood(theta, rows) - theta @ theta / 18 - 4 * math.log(3 * math.sqrt(2 * math.pi))
            for theta in draws]
    assert np.abs(ours / theirs.draws.stats["lp"].ravel() - 1).max() < 1e-10


def test_posterior_is_that_of_the_twin_within_monte_carlo_errors(robust):
    own = giga.coreset(robust.log_likelihood, robust.gradient, **OURS, seed=5)
    theirs = twin(robust, seed=6)
    assert own.safe and theirs.safe
    ours, others = own.summary(), theirs.summary()
    names = ["x1", "x2", "(intercept)"]
    for name, other in zip(own.names[:3], names):
        error = math.hypot(ours.loc[name, "mcse_mean"], others.loc[other, "mcse_mean"])
        assert abs(ours.loc[name, "mean"] - others.loc[other, "mean"]) < 5 * error


def test_numerical_gradients_are_right_to_nine_digits(robust):
    theta, rows = np.array([0.5, -1.0, 2.0, 0.3]), np.arange(50)
    exact = robust.gradient(theta, rows)
    assert np.abs(giga.numerical_gradient(robust.log_likelihood)(theta, rows) - exact).max() < 1e-8
    assert np.abs(giga.numerical_gradient(robust.log_likelihood, order=4)(theta, rows) - exact).max() < 1e-10


def test_fits_without_a_gradient_and_counts_every_call():
    robust = Robust(500)
    fit = giga.coreset(robust.log_likelihood, num_rows=500, names=["a", "b", "c", "log_sigma"], prior=3, draws=200, chains=2)
    assert fit.calls["log_likelihood"] == robust.calls["log_likelihood"] > 1000
    assert fit.calls["gradient"] == 0 and fit.safe
    assert fit.names == ["a", "b", "c", "log_sigma"]


def test_calls_are_counted_and_come_from_one_thread():
    robust = Robust(500)
    fit = giga.coreset(robust.log_likelihood, robust.gradient, num_rows=500, num_parameters=4, prior=3, draws=200, chains=2)
    assert {key: fit.calls[key] for key in robust.calls} == robust.calls
    assert fit.calls["gradient_rows"] >= fit.calls["gradient"]
    assert len(robust.threads) == 1 and threading.get_ident() not in robust.threads


def test_threads_change_nothing():
    robust = Robust(500)
    fits = [giga.coreset(robust.log_likelihood, robust.gradient, num_rows=500, num_parameters=4, prior=3, draws=100,
                         chains=2, threads=threads) for threads in (1, 3)]
    assert np.array_equal(fits[0].draws.values, fits[1].draws.values)


def line(theta, rows):
    return -0.5 * (rows / 100.0 - theta[0]) ** 2


def slope(theta, rows):
    return (rows / 100.0 - theta[0])[:, None]


LINE = {"num_rows": 300, "num_parameters": 1, "prior": 5, "draws": 100, "chains": 2}


def test_results_are_those_of_a_fit(tmp_path):
    fit = giga.coreset(line, slope, names=["mean"], name="hundredths", out=tmp_path / "run", **LINE)
    again = giga.read(tmp_path / "run")
    assert np.array_equal(again.draws["mean"], fit.draws["mean"])
    assert (tmp_path / "run" / "report.html").stat().st_size > 10_000
    assert "hundredths" in str(fit) and len(fit.sample_weight(300)) == 300
    import pickle
    for copy in (again, pickle.loads(pickle.dumps(fit))):
        assert np.array_equal(copy.coreset.rows, fit.coreset.rows) and copy.coreset.num_rows == 300
        assert np.array_equal(copy.sample_weight(), fit.sample_weight())
    assert pickle.loads(pickle.dumps(fit)).calls == fit.calls and again.calls is None
    with pytest.raises(giga.CannotCreate, match="force=True"):
        giga.coreset(line, slope, out=tmp_path / "run", **LINE)


def test_priors_are_scales_texts_lists_and_dicts():
    means = []
    for prior in (0.01, "normal(0, 0.01)", ["normal(0, 0.01)"], {"mean": "normal(0, 0.01)"}, [0.01]):
        means.append(giga.coreset(line, slope, names=["mean"], **dict(LINE, prior=prior)).draws["mean"].mean())
    assert len(set(means)) == 1 and abs(means[0]) < 0.1
    with pytest.raises(giga.OptionError, match="normal"):
        giga.coreset(line, slope, **dict(LINE, prior="norml(0, 1)"))
    with pytest.raises(ValueError, match="no prior of 'mean'"):
        giga.coreset(line, slope, names=["mean"], **dict(LINE, prior={"sd": 1}))


def test_weights_count_rows_so_many_times():
    weights = np.where(np.arange(300) < 100, 50.0, 1.0)
    fit = giga.coreset(line, slope, weights=weights, **LINE)
    assert fit.draws.values.mean() == pytest.approx(np.average(np.arange(300) / 100, weights=weights), abs=0.02)


def fails_at(call, error=ZeroDivisionError("division by zero")):
    """A log-likelihood that raises at a given call."""
    count = 0

    def function(theta, rows):
        nonlocal count
        count += 1
        if count == call:
            raise error
        return line(theta, rows)
    return function


@pytest.mark.parametrize("call", [1, 2, 30, 400, 900])
def test_what_a_function_raises_is_raised_with_theta_and_rows(call):
    with pytest.raises(ZeroDivisionError, match="division by zero") as caught:
        giga.coreset(fails_at(call), slope, **LINE)
    notes = "\n".join(caught.value.__notes__)
    assert "log_likelihood(theta, rows) with theta = [" in notes and "row" in notes


@pytest.mark.parametrize("threads", [1, 4])
def test_a_function_that_raises_ends_all_threads(threads):
    before = threading.active_count()
    for _ in range(20):
        with pytest.raises(KeyError):
            giga.coreset(fails_at(300, KeyError("x")), slope, **dict(LINE, threads=threads))
    assert threading.active_count() == before


def test_what_was_raised_is_let_go():
    import gc
    import weakref

    class Data:
        pass

    def function(theta, rows, data):
        raise KeyError(data)

    data = Data()
    gone = weakref.ref(data)
    with pytest.raises(KeyError):
        giga.coreset(lambda theta, rows, data=data: function(theta, rows, data), slope, **LINE)
    del data
    gc.collect()
    assert gone() is None


def test_nan_is_told_with_theta_and_row():
    def bad(theta, rows):
        return np.where(rows == 17, np.nan, line(theta, rows))
    with pytest.raises(giga.ModelError, match=r"log_likelihood is NaN for row 17 at theta = \("):
        giga.coreset(bad, slope, **LINE)
    with pytest.raises(giga.ModelError, match="gradient is NaN for row 17"):
        giga.coreset(line, lambda theta, rows: np.where(rows == 17, np.nan, slope(theta, rows)[:, 0])[:, None], **LINE)


def test_nan_where_only_a_chain_goes_is_told_in_the_notes():
    def bad(theta, rows):  # the posterior is N(1.5, 0.06); all rows are asked near it
        return np.full(len(rows), np.nan) if len(rows) < 20 and theta[0] > 1.6 else line(theta, rows)
    fit = giga.coreset(bad, slope, size=10, **LINE)
    assert any("log_likelihood was NaN" in note and "row" in note for note in fit.notes)


def test_a_wrong_gradient_is_found_on_request():
    with pytest.raises(giga.ModelError, match="gradient is not that of log_likelihood: for row .* theta"):
        giga.coreset(line, lambda theta, rows: 2 * slope(theta, rows), check_gradient=True, **LINE)
    assert len(giga.coreset(line, slope, check_gradient=True, **LINE).coreset) > 0


@pytest.mark.parametrize("value, error, words", [
    (None, TypeError, "must give .* one for each of rows; it gave None"),
    (1.0, ValueError, "perhaps their sum"),
    ("text", TypeError, "gave a str"),
    (np.zeros(7), ValueError, r"it gave shape \(7,\)"),
    (np.zeros((300, 1)), ValueError, r"it gave shape \(300, 1\)"),
    (np.zeros(300, dtype=complex), TypeError, "dtype complex128"),
    (np.array([None] * 300), TypeError, "dtype object"),
    ([[1], [2, 3]], (TypeError, ValueError), "log_likelihood"),
])
def test_what_is_no_array_of_numbers_is_refused(value, error, words):
    with pytest.raises(error, match=words) as caught:
        giga.coreset(lambda theta, rows: value, slope, **LINE)
    assert any("theta" in note for note in caught.value.__notes__)


def test_a_transposed_gradient_is_told():
    with pytest.raises(ValueError, match="transposed"):
        giga.coreset(line, lambda theta, rows: np.zeros((1, len(rows))), **LINE)


def test_lists_floats_and_tensors_are_taken():
    class Tensor:  # what there is of torch's here
        def __init__(self, values):
            self.values = values

        def detach(self):
            return self

        cpu = detach

        def numpy(self):
            return self.values

    exact = giga.coreset(line, slope, **LINE).draws.values
    assert np.array_equal(giga.coreset(lambda t, r: line(t, r).tolist(), slope, **LINE).draws.values, exact)
    assert np.array_equal(giga.coreset(lambda t, r: Tensor(line(t, r)), lambda t, r: Tensor(slope(t, r)), **LINE).draws.values,
                          exact)
    rounded = giga.coreset(lambda t, r: line(t, r).astype(np.float32), slope, **LINE)
    assert abs(rounded.draws.values.mean() - exact.mean()) < 0.05


def test_tensors_of_torch_are_taken():
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")
    x = torch.arange(300, dtype=torch.float64) / 100
    fit = giga.coreset(lambda t, r: -0.5 * (x[r] - t[0]) ** 2, lambda t, r: (x[r] - t[0])[:, None], **LINE)
    assert np.array_equal(fit.draws.values, giga.coreset(line, slope, **LINE).draws.values)


@pytest.mark.parametrize("arguments, error, words", [
    ({}, TypeError, "needs log_likelihood="),
    ({"log_likelihood": 3, "num_rows": 5}, TypeError, "must be a function"),
    ({"log_likelihood": line}, TypeError, "num_rows= is missing"),
    ({"log_likelihood": line, "num_rows": 0}, ValueError, "at least 1"),
    ({"log_likelihood": line, "num_rows": 1.5}, TypeError, "must be an integer"),
    ({"log_likelihood": line, "num_rows": 2**70}, ValueError, "too large"),
    ({"log_likelihood": line, "num_rows": 5, "prior": 1}, TypeError, "how many parameters"),
    ({"log_likelihood": line, "num_rows": 5, "num_parameters": 1}, TypeError, "prior= is missing"),
    ({"log_likelihood": line, "num_rows": 5, "num_parameters": 1, "prior": -1}, ValueError, "must be positive"),
    ({"log_likelihood": line, "num_rows": 5, "num_parameters": 1, "start": [1, 2], "prior": 1}, ValueError, "not clear"),
    ({"log_likelihood": line, "num_rows": 5, "start": [np.nan], "prior": 1}, ValueError, "finite"),
    ({"log_likelihood": line, "num_rows": 5, "start": [0], "prior": 1, "weights": [1, 2]}, ValueError, "num_rows= is 5"),
    ({"log_likelihood": line, "num_rows": 5, "start": [0], "prior": 1, "family": "poisson"}, TypeError, "unexpected keyword"),
    ({"vectors": np.ones((3, 2)), "num_rows": 3}, TypeError, "num_rows= goes with log_likelihood="),
    ({"vectors": np.ones((3, 2)), "loglik": np.ones((2, 3))}, TypeError, "both given"),
])
def test_arguments_that_cannot_be_are_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        giga.coreset(**arguments)


def test_matrices_give_what_build_gives():
    vectors = giga.simulate("vectors", rows=500, dim=20, seed=2)
    made = giga.coreset(vectors=vectors, size=10)
    assert np.array_equal(made.sample_weight(), giga.build(vectors=vectors, size=10).sample_weight())
    loglik = np.random.default_rng(1).normal(size=(30, 200))
    assert np.array_equal(giga.coreset(loglik=loglik, size=5).rows, giga.build(loglik=loglik, size=5).rows)


INTERRUPTED = """
import time, numpy as np, giga
def slow(theta, rows):
    print("in", flush=True)
    time.sleep(0.05)
    return -0.5 * (rows / 100.0 - theta[0]) ** 2
try:
    giga.coreset(slow, num_rows=20000, num_parameters=1, prior=5)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_it_within_two_seconds():
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, env=os.environ)
    assert child.stdout.readline() == "in\n"
    time.sleep(0.5)
    began = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=20)
    assert time.monotonic() - began < 2
    assert out.endswith("interrupted\n") and child.returncode == 0


def test_functions_may_call_giga():
    def nested(theta, rows):
        giga.simulate("logistic", rows=10, dim=1) if len(rows) > 50 and theta[0] == 0 else None
        return line(theta, rows)
    assert len(giga.coreset(nested, slope, **LINE).coreset) > 0


def test_docstrings_run():
    import doctest
    import sys
    found = doctest.testmod(sys.modules["giga.own_model"], optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0 and found.attempted > 5
