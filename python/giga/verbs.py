"""The verbs of the command as functions."""

import json
import os
import pathlib
import tempfile

import numpy as np

from . import _giga
from ._data import is_path, path_word, words_and_memory
from ._options import VERBS, documented
from ._progress import showing
from ._ranks import leads, ranks
from .errors import NotSafe, OptionError, warn
from .results import Certificate, Coreset, Fit, Predictions, Sample, Summary, coreset_of


def _model(verb, data, formula, y, weights, names, options):
    """Words, settings and memory of a verb that reads a table."""
    if formula is not None:
        options["formula"] = formula
    if isinstance(y, str):  # a column of the table
        options.setdefault("response", y)
        y = None
    words, memory, columns = words_and_memory(data, y, weights, names)
    if weights is not None and isinstance(weights, str):
        options["weights"] = weights
    settings = VERBS[verb].settings(options, verb)
    # A formula names its response itself.
    given = {name for name, _ in settings}
    for name, value in columns:
        if name in given:
            raise TypeError(f"giga.{verb}() has the {name} twice: by name, and as an array")
        if name != "response" or "formula" not in given:
            settings.append((name, value))
    return words, settings, memory


def _out(options):
    out = options.get("out")
    return os.fspath(out) if out is not None else None


@documented("fit")
def fit(data=None, formula=None, *, y=None, weights=None, names=None, strict=False, progress=None, comm=None, **options):
    """The whole job: a coreset, draws of its posterior, a certificate against all rows.

    data      a frame, an array, a table with __arrow_c_stream__, a dict of columns, or the path of a file that the
              command reads; a list of paths is one table
    formula   R's, as in "late ~ hour + carrier"; without it all other columns explain the response
    y         the response: an array beside data, or the name of a column, as response=
    weights   observation weights: the name of a column, or an array
    names     of the columns of an array; without them x1, x2, ...
    strict    raise NotSafe unless the certificate says that the result is safe
    progress  True for a bar, False for none, or a function of (stage, done, total); without it a bar in notebooks and
              at the prompt of a terminal
    comm      an mpi4py communicator, all of whose ranks make this call: they share the work, and all get the result

    Without out= nothing is written. The same seed gives the bytes of the command.

    >>> import giga
    >>> X, y = giga.simulate("logistic", rows=2000, dim=3, seed=1)
    >>> fit = giga.fit(X, y=y, family="bernoulli", seed=1)
    >>> fit.safe
    True
    >>> fit.draws.values.shape[2] == len(fit.names)
    True
    """
    words, settings, memory = _model("fit", data, formula, y, weights, names, options)
    resume = options.get("resume")
    with ranks(comm, "fit", settings, memory) as operations, showing(progress if leads(comm) else False) as watch:
        result = _giga.fit(words, settings, memory, watch, operations)
    run = Fit(result, resume if resume is not None else _out(options))
    if strict and not run.safe:
        raise NotSafe(run.certificate.sentence, run)
    warn(run.warnings)
    if not run.safe:
        warn([run.certificate.sentence])
    return run


def _matrix_on_disk(name, options, folder):
    """vectors= and loglik= are files; an array is made one."""
    value = options.get(name)
    if value is None or is_path(value):
        return
    array = np.asarray(value)
    if array.ndim != 2 or array.dtype.kind not in "fiu":
        raise TypeError(f"{name}= must be a matrix of numbers, or the path of a .npy file")
    path = os.path.join(folder, f"{name}.npy")
    np.save(path, array.astype(np.float64, copy=False))
    options[name] = path


@documented("build")
def build(data=None, formula=None, *, y=None, weights=None, names=None, progress=None, comm=None, **options):
    """A coreset: a few weighted rows that stand for all of them.

    data, formula, y, weights, names, progress, comm   as in giga.fit
    vectors, loglik                                    a matrix, or the path of a .npy file, in place of data

    >>> import giga
    >>> X, y = giga.simulate("poisson", rows=1000, seed=2)
    >>> coreset = giga.build(X, y=y, family="poisson", link="softplus", size=20)
    >>> len(coreset) <= 20
    True
    """
    with tempfile.TemporaryDirectory(prefix="giga-") as folder:
        for name in ("vectors", "loglik"):
            _matrix_on_disk(name, options, folder)
        words, settings, memory = _model("build", data, formula, y, weights, names, options)
        with ranks(comm, "build", settings, memory) as operations, showing(progress if leads(comm) else False) as watch:
            result = _giga.build(words, settings, memory, watch, operations)
    return coreset_of(result, json.loads(result.json), result.text)


