"""What the verbs give back. All of these hold arrays, a record (that of run.json) and the words of the command;
none of them keeps the data."""

import csv
import functools
import html
import io
import json
import os
import pathlib
import tempfile
import weakref

import numpy as np

from . import _giga
from .errors import CannotCreate, DataError


def _frame(columns, index=None):
    """A pandas frame where pandas is installed; otherwise a dict of arrays."""
    try:
        import pandas as pd
    except ImportError:
        return dict(columns)
    frame = pd.DataFrame(columns)
    return frame.set_index(index) if index is not None else frame


class Table:
    """A table of results: columns by name, as arrays. `frame()` is the same as a pandas frame."""

    def __init__(self, columns, index=None):
        self.columns = dict(columns)
        self._index = index

    @classmethod
    def from_csv(cls, text, index=None):
        rows = list(csv.reader(io.StringIO(text)))
        columns = {}
        for j, name in enumerate(rows[0]):
            cells = [row[j] for row in rows[1:]]
            try:
                columns[name] = np.array([float(cell) for cell in cells])
            except ValueError:
                columns[name] = np.array(cells, dtype=object)
        return cls(columns, index)

    def __getitem__(self, name):
        return self.columns[name]

    def __len__(self):
        return len(next(iter(self.columns.values()), ()))

    def frame(self):
        return _frame(self.columns, self._index)


class _Text:
    """A result that is shown as the command tells it."""

    _text = ""
    _title = ""

    def __str__(self):
        return self._text

    def __repr__(self):
        return self._text.rstrip("\n") or f"<giga.{type(self).__name__}>"

    def _repr_html_(self):
        return (f'<div class="giga"><strong>{html.escape(self._title)}</strong>'
                f'<pre style="line-height:1.35">{html.escape(self._text)}</pre></div>')


class Certificate(_Text):
    """Whether the posterior of a coreset is safe to use for that of all rows, and how far it is from it."""

    _title = "Certificate"

    def __init__(self, safe, sentence, record, text=None):
        self.safe = safe
        self.sentence = sentence
        self.record = record
        self._text = text if text is not None else sentence

    def __bool__(self):
        return bool(self.safe)

    @property
    def k_hat(self):
        """The shape of the tail of the weights: at most 0.7 where the draws can be corrected."""
        return self.record.get("k_hat")

    def __reduce__(self):
        return Certificate, (self.safe, self.sentence, self.record, self._text)


class Draws:
    """Draws of a posterior.

    values    float64 array, chains x draws x parameters, on the scale of the data
    names     of these parameters
    sampled   the same on the scale of the sampler, with sampled_names
    stats     what the sampler says of each draw: lp, acceptance_rate, step_size, tree_depth, n_steps, diverging,
              energy, arrays of chains x draws
    weights   what makes them draws of the posterior of all rows, chains x draws; None: they count alike
    """

    def __init__(self, both, names, num_original, stats, weights):
        self._both = both
        self._names = list(names)
        self._num_original = num_original
        self.stats = stats
        self.weights = weights

    @property
    def names(self):
        return self._names[: self._num_original]

    @property
    def sampled_names(self):
        return self._names[self._num_original:]

    @property
    def values(self):
        return self._both[:, :, : self._num_original]

    @property
    def sampled(self):
        return self._both[:, :, self._num_original:]

    @property
    def num_chains(self):
        return self._both.shape[0]

    def __len__(self):
        """Draws of all chains."""
        return self._both.shape[0] * self._both.shape[1]

    def __getitem__(self, name):
        """The draws of one parameter of either scale, chains x draws."""
        if isinstance(name, str):
            if name not in self._names:
                raise KeyError(f"no parameter '{name}'; there are {', '.join(self._names[:20])}")
            return self._both[:, :, self._names.index(name)]
        return self.values[name]

    def __contains__(self, name):
        return name in self._names

    def __array__(self, dtype=None):
        return np.asarray(self.values, dtype=dtype)

    def frame(self):
        """A row for each draw: chain, draw, the parameters on the scale of the data, and the weight."""
        chains, draws = self._both.shape[:2]
        columns = {"chain": np.repeat(np.arange(1, chains + 1), draws), "draw": np.tile(np.arange(1, draws + 1), chains)}
        columns.update({name: self.values[:, :, k].ravel() for k, name in enumerate(self.names)})
        if self.weights is not None:
            columns["weight"] = self.weights.ravel()
        return _frame(columns)

    def __repr__(self):
        chains, draws = self._both.shape[:2]
        shown = ", ".join(self.names[:6]) + (", ..." if len(self.names) > 6 else "")
        weighted = ", weighted by the certificate" if self.weights is not None else ""
        return f"<giga.Draws: {chains} chains x {draws} draws of {len(self.names)} parameters ({shown}){weighted}>"


