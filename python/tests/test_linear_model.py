"""The estimators of scikit-learn: its own checks, and what people do with estimators."""

import pickle

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", reason="apt-get install python3-sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import giga  # noqa: E402
from giga.linear_model import (BayesianLinearRegression, BayesianLogisticRegression,  # noqa: E402
                               BayesianPoissonRegression)

pytestmark = pytest.mark.filterwarnings("ignore::giga.GigaWarning")
QUICK = {"chains": 2, "draws": 200}


@parametrize_with_checks([BayesianLogisticRegression(**QUICK), BayesianPoissonRegression(**QUICK),
                          BayesianLinearRegression(**QUICK)])
def test_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def logistic(rows=3000, seed=1):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 3)) * [1, 5, 0.2] + [0, 3, 1]
    predictor = X @ [1.0, -0.3, 2.0]
    y = np.where(random.random(rows) < 1 / (1 + np.exp(-predictor)), "yes", "no")
    return X, y


def test_logistic_agrees_with_maximum_likelihood_within_a_standard_deviation():
    X, y = logistic()
    ours = BayesianLogisticRegression(prior_scale=10).fit(X, y)
    theirs = LogisticRegression(penalty=None).fit(X, y)
    assert ours.safe_
    assert np.all(np.abs(ours.coef_ - theirs.coef_[0]) < 0.5 * ours.coef_sd_)
    assert abs(ours.intercept_ - theirs.intercept_[0]) < 0.5 * ours.intercept_sd_
    assert np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).max() < 0.01
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99


def test_linear_agrees_with_least_squares_within_a_standard_deviation():
    random = np.random.default_rng(2)
    X = random.normal(size=(2000, 2)) * [1, 100]
    y = 1e4 + X @ [5.0, 0.1] + 3 * random.normal(size=2000)
    ours, theirs = BayesianLinearRegression().fit(X, y), LinearRegression().fit(X, y)
    assert np.all(np.abs(ours.coef_ - theirs.coef_) < 0.3 * ours.coef_sd_)
    assert abs(ours.intercept_ - theirs.intercept_) < 0.3 * ours.intercept_sd_
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-4)


def test_poisson_takes_rates_with_exposures_for_counts():
    random = np.random.default_rng(3)
    X = random.normal(size=(1500, 2))
    exposure = random.uniform(0.5, 4, size=1500)
    counts = random.poisson(exposure * np.exp(X @ [0.4, -0.2] + 0.3))
    ours = BayesianPoissonRegression().fit(X, counts / exposure, sample_weight=exposure)
    theirs = PoissonRegressor(alpha=0, tol=1e-8).fit(X, counts / exposure, sample_weight=exposure)
    assert np.all(np.abs(ours.coef_ - theirs.coef_) < 0.3 * ours.coef_sd_)
    assert ours.score(X, counts / exposure) == pytest.approx(theirs.score(X, counts / exposure), abs=1e-3)


def test_a_weight_counts_as_so_many_samples():
    X, y = logistic(400)
    times = np.random.default_rng(4).integers(0, 4, size=400)
    weighted = BayesianLogisticRegression().fit(X, y, sample_weight=times)
    repeated = BayesianLogisticRegression().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert np.all(np.abs(weighted.coef_ - repeated.coef_) < 0.15 * repeated.coef_sd_)


def test_intervals_of_new_observations_hold_as_many_as_they_say():
    random = np.random.default_rng(5)
    X = random.normal(size=(4000, 2))
    y = X @ [1.0, 2.0] + random.normal(size=4000)
    model = BayesianLinearRegression().fit(X[:2000], y[:2000])
    new = model.predict_interval(X[2000:], level=0.8)
    mean = model.predict_interval(X[2000:], level=0.8, new=False)
    inside = (new[:, 0] < y[2000:]) & (y[2000:] < new[:, 1])
    assert abs(inside.mean() - 0.8) < 4 * np.sqrt(0.8 * 0.2 / 2000)
    assert np.all((mean[:, 0] > new[:, 0]) & (mean[:, 1] < new[:, 1]))
    assert np.all((mean[:, 0] < model.predict(X[2000:])) & (model.predict(X[2000:]) < mean[:, 1]))


def test_the_order_of_samples_changes_nothing():
    X, y = logistic(500)
    order = np.random.default_rng(1).permutation(500)
    one, other = BayesianLogisticRegression().fit(X, y), BayesianLogisticRegression().fit(X[order], y[order])
    assert np.array_equal(one.coef_draws_, other.coef_draws_)


def test_goes_into_pipelines_grid_searches_and_cross_validation():
    X, y = logistic(600)
    pipeline = make_pipeline(StandardScaler(), BayesianLogisticRegression(**QUICK))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.6
    search = GridSearchCV(pipeline, {"bayesianlogisticregression__prior_scale": [0.01, 2.5]}, cv=3,
                          scoring="neg_log_loss").fit(X, y)
    assert search.best_params_ == {"bayesianlogisticregression__prior_scale": 2.5}


def test_is_cloned_and_pickled():
    X, y = logistic(500)
    model = BayesianLogisticRegression(prior="student_t(4, 0, 1)", **QUICK).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(again.predict_interval(X[:5]), model.predict_interval(X[:5]))
    assert clone(model).get_params() == model.get_params() and not hasattr(clone(model), "coef_")


def test_names_of_a_frame_are_kept():
    pd = pytest.importorskip("pandas", reason="apt-get install python3-pandas")
    X, y = logistic(300)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = BayesianLogisticRegression(**QUICK).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"] and model.n_features_in_ == 3


def test_more_than_two_classes_are_refused():
    X, _ = logistic(30)
    with pytest.raises(ValueError, match="Only binary classification is supported.*3 classes"):
        BayesianLogisticRegression().fit(X, np.arange(30) % 3)


def test_samples_on_a_plane_are_fitted_all_the_same():
    X = np.random.default_rng(1).normal(size=(200, 2))
    model = BayesianLinearRegression().fit(X, X @ [3.0, -2.0] + 1)
    assert np.allclose(model.coef_, [3, -2], atol=1e-4) and model.score(X, X @ [3.0, -2.0] + 1) > 0.999999


def test_a_constant_target_is_refused():
    with pytest.raises(ValueError, match="no noise to learn"):
        BayesianLinearRegression().fit(np.random.default_rng(1).normal(size=(30, 2)), np.ones(30))


def test_giga_itself_does_not_import_scikit_learn():
    import subprocess
    import sys
    code = "import sys, giga; assert 'sklearn' not in sys.modules; giga.linear_model; assert 'sklearn' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert giga.linear_model.BayesianLinearRegression is BayesianLinearRegression


def test_docstrings_run():
    import doctest
    import sys
    found = doctest.testmod(sys.modules["giga.linear_model"], optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0 and found.attempted > 5
