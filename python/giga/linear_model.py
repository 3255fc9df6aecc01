"""Estimators of scikit-learn: Bayesian regressions whose posterior is that of a certified coreset.

>>> from giga.linear_model import BayesianLogisticRegression
>>> import giga
>>> X, y = giga.simulate("logistic", rows=2000, dim=2, seed=3)
>>> model = BayesianLogisticRegression().fit(X, y)
>>> model.predict_proba(X[:3]).shape
(3, 2)

They go wherever scikit-learn's own go: pipelines, grid searches, cross-validation, pickles. A fit is seeded by
random_state and depends neither on the number of threads nor, up to 100,000 rows, on the order of the rows.
"""

import numbers
import warnings

import numpy as np

from .errors import LibraryMissing

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets, type_of_target
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted
except ImportError as missing:
    raise LibraryMissing("giga.linear_model needs scikit-learn: apt-get install python3-sklearn, or pip install "
                         "scikit-learn") from missing

__all__ = ["BayesianLinearRegression", "BayesianLogisticRegression", "BayesianPoissonRegression"]

_ORDERED_ROWS = 100_000
_NUMBERS_AT_ONCE = 4_000_000
_LEAST_NOISE = 1e-5  # that is learnt, in units of sd(y)

_PARAMETERS = """
    prior_scale     of the coefficients of standardised features, normal(0, prior_scale)
    prior           in place of it: a text such as "student_t(4, 0, 2.5)", or a list or dict of them, as in giga.fit
    fit_intercept   whether there is an intercept
    standardise     whether features are taken in units of their standard deviation
    size            of the coreset; None: as many as the certificate asks for
    chains, draws   of the posterior
    random_state    seed, or RandomState
    n_jobs          threads; None: one, -1: all cores
    strict          raise giga.NotSafe where the certificate does not say that the result is safe

    Once fitted: coef_, intercept_ (means of the posterior), coef_sd_, intercept_sd_, coef_draws_ (draws x features),
    intercept_draws_, draw_weights_ (what makes them draws of the posterior of all rows), safe_, certificate_,
    n_features_in_, feature_names_in_, and fit_, the giga.Fit.
"""


def _in_order(X, y, weight):
    """The rows in an order of their own, so that they may come in any."""
    if len(y) > _ORDERED_ROWS:
        return X, y, weight
    keys = ([] if weight is None else [weight]) + [y] + [X[:, j] for j in range(X.shape[1] - 1, -1, -1)]
    order = np.lexsort(keys)
    return X[order], y[order], None if weight is None else weight[order]