class _Run(_Text):
    """What all runs have. `stored` are its files where they are in no folder, as those of a pickle."""

    def __init__(self, result, folder=None, record=None, stored=None):
        self._result = result
        self.folder = pathlib.Path(folder) if folder is not None else None
        self.notes = list(result.notes)
        self.warnings = list(result.warnings)
        self._stored = stored
        self._temporary = None
        if record is not None:
            self.record = record

    @functools.cached_property
    def record(self):
        """The dict of run.json."""
        return json.loads(self._result.json)

    @functools.cached_property
    def _text(self):
        return self._result.text

    def files(self):
        """{name: bytes} of the files that the command writes for such a run."""
        if self.folder is not None and self.folder.is_dir():
            return {each.name: each.read_bytes() for each in sorted(self.folder.iterdir()) if each.is_file()}
        return dict(self._stored) if self._stored is not None else self._result.files()

    def save(self, folder, force=False):
        """Writes the files to a folder, as the command does; giga.read reads them."""
        folder = pathlib.Path(folder)
        folder.mkdir(exist_ok=True)
        _write({folder / name: content for name, content in self.files().items()}, force)
        return folder

    def _on_disk(self):
        """A folder that has the files, for verbs that read them. One that is made here goes with this object."""
        if self.folder is not None and self.folder.is_dir():
            return self.folder
        if self._temporary is None or not os.path.isdir(self._temporary):
            self._temporary = _temporary_folder(self)
            _write({self._temporary / name: content for name, content in self.files().items()})
        return self._temporary

    def __reduce__(self):
        return _restored_run, (type(self), self.files(), self._text, self.notes, self.record)


def _write(files, force=False):
    present = [path for path in files if path.exists()]
    if present and not force:
        raise CannotCreate(f"{present[0]}: exists already; force=True replaces it")
    for path, content in files.items():
        path.write_bytes(content)


def _temporary_folder(owner):
    made = tempfile.TemporaryDirectory(prefix="giga-")
    weakref.finalize(owner, made.cleanup)
    return pathlib.Path(made.name)


def _restored_run(kind, files, text, notes, record):
    """A run of its files, as pickles have them."""
    with tempfile.TemporaryDirectory(prefix="giga-") as folder:
        _write({pathlib.Path(folder, name): content for name, content in files.items()})
        out = kind(_giga.read_folder(os.fsencode(folder), None), None, record, files)
    out._text, out.notes = text, notes
    return out


class Coreset(_Text):
    """A few weighted rows that stand for all of them.

    rows      of the data, from 0
    weights   of these rows
    data      Table of rows, weights and the columns of these rows, as text has them
    """

    _title = "Coreset"

    def __init__(self, rows, weights, columns=(), cells=(), num_rows=None, record=None, text="", run=None):
        self.rows = np.asarray(rows, dtype=np.int64)
        self.weights = np.asarray(weights, dtype=np.float64)
        self.columns = list(columns)
        self._cells = cells
        self.num_rows = num_rows
        self.record = record if record is not None else {}
        self._run = run
        self._temporary = None
        self.notes = list(run.notes) if run is not None else []
        self._text = text or f"<giga.Coreset: {len(self.rows)} rows" + (f" of {num_rows}>" if num_rows else ">")

    def __len__(self):
        return len(self.rows)

    @property
    def data(self):
        """The rows, a column for each of the table's; as numbers where they are."""
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(self.columns)
        writer.writerows(self._cells)
        columns = Table.from_csv(text.getvalue()).columns if self.columns else {}
        return Table({"row": self.rows, "weight": self.weights, **columns})

    def frame(self):
        return self.data.frame()

    def sample_weight(self, num_rows=None):
        """A weight for each row of the data, 0 for those that are not in the coreset: for scikit-learn."""
        count = self.num_rows if num_rows is None else num_rows
        if count is None:
            raise ValueError("the number of rows is not known; give num_rows")
        if len(self.rows) and count <= self.rows.max():
            raise ValueError(f"num_rows is {count}; the coreset has row {self.rows.max()}")
        out = np.zeros(count)
        out[self.rows] = self.weights
        return out

    def files(self):
        """{name: bytes} of coreset.csv and coreset.json."""
        files = self._run.files() if self._run is not None else {}
        return {name: content for name, content in files.items() if name in ("coreset.csv", "coreset.json")}

    def save(self, path, force=False):
        """Writes coreset.csv to a path, and its companion beside it, as the command does."""
        path = pathlib.Path(path)
        targets = {"coreset.csv": path, "coreset.json": path.with_suffix(".json")}
        _write({targets[name]: content for name, content in self.files().items()}, force)
        return path

    def _on_disk(self):
        if self._temporary is None or not os.path.isdir(self._temporary):
            self._temporary = _temporary_folder(self)
            self.save(self._temporary / "coreset.csv")
        return self._temporary / "coreset.csv"

    @classmethod
    def read(cls, path):
        """From coreset.csv, with its companion beside it where there is one."""
        path = pathlib.Path(path)
        files = {"coreset.csv": path.read_bytes()}
        if path.with_suffix(".json").exists() and path.suffix != ".json":
            files["coreset.json"] = path.with_suffix(".json").read_bytes()
        return cls.from_files(files, path)

    @classmethod
    def from_files(cls, files, name="coreset.csv", record=None):
        """From the bytes of coreset.csv, and of coreset.json if it is there."""
        try:
            rows = list(csv.reader(io.StringIO(files["coreset.csv"].decode("utf-8"), newline="")))
            about = json.loads(files.get("coreset.json", b"{}"))
            if rows[0][:2] != ["row", "weight"]:
                raise ValueError("its columns do not begin with row and weight")
            numbers, weights = [int(row[0]) for row in rows[1:]], [float(row[1]) for row in rows[1:]]
        except (ValueError, IndexError) as error:
            raise DataError(f"{name}: is not a coreset: {error}") from None
        return cls(numbers, weights, rows[0][2:], [row[2:] for row in rows[1:]], about.get("N"),
                   record if record is not None else about, run=_StoredFiles(files))

    def __reduce__(self):
        return _restored_coreset, (self.rows, self.weights, self.columns, self._cells, self.num_rows, self.record,
                                   self._text, self.files(), self.notes)


