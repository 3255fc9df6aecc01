"""Coresets of models of one's own: functions of many rows at once, or matrices of numbers."""

import inspect
import numbers
import operator
import os

import numpy as np

from . import _giga
from ._options import VERBS, Verb, _section, _signature
from ._progress import showing
from .errors import CannotCreate, NotSafe, warn
from .results import Fit

_GROUPS = ("Projection", "Construction", "Sampling", "Certificate", "Run")
_NOT_OURS = {"resume", "strict"}
_FILES = ("run.json", "coreset.csv", "draws_1.csv", "summary.csv", "report.html")


# One thread, since only one can be in Python; and fewer draws than giga.fit makes, for each costs some calls.
_DEFAULTS = {"threads": 1, "draws": 1000, "thin": 1}


def _own_verb():
    """The options of a fit that speak of no table."""
    verb = Verb({"name": "coreset", "description": "", "options": []})
    verb.options = {name: option for name, option in VERBS["fit"].options.items()
                    if option["group"] in _GROUPS and name not in _NOT_OURS or name == "times"}
    return verb


_VERB = _own_verb()


def _numbers(value, name, num_rows, width):
    """What a function gave as an array of doubles: (num_rows,), or (num_rows, width) where width is not 0."""
    if hasattr(value, "detach"):  # a tensor of torch, which may want its gradient
        value = value.detach().cpu().numpy()
    if isinstance(value, np.ma.MaskedArray):
        value = value.astype(np.float64).filled(np.nan)
    wanted = (num_rows, width) if width else (num_rows,)
    words = f"{name}(theta, rows) must give " + (
        f"an array of shape ({num_rows}, {width}): a row for each of rows, a column for each parameter" if width else
        f"{num_rows} numbers, one for each of rows")
    if value is None:
        raise TypeError(f"{words}; it gave None")
    try:
        array = np.asarray(value)
    except Exception as error:
        raise TypeError(f"{words}; it gave a {type(value).__name__}: {error}") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{words}; it gave a {type(value).__name__}"
                        + (f" of dtype {array.dtype}" if hasattr(value, "dtype") else ""))
    if array.shape != wanted:
        hint = ""
        if array.ndim == 0:
            hint = ": one number, perhaps their sum" if not width else ": one number"
        elif width and array.shape == (width, num_rows):
            hint = ": transposed"
        raise ValueError(f"{words}; it gave shape {array.shape}{hint}")
    return np.ascontiguousarray(array, dtype=np.float64)


def _add_note(error, name, theta, rows):
    """Says where a function of the caller's was when it raised."""
    shown = ", ".join(str(row) for row in rows[:5]) + (", ..." if len(rows) > 5 else "")
    at = np.array2string(theta, threshold=20, max_line_width=100)
    count = "row" if len(rows) == 1 else "rows"
    error.add_note(f"giga called {name}(theta, rows) with theta = {at} and {len(rows)} {count}: {shown}")


class _NumericalGradient:
    """See numerical_gradient. `calls` counts those of the function."""

    def __init__(self, log_likelihood, order):
        self._function = log_likelihood
        # Steps for which the error of the difference and that of rounding are of one size.
        self._step = np.finfo(float).eps ** (1 / 3 if order == 2 else 1 / 5)
        self._terms = [(1, 0.5), (-1, -0.5)] if order == 2 else [(1, 2 / 3), (-1, -2 / 3), (2, -1 / 12), (-2, 1 / 12)]
        self.calls = 0

    def __call__(self, theta, rows):
        theta = np.array(theta, dtype=np.float64)
        out = np.zeros((len(rows), len(theta)))
        for d, value in enumerate(theta):
            step = self._step * max(1.0, abs(value))
            step = (value + step) - value  # a number that theta can be moved by exactly
            for times, factor in self._terms:
                moved = theta.copy()
                moved[d] = value + times * step
                self.calls += 1
                out[:, d] += factor / step * _numbers(self._function(moved, rows), "log_likelihood", len(rows), 0)
        return out


def numerical_gradient(log_likelihood, order=2):
    """The gradient of log_likelihood(theta, rows) by central differences.

    order   2: (f(theta + h) - f(theta - h)) / 2h, two calls for each parameter, right to about 1e-10 of the size of the
            log-likelihoods; 4: four calls, and about 1e-12

    A gradient of one's own is quicker by as many calls, and exact; this one is for models whose derivatives are
    tedious, and for checking those that are not.

    >>> import numpy as np, giga
    >>> x = np.array([1.0, 2.0, 3.0])
    >>> f = lambda theta, rows: -0.5 * (x[rows] - theta[0]) ** 2
    >>> giga.numerical_gradient(f)(np.array([0.0]), np.array([0, 2])).round(8).tolist()
    [[1.0], [3.0]]
    """
    if not callable(log_likelihood):
        raise TypeError(f"log_likelihood is a {type(log_likelihood).__name__}; must be a function of (theta, rows)")
    if order not in (2, 4):
        raise ValueError(f"order is {order!r}; must be 2 or 4")
    return _NumericalGradient(log_likelihood, order)