class _Regression(BaseEstimator):
    """What the three have in common. Their own: the family, and what the response must be."""

    _family = ""
    _options = {}

    def __init__(self, prior_scale=2.5, *, prior=None, fit_intercept=True, standardise=True, size=None, chains=4,
                 draws=500, random_state=1, n_jobs=None, strict=False):
        self.prior_scale = prior_scale
        self.prior = prior
        self.fit_intercept = fit_intercept
        self.standardise = standardise
        self.size = size
        self.chains = chains
        self.draws = draws
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.strict = strict

    def _seed(self):
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _threads(self):
        if self.n_jobs is None:
            return 1
        return None if self.n_jobs < 0 else int(self.n_jobs)

    def _weights(self, X, y, sample_weight):
        """Rows that count, and how often; None where all count once."""
        if sample_weight is None:
            return X, y, None
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, only_non_negative=True)
        used = weight > 0
        if not used.any():
            raise ValueError("sample_weight is zero for every sample")
        X, y, weight = X[used], y[used], weight[used]
        return X, y, None if (weight == 1).all() else weight

    def _fit(self, X, y, weight, **more):
        from .verbs import fit
        X, y, weight = _in_order(X, y, weight)
        options = dict(self._options, family=self._family, intercept=bool(self.fit_intercept),
                       standardise=bool(self.standardise), size=self.size, chains=self.chains, draws=self.draws,
                       thin=1, warmup=500, seed=self._seed(), threads=self._threads(), times=False, **more)
        if self.prior is not None:
            options["prior"] = self.prior
        else:
            options["prior_scale"] = self.prior_scale
        run = fit(np.ascontiguousarray(X), y=y, weights=weight, strict=self.strict, progress=False, **options)
        self._take(run, X.shape[1])
        return self

    def _take(self, run, num_features):
        draws = run.draws
        values = draws.values.reshape(-1, draws.values.shape[2])
        names = draws.names
        columns = [names.index(f"x{j + 1}") for j in range(num_features)]
        self.coef_draws_ = values[:, columns]
        self.intercept_draws_ = values[:, names.index("(intercept)")] if self.fit_intercept else np.zeros(len(values))
        weights = draws.weights.ravel() if run.safe and draws.weights is not None else np.ones(len(values))
        self.draw_weights_ = weights / weights.sum()
        self.coef_ = self.draw_weights_ @ self.coef_draws_
        self.intercept_ = float(self.draw_weights_ @ self.intercept_draws_)
        self.coef_sd_ = np.sqrt(self.draw_weights_ @ (self.coef_draws_ - self.coef_) ** 2)
        self.intercept_sd_ = float(np.sqrt(self.draw_weights_ @ (self.intercept_draws_ - self.intercept_) ** 2))
        self.safe_ = run.safe
        self.certificate_ = run.certificate.sentence
        self.fit_ = run

    def _checked(self, X):
        check_is_fitted(self)
        return self._validate_data(X, dtype=np.float64, reset=False)

    def _mean(self, X, inverse_link):
        """The mean over the draws of the expected response, some rows at a time."""
        out = np.empty(len(X))
        step = max(1, _NUMBERS_AT_ONCE // max(1, len(self.draw_weights_)))
        for first in range(0, len(X), step):
            predictor = X[first:first + step] @ self.coef_draws_.T + self.intercept_draws_
            out[first:first + step] = inverse_link(predictor) @ self.draw_weights_
        return out

    def predict_interval(self, X, level=0.9, new=True):
        """Lower and upper end of an interval for each sample, an array of n x 2.

        level   the probability that it has
        new     of a new observation; False: of the expected response
        """
        from .verbs import predict
        X = self._checked(X)
        if not isinstance(level, numbers.Real) or not 0 < level < 1:
            raise ValueError(f"level is {level!r}; must be between 0 and 1")
        tails = [(1 - level) / 2, (1 + level) / 2]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = predict(self.fit_, np.ascontiguousarray(X), quantiles=tails, new=bool(new), progress=False,
                           threads=self._threads())
        ends = made.new_quantiles if new else made.quantiles
        return np.column_stack([ends[key] for key in sorted(ends)])


class BayesianLinearRegression(RegressorMixin, _Regression):
    __doc__ = """Linear regression with normal noise, whose standard deviation is learnt.

    Priors are in units of the data, as rstanarm has them: prior_scale times sd(y). Where the samples lie on a plane to
    1e-5 of sd(y), that is taken for the noise.
""" + _PARAMETERS + """
    >>> import giga, numpy as np
    >>> from giga.linear_model import BayesianLinearRegression
    >>> X = np.random.default_rng(1).normal(size=(500, 2))
    >>> y = X @ [1.0, 2.0] + 3 + 0.1 * np.random.default_rng(2).normal(size=500)
    >>> BayesianLinearRegression().fit(X, y).coef_.round(1).tolist()
    [1.0, 2.0]
    """

    _family = "gaussian"
    _options = {"autoscale": True}

    def fit(self, X, y, sample_weight=None):
        """Fits to samples and their targets."""
        X, y = self._validate_data(X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        y = np.asarray(y, dtype=np.float64)
        X, y, weight = self._weights(X, y, sample_weight)
        if len(y) < 2 or np.ptp(y) == 0:
            raise ValueError(f"y is {y[0]} for each of n_samples={len(y)}: there is no noise to learn")
        return self._fit(X, y, weight, **self._noise(X, y))

    def _noise(self, X, y):
        """The noise of samples that lie on a plane cannot be learnt: it is as good as zero."""
        columns = np.column_stack([X - X.mean(axis=0), np.ones(len(y))]) if self.fit_intercept else X
        rest = y - columns @ np.linalg.lstsq(columns, y, rcond=None)[0]
        least = _LEAST_NOISE * np.std(y)
        return {"noise_scale": least} if np.std(rest) < least else {}

    def predict(self, X):
        """The mean of the posterior of the expected targets."""
        return self._checked(X) @ self.coef_ + self.intercept_


class BayesianPoissonRegression(RegressorMixin, _Regression):
    __doc__ = """Poisson regression with a log link. Targets need not be whole: as in scikit-learn, they may be any
    numbers that are not negative, rates with the exposure as sample_weight among them.
""" + _PARAMETERS + """
    >>> import giga, numpy as np
    >>> from giga.linear_model import BayesianPoissonRegression
    >>> X = np.random.default_rng(1).normal(size=(1000, 2))
    >>> y = np.random.default_rng(2).poisson(np.exp(X @ [0.5, -0.5] + 1))
    >>> model = BayesianPoissonRegression().fit(X, y)
    >>> bool(np.all(np.abs(model.coef_ - [0.5, -0.5]) < 4 * model.coef_sd_))
    True
    """

    _family = "poisson"
    _options = {"link": "log", "prior_intercept": "normal(0, 10)"}

    def _more_tags(self):
        return {"requires_positive_y": True}

    def fit(self, X, y, sample_weight=None):
        """Fits to samples and their targets, counts or rates."""
        X, y = self._validate_data(X, y, dtype=np.float64, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        if (y < 0).any():
            raise ValueError(f"y has {y.min()}; a count cannot be negative")
        X, y, weight = self._weights(X, y, sample_weight)
        return self._fit(*self._whole(X, y, weight))

    @staticmethod
    def _whole(X, y, weight):
        """The log-likelihood y s - exp(s) is linear in y: a row with y = k + f counts as 1 - f rows with k and f rows
        with k + 1."""
        below = np.floor(y)
        share = y - below
        broken = share > 0
        if not broken.any():
            return X, y, weight
        weight = np.ones(len(y)) if weight is None else weight
        return (np.concatenate([X, X[broken]]), np.concatenate([below, below[broken] + 1]),
                np.concatenate([weight * (1 - share), (weight * share)[broken]]))

    def predict(self, X):
        """The mean of the posterior of the expected counts."""
        return self._mean(self._checked(X), np.exp)

    def score(self, X, y, sample_weight=None):
        """The share of the deviance that is explained, D^2, as that of scikit-learn's PoissonRegressor."""
        from sklearn.metrics import d2_tweedie_score
        return d2_tweedie_score(y, self.predict(X), sample_weight=sample_weight, power=1)


class BayesianLogisticRegression(ClassifierMixin, _Regression):
    __doc__ = """Logistic regression of two classes.
""" + _PARAMETERS + """    classes_ has the two labels; coefficients are those of the second.

    >>> import giga
    >>> from giga.linear_model import BayesianLogisticRegression
    >>> X, y = giga.simulate("logistic", rows=2000, dim=2, seed=3)
    >>> model = BayesianLogisticRegression().fit(X, y)
    >>> model.score(X, y) > 0.7, model.classes_.tolist()
    (True, [-1.0, 1.0])
    """

    _family = "bernoulli"
    _options = {"prior_intercept": "normal(0, 10)"}

    def _more_tags(self):
        return {"binary_only": True}

    def fit(self, X, y, sample_weight=None):
        """Fits to samples and their labels."""
        X, y = self._validate_data(X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) > 2:
            raise ValueError(f"Only binary classification is supported. The type of the target is {type_of_target(y)}; "
                             f"y has {len(self.classes_)} classes.")
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class only, {self.classes_[0]!r}; there must be two classes")
        X, codes, weight = self._weights(X, codes.astype(np.float64), sample_weight)
        if np.ptp(codes) == 0:
            raise ValueError("y has one class only among the samples whose sample_weight is not zero; there must be two "
                             "classes")
        return self._fit(X, codes, weight)

    def predict_proba(self, X):
        """The probabilities of the two classes, the mean over the posterior."""
        X = self._checked(X)
        second = self._mean(X, _sigmoid)
        return np.column_stack([1 - second, second])

    def predict(self, X):
        """The class that is more probable."""
        second = self.predict_proba(X)[:, 1] > 0.5
        return self.classes_[second.astype(int)]

    def predict_interval(self, X, level=0.9):
        """Lower and upper end of an interval for the probability of the second class, an array of n x 2."""
        return super().predict_interval(X, level, new=False)


def _sigmoid(s):
    return 0.5 * (1 + np.tanh(0.5 * s))