class _StoredFiles:
    """In place of a run, where only its files are left."""

    def __init__(self, files, notes=()):
        self._files, self.notes = files, list(notes)

    def files(self):
        return dict(self._files)


def _restored_coreset(rows, weights, columns, cells, num_rows, record, text, files, notes):
    return Coreset(rows, weights, columns, cells, num_rows, record, text, _StoredFiles(files, notes))


def coreset_of(result, record, text="", run=None):
    told = result.coreset
    return Coreset(told["rows"], told["weights"], told["columns"], told["cells"], told["num_rows"] or record.get("N"),
                   record, text, run if run is not None else result)


class Sample(_Run):
    """Draws of a posterior: `draws`, `summary()`, `record`, `notes`, `warnings`."""

    _title = "giga sample"

    @functools.cached_property
    def draws(self):
        result = self._result
        return Draws(result.draws(), result.names, result.num_original, result.stats(), result.weights())

    def summary(self, corrected=True, sampled=False):
        """Means, sds, quantiles, R-hat and effective sizes of every parameter, as a pandas frame where pandas is
        installed. Of a certified fit they are those of the posterior of all rows, unless corrected=False; with
        sampled=True those on the scale of the sampler follow, as std_..."""
        table = Table.from_csv(self._result.table(corrected), "variable")
        kept = np.flatnonzero(table["variable"] != "lp__")
        kept = kept if sampled else kept[: self._result.num_original]
        return Table({name: values[kept] for name, values in table.columns.items()}, "variable").frame()

    @property
    def names(self):
        return list(self._result.names)[: self._result.num_original]

    def to_xarray(self):
        """{group: xarray.Dataset} in the layout of ArviZ's InferenceData: posterior and sample_stats of chains x draws,
        weights of the draws; of a fit also observed_data and constant_data, the rows of the coreset and their weights.

        >>> import giga
        >>> X, y = giga.simulate("poisson", rows=500, seed=2)
        >>> run = giga.sample(X, y=y, family="poisson", link="softplus", chains=2, draws=100)
        >>> dict(run.to_xarray()["posterior"].sizes)
        {'chain': 2, 'draw': 100}
        """
        from ._inference_data import groups_of
        return groups_of(self)

    def to_netcdf(self, path, force=False):
        """Writes these groups to one netCDF file, which arviz.from_netcdf opens, and xarray group by group."""
        from ._inference_data import write_netcdf
        return pathlib.Path(write_netcdf(self, path, force))

    def to_inference_data(self):
        """The same as an arviz.InferenceData, where ArviZ is installed."""
        from ._inference_data import inference_data_of
        return inference_data_of(self)

    def plot(self, kind=None, names=None, axes=None):
        """Pictures of it, by matplotlib: "coefficients" with intervals, "posterior", and of a fit "error" against size
        and "weights"; without kind= a figure of all. Returns the axes, or the figure.

        names   of the parameters to show; without it all, in "coefficients" without the intercept
        axes    to draw into
        """
        from ._plots import plot
        return plot(self, kind, names, axes)

    def report(self, out=None, force=False, title=None):
        """The HTML page: written to `out`, whose path is returned; without it, its text."""
        from .verbs import report
        if out is not None:
            return report(self, out=out, force=force, title=title)
        page = self.files().get("report.html")
        if page is None or title is not None:
            with tempfile.TemporaryDirectory(prefix="giga-") as folder:
                return pathlib.Path(report(self, out=pathlib.Path(folder) / "report.html", title=title)).read_text("utf-8")
        return page.decode("utf-8")