def _whole(value, name):
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}= is a {type(value).__name__}; must be an integer") from None
    if number < 1:
        raise ValueError(f"{name}= is {number}; must be at least 1")
    if number > 2**53:
        raise ValueError(f"{name}= is {number}, which is too large")
    return number


def _vector(value, name, positive=False):
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name}= must be an array of numbers") from None
    if array.ndim != 1:
        raise ValueError(f"{name}= has {array.ndim} dimensions; must have one")
    if not np.isfinite(array).all() or (positive and not (array > 0).all()):
        raise ValueError(f"{name}= must have {'positive' if positive else 'finite'} numbers only")
    return array


def _prior_text(value):
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        if not (value > 0 and np.isfinite(value)):
            raise ValueError(f"prior= is {value}; a scale must be positive")
        return f"normal(0, {float(value)!r})"
    raise TypeError(f"prior= has a {type(value).__name__}; must be a scale, a text such as 'normal(0, 2)', a list of these, "
                    "or a dict of them by name")


def _prior_texts(prior, dim, names):
    """One text for all parameters, or one for each."""
    if prior is None:
        raise TypeError("prior= is missing: a scale, a text such as 'normal(0, 2)', or one for each parameter")
    if isinstance(prior, dict):
        known = names if names else [f"theta[{d + 1}]" for d in range(dim)]
        unknown = [key for key in prior if key not in known]
        missing = [name for name in known if name not in prior]
        if unknown or missing:
            raise ValueError(f"prior= has no prior of '{missing[0]}'" if missing else
                             f"prior= has '{unknown[0]}', which is not a parameter; there are {', '.join(known[:20])}")
        return [_prior_text(prior[name]) for name in known]
    if isinstance(prior, (list, tuple)) or hasattr(prior, "tolist") and getattr(prior, "ndim", 0) == 1:
        texts = [_prior_text(each) for each in list(prior)]
        if len(texts) != dim:
            raise ValueError(f"prior= has {len(texts)} priors, where there are {dim} parameters")
        return texts
    return [_prior_text(prior)]


def _dimension(num_parameters, start, names, prior):
    """How many parameters there are, by whatever says so; all must say the same."""
    told = {}
    if num_parameters is not None:
        told["num_parameters"] = _whole(num_parameters, "num_parameters")
    if start is not None:
        told["start"] = len(start)
    if names is not None:
        told["names"] = len(names)
    if isinstance(prior, (list, tuple)):
        told["prior"] = len(prior)
    if not told:
        raise TypeError("how many parameters are there? give num_parameters=, start= or names=")
    if len(set(told.values())) > 1:
        words = ", ".join(f"{key}= says {count}" for key, count in told.items())
        raise ValueError(f"the number of parameters is not clear: {words}")
    dim = next(iter(told.values()))
    if dim < 1:
        raise ValueError(f"{next(iter(told))}= is empty; there must be at least one parameter")
    return dim


def _names(names):
    if names is None:
        return []
    if isinstance(names, str):
        raise TypeError("names= is a str; must be a list of names")
    names = [str(name) for name in names]
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice or "" in names:
        raise ValueError(f"names= has '{twice[0] if twice else ''}'" + (" twice" if twice else ", which is no name"))
    return names


def _matrix(vectors, loglik, others, options, progress):
    from .verbs import build
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise TypeError(f"{given[0]}= goes with log_likelihood=, not with a matrix")
    matrix = {"vectors": vectors} if vectors is not None else {"loglik": loglik}
    return build(progress=progress, **matrix, **options)


def _check_out(out, force):
    if out is None or force:
        return
    for name in _FILES:
        if os.path.exists(os.path.join(out, name)):
            raise CannotCreate(f"{os.path.join(os.fspath(out), name)}: exists already; force=True replaces it")