def _on_disk(result):
    """Where a result is, or is put, for a verb that reads its files; a path is itself."""
    return result._on_disk() if isinstance(result, (Sample, Coreset)) else result


@documented("sample")
def sample(data=None, formula=None, *, y=None, weights=None, names=None, progress=None, comm=None, **options):
    """Draws of the posterior of all rows, or of a coreset.

    data   as in giga.fit; or a Coreset, or the path of a coreset.csv, whose companion has the model

    >>> import giga
    >>> X, y = giga.simulate("poisson", rows=500, seed=2)
    >>> coreset = giga.build(X, y=y, family="poisson", link="softplus", size=20)
    >>> giga.sample(coreset, chains=2, draws=100, warmup=100).draws.values.shape[:2]
    (2, 100)
    """
    if isinstance(data, Coreset):
        data = _on_disk(data)
    words, settings, memory = _model("sample", data, formula, y, weights, names, options)
    with ranks(comm, "sample", settings, memory) as operations, showing(progress if leads(comm) else False) as watch:
        result = _giga.sample(words, settings, memory, watch, operations)
    run = Sample(result, _out(options))
    warn(run.warnings)
    return run


@documented("check")
def check(data, coreset=None, sampled=None, *, y=None, names=None, strict=False, progress=None, comm=None, **options):
    """The certificate of a coreset against all rows of the table that it was built from.

    data      the table, as in giga.fit
    coreset   a Coreset or a Fit, or the path of a coreset.csv
    sampled   a Sample of it, or a folder of giga.sample; without it draws are made on the spot
    strict    raise NotSafe unless the verdict is safe

    Of a merged coreset alone, giga.check(coreset), what is known of its error is told; that is never safe.

    >>> import giga
    >>> X, y = giga.simulate("logistic", rows=2000, seed=2)
    >>> coreset = giga.build(X, y=y, family="bernoulli")
    >>> bool(giga.check(X, coreset, y=y))
    True
    """
    if coreset is None and (isinstance(data, (Coreset, Fit)) or is_path(data)):
        data, coreset = None, data
    if isinstance(coreset, Fit):
        coreset = coreset.coreset
    words, memory, columns = words_and_memory(data, y, None, names)
    if coreset is not None:
        words.append(path_word(_on_disk(coreset)))
    if sampled is not None:
        if not options.get("out") and isinstance(sampled, Sample) and sampled.folder is None:
            options["force"] = True  # of a folder of our own
        words.append(path_word(_on_disk(sampled)))
    settings = VERBS["check"].settings(options, "check")
    with ranks(comm, "check", settings, memory) as operations, showing(progress if leads(comm) else False) as watch:
        told = _giga.check(words, settings, memory, watch, operations)
    if isinstance(told, dict):
        sentence = f"not certified: that needs the rows of all shards; its error is {told['text']}"
        out = Certificate(False, sentence, told)
    else:
        record = json.loads(told.json)
        out = Certificate(bool(told.certified), told.sentence, record.get("certificate", record), told.text)
        out.notes = list(told.notes)
    if strict and not out.safe:
        raise NotSafe(out.sentence, out)
    if not out.safe:
        warn([out.sentence])
    return out


@documented("merge")
def merge(*coresets, progress=None, **options):
    """One coreset of those of shards that were built apart.

    coresets   Coresets, Fits, or paths: of coreset.csv, or of folders of giga.fit

    >>> import giga
    >>> X, y = giga.simulate("logistic", rows=2000, seed=2)
    >>> halves = [giga.build(X[part], y=y[part], family="bernoulli") for part in (slice(0, 1000), slice(1000, 2000))]
    >>> giga.merge(*halves).num_rows
    2000
    """
    if len(coresets) == 1 and isinstance(coresets[0], (list, tuple)):
        coresets = tuple(coresets[0])
    words = [path_word(_on_disk(each.coreset if isinstance(each, Fit) else each)) for each in coresets]
    settings = VERBS["merge"].settings(options, "merge")
    with showing(progress) as watch:
        result = _giga.merge(words, settings, watch)
    return coreset_of(result, json.loads(result.json), result.text)