class Fit(Sample):
    """A coreset, draws of its posterior and a certificate against all rows.

    coreset       Coreset
    draws         Draws
    certificate   Certificate, true where the result is safe
    summary()     the posterior of all rows
    predict(new)  what it says of new rows
    report()      the HTML page
    record        the dict of run.json
    notes         what the library wanted to be known
    """

    _title = "giga fit"

    @functools.cached_property
    def coreset(self):
        told = self._result.coreset  # None of a model of one's own that was read back: it has no coreset.json
        if told is not None and (told["cells"] or not len(told["rows"]) or "coreset.json" not in self.files()):
            return coreset_of(self._result, self.record, run=self)
        made = Coreset.from_files({name: content for name, content in self.files().items()
                                   if name in ("coreset.csv", "coreset.json")}, self.folder, self.record)
        made.num_rows = made.num_rows or self.record.get("N")
        return made

    @property
    def calls(self):
        """How often the functions of a model of one's own were called, and for how many rows; None of other fits."""
        return self.record.get("calls")

    @property
    def safe(self):
        return bool(self._result.certified)

    @functools.cached_property
    def certificate(self):
        return Certificate(self.safe, self._result.sentence, self.record.get("certificate", {}))

    def weights(self):
        """How much each draw counts, chains x draws."""
        return self.draws.weights

    def sample_weight(self, num_rows=None):
        """A weight for each row of the data, for scikit-learn."""
        return self.coreset.sample_weight(num_rows if num_rows is not None else self.record.get("N"))

    def predict(self, data, **options):
        """giga.predict of this fit."""
        from .verbs import predict
        return predict(self, data, **options)

    def check(self, data, **options):
        """giga.check of this fit's coreset against data, by its draws."""
        from .verbs import check
        return check(data, self.coreset, **options)


class Predictions(_Text):
    """What a fit says of the responses of rows.

    rows        of the data, from 0
    mean, sd    of the expected response, an array each
    quantiles   {p: array} of it
    new_mean, new_sd, new_quantiles   the same of new observations; None without them
    log_density of each row, with pointwise=True; else None
    """

    _title = "Predictions"

    def __init__(self, told):
        self.rows = told["rows"]
        self.expected = told["words"]
        self.record = json.loads(told["json"])
        self.notes = list(told["notes"])
        probabilities = told["quantiles"]
        self.mean, self.sd, self.quantiles = _spread(told["expected"], probabilities)
        self.new_mean, self.new_sd, self.new_quantiles = _spread(told["new"], probabilities)
        self.log_density = told["log_density"]
        self._text = f"<giga.Predictions: {self.expected}, of {len(self.rows)} rows>"

    def __len__(self):
        return len(self.rows)

    def frame(self):
        """A row for each row of the data, under the names that the command writes."""
        columns = {"row": self.rows}
        for name, mean, sd, quantiles in (("epred", self.mean, self.sd, self.quantiles),
                                          ("new", self.new_mean, self.new_sd, self.new_quantiles)):
            if mean is None:
                continue
            columns.update({f"{name}_mean": mean, f"{name}_sd": sd})
            columns.update({f"{name}_q{100 * p:.10g}": values for p, values in quantiles.items()})
        if self.log_density is not None:
            columns["log_density"] = self.log_density
        return _frame(columns)


def _spread(values, probabilities):
    if values is None:
        return None, None, None
    return values[:, 0], values[:, 1], {float(p): values[:, 2 + k] for k, p in enumerate(probabilities)}


class Summary(_Text):
    """What draws on disk say: `frame()` is the table, `record` has the warnings as well."""

    _title = "giga summary"

    def __init__(self, told):
        self.table = Table.from_csv(told["table"], "variable")
        self.record = json.loads(told["json"])
        self.notes = list(told["notes"])
        self._text = told["text"]

    def frame(self):
        return self.table.frame()