def coreset(log_likelihood=None, gradient=None, *, num_rows=None, num_parameters=None, prior=None, start=None,
            names=None, weights=None, check_gradient=False, name="the data", description=None, vectors=None,
            loglik=None, strict=False, out=None, force=False, progress=None, **options):
    """A coreset of a model of one's own: its rows and weights, draws of its posterior, a certificate against all rows.

    log_likelihood   f(theta, rows): the log-likelihoods of the rows, an array as long as `rows`, which has row numbers
                     from 0 to num_rows - 1; -inf where a row is impossible; terms without parameters may be left out
    gradient         g(theta, rows): their gradients, an array of len(rows) x D; without it, numerical_gradient(f)
    num_rows         of the data
    num_parameters   D; not needed where start= or names= says it
    prior            of each parameter: a scale s for normal(0, s), a text such as "student_t(4, 0, 1)", a list with one
                     for each, or a dict by name; "exponential(1)" and other priors of positive numbers are of
                     exp(theta_d), and the functions get its logarithm
    start            where the search for the mode begins; without it, the middle of the prior
    names            of the parameters
    weights          how often each row counts; without it, once
    check_gradient   compare the gradient with differences before anything else, and raise ModelError where they differ
    name, description   of the data and the model, for the report
    vectors, loglik  in place of functions: an N x J matrix of vectors, or an S x N matrix of log-likelihoods; the
                     result is a Coreset, as giga.build makes it
    strict, out, force, progress   as in giga.fit

    The parameters are unconstrained. The functions are called with a float64 array theta and an int64 array rows, at
    most 4,096 of them. Calls come one at a time, from another thread than the caller's; threads=1 is the default, since
    only one thread can be in Python at a time. What a function raises ends the job and is raised here, with a note of
    theta and rows. A NaN is a ModelError, except at parameters that a chain only tries: those count as impossible and
    are told in the notes. `calls` of the result counts them.

    >>> import numpy as np, giga
    >>> random = np.random.default_rng(1)
    >>> x = random.normal(size=(2000, 2))
    >>> y = x @ [1.0, -0.5] + random.standard_t(4, size=2000)
    >>> def log_likelihood(theta, rows):
    ...     return -2.5 * np.log1p((y[rows] - x[rows] @ theta) ** 2 / 4)
    >>> def gradient(theta, rows):
    ...     u = y[rows] - x[rows] @ theta
    ...     return (5 * u / (4 + u**2))[:, None] * x[rows]
    >>> fit = giga.coreset(log_likelihood, gradient, num_rows=2000, names=["a", "b"], prior=10, draws=500)
    >>> fit.safe, len(fit.coreset) < 100
    (True, True)
    """
    if vectors is not None or loglik is not None:
        others = {"log_likelihood": log_likelihood, "gradient": gradient, "num_rows": num_rows, "prior": prior,
                  "num_parameters": num_parameters, "start": start, "names": names, "weights": weights}
        if vectors is not None and loglik is not None:
            raise TypeError("vectors= and loglik= are both given; give one of them")
        for key, value in (("out", out), ("force", force or None)):
            if value is not None:
                options[key] = value
        return _matrix(vectors, loglik, others, options, progress)
    model, difference = _model(log_likelihood, gradient, num_rows, num_parameters, prior, start, names, weights,
                               check_gradient, name, description)
    for key, value in _DEFAULTS.items():
        if options.get(key) is None:
            options[key] = value
    settings = _VERB.settings(options, "coreset")
    _check_out(out, force)
    with showing(progress) as watch:
        result = _giga.coreset(model, settings, watch)
    run = Fit(result)
    run.record["calls"] = _calls(model, difference)
    if out is not None:
        run.folder = run.save(out, force=force)
    if strict and not run.safe:
        raise NotSafe(run.certificate.sentence, run)
    warn(run.warnings + ([] if run.safe else [run.certificate.sentence]))
    return run


def _calls(model, difference):
    calls = model.calls
    if difference is not None:
        calls["log_likelihood"] += difference.calls
        calls["log_likelihood_rows"] += calls["gradient_rows"] * difference.calls // max(1, calls["gradient"])
        calls["gradient"] = calls["gradient_rows"] = 0
    return calls


def _model(log_likelihood, gradient, num_rows, num_parameters, prior, start, names, weights, check_gradient, name,
           description):
    """The functions and what is said of them, and the numerical gradient where that is used."""
    if log_likelihood is None:
        raise TypeError("giga.coreset() needs log_likelihood=, vectors= or loglik=")
    for key, value in (("log_likelihood", log_likelihood), ("gradient", gradient)):
        if value is not None and not callable(value):
            raise TypeError(f"{key}= is a {type(value).__name__}; must be a function of (theta, rows)")
    if num_rows is None:
        raise TypeError("num_rows= is missing: how many rows are there?")
    num_rows = _whole(num_rows, "num_rows")
    start = _vector(start, "start") if start is not None else None
    names = _names(names)
    dim = _dimension(num_parameters, start, names or None, prior)
    times = _vector(weights, "weights", positive=True) if weights is not None else []
    if weights is not None and len(times) != num_rows:
        raise ValueError(f"weights= has {len(times)} numbers, where num_rows= is {num_rows}")
    texts = _prior_texts(prior, dim, names)
    difference = numerical_gradient(log_likelihood) if gradient is None else None
    if description is None:
        words = texts[0] if len(texts) == 1 else ", ".join(texts[:3]) + (", ..." if len(texts) > 3 else "")
        description = f"{_name_of(log_likelihood)}, prior {words}"
    model = _giga.OwnModel(log_likelihood, difference or gradient, num_rows, dim,
                           [] if start is None else list(start), texts, names, list(times), str(name),
                           str(description), bool(check_gradient))
    return model, difference


def _name_of(function):
    name = getattr(function, "__name__", type(function).__name__)
    return "a model of one's own" if name == "<lambda>" else f"log_likelihood {name}" if name != "log_likelihood" else name


def _document():
    own = [each for each in inspect.signature(coreset).parameters.values()
           if each.kind is not inspect.Parameter.VAR_KEYWORD]
    coreset.__signature__ = _signature(_VERB, own)
    coreset.__doc__ = (inspect.cleandoc(coreset.__doc__) + "\n\nOptions, as those of giga.fit:\n\n" +
                       _section(_VERB, own) + "\n")


_document()