@documented("predict")
def predict(fit, data, *, y=None, names=None, progress=None, **options):
    """What a fit says of the responses of new rows.

    fit    a Fit, or a folder of giga.fit, or of giga.sample of a coreset
    data   the rows, as in giga.fit; they need the columns that the model uses
    y      their responses, for pointwise=True, where data is an array

    >>> import giga
    >>> X, y = giga.simulate("logistic", rows=2000, seed=2)
    >>> fit = giga.fit(X, y=y, family="bernoulli")
    >>> giga.predict(fit, X[:5], new=False).mean.shape
    (5,)
    """
    if y is None and names is None and getattr(data, "ndim", 0) == 2 and not hasattr(data, "columns"):
        names = [f"x{j + 1}" for j in range(data.shape[1])]  # no column of it is the response
    words, memory, _ = words_and_memory(data, y, None, names)
    settings = VERBS["predict"].settings(options, "predict")
    with showing(progress) as watch:
        told = _giga.predict([path_word(_on_disk(fit)), *words], settings, memory, watch)
    return Predictions(told)


def summary(*draws, progress=None):
    """What draws say, with R-hat, effective sizes and standard errors.

    draws   a folder of giga.sample or giga.fit, files of CmdStan or rstan, one for each chain, or a Sample

    >>> import giga
    >>> X, y = giga.simulate("poisson", rows=500, seed=2)
    >>> run = giga.sample(X, y=y, family="poisson", link="softplus", chains=2, draws=200)
    >>> len(giga.summary(run).table)
    5
    """
    if len(draws) == 1 and isinstance(draws[0], (list, tuple)):
        draws = tuple(draws[0])
    words = [path_word(_on_disk(each)) for each in draws]
    with showing(progress) as watch:
        out = Summary(_giga.summary(words, watch))
    return out


@documented("report")
def report(run, *, progress=None, **options):
    """Makes the report of a run, one HTML file with all of it, and returns its path.

    run   a folder of a fit or of a sample; or a Fit or a Sample, which needs out= where it is in no folder

    The page of a Fit as text is fit.report().
    """
    if isinstance(run, Sample) and run.folder is None and options.get("out") is None:
        raise TypeError("out= is needed for a run that is in no folder")
    folder = _on_disk(run)
    settings = VERBS["report"].settings(options, "report")
    with showing(progress) as watch:
        return pathlib.Path(_giga.report(path_word(folder), settings, watch))


_KINDS = [name.split()[1] for name in VERBS if name.startswith("simulate ")]


@documented(*[name for name in VERBS if name.startswith("simulate ")])
def simulate(what, /, *, out=None, progress=None, **options):
    """Makes up data to try things on.

    what   logistic, poisson, gaussian, ...: data of that regression; onehot: categories as columns of 0 and 1;
           vectors: a matrix of vectors
    out    a file to write, as the command does, whose path is returned; without it arrays are: (X, y), or the vectors

    >>> import giga
    >>> X, y = giga.simulate("logistic", rows=100, dim=2)
    >>> X.shape, y.shape
    ((100, 2), (100,))
    """
    if what not in _KINDS:
        raise OptionError(f"what is {what!r}; must be one of {', '.join(_KINDS)}")
    verb = VERBS[f"simulate {what}"]
    with showing(progress) as watch:
        if out is not None:
            _giga.simulate(what, verb.settings({**options, "out": out}, "simulate"), watch)
            return pathlib.Path(os.fspath(out))
        with tempfile.TemporaryDirectory(prefix="giga-") as folder:
            path = os.path.join(folder, "made.npy")
            _giga.simulate(what, verb.settings({**options, "out": path}, "simulate"), watch)
            made = np.load(path)
    return made if what == "vectors" else (np.ascontiguousarray(made[:, :-1]), made[:, -1].copy())


def read(path, *, progress=None):
    """A run from its folder, as giga.fit and giga.sample gave it; or a coreset from its coreset.csv.

    >>> import giga, tempfile
    >>> X, y = giga.simulate("logistic", rows=1000, seed=2)
    >>> folder = tempfile.mkdtemp() + "/fit"
    >>> made = giga.fit(X, y=y, family="bernoulli", out=folder)
    >>> bool((giga.read(folder).draws.values == made.draws.values).all())
    True
    """
    if not is_path(path):
        raise TypeError(f"path is a {type(path).__name__}; must be a str or a path")
    word = path_word(path)
    if os.path.isfile(word):
        return Coreset.read(pathlib.Path(os.fsdecode(word)))
    with showing(progress) as watch:
        result = _giga.read_folder(word, watch)
    record = json.loads(pathlib.Path(os.fsdecode(word), "run.json").read_text("utf-8"))
    run = (Fit if record.get("command") == "fit" else Sample)(result, os.fsdecode(word), record)
    run.notes = list(record.get("notes") or [])
    return run
